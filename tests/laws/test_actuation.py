"""Inverse dynamics of closed systems: forces that bring about the motion they were asked for."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.approx import AT_STATES, EFFORTS, ITERATED, LONG_RUN
from tests.closed import CLOSED
from tests.mechanisms import slider_crank

import kinetree as kt
from kinetree.errors import KinetreeError
from kinetree.pipeline import derive_actuation
from kinetree.program.verify import verify

Row = dict[str, Any]


@cache
def system() -> tuple[kt.Model, kt.Partition, kt.Program]:
    model = CLOSED["mechanism"]()
    found = kt.partition(model)
    return model, found, kt.derive(model, "forward", partition=found)


def state(seed: int = 3) -> Row:
    model, found, _ = system()
    rng = np.random.default_rng(seed)
    return {"q": found.q, "qd": rng.normal(size=model.nv), "qdd": rng.normal(size=model.nv)}


def check_motion(out: Row, values: Row, wanted: list[int]) -> None:
    """The forces that came out give, by forward dynamics, the accelerations that came out."""
    _, _, forward = system()
    back = forward.evaluate(q=values["q"], qd=values["qd"], tau=out["tau"])
    size = 1 + np.abs(back["qdd"]).max()
    np.testing.assert_allclose(back["qdd"], out["qdd"], atol=EFFORTS * size)
    np.testing.assert_allclose(
        back["lam"], out["lam"], atol=LONG_RUN * (1 + np.abs(out["lam"]).max())
    )
    np.testing.assert_allclose(out["qdd"][wanted], values["qdd"][wanted], atol=AT_STATES)


def test_actuators_on_the_independent_joints() -> None:
    model, found, _ = system()
    values = state()
    out = verify(derive_actuation(model, partition=found)).evaluate(**values)
    check_motion(out, values, list(found.u))
    assert not out["tau"][list(found.v)].any()


def test_actuators_on_other_joints() -> None:
    model, found, _ = system()
    values = state()
    names = [*found.independent[1:], found.dependent[0]]
    out = verify(derive_actuation(model, names, partition=found)).evaluate(**values)
    check_motion(out, values, list(found.u))
    assert out["tau"][model.velocities.index(found.independent[0])] == 0


def test_more_actuators_take_the_least_forces() -> None:
    model, found, _ = system()
    values = state()
    names = [*found.independent, *found.dependent[:2]]
    program = verify(derive_actuation(model, names, partition=found))
    weights = np.linspace(0.5, 2.0, len(names))
    out = program.evaluate(**values, weights=weights)
    check_motion(out, values, list(found.u))
    at = [model.velocities.index(name) for name in names]
    least = np.sum(out["tau"][at] ** 2 / weights)
    other = derive_actuation(model, names[: len(found.u)], partition=found).evaluate(**values)
    assert least < np.sum(other["tau"][at] ** 2 / weights)
    # least squares by NumPy: Rᵀ S τ = Rᵀ ψ, with R from the explicit model's response to forces
    _, _, forward = system()
    base = forward.evaluate(q=values["q"], qd=values["qd"], tau=np.zeros(model.nv))["qdd"]
    columns = [
        forward.evaluate(q=values["q"], qd=values["qd"], tau=np.eye(model.nv)[k])["qdd"] - base
        for k in at
    ]
    A = np.stack(columns, axis=-1)[list(found.u)]
    b = out["qdd"][list(found.u)] - base[list(found.u)]
    scaled = np.linalg.lstsq(A * np.sqrt(weights), b, rcond=None)[0] * np.sqrt(weights)
    np.testing.assert_allclose(out["tau"][at], scaled, atol=LONG_RUN * (1 + np.abs(scaled).max()))


def test_fewer_actuators_leave_accelerations_free() -> None:
    model, found, _ = system()
    values = state()
    free, names = found.independent[:2], found.independent[2:]
    program = verify(derive_actuation(model, names, free=free, partition=found))
    out = program.evaluate(**values)
    check_motion(out, values, [model.velocities.index(name) for name in names])


def test_drives_are_actuators_too() -> None:
    """The drive of a crank that turns steadily carries the torque of the whole mechanism."""
    model = slider_crank()
    model.drive("q1", lambda t: 0.5 + 2 * t)
    out = derive_actuation(model).evaluate(
        q=kt.partition(model).q, qd=np.zeros(3), qdd=np.zeros(3), t=0.0
    )
    free = slider_crank()
    found = kt.partition(free, out["q_closed"], independent=["q1"])
    back = kt.derive(free, "forward", partition=found).evaluate(
        q=out["q_closed"], qd=out["qd_closed"], tau=out["tau"]
    )
    np.testing.assert_allclose(back["qdd"], out["qdd"], atol=ITERATED)
    assert out["qd_closed"][0] == 2.0
    assert abs(out["tau"][0]) > 1.0


@pytest.mark.parametrize(
    ("actuators", "free", "message"),
    [(["j9"], (), "j9"), (["j0"], (), "free"), (None, ("j3",), "leave free")],
)
def test_refusals(actuators: Any, free: Any, message: str) -> None:
    model, found, _ = system()
    with pytest.raises(KinetreeError, match=message):
        derive_actuation(model, actuators, free=free, partition=found)
