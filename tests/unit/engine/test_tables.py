"""Tables: SciPy's interpolant inside, straight lines outside, the shape of the data everywhere."""

from __future__ import annotations

import gc
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.approx import FORMALISM, IDENTITY, SUMS

from kinetree import engine as en
from kinetree.engine import Table
from kinetree.engine.sympy_bridge import to_sympy
from kinetree.errors import ExpressionError
from kinetree.tables import look_up

x, y = en.symbol("x"), en.symbol("y")
STEP = 1e-40
LEAST = 1e-100  # smaller rises make slopes of SciPy that are NaN


@st.composite
def data(draw: st.DrawFn, rising: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Knots and values; where the values rise, some rows are equal; no rise is all but zero."""
    count = draw(st.integers(2, 9))
    steps = draw(st.lists(st.floats(0.05, 3.0), min_size=count, max_size=count))
    lowest = 0.0 if rising else -4.0
    rises = draw(st.lists(st.floats(lowest, 4.0), min_size=count, max_size=count))
    flat = draw(st.lists(st.booleans(), min_size=count, max_size=count))
    rises = [0.0 if f or abs(r) < LEAST else r for r, f in zip(rises, flat, strict=True)]
    return np.cumsum(steps) - 2.0, np.cumsum(rises)


@given(data())
def test_it_is_the_interpolant_of_scipy(rows: tuple[np.ndarray, np.ndarray]) -> None:
    from scipy.interpolate import PchipInterpolator

    knots, values = rows
    table, theirs = Table.monotone(knots, values), PchipInterpolator(*rows)
    inside = np.linspace(knots[0], knots[-1], 57)[:-1]
    for order in range(2):
        expected = theirs(inside, order)
        scale = max(1.0, np.abs(expected).max(), np.abs(values).max())
        assert np.abs(look_up(table, inside, order) - expected).max() < SUMS * scale
    assert table.slopes == pytest.approx(theirs(knots, 1), rel=IDENTITY, abs=IDENTITY)


@given(data(rising=True))
def test_rising_data_make_a_rising_table(rows: tuple[np.ndarray, np.ndarray]) -> None:
    knots, values = rows
    table = Table.monotone(knots, values)
    found = look_up(table, np.linspace(knots[0] - 2, knots[-1] + 2, 400))
    assert np.diff(found).min() >= -1e-13 * (1 + np.abs(found).max())
    assert look_up(table, knots) == pytest.approx(values, rel=SUMS, abs=SUMS)


@given(data())
def test_it_goes_on_straight(rows: tuple[np.ndarray, np.ndarray]) -> None:
    table = Table.monotone(*rows)
    for end, sign in ((0, -1), (-1, 1)):
        out = table.knots[end] + sign * np.array([0.5, 1e6])
        line = table.values[end] + table.slopes[end] * (out - table.knots[end])
        assert look_up(table, out) == pytest.approx(line)
        assert list(look_up(table, out, 1)) == [table.slopes[end]] * 2


@settings(max_examples=30)
@given(data(), st.floats(-3, 8))
def test_each_order_is_the_derivative_of_the_one_before(
    rows: tuple[np.ndarray, np.ndarray], at: float
) -> None:
    table = Table.monotone(*rows)
    for order in range(3):
        found = np.imag(look_up(table, at + STEP * 1j, order)) / STEP
        assert found == pytest.approx(look_up(table, at, order + 1), rel=IDENTITY, abs=FORMALISM)


CURVE = Table.monotone([0, 1, 2, 4], [0, 1, 3, 3], name="curve")


def test_derivatives_of_nodes() -> None:
    node = en.table(x * y, CURVE)
    first = en.derivative(node, x)
    assert first is y * en.table(x * y, CURVE, 1)
    third = en.derivative(en.derivative(en.table(x, CURVE, 1), x), x)
    assert third is en.table(x, CURVE, 3)
    assert en.derivative(third, x) is en.ZERO
    assert en.partials(node) == {x: first, y: x * en.table(x * y, CURVE, 1)}
    assert list(look_up(CURVE, np.array([0.5, 9.0]), 4)) == [0.0, 0.0]
    straight = Table((0.0, 1.0), (1.0, 3.0), (2.0, 2.0))
    assert en.table(x, straight, 2) is en.ZERO


def test_equal_tables_are_one() -> None:
    again = Table.monotone(np.array([0, 1, 2, 4.0]), (0, 1, 3, 3), name="curve")
    other = Table.monotone([0, 1, 2, 4], [0, 1, 3, 3.5], name="curve")
    assert again == CURVE
    assert hash(again) == hash(CURVE)
    assert en.table(x, again) is en.table(x, CURVE)
    assert en.table(x, other) is not en.table(x, CURVE)
    assert en.table(x, other).key != en.table(x, CURVE).key
    assert pickle.loads(pickle.dumps(CURVE)) == CURVE
    assert en.table(0.5, CURVE) is en.number(look_up(CURVE, 0.5))


def test_a_table_goes_with_the_last_node_that_looks_it_up() -> None:
    from kinetree.engine.elementary import _table_ops

    with en.fresh_arena() as arena:
        s = en.symbol("s")
        mark, before = arena.mark(), len(_table_ops)
        node = en.table(s, Table.monotone([0, 1, 3], [0, 0.123, 7]))
        slope = en.derivative(node, s)
        arena.release(mark)
        assert slope is en.derivative(node, s)
        assert len(_table_ops) == before + 2
        del node, slope
        arena.release(mark)
        gc.collect()
        assert len(arena) == mark
        assert len(_table_ops) == before


def test_text_latex_and_sympy() -> None:
    node = en.table(x + 1, CURVE)
    assert str(node) == "table_curve(1 + x)"
    assert str(en.table(x, CURVE, 2)) == "table_curve.d2(x)"
    assert en.latex(en.table(x, CURVE, 1)) == r"\operatorname{curve}'\left(x\right)"
    assert en.count((node,)).call == 1
    for order in range(4):
        shown = to_sympy(en.table(x, CURVE, order))
        for at in (-1.0, 0.25, 1.0, 1.5, 3.0, 7.0):
            found = float(shown.subs(dict.fromkeys(shown.free_symbols, at)))
            assert found == pytest.approx(float(look_up(CURVE, at, order)))


@pytest.mark.parametrize(
    ("knots", "values", "problem"),
    [
        ([0], [1], "1 knot"),
        ([], [], "0 knot"),
        ([0, 1, 1], [1, 2, 3], "do not increase from 1.0 to 1.0"),
        ([0, 2, 1], [1, 2, 3], "do not increase from 2.0 to 1.0"),
        ([0, np.nan], [1, 2], "not finite"),
        ([0, 1], [1, np.inf], "not finite"),
        ([0, 1e-300], [0, 1e300], "not finite"),
        ([0, 1e-160, 1], [0, 1, 2], "too steeply"),
        ([0, 1], [1, 2, 3], r"shapes \(2,\), \(3,\)"),
        ([[0, 1]], [[1, 2]], "shapes"),
        (["a", "b"], [1, 2], "not a number"),
    ],
)
def test_what_is_no_table_is_refused(knots: list, values: list, problem: str) -> None:
    with pytest.raises(ExpressionError, match=problem) as caught:
        Table.monotone(knots, values, name="bump")
    assert "table 'bump'" in str(caught.value)


def test_names_are_words() -> None:
    with pytest.raises(ExpressionError, match="cannot be called 'a b'"):
        Table.monotone([0, 1], [0, 1], name="a b")
    assert len(Table.monotone([0, 1], [0, 1]).name) == 8
