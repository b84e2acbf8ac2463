"""States of rest balance the forces; locked coordinates and freed parameters take their place."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import jn_zeros
from tests import mechanisms
from tests.analysis import systems
from tests.approx import (
    AT_STATES,
    COARSE_RUN,
    IDENTITY,
    READ_OFF,
    TRAJECTORY,
    assert_close,
)

import kinetree as kt
from kinetree.analysis.balance import acting_forces
from kinetree.analysis.runs.dynamics import dynamics
from kinetree.errors import KinetreeError, ModelError
from kinetree.functions import maximum, minimum


def test_a_pendulum_hangs() -> None:
    found = kt.equilibrium(systems.pendulum(), q=[-1.0])
    assert found.q == pytest.approx([-np.pi / 2], abs=IDENTITY)
    assert found.residual < AT_STATES


def test_an_unstable_place_is_an_equilibrium_too() -> None:
    assert kt.equilibrium(systems.pendulum(), q=[1.4]).q == pytest.approx([np.pi / 2], abs=IDENTITY)


def test_a_start_where_no_small_step_helps_is_left_aside() -> None:
    assert abs(kt.equilibrium(systems.pendulum(), q=[0.0]).q[0]) == pytest.approx(np.pi / 2)


def test_a_chain_of_springs_stretches_by_the_weight_below() -> None:
    n, k = 5, 300.0
    found = kt.equilibrium(systems.oscillators(n, k))
    below = 2.0 * systems.G * np.arange(n, 0, -1)
    assert_close(found.q, below / k, IDENTITY)


def test_a_heavy_top_on_a_spring_finds_its_quaternion() -> None:
    model = systems.top()
    found = kt.equilibrium(model, q=[np.cos(0.8), np.sin(0.8), 0, 0])
    assert np.linalg.norm(found.q) == pytest.approx(1.0)
    assert abs(found.q[0]) == pytest.approx(0.0, abs=AT_STATES)  # upside down: a half turn


def test_a_locked_coordinate_is_held_by_its_effort() -> None:
    model = systems.double_pendulum()
    found = kt.equilibrium(model, q=[0.3, -1.5], locked=["a"])
    assert found.q[0] == 0.3
    assert found.q.sum() == pytest.approx(-np.pi / 2, abs=AT_STATES)  # the lower rod hangs
    weight = (1.0 + 0.5) * systems.G * np.cos(0.3)
    assert found.efforts["a"] == pytest.approx(weight, rel=AT_STATES)


def test_a_freed_parameter_makes_a_place_an_equilibrium() -> None:
    model = systems.oscillators(1, k=100.0)
    found = kt.equilibrium(model, q=[0.05], locked=["x0"], free=["s0.stiffness"])
    assert found.q == pytest.approx([0.05])
    assert found.p["s0.stiffness"] == pytest.approx(2.0 * systems.G / 0.05, rel=AT_STATES)


def test_user_states_are_at_rest_too() -> None:
    model = kt.Model("filter", gravity=(0, 0, 0))
    model.prismatic("x", model.ground, model.body("m", mass=1.0), axis="x")
    model.state("force", 0.0, rate=lambda x: 3.0 * (7.0 - x["force"]))
    model.joint_law("pull", "x", lambda x, q: x["force"] - 14.0 * q["x"])
    found = kt.equilibrium(model)
    assert found.x == pytest.approx([7.0])
    assert found.q == pytest.approx([0.5])


def test_parameters_and_efforts_act() -> None:
    model = systems.oscillators(1, k=100.0)
    found = kt.equilibrium(model, tau=[5.0], parameters={"s0.stiffness": 50.0})
    assert found.q == pytest.approx([(2.0 * systems.G + 5.0) / 50.0])


def test_nothing_holds_a_falling_body() -> None:
    model = kt.Model("falling")
    model.prismatic("z", model.ground, model.body("stone", mass=1.0), axis="z")
    with pytest.raises(KinetreeError, match=r"'z' accelerates by 9\.81"):
        kt.equilibrium(model)


MISTAKES = {
    "locked": ({"locked": ["c"]}, "coordinate 'c'"),
    "free": ({"locked": ["a"], "free": ["mas"]}, "parameter 'mas'"),
    "too many": ({"free": ["gravity_y"]}, "lock as many"),
    "law": ({"tau": lambda t, q, qd: [0, 0]}, "force of the model"),
}


@pytest.mark.parametrize(("given", "said"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_sentences(given: dict[str, object], said: str) -> None:
    with pytest.raises(KinetreeError, match=said):
        kt.equilibrium(systems.double_pendulum(), **given)  # type: ignore[arg-type]


def corner() -> kt.Model:
    """A quarter car: an arm on two bushings, wishbone, tie rod, strut, a wheel above ground."""
    model = kt.Model("corner", gravity=(0, 0, -9.81))
    kb = model.parameter("kb", 1e7, "N/m")
    chassis = model.body("chassis", mass=350, inertia=(50, 50, 50))
    model.prismatic("heave", model.ground, chassis, axis="z")
    arm = model.body("arm", mass=6, com=(0, 0.2, 0), inertia=(0.1, 0.05, 0.12))
    model.free("arm", chassis.point("arm", (0, 0.3, 0.2)), arm)
    for name, x in (("front", 0.15), ("rear", -0.15)):
        ends = chassis.point(name, (x, 0.3, 0.2)), arm.point(name, (x, 0, 0))
        model.bushing(f"{name}_bush", *ends, stiffness=(kb,) * 3, rotation=(kb * 1e-5,) * 3)
    upright = model.body("upright", mass=20, com=(0, 0, 0.1), inertia=(0.5, 0.5, 0.3))
    model.spherical("upright", arm.point("ball", (0, 0.4, 0)), upright)
    wishbone = model.body("wishbone", mass=3, com=(0, 0.15, 0), inertia=(0.05, 0.02, 0.05))
    model.revolute("wishbone", chassis.point("wishbone", (0, 0.4, 0.45)), wishbone, axis="x")
    model.close_ball(
        "top", wishbone.point("ball", (0, 0.28, 0)), upright.point("top", (0, -0.02, 0.25))
    )
    rack, lever = (
        chassis.point("rack", (-0.12, 0.35, 0.28)),
        upright.point("lever", (-0.12, -0.01, 0.08)),
    )
    model.close_rod("tie", rack, lever, length=0.355)
    hub = upright.point("hub", (0, 0.05, 0.12))
    seat, tower = arm.point("seat", (0, 0.25, 0)), chassis.point("tower", (0, 0.35, 0.6))
    model.spring("strut", seat, tower, stiffness=60e3, length=0.42)
    model.force_law(
        "tyre",
        {"hub": hub},
        lambda points: {"hub": [0, 0, 2e5 * maximum(0.3 - points["hub"].p[2], 0)]},
    )
    return model


@pytest.mark.parametrize("stiffness", [1e4, 1e6, 1e7, 1e8])
def test_a_wheel_that_hangs_on_bushings_comes_to_stand(stiffness: float) -> None:
    model = corner()
    found = kt.equilibrium(model, parameters={"kb": stiffness})
    assert found.residual < COARSE_RUN  # where the bushings give up to 1e7 m/s2 per metre
    weight = sum(body.mass for body in model.bodies.values()) * 9.81
    still = np.zeros(model.nv)
    place = kt.derive(model, "kinematics", points=["upright.hub"])
    height = place.evaluate(q=found.q, qd=still, qdd=still)["upright.hub.position"][2]
    assert 2e5 * (0.3 - height) == pytest.approx(weight, rel=TRAJECTORY)


def test_what_nothing_holds_is_named() -> None:
    model = kt.Model("sledge", gravity=(0, 0, -9.81))
    sledge = model.body("sledge", mass=2.0)
    model.prismatic("x", model.ground, sledge, axis=(0.6, 0, 0.8))
    bob = model.body("bob", mass=1.0, com=(0, 0, -0.4))
    model.revolute("swing", sledge, bob, axis="y", initial=0.3)
    with pytest.raises(ModelError, match="nothing holds 'x': lock them by locked="):
        kt.equilibrium(model)
    assert kt.equilibrium(model, locked=["x"]).q[1] == pytest.approx(0.0, abs=AT_STATES)


def test_a_chain_of_a_hundred_links_hangs() -> None:
    found = kt.equilibrium(mechanisms.hanging(100))
    assert_close(found.q, np.array([-np.pi / 2, *[0.0] * 99]), AT_STATES)


def test_a_hanging_chain_swings_as_a_rope() -> None:
    """ω = j/2 sqrt(g/L), j the zeros of Bessel's J0."""
    model = mechanisms.hanging(20)
    slow = 2 * np.pi * kt.modes(model, at=kt.equilibrium(model)).natural[0]
    assert slow == pytest.approx(jn_zeros(0, 1)[0] / 2 * np.sqrt(9.81 / 10), rel=READ_OFF)


def test_what_accelerates_is_told_with_what_acts() -> None:
    model = kt.Model("pad", gravity=(0, 0, -9.81))
    block = model.body("block", mass=2.0, inertia=(0.1, 0.1, 0.1))
    model.prismatic("z", model.ground, block, axis="z")
    lid = model.body("lid", mass=0.5, com=(0.2, 0, 0), inertia=(0, 0.01, 0.01))
    model.revolute("lid", block, lid, axis="y", initial=0.3)
    model.joint_spring("hinge", "lid", stiffness=40.0)
    model.joint_law("pad", "z", lambda q: minimum(-300 * q["z"], 10.0))  # it carries 10 N at most
    said = r"'z' accelerates by 5\.[0-9]+.*along 'z' act: weight -24\.5, pad 10"
    with pytest.raises(ModelError, match=said):
        kt.equilibrium(model)


def test_forces_along_a_coordinate_balance_at_rest() -> None:
    model = corner()
    found = kt.equilibrium(model)
    system = dynamics(model)
    y = np.concatenate([found.q, np.zeros(model.nv)])
    for name in ("heave", "wishbone"):
        k = list(model.velocities).index(name)
        if k not in system.partition.u:
            continue
        forces = acting_forces(system, 0.0, y, found.tau, k)
        assert sum(forces.values()) == pytest.approx(
            0, abs=TRAJECTORY * max(map(abs, forces.values()))
        )
        assert forces["weight"] < 0


def test_a_run_and_another_state_of_rest_are_starts() -> None:
    model = systems.double_pendulum()
    rest = kt.equilibrium(model, q=[-1.2, -0.1])
    run = kt.simulate(model, 0.1, q=rest.q + 0.2)
    for start in (rest, run, {"q": rest.q + 0.2}):
        assert_close(kt.equilibrium(model, at=start).q, rest.q, AT_STATES)
    assert kt.equilibrium(model, at=rest).steps <= 1


def test_a_chain_between_two_points_falls_from_an_arch_to_a_catenary() -> None:
    """Links of equal length and mass: the tangents of their slopes rise by equal steps."""
    model = mechanisms.chain(20)
    start = kt.assemble(model, independent=["q0"]).q
    rest = kt.equilibrium(model, q=start)
    slopes = np.tan(np.cumsum(rest.q))
    assert slopes[0] < 0 < slopes[-1]
    assert_close(np.diff(slopes), np.full(19, np.diff(slopes).mean()), AT_STATES)
