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

from collections.abc import Iterator
from dataclasses import dataclass

from kinetree.engine import node as n
from kinetree.engine.node import Node, Number
from kinetree.engine.ops import ADD, COS, MUL, SIN, Op

Sums = dict[Node, Number]


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


def expand(value: Number, sums: Sums) -> tuple[Number, Sums]:
    """Multiply out trigonometric factors of sums of trigonometric terms, so that terms can meet."""
    if all(_factored(term) is None for term in sums):
        return value, sums
    flat: Sums = {}
    for term, coef in sums.items():
        for product, c in _multiplied_out(term):
            if product.is_number:
                value += coef * c * product.value
            else:
                flat[product] = flat.get(product, 0) + coef * c
    return n.normal(value), {t: c for t, c in flat.items() if c != 0}


def _factored(term: Node) -> Node | None:
    """The one sum among the factors of a trigonometric product, if there is exactly one."""
    if term.op is not MUL or not term.trig:
        return None
    inner = [a for a, e in zip(term.args, term.coefs, strict=True) if a.op is ADD and e == 1]
    if len(inner) != 1 or not any(a.trig for a in inner[0].args):
        return None
    return inner[0]


def _multiplied_out(term: Node) -> Iterator[tuple[Node, Number]]:
    inner = _factored(term)
    if inner is None:
        yield term, 1
        return
    outer = n.monomial(1, ((term, 1), (inner, -1)))
    if inner.value != 0:
        yield outer, inner.value
    for arg, coef in zip(inner.args, inner.coefs, strict=True):
        c, product = n.split_coefficient(n.mul(outer, arg))
        yield product, coef * c


def condense(value: Number, sums: Sums) -> tuple[Number, Sums]:
    """Apply PAIRS until no two terms match."""
    todo = [t for t in sums if t.trig > 1]
    while todo:
        term = todo.pop()
        if term not in sums:
            continue
        merged = _merge(term, sums)
        if merged is None:
            continue
        c, product = n.split_coefficient(merged)
        if product.is_number:
            value = n.normal(value + c * product.value)
            continue
        total = n.normal(sums.get(product, 0) + c)
        if total == 0:
            sums.pop(product, None)
        else:
            sums[product] = total
            if product.trig > 1:
                todo.append(product)
    return value, sums


def _merge(term: Node, sums: Sums) -> Node | None:
    """Find a partner of the term, remove both from the sum and return what they become."""
    coef = sums[term]
    for a, b in _trig_pairs(term):
        for rule in PAIRS:
            if (a.op, b.op) != rule.left:
                continue
            left = ((term, 1), (a, -1), (b, -1))
            first = n.call(rule.right[0].name, a.args[0])
            second = n.call(rule.right[1].name, b.args[0])
            partner = n.monomial(1, (*left, (first, 1), (second, 1)))
            if partner is term or sums.get(partner) != rule.sign * coef:
                continue
            del sums[term], sums[partner]
            angle = n.linear(0, ((a.args[0], 1), (b.args[0], rule.angle)))
            return n.mul(n.monomial(coef, left), n.call(rule.head.name, angle))
    if abs(coef) == 2:
        double = double_angle(2, term)
        if double.op is not ADD:
            del sums[term]
            return double if coef == 2 else n.scale(-1, double)
    return None


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
    """(outer, inner) with outer·inner the sum, where all terms share a sine or cosine factor."""
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
    return outer, inner


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


def double_angle(coef: Number, product: Node) -> Node:
    """2·X·sin(a)·cos(a) -> X·sin(2a), for the first such pair of factors; else 2·product."""
    powers = _trig_powers(product)
    for a in powers:
        if a.op is SIN:
            partner = n.call("cos", a.args[0])
            if partner in powers:
                double = n.call("sin", n.scale(2, a.args[0]))
                return n.monomial(1, ((product, 1), (a, -1), (partner, -1), (double, 1)))
    return n.intern_sum(0, (product,), (coef,))
