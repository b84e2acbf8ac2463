"""Circuits of components against ngspice, which reads them as netlists."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.approx import EQUAL_STEPS
from tests.crosscheck.netlist import simulate

import kinetree as kt
from acausal import msl_examples
from acausal.grids import Ladder
from kinetree.acausal import Component, connect, part
from kinetree.library import electrical as el

pytestmark = pytest.mark.crosscheck


class Resonance(Component):
    """A series circuit that a sine drives, begun with a charge and a current."""

    source, ground = part(el.SineVoltage, V=3.0, f=50.0, phase=0.4), part(el.Ground)
    R, L, C = part(el.Resistor, R=2.0), part(el.Inductor, L=0.01, i=0.2), part(
        el.Capacitor, C=1e-3, v=-1.0
    )  # fmt: skip

    def equations(self) -> Iterator[Any]:
        yield connect(self.source.p, self.R.p)
        yield connect(self.R.n, self.L.p)
        yield connect(self.L.n, self.C.p)
        yield connect(self.C.n, self.source.n, self.ground.p)


class HalfWave(Component):
    """A diode that charges a capacitor with a load."""

    source, ground = part(el.SineVoltage, V=5.0, f=50.0), part(el.Ground)
    feed, diode = part(el.Resistor, R=10.0), part(el.Diode, Ids=1e-9, Vt=0.035, Maxexp=40.0)
    C, load = part(el.Capacitor, C=1e-4), part(el.Resistor, R=500.0)

    def equations(self) -> Iterator[Any]:
        yield connect(self.source.p, self.feed.p)
        yield connect(self.feed.n, self.diode.p)
        yield connect(self.diode.n, self.C.p, self.load.p)
        yield connect(self.source.n, self.C.n, self.load.n, self.ground.p)


class CommonEmitter(Component):
    """A transistor stage that a sine drives through a capacitor."""

    source, supply, ground = (
        part(el.SineVoltage, V=0.01, f=1e3), part(el.ConstantVoltage, V=10.0), part(el.Ground)
    )  # fmt: skip
    high, low = part(el.Resistor, R=47e3), part(el.Resistor, R=10e3)
    collector, emitter = part(el.Resistor, R=2.2e3), part(el.Resistor, R=1e3)
    into, bypass, T = part(el.Capacitor, C=1e-6), part(el.Capacitor, C=1e-5), part(el.NPN, Bf=120.0)

    def equations(self) -> Iterator[Any]:
        yield connect(self.source.p, self.into.p)
        yield connect(self.into.n, self.high.n, self.low.p, self.T.B)
        yield connect(self.supply.p, self.high.p, self.collector.p)
        yield connect(self.collector.n, self.T.C)
        yield connect(self.T.E, self.emitter.p, self.bypass.p)
        ends = (self.low.n, self.emitter.n, self.bypass.n, self.source.n, self.supply.n)
        yield connect(*ends, self.ground.p)


CASES = {
    "ladder": (lambda: Ladder(n=6), 0.02, 2000),
    "resonance": (Resonance, 0.06, 6000),
    "half wave": (HalfWave, 0.06, 6000),
    "common emitter": (CommonEmitter, 0.004, 4000),
    "filter": (msl_examples.CauerLowPassAnalog, 20.6, 4000),
    "filter with amplifiers": (msl_examples.CauerLowPassOPV, 20.6, 4000),
}


@pytest.mark.parametrize("name", CASES)
def test_ngspice_finds_the_same_potentials(name: str, tmp_path: Path) -> None:
    make, end, steps = CASES[name]
    circuit = make()
    run = kt.simulate(circuit, end, step=end / 20, rtol=1e-9, atol=1e-12)
    times = run.time.values
    found = simulate(circuit, times, end / steps, tmp_path)
    largest = max(float(np.abs(values).max()) for values in found.values())
    for pin, values in found.items():
        error = np.abs(values - run[f"{pin}.v"].values)[1:].max() / largest
        assert error < EQUAL_STEPS, (pin, values, run[f"{pin}.v"].values)
