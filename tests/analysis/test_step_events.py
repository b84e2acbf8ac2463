"""Events, clocks and memories in runs of equal steps: told at the end of a step, or located."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm
from tests.analysis.test_happenings import GRAVITY, block, bounces, slider_crank
from tests.approx import AT_STATES, CLOSED, COARSE_RUN, EQUAL_STEPS, IDENTITY, ITERATED, TRAJECTORY
from tests.export.models import LIMIT, ball, plastic, plastic_force, polyline, thermostat

import kinetree as kt
from kinetree.errors import KinetreeError, ModelWarning

NEWMARK = ("trapezoidal", "generalised_alpha")
STEP = 0.01


@pytest.mark.parametrize("method", NEWMARK)
def test_located_bounces_come_when_they_must(method: str) -> None:
    """Newmark's rules are exact for a constant acceleration, whatever the lengths of the steps."""
    run = kt.simulate(ball(), 2.0, method=method, step=STEP, locate=True)
    assert list(run["event_name"].values) == ["bounce"] * 3
    assert run["event_time"].values == pytest.approx(bounces(3), abs=ITERATED)
    assert run["time"].values == pytest.approx(STEP * np.arange(201), abs=IDENTITY)
    energy = 0.5 * run["qd"].values[:, 0] ** 2 + GRAVITY * run["q"].values[:, 0]
    laps = np.searchsorted(run["event_time"].values, run["time"].values)
    assert energy == pytest.approx(GRAVITY * 0.64**laps, rel=AT_STATES)


def test_bounces_are_told_when_they_happen_and_take_effect_at_the_end_of_the_step() -> None:
    run = kt.simulate(ball(), 1.0, method="trapezoidal", step=STEP)
    (t,) = run["event_time"].values
    assert t == pytest.approx(bounces(1)[0], abs=ITERATED)
    z, v = (float(part[0]) for part in np.split(run["event_y"].values[0], 2))
    assert z == pytest.approx(0.0, abs=ITERATED)
    assert v == pytest.approx(-np.sqrt(2 * GRAVITY), abs=AT_STATES)
    k = int(np.ceil(t / STEP))
    fallen = -GRAVITY * STEP * k
    assert run["q"].values[k, 0] < 0 < run["q"].values[k - 1, 0]
    assert run["qd"].values[k, 0] == pytest.approx(-0.8 * fallen, rel=AT_STATES)
    assert run.attrs["method"] == "trapezoidal"
    assert run.attrs["step"] == STEP
    assert run.attrs["formulation"] == "tree"


@pytest.mark.parametrize("locate", [False, True])
def test_a_relay_switches_within_a_step_of_where_it_must(locate: bool) -> None:
    step = 0.05
    run = kt.simulate(thermostat(), 20.0, method="trapezoidal", step=step, locate=locate)
    fine = kt.simulate(thermostat(), 20.0, step=step)
    count = run.sizes["event"]
    assert count >= fine.sizes["event"] - 1
    assert list(run["event_name"].values) == list(fine["event_name"].values[:count])
    late = np.abs(run["event_time"].values - fine["event_time"].values[:count])
    assert (late < (EQUAL_STEPS if locate else 2 * step * np.arange(1, count + 1))).all()


@pytest.mark.parametrize(("step", "locate"), [(0.01, False), (0.03, True)])
def test_a_sampled_servo_equals_its_exact_discrete_solution(step: float, locate: bool) -> None:
    """Between ticks the force is constant, so the trapezoidal rule is exact."""
    mass, period = 2.0, 0.05
    model = block(mass)
    model.joint_law("motor", "x", model.mode("force", unit="N"))
    hold = {"force": lambda q, qd: 40.0 * (1.0 - q["x"]) - 9.0 * qd["x"]}
    model.event("sample", then=hold, every=period)
    run = kt.simulate(model, 1.5, method="trapezoidal", step=step, locate=locate)
    F = expm(np.array([[0, 1, 0], [0, 0, 1 / mass], [0, 0, 0]]) * period)
    state, rows = np.zeros(2), []
    for _ in range(31):
        rows.append(state)
        state = (F @ [*state, 40.0 * (1.0 - state[0]) - 9.0 * state[1]])[:2]
    assert run["event_time"].values == pytest.approx(period * np.arange(31), abs=IDENTITY)
    assert run["event_y"].values[:, :2] == pytest.approx(np.array(rows), abs=AT_STATES)


def test_clocks_that_steps_do_not_divide_are_refused() -> None:
    model = block()
    model.sample("seen", model.clock("slow", 0.05), lambda q: q["x"])
    told = r"event 'slow': it happens at t = 0.05 s, inside a step of 0.03 s.*locate=True"
    with pytest.raises(KinetreeError, match=told):
        kt.simulate(model, 1.0, method="hht", step=0.03)
    other = block()
    other.event("late", at=(0.015,))
    with pytest.raises(KinetreeError, match=r"event 'late'.*t = 0\.015 s"):
        kt.simulate(other, 1.0, method="hht", step=STEP)


@pytest.mark.parametrize("method", ["trapezoidal", "semi_implicit_euler"])
def test_an_elastic_plastic_cycle_is_the_polyline(method: str) -> None:
    """Each turn ends a step."""
    run = kt.simulate(plastic(), 4.0, method=method, step=0.02, locate=True)
    force = plastic_force(run["q"].values[:, 0], run["x"].values[:, 0])
    assert force / LIMIT == pytest.approx(polyline(run["time"].values) / LIMIT, abs=IDENTITY)


def test_what_ends_a_run_and_what_is_only_recorded() -> None:
    watch = {"half": "q_x - 0.305", "last": kt.Event("q_x - 0.315", stops=True)}
    for locate, end in ((False, 0.32), (True, 0.315)):
        run = kt.simulate(
            block(), 1.0, qd={"x": 1.0}, method="hht", step=STEP, events=watch, locate=locate
        )
        assert list(run["event_name"].values) == ["half", "last"]
        assert run["event_time"].values == pytest.approx([0.305, 0.315], abs=ITERATED)
        assert run.attrs["end_time"] == pytest.approx(end, abs=ITERATED)
        assert run.attrs["termination"] == "event 'last' at t = 0.315 s"


@pytest.mark.parametrize("formulation", ["hybrid", "global"])
def test_a_kick_of_a_closed_mechanism_keeps_its_loops(formulation: str) -> None:
    model = slider_crank()
    model.event("kick", then={"qd_q1": lambda qd: qd["q1"] + 2.0}, at=0.2)
    run = kt.simulate(model, 0.4, formulation=formulation, step=2e-3)
    fine = kt.simulate(model, 0.4, step=2e-3)
    crank, rod, slider = run["q"].values.T
    assert np.cos(crank) + 2 * np.cos(crank + rod) == pytest.approx(slider, abs=CLOSED)
    assert np.sin(crank) + 2 * np.sin(crank + rod) == pytest.approx(0 * slider, abs=CLOSED)
    np.testing.assert_allclose(run["q"], fine["q"], atol=50 * COARSE_RUN)
    np.testing.assert_allclose(run["qd"][101], fine["qd"][101], atol=100 * EQUAL_STEPS)
    assert list(run["event_time"].values) == [0.2]


def test_many_runs_are_those_alone_and_go_on_from_files(tmp_path: Path) -> None:
    how: dict[str, Any] = {"method": "trapezoidal", "step": STEP, "locate": True}
    heights = np.array([0.5, 1.0, 2.0])
    runs = kt.simulate(ball(), 1.0, q={"z": heights}, **how)
    for k, height in enumerate(heights):
        alone = kt.simulate(ball(), 1.0, q={"z": height}, **how)
        np.testing.assert_array_equal(runs["q"].values[k], alone["q"].values)
    half = kt.simulate(ball(), 0.5, file=tmp_path / "half.nc", **how)
    rest = kt.simulate(ball(), 0.5, continues=tmp_path / "half.nc", **how)
    assert half.attrs["step"] == STEP
    np.testing.assert_allclose(rest["q"].values[-1], runs["q"].values[1, -1], atol=AT_STATES)


def test_bounces_without_end_end_the_run() -> None:
    with pytest.warns(ModelWarning, match="8 times within .*'bounce'"):
        run = kt.simulate(ball(), 6.0, method="trapezoidal", step=STEP, locate=True)
    limit = np.sqrt(2 / GRAVITY) * (1 + 2 * 0.8 / 0.2)
    assert run.attrs["end_time"] == pytest.approx(limit, abs=TRAJECTORY)


def test_methods_that_locate_anyhow_refuse_the_word() -> None:
    with pytest.raises(KinetreeError, match="locate: method 'dop853' has no use for it"):
        kt.simulate(ball(), 1.0, locate=True)


def test_what_holds_still_is_refused_in_equal_steps() -> None:
    model = block()
    model.dry_friction("brake", "x", 5.0)
    with pytest.raises(KinetreeError, match=r"equal steps: force 'brake'.*'dop853'"):
        kt.simulate(model, 1.0, method="hht", step=STEP)


def test_a_stepper_alone_refuses_events() -> None:
    from kinetree.integrate import Stepper

    with pytest.raises(KinetreeError, match=r"runs of a Stepper.*'bounce'.*kinetree.simulate"):
        Stepper(ball()).run(1.0, STEP)
