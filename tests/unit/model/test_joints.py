"""Every joint kind: sizes, names, motions, documentation."""

from __future__ import annotations

import inspect
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.approx import IDENTITY

from kinetree.joints import ALL, planar
from kinetree.model import JOINTS, Ball, Float, Model, Shift, Turn, Twist, direction

ARGUMENTS = {"screw": {"pitch": 0.01}, "sequence": {"steps": "T1 R2 R3"}}
SIZES = {
    "revolute": (1, 1),
    "prismatic": (1, 1),
    "screw": (1, 1),
    "cylindrical": (2, 2),
    "universal": (2, 2),
    "planar": (3, 3),
    "spherical": (4, 3),
    "free": (7, 6),
    "fixed": (0, 0),
    "sequence": (3, 3),
}
EVERY = pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)


def made(kind, **arguments):
    model = Model("m")
    given_arguments = {**ARGUMENTS.get(kind, {}), **arguments}
    return model.joint(kind, "j", model.ground, model.body("b"), given_arguments)


@EVERY
def test_sizes(kind):
    joint = made(kind.name)
    assert (joint.nq, joint.nv) == SIZES[kind.name]
    assert len(joint.coordinates) == len(joint.neutral) == len(joint.q_units) == joint.nq
    assert len(joint.velocities) == len(joint.v_units) == joint.nv
    assert len(set(joint.coordinates)) == joint.nq


@EVERY
def test_every_kind_is_a_method_with_its_meaning(kind):
    method = getattr(Model, kind.name)
    assert "q" in inspect.getdoc(method) or kind.name == "fixed"
    for option in kind.options:
        assert option in inspect.signature(method).parameters
    assert JOINTS[kind.name] is kind


@EVERY
def test_every_file_says_frames_and_signs(kind):
    doc = sys.modules[f"kinetree.joints.{kind.name}"].__doc__
    moving = () if kind.name == "fixed" else ("Zero:", "Sign:")
    for word in ("Frames:", "Coordinates:", "Velocities:", *moving):
        assert word in doc


def test_motions():
    z, x, y = (0, 0, 1), (1, 0, 0), (0, 1, 0)
    assert made("revolute").motions == (Turn(z),)
    assert made("prismatic", axis="y").motions == (Shift(y),)
    assert made("screw", pitch=0.2).motions == (Twist(z, 0.2),)
    assert made("cylindrical").motions == (Shift(z), Turn(z))
    assert made("universal").motions == (Turn(x), Turn(y))
    assert made("planar").motions == (Shift(x), Shift(y), Turn(z))
    assert made("planar", normal="x").motions == (Shift(y), Shift(z), Turn(x))
    assert made("planar", normal="y").motions == (Shift(z), Shift(x), Turn(y))
    assert made("spherical").motions == (Ball(),)
    assert made("free").motions == (Float(),)
    assert made("fixed").motions == ()
    assert made("sequence", steps=["T3", "R1"]).motions == (Shift(z), Turn(x))


def test_a_single_step_is_named_as_the_joint():
    assert made("sequence", steps="R2").coordinates == ("j",)


axes = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda a: np.linalg.norm(a) > 1e-3)


@given(axes)
def test_planar_directions_are_a_right_handed_triad(axis):
    n = direction(axis, "n")
    a, b = (np.array(v, dtype=float) for v in planar.plane(n))
    assert np.allclose(np.cross(a, b), n, atol=IDENTITY)
    assert np.isclose(a @ b, 0, atol=IDENTITY)


@pytest.mark.parametrize("normal", ["-x", "-y", "-z"])
def test_planar_with_negative_normals(normal):
    test_planar_directions_are_a_right_handed_triad.hypothesis.inner_test(direction(normal, "n"))
