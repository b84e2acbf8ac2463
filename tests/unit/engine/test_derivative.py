"""Derivatives: against complex step and against SymPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from tests.unit.engine import trees

from kinetree import engine as en
from kinetree.engine.sympy_bridge import to_sympy
from kinetree.errors import ExpressionError

SLOPE_REL = 1e-7  # difference quotients, relative
SLOPE_ABS = 1e-6  # the same near zero

x, y, z = (trees.SYMBOLS[name] for name in "xyz")
STEP = 1e-40


def with_slopes(tree: trees.Tree) -> tuple[en.Node, dict[en.Node, en.Node]]:
    try:
        node = trees.node(tree)
        return node, {s: en.derivative(node, s) for s in trees.SYMBOLS.values()}
    except ExpressionError:
        assume(condition=False)
        raise


@given(trees.trees, trees.points)
def test_derivative_is_the_complex_step(tree: trees.Tree, point: dict[str, float]) -> None:
    node, slopes = with_slopes(tree)
    assume(trees.value(tree, point).scale < 1e3)
    given_values = {trees.SYMBOLS[name]: value for name, value in point.items()}
    for symbol, slope in slopes.items():
        moved = {**given_values, symbol: given_values[symbol] + STEP * 1j}
        with np.errstate(all="ignore"):
            (found,) = en.evaluate((slope,), given_values)
            (shifted,) = en.evaluate((node,), moved)
        expected = float(np.imag(shifted)) / STEP
        assume(np.isfinite(expected) and abs(expected) < 1e6)
        assert float(found) == pytest.approx(expected, rel=SLOPE_REL, abs=SLOPE_ABS)


@settings(max_examples=25)
@given(trees.trees, trees.points)
def test_derivative_agrees_with_sympy(tree: trees.Tree, point: dict[str, float]) -> None:
    node, slopes = with_slopes(tree)
    assume(trees.value(tree, point).scale < 1e3)
    expected = (
        to_sympy(node)
        .diff(to_sympy(x))
        .evalf(30, subs={to_sympy(trees.SYMBOLS[k]): v for k, v in point.items()})
    )
    assume(expected.is_finite and abs(expected) < 1e6)
    with np.errstate(all="ignore"):
        (found,) = en.evaluate((slopes[x],), {trees.SYMBOLS[k]: v for k, v in point.items()})
    assert float(found) == pytest.approx(float(expected), rel=SLOPE_REL, abs=SLOPE_ABS)


@given(trees.trees)
def test_reverse_sweep_gives_the_same_derivatives(tree: trees.Tree) -> None:
    node, slopes = with_slopes(tree)
    found = en.partials(node)
    rng = np.random.default_rng(0)
    point = {s: rng.uniform(0.3, 0.9) for s in trees.SYMBOLS.values()}
    for symbol, slope in slopes.items():
        with np.errstate(all="ignore"):
            a, b = en.evaluate((found.get(symbol, en.ZERO), slope), point)
        if np.isfinite(a) and np.isfinite(b):
            assert a == pytest.approx(b, rel=SLOPE_REL, abs=SLOPE_REL)


def test_rules_of_calculus() -> None:
    f, g = en.sin(x * y), x**2 + 1 / y

    def d(node: en.Node) -> en.Node:
        return en.derivative(node, x)

    assert d(f + g) is d(f) + d(g)
    assert d(x**5) is 5 * x**4
    assert d(3 * x) is en.number(3)
    assert d(y) is en.ZERO
    assert d(1 / x) is -1 / x**2
    assert d(en.sqrt(x)) is 1 / (2 * en.sqrt(x))
    assert d(en.exp(2 * x)) is 2 * en.exp(2 * x)
    assert d(en.log(x)) is 1 / x
    assert d(abs(x)) is en.sign(x)
    assert d(en.sign(x)) is en.ZERO
    assert d(en.call("pow", x, y)) is y * en.call("pow", x, y - 1)


def test_a_root_has_a_derivative_where_its_logarithm_has_none() -> None:
    cube_root = en.power(x - 5, 1 / 3)
    assert en.symbols((en.derivative(cube_root, x),)) == [x]
    two_to_x = en.call("pow", 2, x)
    (slope,) = en.evaluate((en.derivative(two_to_x, x),), {x: 3.0})
    assert slope == pytest.approx(8 * np.log(2))


def test_tangent_uses_given_rates() -> None:
    (rate,) = en.tangent((x * y,), {x: z}.get)
    assert rate is y * z


def test_only_symbols_can_be_differentiated_by() -> None:
    with pytest.raises(ExpressionError, match="not a symbol"):
        en.derivative(x + y, x + y)
