"""Runs through singular positions: they pass, stay on their branch, or say what happened."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import scipy.integrate
from tests import mechanisms
from tests.approx import TRAJECTORY

import kinetree as kt
from kinetree.errors import AssemblyError, ModelWarning


@cache
def by_hand(duration: float) -> float:
    """Angle of the parallelogram of `mechanisms` from 1 rad and 6 rad/s, by its own equation."""
    inertia, moment = 0.5 + 1.0 + 4.0, 9.81 * (0.75 + 4.0 + 1.5)  # kg.m2, N.m
    found = scipy.integrate.solve_ivp(
        lambda _, y: [y[1], -moment / inertia * np.cos(y[0])],
        (0, duration), (1.0, 6.0), "DOP853", rtol=1e-11, atol=1e-11,
    )  # fmt: skip
    return float(found.y[0, -1])


@pytest.mark.parametrize("step", [5e-3, 1e-3, 5e-4, 2e-4, 1e-4])
def test_hybrid_steps_of_any_length_pass_a_singular_position(step: float) -> None:
    model = mechanisms.parallelogram()
    given = {"formulation": "hybrid", "qd": [6.0, -6.0, 6.0], "step": step}
    run = kt.simulate(model, 3.0, **given)
    assert run.attrs["termination"] == "finished"
    assert float(run.q[-1, 0]) == pytest.approx(by_hand(3.0), abs=20 * step**2)


@pytest.mark.parametrize("step", [1e-3, 5e-4, 1e-4])
def test_hybrid_steps_pass_the_four_bar_of_equal_bars(step: float) -> None:
    qd = [-1.0, -1.0, 1.0]
    run = kt.simulate(mechanisms.n_four_bar(1), 5.0, qd=qd, formulation="hybrid", step=step)
    assert run.attrs["termination"] == "finished"
    assert run.q.values[-1] == pytest.approx([-15.374481, -15.374481, 15.374481], abs=3 * step)


@pytest.mark.parametrize("formulation", ["hybrid", "topological", "global"])
def test_a_step_that_fails_at_a_singular_position_names_it(formulation: str) -> None:
    model = mechanisms.parallelogram()
    limit = 2 if formulation == "global" else 1
    given = {"formulation": formulation, "qd": [6.0, -6.0, 6.0], "limit": limit}
    with pytest.warns(ModelWarning, match=r"nearly singular, equation pin\.x") as told:
        kt.simulate(model, 3.0, step=1e-3, **given)
    text = str(told[0].message)
    assert "smaller step" not in text
    assert "body ''" not in text


def test_a_run_that_leaves_its_branch_says_so() -> None:
    model = mechanisms.parallelogram()
    with pytest.warns(ModelWarning, match=r"leaves its branch at t = .* closure 'pin'"):
        run = kt.simulate(model, 5.0, qd={"q1": 6.0}, loops="multipliers")
    left = np.abs(run.q.values[:, 0] + run.q.values[:, 1])  # 0 on the branch of the start
    assert left.max() > 1
    first = float(run.time.values[np.argmax(left > 1e-2)])
    told = float(run.attrs["discontinuities"].partition("t = ")[2].partition(",")[0])
    assert told == pytest.approx(first, abs=0.05)


@pytest.mark.parametrize("options", [{}, {"loops": "projection"}, {"formulation": "global"}])
def test_a_run_that_stays_on_its_branch_is_not_blamed(options: dict[str, str]) -> None:
    model = mechanisms.parallelogram()
    run = kt.simulate(model, 3.0, qd={"q1": 6.0}, **options)
    assert "discontinuities" not in run.attrs
    assert run.attrs["mobility"] == 1
    assert float(run.q[-1, 0]) == pytest.approx(by_hand(3.0), abs=2e-3)


def test_hits_and_fast_turns_are_no_change_of_branch() -> None:
    model = mechanisms.slider_crank()
    stop = lambda q: 1e6 * kt.functions.maximum(1.5 - q["q3"], 0.0)  # noqa: E731
    model.joint_law("stop", "q3", stop)
    kt.simulate(model, 0.5, qd={"q1": 100.0}, step=0.01)
    run = kt.simulate(model, 0.5, qd={"q1": 100.0}, formulation="hybrid", step=1e-3)
    assert "discontinuities" not in run.attrs


@pytest.mark.parametrize("options", [{}, {"formulation": "hybrid", "step": 1e-2}])
def test_a_drive_that_jumps_is_told(options: dict[str, Any]) -> None:
    model = mechanisms.slider_crank()
    model.drive("q1", lambda t: kt.functions.select(t - 0.5, 2.0, 1.0))
    with pytest.warns(
        ModelWarning, match=r"jump between t = 0\.5 .* drive of 'q1' jumps: 'q1' by 1"
    ):
        run = kt.simulate(model, 1.0, **options)
    assert "'q2' by" in run.attrs["discontinuities"]


@pytest.mark.parametrize("options", [{}, {"formulation": "hybrid", "step": 1e-2}])
def test_a_mechanism_that_cannot_move_is_told(options: dict[str, Any]) -> None:
    with pytest.warns(ModelWarning, match=r"'tilted' has mobility 0.* 'pin'"):
        run = kt.simulate(mechanisms.tilted(0.01), 0.1, **options)
    assert run.attrs["mobility"] == 0
    assert np.ptp(run.q.values, axis=0) == pytest.approx(0, abs=TRAJECTORY)


@pytest.mark.parametrize("formulation", ["hybrid", "topological", "global"])
def test_lengths_that_lock_a_mechanism_are_refused_not_wound_up(formulation: str) -> None:
    model = mechanisms.parallelogram()
    third = model.body("third", mass=1.0, com=(0.5, 0, 0), inertia=(0, 0.1, 0.1))
    model.revolute("q4", model.ground.point("mid", (1, 0, 0)), third, initial=1.0)
    tip = third.point("tip", (model.parameter("length", 1.0), 0, 0))
    model.close_ball("pin3", model.bodies["bar"].point("mid", (1, 0, 0)), tip)
    with pytest.raises(AssemblyError, match="closure 'pin3': the loop does not close"):
        kt.simulate(model, 0.1, formulation=formulation, parameters={"length": 0.9})


def test_the_most_steps_are_those_of_all_choices_together() -> None:
    with pytest.warns(ModelWarning, match="too many steps after"):
        run = kt.simulate(mechanisms.chain(3), 3.0, max_steps=150)
    assert run.attrs["partitions"] > 1
    assert run.attrs["steps"] <= 150
