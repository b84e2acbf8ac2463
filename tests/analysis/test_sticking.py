"""Runs with joints that stick, slide and are locked: closed forms, and a reference in NumPy."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests import zoo
from tests.approx import (
    AT_STATES,
    COARSE_RUN,
    FORMALISM,
    IDENTITY,
    ITERATED,
    LONG_RUN,
    ROUNDING,
    TRAJECTORY,
)
from tests.laws.test_dry_friction import searched_with_breakaway
from tests.mechanisms import slider_crank
from tests.reference import manutec

import kinetree as kt
from kinetree.engine import sin
from kinetree.errors import KinetreeError, ModelError, UnsupportedError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

G = 9.81


def block(angle: float = 30.0) -> kt.Model:
    """A block of 2 kg on a slope [deg], x down the slope."""
    slope = math.radians(angle)
    model = kt.Model("block", gravity=(G * math.sin(slope), 0, -G * math.cos(slope)))
    model.prismatic("x", model.ground, model.body("block", mass=2.0), axis="x")
    return model


# --- one joint -----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["auto", "dop853", "cvode_bdf", "Radau"])
def test_a_block_at_rest_on_a_slope_stays(method: str) -> None:
    model = block()
    model.dry_friction("rub", "x", coulomb=10.0)
    run = kt.simulate(model, 10.0, step=0.5, method=method)
    assert np.abs(run["q"].values).max() <= IDENTITY
    assert not run["x"].values.any()
    np.testing.assert_allclose(run["hold"].values, -G, rtol=ROUNDING)
    assert run["hold"].attrs["units"] == "N"


def test_a_block_that_slides_comes_to_rest_and_stays() -> None:
    model = block()
    model.dry_friction("rub", "x", coulomb=15.0)
    run = kt.simulate(model, 3.0, step=0.1, qd=[1.0])
    a = (15 - G) / 2
    assert run["event_name"].values.tolist() == ["rub"]
    assert float(run["event_time"][0]) == pytest.approx(1 / a, abs=IDENTITY)
    assert float(run["q"][-1, 0]) == pytest.approx(0.5 / a, abs=IDENTITY)
    assert float(run["qd"][-1, 0]) == 0.0
    assert run["x"].values[[0, -1], 0].tolist() == [1, 0]


def stick_slip(t_end: float, k: float, v: float, bounds: tuple[float, float]) -> list[float]:
    """Times at which a mass of 2 kg on a belt breaks away and sticks, by the closed form.

    Seen from the belt its spring is drawn at the speed v.  It breaks away when the spring has the
    force of breakaway, and swings about the force of sliding until it is at rest again.
    """
    coulomb, breakaway = bounds
    w = math.sqrt(k / 2.0)
    times, t = [], breakaway / (k * v)
    over = (breakaway - coulomb) / k
    while t < t_end:
        times.append(t)
        # x' = v (1 - cos wτ) + w over sin wτ vanishes again at τ = (2π - 2 atan(w over / v)) / w
        slide = (2 * math.pi - 2 * math.atan2(w * over, v)) / w
        t += slide
        if t < t_end:
            times.append(t)
        # the spring's excess has changed its sign: it is -over, and grows by k v to over
        t += 2 * over / v
    return times


def test_stick_and_slip_of_a_mass_on_a_belt() -> None:
    k, v, bounds = 50.0, 0.3, (6.0, 9.0)
    model = kt.Model("belt", gravity=(0, 0, -G))
    model.prismatic("x", model.ground, model.body("mass", mass=2.0), axis="x")
    model.dry_friction("rub", "x", *bounds)
    model.joint_law("spring", "x", lambda q, t: k * (v * t - q["x"]))
    run = kt.simulate(model, 6.0, step=0.05, rtol=1e-12, atol=1e-13)
    expected = stick_slip(6.0, k, v, bounds)
    assert len(expected) > 5
    np.testing.assert_allclose(run["event_time"].values, expected, atol=AT_STATES)


# --- six joints ----------------------------------------------------------------------------------


COULOMB = np.array([20.0, 200.0, 100.0, 5.0, 5.0, 2.0])
PUSH = np.array([60.0, 300.0, 150.0, 9.0, 12.0, 4.0])
WAYS = np.array([7.0, 9.0, 11.0, 13.0, 17.0, 19.0])


def shaken_arm(*, friction: bool) -> kt.Model:
    """The r3 with torques that swing, and dry friction in all joints."""
    arm = manutec.r3("rigid")
    for k, name in enumerate(arm.velocities):
        arm.joint_law(f"m{k}", name, lambda t, k=k: PUSH[k] * sin(WAYS[k] * t + k))
        if friction:
            arm.dry_friction(f"f{k}", name, COULOMB[k], 1.3 * COULOMB[k])
    return arm


@cache
def inertia() -> Any:
    return kt.derive(shaken_arm(friction=False), "mass_bias").compile()


class Reference:
    """The same motion by NumPy: modes by a search through all, legs by SciPy's DOP853."""

    def __init__(self) -> None:
        self.t, self.y, self.modes = 0.0, np.zeros(12), np.zeros(6)
        self.settle()

    def terms(self, t: float, y: Array) -> tuple[Array, Array]:
        out = inertia()(q=y[:6], qd=y[6:], t=t)
        return out["M"], -out["c"]

    def settle(self) -> None:
        M, rest = self.terms(self.t, self.y)
        given = {"coulomb": COULOMB, "breakaway": 1.3 * COULOMB, "qd": self.y[6:]}
        self.modes = searched_with_breakaway(M, rest, given, self.modes)

    def motion(self, t: float, y: Array) -> tuple[Array, Array]:
        """Accelerations and friction in the present modes."""
        M, rest = self.terms(t, y)
        force, qdd = -self.modes * COULOMB, np.zeros(6)
        free = np.flatnonzero(self.modes)
        qdd[free] = np.linalg.solve(M[np.ix_(free, free)], (rest + force)[free])
        return qdd, np.where(self.modes == 0, M @ qdd - rest, force)

    def slip(self, t: float, y: Array) -> Array:
        stuck = np.abs(self.motion(t, y)[1]) - 1.3 * COULOMB
        return np.where(self.modes == 0, stuck, -self.modes * y[6:])

    def advance(self, end: float) -> bool:
        """To the next event, or to the end."""
        events = []
        for k in range(6):
            event = lambda t, y, k=k: self.slip(t, y)[k]  # noqa: E731
            event.terminal, event.direction = True, 1  # type: ignore[attr-defined]
            events.append(event)
        leg = solve_ivp(
            lambda t, y: np.append(y[6:], self.motion(t, y)[0]), (self.t, end), self.y,
            "DOP853", events=events, rtol=1e-10, atol=1e-11,
        )  # fmt: skip
        self.t, self.y = float(leg.t[-1]), leg.y[:, -1].copy()
        if leg.status != 1:
            return False
        (k,) = (k for k, found in enumerate(leg.t_events) if len(found))
        if self.modes[k]:
            self.y[6 + k] = 0.0
            self.settle()
            return True
        self.modes[k] = 0  # it stuck: the search begins with the larger bound
        M, rest = self.terms(self.t, self.y)
        nudged = rest * 1.0
        force = self.motion(self.t, self.y)[1]
        nudged[k] -= 1e-7 * force[k]  # just beyond the bound
        given = {"coulomb": COULOMB, "breakaway": 1.3 * COULOMB, "qd": self.y[6:]}
        self.modes = searched_with_breakaway(M, nudged, given, self.modes)
        return True


@pytest.mark.parametrize("method", ["dop853", "DOP853"])
def test_six_joints_of_r3_row_by_row(method: str) -> None:
    """In native code, and step by step in Python."""
    how = {"method": method, "step": 0.03, "rtol": 1e-10, "atol": 1e-11}
    run = kt.simulate(shaken_arm(friction=True), 0.6, **how)
    reference, times, modes = Reference(), [], []
    for k, t in enumerate(run["time"].values[1:], 1):
        while reference.advance(float(t)):
            times.append(reference.t)
            modes.append(reference.modes)
        np.testing.assert_array_equal(run["x"].values[k], reference.modes)
        np.testing.assert_allclose(run["q"].values[k], reference.y[:6], atol=TRAJECTORY)
        np.testing.assert_allclose(run["qd"].values[k], reference.y[6:], atol=COARSE_RUN)
        force = reference.motion(reference.t, reference.y)[1]
        np.testing.assert_allclose(run["hold"].values[k], force, atol=10 * COARSE_RUN)
    assert len(times) > 10
    np.testing.assert_allclose(run["event_time"].values, times, atol=LONG_RUN)
    np.testing.assert_allclose(run["q"].values[-1], reference.y[:6], atol=TRAJECTORY)
    np.testing.assert_allclose(run["qd"].values[-1], reference.y[6:], atol=COARSE_RUN)
    np.testing.assert_array_equal(run["x"].values[-1], reference.modes)
    before = run["event_y"].values[:, 12:]
    np.testing.assert_array_equal(before[1:], np.array(modes)[:-1])


@pytest.mark.parametrize("seed", [2, 3, 12])
def test_energy_never_rises_in_trees_with_friction(seed: int) -> None:
    """Random trees that fall, most of their joints rubbing: universal and spherical ones too."""
    tree = zoo.random_tree(5, seed, ("revolute", "prismatic", "universal", "spherical", "screw"))
    rng = np.random.default_rng(seed)
    for name in tree.velocities:
        if rng.uniform() < 0.7:
            coulomb = float(rng.uniform(0.5, 8))
            tree.dry_friction(f"f_{name}", name, coulomb, coulomb * float(rng.uniform(1, 1.6)))
    state = zoo.state(tree, seed)
    start = {"q": state["q"], "qd": state["qd"] * (rng.uniform(size=tree.nv) < 0.5)}
    run = kt.simulate(tree, 2.0, step=0.02, **start, rtol=1e-9, atol=1e-11)
    assert run.sizes["event"] > 5
    out = kt.derive(tree, "energy").compile()(q=run["q"].values, qd=run["qd"].values)
    assert np.diff(out["kinetic"] + out["potential"]).max() < TRAJECTORY


# --- locks ---------------------------------------------------------------------------------------


def locked_pendulum() -> kt.Model:
    """Two links; a lock stops the second between 0.5 s and 1 s."""
    model = zoo.planar_pendulum(2)
    _, second = model.velocities
    model.lock("bolt", second, model.mode("shut"))
    model.event("close", then={"shut": 1, f"qd_{second}": 0}, at=0.5)
    model.event("open", then={"shut": 0}, at=1.0)
    return model


def test_a_lock_holds_its_joint_between_two_events() -> None:
    model = locked_pendulum()
    run = kt.simulate(model, 1.5, step=0.05, q=[0.7, 0.3], rtol=1e-10, atol=1e-12)
    t, q, qd = run["time"].values, run["q"].values, run["qd"].values
    shut = (t > 0.51) & (t < 0.99)
    assert np.ptp(q[shut, 1]) == 0
    assert not qd[shut, 1].any()
    assert np.ptp(q[t > 1.05, 1]) > 0.01
    # while shut it is one body: a new model with the angle fixed swings alike
    at = int(np.flatnonzero(np.isclose(t, 0.5))[0])
    held = zoo.planar_pendulum(2)
    held.lock("bolt", held.velocities[1], 1.0)
    one = kt.simulate(held, 0.45, step=0.05, q=q[at], qd=qd[at], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(one["q"].values[:, 0], q[at : at + 10, 0], atol=AT_STATES)


def test_a_lock_in_a_loop_stops_it() -> None:
    model = slider_crank()
    model.mode("shut")
    model.lock("bolt", "q3", lambda x: x["shut"])
    f = kt.derive(model, "forward").compile()
    found = kt.partition(model)
    state = {"q": found.q, "qd": np.zeros(3), "tau": np.zeros(3)}
    out = f(**state, x=[1.0])
    np.testing.assert_allclose(out["qdd"], 0, atol=IDENTITY)
    back = kt.derive(slider_crank(), "forward", partition=found).compile()
    np.testing.assert_allclose(back(**{**state, "tau": out["hold"]})["qdd"], 0, atol=FORMALISM)


@pytest.mark.parametrize("way", ["newton_euler", "order_n", "virtual_power", "dalembert"])
def test_forward_dynamics_with_locks_is_mixed_dynamics(way: str) -> None:
    plain, held = zoo.chain(4), zoo.chain(4)
    held.lock("a", "j1", 1.0)
    held.dry_friction("b", "j2", 5.0)
    state = zoo.state(plain, 2)
    state["qd"][2] = 0.0
    out = kt.derive(held, "forward", way).evaluate(
        q=state["q"], qd=state["qd"], tau=state["tau"], x=[0.0]
    )
    gamma = np.where([False, True, True, False], 0.0, state["tau"])
    mixed = kt.derive(plain, "mixed", known={"j1": "qdd", "j2": "qdd"})
    expected = mixed.evaluate(q=state["q"], qd=state["qd"], gamma=gamma)
    np.testing.assert_allclose(out["qdd"], expected["qdd"], atol=ITERATED)
    np.testing.assert_allclose(out["hold"], expected["tau"] - state["tau"], atol=ITERATED)


# --- files and refusals --------------------------------------------------------------------------


def test_files_hold_locks_and_friction(tmp_path: Path) -> None:
    model = locked_pendulum()
    model.dry_friction("rub", model.velocities[0], coulomb=0.5, breakaway=0.6, viscous=0.1)
    file = tmp_path / "model.yaml"
    kt.save(model, file)
    again = kt.load(file)
    assert again.content_hash() == model.content_hash()
    runs = [kt.simulate(m, 2.5, step=0.1, q=[0.7, 0.3]) for m in (model, again)]
    np.testing.assert_array_equal(runs[0]["q"].values, runs[1]["q"].values)
    assert len(runs[0]["event_time"]) > 1


def test_a_joint_is_held_by_one_element() -> None:
    model = block()
    model.dry_friction("rub", "x", coulomb=10.0)
    model.lock("bolt", "x", 1.0)
    with pytest.raises(ModelError, match="force 'bolt': another element locks 'x'"):
        kt.derive(model, "forward")


def test_friction_on_a_driven_joint_is_refused() -> None:
    model = block()
    model.dry_friction("rub", "x", coulomb=10.0)
    model.drive("x", lambda t: t)
    with pytest.raises(UnsupportedError, match="dry friction 'rub': velocity 'x' is driven"):
        kt.derive(model, "forward")


def test_a_locked_and_driven_joint_is_refused() -> None:
    model = block()
    model.lock("bolt", "x", 1.0)
    model.drive("x", lambda t: t)
    with pytest.raises(UnsupportedError, match="velocity 'x': it is driven and locked"):
        kt.derive(model, "forward")


def test_no_force_no_dry_friction() -> None:
    with pytest.raises(ModelError, match="its coulomb is 0"):
        block().dry_friction("rub", "x", coulomb=0)


REFUSED = {
    "steps": lambda model, _: kt.simulate(model, 1.0, method="hht"),
    "single": lambda model, folder: kt.export_c(model, folder / "a", precision="single"),
    "equilibrium": lambda model, _: kt.equilibrium(model),
    "derivatives": lambda model, _: kt.derive(model, "forward_derivatives"),
    "loops": lambda model, _: kt.derive(model, "forward", loops="multipliers"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_where_nothing_can_be_held_it_is_refused(what: str, tmp_path: Path) -> None:
    model = slider_crank() if what == "loops" else block()
    model.lock("bolt", model.velocities[0], 1.0)
    with pytest.raises(KinetreeError, match="force 'bolt' may hold its joint still"):
        REFUSED[what](model, tmp_path)


def test_sticking_that_bears_less_than_sliding_is_refused() -> None:
    model = kt.Model("block", gravity=(0, 0, 0))
    model.prismatic("x", model.ground, model.body("block", mass=1.0), axis="x")
    with pytest.raises(KinetreeError, match="force 'rub': its breakaway 1 is below its coulomb 5"):
        model.dry_friction("rub", "x", coulomb=5, breakaway=1)
    model.dry_friction("rub", "x", coulomb=5)
