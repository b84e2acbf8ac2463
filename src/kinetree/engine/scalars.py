"""The numbers that stand in expressions: one representation for each value.

Small integers and rationals are exact; everything else is an IEEE double.  A double that is a short
binary fraction, such as 0.5, is a rational too, so that x/2/3 and x/6 are one expression.
"""

from __future__ import annotations

from fractions import Fraction

from kinetree.errors import ExpressionError

Number = int | float | Fraction

EXACT = 2**53
"""Size from which integers, numerators and denominators become doubles."""
DYADIC = 1024
"""Largest power of two as a denominator that is kept exact."""
SMALL = 2**20
"""Size from which binary fractions become doubles."""


def normal(x: Number) -> Number:
    """The one representation of a number: small integers and rationals exact, else a double."""
    if type(x) is int and -EXACT < x < EXACT:
        return x
    if isinstance(x, Fraction):
        return _normal_fraction(x)
    x = _double(x)
    if x.is_integer():
        return int(x) if -EXACT < x < EXACT else x
    if (x * DYADIC).is_integer() and abs(x) < SMALL:
        return Fraction(x)
    return x


def _normal_fraction(x: Fraction) -> Number:
    below = x.denominator
    if below == 1:
        return normal(x.numerator)
    if below & (below - 1) == 0:
        return normal(_double(x)) if below > DYADIC or abs(x) >= SMALL else x
    return x if abs(x.numerator) < EXACT and below < EXACT else normal(_double(x))


def _double(x: Number) -> float:
    try:
        value = float(x)
    except OverflowError:
        raise ExpressionError("a number in an expression is too large for a double") from None
    if value - value != 0:
        raise ExpressionError(f"{value} cannot stand in an expression; check the model's numbers")
    return value
