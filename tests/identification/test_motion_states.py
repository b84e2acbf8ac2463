"""Output error of machines with quaternions and with states that nobody recorded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.approx import FILTERED, READ_OFF, assert_close

import kinetree as kt

GUESS = (2.5, (0.02, 0.02, 0.1), (0.03, 0.03, 0.03))
DELAY = 0.01


def top(
    mass: float = 2.0, com: Any = (0.03, 0.02, 0.12), inertia: Any = (0.03, 0.04, 0.02, 0.002)
) -> kt.Model:
    """A body that turns about a point."""
    model = kt.Model("top", gravity=(0, 0, -9.81))
    body = model.body("body", mass, com, (*inertia, *(0.0,) * (6 - len(inertia))))
    model.spherical("s", model.ground, body)
    return model


def turning(_t: float, _q: Any = None, _qd: Any = None) -> Any:
    return np.array([0.3 * np.sin(2 * _t), 0.3 * np.cos(3 * _t), 0.2 * np.sin(4 * _t)])


def recorded(delay: float = 0.0) -> dict[str, Any]:
    """Quaternions and efforts of the top; coordinates come too late by the delay."""
    start = {"q": [np.cos(0.2), np.sin(0.2), 0, 0], "qd": [1.0, 0.5, 2.0]}
    run = kt.simulate(top(), 3.0, tau=turning, step=0.005, rtol=1e-10, **start)
    t, late = run.time.values, round(delay / 0.005)
    q = run.q.values
    tau = np.array([turning(x) for x in t])
    return {"time": t[late:], "q": q[: len(q) - late], "tau": tau[late:]}


def test_a_body_on_a_ball_is_found_with_a_delay_of_its_sensors() -> None:
    true = {"h_x": 0.06, "h_z": 0.24, "I_xx": 0.03 + 2 * (0.02**2 + 0.12**2), "I_xy": 0.0008}
    own = {"friction": (), "sensors": ["delay"]}
    found = kt.identify(top(*GUESS), recorded(DELAY), "output_error", **own)
    values = found.data.base_value.to_series()
    for name, value in true.items():
        assert_close(values[f"body.{name}"], value, READ_OFF, name)
    assert_close(found.parameters["s_w.delay"], DELAY, READ_OFF)
    assert found.data["unit_equation"].values.tolist() == [""] * 4
    # without recorded velocities those of quaternions are found for the other methods, too
    found = kt.identify(top(*GUESS), recorded(), friction=(), cutoff=0)
    for name, value in true.items():
        assert_close(found.parameters[f"body.{name}"], value, FILTERED, name)


def lagging(T: float, k: float, masses: tuple[float, float] = (2.0, 1.0)) -> kt.Model:
    """Two links; a spring pulls the second one to where it was a while ago."""
    model, inertia = kt.Model("lagging", gravity=(0, 0, -9.81)), (0.01, 0.05, 0.05)
    upper = model.body("upper", masses[0], (0.2, 0.01, 0), inertia)
    lower = model.body("lower", masses[1], (0.15, 0, 0), inertia)
    model.revolute("j1", model.ground, upper, axis="y")
    model.revolute("j2", upper.point("end", (0.4, 0, 0)), lower, axis="y")
    late, stiff = model.parameter("T", T, "s"), model.parameter("k", k)
    z = model.state("z", 0.0)
    model.state_rate("z", lambda q: (q["j2"] - z) / late)
    model.joint_law("pull", "j2", lambda q, qd: -stiff * (q["j2"] - z) - 0.4 * qd["j2"])
    model.joint_law("rub", "j1", lambda qd: -qd["j1"])
    return model


def pushed(_t: float, _q: Any = None, _qd: Any = None) -> Any:
    return np.array([8 * np.sin(1.3 * _t) + 5 * np.cos(3.1 * _t), 2 * np.cos(2 * _t)])


def test_laws_with_states_of_their_own_are_found() -> None:
    run = kt.simulate(lagging(0.15, 3.0), 3.0, q=[0.1, 0.2], tau=pushed, step=0.005, rtol=1e-10)
    t, q = run.time.values, run.q.values
    data: dict[str, Any] = {"time": t, "q": q, "tau": np.array([pushed(x) for x in t])}
    model = lagging(0.3, 2.0, (2.2, 0.9))
    own: dict[str, Any] = {"friction": (), "coefficients": ["T", "k"]}
    with pytest.raises(kt.errors.UnsupportedError, match="efforts depend on the state 'z'"):
        kt.identify(model, data, friction=())
    found = kt.identify(model, data, "output_error", **own)
    assert_close(found.parameters["T"], 0.15, READ_OFF)
    assert_close(found.parameters["k"], 3.0, READ_OFF)
    assert_close(found.data.base_value.to_series()["upper.h_x"], 0.8, READ_OFF)


def test_states_that_events_change_are_refused() -> None:
    model = lagging(0.15, 3.0)
    model.event("hit", lambda q: q["j1"], then={"z": 0.0})
    with pytest.raises(kt.errors.UnsupportedError, match=r"no events, .* has event 'hit'"):
        kt.identify(model, {"time": [], "q": [], "tau": []}, "output_error")
    with pytest.raises(kt.errors.UnsupportedError, match="no coordinates of a model with user st"):
        kt.identify(lagging(0.15, 3.0), {}, "output_error", locked={"j1": 0.0})
