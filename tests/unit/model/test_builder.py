"""The builder: what it makes, and what it refuses with which words."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kinetree.errors import DuplicateNameError, ModelError, UnknownNameError
from kinetree.model import Limits, Mimic, Model


def test_the_face_of_the_design():
    model = Model("slider_crank", gravity=(0, -9.81, 0))
    crank = model.body("crank", mass=1.0, com=(0.5, 0, 0), inertia=(0, 0.0833, 0.0833))
    rod = model.body("rod", mass=2.0, com=(1.0, 0, 0), inertia=(0, 0.6667, 0.6667))
    model.revolute("q1", model.ground, crank, axis="z")
    model.revolute("q2", crank.point("tip", (1, 0, 0)), rod, axis="z")
    slider = model.body("slider", mass=5.0)
    model.prismatic("q3", model.ground, slider, axis="x")
    assert model.coordinates == model.velocities == ["q1", "q2", "q3"]
    assert (model.nq, model.nv) == (3, 3)
    assert model.joints["q2"].parent.path == "crank.tip"
    assert model.joints["q1"].parent.path == "ground"
    assert crank.inertia == (0, 0.0833, 0.0833, 0, 0, 0)
    assert "nq=3" in repr(model)


def test_names_of_many_coordinates():
    model = Model("m")
    model.cylindrical("c", model.ground, model.body("a"))
    model.spherical("s", "a", model.body("b"))
    model.free("f", "ground", model.body("d"))
    model.sequence("v", "d", model.body("e"), "T1 R3", coordinates=("x", "yaw"))
    assert model.coordinates == [
        *("c_1", "c_2"),
        *("s_w", "s_x", "s_y", "s_z"),
        *("f_w", "f_x", "f_y", "f_z", "f_px", "f_py", "f_pz"),
        *("x", "yaw"),
    ]
    assert model.velocities[2:5] == ["s_wx", "s_wy", "s_wz"]
    assert model.velocities[5:11] == ["f_wx", "f_wy", "f_wz", "f_vx", "f_vy", "f_vz"]
    assert (model.nq, model.nv) == (15, 13)


def test_neutral_has_unit_quaternions():
    model = Model("m")
    model.free("f", model.ground, model.body("a"))
    model.revolute("r", "a", model.body("b"), initial=0.3)
    model.spherical("s", "b", model.body("c"), initial=(0, 1, 0, 0))
    assert model.neutral().tolist() == [1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]
    assert model.initial().tolist() == [1, 0, 0, 0, 0, 0, 0, 0.3, 0, 1, 0, 0]


def test_a_model_without_coordinates_has_empty_vectors():
    assert Model("empty").neutral().shape == (0,)


def test_joint_data_is_kept():
    model = Model("m")
    a, b = model.body("a"), model.body("b")
    first = model.revolute("r", model.ground, a, limits=(-1, 2), damping=0.1, friction=0.2)
    second = model.revolute(
        "s", a, b, limits={"upper": 1, "effort": 5}, mimic=(first, 2, 0.5), initial=[0.1]
    )
    assert first.limits == Limits(-1, 2)
    assert (first.damping, first.friction) == (0.1, 0.2)
    assert second.limits == Limits(upper=1, effort=5)
    assert second.mimic == Mimic("r", 2, 0.5)
    assert second.initial == (0.1,)


def test_arrays_are_as_good_as_tuples():
    model = Model("m")
    a = model.body("a", 1.0, np.array([0, 0, 1.0]), np.array([1, 1, 1]))
    joint = model.revolute("r", model.ground, a, axis=np.array([0, 1, 0]))
    assert joint.arguments == {"axis": (0, 1, 0)}
    assert type(joint.arguments["axis"][0]) is int


def test_a_child_point_is_kept():
    model = Model("m")
    a = model.body("a")
    joint = model.revolute("r", model.ground, a.point("hinge", (0, 0, 1)))
    assert joint.child.path == "a.hinge"
    assert joint.child.body is a


def test_points_are_found_by_path(pendulum):
    assert pendulum.point("upper.tip") is pendulum.bodies["upper"].points["tip"]
    assert pendulum.point("ground") is pendulum.ground.origin


def test_wrenches(pendulum):
    wrench = pendulum.wrench("push", "upper.tip", frame="world")
    assert (wrench.point.path, wrench.frame) == ("upper.tip", "world")


def bad(model, action):
    with pytest.raises(ModelError) as caught:
        action(model)
    return str(caught.value)


SENTENCES = {
    "zero axis": (
        lambda m: m.revolute("r", m.ground, m.body("a"), axis=(0, 0, 0)),
        "joint 'r' axis: the axis has zero length; give a direction such as 'z' or (0, 0, 1).",
    ),
    "NaN mass": (
        lambda m: m.body("a", mass=math.nan),
        "body 'a' mass: the value is nan; give a finite number.",
    ),
    "NaN inertia": (
        lambda m: m.body("a", inertia=(1, math.inf, 1)),
        "body 'a' inertia[1]: the value is inf; give a finite number.",
    ),
    "NaN parameter": (
        lambda m: m.parameter("a", math.nan),
        "parameter 'a': the value is nan; give a finite number.",
    ),
    "inertia of four": (
        lambda m: m.body("a", inertia=(1, 1, 1, 0)),
        "body 'a' inertia: has 4 values; give 3 or 6 values.",
    ),
    "misspelled body": (
        lambda m: m.revolute("r", "uper", m.body("a")),
        "joint 'r' parent: there is no body 'uper'; did you mean 'upper'?",
    ),
    "misspelled point": (
        lambda m: m.revolute("r", "upper.tipp", m.body("a")),
        "joint 'r' parent: there is no point 'upper.tipp'; did you mean 'upper.tip'?",
    ),
    "misspelled kind": (
        lambda m: m.joint("revolut", "r", "upper", m.body("a")),
        "joint 'r': there is no joint kind 'revolut'; did you mean 'revolute'?",
    ),
    "misspelled argument": (
        lambda m: m.joint("revolute", "r", "upper", m.body("a"), {"axes": "x"}),
        "joint 'r': there is no argument of a revolute joint 'axes'; did you mean 'axis'?",
    ),
    "missing argument": (
        lambda m: m.joint("screw", "r", "upper", m.body("a")),
        "joint 'r': a screw joint needs its 'pitch'; give pitch.",
    ),
    "misspelled limit": (
        lambda m: m.revolute("r", "upper", m.body("a"), limits={"uper": 1}),
        "joint 'r' limits: there is no limit 'uper'; did you mean 'upper'?",
    ),
    "misspelled step": (
        lambda m: m.sequence("r", "upper", m.body("a"), "T1 R4"),
        "joint 'r' steps: 'R4' is not a valid one-axis motion; did you mean 'R3'?",
    ),
    "no step": (
        lambda m: m.sequence("r", "upper", m.body("a"), ""),
        "joint 'r' steps: has no motion; use a fixed joint.",
    ),
    "parallel universal axes": (
        lambda m: m.universal("r", "upper", m.body("a"), axes=("x", "-x")),
        "joint 'r' axes: the two axes are parallel; give two different directions",
    ),
    "one universal axis": (
        lambda m: m.universal("r", "upper", m.body("a"), axes=("x",)),
        "joint 'r' axes: has 1 values; give 2 values.",
    ),
    "frame": (
        lambda m: m.wrench("w", "upper", frame="wold"),
        "wrench 'w': there is no frame 'wold'; did you mean 'world'?",
    ),
    "reserved wrench": (
        lambda m: m.wrench("tau", "upper"),
        "wrench 'tau': 'tau' cannot name a run-time input; use letters",
    ),
    "dotted name": (
        lambda m: m.body("a.b"),
        "body 'a.b': 'a.b' cannot be a name; use letters, digits and underscores",
    ),
    "blank in a point name": (
        lambda m: m.bodies["upper"].point("a b"),
        "point 'upper.a b': 'a b' cannot be a name",
    ),
    "parameter name": (
        lambda m: m.parameter("2a", 1),
        "parameter '2a': '2a' cannot be a name; use letters",
    ),
    "start": (
        lambda m: m.spherical("s", "upper", m.body("a"), initial=(1, 0, 0)),
        "joint 's' initial: has 3 values; give 4 values.",
    ),
    "coordinate names": (
        lambda m: m.cylindrical("s", "upper", m.body("a"), coordinates=("x",)),
        "joint 's' coordinates: has 1 names; give 2 names.",
    ),
    "no place": (
        lambda m: m.revolute("r", None, m.body("a")),
        "joint 'r' parent: None is not a valid place; give a body, a point, or a path such as 'bod",
    ),
    "another model": (
        lambda m: m.revolute("r", Model("other").body("upper"), m.body("a")),
        "joint 'r' parent: body 'upper' belongs to another model; add the body to model 'p",
    ),
    "no rotation": (
        lambda m: m.bodies["upper"].point("a", rotation=np.zeros((3, 3))),
        "point 'upper.a' rotation: the matrix is not a rotation",
    ),
}


@pytest.mark.parametrize("case", SENTENCES)
def test_bad_input_is_one_sentence(pendulum, case):
    action, words = SENTENCES[case]
    said = bad(pendulum, action)
    assert said.startswith(words)
    assert "\n" not in said


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (lambda m: m.body("upper"), "body 'upper': there is a body of this name already"),
        (lambda m: m.body("ground"), "body 'ground': the name is taken by the ground"),
        (
            lambda m: m.revolute("elbow", "lower", m.body("a")),
            "joint 'elbow': there is a joint of this name already; give every joint a name",
        ),
        (
            lambda m: m.bodies["upper"].point("tip"),
            "point 'upper.tip': body 'upper' has a point of this name already",
        ),
        (
            lambda m: [m.parameter("a", 1), m.parameter("a", 2)],
            "parameter 'a': there is a parameter of this name already",
        ),
        (
            lambda m: [m.wrench("w", "upper"), m.wrench("w", "lower")],
            "wrench 'w': there is a wrench of this name already",
        ),
    ],
)
def test_duplicate_names(pendulum, action, words):
    with pytest.raises(DuplicateNameError) as caught:
        action(pendulum)
    assert str(caught.value).startswith(words)


def test_misspelled_names_have_their_own_error(pendulum):
    with pytest.raises(UnknownNameError):
        pendulum.point("lowr")
