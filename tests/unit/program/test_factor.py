"""Factoring of finished equations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.approx import IDENTITY, SUMS

from kinetree import engine as en
from kinetree.program.factor import factor

a, b, c, d, e, f, x = (en.symbol(name) for name in "abcdefx")
NAMES = (a, b, c, d, e, f)

monomials = st.tuples(
    st.sampled_from((1, -1, 1, 2, 0.5, 3.25)),
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=4),
)


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (a * b + a * c, a * (b + c)),
        (a * b + a * c + d, a * (b + c) + d),
        (a * b - a * c, a * (b - c)),
        (a * c * e + a * d * e, a * e * (c + d)),
        (a * b + c * d, a * b + c * d),
        (a**2 * b + a * c, a * (a * b + c)),
        (a * b + c, a * b + c),
        (a + b, a + b),
        (a, a),
        (a / b + c / b, a / b + c / b),
    ],
)
def test_common_factors_are_pulled_out(node: en.Node, expected: en.Node) -> None:
    assert factor(node) is expected


def test_the_factor_of_most_terms_goes_first() -> None:
    made = factor(a * b + a * c + a * d + b * e)
    assert en.count((made,)) == en.OperationCount(add=3, mul=2)


def test_common_sizes_of_coefficients_are_pulled_out() -> None:
    made = factor(0.3 * a + 0.3 * b - 0.3 * c + d)
    assert en.count((made,)) == en.OperationCount(add=3, mul=1)


@pytest.mark.parametrize(
    "node",
    [
        a**3000 * b + a**2999 * c,
        en.add(*((k + 0.5) * a ** (60 * k) for k in range(1, 30))),
        (1e30 * (a - 0.999) + 1) ** 10_000 * b + (1e30 * (a - 0.999) + 1) ** 20_000 * c,
    ],
    ids=["power", "polynomial", "large coefficients"],
)
def test_high_powers_need_no_deep_recursion(node: en.Node) -> None:
    before, after = en.evaluate((node, factor(node)), {a: 0.999, b: 0.3, c: 0.7})
    assert after == pytest.approx(before, rel=IDENTITY)


@given(st.lists(monomials, min_size=1, max_size=8), st.integers(0, 1000))
def test_values_are_kept_and_costs_do_not_rise(
    rows: list[tuple[float, list[en.Node]]], seed: int
) -> None:
    node = en.linear(0.5, [(en.mul(*factors), coef) for coef, factors in rows])
    made = factor(node)
    rng = np.random.default_rng(seed)
    point = {s: rng.uniform(-2, 2) for s in NAMES}
    before, after = en.evaluate((node, made), point)
    scale = sum(abs(coef) * 2 ** len(factors) for coef, factors in rows)
    assert after == pytest.approx(before, abs=SUMS * (1 + scale))
    assert en.count((made,)).total <= en.count((node,)).total
    assert factor(made) is made or en.count((factor(made),)).total <= en.count((made,)).total


def test_long_sums_need_no_recursion() -> None:
    n = 1500
    rows = [en.symbol(f"u{k}") * en.symbol(f"v{k % (n // 2)}") for k in range(n)]
    made = factor(en.add(*rows))
    assert en.count((made,)) == en.OperationCount(add=n - 1, mul=n // 2)
