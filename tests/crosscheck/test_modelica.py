"""Components as flat Modelica, run by rumoca: a translator that shares nothing with this one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.approx import COARSE_RUN

import kinetree as kt
from acausal import msl_examples, msl_mechanics, parts, robots
from acausal.grids import Grid, Ladder, Varistor
from kinetree.acausal import (
    Component,
    connect,
    der,
    every,
    initial,
    mode,
    parameter,
    part,
    reset,
    signal_in,
    variable,
    when,
)
from kinetree.errors import UnsupportedError
from kinetree.functions import exp, select, switch
from kinetree.library import electrical as el
from kinetree.library import rotational as rot

rumoca = pytest.importorskip("rumoca", reason="needs the package rumoca to run Modelica")
pytestmark = pytest.mark.crosscheck
ROWS = 20


class CapacitorLoop(Component):
    """Two capacitors side by side: one state."""

    source, ground, R = part(el.ConstantVoltage, V=2.0), part(el.Ground), part(el.Resistor, R=50.0)
    C1, C2 = part(el.Capacitor, C=1e-3, v=0.5), part(el.Capacitor, C=2e-3)

    def equations(self) -> Iterator[Any]:
        yield connect(self.source.p, self.R.p)
        yield connect(self.R.n, self.C1.p, self.C2.p)
        yield connect(self.C1.n, self.C2.n, self.source.n, self.ground.p)


class RigidDrive(Component):
    """Inertias behind rigid gears on a spring: two states of six."""

    J1, J2, J3 = (part(rot.Inertia, J=J) for J in (0.1, 0.5, 2.0))
    a, b = part(rot.IdealGear, ratio=3.0), part(rot.IdealGear, ratio=-2.0)
    spring, wall = part(rot.Spring, c=20.0), part(rot.Fixed)

    def equations(self) -> Iterator[Any]:
        yield connect(self.J1.flange_b, self.a.flange_a)
        yield connect(self.a.flange_b, self.J2.flange_a)
        yield connect(self.J2.flange_b, self.b.flange_a)
        yield connect(self.b.flange_b, self.J3.flange_a)
        yield connect(self.J3.flange_b, self.spring.flange_a)
        yield connect(self.spring.flange_b, self.wall.flange)
        yield initial(self.J1.phi == 1.0)


class Ball(Component):
    """Bounces on a floor."""

    h, v = variable("m", start=1.0, fixed=True), variable("m/s")
    e, g = parameter(0.8), parameter(9.81, "m/s2")

    def equations(self) -> Iterator[Any]:
        yield der(self.h) == self.v
        yield der(self.v) == -self.g
        yield when(self.h < 0, reset(self.v, -self.e * self.v))


class Heater(Component):
    """A latch that two conditions set, and a sampled reading."""

    T, on, read = variable("K", start=290.0, fixed=True), mode(1.0), mode(290.0, "K")
    tau = parameter(1.0, "s")

    def equations(self) -> Iterator[Any]:
        heat = switch(self.on > 0.5, 8.0, -3.0)
        yield self.tau * der(self.T) == heat - 0.1 * (self.T - 290.0)
        yield when(self.T > 295.0, reset(self.on, 0.0 * self.on))
        yield when(self.T < 293.0, reset(self.on, 1.0))
        yield when(every(0.25, 0.1), reset(self.read, 0.5 * self.read + 0.5 * self.T))


class Shapes(Component):
    """Functions, powers, branches, a rate of a rate."""

    z, y = variable("1", start=0.3, fixed=True), variable("1", start=1.2, fixed=True)
    tau = parameter(1.0, "s")

    def equations(self) -> Iterator[Any]:
        root = (1 + self.y**2) ** 0.7
        yield self.tau**2 * der(der(self.z)) == -self.z / root - abs(self.z) * self.z**3
        slope = exp(-self.y) - select(self.y > 1.5, self.y / 3, 0.5 / (1 + self.z**2))
        yield self.tau * der(self.y) == slope


CASES: dict[str, tuple[Callable[[], Component], float]] = {
    "ladder": (lambda: Ladder(n=4), 0.02),
    "grid, not linear": (lambda: Grid(n=3, kind=Varistor), 0.02),
    "capacitor loop": (CapacitorLoop, 0.3),
    "rigid drive": (RigidDrive, 2.0),
    "pendulum of index 3": (parts.Pendulum, 0.3),
    "drive train": (msl_examples.First, 1.0),
    "oscillator": (msl_examples.Oscillator, 1.0),
    "filter": (msl_examples.CauerLowPassAnalog, 20.0),
    "speed controller": (msl_examples.PIDController, 2.0),
    "temperature controller": (msl_examples.ControlledTemperature, 5.0),
    "inverse model": (msl_examples.InverseModel, 1.0),
    "double pendulum": (msl_mechanics.DoublePendulum, 1.0),
    "double pendulum with spring": (robots.DoublePendulum, 1.0),
    "four-bar": (msl_mechanics.Fourbar1, 0.5),
    "ball": (Ball, 0.83),
    "heater": (Heater, 1.83),
    "shapes": (Shapes, 1.0),
}


@pytest.mark.parametrize("name", CASES)
def test_another_translator_finds_the_same_motion(name: str, tmp_path: Path) -> None:
    make, end = CASES[name]
    component = make()
    file = kt.export_modelica(component, tmp_path / "flat.mo")
    model = rumoca.Session().loads(file.read_text(), model=type(component).__name__)
    settings = rumoca.SimConfig(rtol=1e-9, atol=1e-11)
    theirs = model.simulate(end, dt=end / ROWS, config=settings)
    run = kt.simulate(component, end, step=end / ROWS, rtol=1e-10, atol=1e-12)
    names = [str(n) for n in run.data_vars if f"'{n}'" in theirs.names and run[n].ndim == 1]
    assert len(names) >= 2
    largest: dict[str, float] = {}
    for n in names:
        unit, size = run[n].attrs.get("units", ""), float(np.abs(run[n]).max())
        largest[unit] = max(largest.get(unit, 1e-9), size)
    for n in names:  # of signals that are zero but for rounding, those of their unit are the scale
        rows = [ROWS // 2, ROWS]
        found = np.interp(run.time.values[rows], theirs.time, theirs[f"'{n}'"])
        error = np.abs(found - run[n].values[rows]).max() / largest[run[n].attrs.get("units", "")]
        assert error < COARSE_RUN, (n, found, run[n].values[rows])


def test_what_modelica_cannot_say_is_refused(tmp_path: Path) -> None:
    class Rubbing(Component):
        J, bearing = part(rot.Inertia, w=3.0), part(rot.BearingFriction, tau_pos=((0, 1.0),))

        def equations(self) -> Iterator[Any]:
            yield connect(self.J.flange_b, self.bearing.flange_a)

    with pytest.raises(UnsupportedError, match="friction 'bearing"):
        kt.export_modelica(Rubbing(), tmp_path / "a.mo")
    assert not list(tmp_path.iterdir())


def test_inputs_are_inputs(tmp_path: Path) -> None:
    class Pushed(Component):
        u, x = signal_in("m/s"), variable("m")

        def equations(self) -> Iterator[Any]:
            yield der(self.x) == self.u

    text = kt.export_modelica(Pushed(), tmp_path / "a.mo").read_text()
    assert "  input Real 'u';" in text
    assert "initial equation\n  'x' = 0.0;" in text
