"""Factoring of a finished equation: pull out what several terms share, greedily.

a·b + a·c + d becomes a·(b + c) + d: one multiplication less per term merged.  The factor (or the
size of a numeric coefficient) shared by most terms goes first; what it is multiplied with and what
remains are factored in turn.
"""

from __future__ import annotations

from kinetree.engine import ADD, MUL, Node, mul, split_coefficient
from kinetree.engine.node import Number, collected, intern_factors, normal

Terms = dict[Node, Number]


def factor(node: Node) -> Node:
    """The same value with common factors pulled out; the Node itself where there are none."""
    if node.op is not ADD or len(node.args) < 2:
        return node
    rest: Terms = dict(zip(node.args, node.coefs, strict=True))
    groups: list[tuple[Node, Number]] = []
    while len(rest) > 1:
        best = _most_shared(rest)
        size = _most_shared_size(rest)
        if size and (best is None or size[0] >= best[0]):
            group, rest = _by_size(rest, size[1])
        elif best:
            group, rest = _by_factor(rest, best[1])
        else:
            break
        groups.append(group)
    if not groups:
        return node
    for product, coef in groups:
        _collect(rest, product, coef)
    return collected(node.value, {t: c for t, c in rest.items() if c != 0})


def _by_size(terms: Terms, size: Number) -> tuple[tuple[Node, Number], Terms]:
    """size·(± terms of that coefficient), and the rest."""
    inner: Terms = {t: (1 if c > 0 else -1) for t, c in terms.items() if abs(c) == size}
    rest = {t: c for t, c in terms.items() if abs(c) != size}
    sign, group = split_coefficient(factor(collected(0, inner)))
    return (group, sign * size), rest


def _by_factor(terms: Terms, best: Node) -> tuple[tuple[Node, Number], Terms]:
    """best·(what is left of its terms), and the rest."""
    inner: Terms = {}
    rest: Terms = {}
    value: Number = 0
    for term, coef in terms.items():
        left = _without(term, best)
        if left is None:
            rest[term] = coef
        elif left.op is ADD:
            value += coef * left.value
            for part, c in zip(left.args, left.coefs, strict=True):
                _collect(inner, part, coef * c)
        else:
            _collect(inner, left, coef)
    total = collected(normal(value), {t: c for t, c in inner.items() if c != 0})
    coef, group = split_coefficient(factor(total))
    return (mul(best, group), coef), rest


def _without(term: Node, best: Node) -> Node | None:
    """term / best, or None where best is not a factor."""
    if term.op is not MUL or best not in term.args:
        return None
    k = term.args.index(best)
    exp = term.coefs[k]
    if exp < 0:
        return None
    args, exps = term.args, (*term.coefs[:k], exp - 1, *term.coefs[k + 1 :])
    if exp == 1:
        args, exps = args[:k] + args[k + 1 :], exps[:k] + exps[k + 1 :]
    return args[0] if exps == (1,) else intern_factors(args, exps)


def _collect(terms: Terms, term: Node, coef: Number) -> None:
    terms[term] = terms[term] + coef if term in terms else coef


def _most_shared_size(terms: Terms) -> tuple[int, Number] | None:
    """(uses, size) of the numeric coefficient other than 1 that most terms share, at least two."""
    uses: dict[Number, int] = {}
    for coef in terms.values():
        size = coef if coef > 0 else -coef
        if size != 1:
            uses[size] = uses.get(size, 0) + 1
    return max([(n, size) for size, n in uses.items() if n > 1], default=None)


def _most_shared(terms: Terms) -> tuple[int, Node] | None:
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
