"""Selections: which branch, what they simplify to, their derivatives, and NumPy's own functions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.engine import trees

from kinetree import engine as en
from kinetree.engine.sympy_bridge import from_sympy, to_sympy
from kinetree.errors import ExpressionError

x, y, z = (trees.SYMBOLS[name] for name in "xyz")
ordinary = st.floats(-10, 10)


def value(node: en.Node, **at: object) -> object:
    with np.errstate(all="ignore"):
        return en.evaluate((node,), {trees.SYMBOLS[k]: v for k, v in at.items()})[0]


def test_the_first_branch_is_taken_above_zero_only() -> None:
    node = en.select(x, y, z)
    at = np.array([-1.0, -0.0, 0.0, 5e-324, math.nan, math.inf])
    assert list(value(node, x=at, y=1.0, z=2.0)) == [2, 2, 2, 1, 2, 1]
    assert value(node, x=0.5, y=1.0, z=2.0) == 1.0


def test_what_the_branch_not_taken_gives_does_not_matter() -> None:
    node = en.select(x, en.sqrt(x), 0)
    assert list(value(node, x=np.array([4.0, -4.0]))) == [2, 0]


def test_simplification() -> None:
    assert en.select(1, x, y) is x
    assert en.select(0, x, y) is y
    assert en.select(x, y, y) is y
    assert en.select(2 * x, y, z) is en.select(x, y, z)
    assert en.select(-x, y, z) is not en.select(x, z, y)
    assert en.select(3, 0.5, 2) is en.number(0.5)
    assert en.select(x, en.select(x, y, z), 1) is en.select(x, y, 1)
    assert en.substitute((en.select(x, y, z),), {x: en.ZERO}) == [z]
    assert en.select(x - y, y, z) is en.select(-y + x, y, z)


@given(ordinary, ordinary)
def test_minimum_and_maximum(a: float, b: float) -> None:
    assert value(en.minimum(x, y), x=a, y=b) == min(a, b)
    assert value(en.maximum(x, y), x=a, y=b) == max(a, b)


def test_the_derivative_is_that_of_the_chosen_branch() -> None:
    node = en.select(x - 1, x**2 * y, en.sin(x))
    assert en.derivative(node, x) is en.select(x - 1, 2 * x * y, en.cos(x))
    assert en.derivative(node, y) is en.select(x - 1, x**2, 0)
    assert en.partials(node) == {x: en.derivative(node, x), y: en.derivative(node, y)}
    assert en.derivative(en.select(x, y, z), x) is en.ZERO


@pytest.mark.parametrize("slope", [en.derivative, lambda f, s: en.partials(f)[s]])
def test_an_infinite_slope_of_the_other_branch_stays_out(slope: object) -> None:
    node = y * en.select(x, en.sqrt(x), 3 * x)
    assert value(slope(node, x), x=0.0, y=2.0) == 6.0  # type: ignore[operator]


def test_text_and_latex() -> None:
    node = en.select(x - 1, x, y)
    assert str(node) == "select(x - 1, x, y)"
    assert en.latex(node) == r"\begin{cases} x & x - 1 > 0 \\ y & \text{otherwise} \end{cases}"
    assert '[label="select", shape=ellipse]' in en.dot((node,))
    assert en.count((node,)).call == 1


def test_cases_of_sympy() -> None:
    import sympy as sp

    u, v = sp.symbols("x y", real=True)
    for case, node in (
        (sp.Piecewise((u, v > 0), (v, True)), en.select(y, x, y)),
        (sp.Piecewise((u, v < 1), (v, True)), en.select(1 - y, x, y)),
        (sp.Piecewise((u, v >= 0), (v, True)), en.select(-y, y, x)),
        (sp.Piecewise((u, v <= 0), (v, True)), en.select(y, y, x)),
        (sp.Piecewise((1, u > 2), (2, v > 0), (3, True)), en.select(x - 2, 1, en.select(y, 2, 3))),
        (sp.Max(u, v), en.maximum(x, y)),
    ):
        back = from_sympy(case, trees.SYMBOLS)
        for at in ({"x": 0.0, "y": 0.0}, {"x": 3.0, "y": 1.0}, {"x": 1.0, "y": -2.0}):
            assert value(back, **at) == value(node, **at)
    node = en.select(x - y, x, en.select(y, 1, y))
    assert from_sympy(to_sympy(node), trees.SYMBOLS) is node
    for bad in (sp.Piecewise((u, v > 0)), sp.Piecewise((u, sp.Eq(v, 1)), (v, True))):
        with pytest.raises(ExpressionError, match="more than a comparison"):
            from_sympy(bad)


def test_functions_of_numpy_take_nodes() -> None:
    assert np.sin(x) is en.sin(x)
    assert np.arctan2(x, y) is en.atan2(x, y)
    assert np.abs(x) is np.fabs(x) is abs(x)
    assert np.sqrt(np.float64(2) * x) is en.sqrt(2 * x)
    assert list(np.exp(np.array([x, y]))) == [en.exp(x), en.exp(y)]
    assert np.tanh(x) + np.arcsin(y) is en.tanh(x) + en.asin(y)


def test_a_python_branch_names_the_way_out() -> None:
    with pytest.raises(TypeError, match=r"select\(c, a, b\)"):
        bool(x - 1)
