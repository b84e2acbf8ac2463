"""Dry friction, clutches and locks in FMUs and C packages, as in `simulate`."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from approx import RUN
from export.test_events import TIGHT, assert_same, written
from export.test_fmu import opened, played, started
from kinetree.engine import sin
from kinetree.export.building import compiler
from mechanisms import slider_crank

fmpy = pytest.importorskip("fmpy", reason="needs the package fmpy to load FMUs")
from fmpy.fmi3 import FMU3Slave  # noqa: E402

GCC, MAKE = compiler(), shutil.which("make")
compiled = pytest.mark.skipif(GCC is None, reason="needs a C compiler (gcc) on PATH")
built = pytest.mark.skipif(GCC is None or MAKE is None, reason="needs gcc and make on PATH")
pytestmark = pytest.mark.crosscheck


def belt() -> kt.Model:
    """A mass on a belt: sticks, breaks away, slides."""
    model = kt.Model("belt", gravity=(0, 0, -9.81))
    model.prismatic("x", model.ground, model.body("mass", mass=2.0), axis="x")
    model.dry_friction("rub", "x", 6.0, 9.0)
    model.joint_law("spring", "x", lambda q, t: 50 * (0.3 * t - q["x"]))
    return model


def crank() -> kt.Model:
    """A slider that rubs, passes its dead centre and sticks."""
    model = slider_crank()
    model.joint_law("motor", "q1", lambda t: 40 * sin(5 * t))
    model.dry_friction("rub", "q3", 12.0, 15.6)
    return model


def shafts() -> kt.Model:
    """A clutch that an event closes, a lock that another one opens, a state beside them."""
    model = kt.Model("shafts", gravity=(0, 0, 0))
    for name, inertia in (("a", 2.0), ("b", 3.0), ("c", 1.0)):
        body = model.body(name, mass=1.0, inertia=(2, 2, inertia))
        model.revolute(name, model.ground, body, axis="z")
    shut, bolt = model.mode("shut"), model.mode("bolt", 1.0)
    model.state("heat", rate=lambda qd: qd["a"] ** 2)
    model.clutch("clutch", "a", "b", 5.0 * shut)
    model.lock("lock", "c", bolt)
    model.joint_law("load", "c", 2.0)
    model.event("close", then={"shut": 1.0}, at=(0.5,))
    model.event("open", lambda qd: qd["b"] - 1.0, {"bolt": 0.0})
    return model


RUNS: dict[str, tuple[Callable[[], kt.Model], float, dict[str, Any], int]] = {
    "belt": (belt, 6.0, {}, 6),
    "crank": (crank, 1.5, {}, 4),
    "shafts": (shafts, 4.0, {"qd": {"a": 10.0}}, 3),
}
"""Model, duration [s], start, events at least."""


def expected(name: str) -> tuple[kt.Model, float, dict[str, Any], dict[str, Any]]:
    """Model, duration, start, and what the run here finds, in 41 rows."""
    make, duration, start, least = RUNS[name]
    run = kt.simulate(make(), duration, step=duration / 40, **TIGHT, **start)
    assert len(run["event_time"]) >= least
    parts = [("q", "coordinate"), ("qd", "velocity"), ("x", "state"), ("hold", "velocity")]
    parts += [("grip", "friction")] if "grip" in run else []
    truth = {
        f"{part}_{label}": run[part].values[:, k]
        for part, axis in parts
        for k, label in enumerate(run[axis].values)
    }
    return make(), duration, start, truth


@compiled
@pytest.mark.parametrize("version", ["2.0", "3.0"])
@pytest.mark.parametrize("name", RUNS)
def test_an_fmu_sticks_and_slides_alike(name: str, version: str, tmp_path: Path) -> None:
    model, duration, start, truth = expected(name)
    where = tmp_path / "m.fmu"
    path = str(kt.export_fmu(model, where, version=version, step=duration / 8000, **start))
    for kind in ("ModelExchange", "CoSimulation"):
        assert_same(played(path, kind, duration, rtol=1e-12), truth)


@built
@pytest.mark.parametrize("name", RUNS)
def test_a_c_program_sticks_and_slides_alike(name: str, tmp_path: Path) -> None:
    model, duration, start, truth = expected(name)
    kt.export_c(model, tmp_path, duration=duration, step=duration / 8000, every=200, **start)
    assert_same(written(tmp_path), truth)


@compiled
@pytest.mark.parametrize("version", ["2.0", "3.0"])
@pytest.mark.parametrize("name", RUNS)
def test_events_of_an_fmu_are_at_the_same_times(name: str, version: str, tmp_path: Path) -> None:
    """Where Model Exchange records rows beside those that were asked for."""
    make, duration, start, _ = RUNS[name]
    run = kt.simulate(make(), duration, step=duration / 40, **TIGHT, **start)
    path = str(kt.export_fmu(make(), tmp_path / "m.fmu", version=version, **start))
    found = fmpy.simulate_fmu(
        path, fmi_type="ModelExchange", stop_time=duration, output_interval=duration / 40,
        relative_tolerance=1e-12, record_events=True,
    )  # fmt: skip
    for t in run["event_time"].values:
        assert np.abs(found["time"] - t).min() < RUN


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_modes_are_discrete_variables(version: str, tmp_path: Path) -> None:
    path = str(kt.export_fmu(shafts(), tmp_path / "m.fmu", version=version))
    about = fmpy.read_model_description(path, validate=True)
    rows = {row.name: row for row in about.modelVariables}
    for name in ("x_shut", "x_bolt", "x_clutch"):
        assert rows[name].variability == "discrete"
        assert f"der({name})" not in rows
    assert rows["x_heat"].variability == "continuous"
    assert about.numberOfContinuousStates == 7
    assert [row.variable.name for row in about.derivatives] == [
        "der(q_a)", "der(q_b)", "der(q_c)", "qdd_a", "qdd_b", "qdd_c", "der(x_heat)"
    ]  # fmt: skip
    states = [row.variable.derivative.name for row in about.derivatives]
    assert states[-1] == "x_heat"


@compiled
def test_friction_settles_anew_after_a_reset(tmp_path: Path) -> None:
    """A mass that rested is thrown: it slides from the start."""
    unit, refs = opened(str(kt.export_fmu(belt(), tmp_path / "m.fmu")), tmp_path / "m", FMU3Slave)
    asked = [refs[name] for name in ("q_x", "qd_x", "x_rub")]

    def go(speed: float) -> list[float]:
        unit.setFloat64([refs["qd_x"]], [speed])
        started(unit, 0.0)
        unit.doStep(0.0, 0.1)
        found: list[float] = unit.getFloat64(asked)
        unit.reset()
        return found

    thrown = go(1.0)
    assert thrown[2] == 1.0
    assert go(0.0)[1] == 0.0
    assert go(1.0) == thrown
    unit.freeInstance()
