"""Reactions are what Newton's law needs: hinges, sliders, closures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests import mechanisms
from tests.analysis import systems
from tests.approx import AT_STATES, EFFORTS, IDENTITY, TRAJECTORY, assert_close

import kinetree as kt
from kinetree.errors import KinetreeError


def test_a_hinge_carries_a_weight_at_rest() -> None:
    model = systems.pendulum(mass=3.0)
    run = kt.simulate(model, 0.1, q=[0.0], tau=[3.0 * systems.G])  # held horizontally
    found = kt.reactions(model, run).reaction_joint.sel(joint="swing").values
    expected = [0, 0, 3.0 * systems.G, 0, 3.0 * systems.G, 0]
    assert_close(found, np.tile(expected, (len(found), 1)), AT_STATES, scale=1.0)


def test_a_swinging_mass_pulls_at_its_hinge() -> None:
    model = systems.pendulum(mass=2.0)
    run = kt.simulate(model, 1.0, q=[-0.3], step=0.1)
    q, qd, qdd = (run[name].values[:, 0] for name in ("q", "qd", "qdd"))
    found = kt.reactions(model, run).reaction_joint.sel(joint="swing")
    along = -2.0 * qd**2 + 2.0 * systems.G * np.sin(q)  # m (a - g) along the rod
    across = 2.0 * qdd + 2.0 * systems.G * np.cos(q)
    assert_close(found.sel(part="fx").values, along, EFFORTS)
    assert_close(found.sel(part="fy").values, across, EFFORTS, scale=1.0)
    assert_close(found.sel(part="tz").values, np.zeros(11), EFFORTS, scale=1.0)
    assert list(found.unit_part.values) == ["N.m"] * 3 + ["N"] * 3


@pytest.mark.parametrize("loops", ["explicit", "multipliers", "projection"])
def test_the_slider_of_a_crank_obeys_newton(loops: str) -> None:
    model = mechanisms.slider_crank()
    run = kt.simulate(model, 0.5, qd={"q1": 3.0}, tau={"q3": 7.0}, step=0.05, loops=loops)
    found = kt.reactions(model, run)
    on_rod = found.reaction_closure.sel(closure="pin").values[:, 3:5]
    angle = run.q.values[:, 0] + run.q.values[:, 1]
    c, s = np.cos(angle), np.sin(angle)
    fx, fy = c * on_rod[:, 0] - s * on_rod[:, 1], s * on_rod[:, 0] + c * on_rod[:, 1]
    guide = found.reaction_joint.sel(joint="q3")
    assert_close(5.0 * run.qdd.values[:, 2], 7.0 - fx, TRAJECTORY, "along the guide", scale=10.0)
    assert_close(guide.sel(part="fx").values, np.full(11, 7.0), TRAJECTORY, "effort")
    assert_close(guide.sel(part="fy").values, fy + 5.0 * 9.81, TRAJECTORY, "across", scale=10.0)


def pushed() -> kt.Model:
    """A cart on x with a push from outside."""
    model = kt.Model("cart", gravity=(0, 0, -systems.G))
    cart = model.body("cart", mass=4.0)
    model.prismatic("x", model.ground, cart, axis="x")
    model.wrench("push", cart, frame="world")
    return model


def test_a_run_brings_its_wrenches_and_values(tmp_path: Path) -> None:
    model = pushed()

    def push(t: float, q: Any, qd: Any) -> list[float]:
        return [0, 0, 0, 2.0, 3.0 + t, 0]

    run = kt.simulate(model, 1.0, wrenches={"push": push}, parameters={"cart.mass": 5.0}, step=0.25)
    run = kt.load_run(kt.save_run(run, tmp_path / "run.nc"))
    assert_close(
        run.external_wrench.sel(wrench="push", part="fy").values, 3.0 + run.time.values, IDENTITY
    )
    found = kt.reactions(model, run, ["x"]).reaction_joint.sel(joint="x")
    assert_close(found.sel(part="fy").values, -3.0 - run.time.values, AT_STATES)
    assert_close(found.sel(part="fz").values, np.full(5, 5.0 * systems.G), AT_STATES)
    assert_close(run.qdd.values, np.full((5, 1), 0.4), AT_STATES)
    other = kt.reactions(model, run, wrenches={"push": [0.0] * 6}, parameters={})
    assert_close(
        other.reaction_joint.sel(part="fz").values, np.full((5, 1), 4.0 * systems.G), AT_STATES
    )


def test_names_choose_joints_and_closures(tmp_path: Path) -> None:
    model = mechanisms.slider_crank()
    run = kt.simulate(model, 0.1, step=0.05)
    found = kt.reactions(model, run, ["pin"])
    assert "reaction_joint" not in found
    assert found.reaction_closure.shape == (3, 1, 6)
    kt.save_run(found, tmp_path / "r.csv")
    assert "reaction_closure.pin.fx" in (tmp_path / "r.csv").read_text()
    with pytest.raises(KinetreeError, match="'pim'; did you mean 'pin'"):
        kt.reactions(model, run, ["pim"])
    with pytest.raises(KinetreeError, match=r"no multiplier of pin\.x"):
        kt.reactions(model, run.drop_vars(["lam", "equation"]))


def resting_arm(**more: Any) -> kt.Model:
    """A horizontal arm of 2 kg, its centre 0.5 m from its hinge."""
    model = kt.Model("arm", gravity=(0, 0, -systems.G))
    arm = model.body("arm", mass=2.0, com=(0.5, 0, 0), inertia=(0.1, 0.2, 0.2))
    model.revolute("hinge", model.ground, arm, axis="y")
    arm.point("tip", (0.8, 0, 0.1))
    return model


@pytest.mark.parametrize("turned", [False, True])
def test_a_hinge_carries_what_a_stop_between_points_leaves(turned: bool) -> None:
    """A post below the tip, or a block behind an axis of the arm, which gives a torque alone."""
    model, weight = resting_arm(), 2.0 * systems.G
    if turned:
        model.stop("post", points={"tip": "arm.tip"}, gap=lambda points: points["tip"].R[2][0])
        bears = 0.0
    else:
        model.stop("post", points={"tip": "arm.tip"}, gap=lambda points: points["tip"].p[2] - 0.1)
        bears = weight * 0.5 / 0.8
    run = kt.simulate(model, 0.3, step=0.1, outputs=["hinge.reaction.fz"])
    found = kt.reactions(model, run).reaction_joint.sel(joint="hinge").values
    assert_close(found[-1], [0, 0, 0, 0, 0, weight - bears], AT_STATES, scale=1.0)
    assert_close(run["hinge.reaction.fz"].values, found[:, 5], IDENTITY)
    with pytest.raises(KinetreeError, match="it has no contact force of post"):
        kt.reactions(model, run.drop_vars(["contact"]))


@pytest.mark.parametrize("force", [100.0, 10.0])
def test_a_hinge_carries_what_a_strut_leaves_that_sticks_or_slides(force: float) -> None:
    model, weight = resting_arm(), 2.0 * systems.G
    model.link_friction("strut", "arm.tip", model.ground.point("up", (0.0, 0, 0.9)), force)
    run = kt.simulate(model, 0.1, step=0.1)
    found = kt.reactions(model, run).reaction_joint.sel(joint="hinge").values[0]
    pull = -run["grip"].values[0, 0] / np.sqrt(2)
    lift = run["qdd"].values[0, 0] * 0.5 * 2.0  # the arm turns down by y
    assert_close(found, [0, 0, 0, pull, 0, weight - pull - lift], AT_STATES, scale=1.0)
    assert (abs(lift) > AT_STATES) == (force < 13.0)
