"""Numbers: exact where small and rational, doubles otherwise, never NaN or infinite."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.approx import ULP

from kinetree import engine as en
from kinetree.engine.scalars import EXACT, normal
from kinetree.errors import ExpressionError

POWERS = 1e-10  # powers of 10000: each rounding counts as often

x = en.symbol("x")
rationals = st.fractions(max_denominator=1000).filter(lambda f: abs(f) < 1000)


@given(rationals, rationals)
def test_rational_arithmetic_is_exact(a: Fraction, b: Fraction) -> None:
    assert en.number(a) + en.number(b) is en.number(a + b)
    assert en.number(a) * en.number(b) is en.number(a * b)
    assert (a * x + b * x) is (a + b) * x
    assert a * (b * x) is (a * b) * x
    if b:
        assert x * a / en.number(b) is (a / b) * x


def test_divisions_in_steps_and_at_once_are_one() -> None:
    assert x / 2 / 3 is x / 6
    assert x / 6 * 3 * 2 is x
    assert x * 0.5 is x / 2
    assert x * 0.25 / 3 is x / 12
    assert x / 3 + x / 3 + x / 3 is x
    assert (x / 7) * 7 is x


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_double_keeps_its_value(value: float) -> None:
    found = normal(value)
    assert float(found) == value
    assert normal(found) is found or normal(found) == found
    assert type(normal(found)) is type(found)


@given(st.integers(-(2**70), 2**70))
def test_integers_are_exact_up_to_the_precision_of_a_double(value: int) -> None:
    found = normal(value)
    assert (found == value) if abs(value) < EXACT else (found == float(value))
    assert isinstance(found, int) == (abs(value) < EXACT)


def test_equal_values_are_one_node() -> None:
    assert en.number(2.0) is en.number(2) is en.number(Fraction(4, 2)) is en.number(True) + 1
    assert en.number(0.5) is en.number(Fraction(1, 2))
    assert en.number(-0.0) is en.ZERO
    assert en.number(2**60) is en.number(2.0**60)
    assert en.number(1 / 2048) is en.number(Fraction(1, 2048))
    assert en.number(0.1) is not en.number(Fraction(1, 10))


def test_numpy_scalars_are_numbers() -> None:
    for three in (np.int32(3), np.int64(3), np.float32(3), np.float64(3), np.array(3)):
        assert three * x is 3 * x
        assert x * three is 3 * x
        assert x + three is x + 3
        assert three - x is 3 - x
        assert x / three is x / 3
        assert x**three is x**3
        assert en.as_node(three) is en.number(3)


def test_an_array_times_a_node_goes_element_by_element() -> None:
    product = np.array([1.0, 2.0]) * x
    assert product[0] is x
    assert product[1] is 2 * x


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, np.nan, np.float32("inf")])
def test_nan_and_infinity_are_refused(bad: float) -> None:
    with pytest.raises(ExpressionError, match="cannot stand"):
        en.number(bad)
    with pytest.raises(ExpressionError, match="cannot stand"):
        x * bad
    with pytest.raises(ExpressionError, match="cannot stand"):
        x + bad


@pytest.mark.parametrize("bad", ["1", None, 1j, np.array([1, 2]), np.complex128(1j), [1]])
def test_what_is_no_number_is_refused(bad: object) -> None:
    with pytest.raises(ExpressionError, match="neither a number nor an expression"):
        en.as_node(bad)


def test_overflow_is_refused_in_one_sentence() -> None:
    with pytest.raises(ExpressionError, match="too large"):
        en.number(10**400)
    with pytest.raises(ExpressionError, match="too large"):
        en.number(Fraction(10**400, 3))
    with pytest.raises(ExpressionError, match="cannot stand"):
        1e200 * (1e200 * x)
    with pytest.raises(ExpressionError, match="too large"):
        en.number(1e200) ** 3
    assert en.number(2) ** 1000 is en.number(2.0**1000)


def test_division_by_zero_is_refused() -> None:
    with pytest.raises(ExpressionError, match="identically zero"):
        x / 0
    with pytest.raises(ExpressionError, match="identically zero"):
        1 / (x - x)
    with pytest.raises(ExpressionError, match="identically zero"):
        en.power(0, -2)


def test_long_rationals_become_doubles() -> None:
    total = en.ZERO
    for k in range(1, 80):
        total = total + Fraction(1, k)
    assert isinstance(total.value, float)
    assert total.value == pytest.approx(sum(1 / k for k in range(1, 80)), rel=ULP)


def test_functions_of_numbers_fold_exactly_where_they_can() -> None:
    assert en.sqrt(Fraction(4, 9)) is en.number(Fraction(2, 3))
    assert abs(en.number(Fraction(-1, 3))) is en.number(Fraction(1, 3))
    assert en.sign(-2.5) is en.number(-1)
    assert en.sqrt(2).value == math.sqrt(2)
    assert en.sin(0) is en.ZERO
    assert en.cos(0) is en.ONE
    assert en.atan2(1, 1).value == math.atan2(1, 1)
    assert en.power(8, Fraction(1, 3)).value == pytest.approx(2)


@pytest.mark.parametrize(("name", "at"), [("log", -1), ("log", 0), ("sqrt", -2), ("asin", 2)])
def test_functions_without_a_value_are_refused(name: str, at: float) -> None:
    with pytest.raises(ExpressionError, match=f"{name} has no value"):
        en.call(name, at)


def test_unknown_functions_are_refused_with_what_is_known() -> None:
    with pytest.raises(ExpressionError, match=r"no function 'gamma' of 1 argument.*sin"):
        en.call("gamma", x)
    with pytest.raises(ExpressionError, match="no function 'sin' of 2"):
        en.call("sin", x, x)


def test_the_truth_of_an_expression_is_not_known() -> None:
    with pytest.raises(TypeError, match="truth of the expression x"):
        bool(x)


@pytest.mark.parametrize("n", [100, 10_000, -10_000])
def test_high_powers_of_products_have_the_value_of_the_product(n: int) -> None:
    y = en.symbol("y")
    near, far = 1 + 1e-5, 1e200
    at = {x: 0.5 * near, y: 1.0}
    assert en.evaluate(((2 * x) ** n,), at)[0] == pytest.approx(near**n, rel=POWERS)
    assert en.evaluate(((x / y) ** n,), {x: far * near, y: far})[0] == pytest.approx(
        near**n, rel=POWERS
    )
    assert (2 * x) ** n * (2 * x) ** -n is en.ONE
