"""Contacts of profiles in C packages, FMUs and live pages: the numbers of `simulate`."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
from approx import EQUAL_STEPS, IDENTITY, LONG_RUN, assert_close
from export.test_events import written
from kinetree.export.building import compiler
from kinetree.view.live import Live
from view.test_live import told

GCC, MAKE = compiler(), shutil.which("make")
compiled = pytest.mark.skipif(GCC is None, reason="needs a C compiler (gcc) on PATH")
built = pytest.mark.skipif(GCC is None or MAKE is None, reason="needs gcc and make on PATH")
STEP, COUNT = 2e-4, 2000
START = {"qd": {"p_1": 0.8, "p_2": -0.3}, "q": {"p_2": 0.203, "p_3": 0.002}}


def thrown() -> kt.Model:
    """A crate that lands on a slope on its edges, slides and sticks there, and a ball in a ring."""
    down, angle = 9.81, np.radians(15)
    model = kt.Model("thrown", gravity=(down * np.sin(angle), -down * np.cos(angle), 0))
    model.planar("p", model.ground, model.body("crate", mass=2.0, inertia=(1, 1, 0.06)))
    sole, slope = {"chain": ((-0.3, -0.2), (0.3, -0.2))}, {"chain": ((9.0, 0.0), (-9.0, 0.0))}
    stuck = {"friction": 0.6, "stick_stiffness": 1e5, "stick_time": 2e-3}
    model.plane_contact("rests", "crate", model.ground, sole, slope, "hunt_crossley", **stuck,
                        stiffness=2e5, exponent=1.0, dissipation=2.0)  # fmt: skip
    model.planar("r", "crate", model.body("ball", mass=0.3, inertia=(1, 1, 1e-3)))
    ball, ring = {"circle": (0, 0), "radius": 0.04}, {"circle": (0, 0), "radius": -0.15}
    model.plane_contact("rolls", "ball", "crate", ball, ring, "felt", force=5.0, depth=1e-3,
                        exponent=2.0, dissipation=0.5, friction=0.3)  # fmt: skip
    return model


def test_the_crate_lands_slides_and_sticks() -> None:
    """What is compared has all of it: it flies, slips and then holds."""
    run = kt.simulate(thrown(), 0.4, **START, step=2e-3, method="cvode_bdf",
                      outputs=["rests.gap", "rests.loss", "rolls.load"])  # fmt: skip
    assert run["rests.gap"].values[0] > 0
    late = run.time.values > 0.35
    assert np.abs(run.qd.values[late, 0]).max() < 0.05 < run.qd.values[0, 0]
    assert run["rolls.load"].values.max() > 1.0


@built
def test_a_c_program_touches_and_sticks_alike(tmp_path: Path) -> None:
    kt.export_c(thrown(), tmp_path, duration=STEP * COUNT, step=STEP, every=50, **START)
    found = written(tmp_path)
    run = kt.simulate(thrown(), STEP * COUNT, method="rk4", step=STEP, **START)
    for part, axis in (("q", "coordinate"), ("qd", "velocity"), ("x", "state")):
        for k, label in enumerate(run[axis].values):
            assert_close(found[f"{part}_{label}"], run[part].values[::50, k], LONG_RUN, label, 1.0)


@compiled
@pytest.mark.parametrize("kind", ["ModelExchange", "CoSimulation"])
def test_an_fmu_touches_and_sticks_alike(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("fmpy", reason="needs the package fmpy to load FMUs")
    from export.test_fmu import played

    path = kt.export_fmu(thrown(), tmp_path / "m.fmu", step=STEP / 4, **START)
    found = played(str(path), kind, 0.4, rtol=1e-11)
    run = kt.simulate(thrown(), 0.4, step=0.01, **START, rtol=1e-10, atol=1e-12)
    for part, axis in (("q", "coordinate"), ("qd", "velocity"), ("x", "state")):
        for k, label in enumerate(run[axis].values):
            assert_close(found[f"{part}_{label}"], run[part].values[:, k], EQUAL_STEPS, label, 1.0)


def test_a_live_page_touches_and_sticks_alike(tmp_path: Path) -> None:
    how = Live(step=5e-4, tolerance=1e-9, **START)
    (now,), _ = told(thrown(), how, [["advance", 400]], tmp_path)
    run = kt.simulate(thrown(), 0.2, **START, method="trapezoidal", step=5e-4, tolerance=1e-9)
    assert now["made"] == 400
    assert np.isclose(now["t"], run.time.values[-1], rtol=IDENTITY)
    for part in ("q", "qd", "x"):
        assert np.abs(np.array(now["state"][part]) - run[part].values[-1]).max() < LONG_RUN, part
