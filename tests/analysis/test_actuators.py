"""Forces of actuators in closed systems: virtual power, least sums, bounds, free velocities."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.linalg import null_space
from scipy.optimize import linprog, minimize
from tests import mechanisms
from tests.analysis import systems
from tests.approx import AT_STATES, CLOSED, EFFORTS, FORMALISM, TRAJECTORY, assert_close

import kinetree as kt
from kinetree.analysis.bounded_least_norm import least_between
from kinetree.engine import sin
from kinetree.errors import KinetreeError, ModelWarning

OPTIMUM = 1e-5  # what a general optimiser finds

ALL = ["q1", "q2", "q3"]


@cache
def turning() -> Any:
    """A run of the slider-crank under 4 N.m on the crank."""
    start: dict[str, Any] = {"q": {"q1": 0.5}, "qd": {"q1": 3.0}, "tau": {"q1": 4.0}}
    return kt.simulate(mechanisms.slider_crank(), 1.0, step=0.1, **start)


def needs(model: kt.Model, run: Any) -> tuple[Any, Any]:
    """Forces that the open tree needs, and directions that the loops leave, at every time."""
    motion = {"q": run.q.values, "qd": run.qd.values, "qdd": run.qdd.values}
    psi = kt.derive(model, "inverse").evaluate(**motion)["tau"]
    J = kt.derive(model, "constraints").evaluate(q=run.q.values, qd=run.qd.values)["J"]
    return psi, [null_space(rows) for rows in J]


def balance(model: kt.Model, found: Any) -> float:
    """Largest violation of M qdd + c = tau + J^T lam."""
    psi, _ = needs(model, found)
    J = kt.derive(model, "constraints").evaluate(q=found.q.values, qd=found.qd.values)["J"]
    held = found.tau.values + np.einsum("tij,ti->tj", J, found.lam.values)
    return float(np.abs(psi - held).max())


@pytest.mark.parametrize("independent", ["q1", "q3"])
@pytest.mark.parametrize("actuator", ALL)
def test_one_actuator_anywhere_brings_the_same_power(actuator: str, independent: str) -> None:
    model, run = mechanisms.slider_crank(), turning()
    found = kt.inverse(model, run, actuators=[actuator], independent=[independent])
    k = ALL.index(actuator)
    assert_close(found.tau.values[:, k] * run.qd.values[:, k], 4.0 * run.qd.values[:, 0], EFFORTS)
    assert not np.delete(found.tau.values, k, axis=1).any()
    assert balance(model, found) < EFFORTS
    assert_close(found.qdd.values, run.qdd.values, EFFORTS)


def test_the_default_acts_on_independent_coordinates() -> None:
    found = kt.inverse(mechanisms.slider_crank(), turning(), independent=["q1"])
    assert found.attrs["actuators"] == "q1"
    assert_close(found.tau.values[:, 0], np.full(11, 4.0), EFFORTS)


def test_redundant_actuators_share_by_weight() -> None:
    model, run = mechanisms.slider_crank(), turning()
    found = kt.inverse(model, run, actuators=ALL, weights={"q1": 2.0, "q3": 0.5})
    W = np.diag([2.0, 1.0, 0.5])
    for tau, psi, R in zip(found.tau.values, *needs(model, run), strict=True):
        assert_close(tau, W @ R @ np.linalg.solve(R.T @ W @ R, R.T @ psi), EFFORTS, scale=1.0)
    assert balance(model, found) < EFFORTS


def test_bounds_are_kept_at_the_least_price() -> None:
    model, run = mechanisms.slider_crank(), turning()
    bounds = {"q1": (-0.5, 0.5), "q2": (-6.0, np.inf)}
    found = kt.inverse(model, run, actuators=ALL, bounds=bounds)
    assert np.abs(found.tau.values[:, 0]).max() <= 0.5
    assert found.tau.values[:, 1].min() >= -6.0
    assert balance(model, found) < EFFORTS
    box = [(-0.5, 0.5), (-6.0, None), (None, None)]
    for tau, psi, R in zip(found.tau.values, *needs(model, run), strict=True):
        equal = {"type": "eq", "fun": lambda x, psi=psi, R=R: R.T @ (x - psi)}
        best = minimize(
            lambda x: x @ x, np.zeros(3), bounds=box, constraints=equal, options={"ftol": 1e-14}
        )
        assert_close(tau, best.x, OPTIMUM, scale=1.0)


@pytest.mark.parametrize("seed", range(40))
def test_least_forces_agree_with_general_solvers(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m = int(rng.integers(2, 7))
    n = int(rng.integers(1, m))
    A, w = rng.normal(size=(n, m)), rng.uniform(0.1, 10, m)
    b = A @ rng.normal(size=m) * 10.0 ** rng.integers(-2, 4)
    tau = w * (A.T @ np.linalg.solve((A * w) @ A.T, b))
    size = np.abs(tau).max()
    low, high = -size * rng.uniform(0.2, 1.2, m), size * rng.uniform(0.2, 1.2, m)
    found, guilty = least_between(A, tau, w, (low, high))
    box = list(zip(low / size, high / size, strict=True))
    possible = linprog(np.zeros(m), A_eq=A, b_eq=b / size, bounds=box).status == 0
    assert possible == (found is not None)
    assert possible != bool(guilty)
    if found is not None:
        assert_close(A @ found, b, AT_STATES, scale=size)
        assert ((found >= low) & (found <= high)).all()
        equal = {"type": "eq", "fun": lambda x: A @ x - b / size}
        first = np.clip(tau, low, high) / size
        best = minimize(
            lambda x: x @ (x / w), first, bounds=box, constraints=equal, options={"ftol": 1e-13}
        )
        assert found @ (found / w) <= size**2 * best.fun * (1 + TRAJECTORY)


def test_bounds_that_cannot_be_kept_are_told() -> None:
    model, run = mechanisms.slider_crank(), turning()
    with pytest.raises(KinetreeError, match=r"actuator 'q1': at t = 0 s .* \(4 without it\)"):
        kt.inverse(model, run, actuators=["q1"], bounds={"q1": (-1, 1)})
    narrow = dict.fromkeys(ALL, (-0.01, 0.01))
    with pytest.raises(KinetreeError, match="actuators 'q1', 'q2', 'q3': at t = 0 s"):
        kt.inverse(model, run, actuators=ALL, bounds=narrow)


def with_pendulum() -> kt.Model:
    """The slider-crank with a pendulum that hangs from its slider."""
    model = mechanisms.slider_crank()
    bob = model.body("bob", mass=0.5, com=(0.4, 0, 0))
    model.revolute("swing", model.bodies["slider"], bob, axis="z", initial=-1.0)
    return model


@pytest.mark.parametrize("build", [systems.double_pendulum, with_pendulum])
def test_free_velocities_accelerate_as_in_the_run(build: Any) -> None:
    model = build()
    closed = bool(model.closures)
    act, free = ("q1", "swing") if closed else ("b", "a")
    options: dict[str, Any] = {"independent": ["q1", "swing"]} if closed else {}
    run = kt.simulate(model, 0.5, tau={act: lambda t, q, qd: 3 * np.cos(4 * t)}, step=0.05)
    blind = run.copy(deep=True)
    blind.qdd.loc[{"velocity": free}] = 99.0
    found = kt.inverse(model, blind, actuators=[act], free=[free], **options)
    assert_close(found.qdd.values, run.qdd.values, EFFORTS, "accelerations")
    assert_close(found.tau.values, run.tau.values, EFFORTS, "efforts", scale=1.0)


def test_drives_tell_their_own_efforts() -> None:
    model, plain = systems.double_pendulum(), systems.double_pendulum()
    model.drive("b", lambda t: 0.3 * sin(5 * t))
    run = kt.simulate(model, 1.0, step=0.1)  # prescribed elbow, free shoulder
    found = kt.inverse(model, run, actuators=[], free=["a"])
    truth = kt.inverse(plain, run).tau.values
    assert_close(found.tau.values[:, 1], truth[:, 1], EFFORTS, "elbow")
    assert np.abs(truth[:, 0]).max() < EFFORTS
    assert_close(found.qdd.values, run.qdd.values, EFFORTS)


def test_a_driven_crank_needs_what_an_actuator_would() -> None:
    model = mechanisms.slider_crank()
    model.drive("q1", lambda t: 0.5 + 3 * t + sin(t))
    moved = kt.kinematics(model, 1.0, step=0.1)
    found = kt.inverse(model, moved)
    other = kt.inverse(mechanisms.slider_crank(), moved, actuators=["q1"])
    assert_close(found.tau.values, other.tau.values, EFFORTS)
    assert_close(found.lam.values, other.lam.values, EFFORTS)


def test_a_motion_may_be_given_by_name_for_other_lengths() -> None:
    model, t = mechanisms.slider_crank(), np.linspace(0, 2, 201)
    angle = 0.5 + 4 * t
    motion = {"time": t, "q": {"q1": angle}}
    found = kt.inverse(model, motion, parameters={"rod.end_x": 2.2})
    place = np.cos(angle) + np.sqrt(2.2**2 - np.sin(angle) ** 2)
    assert_close(found.q.values[:, 2], place, FORMALISM)
    speed = -4 * np.sin(angle) * (1 + np.cos(angle) / np.sqrt(2.2**2 - np.sin(angle) ** 2))
    assert_close(found.qd.values[:, 2], speed, AT_STATES)
    assert found.attrs["actuators"] == "q1"


def test_a_motion_off_the_loops_is_told() -> None:
    run = turning().copy(deep=True)
    run.q.loc[{"coordinate": "q2"}] += 0.05
    with pytest.warns(ModelWarning, match=r"q of 'q2' is .* at t = "):
        found = kt.inverse(mechanisms.slider_crank(), run, independent=["q1"])
    assert_close(found.q.values, turning().q.values, AT_STATES)


MISTAKES: dict[str, tuple[dict[str, Any], str]] = {
    "actuator": ({"actuators": ["q7"]}, "no velocity that can be actuated 'q7'"),
    "too few": ({"actuators": []}, "as free"),
    "free": ({"actuators": [], "free": ["q9"]}, "'q9'"),
    "weights": ({"weights": {"q2": 1.0}}, "leave weights= out"),
    "weight": ({"actuators": ALL, "weights": {"q2": -1.0}}, "weight of 'q2'"),
    "weighted": ({"actuators": ALL, "weights": {"q9": 1.0}}, "'q9'"),
    "bounded": ({"bounds": {"q9": (0, 1)}}, "'q9'"),
    "bounds": ({"actuators": ["q1"], "bounds": {"q1": (1, 0)}}, "lowest, highest"),
}


@pytest.mark.parametrize(("given", "said"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_one_sentence(given: dict[str, Any], said: str) -> None:
    with pytest.raises(KinetreeError, match=said):
        kt.inverse(mechanisms.slider_crank(), turning(), **given)


def test_a_motion_out_of_reach_is_told_with_its_time() -> None:
    model, t = mechanisms.slider_crank(rod=0.9, q1=0.3, q2=-0.6, q3=1.5), np.linspace(0, 2, 21)
    with pytest.raises(KinetreeError, match=r"no value at t = 0\.9 s"):
        kt.inverse(model, {"time": t, "q": {"q1": 0.3 + t}})


def test_rolling_and_quaternions_share_forces_too() -> None:
    model = mechanisms.rolling_ball()
    names = list(model.velocities)
    run = kt.simulate(
        model, 0.3, qd=[0.3, 2.0, 0.5, 0.6, -0.09, 0], tau=[1, 2, 3, 4, 5, 6], step=0.1
    )
    free = kt.inverse(model, run, actuators=names)
    k = 1  # about y: a force along x does the same
    bound = 0.8 * float(np.abs(free.tau.values[:, k]).max())
    found = kt.inverse(model, run, actuators=names, bounds={names[k]: (-bound, bound)})
    assert np.abs(found.tau.values[:, k]).max() <= bound
    assert np.abs(found.tau.values - free.tau.values).max() > 0.1
    assert max(balance(model, free), balance(model, found)) < CLOSED
    for tau, psi, R in zip(free.tau.values, *needs(model, run), strict=True):
        assert_close(tau, R @ (R.T @ psi), EFFORTS, scale=1.0)
