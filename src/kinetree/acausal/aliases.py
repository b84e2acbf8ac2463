"""Stage 3, aliases: variables that are ± another one, or a number, leave the equations.

| in | out |
|---|---|
| flat equations, pairs | fewer equations in fewer variables; what the others stand for |

An equation a·x + b·y = 0 with |a| = |b| makes two variables one, a·x = c makes one a number.  What
is known of a variable may turn further equations into such ones, so they are looked at again until
nothing is left to find: each as often as it has variables, at most.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from kinetree.acausal.instances import FlatEquation, FlatVariable
from kinetree.acausal.physical import derivative_symbol, split_name
from kinetree.engine import ADD, SYM, ZERO, Node, linear, number, substitute, symbols
from kinetree.errors import ModelError
from kinetree.model import state_symbol

SignedTerms = dict[int, float]
"""Variable -> coefficient."""
ROUNDING = 1e-12
"""Share by which two start values of one variable may differ."""


@dataclass
class Meanings:
    """What variables stand for: sign · another one, or a number.

    Attributes:
        variables: of the whole, in order.
        given: symbols of those that come from outside: they stand for others, never the reverse.
        moving: symbols of those whose derivatives the equations have: they stand for others, too.
        number_of: symbol -> number of the variable.
    """

    variables: Sequence[FlatVariable]
    given: frozenset[Node] = frozenset()
    moving: frozenset[Node] = frozenset()
    number_of: dict[Node, int] = field(default_factory=dict)
    _up: list[int] = field(default_factory=list)
    _sign: list[int] = field(default_factory=list)
    _value: dict[int, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.number_of = {row.symbol: k for k, row in enumerate(self.variables)}
        self._up = list(range(len(self.variables)))
        self._sign = [1] * len(self.variables)

    def find(self, k: int) -> tuple[int, int]:
        """(root, sign) of a variable."""
        path, up, sign = [], self._up, self._sign
        while up[k] != k:
            path.append(k)
            k = up[k]
        total = 1
        for node in reversed(path):
            total *= sign[node]
            up[node], sign[node] = k, total
        return k, total

    def value(self, root: int) -> float | None:
        """The number that a root stands for; none where it is unknown."""
        return self._value.get(root)

    def unite(self, a: int, b: int, sign: int) -> int:
        """Let root a = sign · root b; the one that goes."""
        keep, gone = (a, b) if self._worth(a) >= self._worth(b) else (b, a)
        self._up[gone], self._sign[gone] = keep, sign
        return gone

    def set_value(self, root: int, value: float) -> None:
        """Let a root be a number."""
        self._value[root] = value

    def is_given(self, k: int) -> bool:
        """Whether a variable comes from outside."""
        return self.variables[k].symbol in self.given

    def _worth(self, k: int) -> tuple[int, ...]:
        row = self.variables[k]
        wishes = (row.want, row.symbol in self.moving, row.fixed, row.start is not None)
        return self.is_given(k), *wishes, -row.path.count("."), -k

    def by_path(self, path: str) -> int | None:
        """The number of the variable of that path."""
        return self.number_of.get(state_symbol(path))

    def node(self, symbol: Node) -> Node:
        """What the symbol of a variable stands for."""
        root, sign = self.find(self.number_of[symbol])
        value = self._value.get(root)
        if value is not None:
            return number(sign * value)
        return linear(0, ((self.variables[root].symbol, sign),))


@dataclass(frozen=True)
class Reduced:
    """Equations without aliases.

    Attributes:
        equations: that are left.
        variables: that are left, with the start values of all that are the same.
        meanings: of all variables.
        eliminated: number of variables that are gone.
    """

    equations: list[FlatEquation]
    variables: list[FlatVariable]
    meanings: Meanings
    eliminated: int

    def meaning(self, s: Node) -> Node:
        """What a symbol stands for among the variables that are left."""
        return resolve(s, self.meanings)


def eliminate(
    variables: Sequence[FlatVariable],
    equations: Iterable[FlatEquation],
    pairs: Iterable[tuple[Node, Node]],
    given: Iterable[Node] = (),
) -> Reduced:
    """The equations without variables that are ± another one, or a number.

    Args:
        variables: of the whole.
        equations: traced, and sums of flows.
        pairs: of variables that are one.
        given: symbols of the variables that come from outside.
    """
    rows = list(equations)
    held = (s for row in rows for s in symbols((row.residual,)))
    moving = frozenset(state_symbol(split_name(s)[0]) for s in held if s.name.startswith("der("))
    meanings = Meanings(variables, frozenset(given), moving)
    for a, b in pairs:
        (first, s), (second, r) = (meanings.find(meanings.number_of[x]) for x in (a, b))
        if first != second and not (meanings.is_given(first) and meanings.is_given(second)):
            meanings.unite(first, second, s * r)
        else:
            rows.append(FlatEquation(a - b, ""))  # said twice: others tell
    gone = _eliminate_simple(rows, meanings)
    left = [row for k, row in enumerate(rows) if k not in gone]
    kept = _remaining(meanings)
    return Reduced(_substitute_all(left, meanings), kept, meanings, len(variables) - len(kept))


def _eliminate_simple(rows: Sequence[FlatEquation], meanings: Meanings) -> set[int]:
    """Numbers of the equations that only say what a variable is."""
    simple = {k: found for k, row in enumerate(rows) if (found := _terms(row.residual, meanings))}
    users: dict[int, list[int]] = {}
    for k, (terms, _) in simple.items():
        for v in terms:
            users.setdefault(meanings.find(v)[0], []).append(k)
    gone: set[int] = set()
    least = dict.fromkeys(simple, 0)  # unknowns that an equation has at least
    waiting = list(reversed(simple))
    while waiting:
        k = waiting.pop()
        if k in gone or least[k] > 2:
            continue
        left, constant = _reduce_sum(*simple[k], meanings)
        root = _use(left, constant, meanings)
        if root is None:
            least[k] = len(left)
            continue
        gone.add(k)
        moved = users.pop(root, [])
        users.setdefault(meanings.find(root)[0], []).extend(moved)
        for row in reversed(moved):
            least[row] -= 1
            if row not in gone and least[row] <= 2:
                waiting.append(row)
    return gone


def _terms(residual: Node, meanings: Meanings) -> tuple[SignedTerms, float] | None:
    """A sum of variables with numbers as coefficients; none where an equation is more."""
    known = meanings.number_of
    if residual.op is SYM:
        return ({known[residual]: 1.0}, 0.0) if residual in known else None
    if residual.op is not ADD or not all(a.op is SYM and a in known for a in residual.args):
        return None
    pairs = zip(residual.args, residual.coefs, strict=True)
    return {known[a]: float(c) for a, c in pairs}, float(residual.value)


def _reduce_sum(
    terms: SignedTerms, constant: float, meanings: Meanings
) -> tuple[SignedTerms, float]:
    """A sum in terms of what its variables stand for."""
    left: SignedTerms = {}
    for v, coef in terms.items():
        root, sign = meanings.find(v)
        value = meanings.value(root)
        if value is not None:
            constant += coef * sign * value
        else:
            left[root] = left.get(root, 0.0) + coef * sign
    return {v: c for v, c in left.items() if c}, constant


def _use(left: SignedTerms, constant: float, meanings: Meanings) -> int | None:
    """Use an equation, where it says what a variable is: the variable that goes."""
    if all(map(meanings.is_given, left)):
        return None
    if len(left) == 1:
        ((root, coef),) = left.items()
        meanings.set_value(root, -constant / coef)
        return root
    if len(left) == 2 and not constant:
        (a, c), (b, d) = left.items()
        if abs(c) == abs(d):
            return meanings.unite(a, b, -1 if c == d else 1)
    return None


def _remaining(meanings: Meanings) -> list[FlatVariable]:
    """The variables that are left, with the start values of those that they stand for."""
    roots: dict[int, FlatVariable] = {}
    for k, row in enumerate(meanings.variables):
        root, sign = meanings.find(k)
        if meanings.value(root) is not None:
            _refuse_start(row, sign * float(meanings.value(root) or 0.0))
            continue
        own = roots.setdefault(root, meanings.variables[root])
        if root != k:
            roots[root] = _merge(own, row, sign)
    return [roots[k] for k in sorted(roots) if not meanings.is_given(k)]


def _refuse_start(row: FlatVariable, value: float) -> None:
    if row.fixed and row.start is not None and abs(row.start - value) > ROUNDING:
        raise ModelError(
            f"it is to begin with {row.start:g}, but the equations make it {value:g}",
            element=f"variable '{row.path}'",
            cure="take its start value away",
        )


def _merge(own: FlatVariable, other: FlatVariable, sign: int) -> FlatVariable:
    """What is known of a variable, with what is known of another one that is the same."""
    want = max(own.want, other.want) if min(own.want, other.want) >= 0 else -1
    start = None if other.start is None else sign * other.start
    both = own.fixed and other.fixed and own.start is not None and start is not None
    if both and abs((own.start or 0.0) - (start or 0.0)) > ROUNDING * max(1.0, abs(start or 0.0)):
        raise ModelError(
            f"it is to begin with {own.start:g}, and '{other.path}', which is the same, with "
            f"{start:g}",
            element=f"variable '{own.path}'",
            cure="take one of the two start values away",
        )
    if (other.fixed and not own.fixed) or own.start is None:
        return replace(own, start=start, fixed=own.fixed or other.fixed, want=want)
    return replace(own, want=want)


def _substitute_all(rows: Sequence[FlatEquation], meanings: Meanings) -> list[FlatEquation]:
    """The equations in terms of the variables that are left."""
    found = []
    meaning: dict[Node, Node] = {}
    for row in rows:
        changed = {}
        for s in symbols((row.residual,)):
            new = meaning.get(s)
            if new is None:
                new = meaning[s] = resolve(s, meanings)
            if new is not s:
                changed[s] = new
        residual = row.residual
        if changed:
            (residual,) = substitute((residual,), changed)
        found.append(row if residual is row.residual else replace(row, residual=residual))
    return found


def resolve(s: Node, meanings: Meanings) -> Node:
    """What a symbol stands for: that of a variable, of a derivative of one, or itself."""
    if s in meanings.number_of:
        return meanings.node(s)
    path, order = split_name(s)
    base = meanings.by_path(path) if order else None
    if base is None:
        return s
    root, sign = meanings.find(base)
    if meanings.value(root) is not None:
        return ZERO
    node = meanings.variables[root].symbol
    for _ in range(order):
        node = derivative_symbol(node)
    return linear(0, ((node, sign),))
