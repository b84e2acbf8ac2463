"""Complete C programs: they compile without a warning and reproduce a run."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.analysis.runs.dynamics import dynamics
from kinetree.errors import ShapeError, UnsupportedError
from kinetree.targets.c import Run

FLAGS = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-pedantic"]


def ran(files: tuple[Path, ...], gcc: str, *arguments: str) -> np.ndarray:
    """The table that the program prints."""
    code = [str(path) for path in files if path.suffix == ".c"]
    binary = files[0].with_suffix(".exe")
    subprocess.run([gcc, *FLAGS, *code, "-o", str(binary), "-lm"], check=True)
    found = subprocess.run([str(binary), *arguments], capture_output=True, text=True, check=True)
    return np.loadtxt(found.stdout.splitlines(), delimiter=",", skiprows=1)


def body() -> kt.Model:
    """A floating body with a spring, a state, a wrench and a parameter."""
    model = kt.Model("satellite")
    b = model.body("b", mass=2.0, com=(0.1, 0, 0), inertia=(0.3, 0.4, 0.5))
    model.free("f", model.ground, b)
    k = model.parameter("k", 30.0)
    model.spring("s", model.ground, b.point("eye", (0.2, 0.1, 0)), k, 0.1, 0.5)
    model.state("z", 0.4, lambda x, t: -x["z"] + t)
    model.wrench("push", b)
    return model


def test_floating_body_with_state_and_wrench(tmp_path: Path, gcc: str) -> None:
    model = body()
    given: Any = {
        "q": {"f_pz": 0.5}, "qd": {"f_wx": 1.0}, "wrenches": {"push": [0.1, 0, 0, 0, 1, 0]},
        "parameters": {"k": 25.0}, "tau": {"f_wz": 0.05},
    }  # fmt: skip
    files = kt.write_simulation(model, tmp_path, 1.0, 1e-3, every=100, **given)
    rows = ran(files, gcc)
    run = kt.simulate(model, 1.0, step=0.1, rtol=1e-10, atol=1e-12, **given)
    assert np.allclose(rows[:, 0], run.time.values)
    assert np.abs(rows[:, 1:8] - run.q.values).max() < 1e-8
    assert np.abs(rows[:, 8:14] - run.qd.values).max() < 1e-8
    assert np.abs(rows[:, 14:] - run.x.values).max() < 1e-8
    assert np.abs(np.linalg.norm(rows[:, 1:5], axis=1) - 1).max() < 1e-15


def test_command_line(tmp_path: Path, gcc: str) -> None:
    files = kt.write_simulation(body(), tmp_path, 1.0, 1e-2, q={"f_pz": 0.5})
    rows = ran(files, gcc, "0.5", "0.01", "25")
    assert rows[:, 0].tolist() == [0.0, 0.25, 0.5]


def test_a_tree_of_joints(tmp_path: Path, gcc: str) -> None:
    model = kt.Model("pendulum")
    bob = model.body("bob", mass=1.0, com=(0, 0, -1))
    model.revolute("q", model.ground, bob, axis="x")
    files = kt.write_simulation(model, tmp_path, 1.0, 1e-3, q=[0.4])
    run = kt.simulate(model, 1.0, q=[0.4], rtol=1e-11, atol=1e-12)
    assert np.abs(ran(files, gcc)[-1, 1:2] - run.q.values[-1]).max() < 1e-10


def test_what_is_not_finite_ends_the_program(tmp_path: Path, gcc: str) -> None:
    model = kt.Model("runaway", gravity=(0, 0, 0))
    model.prismatic("x", model.ground, model.body("b", mass=1.0))
    model.joint_law("fire", "x", lambda q: 1e3 * q["x"] ** 3)
    files = kt.write_simulation(model, tmp_path, 10.0, 1e-2, q=[1.0])
    code = [str(path) for path in files if path.suffix == ".c"]
    subprocess.run([gcc, *FLAGS, *code, "-o", str(tmp_path / "run"), "-lm"], check=True)
    done = subprocess.run([str(tmp_path / "run")], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert len(done.stdout.splitlines()) < 900


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="Python function"):
        kt.write_simulation(body(), tmp_path, 1.0, 0.1, tau=lambda t, q, qd: 0 * qd)
    with pytest.raises(ShapeError, match=r"step: .* positive"):
        kt.write_simulation(body(), tmp_path, 1.0, -0.1)
    with pytest.raises(ShapeError, match="start values"):
        dynamics(body()).rates_program.write("c", tmp_path, main=Run([0.0], 1.0, 0.1))
