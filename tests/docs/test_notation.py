"""The code keeps the conventions of docs/theory/notation.md."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kinetree as kt

MODELS = Path(__file__).resolve().parents[2] / "examples" / "models"
STILL = {"qd": [0.0], "qdd": [0.0]}


def lever(axis: str = "z", **gravity: tuple[float, float, float]) -> kt.Model:
    """A mass of 2 kg at 3 m on the x axis of a body that turns about `axis`."""
    model = kt.Model("lever", **gravity)
    body = model.body("arm", mass=2.0, com=(3, 0, 0))
    model.revolute("hinge", model.ground, body, axis=axis)
    return model


def test_joint_force_is_positive_when_it_increases_q() -> None:
    tau = kt.derive(lever(gravity=(0, -10, 0)), "inverse").evaluate(q=[0.0], **STILL)["tau"]
    assert tau == pytest.approx([60.0])


def test_gravity_points_down_along_z_by_default() -> None:
    model = lever(axis="y")
    assert model.gravity == (0, 0, -9.81)
    tau = kt.derive(model, "inverse").evaluate(q=[0.0], **STILL)["tau"]
    assert tau == pytest.approx([-6 * 9.81])


def test_positive_angles_follow_the_right_hand() -> None:
    program = kt.derive(lever(gravity=(0, -10, 0)), "inverse")
    tau = program.evaluate(q=[np.pi / 3], **STILL)["tau"]
    assert tau == pytest.approx([30.0])


def test_equations_are_m_qdd_plus_c_equal_tau() -> None:
    model = kt.load(MODELS / "scara.yaml")
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.uniform(-1, 1, (3, model.nv))
    parts = kt.derive(model, "mass_bias").evaluate(q=q, qd=qd)
    tau = kt.derive(model, "inverse").evaluate(q=q, qd=qd, qdd=qdd)["tau"]
    assert tau == pytest.approx(parts["M"] @ qdd + parts["c"])
    assert kt.derive(model, "forward").evaluate(q=q, qd=qd, tau=tau)["qdd"] == pytest.approx(qdd)


def test_wrenches_are_torque_then_force_at_their_point() -> None:
    model = lever(gravity=(0, 0, 0))
    model.wrench("push", model.bodies["arm"].point("tip", (4, 0, 0)))
    program = kt.derive(model, "inverse")
    tau = program.evaluate(q=[0.7], push=[0, 0, 5.0, 0, 1.0, 0], **STILL)["tau"]
    assert tau == pytest.approx([-(5.0 + 4.0)])


def test_quaternions_are_scalar_first_and_angular_stands_before_linear() -> None:
    model = kt.Model("body", gravity=(0, 0, -10))
    model.free("float", model.ground, model.body("box", mass=2.0, inertia=(1, 2, 2.5)))
    assert list(model.neutral()) == [1, 0, 0, 0, 0, 0, 0]
    assert [name[-1] for name in model.coordinates[:4]] == list("wxyz")
    parts = kt.derive(model, "mass_bias").evaluate(q=model.neutral(), qd=np.zeros(6))
    assert np.diag(parts["M"]) == pytest.approx([1, 2, 2.5, 2, 2, 2])
    assert parts["c"] == pytest.approx([0, 0, 0, 0, 0, 20])


def test_inertia_products_are_matrix_elements() -> None:
    model = kt.Model("plate", gravity=(0, 0, 0))
    body = model.body("plate", mass=1.0, inertia=(3, 4, 5, 0.1, 0.2, 0.3))
    model.spherical("pivot", model.ground, body)
    M = kt.derive(model, "mass_bias").evaluate(q=model.neutral(), qd=np.zeros(3))["M"]
    assert pytest.approx(M) == np.array([[3, 0.1, 0.2], [0.1, 4, 0.3], [0.2, 0.3, 5]])
