"""Examples of the Modelica Standard Library 4.0.0 against its reference trajectories.

The files in `tests/data/msl_reference` are thinned rows of the results of the Modelica Association
(Dymola 2020x, tolerance 1e-6).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import pi
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from approx import EQUAL_STEPS, READ_OFF
from kinetree.acausal import Component, connect, part
from kinetree.library import blocks, electrical, rotational, thermal, translational

el, rot, tr, th = electrical, rotational, translational, thermal
FILES = Path(__file__).parents[1] / "data" / "msl_reference"


class First(Component):
    """Rotational.Examples.First: a motor, a gear, a spring, a load."""

    sine, torque = part(blocks.Sine, amplitude=10.0, f=5.0), part(rot.Torque)
    inertia1, idealGear = part(rot.Inertia, J=0.1), part(rot.IdealGear, ratio=10.0)
    inertia2, spring = part(rot.Inertia, J=2.0), part(rot.Spring, c=1e4)
    inertia3, damper, fixed = part(rot.Inertia, J=2.0), part(rot.Damper, d=10.0), part(rot.Fixed)

    def equations(self) -> Iterator[Any]:
        yield connect(self.sine.y, self.torque.tau)
        yield connect(self.torque.flange, self.inertia1.flange_a)
        yield connect(self.inertia1.flange_b, self.idealGear.flange_a)
        yield connect(self.idealGear.flange_b, self.inertia2.flange_a)
        yield connect(self.inertia2.flange_b, self.spring.flange_a, self.damper.flange_a)
        yield connect(self.spring.flange_b, self.inertia3.flange_a)
        yield connect(self.damper.flange_b, self.fixed.flange)


class Backlash(Component):
    """Rotational.Examples.Backlash: springs of 20e3 with and without backlash."""

    fixed, inertia1, inertia2 = part(rot.Fixed), part(rot.Inertia, J=5.0), part(rot.Inertia, J=5.0)
    springDamper = part(rot.SpringDamper, c=20e3, d=50.0)
    elastoBacklash = part(rot.ElastoBacklash, c=20e3, d=50.0, b=pi / 4)

    def equations(self) -> Iterator[Any]:
        yield connect(self.fixed.flange, self.springDamper.flange_a)
        yield connect(self.springDamper.flange_b, self.inertia1.flange_a)
        yield connect(self.fixed.flange, self.elastoBacklash.flange_a)
        yield connect(self.elastoBacklash.flange_b, self.inertia2.flange_a)


class Oscillator(Component):
    """Translational.Examples.Oscillator: resonance with and without a damper."""

    sine1, sine2 = part(blocks.Sine, f=15.9155), part(blocks.Sine, f=15.9155)
    force1, force2 = part(tr.Force), part(tr.Force)
    mass1, mass2 = part(tr.Mass, L=1.0, s=-0.5, v=0.0), part(tr.Mass, L=1.0, s=-0.5, v=0.0)
    spring1, spring2 = part(tr.Spring, s_rel0=1.0, c=1e4), part(tr.Spring, s_rel0=1.0, c=1e4)
    damper1 = part(tr.Damper, d=10.0)
    fixed1, fixed2 = part(tr.Fixed, s0=1.0), part(tr.Fixed, s0=1.0)

    def equations(self) -> Iterator[Any]:
        yield connect(self.sine1.y, self.force1.f)
        yield connect(self.sine2.y, self.force2.f)
        yield connect(self.force1.flange, self.mass1.flange_a)
        yield connect(self.mass1.flange_b, self.spring1.flange_a)
        yield connect(self.spring1.flange_b, self.fixed1.flange)
        yield connect(self.force2.flange, self.mass2.flange_a)
        yield connect(self.mass2.flange_b, self.spring2.flange_a, self.damper1.flange_a)
        yield connect(self.spring2.flange_b, self.damper1.flange_b, self.fixed2.flange)


class TwoMasses(Component):
    """Thermal.HeatTransfer.Examples.TwoMasses."""

    mass1 = part(th.HeatCapacitor, C=15.0, T=373.15)
    mass2 = part(th.HeatCapacitor, C=15.0, T=273.15)
    conduction = part(th.ThermalConductor, G=10.0)

    def equations(self) -> Iterator[Any]:
        yield connect(self.mass1.port, self.conduction.port_a)
        yield connect(self.conduction.port_b, self.mass2.port)


class CauerLowPassAnalog(Component):
    """Electrical.Analog.Examples.CauerLowPassAnalog: a filter of fifth order."""

    l1, l2 = 1.304, 0.8586
    V, G = part(el.StepVoltage, startTime=1.0), part(el.Ground)
    R1, R2 = part(el.Resistor), part(el.Resistor)
    L1, L2 = part(el.Inductor, L=l1), part(el.Inductor, L=l2)
    C1, C3, C5 = (
        part(el.Capacitor, C=1.072),
        part(el.Capacitor, C=1.682),
        part(el.Capacitor, C=0.7262),
    )
    C2 = part(el.Capacitor, C=1 / (1.704992**2 * l1))
    C4 = part(el.Capacitor, C=1 / (1.179945**2 * l2))

    def equations(self) -> Iterator[Any]:
        yield connect(self.V.p, self.R1.p)
        yield connect(self.R1.n, self.C1.p, self.L1.p, self.C2.p)
        yield connect(self.L1.n, self.C2.n, self.C3.p, self.L2.p, self.C4.p)
        yield connect(self.L2.n, self.C4.n, self.C5.p, self.R2.p)
        yield connect(self.V.n, self.C1.n, self.C3.n, self.C5.n, self.R2.n, self.G.p)


class Continuous(Component):
    """Clocked.Examples.SimpleControlledDrive.Continuous: a PI controller on a shaft."""

    ramp, feedback = part(blocks.Ramp, duration=2.0), part(blocks.Feedback)
    PI, torque = part(blocks.PI, k=110.0, T=0.1), part(rot.Torque)
    load, speed = part(rot.Inertia, J=10.0), part(rot.SpeedSensor)

    def equations(self) -> Iterator[Any]:
        yield connect(self.ramp.y, self.feedback.u1)
        yield connect(self.speed.w, self.feedback.u2)
        yield connect(self.feedback.y, self.PI.u)
        yield connect(self.PI.y, self.torque.tau)
        yield connect(self.torque.flange, self.load.flange_a)
        yield connect(self.load.flange_b, self.speed.flange)


CASES = {
    "Rotational_First": (First(), 4),
    "Rotational_Backlash": (
        Backlash(inertia1={"phi": pi / 2, "w": 0.0}, inertia2={"phi": pi / 2, "w": 0.0}), 4
    ),
    "Translational_Oscillator": (Oscillator(), 4),
    "Thermal_HeatTransfer_TwoMasses": (TwoMasses(), 2),
    "Electrical_Analog_CauerLowPassAnalog": (CauerLowPassAnalog(), 5),
    "Clocked_SimpleControlledDrive_Continuous": (Continuous(), 3),
}  # fmt: skip
"""File -> the example, and the states that Dymola has."""
AMPLIFIED = ("Rotational_First", "Translational_Oscillator", "Rotational_Backlash")
"""Weakly damped oscillations: the tolerance of the reference adds up to an error of phase."""


@pytest.mark.parametrize("name", CASES)
def test_reference_trajectories(name: str) -> None:
    made, _ = CASES[name]
    with (FILES / f"{name}.csv").open() as file:
        header = file.readline().strip().split(",")
        table = np.loadtxt(file, delimiter=",")
    times = table[:, 0]
    step = float(times[-1]) / 2000
    run = kt.simulate(made, float(times[-1]), step=step, rtol=1e-9, atol=1e-11)
    for column, signal in zip(table.T[1:], header[1:], strict=True):
        found = np.interp(times, run["time"].values, run[signal].values)
        span = np.ptp(column) or 1.0
        bound = READ_OFF if name in AMPLIFIED else EQUAL_STEPS
        assert np.abs(found - column).max() < bound * span, signal


@pytest.mark.parametrize("name", [n for n in CASES if "Backlash" not in n])
def test_states_are_as_many_as_those_of_another_tool(name: str) -> None:
    made, count = CASES[name]
    assert len(made.report().states) == count
