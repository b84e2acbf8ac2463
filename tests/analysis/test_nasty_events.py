"""Events that are hard to get right, each with the outcome that is stated for it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.analysis.test_happenings import GRAVITY, block
from tests.approx import LONG_RUN, RUN, TRAJECTORY

import kinetree as kt
from kinetree.errors import ModelWarning
from kinetree.functions import select

METHODS = ("dopri5", "dop853", "rk4", "DOP853", "cvode_adams")


def counting(when: Any, **more: Any) -> kt.Model:
    """A block that moves by 1 m/s, with an event that counts."""
    model = block()
    model.mode("n")
    model.event("hit", when, {"n": lambda x: x["n"] + 1}, **more)
    return model


def run(model: kt.Model, duration: float = 1.0, method: str = "dop853", **more: Any) -> Any:
    """It runs with 1 m/s."""
    return kt.simulate(model, duration, qd={"x": 1.0}, method=method, step=0.1, **more)


def last(found: Any) -> float:
    """The mode at the end."""
    return float(found["x"].values[-1, 0])


@pytest.mark.parametrize("method", METHODS)
def test_a_condition_that_is_positive_at_the_start_has_not_become_positive(method: str) -> None:
    assert last(run(counting(lambda q: q["x"] + 0.5), method=method)) == 0


@pytest.mark.parametrize("method", METHODS)
def test_a_condition_that_is_zero_at_the_start_and_rises_has_not_passed_zero(method: str) -> None:
    assert last(run(counting(lambda q: q["x"]), method=method)) == 0


@pytest.mark.parametrize("method", METHODS)
def test_a_zero_at_an_output_time_happens_once_and_shows(method: str) -> None:
    found = run(counting(lambda q: q["x"] - 0.5), method=method)
    assert last(found) == 1
    assert found["event_time"].values == pytest.approx([0.5], abs=RUN)


@pytest.mark.parametrize("method", METHODS)
def test_a_zero_at_the_end_happens_at_most_once(method: str) -> None:
    found = run(counting(lambda t: t - 1.0), method=method)
    assert last(found) in {0.0, 1.0}
    assert found.sizes["event"] == last(found)
    assert found.attrs["termination"] == "finished"


@pytest.mark.parametrize("method", ["dopri5", "dop853"])
def test_a_condition_that_grazes_zero_happens_at_most_once_and_the_run_goes_on(method: str) -> None:
    found = run(counting(lambda q: -((q["x"] - 0.53) ** 2), direction="both"), method=method)
    assert last(found) in {0.0, 1.0, 2.0}
    assert found.attrs["termination"] == "finished"


@pytest.mark.parametrize("method", METHODS)
def test_a_change_that_puts_its_condition_back_makes_a_saw(method: str) -> None:
    model = block()
    model.mode("n")
    model.state("w", 0.0, 1.0)
    model.event("saw", lambda x: x["w"] - 0.1, {"w": 0.0, "n": lambda x: x["n"] + 1})
    found = run(model, 0.95, method)
    assert last(found) == 9
    assert found["event_time"].values == pytest.approx(0.1 * np.arange(1, 10), abs=LONG_RUN)


@pytest.mark.parametrize("method", METHODS)
def test_a_change_onto_zero_does_not_happen_again_by_itself(method: str) -> None:
    model = block()
    model.mode("n")
    model.state("w", 0.0, 1.0)
    model.event("clip", lambda x: x["w"] - 0.3, {"w": 0.3, "n": lambda x: x["n"] + 1})
    assert last(run(model, 0.9, method)) == 1


@pytest.mark.parametrize("method", [*METHODS, "cvode_bdf", "BDF", "Radau"])
def test_a_condition_that_turns_on_zero_passes_it_twice(method: str) -> None:
    """It reaches zero when the clock turns it back: from the other side it passes zero again."""
    model = block()
    model.mode("n")
    model.mode("way", 1.0)
    model.event("hit", lambda x, t: x["way"] * (t - 0.5), {"n": lambda x: x["n"] + 1},
                direction="both")  # fmt: skip
    model.event("back", then={"way": -1.0}, at=0.5)
    found = run(model, method=method)
    assert list(found["event_name"].values) == ["hit", "back", "hit"]
    assert last(found) == 2


@pytest.mark.parametrize("method", METHODS)
def test_an_event_may_undo_the_change_that_made_it(method: str) -> None:
    model = block()
    model.mode("on")
    model.event("set", lambda q: q["x"] - 0.4, {"on": 1.0})
    model.event("unset", lambda x: x["on"] - 0.5, {"on": 0.0})
    found = run(model, method=method)
    assert list(found["event_name"].values) == ["set", "unset"]
    assert last(found) == 0


@pytest.mark.parametrize("method", METHODS)
def test_three_conditions_at_one_time_change_at_once(method: str) -> None:
    model = block()
    for name in "abc":
        model.mode(name)
    model.event("first", lambda q: q["x"] - 0.5, {"a": 1.0})
    model.event("second", lambda t: 2 * t - 1.0, {"b": lambda x: x["a"] + 10})
    model.event("third", lambda q, t: q["x"] + t - 1.0, {"c": lambda x: x["b"] + 100})
    found = run(model, method=method)
    assert found["x"].values[-1, 0] == 1
    assert found["x"].values[-1, 1] in {10, 11}  # at one time to rounding, in either order
    assert found["x"].values[-1, 2] in {100, 110, 111}
    assert sorted(found["event_name"].values) == ["first", "second", "third"]


@pytest.mark.parametrize("method", ["dopri5", "dop853", "DOP853"])
def test_chattering_is_named_and_what_was_reached_is_kept(method: str) -> None:
    model = block()
    model.mode("push", 1.0)
    model.joint_law("relay", "x", lambda x: 4.0 * x["push"])  # sliding along v = 1
    model.event("fast", lambda qd: qd["x"] - 1.0, {"push": -1.0})
    model.event("slow", lambda qd: qd["x"] - 1.0, {"push": 1.0}, direction="falling")
    with pytest.warns(ModelWarning, match=r"8 times within .* from t = 0\.5.*\(qd_x - 1\)"):
        found = kt.simulate(model, 2.0, method=method, step=0.1)
    assert found.attrs["end_time"] == pytest.approx(0.5, abs=TRAJECTORY)
    assert found["qd"].values[-1, 0] == pytest.approx(1.0, abs=TRAJECTORY)


def test_a_change_without_a_value_ends_the_run_by_name() -> None:
    model = block()
    model.state("w", 1.0, 0.0)
    model.event("root", lambda q: q["x"] - 0.5, {"w": lambda q, x: (0.4 - q["x"]) ** 0.5 * x["w"]})
    with pytest.warns(
        ModelWarning, match=r"the state after event 'root' \(q_x - 1/2\) has no value"
    ):
        found = run(model)
    assert found.attrs["end_time"] == pytest.approx(0.5)


@pytest.mark.parametrize("method", METHODS)
def test_a_tick_and_a_zero_at_one_time_both_happen(method: str) -> None:
    model = counting(lambda q: q["x"] - 0.5)
    model.mode("ticks")
    model.event("tick", then={"ticks": lambda x: x["ticks"] + 1}, every=0.25, offset=0.25)
    found = run(model, method=method)
    assert found["x"].values[-1] == pytest.approx([1, 4])


@pytest.mark.parametrize("method", ["dopri5", "dop853"])
def test_a_narrow_gate_is_not_stepped_over(method: str) -> None:
    model = kt.Model("throw", gravity=(0, 0, -GRAVITY))
    model.prismatic("z", model.ground, model.body("ball", mass=1.0), axis="z")
    model.mode("n")
    height = 2.0**2 / (2 * GRAVITY)
    model.event("top", lambda q: q["z"] - height + 1e-7, {"n": lambda x: x["n"] + 1},
                direction="both")  # fmt: skip
    found = kt.simulate(model, 0.4, qd={"z": 2.0}, method=method, step=0.4)
    assert last(found) == 2


def test_a_branch_of_select_makes_no_event() -> None:
    model = block()
    model.joint_law("law", "x", lambda q: select(q["x"] - 0.5, -1.0, 0.0))
    assert "event_time" not in run(model)


def test_events_of_a_long_run_are_not_taken_for_chattering() -> None:
    model = block()
    model.mode("n")
    model.event("tick", then={"n": lambda x: x["n"] + 1}, at=tuple(5e5 + 1e-4 * np.arange(50)))
    found = kt.simulate(model, 1e6, step=1e5)
    assert last(found) == 50
