"""Runs side by side: each is the run that it is alone, and what one fails at ends that one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests import mechanisms
from tests.analysis import systems
from tests.approx import AT_STATES, ROUNDING

import kinetree as kt
from kinetree.errors import (
    AssemblyError,
    KinetreeError,
    ModelWarning,
    ShapeError,
    UnsupportedError,
)

EACH = ("termination", "end_time", "steps", "evaluations", "jacobians", "partitions")
"""What single runs have as attributes, and a batch as variables."""


def ball() -> kt.Model:
    """A ball that bounces, with a count of the bounces as a mode."""
    model = kt.Model("ball", gravity=(0, 0, -9.81))
    body = model.body("ball", mass=0.5)
    model.prismatic("z", model.ground, body, axis="z", initial=1.0)
    model.mode("count")
    model.event(
        "bounce",
        lambda q: q["z"],
        {"qd_z": lambda qd: -0.8 * qd["z"], "count": lambda x: x["count"] + 1},
        direction="falling",
    )
    return model


def belt() -> kt.Model:
    """A mass on a spring that rubs: it sticks and slides."""
    model = kt.Model("belt", gravity=(0, 0, -9.81))
    model.parameter("k", 40.0, unit="N/m")
    model.prismatic("x", model.ground, model.body("mass", mass=2.0), axis="x")
    model.joint_spring("spring", "x", stiffness=model.parameters["k"].symbol)
    model.dry_friction("rub", "x", coulomb=3.0, breakaway=4.0)
    return model


def crank() -> kt.Model:
    """A slider-crank, closed as it is."""
    return mechanisms.slider_crank(q2=-0.7420699814, q3=2.8192702668)


ANGLES = np.array([0.3, 1.0, 1.7])
CASES: dict[str, tuple[Callable[[], kt.Model], float, dict[str, Any]]] = {
    "events and modes": (ball, 1.5, {"q": np.array([[0.4], [1.0], [2.0]])}),
    "dry friction": (belt, 2.0, {"q": {"x": np.array([0.2, 0.5, 1.0])}}),
    "dry friction and parameters": (
        belt, 2.0, {"q": {"x": 0.7}, "parameters": {"k": np.array([20.0, 40.0, 90.0])}},
    ),
    "a closed loop": (crank, 1.0, {"q": {"q1": ANGLES}}),
    "a closed loop that changes coordinates": (
        crank, 3.0, {"q": {"q1": ANGLES}, "qd": {"q1": np.array([9.0, 10.0, 11.0])}},
    ),
    "efforts by name": (crank, 0.5, {"tau": {"q1": np.array([0.0, 5.0, 20.0])}}),
    "whole arrays": (
        systems.double_pendulum, 0.5,
        {"q": ANGLES[:, None] * [1, 0.5], "qd": np.zeros(2), "tau": ANGLES[:, None] * [1, 2]},
    ),
}  # fmt: skip
OTHERS = [
    (case, m) for case in ("events and modes", "a closed loop") for m in ("cvode_bdf", "RK45")
]


def one(given: Mapping[str, Any], number: int) -> dict[str, Any]:
    """What a run of a batch with one axis of three is given."""

    def row(value: Any, single: int) -> Any:
        array = np.asarray(value)
        return array[number] if array.ndim > single else value

    return {
        name: {key: row(x, 0) for key, x in value.items()}
        if isinstance(value, dict)
        else row(value, 1)
        for name, value in given.items()
    }


def assert_same(batch: Any, single: Any) -> None:
    """One run of a batch is the single run, to the last bit; its events and outcome as well."""
    for name in ("q", "qd", "qdd", "tau", "x", "lam", "hold"):
        assert (name in batch) == (name in single)
        if name in batch:
            np.testing.assert_array_equal(batch[name].values, single[name].values)
    if "event_time" in single:
        count = int(batch["event_count"])
        for name in ("event_name", "event_time", "event_y"):
            np.testing.assert_array_equal(batch[name].values[:count], single[name].values)
        assert (batch["event_name"].values[count:] == "").all()
        assert np.isnan(batch["event_time"].values[count:]).all()
    for name in EACH:
        if name in single.attrs:
            assert batch[name].item() == single.attrs[name], name


@pytest.mark.parametrize(("case", "method"), [*((case, "auto") for case in CASES), *OTHERS])
def test_a_batch_is_its_runs_one_by_one(case: str, method: str) -> None:
    make, duration, given = CASES[case]
    how = {"step": duration / 10, "method": method}
    batch = kt.simulate(make(), duration, **given, **how)
    assert batch["q"].dims == ("run", "time", "coordinate")
    for number in range(3):
        assert_same(
            batch.isel(run=number), kt.simulate(make(), duration, **one(given, number), **how)
        )


@pytest.mark.parametrize("formulation", ["hybrid", "topological", "global"])
def test_a_batch_of_equal_steps_is_its_runs_one_by_one(formulation: str) -> None:
    given = {"q": {"q1": ANGLES}, "qd": {"q1": np.array([9.0, 10.0, 11.0])}}
    how = {"method": "hht", "formulation": formulation, "step": 2e-3}
    batch = kt.simulate(crank(), 1.2, **given, **how)
    for number in range(3):
        single = kt.simulate(crank(), 1.2, **one(given, number), **how)
        for name in ("q", "qd", "qdd", "lam"):
            np.testing.assert_allclose(
                batch[name][number],
                single[name],
                rtol=AT_STATES,
                atol=AT_STATES * np.abs(single[name]).max(),
            )
        assert batch["termination"][number] == single.attrs["termination"]
        assert batch["steps"][number] == single.attrs["steps"]


def test_leading_axes_keep_their_shape() -> None:
    k = np.array([20.0, 40.0, 90.0])
    x = np.array([[0.5], [0.9]])
    batch = kt.simulate(belt(), 1.0, step=0.1, q={"x": x}, parameters={"k": k})
    assert batch["q"].dims == ("run_1", "run_2", "time", "coordinate")
    assert batch["q"].shape == (2, 3, 11, 1)
    assert batch["termination"].shape == (2, 3)
    np.testing.assert_array_equal(batch["parameters"].sel(parameter="k").values, [k, k])
    single = kt.simulate(belt(), 1.0, step=0.1, q={"x": 0.9}, parameters={"k": 20.0})
    assert_same(batch.isel(run_1=1, run_2=0), single)


def test_wrenches_act_in_their_runs() -> None:
    model = systems.pendulum()
    model.wrench("push", next(iter(model.bodies.values())))
    push = np.zeros((3, 6))
    push[:, 3] = [0.0, 1.0, 2.0]
    batch = kt.simulate(model, 0.3, step=0.1, wrenches={"push": push})
    np.testing.assert_array_equal(batch["external_wrench"].sel(wrench="push")[:, 0], push)
    for number in range(3):
        single = kt.simulate(model, 0.3, step=0.1, wrenches={"push": push[number]})
        np.testing.assert_array_equal(batch["q"][number], single["q"])


# --- runs that fail ------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [{}, {"method": "hht"}], ids=str)
def test_a_run_that_cannot_begin_is_told_and_the_others_go_on(how: dict[str, Any]) -> None:
    model = mechanisms.four_bar()
    with pytest.raises(AssemblyError, match="does not close"):
        kt.simulate(model, 0.1, step=0.01, parameters={"top.end_x": 9.0}, **how)
    lengths = np.array([2.0, 9.0, 2.05, 12.0])
    with pytest.warns(ModelWarning) as told:
        batch = kt.simulate(model, 0.1, step=0.01, parameters={"top.end_x": lengths}, **how)
    assert any("of run (1), and of 1 others of 4: closure 'pin'" in str(w.message) for w in told)
    assert np.isnan(batch["q"][[1, 3]]).all()
    assert np.isfinite(batch["q"][[0, 2]]).all()
    assert batch["termination"][0] == "finished"
    assert "does not close" in batch["termination"][3].item()


def test_a_run_that_ends_early_is_nan_from_there() -> None:
    model = kt.Model("root", gravity=(0, 0, 0))
    model.prismatic("x", model.ground, model.body("mass", mass=1.0), axis="x", initial=1.0)
    model.joint_law("law", "x", lambda q: -q["x"] - kt.functions.sqrt(q["x"]))
    with pytest.warns(ModelWarning, match=r"of run \(0\), and of 1 others of 3: NaN at t"):
        batch = kt.simulate(model, 1.2, step=0.1, q=[[0.2], [0.3], [9.0]], qd=[[0.0], [0.0], [9.0]])
    for number in range(2):
        reached = float(batch["end_time"][number])
        assert 0.1 < reached < 1.1
        assert "NaN at t" in batch["termination"][number].item()
        rows = batch["time"] <= reached
        assert np.isfinite(batch["q"][number][rows]).all()
        assert np.isnan(batch["q"][number][~rows]).all()
    assert np.isfinite(batch["q"][2]).all()


def test_all_runs_that_fail_alike_are_an_error() -> None:
    with pytest.raises(ShapeError, match="q"):
        kt.simulate(crank(), 0.1, q=np.ones((2, 5)))
    with pytest.raises(KinetreeError, match="nonsense"):
        kt.simulate(crank(), 0.1, q={"q1": ANGLES}, parameters={"nonsense": 1.0})


# --- options, files, pictures --------------------------------------------------------------------


def test_axes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ShapeError, match=r"leading axes of q 'q1' .*tau 'q1'"):
        kt.simulate(crank(), 0.1, q={"q1": ANGLES}, tau={"q1": np.zeros(2)})
    with pytest.raises(ShapeError, match="no run"):
        kt.simulate(crank(), 0.1, q={"q1": np.zeros(0)})


def test_every_step_of_a_batch_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="step 0"):
        kt.simulate(crank(), 0.1, q={"q1": ANGLES}, step=0)


@pytest.mark.parametrize("how", [{}, {"method": "trapezoidal"}], ids=str)
def test_a_batch_goes_through_a_file_and_goes_on(how: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "first.nc"
    kt.simulate(crank(), 0.2, q={"q1": ANGLES}, step=0.05, **how, file=file).close()
    first = kt.load_run(file)
    assert first["termination"].values.tolist() == ["finished"] * 3
    rest = kt.simulate(crank(), 0.2, step=0.05, continues=file, **how)
    assert float(rest["time"][0]) == 0.2
    for number in range(3):
        single = kt.simulate(crank(), 0.2, step=0.05, continues=first.isel(run=number), **how)
        np.testing.assert_array_equal(rest["q"][number], single["q"])


def test_a_batch_with_events_is_saved(tmp_path: Path) -> None:
    batch = kt.simulate(ball(), 1.0, step=0.1, q=[[0.3], [1.0]])
    kt.save_run(batch, tmp_path / "balls.nc")
    again = kt.load_run(tmp_path / "balls.nc")
    for name in batch.variables:
        np.testing.assert_array_equal(again[name].values, batch[name].values)


def test_a_batch_is_refused_where_one_run_is_wanted(tmp_path: Path) -> None:
    model = crank()
    batch = kt.simulate(model, 0.1, step=0.05, q={"q1": ANGLES})
    cure = r"take one: run.isel\(run=0\)"
    with pytest.raises(ShapeError, match=cure):
        kt.save_run(batch, tmp_path / "batch.csv")
    with pytest.raises(ShapeError, match=cure):
        kt.plot(batch, ["q"], tmp_path / "batch.png")
    with pytest.raises(ShapeError, match=cure):
        kt.reactions(model, batch)
    with pytest.raises(ShapeError, match=cure):
        kt.linearise(model, batch)
    with pytest.raises(ShapeError, match=cure):
        kt.animate(model, batch, tmp_path / "page.html")
    kt.plot(batch.isel(run=0), ["q"], tmp_path / "one.png")


def test_a_python_function_acts_in_every_run() -> None:
    batch = kt.simulate(
        systems.pendulum(), 0.3, step=0.1, q=[[0.1], [0.2]], tau=lambda t, q, qd: [0.5 * t]
    )
    single = kt.simulate(systems.pendulum(), 0.3, step=0.1, q=[0.2], tau=lambda t, q, qd: [0.5 * t])
    assert_same(batch.isel(run=1), single)


def test_outputs_of_a_batch_are_those_of_its_runs() -> None:
    k = np.array([20.0, 90.0])
    given = {"step": 0.1, "q": {"x": 0.5}, "outputs": ["energy.total", "spring.force"]}
    batch = kt.simulate(belt(), 0.5, parameters={"k": k}, **given)
    for number in range(2):
        single = kt.simulate(belt(), 0.5, parameters={"k": k[number]}, **given)
        for name in given["outputs"]:
            np.testing.assert_allclose(batch[name][number], single[name], rtol=ROUNDING)


@pytest.mark.parametrize("how", [{}, {"method": "hht"}], ids=str)
def test_many_runs_begin_where_single_ones_do(how: dict[str, Any]) -> None:
    """Hundreds of starts go through a Program; those whose loops it closes otherwise do not."""
    rng = np.random.default_rng(1)
    given = {"q": {"q1": rng.uniform(-1, 1, 300)}, "qd": {"q1": rng.uniform(-2, 2, 300)}}
    batch = kt.simulate(crank(), 0.02, step=0.01, **given, **how)
    for number in (0, 7, int(given["q"]["q1"].argmin()), int(given["q"]["q1"].argmax())):
        single = kt.simulate(
            crank(), 0.02, step=0.01, q={"q1": given["q"]["q1"][number]},
            qd={"q1": given["qd"]["q1"][number]}, **how,
        )  # fmt: skip
        for name in ("q", "qd", "qdd"):
            np.testing.assert_allclose(
                batch[name][number], single[name], rtol=AT_STATES, atol=AT_STATES
            )


def test_stops_act_in_their_runs() -> None:
    model = kt.Model("stopped", gravity=(0, 0, 0))
    model.prismatic("x", model.ground, model.body("mass", mass=1.0), axis="x")
    model.stop("wall", "x", upper=1.0, restitution=0.5)
    batch = kt.simulate(model, 1.0, step=0.1, qd=[[0.5], [2.0], [4.0]])
    for number, speed in enumerate((0.5, 2.0, 4.0)):
        assert_same(batch.isel(run=number), kt.simulate(model, 1.0, step=0.1, qd=[speed]))
