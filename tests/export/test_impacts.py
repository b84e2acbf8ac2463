"""Stops and dry friction in FMUs and C packages, as in `simulate`."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.approx import IDENTITY

import kinetree as kt
from analysis.test_impacts import ball, cradle
from export.test_events import TIGHT, assert_same, written
from export.test_fmu import played
from kinetree.errors import UnsupportedError
from kinetree.export.building import compiler
from mechanisms import slider_crank

fmpy = pytest.importorskip("fmpy", reason="needs the package fmpy to load FMUs")

GCC, MAKE = compiler(), shutil.which("make")
compiled = pytest.mark.skipif(GCC is None, reason="needs a C compiler (gcc) on PATH")
built = pytest.mark.skipif(GCC is None or MAKE is None, reason="needs gcc and make on PATH")
pytestmark = pytest.mark.crosscheck


def crank() -> kt.Model:
    """A slider-crank whose crank comes to rest against a stop."""
    model = slider_crank()
    model.stop("end", "q1", lower=-0.5, restitution=0.3)
    return model


def pushed() -> kt.Model:
    """A block that sticks, is pushed against a wall, bounces, slides back and sticks."""
    model = kt.Model("pushed", gravity=(0, 0, -9.81))
    model.prismatic("x", model.ground, model.body("block", mass=2.0), axis="x", initial=0.2)
    model.dry_friction("rub", "x", coulomb=4.0, breakaway=5.0)
    model.joint_law("push", "x", lambda t: 12 * t - 5 * t**2)
    model.stop("wall", "x", upper=1.0, restitution=0.5)
    return model


RUNS: dict[str, tuple[Callable[[], kt.Model], float, dict[str, Any], int]] = {
    "ball": (lambda: ball(restitution=0.5), 3.0, {}, 10),
    "cradle": (lambda: cradle(3), 2.4, {"q": {"a0": 0.3}}, 2),
    "crank": (crank, 2.0, {}, 5),
    "pushed": (pushed, 4.0, {}, 4),
}
"""Model, duration [s], start, events at least."""


def expected(name: str) -> tuple[kt.Model, float, dict[str, Any], dict[str, Any]]:
    """Model, duration, start, and what the run here finds, in 41 rows."""
    make, duration, start, least = RUNS[name]
    run = kt.simulate(make(), duration, step=duration / 40, **TIGHT, **start)
    assert len(run["event_time"]) >= least
    parts = (("q", "coordinate"), ("qd", "velocity"), ("x", "state"), ("contact", "stop"))
    truth = {
        f"{part}_{label}": run[part].values[:, k]
        for part, axis in parts
        for k, label in enumerate(run[axis].values)
    }
    return make(), duration, start, truth


@compiled
@pytest.mark.parametrize("name", RUNS)
def test_an_fmu_has_the_same_impacts_and_contacts(name: str, tmp_path: Path) -> None:
    model, duration, start, truth = expected(name)
    path = str(kt.export_fmu(model, tmp_path / "m.fmu", step=2e-4, **start))
    for kind in ("ModelExchange", "CoSimulation"):
        assert_same(played(path, kind, duration, rtol=1e-12), truth)


@built
@pytest.mark.parametrize("name", RUNS)
def test_a_c_program_has_the_same_impacts_and_contacts(name: str, tmp_path: Path) -> None:
    model, duration, start, truth = expected(name)
    kt.export_c(model, tmp_path, duration=duration, step=duration / 8000, every=200, **start)
    assert_same(written(tmp_path), truth)


@compiled
def test_an_fmu_settles_where_it_is_started(tmp_path: Path) -> None:
    """A start in contact, other than that of the export."""
    path = str(kt.export_fmu(ball(), tmp_path / "m.fmu"))
    for kind in ("ModelExchange", "CoSimulation"):
        found = fmpy.simulate_fmu(
            path, fmi_type=kind, stop_time=1.0, output_interval=0.1, start_values={"q_z": 0.0}
        )
        np.testing.assert_allclose(found["q_z"], 0, atol=IDENTITY)
        np.testing.assert_allclose(found["contact_floor"], 0.5 * 9.81, rtol=IDENTITY)


def test_single_precision_and_programs_alone_refuse_stops(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="single precision: force 'floor' may come into"):
        kt.export_c(ball(), tmp_path, precision="single")
    with pytest.raises(UnsupportedError, match=r"kt\.export_fmu"):
        kt.derive(ball(), "forward").write("fmu", tmp_path)
