"""Examples of the Modelica Standard Library 4.0.0 against its reference trajectories.

The files in `tests/data/msl_reference` are thinned rows of the results of the Modelica Association
(Dymola 2020x, tolerance 1e-6).
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from math import pi
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

import acausal.msl_examples as msl
import acausal.msl_mechanics as mech
import kinetree as kt
from approx import COARSE_RUN, EQUAL_STEPS, READ_OFF, RUN, assert_close
from kinetree.acausal import Component
from kinetree.arrays import Array
from kinetree.errors import ModelWarning

if TYPE_CHECKING:
    import xarray

FILES = Path(__file__).parents[1] / "data" / "msl_reference"
FREE = 2
"""Mode of a clutch that is not pressed; here it goes on to slide, without a torque."""
NOTHING = 1e-12
"""Range of a signal that is rounding alone: a motion in a plane, seen from beside it."""


class Example(NamedTuple):
    """An example.

    Attributes:
        made: its components.
        states: number of states that Dymola has.
        step: of which all times of its file are multiples [s].
        bound: largest deviation, in shares of the range of a signal.
        names: signal of the file -> its name here, where that differs.
        how: options of the run.
    """

    made: Component
    states: int
    step: float
    bound: float = EQUAL_STEPS
    names: Mapping[str, str] = MappingProxyType({})
    how: Mapping[str, Any] = MappingProxyType({})


TURNED = {"phi": pi / 2, "w": 0.0}
STIFF = {"max_step": 1e-4}  # its inductors with what diodes let through: 6e-8 s
FLANGE = {
    "axis.initializeFlange.phi_flange": "load.phi", "axis.initializeFlange.w_flange": "load.w",
}  # fmt: skip
OTHER_STATES = (
    "Rotational_Backlash", "MultiBody_FreeBody", "MultiBody_SpringDamperSystem",
    "MultiBody_ThreeSprings",
)  # fmt: skip
"""Quaternions are four states; ends of a backlash that nothing drives are none."""
EXAMPLES = {
    # weakly damped oscillations: the tolerance of the reference adds up to an error of phase
    "Rotational_First": Example(msl.First(), 4, 0.005, READ_OFF),
    "Rotational_Backlash": Example(
        msl.Backlash(inertia1=TURNED, inertia2=TURNED), 4, 0.005, READ_OFF
    ),
    "Translational_Oscillator": Example(msl.Oscillator(), 4, 0.005, READ_OFF),
    # a speed of 1e-3 rad/s of what oscillates with 145 rad/s
    "Rotational_ElasticBearing": Example(msl.ElasticBearing(), 6, 0.05, READ_OFF),
    # events 6e-5 to 1.3e-3 s early in the reference; the closed form of the first is met here
    "Thermal_HeatTransfer_ControlledTemperature": Example(
        msl.ControlledTemperature(), 1, 0.01, READ_OFF
    ),
    "Rotational_CoupledClutches": Example(msl.CoupledClutches(), 8, 0.0005),
    "Rotational_OneWayClutch": Example(msl.OneWayClutch(), 4, 0.01),
    "Translational_ElastoGap": Example(msl.ElastoGap(), 4, 0.025),
    "Thermal_HeatTransfer_TwoMasses": Example(msl.TwoMasses(), 2, 0.005),
    "Electrical_Analog_CauerLowPassAnalog": Example(msl.CauerLowPassAnalog(), 5, 0.012),
    "Electrical_Analog_CauerLowPassOPV": Example(msl.CauerLowPassOPV(), 5, 0.012),
    "Electrical_Analog_Rectifier": Example(msl.Rectifier(), 4, 1e-4, how=STIFF),
    "Blocks_PID_Controller": Example(msl.PIDController(), 6, 8e-4, names={"PI.I.y": "PI.I"}),
    "Blocks_InverseModel": Example(msl.InverseModel(), 2, 2e-4),
    "Clocked_SimpleControlledDrive_Continuous": Example(msl.Continuous(), 3, 0.025),
    "Clocked_SimpleControlledDrive_ClockedWithDiscreteTextbookController": Example(
        msl.Clocked(), 2, 0.025
    ),
    "MultiBody_RobotR3_OneAxis": Example(msl.OneAxis(), 7, 3.2e-4, COARSE_RUN, FLANGE),
    "MultiBody_DoublePendulum": Example(mech.DoublePendulum(), 4, 0.015),
    # nothing is damped: the tolerance of the reference adds up to an error of phase
    "MultiBody_FreeBody": Example(mech.FreeBody(), 12, 0.05, READ_OFF, mech.FREE_BODY),
    "MultiBody_Fourbar1": Example(mech.Fourbar1(), 2, 0.025, READ_OFF),
    "MultiBody_Engine1a": Example(mech.Engine1a(), 2, 0.025, READ_OFF),
    "MultiBody_SpringDamperSystem": Example(
        mech.SpringDamperSystem(), 14, 0.05, names=mech.BODY1
    ),
    "MultiBody_ThreeSprings": Example(mech.ThreeSprings(), 12, 0.05, names=mech.BODY1),
    # strokes 4e-4 rad apart after 21 turns: 1.6e-4 of the range of the filtered torque
    "MultiBody_EngineV6_analytic": Example(mech.EngineV6(), 4, 2.02e-4, READ_OFF, mech.FILTER),
}  # fmt: skip


def read(name: str) -> dict[str, Array]:
    with (FILES / f"{name}.csv").open() as file:
        header = file.readline().strip().split(",")
        table = np.loadtxt(file, delimiter=",")
    return dict(zip(header, table.T, strict=True))


def run_example(name: str) -> tuple[dict[str, Array], xarray.Dataset, xarray.Dataset]:
    """The file, the rows of a run at its times, and the whole run."""
    example, table = EXAMPLES[name], read(name)
    how = {"rtol": 1e-9, "atol": 1e-11, "step": example.step, **example.how}
    expected = pytest.warns(ModelWarning, match="stiff") if example.how is STIFF else nullcontext()
    with expected:
        run = kt.simulate(example.made, float(table["time"][-1]), **how)
    rows = np.round(table["time"] / example.step).astype(int)
    return table, run.isel(time=rows), run


@pytest.mark.parametrize("name", EXAMPLES)
def test_reference_trajectories(name: str) -> None:
    table, found, _ = run_example(name)
    assert_close(found["time"].values, table.pop("time"), RUN)
    for signal, column in table.items():
        own = found[EXAMPLES[name].names.get(signal, signal)].values
        if signal.endswith((".mode", ".y")) and set(np.unique(column)) <= {-1.0, 0.0, 1.0, FREE}:
            loose = column == FREE
            assert (own == column)[~loose].all(), signal
            if loose.any():
                assert not found[f"{signal.removesuffix('mode')}tau"].values[loose].any(), signal
        elif np.ptp(column) < NOTHING:
            assert np.ptp(own) < NOTHING, signal
        else:
            assert np.abs(own - column).max() <= EXAMPLES[name].bound * np.ptp(column), signal


def test_one_axis_of_a_robot_sticks_and_slides_when_it_should() -> None:
    _, _, run = run_example("MultiBody_RobotR3_OneAxis")
    changes = run["event_name"].values == "axis.gear.bearingFriction.mode"
    times = [6.523299e-4, 0.997918, 1.093454, 1.098923, 1.127850, 1.353624]
    assert_close(run["event_time"].values[changes], times, COARSE_RUN)


@pytest.mark.parametrize("name", [n for n in EXAMPLES if n not in OTHER_STATES])
def test_states_are_as_many_as_those_of_another_tool(name: str) -> None:
    example = EXAMPLES[name]
    assert len(example.made.report().states) == example.states
