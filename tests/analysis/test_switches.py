"""switch makes events, select makes none: branches of laws that change between steps alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.analysis.test_happenings import METHODS, block, slider_crank
from tests.approx import (
    AT_STATES,
    COARSE_RUN,
    IDENTITY,
    ITERATED,
    LONG_RUN,
    RUN,
    TRAJECTORY,
)

import kinetree as kt
from kinetree.engine.ops import MARKS
from kinetree.errors import KinetreeError, ModelWarning
from kinetree.functions import select, switch

TIGHT: dict[str, Any] = {"rtol": 1e-10, "atol": 1e-12}


def hopper(word: Any) -> kt.Model:
    """A block that is pushed by 4 N below half a metre and pushed back by 40 N above."""
    model = block(2.0)
    model.joint_law("law", "x", lambda q: word(q["x"] - 0.5, -40.0, 4.0))
    return model


def hops(t: Any) -> Any:
    """Its coordinate from rest at 0: parabolas, one after the other."""
    rise, speed = np.sqrt(0.5), 2 * np.sqrt(0.5)
    fall, period = rise + speed / 10, 2 * rise + speed / 10
    t = t % period
    above = 0.5 + speed * (t - rise) - 10 * (t - rise) ** 2
    below = 0.5 - speed * (t - fall) + (t - fall) ** 2
    return np.where(t < rise, t * t, np.where(t < fall, above, below))


@pytest.mark.parametrize("method", METHODS)
def test_a_switch_costs_less_than_a_selection_and_is_right(method: str) -> None:
    how = {} if method == "rk4" else TIGHT
    runs = [kt.simulate(hopper(word), 3.0, method=method, step=0.01, **how)
            for word in (select, switch)]  # fmt: skip
    near = RUN if method in ("cvode_adams", "cvode_bdf", "BDF") else IDENTITY
    assert runs[1]["q"].values[:, 0] == pytest.approx(hops(runs[1]["time"].values), abs=near)
    assert list(runs[1]["event_name"].values) == ["switch_1"] * 4
    assert "event_name" not in runs[0]
    if method != "rk4":
        assert runs[1].attrs["evaluations"] < 0.5 * runs[0].attrs["evaluations"]
        assert runs[1].attrs["steps"] < 0.5 * runs[0].attrs["steps"]
    else:
        assert abs(runs[0]["q"].values[:, 0] - hops(runs[0]["time"].values)).max() > 1e-3


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("way", [-1.0, 1.0])
def test_a_condition_that_is_zero_at_the_start_is_on_the_side_it_goes_to(
    method: str, way: float
) -> None:
    model = block(1.0)
    model.joint_law("law", "x", lambda q: switch(q["x"], 2.0, -3.0))
    run = kt.simulate(model, 1.0, qd={"x": way}, method=method, step=0.1)
    push, t = (2.0 if way > 0 else -3.0), run["time"].values
    assert run["q"].values[:, 0] == pytest.approx(way * t + push * t * t / 2, abs=TRAJECTORY)
    assert run.sizes["event"] == 0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("way", [-1.0, 1.0])
def test_a_condition_that_is_put_on_zero_takes_the_side_it_goes_to(method: str, way: float) -> None:
    """From either side."""
    for start in (-1.0, 1.0):
        model = block(1.0)
        model.joint_law("law", "x", lambda q: switch(q["x"], 2.0, -3.0))
        model.event("put", then={"q_x": 0.0, "qd_x": way}, at=0.5)
        run = kt.simulate(model, 1.0, q={"x": start * 9}, method=method, step=0.1)
        push, t = (2.0 if way > 0 else -3.0), run["time"].values[5:] - 0.5
        assert run["q"].values[5:, 0] == pytest.approx(way * t + push * t * t / 2, abs=TRAJECTORY)


@pytest.mark.parametrize("method", ["dop853", "rk4", "cvode_adams", "RK45"])
def test_a_start_on_the_other_side_makes_no_event(method: str) -> None:
    run = kt.simulate(hopper(switch), 0.1, q={"x": 2.0}, method=method, step=0.01)
    assert run["q"].values[-1, 0] == pytest.approx(2.0 - 10 * 0.1**2, abs=LONG_RUN)
    assert run.sizes["event"] == 0


def rope(word: Any) -> kt.Model:
    """A ball on an elastic rope, which pulls where it is longer than a metre."""
    model = kt.Model("rope", gravity=(0, 0, -9.81))
    model.prismatic("z", model.ground, model.body("ball", mass=1.0), axis="z", initial=-0.5)
    model.link("rope", model.ground, "ball", lambda length: word(length - 1, 300 * (length - 1), 0))
    return model


def test_conditions_may_use_what_a_force_knows() -> None:
    """Fall, a quarter swing and more, in closed form."""
    run, other = (kt.simulate(rope(word), 1.0, step=0.005, **TIGHT) for word in (switch, select))
    fall, speed, w = np.sqrt(2 * 0.5 / 9.81), np.sqrt(9.81), np.sqrt(300.0)
    t = run["time"].values
    low = (t > fall) & (t < fall + 2.0 / w)
    rest, s = 9.81 / 300, t[low] - fall
    expected = -1 - rest + rest * np.cos(w * s) - speed / w * np.sin(w * s)
    assert run["q"].values[low, 0] == pytest.approx(expected, abs=AT_STATES)
    assert run["event_time"].values[0] == pytest.approx(fall, abs=IDENTITY)
    assert run.attrs["evaluations"] < other.attrs["evaluations"]
    assert run["q"].values == pytest.approx(other["q"].values, abs=TRAJECTORY)


def test_rates_of_states_and_switches_inside_others() -> None:
    model = block()
    model.state("w", 0.0, lambda x, t: switch(t - 0.3, switch(x["w"] - 0.5, 10.0, 1.0), 2.0))
    run = kt.simulate(model, 0.5, step=0.05)
    t = run["time"].values
    expected = np.interp(t, [0, 0.3, 0.5], [0, 0.6, 2.6])
    assert run["x"].values[:, 0] == pytest.approx(expected, abs=ITERATED)
    assert run["x"].sizes["state"] == 1
    assert run["event_y"].sizes["component"] == 3


def test_a_branch_that_leads_back_at_once_is_told() -> None:
    model = block()
    model.joint_law("slide", "x", lambda qd: switch(qd["x"] - 0.5, -4.0, 4.0))
    with pytest.warns(ModelWarning, match=r"'switch_1' \(.*qd_x.*\)"):
        run = kt.simulate(model, 1.0, step=0.1)
    assert run.attrs["end_time"] == pytest.approx(0.25, abs=TRAJECTORY)


@pytest.mark.parametrize("method", ["dop853", "cvode_bdf"])
def test_a_closed_mechanism_with_a_switch(method: str) -> None:
    runs = []
    for word in (switch, select):
        model = slider_crank()
        model.joint_law("brake", "q1", lambda qd, word=word: word(qd["q1"] + 2.0, 0.0, 30.0))
        runs.append(kt.simulate(model, 1.0, method=method, step=0.05, **TIGHT))
    assert runs[0].sizes["event"] >= 1
    assert runs[0]["q"].values == pytest.approx(runs[1]["q"].values, abs=COARSE_RUN)


def test_a_run_goes_on_from_a_file(tmp_path: Path) -> None:
    whole = kt.simulate(hopper(switch), 2.0, step=0.1)
    kt.simulate(hopper(switch), 1.0, step=0.1, file=tmp_path / "half.nc")
    rest = kt.simulate(hopper(switch), 1.0, step=0.1, continues=tmp_path / "half.nc")
    assert rest["q"].values == pytest.approx(whole["q"].values[10:], abs=TRAJECTORY)


def test_runs_side_by_side_begin_on_their_own_sides() -> None:
    starts = np.array([0.0, 2.0, 0.1])
    runs = kt.simulate(hopper(switch), 2.0, step=0.1, q={"x": starts})
    (axis,) = set(runs["q"].dims) - {"time", "coordinate"}
    for k, start in enumerate(starts):
        alone = kt.simulate(hopper(switch), 2.0, step=0.1, q={"x": start})
        assert np.array_equal(runs["q"].isel({axis: k}).values, alone["q"].values)


def test_files_say_switch(tmp_path: Path) -> None:
    model = hopper(switch)
    kt.save(model, tmp_path / "model.yaml")
    assert "law: switch(" in (tmp_path / "model.yaml").read_text()
    again = kt.load(tmp_path / "model.yaml")
    assert again.content_hash() == model.content_hash() != hopper(select).content_hash()
    assert kt.simulate(again, 3.0, step=0.1).sizes["event"] == 4


def test_elsewhere_a_switch_is_a_selection() -> None:
    """In Programs, equilibria, linear models and equal steps."""
    models = hopper(switch), hopper(select)
    for model in models:
        model.joint_spring("spring", "x", 10.0, damping=1.0)
    programs = [kt.derive(model) for model in models]
    assert not any(mark.name in str(programs[0].blocks) for mark in MARKS)
    given = {"q": np.array([0.7]), "qd": np.array([0.1]), "tau": np.zeros(1)}
    assert programs[0].evaluate(**given)["qdd"] == programs[1].evaluate(**given)["qdd"]
    rest = [kt.equilibrium(model) for model in models]
    assert rest[0].q == pytest.approx(rest[1].q, abs=IDENTITY)
    linear = [kt.linearise(model) for model in models]
    assert np.array_equal(linear[0].A, linear[1].A)
    steps = [kt.simulate(model, 0.5, method="trapezoidal", step=0.01) for model in models]
    assert np.array_equal(steps[0]["q"].values, steps[1]["q"].values)


@pytest.mark.parametrize(
    "add",
    [
        lambda m: m.drive("q1", lambda t: switch(t - 1, t, 0.0)),
        lambda m: m.constrain("law", lambda q: switch(q["q1"], q["q2"], q["q3"])),
    ],
)
def test_where_no_branch_can_change_it_is_refused(add: Any) -> None:
    with pytest.raises(KinetreeError, match=r"law: 'switch' says nothing there; write select"):
        add(slider_crank())
