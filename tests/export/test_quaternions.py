"""Quaternions are known as such, and a hinge called like a part of one stays a hinge."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from tests.approx import AT_STATES, assert_close

import kinetree as kt
from kinetree.export.building import compiler

START = {"arm_w": 0.7}


def model(*, floats: bool = True) -> kt.Model:
    """A body that floats, or not, and an arm on it."""
    made = kt.Model("floating_arm")
    base = made.body("base", mass=3.0, com=(0.1, 0, 0), inertia=(0.4, 0.5, 0.6))
    arm = made.body("arm", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.02))
    if floats:
        made.free("base", made.ground, base)
    else:
        made.revolute("base", made.ground, base)
    made.revolute("arm_w", base, arm, axis="y")
    return made


def _starts(path: Path) -> dict[str, float]:
    with zipfile.ZipFile(path) as zipped:
        text = zipped.read("modelDescription.xml")
    rows = [row for row in ET.fromstring(text).iter("Float64") if row.get("start")]
    return {str(row.get("name")): float(row.get("start", "nan")) for row in rows}


def test_inputs_tell_where_quaternions_begin() -> None:
    for name in ("forward", "inverse"):
        assert kt.derive(model(), name).input("q").quaternions == (0,)
    assert kt.derive(model(floats=False), "forward").input("q").quaternions == ()


def test_a_script_of_matlab_starts_from_rest(tmp_path: Path) -> None:
    files = kt.derive(model(), "forward").write("matlab", tmp_path)
    script = next(path for path in files if path.stem.endswith("_run")).read_text()
    found = re.search(r"y_0 = \[(.*?)\]", script.replace("...\n", ""), re.DOTALL)
    assert found
    start = [float(word) for word in found[1].split(";")]
    assert start == [1.0] + [0.0] * (len(start) - 1)


def test_an_fmu_of_a_program_starts_from_rest(tmp_path: Path) -> None:
    (path,) = kt.derive(model(), "forward").write("fmu", tmp_path, binary=False)
    starts = _starts(path)
    assert starts["q_base_w"] == 1.0
    assert starts["q_arm_w"] == 0.0


@pytest.mark.skipif(compiler() is None, reason="needs a C compiler")
@pytest.mark.parametrize("way", ["program", "model"])
def test_an_fmu_moves_as_the_model_does(way: str, tmp_path: Path) -> None:
    fmpy: Any = pytest.importorskip("fmpy", reason="needs the package fmpy to load FMUs")
    if way == "program":
        program = kt.derive(model(), "forward")
        (path,) = program.write("fmu", tmp_path, derivatives=False, step=0.005)
    else:
        path = kt.export_fmu(model(), tmp_path, derivatives=False, step=0.005)
    found = fmpy.simulate_fmu(
        str(path), fmi_type="CoSimulation", stop_time=0.1, output_interval=0.1,
        start_values={"q_arm_w": 0.7, "qd_arm_w": 3.0},
    )  # fmt: skip
    run = kt.simulate(model(), 0.1, q=START, qd={"arm_w": 3.0}, method="rk4", step=0.005)
    for name, value in zip(run.coordinate.values, run.q.values[-1], strict=True):
        assert_close(found[f"q_{name}"][-1], value, AT_STATES, name, 1.0)


def test_outputs_of_a_body_called_like_a_multiplier_are_positions(tmp_path: Path) -> None:
    made = kt.Model("multipliers")
    body = made.body("lam_x", mass=1.0, com=(0, 0, -1), inertia=(1, 1, 1))
    made.revolute("j", made.ground, body)
    path = kt.export_fmu(made, tmp_path, points=["lam_x"], binary=False)
    with zipfile.ZipFile(path) as zipped:
        rows = ET.fromstring(zipped.read("modelDescription.xml")).iter("Float64")
    units = {row.get("name"): row.get("unit") for row in rows}
    assert units["lam_x.x"] == "m"
