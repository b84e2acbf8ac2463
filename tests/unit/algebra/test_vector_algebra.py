"""Vector algebra: NumPy gives the same numbers, expressions give the same as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from tests import strategies
from tests.approx import ROUNDING, ULP

from kinetree.algebra import (
    Inertia,
    Rotation,
    Transform,
    Vector,
    cross,
    disp,
    dot,
    point_mass,
    rot,
    rotq,
    rotx,
    roty,
    rotz,
    vector,
)
from kinetree.engine import evaluate, symbol
from kinetree.errors import ShapeError

NEAR_AXIS = 1e-6  # angles next to zero and to a half turn


def array(x: Any) -> np.ndarray:
    return np.array([[float(e) for e in row] for row in x.rows])


def tensor(J: Inertia) -> np.ndarray:
    return np.array([[float(e) for e in row] for row in J.rows])


@given(strategies.vectors, strategies.vectors, strategies.numbers)
def test_vectors(a: Any, b: Any, s: float) -> None:
    u, v, x, y = Vector(*a), Vector(*b), np.array(a), np.array(b)
    for found, expected in (
        (u + v, x + y), (u - v, x - y), (-u, -x), (s * u, s * x), (u * s, s * x), (u / 4, x / 4),
        (u.cross(v), np.cross(x, y)), (cross(a, b), np.cross(x, y)), (list(a) - v, x - y),
        ((1, 2, 3) - u, (1, 2, 3) - x), (np.float64(s) * u, s * x),
    ):  # fmt: skip
        assert isinstance(found, Vector)
        assert np.allclose(np.array(found, dtype=float), expected, atol=ULP)
    assert np.isclose(u @ v, x @ y)
    assert np.isclose(dot(a, b), x @ y)
    assert np.isclose(u.norm, np.linalg.norm(x))
    assert len(u) == 3
    assert u[1:] == a[1:]


def test_a_unit_vector_has_length_one() -> None:
    assert np.allclose(np.array(Vector(3, 0, -4).unit), (0.6, 0, -0.8))


@given(strategies.directions(), strategies.angles, strategies.vectors)
def test_rotation_about_any_axis(axis: Any, angle: float, v: Any) -> None:
    R = array(Rotation.about([2 * x for x in axis], angle))
    assert np.allclose(R @ R.T, np.eye(3), atol=ROUNDING)
    assert np.isclose(np.linalg.det(R), 1)
    assert np.allclose(R @ axis, axis, atol=ROUNDING)
    assert np.isclose(np.trace(R), 1 + 2 * np.cos(angle))
    turned = np.array(Rotation.about(axis, angle) @ v)
    assert np.isclose(
        np.dot(np.cross(v, turned), axis), np.sin(angle) * _off(v, axis), atol=NEAR_AXIS
    )


def _off(v: Any, axis: Any) -> float:
    """Square of the distance from the axis."""
    along = np.dot(v, axis) * np.array(axis)
    return float(np.sum((np.array(v) - along) ** 2))


def test_letters_are_axes_of_the_frame() -> None:
    for letter, axis, made in (
        ("x", (1, 0, 0), rotx),
        ("y", (0, 1, 0), roty),
        ("z", (0, 0, 1), rotz),
    ):
        by_vector = array(Rotation.about(axis, 0.7))
        assert np.allclose(array(Rotation.about(letter, 0.7)), by_vector)
        assert np.allclose(array(made(0.7).R), by_vector)
        assert np.allclose(array(Rotation.about(f"-{letter}", 0.7)), by_vector.T)
    with pytest.raises(ShapeError, match="'w' is not a valid axis"):
        Rotation.about("w", 0.1)


def test_quaternion_and_axes() -> None:
    half = 0.4
    R = array(rotq(np.cos(half), 0, np.sin(half), 0).R)
    assert np.allclose(R, array(roty(2 * half).R))
    named = rotz(0.3).R
    assert np.allclose(np.column_stack([named.ux, named.uy, named.uz]), array(named))


@given(strategies.vectors, strategies.angles, strategies.angles)
def test_transforms_compose_and_invert(r: Any, a: float, b: float) -> None:
    T = rotx(a) @ disp(*r) @ rot((1, 2, 2), b)
    M = np.array([[float(e) for e in row] for row in T.rows])
    parts = [rotx(a), disp(*r), rot((1, 2, 2), b)]
    product = np.eye(4)
    for part in parts:
        product = product @ np.array([[float(e) for e in row] for row in part.rows])
    assert np.allclose(M, product, atol=ROUNDING)
    back = T.inverse
    assert np.allclose(np.array([[float(e) for e in row] for row in back.rows]) @ M, np.eye(4))
    place = T @ Vector(1, 2, 3)
    assert np.allclose(np.array(place), (M @ [1, 2, 3, 1])[:3])
    for whole in (T, back):  # the steps are the matrix
        again = Transform()
        for step in whole.steps:
            again = again @ (
                disp(*step) if isinstance(step, Vector) else Transform(Rotation(step.rows))
            )
        assert np.allclose(array(again.R), array(whole.R))
        assert np.allclose(np.array(again.p), np.array(whole.p))


@given(strategies.vectors, strategies.masses, strategies.rotations())
def test_inertias(r: Any, mass: float, R: Any) -> None:
    J = Inertia(0.3, 0.4, 0.5, 0.01, -0.02, 0.03)
    turn = np.array(R)
    assert np.allclose(tensor(J.rotate(Rotation(R))), turn @ tensor(J) @ turn.T)
    steiner = mass * (np.dot(r, r) * np.eye(3) - np.outer(r, r))
    assert np.allclose(tensor(J.shift(mass, r)), tensor(J) + steiner)
    assert np.allclose(tensor(point_mass(mass, r)), steiner)
    assert np.allclose(np.array(J @ Vector(*r)), tensor(J) @ r)
    assert np.allclose(tensor(2 * J - J), tensor(J))
    assert len(J) == 6


def test_expressions_have_the_values_of_numbers() -> None:
    q, l = symbol("q"), symbol("l")

    def place(angle: Any, length: Any) -> Vector:
        T = rotx(angle) @ disp(0, -length, 0) @ rot((1, 1, 0), 2 * angle) @ disp(length, 0, 0)
        return T.inverse @ (T.R @ Vector(1, length, 2))

    found = evaluate(list(place(q, l)), {q: 0.7, l: 1.3})
    assert np.allclose(found, np.array(place(0.7, 1.3)))


def test_planar_products_are_sines_of_sums() -> None:
    a, b = symbol("a"), symbol("b")
    assert str((rotz(a) @ rotz(b)).R.ux.x) == "cos(a + b)"


def test_wrong_sizes_are_refused() -> None:
    with pytest.raises(ShapeError, match="has 2 components"):
        vector((1, 2))
    with pytest.raises(ShapeError, match="has 2 rows"):
        Rotation(((1, 0, 0), (0, 1, 0)))
