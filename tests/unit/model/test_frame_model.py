"""Models given by position matrices: what they accept, what they refuse, what they move like."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.approx import IDENTITY, RUN

import kinetree as kt
from kinetree.algebra import Transform, disp, rot, rotq, rotx, rotz
from kinetree.errors import DuplicateNameError, ModelError, UnknownNameError, UnsupportedError
from kinetree.functions import cos, sin


def pendulum() -> kt.FrameModel:
    model = kt.FrameModel("pendulum")
    q = model.coordinate("q", initial=0.3)
    model.frame("bob", rotx(q) @ disp(0, 0, -2), mass=1.5)
    return model


def test_a_pendulum() -> None:
    out = kt.derive(pendulum(), "forward").evaluate(q=[0.3], qd=[0.8], tau=[0.6])
    assert np.allclose(out["qdd"], -9.81 / 2 * np.sin(0.3) + 0.6 / 6)


def test_what_it_tells_of_itself() -> None:
    model = pendulum()
    assert repr(model) == "FrameModel('pendulum', 1 bodies, nq=1, nv=1)"
    assert (model.coordinates, model.velocities) == (["q"], ["q"])
    assert model.initial().tolist() == [0.3]
    other = pendulum()
    assert other.content_hash() == model.content_hash()
    other.matrices["bob"] = other.matrices["bob"] @ disp(0, 0, 0.1)
    assert other.content_hash() != model.content_hash()


def test_rows_of_numbers_and_expressions_are_a_matrix_too() -> None:
    """Elements alone: angular velocities come from eq. (37) instead of the factors."""
    models = []
    for as_rows in (False, True):
        model = kt.FrameModel("arm", gravity=(0.3, -1.0, -9.81))
        a, b = model.coordinate("a"), model.coordinate("b")
        T = rotz(a) @ disp(0.3, 0, a) @ rot((1, 2, -1), b) @ disp(0, 0.4, 0.1)
        given: Any = T.rows if as_rows else T
        model.frame("arm", given, 2.0, (0.3, 0.4, 0.5, 0.01, 0.02, -0.03), com=(0.1, 0.2, 0.3))
        models.append(model)
    state = {"q": [0.4, -0.9], "qd": [1.1, 0.7], "qdd": [0.3, -0.5]}
    taus = [kt.derive(model, "inverse").evaluate(**state)["tau"] for model in models]
    assert np.allclose(taus[0], taus[1], rtol=IDENTITY)


def test_an_axis_that_moves() -> None:
    """A rotation about an axis that depends on a coordinate, against the same by two angles."""
    state = {"q": [0.4, -0.9], "qd": [1.1, 0.7], "qdd": [0.3, -0.5]}
    taus = []
    for moving in (True, False):
        model = kt.FrameModel("top")
        a, b = model.coordinate("a"), model.coordinate("b")
        turned = rot((cos(a), sin(a), 0), b)
        T = turned if moving else rotz(a) @ rotx(b) @ rotz(-a)
        model.frame("top", T @ disp(0.1, 0.2, 0.3), 2.0, (0.3, 0.4, 0.5))
        taus.append(kt.derive(model, "inverse").evaluate(**state)["tau"])
    assert np.allclose(taus[0], taus[1], rtol=IDENTITY)


def test_a_given_motion_in_the_matrices() -> None:
    """A pendulum whose support is shaken: l qdd = -(g + z'') sin q."""
    model = kt.FrameModel("shaken")
    q, t = model.coordinate("q"), model.t
    model.frame("bob", disp(0, 0, 0.2 * sin(5 * t)) @ rotx(q) @ disp(0, 0, -2), mass=1.5)
    program = kt.derive(model, "forward")
    assert program.input("t").units == ("s",)
    out = program.evaluate(q=[0.3], qd=[0.8], tau=[0.0], t=0.7)
    up = -5.0 * np.sin(3.5)
    assert np.allclose(out["qdd"], -(9.81 + up) / 2 * np.sin(0.3))
    seen = kt.derive(model, "kinematics").evaluate(q=[0.3], qd=[0.8], qdd=out["qdd"], t=0.7)
    swing = [0, 2 * 0.8 * np.cos(0.3), 2 * 0.8 * np.sin(0.3)]
    assert np.allclose(seen["bob.velocity"][3:], swing + np.array([0, 0, np.cos(3.5)]))
    run = kt.simulate(model, 0.5, step=0.1)
    assert run.attrs["termination"] == "finished"


def test_an_orientation_by_a_quaternion() -> None:
    """A free body keeps its angular momentum; Euler's equations give its acceleration."""
    model = kt.FrameModel("satellite", gravity=(0, 0, 0))
    e = model.quaternion("e")
    J = np.array([0.3, 0.5, 0.7])
    model.frame("satellite", rotq(*e), 4.0, tuple(J))
    assert model.velocities == ["e_wx", "e_wy", "e_wz"]
    w = np.array([0.4, -1.0, 0.6])
    out = kt.derive(model, "forward").evaluate(q=[1, 0, 0, 0], qd=w, tau=[0, 0, 0])
    assert np.allclose(out["qdd"], np.cross(J * w, w) / J)
    run = kt.simulate(model, 4.0, qd=w, rtol=1e-10, atol=1e-12)
    seen = kt.derive(model, "kinematics").evaluate(
        q=run.q.values, qd=run.qd.values, qdd=run.qdd.values
    )
    L = np.einsum("tij,tj->ti", seen["satellite.rotation"], J * run.qd.values)
    assert np.abs(L - L[0]).max() < RUN


def test_efforts_as_vectors_of_any_frame() -> None:
    """A force along an axis of the body: by its matrix, by its frame, and by hand."""
    taus = []
    for way in range(2):
        model = pendulum()
        bob = model.bodies["bob"]
        if way == 0:
            model.external("jet", bob, force=3.0 * model.matrices["bob"].R.uy)
        else:
            model.external("jet", bob, force=(0, 3.0, 0), frame="body")
        taus.append(kt.derive(model, "inverse").evaluate(q=[0.3], qd=[0], qdd=[0])["tau"])
    assert np.allclose(taus[0], taus[1])
    assert np.allclose(taus[0], 1.5 * 9.81 * 2 * np.sin(0.3) - 3.0 * 2)


def test_joints_closures_and_drives_are_refused() -> None:
    model = pendulum()
    for add in (
        lambda: model.revolute("hinge", model.ground, "bob"),
        lambda: model.close_ball("loop", model.ground, "bob"),
        lambda: model.drive("q", lambda t: t),
        model.tree,
    ):
        with pytest.raises(UnsupportedError, match="position matrices"):
            add()
    assert not hasattr(model, "revolute")
    with pytest.raises(AttributeError, match="no attribute 'revolut'"):
        model.revolut  # noqa: B018  asking is enough


def test_it_is_no_model_of_joints() -> None:
    """Nothing in one sort of model comes from the other: both are mechanisms."""
    assert kt.Model not in kt.FrameModel.__mro__
    assert not pendulum().closures
    assert not pendulum().drives
    with pytest.raises(kt.errors.ShapeError, match="give a Model or a FrameModel"):
        kt.derive("pendulum", "forward")  # type: ignore[arg-type]


def test_other_formalisms_and_quantities_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="no formalism 'lagrange'"):
        kt.derive(pendulum(), "forward", "lagrange")
    with pytest.raises(UnsupportedError, match="describe it as a Model of joints"):
        kt.derive(pendulum(), "regressor")
    with pytest.raises(UnsupportedError, match="not a quantity of points"):
        kt.derive(pendulum(), "inverse", points=["bob"])


def test_a_closed_tree_has_no_independent_matrices() -> None:
    model = kt.Model("closed")
    body = model.body("b", mass=1.0)
    model.revolute("j", model.ground, body, axis="x")
    model.constrain("c", lambda q, t: q["j"] - t)
    with pytest.raises(UnsupportedError, match="closures or drives"):
        kt.derive(model, "forward", "dalembert")


def test_mistakes_are_told_in_sentences() -> None:
    model = kt.FrameModel("wrong")
    q = model.coordinate("q")
    with pytest.raises(DuplicateNameError, match="coordinate of this name"):
        model.coordinate("q")
    with pytest.raises(ModelError, match="'deg' is not a valid unit"):
        model.coordinate("p", "deg")
    with pytest.raises(UnknownNameError, match="no name 'other'"):
        model.frame("b", rotx(kt.Model("m").parameter("other", 1.0)))
    with pytest.raises(ModelError, match="not 4×4"):
        model.frame("b", [[1, 0], [0, 1]])
    model.frame("b", Transform(rotx(q).R, (0, 0, 0)), mass=1.0)
    model.coordinate("idle")
    model.body("lost", mass=1.0)
    with pytest.raises(ModelError, match="no position matrix") as caught:
        kt.derive(model, "forward")
    assert "no body with mass depends on it" in str(caught.value)


def test_a_matrix_that_is_no_rotation_is_told() -> None:
    model = kt.FrameModel("skewed")
    q = model.coordinate("q")
    model.frame("b", [[1, q + 0.1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]], mass=1.0)
    with pytest.raises(ModelError, match="not orthonormal"):
        kt.derive(model, "forward")


def test_files_do_not_hold_matrices(tmp_path: Any) -> None:
    with pytest.raises(UnsupportedError, match="position matrices"):
        kt.save(pendulum(), tmp_path / "m.yaml")


def test_position_matrices_of_a_tree() -> None:
    model = kt.Model("chain")
    body = model.body("b", mass=1.0)
    model.revolute("j", model.ground.point("p", (0, 0.5, 0)), body, axis="z")
    assert str(kt.position_matrices(model)["b"].p.y) == "ground.p_y"
    frames = kt.as_frames(model)
    assert kt.as_frames(frames) is frames
    assert kt.position_matrices(frames)["b"] is frames.matrices["b"]
