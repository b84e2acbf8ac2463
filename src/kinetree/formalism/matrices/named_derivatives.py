"""Jets: expressions broken into named equations, each differentiated where it stands.

An expression of coordinates and the time is a graph.  Its shared parts get names; from then on

| here | meaning |
|---|---|
| s | a named part, an expression of coordinates and of names before it |
| slope[s][a] | ∂s/∂a for every name or coordinate a in s |
| partial s_k | Σ_a slope·a_k, along the velocity k alone; q_k is a column of N(q) |
| rate ṡ | Σ_a slope·ȧ, with q̇ = N(q) qd and ṫ = 1 |
| acceleration s̈ | Σ_a slope·ä + (d slope/dt)·ȧ |

No derivative is ever taken through a name, so equations stay as short as what the user wrote.

Refs: Verlinden2005 eqs. 36 to 38; Docquier2013 secs. 3.3, 3.5.2; Griewank2008
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from kinetree.engine import (
    ADD,
    MUL,
    ONE,
    ZERO,
    Node,
    Rank,
    linear,
    mul,
    partials,
    rebuild,
    scale,
    split_coefficient,
    symbol,
    symbols,
    tangent,
    topological,
    use_counts,
)
from kinetree.formalism.links.rates import rate_matrix
from kinetree.formalism.view import MechanismView
from kinetree.model import time_symbol
from kinetree.program import Note, Scheme
from kinetree.program.program import Assign

T = TypeVar("T")
PLAIN = ("sin", "cos")
"""Functions that get no name: passes pair them."""


class NamedDerivatives:
    """Named parts of expressions with their derivatives, written into a scheme.

    Args:
        scheme: to write into.
        system: whose coordinates the expressions are made of.
        qdd: accelerations, of which `acceleration` depends.
    """

    def __init__(self, scheme: Scheme, system: MechanismView, qdd: Sequence[Node] = ()) -> None:
        self.scheme, self.system = scheme, system
        self._value: dict[Node, Node] = {}
        self._slopes: dict[Node, dict[Node, Node]] = {}
        self._partial: dict[Node, dict[int, Node]] = {}
        self._rate: dict[Node, Node] = {}
        self._acceleration: dict[Node, Node] = {}
        self.qdd = tuple(qdd) or (ZERO,) * system.nv
        self._start()

    def _start(self) -> None:
        """Derivatives of coordinates and of the time."""
        qdd = self.qdd
        q, qd, N = self.system.q, self.system.qd, rate_matrix(self.system)
        note = Note(step="rates of the coordinates", eq="Featherstone2008 sec. 4.5")
        for i, s in enumerate(q):
            columns = dict(enumerate(N[i])) if N else {i: ONE}
            self._partial[s] = {k: x for k, x in columns.items() if x is not ZERO}
            rate = linear(0, tuple((mul(x, qd[k]), 1) for k, x in self._partial[s].items()))
            self._rate[s] = self.scheme.let(f"der_{s.name}", rate, note)
        for s in q:
            rows = self._partial[s].items()
            turning = tangent([x for _, x in rows], self._rate.get)
            terms = [(mul(x, qdd[k]), 1) for k, x in rows]
            terms += [(mul(x, qd[k]), 1) for (k, _), x in zip(rows, turning, strict=True)]
            total = linear(0, tuple(terms))
            self._acceleration[s] = self.scheme.let(f"der2_{s.name}", total, note)
        t = time_symbol()
        self._partial[t], self._rate[t], self._acceleration[t] = {}, ONE, ZERO
        self._own = (*q, t)

    # --- values ----------------------------------------------------------------------------------

    def name_all(self, stem: str, exprs: Iterable[Node], note: Note) -> list[Node]:
        """Names for expressions and for what they share; sines, numbers and names stay."""
        roots = tuple(exprs)
        order = [node for node in topological(roots) if node not in self._value]
        uses = use_counts(roots)
        inner = {a for node in order if _is_function(node) for a in node.args}
        for node in order:
            expr = rebuild(node, [self._value[a] for a in node.args]) if node.args else node
            if node.args and (uses[node] > 1 or node in inner or _costly(node)):
                expr = self._let(stem, expr, note)
            self._value[node] = expr
        return [self._name_root(f"{stem}_{k}", root, note) for k, root in enumerate(roots, 1)]

    def _name_root(self, stem: str, root: Node, note: Note) -> Node:
        self._value[root] = self._let(stem, self._value[root], note)
        return self._value[root]

    def _let(self, stem: str, expr: Node, note: Note) -> Node:
        if _costly(expr):
            found = symbol(self.scheme.fresh(stem), Rank.LOCAL)
            self.scheme.define(Assign(found, expr, note))
        else:
            found = self.scheme.let(stem, expr, note)
        sign, name = split_coefficient(found)
        if name.is_symbol and name not in self._slopes and found is not expr:
            self._define(name, scale(sign, expr))
        return found

    def _define(self, name: Node, expr: Node) -> None:
        """Keep the slopes of a new name."""
        moving = [s for s in symbols([expr]) if s in self._partial or s in self._slopes]
        slopes = partials(expr) if moving else {}
        self._slopes[name] = {s: slopes[s] for s in moving if s in slopes}

    # --- derivatives -----------------------------------------------------------------------------

    def partials(self, expr: Node) -> dict[int, Node]:
        """∂expr/∂qd_k of its rate, for the velocities that move it."""
        self._complete(self._partial, self._partial_of)
        return _by_velocity(self._local(expr), self._partial)

    def rate(self, expr: Node) -> Node:
        """d expr/dt."""
        self._complete(self._rate, self._rate_of)
        return tangent([expr], self._rate.get)[0]

    def acceleration(self, expr: Node) -> Node:
        """d² expr/dt²."""
        self._complete(self._rate, self._rate_of)
        self._complete(self._acceleration, self._acceleration_of)
        return self._second(self._local(expr))

    def _local(self, expr: Node) -> dict[Node, Node]:
        """∂expr/∂s for the moving symbols in it."""
        if expr.is_symbol:
            return {expr: ONE} if expr in self._rate or expr in self._slopes else {}
        return {s: d for s, d in partials(expr).items() if s in self._rate or s in self._slopes}

    def _complete(self, table: dict[Node, T], write: Callable[[Node], T]) -> None:
        """Give every name so far its entry, in the order of definition."""
        for name in list(self._slopes)[len(table) - len(self._own) :]:
            table[name] = write(name)

    def _partial_of(self, name: Node) -> dict[int, Node]:
        note = Note(step=f"partial contribution of {name}", eq="Verlinden2005 eq. (36)")
        rows = _by_velocity(self._slopes[name], self._partial)
        return {k: self.scheme.let(f"{name.name}_by_{k + 1}", x, note) for k, x in rows.items()}

    def _rate_of(self, name: Node) -> Node:
        rows = [(slope, self._rate[s]) for s, slope in self._slopes[name].items()]
        note = Note(step=f"rate of {name}", eq="Verlinden2005 eq. (36)")
        return self.scheme.let(f"der_{name.name}", _sum(rows), note)

    def _acceleration_of(self, name: Node) -> Node:
        note = Note(step=f"second rate of {name}", eq="Verlinden2005 eq. (38)")
        return self.scheme.let(f"der2_{name.name}", self._second(self._slopes[name]), note)

    def _second(self, slopes: dict[Node, Node]) -> Node:
        """Σ slope·ä + (d slope/dt)·ȧ."""
        turning = tangent(slopes.values(), self._rate.get)
        rows = [(slope, self._acceleration[s]) for s, slope in slopes.items()]
        rows += [(d, self._rate[s]) for s, d in zip(slopes, turning, strict=True)]
        return _sum(rows)


def _by_velocity(
    slopes: Mapping[Node, Node], table: Mapping[Node, Mapping[int, Node]]
) -> dict[int, Node]:
    """Velocity number -> Σ slope·partial, zeros left out."""
    rows: dict[int, list[tuple[Node, Node]]] = {}
    for s, slope in slopes.items():
        for k, x in table[s].items():
            rows.setdefault(k, []).append((slope, x))
    return {k: total for k, row in rows.items() if (total := _sum(row)) is not ZERO}


def _sum(rows: Iterable[tuple[Node, Node]]) -> Node:
    """Σ a·b."""
    return linear(0, tuple((mul(a, b), 1) for a, b in rows))


def _is_function(node: Node) -> bool:
    return bool(node.args) and node.op is not ADD and node.op is not MUL


def _costly(node: Node) -> bool:
    """Whether this is a function that is evaluated once, under a name."""
    return _is_function(node) and node.op.name not in PLAIN
