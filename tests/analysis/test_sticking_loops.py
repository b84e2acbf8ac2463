"""Dry friction and locks in closed loops: independent and dependent joints, against NumPy."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.analysis.friction_reference import (
    Journey,
    Reference,
    along,
    assert_follows,
    travel,
)
from tests.approx import FORMALISM, IDENTITY, LONG_RUN, TRAJECTORY
from tests.mechanisms import slider_crank

import kinetree as kt
from kinetree.engine import sin
from kinetree.errors import AssemblyError, ModelWarning, UnsupportedError

MODELS = Path(__file__).parents[2] / "examples" / "models"


def crank_rocker() -> kt.Model:
    """Four bars of which the shortest, 'a', turns round; 'c' swings."""
    model = kt.Model("crank_rocker", gravity=(0, -9.81, 0))
    left, top, right = (
        model.body(n, mass=1.0, inertia=(1, 1, 1)) for n in ("left", "top", "right")
    )
    model.revolute("a", model.ground, left, initial=1.0)
    model.revolute("b", left.point("tip", (1, 0, 0)), top, initial=-0.9)
    model.revolute("c", model.ground.point("foot", (2, 0, 0)), right, initial=1.1)
    model.close_ball("pin", top.point("end", (2.4, 0, 0)), right.point("tip", (1.6, 0, 0)))
    return model


def five_bars() -> kt.Model:
    """Two cranks of 1 m on springs, 2 m apart, and two rods of 1.5 m that meet: two freedoms."""
    model = kt.Model("five_bars", gravity=(0, 0, 0))
    tips = []
    for side, x, turn, bend in (("l", 0.0, 1.9, -1.0), ("r", 2.0, 1.2, 1.0)):
        foot = model.ground.point(f"foot_{side}", (x, 0, 0))
        crank = model.body(f"crank_{side}", mass=1.0, com=(0.5, 0, 0), inertia=(0, 0.1, 0.1))
        rod = model.body(f"rod_{side}", mass=1.0, com=(0.7, 0, 0), inertia=(0, 0.2, 0.2))
        model.revolute(f"{side}1", foot, crank, initial=turn)
        model.revolute(f"{side}2", crank.point("tip", (1, 0, 0)), rod, initial=bend)
        tips.append(rod.point("tip", (1.5, 0, 0)))
    for name in ("l1", "r1"):
        model.joint_spring(
            f"spring_{name}", name, stiffness=150.0, rest=1.9 if name == "l1" else 1.2
        )
    model.close_ball("pin", *tips)
    return model


CASES: dict[str, tuple[Any, tuple[str, ...], tuple[float, ...], float]] = {
    "slider": (slider_crank, ("q3",), (12.0,), 40.0),  # passes its dead centre
    "crank": (slider_crank, ("q1",), (8.0,), 40.0),
    "rocker": (crank_rocker, ("c",), (6.0,), 40.0),  # turns back while the crank goes on
    "coupler": (crank_rocker, ("b",), (6.0,), 40.0),
    "two of two": (five_bars, ("l2", "r1"), (1.0, 3.0), 30.0),
    "three of two": (five_bars, ("l1", "l2", "r2"), (2.0, 1.0, 1.5), 40.0),
}


def pushed(case: str, *, friction: bool) -> kt.Model:
    """A mechanism with a torque that swings, and friction in some joints."""
    make, names, coulomb, push = CASES[case]
    model: kt.Model = make()
    model.joint_law("motor", model.velocities[0], lambda t: push * sin(5 * t))
    for name, value in zip(names, coulomb, strict=True) if friction else ():
        model.dry_friction(f"rub_{name}", name, value, 1.3 * value)
    return model


def simulated(case: str, method: str) -> Any:
    how: dict[str, Any] = {"step": 0.01, "rtol": 1e-11, "atol": 1e-12, "method": method}
    start = {"l1": 0.3} if case == "three of two" else {}  # in motion: three could not stick
    return kt.simulate(pushed(case, friction=True), 1.5, qd=start, **how)


@cache
def expected(case: str) -> Journey:
    _, names, coulomb, _ = CASES[case]
    bound, plain = np.array(coulomb), pushed(case, friction=False)
    run = simulated(case, "dop853")
    start = (run["q"].values[0], run["qd"].values[0])
    rows = along(plain, names)
    reference = Reference(plain, rows, lambda t, q: (bound, 1.3 * bound), start, 0 * bound)
    return travel(reference, 1.5)


@pytest.mark.parametrize("method", ["dop853", "DOP853"])
@pytest.mark.parametrize("case", CASES)
def test_friction_in_loops_event_by_event(case: str, method: str) -> None:
    """In native code, and step by step in Python, whichever joints are independent."""
    assert len(expected(case).times) >= 3
    assert_follows(simulated(case, method), expected(case))


def test_a_dependent_joint_that_sticks_stays() -> None:
    model = slider_crank()
    model.dry_friction("rub", "q3", coulomb=100.0)
    run = kt.simulate(model, 10.0, step=0.5)
    assert np.ptp(run["q"].values, axis=0).max() <= IDENTITY
    qdd = kt.derive(slider_crank(), "forward").compile()(
        q=run["q"].values[0], qd=np.zeros(3), tau=run["hold"].values[0]
    )["qdd"]
    np.testing.assert_allclose(qdd, 0, atol=FORMALISM)


# --- a car ---------------------------------------------------------------------------------------


RUBBING = ("R1_FR_carrier", "R1_FL_upper", "R3_RL_lower_front", "R2_RR_bar")


@cache
def car(*, friction: bool) -> kt.Model:
    """The limousine, with friction in joints of its suspensions: three depend on others."""
    model = kt.load(MODELS / "limousine.yaml")
    for name in RUBBING if friction else ():
        model.dry_friction(f"rub_{name}", name, coulomb=40.0)
    return model


def test_friction_in_the_suspensions_of_a_car() -> None:
    """A bump: accelerations, forces and modes are those of the complementarity problem."""
    model = car(friction=True)
    found = kt.partition(model)
    assert len(set(RUBBING) & set(found.dependent)) == 3
    f = kt.derive(model, "forward", partition=found).compile()
    plain, bound = car(friction=False), np.full(4, 40.0)
    at = [plain.velocities.index(name) for name in RUBBING]
    start = (found.q, np.zeros(plain.nv))
    seen = set()
    for push in (0.0, 150.0, 400.0, 3000.0):
        tau = np.zeros(plain.nv)
        tau[at] = push * np.array([1.0, -0.6, 0.9, 0.7])
        reference = Reference(
            plain, along(plain, RUBBING), lambda t, q: (bound, bound), start, bound * 0, tau
        )
        modes = np.zeros(4)
        for _ in range(40):
            out = f(q=found.q, qd=start[1], tau=tau, x=modes, t=0.0)
            modes, before = out["modes"], modes
            if (modes == before).all():
                break
        np.testing.assert_array_equal(modes, reference.modes)
        qdd, force = reference.motion(0.0, np.concatenate(start))
        np.testing.assert_allclose(out["hold"][at], force, atol=TRAJECTORY)
        np.testing.assert_allclose(out["qdd"], qdd, atol=LONG_RUN * (1 + np.abs(qdd).max()))
        seen.add(tuple(modes))
    assert len(seen) > 1


# --- what cannot be told apart, and refusals ------------------------------------------------------


def twice(**friction: float) -> kt.Model:
    """Friction in two joints of a mechanism with one freedom."""
    model = slider_crank()
    for name, coulomb in friction.items():
        model.dry_friction(f"rub_{name}", name, coulomb)
    return model


def test_frictions_that_hold_the_same_motion_are_named() -> None:
    with pytest.raises(
        AssemblyError, match=r"'rub_q1' and 'rub_q3' stick and hold the same motion, .*give one"
    ):
        kt.simulate(twice(q1=60.0, q3=60.0), 1.0, step=0.1)


def test_frictions_of_one_freedom_slide_and_stop_together() -> None:
    """Together they bear the load: one sticks, the other is at its bound."""
    run = kt.simulate(twice(q1=60.0, q3=60.0), 1.0, step=0.1, qd={"q1": 1.0})
    assert not run["qd"].values[1:].round(12).any()
    assert len(run["event_time"]) == 1
    hold = run["hold"].values[-1]
    assert np.abs(hold).max() == pytest.approx(60)
    plain = kt.derive(slider_crank(), "forward").compile()
    out = plain(q=run["q"].values[-1], qd=np.zeros(3), tau=hold)
    np.testing.assert_allclose(out["qdd"], 0, atol=FORMALISM)


def test_friction_on_a_joint_that_follows_a_drive_is_refused() -> None:
    model = slider_crank()
    model.drive("q1", lambda t: 0.5 + t)
    model.dry_friction("rub", "q3", coulomb=1.0)
    with pytest.raises(UnsupportedError, match="'rub': velocity 'q3' follows drives alone"):
        kt.derive(model, "forward")


@pytest.mark.parametrize("joint", ["q1", "q3"])
def test_a_lock_on_a_driven_mechanism_is_refused(joint: str) -> None:
    model = slider_crank()
    model.drive("q1", lambda t: 0.5 + t)
    model.lock("bolt", joint, 1.0)
    with pytest.raises(UnsupportedError, match=f"velocity '{joint}': it is .*keep one of them"):
        kt.derive(model, "forward")


@pytest.mark.parametrize("second", ["at once", "by an event", "by a law", "a friction"])
def test_locks_that_hold_one_freedom_of_a_loop_are_named(second: str) -> None:
    model = slider_crank()
    model.lock("bolt", "q1", 1.0)
    told = "'bolt' and 'pin' hold the same motion of the loops; open one of them"
    if second == "a friction":
        model.dry_friction("pin", "q3", 50.0)
    elif second == "by an event":
        model.lock("pin", "q3", model.mode("on"))
        model.event("close", then={"on": 1.0}, at=0.3)
    else:
        model.lock("pin", "q3", 1.0 if second == "at once" else lambda t: t - 0.3)
    if second in ("at once", "a friction"):
        with pytest.raises(AssemblyError, match=told):
            kt.simulate(model, 1.0, step=0.1)
        return
    with pytest.warns(ModelWarning, match=told):
        run = kt.simulate(model, 1.0, step=0.1)
    assert run.attrs["end_time"] == pytest.approx(0.3)


def test_locks_of_two_freedoms_do_not_compete() -> None:
    model = five_bars()
    for k, name in enumerate(model.velocities[:3:2]):
        model.lock(f"bolt{k}", name, 1.0)
    run = kt.simulate(model, 0.2, step=0.1)
    assert run.attrs["termination"] == "finished"
    assert not run["qd"].values.round(12).any()
