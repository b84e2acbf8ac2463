"""Sums and products: the collectors that keep them in normal form.

A sum is value + Σ coef·arg, a product Π arg^exp.  Both are flat and collected, and their operands
stand in order.  A numeric factor never stays in a product: it floats outward, into a sum of one
term.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any

from kinetree.engine.node import (
    ONE,
    ZERO,
    Node,
    Number,
    as_node,
    by_key,
    intern_factors,
    intern_pair,
    intern_sum,
    normal,
    number,
)
from kinetree.engine.ops import ADD, MUL, NUM, SQRT
from kinetree.errors import ExpressionError

PRODUCT_LENGTH = 32
"""Factors up to which a product is merged into another; beyond, chains of products stay linear."""

EXACT_EXPONENT = 64
"""Largest exponent for which a power of a rational is formed exactly and one of a product is
distributed over its factors."""
LONG = 16
"""Terms from which one more is put in its place instead of sorting all anew."""

_COMPOUND = frozenset((ADD, MUL, NUM, SQRT))
"""Operators whose Nodes a product must look into."""
_MINUS = (-1,)


# --- linear combinations -------------------------------------------------------------------------


def add(*terms: Node) -> Node:
    """Sum of Nodes."""
    return linear(0, [(t, 1) for t in terms])


def scale(factor: Number, node: Node) -> Node:
    """A number times a Node; the quick way for a change of sign."""
    if factor != -1 or node.op is NUM:
        return linear(0, ((node, factor),))
    if node.op is not ADD:
        return intern_sum(0, (node,), _MINUS)
    if node.coefs == _MINUS and node.value == 0:
        return node.args[0]
    return intern_sum(-node.value, node.args, tuple([-c for c in node.coefs]))


def plus(a: Node, b: Node, sign: int) -> Node:
    """a + sign·b; the quick way for two different plain terms, and for one more in a long sum."""
    if b is ZERO:
        return a
    if a is ZERO:
        return b if sign == 1 else scale(sign, b)
    plain = b.op is not ADD and b.op is not NUM and a.trig < 2 and b.trig < 2
    if not plain or a is b or a.op is NUM:
        return linear(0, ((a, 1), (b, sign)))
    if a.op is ADD:
        return _extend(a, b, sign) if len(a.args) > LONG else linear(0, ((a, 1), (b, sign)))
    if a.key < b.key:
        return intern_sum(0, (a, b), (1, sign))
    return intern_sum(0, (b, a), (sign, 1))


def _extend(a: Node, term: Node, coef: int) -> Node:
    """A long sum with one more plain term, put in its place."""
    args, coefs = a.args, a.coefs
    k = bisect_left(args, term.key, key=by_key)
    if k == len(args) or args[k] is not term:
        trig = max(term.trig, a.trig)
        more = (*coefs[:k], coef, *coefs[k:])
        return intern_sum(a.value, (*args[:k], term, *args[k:]), more, trig)
    total = normal(coefs[k] + coef)
    if total == 0:
        return intern_sum(a.value, args[:k] + args[k + 1 :], coefs[:k] + coefs[k + 1 :])
    return intern_sum(a.value, args, (*coefs[:k], total, *coefs[k + 1 :]))


Terms = Sequence[tuple[Node, Number]]


def linear(value: Number, terms: Terms) -> Node:
    """value + Σ coef·node, collected, condensed and in normal order."""
    sums: dict[Node, Number] = {}
    rich = False
    for node, coef in terms:
        op = node.op
        rich |= node.trig > 1
        if op is ADD:
            value += coef * node.value
            for arg, c in zip(node.args, node.coefs):  # noqa: B905  equal by construction
                sums[arg] = sums[arg] + coef * c if arg in sums else coef * c
        elif op is NUM:
            value += coef * node.value
        else:
            sums[node] = sums[node] + coef if node in sums else coef
    if not sums and value == 0:
        return ZERO
    if 0 in sums.values():
        sums = {node: coef for node, coef in sums.items() if coef != 0}
    value = normal(value)
    return _trigonometric(value, sums, terms) if rich else sum_of(value, sums)


def _trigonometric(value: Number, sums: dict[Node, Number], terms: Terms) -> Node:
    """A sum in which products of sines and cosines may meet."""
    from kinetree.engine.rules import trig  # noqa: PLC0415  the rules stand above the Node

    if len(sums) == 1:
        ((term, coef),) = sums.items()
        double = trig.double_angle(term) if abs(coef) == 2 else None
        if double is not None:
            return linear(value, ((double, 1 if coef > 0 else -1),))
    if len(sums) < 2 or not any(term.trig > 1 for term in sums):
        return sum_of(value, sums)
    longest, coef = max(terms, key=lambda row: len(row[0].coefs) if row[0].op is ADD else 0)
    rows = zip(longest.args, longest.coefs, strict=True) if longest.op is ADD else ()
    return trig.simplify(value, sums, {arg: coef * c for arg, c in rows})


def sum_of(value: Number, sums: dict[Node, Number]) -> Node:
    """The interned Node of a collected sum.

    Terms are not inspected; the caller guarantees non-zero coefficients.
    """
    if len(sums) > 1:
        args = tuple(sorted(sums, key=by_key))
        coefs = tuple([c if type(c := sums[a]) is int else normal(c) for a in args])
        return intern_sum(value, args, coefs)
    if not sums:
        return number(value)
    ((node, coef),) = sums.items()
    if value == 0 and coef == 1:
        return node
    return intern_sum(value, (node,), (normal(coef),))


def split_coefficient(node: Node) -> tuple[Number, Node]:
    """(c, x) with node = c·x and x free of a numeric factor; sums lead with a positive sign."""
    if node.op is ADD:
        if len(node.args) == 1 and node.value == 0:
            return node.coefs[0], node.args[0]
        size = _content((node.value, *node.coefs) if node.value else node.coefs)
        if node.coefs[0] < 0:
            size = -size
        if size == 1:
            return 1, node
        if size == -1:
            return -1, scale(-1, node)
        coefs = tuple([normal(Fraction(c) / size) for c in node.coefs])
        return size, intern_sum(normal(Fraction(node.value) / size), node.args, coefs)
    if node.op is NUM:
        return node.value, ONE
    return 1, node


def _content(numbers: tuple[Number, ...]) -> Number:
    """The numeric factor that a product takes out of a sum with these coefficients.

    Of integers their greatest common divisor; of rationals its like, where that leaves fewer
    multiplications; of doubles the size they share.
    """
    try:
        return gcd(*numbers)  # type: ignore[arg-type]
    except TypeError:
        pass
    if any(isinstance(x, float) for x in numbers):
        sizes = {x if x > 0 else -x for x in numbers}
        return sizes.pop() if len(sizes) == 1 else 1
    exact = [Fraction(x) for x in numbers]
    size = Fraction(gcd(*[x.numerator for x in exact]), lcm(*[x.denominator for x in exact]))
    before = sum(abs(x) != 1 for x in exact)
    after = 1 + sum(abs(x) != size for x in exact)
    return normal(size) if after <= before else 1


# --- monomials -----------------------------------------------------------------------------------


def mul(*factors: Node) -> Node:
    """Product of Nodes."""
    if len(factors) == 2:
        return multiply(*factors)
    return monomial(1, [(f, 1) for f in factors])


def multiply(a: Node, b: Node) -> Node:
    """Product of two Nodes; the quick way for two different atoms."""
    if a is ZERO or b is ZERO:
        return ZERO
    if a is ONE:
        return b
    if b is ONE:
        return a
    if a is b or a.op in _COMPOUND or b.op in _COMPOUND:
        return _compound_product(a, b)
    return intern_pair(a, b)


def _compound_product(a: Node, b: Node) -> Node:
    """Product of two Nodes; the quick way for a product or minus something, times an atom."""
    if b.op in _COMPOUND:
        a, b = b, a
    if a is not b and b.op not in _COMPOUND:
        if a.op is MUL and len(a.args) <= PRODUCT_LENGTH:
            return _with_factor(a, b)
        if a.op is ADD and a.coefs == _MINUS and a.value == 0:
            return scale(-1, multiply(a.args[0], b))
    return monomial(1, ((a, 1), (b, 1)))


def _with_factor(product: Node, factor: Node) -> Node:
    """A product with one more plain factor, put in its place."""
    args, exps = product.args, product.coefs
    k = bisect_left(args, factor.key, key=by_key)
    if k < len(args) and args[k] is factor:
        return monomial(1, ((product, 1), (factor, 1)))
    return intern_factors((*args[:k], factor, *args[k:]), (*exps[:k], 1, *exps[k:]))


def quotient(a: Node, b: Node) -> Node:
    """a / b."""
    return monomial(1, ((a, 1), (b, -1)))


Factors = Sequence[tuple[Node, int]]


def monomial(coef: Number, factors: Factors) -> Node:
    """coef·Π node^exp, collected and in normal order; exponents are integers."""
    powers: dict[Node, int] = {}
    roots = False
    for node, exp in factors:
        op = node.op if abs(exp) <= EXACT_EXPONENT else _as_high_base(node)
        if op is ADD:
            c, node = split_coefficient(node)  # noqa: PLW2901  what is left of the factor
            if c != 1:
                coef = _times_power(coef, c, exp)
            op = node.op
        elif op is NUM:
            coef = _times_power(coef, node.value, exp)
            continue
        if op is MUL and (len(node.args) <= PRODUCT_LENGTH or _meets(node, factors)):
            for arg, e in zip(node.args, node.coefs):  # noqa: B905  equal by construction
                powers[arg] = powers[arg] + e * exp if arg in powers else e * exp
                roots |= arg.op is SQRT
        else:
            powers[node] = powers[node] + exp if node in powers else exp
            roots |= op is SQRT
    coef = normal(coef)
    if coef == 0:
        return ZERO
    if roots and any(n.op is SQRT and abs(e) > 1 for n, e in powers.items()):
        return _without_square_roots(coef, powers)
    if 0 in powers.values():
        powers = {n: e for n, e in powers.items() if e}
    return _scale(coef, intern_product(powers))


def _as_high_base(node: Node) -> Any:
    """Operator of a base as far as a high power may look into it: not into sums and products.

    (2 x)**10000 and (x/y)**10000 are moderate where 2**10000 and x**10000 are not.
    """
    return None if node.op is ADD or node.op is MUL else node.op


def _meets(product: Node, factors: Factors) -> bool:
    """Whether a factor of a long product comes again, so that the two must be collected."""
    return any(other in product.args for other, _ in factors)


def _scale(coef: Number, product: Node) -> Node:
    """A number times collected factors."""
    if coef == 1:
        return product
    if product.op is ADD or (product.trig > 1 and abs(coef) == 2):
        return linear(0, ((product, coef),))
    if product.op is NUM:
        return number(coef)
    return intern_sum(0, (product,), (coef,))


def _times_power(coef: Number, x: Number, exp: int) -> Number:
    """coef·x**exp, exact where both numbers are."""
    if x == 0 and exp < 0:
        raise ExpressionError("division by an expression that is identically zero")
    if abs(exp) > EXACT_EXPONENT and abs(x) != 1:
        x = float(x)
    try:
        if exp > 0:
            return coef * x**exp
        return coef / x**-exp if isinstance(x, float) else coef / Fraction(x) ** -exp
    except (OverflowError, ZeroDivisionError):
        raise ExpressionError(f"the power {x}**{exp} is too large for a double") from None


def _without_square_roots(coef: Number, powers: dict[Node, int]) -> Node:
    """sqrt(x)**2 is x: pairs of equal square roots leave the product."""
    plain: list[tuple[Node, int]] = []
    for node, exp in powers.items():
        if node.op is SQRT and abs(exp) > 1:
            half = int(exp / 2)
            plain += [(node.args[0], half), (node, exp - 2 * half)]
        else:
            plain.append((node, exp))
    return monomial(coef, plain)


def intern_product(powers: dict[Node, int]) -> Node:
    """The interned Node of collected factors without a numeric coefficient."""
    if len(powers) > 1:
        args = tuple(sorted(powers, key=by_key))
        return intern_factors(args, tuple([powers[a] for a in args]))
    if not powers:
        return ONE
    ((node, exp),) = powers.items()
    return node if exp == 1 else intern_factors((node,), (exp,))


def power(base: Any, exponent: Any) -> Node:
    """base**exponent; integer exponents stay monomials, halves become square roots."""
    base = as_node(base)
    if type(exponent) is int:
        return monomial(1, ((base, exponent),)) if exponent else ONE
    from kinetree.engine.elementary import call  # noqa: PLC0415  functions stand above

    exponent = as_node(exponent)
    if exponent.op is not NUM:
        return call("pow", base, exponent)
    size = exponent.value
    if isinstance(size, int):
        return monomial(1, ((base, size),)) if size else ONE
    if isinstance(size, Fraction) and size.denominator == 2:
        return power(call("sqrt", base), size.numerator)
    return call("pow", base, exponent)
