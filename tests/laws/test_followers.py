"""A joint that follows another is the full mechanism restricted to q = G u + g."""

from __future__ import annotations

import numpy as np
import pytest
from tests.approx import IDENTITY

import kinetree as kt

RATIO = np.array([1, -1.5, -0.75])
OFFSET = np.array([0, 0.2, 0.2])


def arm(*, follows: bool) -> kt.Model:
    """Three links with rotors; the second follows the first, the third follows the second."""
    model = kt.Model("arm")
    a, b, c = (
        model.body(name, 1.3, (0.3, 0.1, 0.05), (0.2, 0.3, 0.25, 0.01, 0.02, 0.03))
        for name in "abc"
    )
    model.revolute("q1", model.ground, a, axis="y", armature=0.7)
    second = ("q1", -1.5, 0.2) if follows else None
    model.revolute("q2", a.point("tip", (1, 0, 0)), b, axis="x", mimic=second, armature=0.4)
    third = ("q2", 0.5, 0.1) if follows else None
    at = b.point("tip", (1, 0.2, 0))
    model.prismatic("q3", at, c, axis=(0, 0.6, 0.8), mimic=third, armature=2.5)
    return model


@pytest.fixture(scope="module")
def state() -> dict[str, np.ndarray]:
    return {"q": np.array([0.4]), "qd": np.array([0.7]), "qdd": np.array([-0.3])}


def restricted(state: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {
        "q": RATIO * state["q"] + OFFSET,
        "qd": RATIO * state["qd"],
        "qdd": RATIO * state["qdd"],
    }


@pytest.mark.parametrize("way", ["newton_euler", "virtual_power", "lagrange"])
def test_forces_are_projected_on_the_coordinate(state, way):
    ours = kt.derive(arm(follows=True), "inverse", way).evaluate(**state)["tau"]
    full = kt.derive(arm(follows=False), "inverse", way).evaluate(**restricted(state))["tau"]
    assert ours == pytest.approx([RATIO @ full], rel=IDENTITY)


@pytest.mark.parametrize("way", ["newton_euler", "virtual_power", "lagrange"])
def test_the_mass_matrix_is_projected(state, way):
    q = {"q": state["q"], "qd": state["qd"]}
    ours = kt.derive(arm(follows=True), "mass_bias", way).evaluate(**q)["M"]
    q = {k: v for k, v in restricted(state).items() if k != "qdd"}
    full = kt.derive(arm(follows=False), "mass_bias", way).evaluate(**q)["M"]
    assert ours == pytest.approx(np.array([[RATIO @ full @ RATIO]]), rel=IDENTITY)


def test_forward_undoes_inverse(state):
    tau = kt.derive(arm(follows=True), "inverse").evaluate(**state)["tau"]
    prog = kt.derive(arm(follows=True), "forward")
    qdd = prog.evaluate(q=state["q"], qd=state["qd"], tau=tau)["qdd"]
    assert qdd == pytest.approx(state["qdd"], rel=IDENTITY)


def test_order_n_refuses_followers_by_name():
    with pytest.raises(kt.errors.UnsupportedError, match=r"joint 'q2'.*newton_euler"):
        kt.derive(arm(follows=True), "forward", "order_n")


def test_jacobians_are_projected(state):
    ours = kt.derive(arm(follows=True), "kinematics", points=["c"]).evaluate(**state)
    full = kt.derive(arm(follows=False), "kinematics", points=["c"]).evaluate(**restricted(state))
    assert ours["c.jacobian"][:, 0] == pytest.approx(full["c.jacobian"] @ RATIO, rel=IDENTITY)
    for name in ("position", "rotation", "velocity", "acceleration", "jdqd"):
        assert ours[f"c.{name}"] == pytest.approx(full[f"c.{name}"], rel=IDENTITY), name


@pytest.mark.parametrize("base", [True, False])
def test_the_regressor_is_projected(state, base):
    tau = kt.derive(arm(follows=True), "inverse").evaluate(**state)["tau"]
    out = kt.derive(arm(follows=True), "regressor", base_parameters=base).evaluate(**state)
    assert out["Y"] @ out["pi"] == pytest.approx(tau, rel=IDENTITY)


@pytest.mark.parametrize("rack_first", [False, True])
def test_a_leader_without_mass_is_held_by_what_follows_it(rack_first):
    model = kt.Model("pinion_and_rack", gravity=(0, 0, 0))
    pinion, rack = model.body("pinion"), model.body("rack", mass=3.0)
    joints = [
        lambda: model.revolute("turn", model.ground, pinion),
        lambda: model.prismatic("slide", model.ground, rack, mimic=("turn", 0.5, 0.0)),
    ]
    for add in reversed(joints) if rack_first else joints:
        add()
    qdd = kt.derive(model, "forward").evaluate(q=[0.1], qd=[0.2], tau=[1.5])["qdd"]
    assert qdd == pytest.approx([1.5 / (0.5**2 * 3.0)], rel=IDENTITY)


def test_a_leader_and_a_follower_without_mass_are_refused():
    model = kt.Model("weightless")
    model.revolute("turn", model.ground, model.body("pinion"))
    model.prismatic("slide", model.ground, model.body("rack"), mimic=("turn", 0.5, 0.0))
    with pytest.raises(kt.errors.ModelError, match="joint 'turn': the mass matrix is singular"):
        kt.derive(model, "forward")
