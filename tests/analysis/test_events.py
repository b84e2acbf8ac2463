"""Events are found where they are, in their direction, and stop runs that they shall stop."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipk
from tests import mechanisms
from tests.analysis import systems
from tests.approx import AT_STATES, LONG_RUN, TRAJECTORY

import kinetree as kt
from kinetree.errors import KinetreeError
from kinetree.functions import select

QUARTER = np.sqrt(1 / systems.G) * ellipk(np.sin(1.0 / 2) ** 2)
"""Time of a pendulum of 1 m from an amplitude of 1 rad to its lowest place [s]."""
START = -np.pi / 2 + 1.0
METHODS = ("DOP853", "LSODA", "dop853", "dopri5", "cvode_bdf")


@pytest.mark.parametrize("method", METHODS)
def test_marked_events_are_recorded_in_order(method: str) -> None:
    run = kt.simulate(
        systems.pendulum(), 4.2 * QUARTER, q=[START], method=method, rtol=1e-10, atol=1e-12,
        events={
            "low": "q_swing + pi/2",
            "falling": kt.Event(lambda q: q["swing"] + np.pi / 2, "falling"),
            "turn": kt.Event(lambda qd: qd["swing"], "rising"),
        },
    )  # fmt: skip
    names = list(run.event_name.values)
    times = run.event_time.values
    expected = {"low": [1, 3], "falling": [1], "turn": [2]}
    for name, quarters in expected.items():
        found = [t for n, t in zip(names, times, strict=True) if n == name]
        assert found == pytest.approx([QUARTER * k for k in quarters], abs=LONG_RUN), name
    assert (np.diff(times) >= 0).all()
    assert run.attrs["termination"] == "finished"


@pytest.mark.parametrize("method", METHODS)
def test_a_stopping_event_ends_the_run_there(method: str) -> None:
    run = kt.simulate(
        systems.pendulum(), 10.0, q=[START], method=method, rtol=1e-10, atol=1e-12,
        events={"low": kt.Event("q_swing + pi/2", stops=True)},
    )  # fmt: skip
    assert run.attrs["termination"].startswith("event 'low' at t = ")
    assert run.time.values[-1] == pytest.approx(QUARTER, abs=LONG_RUN)
    assert run.q.values[-1, 0] == pytest.approx(-np.pi / 2, abs=LONG_RUN)
    assert run.event_y.values[-1] == pytest.approx([-np.pi / 2, run.qd.values[-1, 0]], abs=LONG_RUN)


def test_events_may_use_parameters_and_the_time() -> None:
    model = systems.pendulum()
    limit = model.parameter("limit", 0.25, "s")
    run = kt.simulate(model, 1.0, events={"a": kt.Event(lambda t: t - limit, stops=True)})
    assert run.time.values[-1] == pytest.approx(0.25)
    run = kt.simulate(model, 1.0, events={"a": kt.Event("t - 2*limit", stops=True)})
    assert run.time.values[-1] == pytest.approx(0.5)


def test_two_crossings_inside_one_step_are_seen() -> None:
    model = kt.Model("ball", gravity=(0, 0, -10))
    model.prismatic("z", model.ground, model.body("ball", mass=1.0), axis="z")
    run = kt.simulate(model, 1.0, q=[-0.2], qd=[4.0], method="DOP853", events={"level": "q_z"})
    roots = [0.4 - np.sqrt(0.12), 0.4 + np.sqrt(0.12)]
    assert run.event_time.values == pytest.approx(roots, abs=AT_STATES)


def stopped(model: kt.Model, coordinate: str, at: float) -> kt.Model:
    """The model with a one-sided spring on a coordinate from a value downwards."""
    model.joint_law(
        "stop", coordinate,
        lambda q: select(q[coordinate] - at, 0, -50 * (q[coordinate] - at)),
    )  # fmt: skip
    return model


@pytest.mark.parametrize("method", ["auto", "DOP853", "cvode_bdf"])
def test_branches_of_laws_are_marked_on_request(method: str) -> None:
    model = stopped(systems.pendulum(), "swing", -2.0)
    run = kt.simulate(model, 1.2, events={"laws": "laws", "same": "q_swing + 2"}, method=method)
    assert list(run.event_name.values) == ["laws: 2 + q_swing", "same"] * 2
    assert run.event_time.values[::2] == pytest.approx(run.event_time.values[1::2], abs=AT_STATES)
    assert run.event_y.values[:, 0] == pytest.approx(np.full(4, -2.0), abs=TRAJECTORY)


def test_a_branch_may_stop_a_run_of_a_closed_system() -> None:
    model = stopped(mechanisms.slider_crank(), "q3", 2.5)
    marks = kt.simulate(model, 2.0, events="laws", qd={"q1": 3.0})
    assert marks.event_y.values[:, 2] == pytest.approx(np.full(marks.sizes["event"], 2.5))
    events = {"touch": kt.Event("laws", "falling", stops=True)}
    run = kt.simulate(model, 2.0, events=events, qd={"q1": 3.0})
    assert run.attrs["termination"].startswith("event 'touch: ")
    assert run.time.values[-1] == pytest.approx(marks.event_time.values[0])


def test_a_model_without_branches_marks_nothing() -> None:
    assert "event_time" not in kt.simulate(systems.pendulum(), 0.1, events="laws")
    with pytest.raises(KinetreeError, match="'q_swing' has no name"):
        kt.simulate(systems.pendulum(), 0.1, events="q_swing")
