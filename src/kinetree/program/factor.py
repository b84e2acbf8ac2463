"""Factoring of a finished equation: pull out what several terms share, greedily.

a·b + a·c + d becomes a·(b + c) + d: one multiplication less per term merged.  The factor shared by
most terms goes first; the inner and the remaining sum are factored in turn.
"""

from __future__ import annotations

from collections import Counter

from kinetree.engine import ADD, MUL, ONE, Node, mul, split_coefficient
from kinetree.engine.node import Number, collected, monomial, normal

Terms = dict[Node, Number]


def factor(node: Node) -> Node:
    """The same value with common factors pulled out; the Node itself where there are none."""
    if node.op is not ADD or len(node.args) < 2:
        return node
    terms: Terms = dict(zip(node.args, node.coefs, strict=True))
    best = _most_shared(terms)
    size = _most_shared_size(terms)
    if size and (best is None or size[0] >= best[0]):
        return _by_size(node, terms, size[1])
    return node if best is None else _by_factor(node, terms, best[1])


def _by_size(node: Node, terms: Terms, size: Number) -> Node:
    """size·(± terms of that coefficient) + the rest."""
    inner: Terms = {t: (1 if c > 0 else -1) for t, c in terms.items() if abs(c) == size}
    rest = {t: c for t, c in terms.items() if abs(c) != size}
    sign, group = split_coefficient(factor(_sum(0, inner)))
    remaining = factor(_sum(node.value, rest))
    return _join(remaining, group, sign * size)


def _by_factor(node: Node, terms: Terms, best: Node) -> Node:
    """best·(what is left of its terms) + the rest."""
    inner: Terms = {}
    rest: Terms = {}
    for term, coef in terms.items():
        if term.op is MUL and best in term.args and term.coefs[term.args.index(best)] > 0:
            _collect(inner, monomial(coef, ((term, 1), (best, -1))))
        else:
            rest[term] = coef
    c, group = split_coefficient(factor(_sum(0, inner)))
    merged = mul(best, group)
    remaining = factor(_sum(node.value, rest))
    return _join(remaining, merged, c)


def _collect(terms: Terms, node: Node) -> None:
    """Add a Node to the terms, a sum term by term."""
    if node.op is ADD:
        parts = [*zip(node.args, node.coefs, strict=True), (ONE, node.value)]
    else:
        parts = [(node, 1)]
    for part, coef in parts:
        terms[part] = terms.get(part, 0) + coef


def _sum(value: Number, terms: Terms) -> Node:
    """A sum as it stands, without looking for identities again."""
    units = {t: c for t, c in terms.items() if not t.is_number and c != 0}
    constant = value + sum(c * t.value for t, c in terms.items() if t.is_number)
    return collected(normal(constant), units)


def _join(rest: Node, product: Node, coef: Number) -> Node:
    """rest + coef·product, kept factored."""
    if rest.is_number:
        return collected(rest.value, {product: coef})
    if rest.op is ADD:
        terms = dict(zip(rest.args, rest.coefs, strict=True))
        value = rest.value
    else:
        terms, value = {rest: 1}, 0
    return collected(value, {**terms, product: terms.get(product, 0) + coef})


def _most_shared_size(terms: Terms) -> tuple[int, Number] | None:
    """(uses, size) of the numeric coefficient other than 1 that most terms share, at least two."""
    uses = Counter(abs(c) for c in terms.values() if abs(c) != 1)
    shared = [(n, size) for size, n in uses.items() if n > 1]
    return max(shared, default=None)


def _most_shared(terms: Terms) -> tuple[int, Node] | None:
    """(uses, factor) of the factor in most terms, at least two; ties go to the later in order."""
    uses: Counter[Node] = Counter()
    for term in terms:
        if term.op is MUL:
            uses.update(a for a, e in zip(term.args, term.coefs, strict=True) if e > 0)
    shared = [(n, a) for a, n in uses.items() if n > 1]
    if not shared:
        return None
    return max(shared, key=lambda row: (row[0], row[1].key))
