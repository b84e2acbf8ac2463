"""Events that change the state, modes and clocks: in FMUs and C packages as in `simulate`."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.approx import IDENTITY, LONG_RUN, assert_close

import kinetree as kt
from export.models import (
    LIMIT,
    STIFFNESS,
    SWING,
    TURN,
    ball,
    cascade,
    example,
    hopper,
    plastic,
    plastic_force,
    polyline,
    remembered_force,
    remembering,
    servo,
    thermostat,
)
from export.test_fmu import played
from kinetree.errors import UnsupportedError
from kinetree.export.building import compiler

fmpy = pytest.importorskip("fmpy", reason="needs the package fmpy to load FMUs")
from fmpy.fmi3 import FMU3Slave  # noqa: E402
from fmpy.validation import validate_fmu  # noqa: E402

GCC, MAKE = compiler(), shutil.which("make")
compiled = pytest.mark.skipif(GCC is None, reason="needs a C compiler (gcc) on PATH")
built = pytest.mark.skipif(GCC is None or MAKE is None, reason="needs gcc and make on PATH")
pytestmark = pytest.mark.crosscheck
KINDS = ("ModelExchange", "CoSimulation")
FLAGS = "-O1 -Wall -Wextra -Werror -pedantic"
TIGHT: dict[str, Any] = {"rtol": 1e-11, "atol": 1e-13}
NEAR = 1e-8
RUNS: dict[str, tuple[Callable[[], kt.Model], float]] = {
    "ball": (ball, 2.0),
    "room": (thermostat, 8.0),
    "servo": (servo, 1.0),
    "cascade": (cascade, 1.0),
    "hopper": (hopper, 3.0),
}
"""Model and duration [s]."""


def expected(model: kt.Model, duration: float) -> dict[str, Any]:
    """Column of every state in a run here, 41 rows."""
    run = kt.simulate(model, duration, step=duration / 40, **TIGHT)
    assert len(run["event_time"]) >= 3
    parts = (("q", "coordinate"), ("qd", "velocity"), ("x", "state"))
    return {
        f"{part}_{name}": run[part].values[:, k]
        for part, axis in parts
        for k, name in enumerate(run[axis].values if part in run else ())
    }


def written(folder: Path, *arguments: str) -> dict[str, Any]:
    """Columns that the program of a package writes, once it is built."""
    subprocess.run([str(MAKE), "-s", "-C", folder, f"CC={GCC}", f"CFLAGS={FLAGS}"], check=True)
    (program,) = (path for path in (folder / "build").iterdir() if not path.suffix)
    done = subprocess.run([program, *arguments], check=True, capture_output=True, text=True)
    head, *rows = csv.reader(io.StringIO(done.stdout))
    return dict(zip(head, np.array(rows, dtype=float).T, strict=True))


def assert_same(found: Any, truth: dict[str, Any], near: float = NEAR) -> None:
    for name, column in truth.items():
        scale = max(1.0, float(np.abs(column).max()))
        assert_close(found[name], column, near, name, scale)


@compiled
@pytest.mark.parametrize("version", ["3.0", "2.0"])
@pytest.mark.parametrize("name", RUNS)
def test_what_happens_here_happens_in_an_fmu(name: str, version: str, tmp_path: Path) -> None:
    make, duration = RUNS[name]
    path = str(kt.export_fmu(make(), tmp_path / "m.fmu", version=version, step=2e-3))
    assert validate_fmu(path) == []
    truth = expected(make(), duration)
    for kind in KINDS:
        assert_same(played(path, kind, duration, rtol=1e-12), truth)


@built
@pytest.mark.parametrize("name", RUNS)
def test_what_happens_here_happens_in_a_c_program(name: str, tmp_path: Path) -> None:
    make, duration = RUNS[name]
    kt.export_c(make(), tmp_path, duration=duration, step=duration / 400, every=10)
    assert_same(written(tmp_path), expected(make(), duration))


@built
def test_an_elastic_plastic_path_is_the_polyline_everywhere(tmp_path: Path) -> None:
    """In a C program, and in both kinds of an FMU."""
    kt.export_c(plastic(), tmp_path / "c", duration=4.0, step=0.01, every=4)
    path = str(kt.export_fmu(plastic(), tmp_path / "m.fmu", step=0.01))
    runs = [written(tmp_path / "c")]
    runs += [
        fmpy.simulate_fmu(path, fmi_type=kind, stop_time=4.0, output_interval=0.04,
                          relative_tolerance=1e-10, record_events=False)
        for kind in KINDS
    ]  # fmt: skip
    for found in runs:
        t = np.asarray(found["time"])
        force = plastic_force(SWING * t * np.sin(TURN * t), found["x_spring_set"])
        assert_close(force / LIMIT, polyline(t) / LIMIT, IDENTITY, "force")


@compiled
def test_a_memory_follows_the_polyline_everywhere(tmp_path: Path) -> None:
    """In a C program, and in both kinds of an FMU, whose steps end at each turn."""
    kt.export_c(remembering(), tmp_path / "c", duration=2.0, step=0.01)
    path = str(kt.export_fmu(remembering(ticking=False), tmp_path / "m.fmu", step=0.01))
    runs = [written(tmp_path / "c")]
    runs += [
        fmpy.simulate_fmu(path, fmi_type=kind, stop_time=2.0, output_interval=0.01,
                          relative_tolerance=1e-8, record_events=False)
        for kind in KINDS
    ]  # fmt: skip
    for found in runs:
        t = np.asarray(found["time"])
        place = 3 * LIMIT / STIFFNESS * np.sin(2 * np.pi * t)
        force = plastic_force(place, found["x_set"])
        assert_close(force / LIMIT, remembered_force(t) / LIMIT, IDENTITY, "force")


@compiled
@pytest.mark.parametrize("kind", KINDS)
def test_switches_begin_on_the_side_of_the_values_that_an_importer_sets(
    kind: str, tmp_path: Path
) -> None:
    path = str(kt.export_fmu(hopper(), tmp_path / "m.fmu", step=2e-3))
    found = fmpy.simulate_fmu(
        path, fmi_type=kind, stop_time=0.2, output_interval=0.01, start_values={"q_x": 2.0},
        relative_tolerance=1e-12, record_events=False,
    )  # fmt: skip
    assert_close(found["q_x"], 2.0 - 10 * found["time"] ** 2, NEAR, "q_x")


@compiled
def test_an_importer_that_locates_finds_the_times(tmp_path: Path) -> None:
    """Rows before and after an event have its time."""
    path = str(kt.export_fmu(ball(), tmp_path / "m.fmu"))
    found = fmpy.simulate_fmu(
        path, fmi_type="ModelExchange", stop_time=2.0, output_interval=0.05,
        relative_tolerance=1e-12, record_events=True,
    )  # fmt: skip
    times = found["time"][1:][np.diff(found["qd_z"]) > 1.0]
    first = np.sqrt(2 / 9.81)
    assert_close(times, first * np.cumsum([1.0, 1.6, 1.28]), NEAR, "times")


@compiled
@pytest.mark.parametrize("version", ["3.0", "2.0"])
def test_an_event_ends_the_motion(version: str, tmp_path: Path) -> None:
    model = ball()
    model.event("up", lambda q: q["z"] - 0.5, stops=True)
    path = str(kt.export_fmu(model, tmp_path / "m.fmu", version=version))
    truth = float(kt.simulate(model, 2.0, **TIGHT).attrs["end_time"])
    for kind in KINDS:
        found = fmpy.simulate_fmu(
            path, fmi_type=kind, stop_time=2.0, output_interval=0.05, relative_tolerance=1e-12
        )
        assert found["q_z"][-1] == pytest.approx(0.5, abs=NEAR)
        assert found["time"][-1] < truth + 0.05


@built
def test_an_event_ends_the_program(tmp_path: Path) -> None:
    model = ball()
    model.event("up", lambda q: q["z"] - 0.5, stops=True)
    kt.export_c(model, tmp_path, duration=2.0, step=0.01)
    found = written(tmp_path)
    truth = float(kt.simulate(model, 2.0, **TIGHT).attrs["end_time"])
    assert found["time"][-1] == pytest.approx(truth, abs=NEAR)
    assert found["q_z"][-1] == pytest.approx(0.5, abs=NEAR)


@built
def test_events_of_a_closed_system_close_its_loops_and_settle(tmp_path: Path) -> None:
    """A kick by the clock lets a condition pass zero, whose change happens at the same time."""
    model = example("slider_crank")
    model.mode("kicks", 0.0)
    model.event("kick", then={"qd_rod": lambda qd: 3.0 + 0.1 * qd["rod"]}, at=(0.2, 0.4))
    model.event("fast", lambda qd: qd["rod"] - 2.5, {"kicks": lambda x: x["kicks"] + 1.0})
    truth = expected(model, 0.5)
    assert truth["x_kicks"][-1] >= 1
    kt.export_c(model, tmp_path / "c", duration=0.5, step=0.5 / 800, every=20)
    assert_same(written(tmp_path / "c"), truth, LONG_RUN)
    path = str(kt.export_fmu(model, tmp_path / "m.fmu", step=0.5 / 800))
    for kind in KINDS:
        found = fmpy.simulate_fmu(
            path, fmi_type=kind, stop_time=0.5, output_interval=0.5 / 40,
            relative_tolerance=1e-12, record_events=False,
        )  # fmt: skip
        assert_same(found, truth, LONG_RUN)


def undoing() -> kt.Model:
    """A ball with two events that undo each other from half a second on."""
    model = ball()
    model.mode("on", -1.0)
    model.event("one", lambda x: x["on"], {"on": -1.0})
    model.event("two", lambda x: x["on"], {"on": 1.0}, direction="falling")
    model.event("start", then={"on": 1.0}, at=(0.5,))
    return model


@built
@pytest.mark.parametrize("case", ["undo", "bounces without end"])
def test_events_that_do_not_end_are_told(case: str, tmp_path: Path) -> None:
    model = undoing() if case == "undo" else ball()
    kt.export_c(model, tmp_path, duration=6.0, step=0.01)
    with pytest.raises(subprocess.CalledProcessError) as told:
        written(tmp_path)
    undone = "events 'one', 'two' undo each other and never settle at t = 0.5 s"
    faster = "events 'bounce' follow each other ever faster at t = 4.06"
    assert told.value.stderr.startswith(undone if case == "undo" else faster)


@compiled
@pytest.mark.parametrize("version", ["3.0", "2.0"])
def test_an_fmu_names_the_events_that_never_settle(
    version: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    model = undoing()
    path = str(kt.export_fmu(model, tmp_path / "m.fmu", version=version))
    told = "events 'one', 'two' undo each other and never settle at t = 0.5 s"
    for kind in KINDS:
        with pytest.raises(Exception, match="fmi"):
            fmpy.simulate_fmu(path, fmi_type=kind, stop_time=1.0, debug_logging=True)
        assert told in capfd.readouterr().out


def test_single_precision_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=r"'bounce'.*precision"):
        kt.export_c(ball(), tmp_path, precision="single")


@compiled
def test_a_state_that_is_put_back_goes_through_the_same_events(tmp_path: Path) -> None:
    path = kt.export_fmu(servo(), tmp_path / "m.fmu")
    about = fmpy.read_model_description(str(path))
    refs = {row.name: row.valueReference for row in about.modelVariables}
    unit = FMU3Slave(
        guid=about.guid, unzipDirectory=fmpy.extract(str(path), str(tmp_path / "m")),
        modelIdentifier=about.coSimulation.modelIdentifier, instanceName="one",
    )  # fmt: skip
    unit.instantiate()
    unit.enterInitializationMode(startTime=0.0)
    unit.exitInitializationMode()
    asked = [refs[name] for name in ("q_x", "qd_x", "x_force", "x_aim")]
    unit.doStep(0.0, 0.3)
    kept = unit.getFMUState()
    unit.doStep(0.3, 0.4)
    first = unit.getFloat64(asked)
    unit.setFMUState(kept)
    unit.doStep(0.3, 0.4)
    assert unit.getFloat64(asked) == first
    assert first[-1] == 0.25
    unit.freeFMUState(kept)
    unit.freeInstance()
