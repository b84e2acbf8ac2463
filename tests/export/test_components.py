"""Connected components in FMUs and C packages, as in `simulate`: axes of a robot, a thermostat."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acausal.msl_examples as msl
import kinetree as kt
from approx import COARSE_RUN, RUN, assert_close
from export.test_events import written
from kinetree.acausal import Component
from kinetree.export.building import compiler
from kinetree.library import r3

fmpy = pytest.importorskip("fmpy", reason="needs the package fmpy to load FMUs")
from fmpy.validation import validate_fmu  # noqa: E402

GCC, MAKE = compiler(), shutil.which("make")
compiled = pytest.mark.skipif(GCC is None, reason="needs a C compiler (gcc) on PATH")
built = pytest.mark.skipif(GCC is None or MAKE is None, reason="needs gcc and make on PATH")
pytestmark = [
    pytest.mark.crosscheck,
    pytest.mark.filterwarnings("ignore:stiff forces"),  # motors of 5000 rad/s
]
ROWS = 250
RUNS: dict[str, tuple[type[Component], float, int, float]] = {
    "axis": (msl.OneAxis, 1.5, 9, 5e-5),
    "robot": (r3.Robot, 1.856, 37, 5e-5),
    "heater": (msl.ControlledTemperature, 9.9, 30, 1e-3),
}
"""Component, duration [s], events, longest step of Co-Simulation that suits it [s]."""


@cache
def expected(name: str) -> tuple[Any, list[str]]:
    kind, duration, events, _ = RUNS[name]
    run = kt.simulate(kind(), duration, step=duration / ROWS, rtol=1e-10, atol=1e-11)
    assert len(run["event_time"]) >= events
    return run, [str(name) for name in run["state"].values]


def compare(run: Any, names: list[str], time: Any, found: Any) -> None:
    """Rows of states within 1e-5 of their range; those at events, where they jump, are left out."""
    step = float(run["time"][1])
    row = np.round(time / step).astype(int)
    apart = np.abs(time[:, None] - run["event_time"].values).min(axis=1) > 1e-4
    kept = (np.abs(time - row * step) < RUN) & apart
    assert kept.sum() > 0.8 * ROWS
    for name in names:
        own = run["x"].sel(state=name).values
        scale = max(float(np.ptp(own)), 1e-9)
        assert_close(found[f"x_{name}"][kept], own[row[kept]], COARSE_RUN, name, scale)


@compiled
@pytest.mark.parametrize("name", RUNS)
def test_an_fmu_of_components_runs_as_here(name: str, tmp_path: Path) -> None:
    """Both kinds, with the events at their times; the step of Co-Simulation suits the start."""
    kind, duration, _, step = RUNS[name]
    run, names = expected(name)
    path = str(kt.export_fmu(kind(), tmp_path / "m.fmu", derivatives=False))
    assert not validate_fmu(path)
    about = fmpy.read_model_description(path)
    assert float(next(row.start for row in about.modelVariables if row.name == "step")) == step
    for way in ("ModelExchange", "CoSimulation"):
        found = fmpy.simulate_fmu(
            path, fmi_type=way, stop_time=duration, output_interval=duration / ROWS,
            relative_tolerance=1e-10, record_events=True, output=[f"x_{n}" for n in names],
        )  # fmt: skip
        compare(run, names, np.array(found["time"]), found)
        if way == "ModelExchange":
            for t in run["event_time"].values:
                assert np.abs(found["time"] - t).min() < COARSE_RUN


@built
def test_a_c_program_of_an_axis_runs_as_here(tmp_path: Path) -> None:
    """The step that suits it is found; a line is written every 6 ms."""
    kind, duration, _, _ = RUNS["axis"]
    run, names = expected("axis")
    kt.export_c(kind(), tmp_path, duration=duration, every=6)
    found = written(tmp_path)
    compare(run, names, found["time"], found)


@compiled
def test_a_switch_that_begins_on_zero_goes_where_its_condition_does(tmp_path: Path) -> None:
    """A sine from t = 0 on presses a clutch: 0 - t > 0 is on zero at the start, and stays false."""
    made, names = msl.CoupledClutches(), ["J1.w", "J2.w", "J3.w", "J4.w"]
    path = str(kt.export_fmu(made, tmp_path / "m.fmu", derivatives=False, outputs=names))
    run = kt.simulate(made, 1.5, step=0.01, rtol=1e-9, atol=1e-11)
    found = fmpy.simulate_fmu(
        path, fmi_type="ModelExchange", stop_time=1.5, output_interval=0.01,
        relative_tolerance=1e-8, output=names,
    )  # fmt: skip
    row = np.round(found["time"] / 0.01).astype(int)
    kept = np.abs(found["time"] - 0.01 * row) < RUN
    assert len(set(row[kept])) == 151
    for name in names:
        assert_close(found[name][kept], run[name].values[row[kept]], COARSE_RUN, name, 10.0)
