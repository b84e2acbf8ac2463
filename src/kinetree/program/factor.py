"""Factoring of a finished equation: pull out what several terms share, greedily.

a·b + a·c + d becomes a·(b + c) + d: one multiplication less per term merged.  The factor (or the
size of a numeric coefficient) shared by most terms goes first; what it is multiplied with and what
remains are factored in turn.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from kinetree.engine import ADD, MUL, Node, mul, power, split_coefficient
from kinetree.engine.algebra import EXACT_EXPONENT
from kinetree.engine.node import Number, intern_factors, normal, sum_of

TermTable = dict[Node, Number]
FactorSteps = Generator[Node, Any, Node]
"""Factoring of one sum: yields the sums inside it, is sent them factored, returns the whole."""
UNITS = {1, -1}


def factor(node: Node) -> Node:
    """The same value with common factors pulled out; the Node itself where there are none.

    A polynomial is nested as deep as its degree, so the sums inside sums wait on a stack.
    """
    if node.op is not ADD or not _may_share(node):
        return node
    waiting = [_factor_sum(node)]
    found: Node | None = None
    while waiting:
        try:
            inner = waiting[-1].send(found)
        except StopIteration as done:
            waiting.pop()
            found = done.value
        else:
            further = inner.op is ADD and _may_share(inner)
            found = None if further else inner
            if further:
                waiting.append(_factor_sum(inner))
    assert found is not None
    return found


def _factor_sum(node: Node) -> FactorSteps:
    """The steps of factoring one sum."""
    rest: TermTable = dict(zip(node.args, node.coefs, strict=True))
    groups: list[tuple[Node, Number]] = []
    while len(rest) > 1:
        best = _most_shared(rest)
        size = _most_shared_size(rest)
        if size and (best is None or size[0] >= best[0]):
            total, rest = _of_size(rest, size[1])
            sign, group = split_coefficient((yield total))
            groups.append((group, sign * size[1]))
        elif best:
            exp = _shared_power(rest, best[1])
            total, rest = _divide(rest, best[1], exp)
            coef, group = split_coefficient((yield total))
            groups.append((mul(power(best[1], exp), group), coef))
        else:
            break
    if not groups:
        return node
    for product, coef in groups:
        _collect(rest, product, coef)
    return sum_of(node.value, {t: c for t, c in rest.items() if c != 0})


def _may_share(node: Node) -> bool:
    """Whether there are two products, or two coefficients other than one, in a sum."""
    if len(node.args) < 2:
        return False
    return [a.op for a in node.args].count(MUL) > 1 or not UNITS.issuperset(node.coefs)


def _of_size(terms: TermTable, size: Number) -> tuple[Node, TermTable]:
    """The terms whose coefficient has that size, divided by it, and the rest."""
    inner: TermTable = {t: (1 if c > 0 else -1) for t, c in terms.items() if abs(c) == size}
    return sum_of(0, inner), {t: c for t, c in terms.items() if abs(c) != size}


def _shared_power(terms: TermTable, best: Node) -> int:
    """Power of a factor to pull out at once: high ones whole, others step by step."""
    exps = [t.coefs[t.args.index(best)] for t in terms if t.op is MUL and best in t.args]
    least = min([exp for exp in exps if exp > 0])
    return least if least > EXACT_EXPONENT else 1


def _divide(terms: TermTable, best: Node, exp: int) -> tuple[Node, TermTable]:
    """What is left of the terms that have a factor, divided by a power of it, and the rest."""
    inner: TermTable = {}
    rest: TermTable = {}
    value: Number = 0
    for term, coef in terms.items():
        left = _without(term, best, exp)
        if left is None:
            rest[term] = coef
        elif left.op is ADD:
            value += coef * left.value
            for part, c in zip(left.args, left.coefs, strict=True):
                _collect(inner, part, coef * c)
        else:
            _collect(inner, left, coef)
    return sum_of(normal(value), {t: c for t, c in inner.items() if c != 0}), rest


def _without(term: Node, best: Node, shared: int) -> Node | None:
    """term / best**shared, or None where best is not a factor."""
    if term.op is not MUL or best not in term.args:
        return None
    k = term.args.index(best)
    exp = term.coefs[k]
    if exp < 0:
        return None
    args, exps = term.args, (*term.coefs[:k], exp - shared, *term.coefs[k + 1 :])
    if exp == shared:
        args, exps = args[:k] + args[k + 1 :], exps[:k] + exps[k + 1 :]
    return args[0] if exps == (1,) else intern_factors(args, exps)


def _collect(terms: TermTable, term: Node, coef: Number) -> None:
    terms[term] = terms[term] + coef if term in terms else coef


def _most_shared_size(terms: TermTable) -> tuple[int, Number] | None:
    """(uses, size) of the numeric coefficient other than 1 that most terms share, at least two."""
    if UNITS.issuperset(terms.values()):
        return None
    uses: dict[Number, int] = {}
    for coef in terms.values():
        size = coef if coef > 0 else -coef
        if size != 1:
            uses[size] = uses.get(size, 0) + 1
    return max([(n, size) for size, n in uses.items() if n > 1], default=None)


def _most_shared(terms: TermTable) -> tuple[int, Node] | None:
    """(uses, factor) of the factor in most terms, at least two; ties go to the later in order."""
    products = [term for term in terms if term.op is MUL]
    if len(products) < 2:
        return None
    uses: dict[Node, int] = {}
    for term in products:
        for arg, exp in zip(term.args, term.coefs, strict=True):
            if exp > 0:
                uses[arg] = uses[arg] + 1 if arg in uses else 1
    most = max(uses.values(), default=0)
    if most < 2:
        return None
    return most, max([arg for arg, n in uses.items() if n == most], key=lambda arg: arg.key)
