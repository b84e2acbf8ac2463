"""Trigonometry on line, at both levels of Docquier2013 sec. 3.2.

Level 1, the identities, is the table PAIRS: two terms of a sum that share a cofactor X and whose
remaining factors are the row's left and right side become X times one sine or cosine:

    X·f(a)·g(b) + sign·X·f'(a)·g'(b)  ->  X·head(a ± b)

With a = b the cosine rows are cos² + sin² -> 1 and cos² - sin² -> cos(2a).
Level 2, grouping and factoring: factored terms are expanded while the sum grows, pairs are sought
among all terms whatever their cofactor, until none is left; then the common factor is pulled out.

Refs: Docquier2013 sec. 3.2, eqs. 33 and 34
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kinetree.engine import node as n
from kinetree.engine.node import Node, Number
from kinetree.engine.ops import ADD, COS, MUL, SIN, Op

Sums = dict[Node, Number]
EXPANDED = 64
"""Terms up to which factored sums are multiplied out; beyond, nested ones would grow for ever."""


@dataclass(frozen=True, slots=True)
class PairRule:
    """X·left(a, b) + sign·X·right(a, b) -> X·head(a + angle·b)."""

    name: str
    left: tuple[Op, Op]
    right: tuple[Op, Op]
    sign: int
    head: Op
    angle: int
    example: str


# fmt: off
PAIRS: tuple[PairRule, ...] = (
    PairRule("cos-sum",        (COS, COS), (SIN, SIN), -1, COS, +1,
             "cos(a)*cos(b) - sin(a)*sin(b) -> cos(a + b)"),
    PairRule("cos-difference", (COS, COS), (SIN, SIN), +1, COS, -1,
             "cos(a)*cos(b) + sin(a)*sin(b) -> cos(a - b)"),
    PairRule("sin-sum",        (SIN, COS), (COS, SIN), +1, SIN, +1,
             "sin(a)*cos(b) + cos(a)*sin(b) -> sin(a + b)"),
    PairRule("sin-difference", (SIN, COS), (COS, SIN), -1, SIN, -1,
             "sin(a)*cos(b) - cos(a)*sin(b) -> sin(a - b)"),
)
# fmt: on
DOUBLE = "2*sin(a)*cos(a) -> sin(2*a)"
"""The one identity within a product; see `double_angle`."""


@dataclass(frozen=True, slots=True)
class RuleSide:
    """A rule as a term sees it: what its partner is made of, its sign, and what the two become."""

    partner: tuple[Op, Op]
    sign: int
    head: Op
    angle: int
    lead: int


def steps(rules: Iterable[PairRule], ops: tuple[Op, Op]) -> tuple[RuleSide, ...]:
    """The rules for a term with factors of these heads, as left side or as right side."""
    rules = tuple(rules)
    as_left = [RuleSide(r.right, r.sign, r.head, r.angle, 1) for r in rules if r.left == ops]
    as_right = [
        RuleSide(r.left, r.sign, r.head, r.angle, r.sign)
        for r in rules
        if r.right == ops and set(r.right) != set(r.left)
    ]
    return (*as_left, *as_right)


_STEPS = {(f, g): steps(PAIRS, (f, g)) for f in (SIN, COS) for g in (SIN, COS)}


def simplify(value: Number, sums: Sums, settled: Sums) -> Node:
    """The Node of value + sums; the terms of `settled` are known to hold no identity."""
    value, sums = expand(value, sums)
    fresh = [t for t, c in sums.items() if t.trig > 1 and settled.get(t) != c]
    value, sums = condense(value, sums, fresh)
    common = common_factor(value, sums)
    if common is None:
        return n.sum_of(value, sums)
    outer, inner = common
    coef, group = n.split_coefficient(n.linear(0, tuple(inner.items())))
    return n.linear(0, ((n.mul(outer, group), coef),))


def expand(value: Number, sums: Sums) -> tuple[Number, Sums]:
    """Multiply out trigonometric factors of sums of trigonometric terms, so that terms can meet."""
    factored = [inner for term in sums if (inner := _sum_factor(term)) is not None]
    if not factored or len(sums) + sum(len(inner.args) for inner in factored) > EXPANDED:
        return value, sums
    flat: Sums = {}
    for term, coef in sums.items():
        for product, c in _multiplied_out(term):
            value += _collect(flat, product, coef * c)
    return n.normal(value), {t: c for t, c in flat.items() if c != 0}


def _collect(sums: Sums, node: Node, coef: Number) -> Number:
    """Add coef·node to the sums, term by term; the numeric part is returned."""
    if node.is_number:
        return coef * node.value
    if node.op is not ADD:
        sums[node] = sums.get(node, 0) + coef
        return 0
    for arg, c in zip(node.args, node.coefs, strict=True):
        sums[arg] = sums.get(arg, 0) + coef * c
    return coef * node.value


def _sum_factor(term: Node) -> Node | None:
    """The one sum among the factors of a trigonometric product, if there is exactly one."""
    if term.op is not MUL or not term.trig:
        return None
    inner = [a for a, e in zip(term.args, term.coefs, strict=True) if a.op is ADD and e == 1]
    if len(inner) != 1 or not any(a.trig for a in inner[0].args):
        return None
    return inner[0]


def _multiplied_out(term: Node) -> Iterator[tuple[Node, Number]]:
    inner = _sum_factor(term)
    if inner is None:
        yield term, 1
        return
    outer = n.monomial(1, ((term, 1), (inner, -1)))
    if inner.value != 0:
        yield outer, inner.value
    for arg, coef in zip(inner.args, inner.coefs, strict=True):
        yield n.mul(outer, arg), coef


def condense(value: Number, sums: Sums, fresh: Iterable[Node]) -> tuple[Number, Sums]:
    """Apply the identities until no term of `fresh`, or made from one, finds a partner."""
    todo = sorted(fresh, key=n.by_key, reverse=True)
    while todo:
        term = todo.pop()
        if term not in sums:
            continue
        merged = _merge(term, sums)
        if merged is None:
            continue
        added: Sums = {}
        value += _collect(added, merged, 1)
        for node, coef in added.items():
            total = n.normal(sums.get(node, 0) + coef)
            if total == 0:
                del sums[node]
            else:
                sums[node] = total
                if node.trig > 1:
                    todo.append(node)
    return n.normal(value), sums


def _merge(term: Node, sums: Sums) -> Node | None:
    """Find a partner of the term, remove both from the sum and return what they become."""
    coef = sums[term]
    factors = {arg for other in sums for arg in other.args}
    for a, b in _trig_pairs(term):
        rest = ((term, 1), (a, -1), (b, -1))
        for step in _STEPS[a.op, b.op]:
            first, second = _other_function(a, step.partner[0]), _other_function(b, step.partner[1])
            if first not in factors or second not in factors:
                continue
            partner = n.monomial(1, (*rest, (first, 1), (second, 1)))
            if partner is term or sums.get(partner) != step.sign * coef:
                continue
            del sums[term], sums[partner]
            angle = n.linear(0, ((a.args[0], 1), (b.args[0], step.angle)))
            return n.mul(n.monomial(step.lead * coef, rest), n.call(step.head.name, angle))
    if abs(coef) == 2:
        double = double_angle(term)
        if double is not None:
            del sums[term]
            return double if coef == 2 else n.scale(-1, double)
    return None


def _other_function(node: Node, op: Op) -> Node:
    """The sine or cosine of the same angle, which is in normal form for one as for the other."""
    return node if node.op is op else n.intern_call(op, node.args)


def _trig_pairs(term: Node) -> Iterator[tuple[Node, Node]]:
    """Ordered pairs of sine and cosine factors, a squared one also with itself."""
    factors = [
        (a, e)
        for a, e in zip(term.args, term.coefs, strict=True)
        if (a.op is SIN or a.op is COS) and e > 0
    ]
    for i, (a, e) in enumerate(factors):
        if e > 1:
            yield a, a
        for b, _ in factors[i + 1 :]:
            yield a, b
            if a.op is not b.op:
                yield b, a


def common_factor(value: Number, sums: Sums) -> tuple[Node, Sums] | None:
    """(outer, inner) with outer·inner the sum, where all terms share a sine or cosine factor.

    Only where a sine or cosine is left inside, because `expand` undoes no other.
    """
    if value != 0 or len(sums) < 2:
        return None
    shared: dict[Node, int] | None = None
    for term in sums:
        powers = _trig_powers(term)
        if shared is None:
            shared = powers
        else:
            shared = {a: min(e, powers[a]) for a, e in shared.items() if a in powers}
        if not shared:
            return None
    assert shared is not None
    outer = n.monomial(1, tuple(shared.items()))
    inner: Sums = {}
    for term, coef in sums.items():
        c, rest = n.split_coefficient(n.monomial(coef, ((term, 1), (outer, -1))))
        inner[rest] = c
    return (outer, inner) if any(rest.trig for rest in inner) else None


def _trig_powers(term: Node) -> dict[Node, int]:
    if term.op is SIN or term.op is COS:
        return {term: 1}
    if term.op is not MUL:
        return {}
    return {
        a: e
        for a, e in zip(term.args, term.coefs, strict=True)
        if (a.op is SIN or a.op is COS) and e > 0
    }


def double_angle(product: Node) -> Node | None:
    """2·X·sin(a)·cos(a) -> X·sin(2a), for the first such pair of factors; None without one."""
    powers = _trig_powers(product)
    for a in powers:
        if a.op is SIN:
            partner = _other_function(a, COS)
            if partner in powers:
                double = n.call("sin", n.scale(2, a.args[0]))
                return n.monomial(1, ((product, 1), (a, -1), (partner, -1), (double, 1)))
    return None
