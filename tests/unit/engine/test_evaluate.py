"""Evaluation: the reference semantics, on numbers, arrays and complex numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from tests.approx import CROSS_ENGINE, IDENTITY, SUMS
from tests.unit.engine import trees

from kinetree import engine as en
from kinetree.engine.evaluate import integer_power
from kinetree.errors import ExpressionError

x, y, z = (trees.SYMBOLS[name] for name in "xyz")


def made(tree: trees.Tree) -> en.Node:
    try:
        return trees.node(tree)
    except ExpressionError:
        assume(condition=False)
        raise


def at(point: dict[str, Any]) -> dict[en.Node, Any]:
    return {trees.SYMBOLS[name]: value for name, value in point.items()}


@given(trees.trees, trees.points)
def test_simplified_and_plain_values_agree(tree: trees.Tree, point: dict[str, float]) -> None:
    plain = trees.value(tree, point)
    assume(np.isfinite(plain.value) and plain.scale < 1e4)
    with np.errstate(all="ignore"):
        (found,) = en.evaluate((made(tree),), at(point))
    assert float(found) == pytest.approx(
        float(plain.value), rel=CROSS_ENGINE, abs=CROSS_ENGINE * plain.scale
    )


@given(trees.trees)
def test_arrays_are_evaluated_element_by_element(tree: trees.Tree) -> None:
    node = made(tree)
    rng = np.random.default_rng(0)
    point = {name: rng.uniform(0.2, 1.0, (2, 3)) for name in trees.NAMES}
    with np.errstate(all="ignore"):
        (table,) = en.evaluate((node,), at(point))
        for index in np.ndindex(2, 3):
            (one,) = en.evaluate((node,), at({k: float(v[index]) for k, v in point.items()}))
            np.testing.assert_allclose(
                np.broadcast_to(table, (2, 3))[index], one, rtol=IDENTITY, equal_nan=True
            )


def test_symbols_broadcast() -> None:
    (found,) = en.evaluate((x * y + x,), {x: np.arange(3.0)[:, None], y: np.arange(2.0)})
    assert found.shape == (3, 2)
    assert found[2, 1] == 4.0


def test_integers_do_not_wrap_around() -> None:
    big = np.array([2**40])
    (found,) = en.evaluate((x**3 + x,), {x: big})
    assert found[0] == pytest.approx(2.0**120)
    assert en.evaluate((x**-1,), {x: 4}) == [0.25]
    assert en.evaluate((x / 3,), {x: np.int64(1)})[0] == pytest.approx(1 / 3)


@pytest.mark.parametrize("name", [op.name for op in en.ops.FUNCTIONS])
def test_complex_step_gives_the_derivative(name: str) -> None:
    args = (x, y, z)[: en.OPS[name].arity]
    node = en.call(name, *args)
    for point in ({x: 0.37, y: 0.81, z: 0.3}, {x: 0.91, y: -0.4, z: 0.3}):
        for by in args:
            (slope,) = en.evaluate((en.derivative(node, by),), point)
            (found,) = en.evaluate((node,), {**point, by: point[by] + 1e-30j})
            assert np.imag(found) / 1e-30 == pytest.approx(float(np.real(slope)), rel=SUMS)
            assert np.real(found) == pytest.approx(float(en.evaluate((node,), point)[0]))


def test_continuations_off_the_positive_axis() -> None:
    (found,) = en.evaluate((abs(x),), {x: np.array([-2.0 + 1e-20j, 3.0 + 0j])})
    assert list(np.real(found)) == [2.0, 3.0]
    assert np.imag(found)[0] == -1e-20
    (angle,) = en.evaluate((en.atan2(y, x),), {x: -1.0 + 0j, y: 1e-3 + 0j})
    assert np.real(angle) == pytest.approx(np.arctan2(1e-3, -1.0))


def test_a_missing_symbol_is_named() -> None:
    with pytest.raises(ExpressionError, match="'y' has no value"):
        en.evaluate((x + y,), {x: 1.0})


@pytest.mark.parametrize("n", range(1, 20))
def test_integer_powers(n: int) -> None:
    assert integer_power(3, n) == 3**n
