"""Rotations form a group, and joints follow it."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from tests import strategies, zoo
from tests.approx import IDENTITY, assert_close
from tests.laws.tools import MODELS, conjugate, model, product, program, values

import kinetree as kt

AXIS = zoo.unit((1.0, -2.0, 0.5))
unit_quaternions = strategies.vectors.flatmap(
    lambda v: strategies.angles.map(
        lambda w: np.array([w, *v]) / np.linalg.norm([w, *v]) if w or any(v) else np.eye(4)[0]
    )
)


@cache
def turning(kind: str) -> kt.Program:
    """Kinematics of one body on one joint."""
    system = kt.Model("turning")
    body = system.body("top", mass=1.0, inertia=(1, 1, 1))
    options = {"axis": AXIS} if kind in ("revolute", "screw") else {}
    if kind == "screw":
        options["pitch"] = 0.3
    getattr(system, kind)("q", system.ground, body, **options)
    return kt.derive(system, "kinematics")


def rotation(kind: str, q: Any) -> Any:
    """R of the body at q; a free joint stands at the origin."""
    prog = turning(kind)
    n = prog.input("q").shape[0]
    v = np.zeros(prog.input("qd").shape)
    full = np.concatenate([np.atleast_1d(q), np.zeros(n - np.size(q))])
    return values(prog, q=full, qd=v, qdd=v)["top.rotation"]


@pytest.mark.parametrize("name", MODELS)
def test_every_rotation_is_proper_orthogonal(name: str) -> None:
    out = values(program(name, "kinematics"), **zoo.state(model(name), 1, (3,)))
    for output, R in out.items():
        if output.endswith(".rotation"):
            unit = np.broadcast_to(np.eye(3), R.shape)
            assert_close(np.swapaxes(R, -1, -2) @ R, unit, IDENTITY, output)
            assert_close(np.linalg.det(R), np.ones(R.shape[:-2]), IDENTITY, output)


@pytest.mark.parametrize("kind", ["revolute", "screw"])
@settings(max_examples=25)
@given(strategies.angles, strategies.angles)
def test_turns_about_one_axis_add(kind: str, a: float, b: float) -> None:
    both = rotation(kind, a) @ rotation(kind, b)
    assert_close(rotation(kind, a + b), both, IDENTITY)
    assert_close(rotation(kind, -a), rotation(kind, a).T, IDENTITY)
    assert_close(rotation(kind, a) @ np.array(AXIS), AXIS, IDENTITY)
    assert_close(rotation(kind, a), zoo.rotation_about(AXIS, a), IDENTITY)


@pytest.mark.parametrize("kind", ["spherical", "free"])
@settings(max_examples=25)
@given(unit_quaternions, unit_quaternions)
def test_quaternions_multiply_as_rotations_do(kind: str, a: Any, b: Any) -> None:
    both = rotation(kind, a) @ rotation(kind, b)
    assert_close(rotation(kind, product(a, b)), both, IDENTITY)
    assert_close(rotation(kind, conjugate(a)), rotation(kind, a).T, IDENTITY)
    assert_close(rotation(kind, -a), rotation(kind, a), IDENTITY)
    assert_close(rotation(kind, np.eye(4)[0]), np.eye(3), IDENTITY)


@settings(max_examples=25)
@given(strategies.angles)
def test_quaternion_of_an_axis_and_half_an_angle_is_that_turn(angle: float) -> None:
    e = np.array([np.cos(angle / 2), *(np.sin(angle / 2) * np.array(AXIS))])
    assert_close(rotation("spherical", e), rotation("revolute", angle), IDENTITY)
