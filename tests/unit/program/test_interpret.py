"""The interpreter: batches, defaults, complex arguments, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from tests.unit.program.programs import PARAMETERS, STATE, k, local, m, small, x, y, z

from kinetree import engine as en
from kinetree.errors import KinetreeError, ShapeError
from kinetree.program import Output, Program

PROGRAM = small({"u": x * y + local("P")}, {"out": local("u") * z}, {"P": m * k})


def test_defaults_are_used_where_nothing_is_given() -> None:
    s = np.array([1.0, 2.0, 3.0])
    assert PROGRAM.evaluate(s=s)["out"] == [24.0]
    assert PROGRAM.evaluate(s=s, p=[1, 1])["out"] == [9.0]


def test_leading_axes_are_a_batch() -> None:
    rng = np.random.default_rng(0)
    s, p = rng.normal(size=(4, 5, 3)), rng.normal(size=(5, 2))
    batch = PROGRAM.evaluate(s=s, p=p)["out"]
    assert batch.shape == (4, 5, 1)
    for i, j in np.ndindex(4, 5):
        assert batch[i, j] == pytest.approx(PROGRAM.evaluate(s=s[i, j], p=p[j])["out"])
    assert PROGRAM.evaluate(s=np.zeros((0, 3)))["out"].shape == (0, 1)


def test_constants_and_zeros_take_the_shape_of_the_batch() -> None:
    nodes = (en.ZERO, en.number(2), m, x)
    program = Program("c", (STATE, PARAMETERS), (), (), (Output("o", (2, 2), nodes),))
    found = program.evaluate(s=np.ones((3, 3)))["o"]
    assert found.shape == (3, 2, 2)
    assert np.array_equal(found[1], [[0, 2], [2, 1]])


def test_complex_arguments_and_integers() -> None:
    s = np.array([1, 2, 3]) + 1j * np.array([0, 1e-20, 0])
    assert PROGRAM.evaluate(s=s)["out"].imag == pytest.approx([3e-20])
    assert PROGRAM.evaluate(s=[1, 2, 3])["out"] == [24.0]
    assert PROGRAM.evaluate(s=np.array([2**40, 2**40, 1]))["out"] == pytest.approx([2.0**80])


def test_wrong_shapes_are_refused_with_the_shape() -> None:
    for wrong in (np.zeros(2), np.zeros((3, 2)), 1.0):
        with pytest.raises(ShapeError, match=r"input 's'.*\(3,\)"):
            PROGRAM.evaluate(s=wrong)
    with pytest.raises(ShapeError, match="'s' was not given"):
        PROGRAM.evaluate()


def test_batches_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ShapeError, match=r"input 'p'.*batch axes"):
        PROGRAM.evaluate(s=np.zeros((4, 3)), p=np.zeros((5, 2)))


def test_unknown_inputs_are_refused_with_the_nearest_name() -> None:
    with pytest.raises(KinetreeError, match=r"'ss'.*'s'"):
        PROGRAM.evaluate(ss=np.zeros(3))


def test_counts_leave_the_preamble_apart() -> None:
    assert PROGRAM.count() == en.OperationCount(add=1, mul=2)
    assert PROGRAM.preamble_count() == en.OperationCount(mul=1)


def test_the_listing_shows_every_equation() -> None:
    lines = PROGRAM.show().splitlines()
    assert lines[0] == "small(s, p)"
    assert "P = k*m" in lines
    assert "u = P + x*y" in lines
    assert lines[-1] == "out[1] = z*u"
