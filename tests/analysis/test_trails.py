"""Adaptive runs of which some moments are kept: the gradient has the bits of the whole run."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
import pytest

import kinetree as kt
import lengths
import mechanisms
from analysis import systems
from kinetree.analysis.sensitivities.trail.moments import Moments
from kinetree.analysis.sensitivities.trail.trail import CHUNK


def bouncing() -> kt.Model:
    """A point that bounces off the ground and is caught by a spring when it is low."""
    model = kt.Model("bouncing", gravity=(0, -9.81, 0))
    body = model.body("body", mass=1.0)
    model.prismatic("x", model.ground, model.body("slide"), axis="x")
    model.prismatic("z", model.bodies["slide"], body, axis="y", initial=1.0)
    e, c = model.parameter("e", 0.8), model.parameter("c", 200.0)
    model.event("ground", lambda q: q["z"], direction="falling",
                then={"qd_z": lambda qd: -e * qd["z"]})  # fmt: skip
    model.joint_law("soft", "x", lambda q: -c * kt.functions.maximum(q["x"] - 0.5, 0))
    return model


RUNS: dict[str, tuple[Any, float, dict[str, Any], list[str], dict[str, Any]]] = {
    "quaternions": (
        systems.top, 0.5,
        {"end": kt.final("q_ball_x"), "rms": kt.rms("qd_ball_wx")},
        ["top.mass", "qd0.ball_wz"],
        {"qd": {"ball_wx": 1.0, "ball_wz": 20.0}},
    ),
    "events": (
        bouncing, 2.0,
        {"end": kt.final("q_x + q_z"), "work": kt.integral("qd_z**2"),
         "hit": kt.event_time("ground", 1), "at": kt.at_time("q_z", 0.777)},
        ["e", "c", "qd0.x", "q0.z"],
        {"qd": {"x": 1.0}},
    ),
    "choices": (
        lambda: mechanisms.chain(3), 1.5,
        {"end": kt.final("q_q0"), "work": kt.integral("qd_q0**2")},
        ["link0.mass", "link1.tip_x"],
        {},
    ),
    "loop": (
        lengths.four_bar, 1.0, {"end": kt.final("q_c"), "peak": kt.peak("qd_c")},
        ["crank", "coupler", "base"], {},
    ),
}  # fmt: skip


def binomial(steps: int, kept: int) -> int:
    """How often a step must be made at most with so many states beside the start."""
    found = 1
    while comb(kept + found, found) < steps:
        found += 1
    return found


@pytest.mark.parametrize("integrator", ["dopri5", "dop853", "rk4"])
@pytest.mark.parametrize("name", RUNS)
def test_the_gradient_has_the_same_bits(name: str, integrator: str) -> None:
    make, duration, measures, by, given = RUNS[name]
    run = {**given, "by": by, "integrator": integrator, "method": "adjoint"}
    run |= {"step": duration / 300} if integrator == "rk4" else {}
    whole = kt.sensitivity(make(), duration, measures, **run)
    part = kt.sensitivity(make(), duration, measures, memory=4000.0, **run)
    told = {key: part.attrs[f"sensitivity_{key}"] for key in ("steps", "repeats", "checkpoints")}
    assert np.array_equal(part.gradient, whole.gradient)
    assert told["steps"] == whole.attrs["sensitivity_steps"]
    assert 2 < told["checkpoints"] < told["steps"]
    changes = max(0, part.attrs["partitions"] - 1)  # steps that were made beyond them count, too
    assert 1 < told["repeats"] <= binomial(told["steps"] + CHUNK * changes, told["checkpoints"] - 1)
    assert (changes > 1) == (name == "choices")


def test_much_memory_keeps_every_state() -> None:
    make, duration, measures, by, given = RUNS["events"]
    found = kt.sensitivity(make(), duration, measures, by=by, memory=1e6, **given)
    assert found.attrs["sensitivity_method"] == "adjoint"
    assert found.attrs["sensitivity_repeats"] == 1


@pytest.mark.parametrize("kept", [1, 2, 3, 7, 20])
def test_no_step_is_made_more_often_than_by_the_best_plan(kept: int) -> None:
    """Whatever the number of steps turns out to be."""
    for steps in (2, 3, 10, 57, 230):
        moments, made = Moments(kept), [0] * steps
        at = 0
        for wanted in (steps, *reversed(range(steps))):  # first the run itself
            if wanted < steps:
                found = moments.before((0, wanted))
                at = 0 if found is None else found[0][1]
                assert found is None or found[1] == at
            for k in range(at, wanted):
                if k > at:
                    moments.offer((0, k), lambda k=k: np.array(k))  # type: ignore[misc]
                made[k] += 1
        assert max(made) <= binomial(steps, kept), (steps, kept)


REFUSED = {
    "direct": {"method": "direct"},
    "continuous": {"integrator": "DOP853"},
    "second": {"order": 2},
    "unsolved": {"equations": "semi-explicit"},
}


@pytest.mark.parametrize("name", REFUSED)
def test_memory_is_refused_where_no_states_are_kept(name: str) -> None:
    model, end = systems.double_pendulum(), {"end": kt.final("q_b")}
    with pytest.raises(kt.errors.UnsupportedError, match="memory"):
        kt.sensitivity(model, 0.1, end, by=["upper.mass"], memory=1e4, **REFUSED[name])
