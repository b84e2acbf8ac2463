"""Fluid power in other programs: a jack as FMU and C package, and cut in two that exchange."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from benchmarks.coupling import coupled
from tests.approx import IDENTITY, READ_OFF, TRAJECTORY, assert_close
from tests.export.test_c_package import built, run

import kinetree as kt
from kinetree.export.building import compiler

fmpy = pytest.importorskip("fmpy", reason="needs the package fmpy to load FMUs")
compiled = pytest.mark.skipif(compiler() is None, reason="needs a C compiler (gcc) on PATH")
pytestmark = pytest.mark.crosscheck
JACK = """\
kinetree: 1
name: jack
gravity: [0, 0, -9.81]
ground: {points: {foot: [0, 0, -0.5]}}
bodies:
  load: {mass: 100}
joints:
  lift: {kind: prismatic, parent: ground, child: load, axis: z}
forces:
  oil: {kind: fluid, density: 870, bulk_modulus: 1.0e+9, viscosity: 0.02, flows: volume}
  ram:
    {kind: cylinder, first: ground.foot, second: load, fluid: oil, bore: 0.05, rod: 0.02, length: 0.5, stroke: 0.3,
     cap_volume: 5.0e-4, rod_volume: 6.0e-4, cap_pressure: 1.0e+6, rod_pressure: 5.0e+5}
  gas: {kind: accumulator, fluid: oil, volume: 1.0e-3, pressure: 1.1e+6}
  pipe: {kind: fluid_line, first: ram_cap, second: gas, length: 2, diameter: 0.01, law: 1e8*flow}
  leak: {kind: fluid_resistance, first: ram_rod, second: gas, resistance: 1.0e+10}
"""  # noqa: E501  rows of a file
DURATION, STEP = 0.2, 1e-4
OUTPUTS = ["ram.force", "pipe.drop"]


@pytest.fixture(scope="module")
def jack(tmp_path_factory: pytest.TempPathFactory) -> kt.Model:
    file = tmp_path_factory.mktemp("jack") / "jack.yaml"
    file.write_text(JACK, encoding="utf-8")
    return kt.load(file)


@compiled
def test_a_jack_moves_elsewhere_as_here(jack: kt.Model, tmp_path: Path) -> None:
    """In another program's stiff integrator, and by the FMU's own equal steps."""
    path = kt.export_fmu(jack, tmp_path / "jack.fmu", outputs=OUTPUTS, step=STEP)
    truth = kt.simulate(jack, DURATION, rtol=1e-11, atol=1e-13, step=DURATION / 20, outputs=OUTPUTS)
    names = ["q_lift", "qd_lift", *(f"x_{name}" for name in jack.states), *OUTPUTS]
    columns = [truth.q[:, 0], truth.qd[:, 0], *truth.x.values.T, *(truth[name] for name in OUTPUTS)]
    for kind, tolerance in (("ModelExchange", TRAJECTORY), ("CoSimulation", TRAJECTORY)):
        found = fmpy.simulate_fmu(
            str(path), fmi_type=kind, stop_time=DURATION, output_interval=DURATION / 20,
            relative_tolerance=1e-11, output=names, record_events=False,
        )  # fmt: skip
        for name, column in zip(names, columns, strict=True):
            assert_close(found[name], np.asarray(column), tolerance, f"{name} by {kind}")


@built
def test_a_jack_as_a_c_package_makes_the_same_steps(jack: kt.Model, tmp_path: Path) -> None:
    kt.export_c(jack, tmp_path / "c", duration=DURATION, step=STEP, every=100)
    found = run(tmp_path / "c")
    truth = kt.simulate(jack, DURATION, method="rk4", step=STEP)
    for k, name in enumerate(jack.states):
        assert_close(found[f"x_{name}"], truth.x.values[::100, k], IDENTITY, name)
    assert_close(found["q_lift"], truth.q.values[::100, 0], IDENTITY)


@compiled
def test_two_units_that_exchange_often_agree_with_one_system(
    jack: kt.Model, tmp_path: Path
) -> None:
    """Weak coupling: of first order in the interval, and within 1e-3 at the smallest."""
    halves: Any = coupled(yaml.safe_load(JACK), tmp_path, STEP)
    away = []
    for interval in (1e-4, 5e-5, 2.5e-5):
        times, found = halves.run(DURATION, interval, ["q_lift", "qd_lift"])
        strong = kt.simulate(jack, DURATION, rtol=1e-10, atol=1e-12, step=interval)
        assert times[-1] == pytest.approx(DURATION)
        gap = np.abs(found[:, 0] - strong.q.values[:, 0]).max()
        away.append(gap / np.ptp(strong.q.values[:, 0]))
    assert away[-1] < READ_OFF
    assert away[0] / away[-1] == pytest.approx(4, rel=0.25)


@compiled
def test_units_that_exchange_seldom_diverge(jack: kt.Model, tmp_path: Path) -> None:
    """The oil is stiff: held for 10 ms, its force throws the load about."""
    halves: Any = coupled(yaml.safe_load(JACK), tmp_path, STEP)
    times, found = halves.run(DURATION, 1e-2, ["q_lift"])
    strong = kt.simulate(jack, DURATION, step=DURATION)
    assert times[-1] < DURATION or np.abs(found[-1, 0]) > 5 * abs(float(strong.q[-1, 0]))
