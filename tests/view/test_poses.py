"""Poses of a page are those of the kinematics Program; quaternions and matrices agree."""

from __future__ import annotations

import numpy as np
import pytest
from tests import mechanisms, zoo
from tests.approx import ROUNDING, TRAJECTORY
from tests.closed import KINDS, PARENTS, branches

import kinetree as kt
from kinetree.errors import ShapeError
from kinetree.view.clips import of_run
from kinetree.view.components import drawn_mechanism
from kinetree.view.packing import unpack
from kinetree.view.payload import Look, payload
from kinetree.view.poses import poses
from kinetree.view.quaternions import continue_signs, matrices, onto, quaternions
from kinetree.view.signals import as_run


def motion(model: kt.Model, frames: int) -> np.ndarray:
    """Smooth coordinates over some frames; quaternions of unit length."""
    rng = np.random.default_rng(5)
    t = np.linspace(0, 4, frames)[:, None]
    q = model.neutral() + np.sin(rng.uniform(0.5, 2, model.nq) * t + rng.uniform(0, 6, model.nq))
    at = 0
    for joint in model.leaders:
        for step in joint.motions:
            size = len(step.neutral)
            if size >= 4:
                q[:, at : at + 4] /= np.linalg.norm(q[:, at : at + 4], axis=1, keepdims=True)
            at += size
    return q


def test_poses_of_a_page_are_those_of_the_kinematics() -> None:
    model, _, _ = branches()
    assert {"spherical", "free", "screw"} <= set(KINDS)
    assert len(PARENTS) == len(model.bodies)
    q = motion(model, 120)
    run = as_run(model, {"time": np.linspace(0, 4, 120), "q": q})
    data = payload(model, of_run(run), Look())
    shown = unpack(data["poses"]).reshape(120, len(model.bodies), 7)
    program = kt.derive(model, "kinematics", points=list(model.bodies))
    rates = np.zeros((120, model.nv))
    wanted = program.evaluate(q=q, qd=rates, qdd=rates)
    for k, name in enumerate(model.bodies):
        assert np.abs(matrices(shown[:, k, :4]) - wanted[f"{name}.rotation"]).max() < TRAJECTORY
        assert np.abs(shown[:, k, 4:] - wanted[f"{name}.position"]).max() < TRAJECTORY


def test_a_body_that_never_moves_stands_where_its_joint_puts_it() -> None:
    model = kt.Model("still")
    model.joint("fixed", "weld", model.ground.point("p", (1, 2, 3)), model.body("b", mass=1))
    assert poses(model, np.zeros((3, 0)))[:, 0] == pytest.approx(
        np.tile([1, 0, 0, 0, 1, 2, 3], (3, 1))
    )


def test_quaternions_give_back_their_matrices_everywhere() -> None:
    rng = np.random.default_rng(3)
    turns = [zoo.rotation_about(rng.normal(size=3), a) for a in (*rng.uniform(-7, 7, 40), np.pi)]
    halves = [np.diag(d) for d in ((1, -1, -1), (-1, 1, -1), (-1, -1, 1), (1, 1, 1))]
    R = np.array([*turns, *halves], dtype=float)
    assert np.abs(matrices(quaternions(R)) - R).max() < ROUNDING


def test_continued_quaternions_never_jump() -> None:
    angles = np.linspace(0, 30, 500)
    e = continue_signs(quaternions([zoo.rotation_about((1, 2, 2), a) for a in angles]))
    assert np.abs(np.diff(e, axis=0)).max() < 0.05


@pytest.mark.parametrize("axis", [(0, 0, 1), (0, 0, -1), (1, 0, 0), (-1, 2, -3)])
def test_onto_brings_the_z_axis_there(axis: tuple[float, ...]) -> None:
    assert matrices(onto(axis))[:, 2] == pytest.approx(np.array(axis) / np.linalg.norm(axis))


def test_a_run_of_another_model_is_refused() -> None:
    model, _, _ = branches()
    with pytest.raises(ShapeError, match="the model has"):
        poses(model, np.zeros((2, 3)))


def test_a_run_is_drawn_with_the_values_that_it_was_made_with() -> None:
    model = mechanisms.slider_crank()
    longer = {"crank.tip_x": 1.3}
    run = kt.simulate(model, 0.02, step=0.01, parameters=longer)
    drawn, same = drawn_mechanism(model, run)
    assert same is run
    found = poses(drawn, run.q.values, run.time.values)
    rod = list(model.bodies).index("rod")
    assert np.linalg.norm(found[:, rod, 4:], axis=1) == pytest.approx(np.full(3, 1.3))
    assert drawn_mechanism(model, kt.simulate(model, 0.02, step=0.01))[0] is model
