"""Outputs and inputs by choice: FMUs and C packages give the numbers of `simulate`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from approx import LONG_RUN, TRAJECTORY, assert_close
from export.test_c_package import SAME, built, run
from kinetree.errors import UnknownNameError
from kinetree.export.building import compiler

fmpy = pytest.importorskip("fmpy", reason="needs the package fmpy to load FMUs")
pytestmark = pytest.mark.crosscheck
compiled = pytest.mark.skipif(compiler() is None, reason="needs a C compiler (gcc) on PATH")

NAMES = ["strut.force", "strut.power", "gap", "stretch", "crank.tip.acceleration", "pin.reaction",
         "q2.reaction.fx", "energy.total", "drag.force", "qdd_q1", "tau_q1"]  # fmt: skip
INPUTS = ["tau_q1", "push_fy", "k"]
STEP, DURATION = 0.002, 0.1
GIVEN = {"tau_q1": 2.0, "push_fy": -3.0, "k": 55.0}


def pumped() -> kt.Model:
    """A slider-crank with a strut, friction, an external wrench, and outputs of its own."""
    model = kt.Model("pumped", gravity=(0, -9.81, 0))
    crank = model.body("crank", mass=1.5, com=(0.5, 0, 0), inertia=(0, 0.1, 0.1))
    rod = model.body("rod", mass=2.0, com=(1.0, 0, 0), inertia=(0, 0.7, 0.7))
    slider = model.body("slider", mass=5.0)
    model.revolute("q1", model.ground, crank, axis="z", initial=1.0)
    model.revolute("q2", crank.point("tip", (1, 0, 0)), rod, axis="z")
    model.prismatic("q3", model.ground, slider, axis="x")
    model.close_ball("pin", rod.point("end", (2, 0, 0)), slider)
    k = model.parameter("k", 40.0)
    model.spring("strut", model.ground.point("hook", (0.2, 1.4, 0)), rod, k, 0.3, 0.7)
    model.joint_friction("drag", "q3", 0.4, viscous=0.3, smooth=0.1)
    model.wrench("push", slider, frame="world")
    model.output("gap", point="rod.end", quantity="velocity", relative_to="crank", frame="crank")
    model.output("stretch", lambda outputs, t: outputs["strut.deflection"] * 1000 + t, unit="mm")
    return model


def simulated() -> Any:
    """The run that both have to give."""
    return kt.simulate(
        pumped(), DURATION, method="rk4", step=STEP, outputs=NAMES, tau={"q1": 2.0},
        wrenches={"push": [0, 0, 0, 0, -3.0, 0]}, parameters={"k": 55.0},
    )  # fmt: skip


@compiled
@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_fmus_give_the_outputs_of_simulate_from_chosen_inputs(version: str, tmp_path: Path) -> None:
    path = kt.export_fmu(pumped(), tmp_path / "m.fmu", version=version, step=STEP, outputs=NAMES,
                         inputs=INPUTS, points=["rod.end"], derivatives=False)  # fmt: skip
    about = {v.name: v for v in fmpy.read_model_description(str(path)).modelVariables}
    assert [n for n, v in about.items() if v.causality == "input"] == INPUTS
    assert about["tau_q2"].causality == "parameter"
    truth = simulated()
    wanted = [name for name in truth.data_vars if truth[name].dims == ("time",)]
    assert len(wanted) == 20
    assert {about[name].unit for name in ("strut.force", "drag.force")} == {"N"}
    for kind, close in (("CoSimulation", SAME), ("ModelExchange", 1e-6)):
        found = fmpy.simulate_fmu(
            str(path), fmi_type=kind, stop_time=DURATION, output_interval=STEP,
            start_values=GIVEN, output=[*wanted, "rod.end.x"], relative_tolerance=1e-11,
            record_events=False,
        )  # fmt: skip
        for name in wanted:
            scale = max(1.0, float(np.abs(truth[name]).max()))
            assert_close(found[name], truth[name].values, 10 * close, f"{name} {kind}", scale)
        assert_close(found["rod.end.x"], truth["q"].values[:, 2], 10 * close, "a point")


@built
def test_c_packages_give_the_outputs_of_simulate(tmp_path: Path) -> None:
    kt.export_c(
        pumped(), tmp_path / "c", outputs=NAMES, inputs=INPUTS, duration=DURATION, step=STEP,
        every=1, tau={"q1": 2.0}, wrenches={"push": [0, 0, 0, 0, -3.0, 0]}, parameters={"k": 55.0},
    )  # fmt: skip
    found, truth = run(tmp_path / "c"), simulated()
    for name in truth.data_vars:
        if truth[name].dims == ("time",):
            scale = max(1.0, float(np.abs(truth[name]).max()))
            assert_close(found[str(name)], truth[name].values, SAME, str(name), scale)
    assert "| inputs | 3 |" in (tmp_path / "c" / "DATASHEET.md").read_text()


@built
def test_outputs_of_the_users_own_are_there_without_asking(tmp_path: Path) -> None:
    kt.export_c(pumped(), tmp_path / "c", duration=0.01)
    assert {"gap.x", "stretch"} <= set(run(tmp_path / "c"))


@pytest.mark.parametrize("write", [kt.export_fmu, kt.export_c])
def test_unknown_outputs_and_inputs_are_refused_by_name(write: Any, tmp_path: Path) -> None:
    for given, said in (
        ({"outputs": ["strut.forse"]}, "'strut.forse'; did you mean 'strut.force'"),
        ({"inputs": ["tau_q11"]}, "'tau_q11'; did you mean 'tau_q1'"),
        ({"inputs": ["crank.mas"]}, "'crank.mas'; did you mean 'crank.mass'"),
    ):
        with pytest.raises(UnknownNameError, match=said):
            write(pumped(), tmp_path / "new", **given)


def latched() -> kt.Model:
    """A mass that falls into a spring; a latch keeps the acceleration at a force of 30 N."""
    model = kt.Model("latched", gravity=(0, 0, -9.81))
    model.prismatic("z", model.ground, model.body("mass", mass=2.0), axis="z")
    model.joint_spring("spring", "z", 100.0)
    model.mode("latch")
    model.event("close", lambda outputs: outputs["spring.force"] - 30.0,
                {"latch": lambda outputs: outputs["mass.acceleration.z"]})  # fmt: skip
    return model


@built
@compiled
def test_events_that_name_outputs_happen_in_fmus_and_c(tmp_path: Path) -> None:
    expected = (30 - 2 * 9.81) / 2
    kt.export_c(latched(), tmp_path / "c", duration=0.5, outputs=["spring.force"])
    found = run(tmp_path / "c")
    assert found["x_latch"][0] == 0
    assert_close(found["x_latch"][-1], expected, LONG_RUN)
    path = kt.export_fmu(latched(), tmp_path / "m.fmu", outputs=["spring.force"], derivatives=False)
    for kind in ("CoSimulation", "ModelExchange"):
        played = fmpy.simulate_fmu(
            str(path), fmi_type=kind, stop_time=0.5, output=["x_latch"], relative_tolerance=1e-9
        )
        assert_close(played["x_latch"][-1], expected, TRAJECTORY, kind)
