"""Numbers, axes and rotations as users give them."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import zoo
from tests.approx import IDENTITY, ULP

from kinetree.engine import number, symbol
from kinetree.errors import ModelError
from kinetree.model import values as v

QUARTER = 1e-9  # angles within 1e-10 of a quarter turn are taken as one

finite = st.floats(-1e3, 1e3)


@pytest.mark.parametrize("letter", ["x", "y", "z"])
def test_letters_are_unit_vectors(letter):
    axis = v.direction(letter, "axis")
    assert sum(axis) == 1
    assert v.direction(f"-{letter}", "axis") == tuple(-entry for entry in axis)


@given(st.tuples(finite, finite, finite).filter(lambda a: max(map(abs, a)) > 1e-9))
def test_a_direction_has_length_one(axis):
    assert math.isclose(math.hypot(*v.direction(axis, "axis")), 1, rel_tol=IDENTITY)


def test_tiny_and_huge_axes_are_directions():
    assert v.direction((0, 0, 1e-200), "axis") == (0, 0, 1)
    assert v.direction((0, -1e200, 0), "axis") == (0, -1, 0)


def test_exact_entries_are_integers():
    axis = v.direction((1e-17, 0.0, -3.0), "axis")
    assert axis == (0, 0, -1)
    assert all(type(entry) is int for entry in axis)


@pytest.mark.parametrize(
    ("axis", "words"),
    [
        ((0, 0, 0), "a: the axis has zero length; give a direction such as 'z' or (0, 0, 1)."),
        (
            "w",
            "a: 'w' is not a valid axis; use 'x', 'y', 'z', one of them with a minus, or a vector",
        ),
        ((1, 0), "a: has 2 values; give 3 values."),
        ((1, 0, math.nan), "a[2]: the value is nan; give a finite number."),
        (3, "a: 3 is not a list; give 3 values."),
    ],
)
def test_bad_axes(axis, words):
    with pytest.raises(ModelError) as caught:
        v.direction(axis, "a")
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize("value", ["one", True, None, 1j, [1]])
def test_what_is_no_number_is_refused(value):
    with pytest.raises(ModelError, match=r"body 'b' mass: .* is not a number; give a number"):
        v.scalar(value, "body 'b' mass")


@pytest.mark.parametrize("value", [math.nan, math.inf, np.float64("nan")])
def test_not_finite_is_refused(value):
    with pytest.raises(ModelError, match=r"m: the value is (nan|inf); give a finite number\."):
        v.scalar(value, "m")


def test_scalars_are_numbers_or_expressions():
    node = symbol("a") * 2
    assert v.scalar(node, "m") is node
    assert v.scalar(number(3), "m") == 3
    assert v.scalar(Fraction(1, 3), "m") == Fraction(1, 3)
    assert type(v.scalar(np.float64(0.5), "m")) is float
    assert type(v.scalar(np.int64(2), "m")) is int


def test_quarter_turns_are_exact():
    R = v.rotation_rpy(1.5707963268, 0, -3.14159265359)
    assert R == ((-1, 0, 0), (0, 0, 1), (0, 1, 0))
    assert all(type(entry) is int for row in R for entry in row)


def test_angles_off_a_quarter_turn_are_kept():
    R = np.array(v.rotation_rpy(math.pi / 2 + 1e-9, 0, 0))
    assert R[1, 1] == pytest.approx(-1e-9, abs=ULP)


@given(st.tuples(finite, finite, finite))
def test_rpy_gives_rotations(angles):
    R = np.array(v.rotation_rpy(*angles))
    assert np.allclose(R @ R.T, np.eye(3), atol=IDENTITY)
    assert np.linalg.det(R) == pytest.approx(1)


@given(st.tuples(finite, finite, finite))
def test_rpy_is_yaw_after_pitch_after_roll(angles):
    roll, pitch, yaw = angles
    turns = zip(np.eye(3), (roll, pitch, yaw), strict=True)
    x, y, z = (zoo.rotation_about(zoo.vector(axis), angle) for axis, angle in turns)
    R = z @ y @ x
    assert np.allclose(v.rotation_rpy(*angles), R, atol=QUARTER)


def test_yaw_is_right_handed():
    assert v.rotation_rpy(0, 0, math.pi / 2) == ((0, -1, 0), (1, 0, 0), (0, 0, 1))


@pytest.mark.parametrize(
    "matrix", [np.eye(3) * 2, np.diag([1, 1, -1]), [[1, 1, 0], [0, 1, 0], [0, 0, 1]]]
)
def test_what_is_no_rotation_is_refused(matrix):
    with pytest.raises(ModelError, match="r: the matrix is not a rotation; give three orthogonal"):
        v.rotation(matrix, "r")
