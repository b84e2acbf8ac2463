"""EasyDyn's examples by position matrices: the scripts of `examples` against the histories."""

from __future__ import annotations

import runpy
import subprocess
import time
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.approx import (
    AT_STATES,
    CROSS_ENGINE,
    FOUR_DIGITS,
    LONG_RUN,
    READ_OFF,
    ROUNDING,
    RUN,
    TRAJECTORY,
)
from tests.reference.closed_numeric import table

import kinetree as kt

ROOT = Path(__file__).resolve().parents[2]
FLAGS = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-pedantic"]


@cache
def example(name: str) -> dict[str, Any]:
    """What an example defines; its run is left out."""
    return runpy.run_path(str(ROOT / "examples" / f"{name}.py"), run_name="example")


def history(model: kt.Model, expected: Any, **options: Any) -> Any:
    """A run at the times of a table."""
    t = expected["t"]
    return kt.simulate(model, float(t[-1]), step=float(t[1] - t[0]), **options)


def columns(expected: Any, names: tuple[str, ...]) -> np.ndarray:
    return np.array([expected[name] for name in names]).T


def test_double_pendulum() -> None:
    expected = table("seeds/easydyn_double_pendulum.csv")
    model = example("21_matrices_double_pendulum")["model"]
    run = history(model, expected, rtol=1e-11, atol=1e-12)
    assert np.abs(run.q.values - columns(expected, ("q1", "q2"))).max() < CROSS_ENGINE
    assert np.abs(run.qd.values - columns(expected, ("q1_d", "q2_d"))).max() < RUN


def test_slider_crank() -> None:
    expected = table("seeds/easydyn_slider_crank.csv")
    model = example("22_matrices_slider_crank")["model"]
    run = history(model, expected, rtol=1e-11, atol=1e-12)
    assert np.abs(run.q.values[:, 0] - expected["q0"]).max() < CROSS_ENGINE
    assert np.abs(run.qd.values[:, 0] - expected["q0_d"]).max() < RUN


@pytest.mark.parametrize("method", ["dop853", "Radau"])
def test_hydraulic_jack(method: str) -> None:
    expected = table("seeds/easydyn_hydraulic_jack.csv")
    model = example("20_hydraulic_jack")["model"]
    run = history(model, expected, rtol=1e-10, atol=1e-10, method=method)
    assert np.abs(run.q.values[:, 0] - expected["x"]).max() < CROSS_ENGINE
    assert np.abs(run.qd.values[:, 0] - expected["v"]).max() < TRAJECTORY
    pressures = columns(expected, ("p1", "p2"))
    assert np.abs(run.x.values / pressures - 1).max() < TRAJECTORY


def test_hydraulic_jack_begins_and_ends_as_the_paper_says() -> None:
    model = example("20_hydraulic_jack")["model"]
    forward = kt.derive(model, "forward")
    begin = forward.evaluate(q=[0.0], qd=[0.0], tau=[0.0], t=0.0, x=[1e6, 1e6])
    assert np.allclose(begin["qdd"], 50.0, rtol=ROUNDING)
    assert np.abs(begin["xd"]).max() == 0.0
    end = forward.evaluate(q=[0.095], qd=[0.0], tau=[0.0], t=1.0, x=[1e7, 1e6])
    assert np.abs(end["qdd"]).max() < AT_STATES
    assert np.abs(end["xd"]).max() < 0.1  # Pa/s, of 1e9 Pa/s at the beginning
    run = kt.simulate(model, 1.0, step=0.01, method="cvode_bdf")  # stiff
    assert np.allclose(run.q.values[-1], 0.095, rtol=READ_OFF)
    assert np.allclose(run.x.values[-1], [1e7, 1e6], rtol=FOUR_DIGITS)


@pytest.mark.parametrize("slope", [673, 637])
def test_spatial_robot(slope: int) -> None:
    expected = table(f"seeds/handbook_robot_{slope}.csv")
    model = example("23_matrices_robot")["robot"](float(slope))
    run = history(model, expected, rtol=1e-11, atol=1e-12, max_step=0.01)
    names = ("z0", "theta", "y2", "beta", "alpha")
    assert np.abs(run.q.values - columns(expected, names)).max() < LONG_RUN
    rates = columns(expected, tuple(f"{name}_d" for name in names))
    assert np.abs(run.qd.values - rates).max() < LONG_RUN


def test_spatial_robot_is_derived_quickly() -> None:
    model = example("23_matrices_robot")["robot"]()
    seconds = []
    for _ in range(5):
        begin = time.process_time()
        kt.derive(model, "forward")
        seconds.append(time.process_time() - begin)
    assert min(seconds) < 0.1


def test_program_in_c_reproduces_the_run(tmp_path: Path, gcc: str) -> None:
    expected = table("seeds/handbook_robot_673.csv")
    model = example("23_matrices_robot")["robot"]()
    files = kt.write_simulation(model, tmp_path, 2.0, 1e-3, every=50)
    code = [str(path) for path in files if path.suffix == ".c"]
    subprocess.run([gcc, *FLAGS, *code, "-o", str(tmp_path / "run"), "-lm"], check=True)
    found = subprocess.run([str(tmp_path / "run")], capture_output=True, text=True, check=True)
    lines = found.stdout.splitlines()
    assert lines[0].split(",")[:3] == ["time", "q_z0", "q_theta"]
    rows = np.loadtxt(lines, delimiter=",", skiprows=1)
    names = ("t", "z0", "theta", "y2", "beta", "alpha")
    assert np.abs(rows[:, :6] - columns(expected, names)).max() < RUN
