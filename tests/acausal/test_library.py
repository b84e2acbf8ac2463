"""Every component of the libraries against a closed form."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from approx import COARSE_RUN, RUN, assert_close
from kinetree.acausal import Component, connect, part
from kinetree.library import (
    blocks,
    bond,
    electrical,
    hydraulic,
    multibody,
    rotational,
    thermal,
    translational,
)

el, rot, tr, th, hy = electrical, rotational, translational, thermal, hydraulic
DOMAINS = (blocks, electrical, rotational, translational, thermal, hydraulic, bond)
CASES: dict[str, tuple[Component, float, str, Callable[[Any], Any]]] = {}


def case(duration: float, variable: str, closed: Callable[[Any], Any], **values: Any) -> Any:
    """Register a rig; its part `x` is the component under test."""

    def add(rig: type[Component]) -> type[Component]:
        kind = rig.__dict__["x"].kind
        domain = next(d.__name__.rpartition(".")[2] for d in DOMAINS if kind in d.ALL)
        number = sum(key.startswith(f"{domain}.{kind.__name__}") for key in CASES)
        CASES[f"{domain}.{kind.__name__}{'' if not number else f' {number}'}"] = (
            rig(**values), duration, variable, closed,
        )  # fmt: skip
        return rig

    return add


def circuit(
    kind: type[Component], source: Any, more: dict[str, Any] | None = None, **values: Any
) -> Any:
    """A source, a component and a ground in a ring."""
    body: dict[str, Any] = {
        "x": part(kind, **values), "source": source, "ground": part(el.Ground),
    }  # fmt: skip

    def equations(self: Any) -> Iterator[Any]:
        yield connect(self.source.p, self.x.p)
        yield connect(self.x.n, self.source.n, self.ground.p)

    return type("Ring", (Component,), {**body, "equations": equations})


VOLT, AMPERE = part(el.ConstantVoltage, V=2.0), part(el.ConstantCurrent, I=-0.5)
case(0.1, "x.i", lambda t: 2.0 / 4 + 0 * t)(circuit(el.Resistor, VOLT, R=4.0))
case(0.1, "x.i", lambda t: 2.0 * 4 + 0 * t)(circuit(el.Conductor, VOLT, G=4.0))
case(1.0, "x.v", lambda t: 0.5 / 2 * t)(circuit(el.Capacitor, AMPERE, C=2.0))
case(1.0, "x.i", lambda t: 2.0 / 4 * t)(circuit(el.Inductor, VOLT, L=4.0))
case(0.1, "x.p.v", lambda t: 2.0 + 0 * t)(circuit(el.VoltageSensor, VOLT))
case(0.1, "x.i", lambda t: 1e-6 * (np.exp(0.3 / 0.04) - 1) + 0.3 / 1e8 + 0 * t)(
    circuit(el.Diode, part(el.ConstantVoltage, V=0.3))
)
case(0.1, "x.i", lambda t: -1e-6 - 0.7 * np.exp((5.2 - 5.1) / 0.74 / 0.04) - 5.2 / 1e8 + 0 * t)(
    circuit(el.ZDiode, part(el.ConstantVoltage, V=-5.2))
)
case(1.0, "x.i", lambda t: np.where(np.sin(2 * np.pi * t) > 0, 1e5, 1e-5) * np.sin(2 * np.pi * t))(
    circuit(el.IdealDiode, part(el.SineVoltage))
)


def loaded(kind: type[Component], **values: Any) -> Any:
    """A source on a resistor of 2 ohm."""

    class Loaded(Component):
        x, R, ground = part(kind, **values), part(el.Resistor, R=2.0), part(el.Ground)

        def equations(self) -> Iterator[Any]:
            yield connect(self.x.p, self.R.p)
            yield connect(self.x.n, self.R.n, self.ground.p)

    return Loaded


case(0.1, "R.i", lambda t: 1.5 + 0 * t)(loaded(el.ConstantVoltage, V=3.0))
case(1.0, "R.i", lambda t: np.where(t < 0.503, 0.5, 2.0))(
    loaded(el.StepVoltage, V=3.0, offset=1.0, startTime=0.503)
)
case(1.0, "R.v", lambda t: 3 * np.sin(4 * np.pi * t + 0.3))(
    loaded(el.SineVoltage, V=3.0, f=2.0, phase=0.3)
)
case(0.1, "R.v", lambda t: -6.0 + 0 * t)(loaded(el.ConstantCurrent, I=3.0))
case(1.0, "R.i", lambda t: np.where(t < 0.503, -1, -4.0))(
    loaded(el.StepCurrent, I=3.0, offset=1.0, startTime=0.503)
)
case(1.0, "R.i", lambda t: -3 * np.sin(4 * np.pi * t))(loaded(el.SineCurrent, I=3.0, f=2.0))


def signalled(kind: type[Component], wave: Any, **values: Any) -> Any:
    """The same with a signal that says how much."""

    class Signalled(loaded(kind, **values)):  # type: ignore[misc]
        signal = wave

        def equations(self) -> Iterator[Any]:
            yield from super().equations()
            yield connect(self.signal.y, self.x.u)

    Signalled.x = part(kind, **values)
    Signalled.x.__set_name__(Signalled, "x")
    return Signalled


RAMP = part(blocks.Ramp, height=4.0, duration=2.0)
case(1.0, "R.v", lambda t: 2 * t)(signalled(el.SignalVoltage, RAMP))
case(1.0, "R.i", lambda t: -2 * t)(signalled(el.SignalCurrent, RAMP))


@case(1.0, "x.i", lambda t: 0.6 / np.sqrt(1 + 1.44 * t))
class Warming(Component):
    """2 ohm under 1.2 V: T der(T) = 0.72 K²/s with T = 1 K at the start, R = 2 T ohm/K."""

    x = part(el.HeatingResistor, R=2.0, alpha=1.0, T_ref=1.0)
    source = part(el.ConstantVoltage, V=1.2)
    ground, store = part(el.Ground), part(th.HeatCapacitor, C=1.0, T=1.0)

    def equations(self) -> Iterator[Any]:
        yield connect(self.source.p, self.x.p)
        yield connect(self.x.n, self.source.n, self.ground.p)
        yield connect(self.x.heatPort, self.store.port)


@case(1.0, "x.phi", lambda t: 1.2 + 0 * t)
class Potential(Component):
    x, source, ground = part(el.PotentialSensor), part(el.ConstantVoltage, V=1.2), part(el.Ground)

    def equations(self) -> Iterator[Any]:
        yield connect(self.x.p, self.source.p)
        yield connect(self.source.n, self.ground.p)


@case(1.0, "x.i", lambda t: 0.6 + 0 * t)
class Ammeter(Component):
    x, source = part(el.CurrentSensor), part(el.ConstantVoltage, V=1.2)
    R, ground = part(el.Resistor, R=2.0), part(el.Ground)

    def equations(self) -> Iterator[Any]:
        yield connect(self.source.p, self.x.p)
        yield connect(self.x.n, self.R.p)
        yield connect(self.R.n, self.source.n, self.ground.p)


@case(0.2, "R.i", lambda t: np.where(t < 0.103, 1 / (2 + 1e-5), 0), R={"R": 2.0})
class Switched(Component):
    x, wave = part(el.IdealSwitch, Goff=0.0), part(blocks.Step, startTime=0.103)
    source, R, ground = part(el.ConstantVoltage), part(el.Resistor), part(el.Ground)

    def equations(self) -> Iterator[Any]:
        yield connect(self.source.p, self.R.p)
        yield connect(self.R.n, self.x.p)
        yield connect(self.x.n, self.source.n, self.ground.p)
        yield connect(self.wave.y, self.x.control)


@case(1.0, "R.v", lambda t: 2 * 0.5 / 3 * np.exp(-2 * t / 3) * 1.0 * (-1), x={"L2": 1.0})
class Coupled(Component):
    """Coil 2 is shorted by 2 ohm; coil 1 is fed with 1 A/… through a current step of a ramp."""

    x = part(el.Transformer, L1=2.0, L2=3.0, M=0.5)
    source, R, ground = part(el.ConstantVoltage, V=0.0), part(el.Resistor, R=2.0), part(el.Ground)

    def equations(self) -> Iterator[Any]:
        yield connect(self.source.p, self.x.p1)
        yield connect(self.source.n, self.x.n1, self.x.n2, self.R.n, self.ground.p)
        yield connect(self.x.p2, self.R.p)


del CASES["electrical.Transformer"]


@case(1.0, "x.i2", lambda t: np.exp(-2 * t / (3 - 0.25 / 2)), x={"i2": 1.0, "i1": 0.0})
class Shorted(Coupled):
    """Coil 1 shorted without resistance: coil 2 sees L2 - M²/L1."""

    x = part(el.Transformer, L1=2.0, L2=3.0, M=0.5)


@case(1.0, "x.w", lambda t: 2.0 / 0.5 * (1 - np.exp(-(0.5**2) / (3.0 * 0.2) * t)))
class Motor(Component):
    x, J = part(el.EMF, k=0.5), part(rot.Inertia, J=0.2)
    source, R, ground = part(el.ConstantVoltage, V=2.0), part(el.Resistor, R=3.0), part(el.Ground)

    def equations(self) -> Iterator[Any]:
        yield connect(self.source.p, self.R.p)
        yield connect(self.R.n, self.x.p)
        yield connect(self.x.n, self.source.n, self.ground.p)
        yield connect(self.x.flange, self.J.flange_a)


@case(1.0, "out.v", lambda t: -4.0 * np.sin(2 * np.pi * t))
class Inverting(Component):
    x, source, ground = part(el.IdealOpAmp), part(el.SineVoltage), part(el.Ground)
    R1, R2, out = part(el.Resistor, R=1.0), part(el.Resistor, R=4.0), part(el.Resistor, R=1.0)

    def equations(self) -> Iterator[Any]:
        yield connect(self.source.p, self.R1.p)
        yield connect(self.R1.n, self.R2.p, self.x.n1)
        yield connect(self.R2.n, self.x.p2, self.out.p)
        yield connect(self.source.n, self.ground.p, self.x.p1, self.x.n2, self.out.n)


@case(0.01, "x.C.i", lambda t: 50 * 1e-5 + 0 * t)
class Amplifier(Component):
    x, base, ground = part(el.NPN), part(el.ConstantCurrent, I=-1e-5), part(el.Ground)
    supply = part(el.ConstantVoltage, V=5.0)

    def equations(self) -> Iterator[Any]:
        yield connect(self.base.p, self.x.B)
        yield connect(self.supply.p, self.x.C)
        yield connect(self.base.n, self.supply.n, self.x.E, self.ground.p)


# --- rotation and translation --------------------------------------------------------------------


def turning(kind: type[Component], **values: Any) -> Any:
    """Between a fixed end and an inertia of 2 kg.m2 that a torque of 3 N.m drives."""

    class Turning(Component):
        x, J = part(kind, **values), part(rot.Inertia, J=2.0)
        fixed, drive = part(rot.Fixed), part(rot.ConstantTorque, tau_constant=3.0)

        def equations(self) -> Iterator[Any]:
            yield connect(self.fixed.flange, self.x.flange_a)
            yield connect(self.x.flange_b, self.J.flange_a)
            yield connect(self.J.flange_b, self.drive.flange)

    return Turning


def sliding(kind: type[Component], **values: Any) -> Any:
    """The same along a line, with 2 kg and 3 N."""

    class Sliding(Component):
        x, m = part(kind, **values), part(tr.Mass, m=2.0)
        fixed, drive = part(tr.Fixed), part(tr.ConstantForce, f_constant=3.0)

        def equations(self) -> Iterator[Any]:
            yield connect(self.fixed.flange, self.x.flange_a)
            yield connect(self.x.flange_b, self.m.flange_a)
            yield connect(self.m.flange_b, self.drive.flange)

    return Sliding


def oscillation(t: Any) -> Any:
    """From rest by a force of 3 against a spring of 8 on 2."""
    return 3 / 8 * (1 - np.cos(2 * t))


def damped(t: Any) -> Any:
    """The same with a damper of 4: critical at 8."""
    w, d = np.sqrt(3.0), 1.0
    return 3 / 8 * (1 - np.exp(-d * t) * (np.cos(w * t) + d / w * np.sin(w * t)))


def dragged(t: Any) -> Any:
    """Speed against a damper of 4."""
    return 3 / 4 * (1 - np.exp(-2 * t))


case(2.0, "J.phi", oscillation)(turning(rot.Spring, c=8.0))
case(2.0, "J.w", dragged)(turning(rot.Damper, d=4.0))
case(2.0, "J.phi", damped)(turning(rot.SpringDamper, c=8.0, d=4.0))
case(2.0, "m.s", oscillation)(sliding(tr.Spring, c=8.0))
case(2.0, "m.v", dragged)(sliding(tr.Damper, d=4.0))
case(2.0, "m.s", damped)(sliding(tr.SpringDamper, c=8.0, d=4.0))


def backlash(t: Any) -> Any:
    """Free for 0.3 rad, then a spring of 8."""
    first, v = np.sqrt(2 * 0.3 / 1.5), 1.5 * np.sqrt(2 * 0.3 / 1.5)
    s = t - first
    after = 0.3 + 3 / 8 * (1 - np.cos(2 * s)) + v / 2 * np.sin(2 * s)
    return np.where(t < first, 0.75 * t**2, after)


case(1.5, "J.phi", backlash)(turning(rot.ElastoBacklash, c=8.0, b=0.6))


@case(1.4, "m.s", lambda t: -backlash(t))
class Gap(Component):
    """Pushed against a gap: free for 0.3 m, then a spring of 8."""

    x, m = part(tr.ElastoGap, c=8.0, d=0.0, s_rel0=-0.3), part(tr.Mass, m=2.0)
    fixed, drive = part(tr.Fixed), part(tr.ConstantForce, f_constant=-3.0)

    def equations(self) -> Iterator[Any]:
        yield connect(self.fixed.flange, self.x.flange_a)
        yield connect(self.x.flange_b, self.m.flange_a)
        yield connect(self.m.flange_b, self.drive.flange)


@case(1.0, "x.w", lambda t: 1.5 * t)
class Spun(Component):
    x, drive = part(rot.Inertia, J=2.0), part(rot.ConstantTorque, tau_constant=3.0)

    def equations(self) -> Iterator[Any]:
        yield connect(self.x.flange_a, self.drive.flange)


@case(1.0, "x.v", lambda t: 1.5 * t)
class Pushed(Component):
    x, drive = part(tr.Mass, m=2.0), part(tr.ConstantForce, f_constant=3.0)

    def equations(self) -> Iterator[Any]:
        yield connect(self.x.flange_a, self.drive.flange)


@case(1.0, "J.w", lambda t: 8 / (1 + 8 * 0.75 * t))
class Dragged(Component):
    """J der(w) = -3 (w/2)²."""

    x = part(rot.QuadraticSpeedDependentTorque, tau_nominal=-3.0, w_nominal=2.0)
    J = part(rot.Inertia, J=1.0, w=8.0)

    def equations(self) -> Iterator[Any]:
        yield connect(self.x.flange, self.J.flange_a)


CASES["rotational.ConstantTorque"] = (Spun(), 1.0, "x.phi", lambda t: 0.75 * t**2)
CASES["translational.ConstantForce"] = (Pushed(), 1.0, "x.s", lambda t: 0.75 * t**2)


@case(1.0, "b.w", lambda t: 3.0 * 4 / (2 * 16 + 5) * t)
class Geared(Component):
    """Rigidly coupled inertias: J_b sees ratio² J_a."""

    x, a, b = part(rot.IdealGear, ratio=4.0), part(rot.Inertia, J=2.0), part(rot.Inertia, J=5.0)
    drive = part(rot.ConstantTorque, tau_constant=3.0)

    def equations(self) -> Iterator[Any]:
        yield connect(self.drive.flange, self.a.flange_a)
        yield connect(self.a.flange_b, self.x.flange_a)
        yield connect(self.x.flange_b, self.b.flange_a)


def runs_out(kind: Any, mass: Any, drive: Any, **values: Any) -> Any:
    """An inertia or a mass of 2 with a speed of 3 that a friction of 1 stops; signals are 1/2."""

    class RunsOut(Component):
        x, body, force = part(kind, **values), mass, drive
        signal = part(blocks.Constant, k=0.5)

        def equations(self) -> Iterator[Any]:
            yield connect(self.force.flange, self.body.flange_a)
            yield connect(self.body.flange_b, self.x.flange_a)
            if hasattr(self.x, "f_normalized"):
                yield connect(self.signal.y, self.x.f_normalized)

    return RunsOut


TURNING = part(rot.Inertia, J=2.0, w=3.0), part(rot.ConstantTorque, tau_constant=0.5)
SLIDING = part(tr.Mass, m=2.0, v=3.0), part(tr.ConstantForce, f_constant=0.5)
for kind, ends, speed in (
    (rot.BearingFriction, TURNING, "body.w"), (tr.SupportFriction, SLIDING, "body.v"),
    (rot.Brake, TURNING, "body.w"), (tr.Brake, SLIDING, "body.v"),
):  # fmt: skip
    pressed: dict[str, Any] = {"fn_max": 4.0, "peak": 1.1} if "Brake" in kind.__name__ else {}
    case(16.0, speed, lambda t: np.maximum(3 - t / 4, 0))(runs_out(kind, *ends, **pressed))


class Coupled(Component):
    """Shafts of 1 and 3 kg.m2 with 4 and 0 rad/s, and a clutch of 2 N.m between them."""

    x, signal = part(rot.Clutch, fn_max=4.0, peak=1.1), part(blocks.Constant)
    a, b = part(rot.Inertia, w=4.0), part(rot.Inertia, J=3.0, w=0.0)

    def equations(self) -> Iterator[Any]:
        yield connect(self.a.flange_b, self.x.flange_a)
        yield connect(self.x.flange_b, self.b.flange_a)
        yield connect(self.signal.y, self.x.f_normalized)


case(3.0, "b.w", lambda t: np.minimum(2 * t / 3, 1.0))(Coupled)


@case(2.0, "b.w", lambda t: np.maximum(2.0, 2 + (t - 2 / 3)))
class Overtaken(Coupled):
    """A shaft that runs ahead until the driven one takes it along."""

    x, signal = part(rot.OneWayClutch), part(blocks.Constant, k=0.0)
    a, b = part(rot.Inertia, w=0.0), part(rot.Inertia, J=2.0, w=2.0)
    drive = part(rot.ConstantTorque, tau_constant=3.0)

    def equations(self) -> Iterator[Any]:
        yield from super().equations()
        yield connect(self.drive.flange, self.a.flange_a)


@case(4.0, "x.s", lambda t: np.where(t < 2, np.minimum(t**2, 1), 1 - np.maximum(t - 3, 0) ** 2))
class Stopped(Component):
    """Pushed by 2 N against a stop at 1 m, and from 3 s on pulled away by 2 N."""

    x, force = part(tr.MassWithStop, L=0.5, smax=1.25), part(tr.Force)
    step = part(blocks.Step, height=-4.0, offset=2.0, startTime=3.0)

    def equations(self) -> Iterator[Any]:
        yield connect(self.step.y, self.force.f)
        yield connect(self.force.flange, self.x.flange_a)


@case(1.0, "b.w", lambda t: 3.0 * (1 + 2) / (2 * 9 + 5) * t)
class Planetary(Component):
    """The ring fixed: sun to carrier 1 + ratio."""

    x, a, b = part(rot.IdealPlanetary), part(rot.Inertia, J=2.0), part(rot.Inertia, J=5.0)
    drive, fixed = part(rot.ConstantTorque, tau_constant=3.0), part(rot.Fixed)

    def equations(self) -> Iterator[Any]:
        yield connect(self.drive.flange, self.a.flange_a)
        yield connect(self.a.flange_b, self.x.sun)
        yield connect(self.x.carrier, self.b.flange_a)
        yield connect(self.x.ring, self.fixed.flange)


@case(1.0, "m.v", lambda t: 3.0 * 4 / (2 * 16 + 5) * t)
class Rack(Component):
    x, J, m = part(tr.IdealGearR2T, ratio=4.0), part(rot.Inertia, J=2.0), part(tr.Mass, m=5.0)
    drive = part(rot.ConstantTorque, tau_constant=3.0)

    def equations(self) -> Iterator[Any]:
        yield connect(self.drive.flange, self.J.flange_a)
        yield connect(self.J.flange_b, self.x.flangeR)
        yield connect(self.x.flangeT, self.m.flange_a)


case(0.1, "J.phi", lambda t: 0.75 * t**2)(
    type("Sensed", (turning(rot.TorqueSensor),), {
        "x": part(rot.TorqueSensor),
        "fixed": part(rot.Inertia, J=1e-12),
        "equations": lambda self: [
            connect(self.fixed.flange_b, self.x.flange_a),
            connect(self.x.flange_b, self.J.flange_a),
            connect(self.J.flange_b, self.drive.flange),
        ],
    })
)  # fmt: skip


def driven(kind: type[Component], load: type[Component], entry: str, variable: str) -> Any:
    """A source with a signal 2 t (1 + …) on a load."""

    class Driven(Component):
        x, signal, load_ = part(kind), part(blocks.Ramp, height=4.0, duration=2.0), part(load)

        def equations(self) -> Iterator[Any]:
            yield connect(self.signal.y, getattr(self.x, entry))
            yield connect(self.x.flange, self.load_.flange_a)

    del variable
    return Driven


case(1.0, "load_.w", lambda t: t**2)(driven(rot.Torque, rot.Inertia, "tau", ""))
case(1.0, "load_.phi", lambda t: t**2)(driven(rot.Speed, rot.Inertia, "w_ref", ""))
case(1.0, "load_.v", lambda t: t**2)(driven(tr.Force, tr.Mass, "f", ""))
case(1.0, "load_.s", lambda t: t**2)(driven(tr.Speed, tr.Mass, "v_ref", ""))


def prescribed(kind: type[Component], load: type[Component], entry: str) -> Any:
    """A position that is a sine; the force follows from its second derivative."""

    class Prescribed(Component):
        x, signal, load_ = part(kind), part(blocks.Sine, startTime=-1.0), part(load)

        def equations(self) -> Iterator[Any]:
            yield connect(self.signal.y, getattr(self.x, entry))
            yield connect(self.x.flange, self.load_.flange_a)

    return Prescribed


def second(t: Any) -> Any:
    """The second derivative of sin(2π t)."""
    return -((2 * np.pi) ** 2) * np.sin(2 * np.pi * t)


case(1.0, "load_.a", second)(prescribed(rot.Position, rot.Inertia, "phi_ref"))
case(1.0, "load_.a", second)(prescribed(tr.Position, tr.Mass, "s_ref"))


def sensed(kind: type[Component], load: type[Component], source: type[Component]) -> Any:
    """A sensor beside a load of 1 that 1 drives."""

    class Sensed(Component):
        x, load_, drive = part(kind), part(load), part(source)

        def equations(self) -> Iterator[Any]:
            yield connect(self.drive.flange, self.load_.flange_a)
            yield connect(self.load_.flange_b, self.x.flange)

    return Sensed


case(1.0, "x.phi", lambda t: t**2 / 2)(sensed(rot.AngleSensor, rot.Inertia, rot.ConstantTorque))
case(1.0, "x.w", lambda t: t)(sensed(rot.SpeedSensor, rot.Inertia, rot.ConstantTorque))
case(1.0, "x.a", lambda t: 1 + 0 * t)(
    sensed(rot.AccelerationSensor, rot.Inertia, rot.ConstantTorque)
)
case(1.0, "x.s", lambda t: t**2 / 2)(sensed(tr.PositionSensor, tr.Mass, tr.ConstantForce))
case(1.0, "x.v", lambda t: t)(sensed(tr.SpeedSensor, tr.Mass, tr.ConstantForce))


@case(1.0, "x.flange.tau", lambda t: 3.0 + 0 * t, x={"phi0": 0.25})
class Held(Component):
    x, spring, drive = part(rot.Fixed), part(rot.Spring), part(rot.ConstantTorque, tau_constant=3.0)

    def equations(self) -> Iterator[Any]:
        yield connect(self.x.flange, self.spring.flange_a)
        yield connect(self.spring.flange_b, self.drive.flange)


@case(1.0, "x.flange.f", lambda t: 3.0 + 0 * t)
class HeldAlong(Component):
    x, sensor = part(tr.Fixed), part(tr.ForceSensor)
    rod, drive = part(tr.Rod, L=0.3), part(tr.ConstantForce, f_constant=3.0)

    def equations(self) -> Iterator[Any]:
        yield connect(self.x.flange, self.sensor.flange_a)
        yield connect(self.sensor.flange_b, self.rod.flange_a)
        yield connect(self.rod.flange_b, self.drive.flange)


CASES["electrical.Ground"] = (Potential(), 0.1, "ground.p.v", lambda t: 0 * t)
CASES["translational.Rod"] = (HeldAlong(), 0.1, "rod.flange_b.s", lambda t: 0.3 + 0 * t)
CASES["translational.ForceSensor"] = (HeldAlong(), 0.1, "sensor.f", lambda t: -3.0 + 0 * t)


@case(1.0, "load_.phi", lambda t: 2.5 * t)
class Steady(Component):
    x, load_ = part(rot.ConstantSpeed, w_fixed=2.5), part(rot.Inertia)

    def equations(self) -> Iterator[Any]:
        yield connect(self.x.flange, self.load_.flange_a)


# --- heat ----------------------------------------------------------------------------------------


def warmed(kind: type[Component], **values: Any) -> Any:
    """A body of 2 J/K at 300 K beside 400 K."""

    class Warmed(Component):
        x, body = part(kind, **values), part(th.HeatCapacitor, C=2.0, T=300.0)
        source = part(th.FixedTemperature, T=400.0)

        def equations(self) -> Iterator[Any]:
            yield connect(self.source.port, self.x.port_a)
            yield connect(self.x.port_b, self.body.port)

    return Warmed


def warming(t: Any) -> Any:
    """By 4 W/K."""
    return 400 - 100 * np.exp(-2 * t)


case(1.0, "body.T", warming)(warmed(th.ThermalConductor, G=4.0))
case(1.0, "body.T", warming)(warmed(th.ThermalResistor, R=0.25))
case(1e-9, "x.Q_flow", lambda t: 5.670374419e-8 * (400.0**4 - 300.0**4) + 0 * t)(
    warmed(th.BodyRadiation)
)
CASES["thermal.HeatCapacitor"] = (warmed(th.ThermalConductor, G=4.0)(), 1.0, "body.T", warming)
CASES["thermal.FixedTemperature"] = (
    warmed(th.ThermalConductor, G=4.0)(), 1.0, "x.Q_flow", lambda t: 400 * np.exp(-2 * t)
)  # fmt: skip


@case(1.0, "body.T", warming)
class Convected(Component):
    x, body = part(th.Convection), part(th.HeatCapacitor, C=2.0, T=300.0)
    source, T = part(th.PrescribedTemperature), part(blocks.Constant, k=400.0)
    G, sensor = part(blocks.Constant, k=4.0), part(th.TemperatureSensor)

    def equations(self) -> Iterator[Any]:
        yield connect(self.T.y, self.source.T)
        yield connect(self.G.y, self.x.Gc)
        yield connect(self.source.port, self.x.port_a)
        yield connect(self.x.port_b, self.body.port, self.sensor.port)


CASES["thermal.PrescribedTemperature"] = (Convected(), 1.0, "sensor.T", warming)
CASES["thermal.TemperatureSensor"] = (Convected(), 1.0, "sensor.T", warming)


@case(1.0, "body.T", lambda t: 300.0 + 2 * t)
class Heated(Component):
    x, body = part(th.FixedHeatFlow, Q_flow=4.0), part(th.HeatCapacitor, C=2.0, T=300.0)
    meter = part(th.HeatFlowSensor)

    def equations(self) -> Iterator[Any]:
        yield connect(self.x.port, self.meter.port_a)
        yield connect(self.meter.port_b, self.body.port)


CASES["thermal.HeatFlowSensor"] = (Heated(), 1.0, "meter.Q_flow", lambda t: 4.0 + 0 * t)


@case(1.0, "body.T", lambda t: 300.0 + t**2 / 2)
class Ramped(Component):
    x, body = part(th.PrescribedHeatFlow), part(th.HeatCapacitor, C=2.0, T=300.0)
    signal = part(blocks.Ramp, height=4.0, duration=2.0)

    def equations(self) -> Iterator[Any]:
        yield connect(self.signal.y, self.x.Q_flow)
        yield connect(self.x.port, self.body.port)


# --- blocks --------------------------------------------------------------------------------------


def alone(kind: type[Component], **values: Any) -> Any:
    """A source by itself."""
    return type("Alone", (Component,), {"x": part(kind, **values)})


def fed(kind: type[Component], source: Any = None, **values: Any) -> Any:
    """A block behind a source."""

    class Fed(Component):
        x, source_ = part(kind, **values), source or part(blocks.Constant)

        def equations(self) -> Iterator[Any]:
            yield connect(self.source_.y, self.x.u)

    return Fed


def pair(kind: type[Component], *entries: str) -> Any:
    """A block behind 2 t, 3 and 5."""

    class Pair(Component):
        x, ramp = part(kind), part(blocks.Ramp, height=4.0, duration=2.0)
        three, five = part(blocks.Constant, k=3.0), part(blocks.Constant, k=5.0)

        def equations(self) -> Iterator[Any]:
            for source, entry in zip((self.ramp, self.three, self.five), entries, strict=False):
                yield connect(source.y, getattr(self.x, entry))

    return Pair


SINE = part(blocks.Sine, amplitude=2.0)
wave = lambda t: 2 * np.sin(2 * np.pi * t)  # noqa: E731
case(0.1, "x.y", lambda t: 3.0 + 0 * t)(alone(blocks.Constant, k=3.0))
case(1.0, "x.y", lambda t: np.where(t < 0.503, 1.0, 4.0))(
    alone(blocks.Step, height=3.0, offset=1.0, startTime=0.503)
)
case(2.0, "x.y", lambda t: 1 + 3 * np.clip((t - 0.5) / 0.8, 0, 1))(
    alone(blocks.Ramp, height=3.0, offset=1.0, startTime=0.5, duration=0.8)
)
case(1.0, "x.y", wave)(alone(blocks.Sine, amplitude=2.0))
case(1.0, "x.y", lambda t: 3 * wave(t))(fed(blocks.Gain, SINE, k=3.0))
case(1.0, "x.y", lambda t: 2 * t + 3)(pair(blocks.Add, "u1", "u2"))
case(1.0, "x.y", lambda t: 2 * t - 3)(pair(blocks.Feedback, "u1", "u2"))
case(1.0, "x.y", lambda t: 6 * t)(pair(blocks.Product, "u1", "u2"))
case(0.97, "x.y", lambda t: np.where(2 * t > 0.5, 3.0, 5.0))(pair(blocks.Switch, "u2", "u1", "u3"))
case(1.0, "x.y", lambda t: np.clip(wave(t), -0.5, 1))(fed(blocks.Limiter, SINE, uMin=-0.5))
case(1.0, "x.y", lambda t: wave(t) - np.clip(wave(t), -0.5, 1))(
    fed(blocks.DeadZone, SINE, uMin=-0.5)
)
case(1.0, "x.y", lambda t: ((t > 1 / 12) & (t < 0.5 + 1 / 12)) * 1.0)(
    fed(blocks.Hysteresis, SINE, uLow=-1.0, uHigh=1.0)
)
case(1.0, "x.y", lambda t: 3 * t)(fed(blocks.Integrator, k=3.0))
LAG = np.sqrt(2 ** (1 / 3) - 1) / (4 * np.pi)
case(1.0, "x.y", lambda t: 1 - np.exp(-t / LAG) * (1 + t / LAG + (t / LAG) ** 2 / 2))(
    fed(blocks.CriticalDamping, n=3, f=2.0)
)


@case(1.0, "x.y", lambda t: (t < 1 / 3) | (t > 1 - np.arccos(0.25) / (2 * np.pi)))
class Thermostat(Component):
    """-2 cos(2π t) between -1/2 and 1: on at the start, and again from below -1/2 on."""

    x, aim = part(blocks.OnOffController, bandwidth=1.5), part(blocks.Constant, k=0.25)
    wave = part(blocks.Sine, amplitude=2.0, phase=-np.pi / 2)

    def equations(self) -> Iterator[Any]:
        yield connect(self.wave.y, self.x.u)
        yield connect(self.aim.y, self.x.reference)


case(1.0, "x.y", lambda t: 3 * (1 - np.exp(-2 * t)))(fed(blocks.FirstOrder, k=3.0, T=0.5))
case(2.0, "x.y", lambda t: 8 * damped(t) / 3 * 1.5)(fed(blocks.SecondOrder, k=1.5, w=2.0, D=0.5))
case(1.0, "x.y", lambda t: 3 * (1 + 2 * t))(fed(blocks.PI, k=3.0, T=0.5))
case(1.0, "x.y", lambda t: 3 * (1 + 2 * t + 10 * np.exp(-10 * t / 0.2)))(
    fed(blocks.PID, k=3.0, Ti=0.5, Td=0.2)
)
case(2.0, "x.y", lambda t: 8 / 3 * damped(t))(
    fed(blocks.TransferFunction, b=(4.0,), a=(1.0, 2.0, 4.0))
)
case(2.0, "x.y", lambda t: 8 / 3 * damped(t))(
    fed(blocks.StateSpace, A=((0.0, 1.0), (-4.0, -2.0)), B=(0.0, 4.0), C=(1.0, 0.0))
)
case(1.0, "x.y", lambda t: 2.0 * (1 + (1 + np.floor(t / 0.1 + 1e-9)) / 4))(
    fed(blocks.DiscretePI, kd=2.0, Td=4.0)
)
case(1.0, "x.y", lambda t: np.where(t > 0.1 - 1e-9, 2 * (np.floor(t / 0.1 + 1e-9) - 1) * 0.1, 0))(
    fed(blocks.UnitDelay, part(blocks.Ramp, height=4.0, duration=2.0))
)
for held in (blocks.Sampler, blocks.ZeroOrderHold):
    case(1.0, "x.y", lambda t: 2 * 0.1 * np.floor(t / 0.1 + 1e-9))(
        fed(held, part(blocks.Ramp, height=4.0, duration=2.0))
    )


@case(1.0, "x.y", lambda t: np.minimum(2 * 0.5 * (1 + t), 1.4))
class Controlled(Component):
    """Without derivative a PI controller that meets its bound."""

    x = part(blocks.LimPID, k=2.0, Ti=1.0, Td=0.1, yMax=1.4, wd=1.0, Nd=1e-9)
    aim, real = part(blocks.Constant, k=0.5), part(blocks.Constant, k=0.0)

    def equations(self) -> Iterator[Any]:
        yield connect(self.aim.y, self.x.u_s)
        yield connect(self.real.y, self.x.u_m)


# --- hydraulics and bond graphs ------------------------------------------------------------------


def line(kind: type[Component], **values: Any) -> Any:
    """Between 2 bar and a tank."""

    class Line(Component):
        x, tank = part(kind, **values), part(hy.Tank)
        source = part(hy.PressureSource, p0="2 bar")

        def equations(self) -> Iterator[Any]:
            yield connect(self.source.port, self.x.port_a)
            yield connect(self.x.port_b, self.tank.port)

    return Line


case(0.1, "x.q", lambda t: 2e5 * 3e-11 + 0 * t)(line(hy.LaminarRestriction, G=3e-11))
case(0.1, "x.q", lambda t: 0.7e-5 * np.sqrt(2 * 2e5 / 850) + 0 * t)(
    line(hy.TurbulentRestriction, dp_small=1.0)
)
case(0.1, "x.q", lambda t: 1e-9 * 0.5e5 + 0 * t)(line(hy.CheckValve, p_open=1.5e5, Gleak=0.0))
case(0.1, "x.q", lambda t: 0 * t)(line(hy.ReliefValve, p_open=2.5e5, Gleak=0.0))
CASES["hydraulic.Tank"] = (line(hy.LaminarRestriction)(), 0.1, "tank.port.p", lambda t: 0 * t)
CASES["hydraulic.PressureSource"] = (
    line(hy.LaminarRestriction)(), 0.1, "source.port.p", lambda t: 2e5 + 0 * t
)  # fmt: skip


@case(1.0, "x.p", lambda t: 1e-4 * 1.6e9 / 1e-3 * t)
class Filled(Component):
    x, source, sensor = part(hy.Volume), part(hy.FlowSource), part(hy.PressureSensor)

    def equations(self) -> Iterator[Any]:
        yield connect(self.source.port, self.x.port, self.sensor.port)


CASES["hydraulic.FlowSource"] = (Filled(), 1.0, "x.p", lambda t: 1.6e8 * t)
CASES["hydraulic.PressureSensor"] = (Filled(), 1.0, "sensor.p", lambda t: 1.6e8 * t)


@case(1.0, "x.port.p", lambda t: 1e6 * (1 - 0.1 * t) ** -1.4)
class Charged(Component):
    x, source = part(hy.Accumulator), part(hy.FlowSource)

    def equations(self) -> Iterator[Any]:
        yield connect(self.source.port, self.x.port)


@case(0.5, "m.v", lambda t: 2e5 * 1e-3 / 4 * t)
class Pressed(Component):
    x, m = part(hy.Cylinder), part(tr.Mass, m=4.0)
    fixed, source, tank = part(tr.Fixed), part(hy.PressureSource, p0=2e5), part(hy.Tank)

    def equations(self) -> Iterator[Any]:
        yield connect(self.source.port, self.x.port_a)
        yield connect(self.tank.port, self.x.port_b)
        yield connect(self.fixed.flange, self.x.flange_a)
        yield connect(self.x.flange_b, self.m.flange_a)


@case(0.5, "J.w", lambda t: -2e5 * 1e-6 / 4 * t)
class Pumped(Component):
    x, J = part(hy.Pump), part(rot.Inertia, J=4.0)
    source, tank = part(hy.PressureSource, p0=2e5), part(hy.Tank)

    def equations(self) -> Iterator[Any]:
        yield connect(self.tank.port, self.x.port_a)
        yield connect(self.source.port, self.x.port_b)
        yield connect(self.x.flange, self.J.flange_a)


@case(0.1, "x.A.q", lambda t: -0.5 * 0.7e-5 * np.sqrt(2 * 1e5 / 850) + 0 * t)
class Steered(Component):
    """Half open between 2 bar, 1 bar and the tank."""

    x = part(hy.Valve43, dp_small=1.0)
    spool, source = part(blocks.Constant, k=0.5), part(hy.PressureSource, p0=2e5)
    load, tank, other = part(hy.PressureSource, p0=1e5), part(hy.Tank), part(hy.Tank)

    def equations(self) -> Iterator[Any]:
        yield connect(self.spool.y, self.x.spool)
        yield connect(self.source.port, self.x.P)
        yield connect(self.load.port, self.x.A)
        yield connect(self.other.port, self.x.B)
        yield connect(self.tank.port, self.x.T)


class Graph(Component):
    """A source of effort on a resistance, a store of momentum and one of displacement."""

    e, one = part(bond.Se, e0=3.0), part(bond.Junction1)
    mass, rest = part(bond.I, I=2.0), part(bond.Junction1)
    spring, damper = part(bond.C, C=1 / 8), part(bond.R, R=4.0)

    def equations(self) -> Iterator[Any]:
        yield connect(self.e.p, self.one.p1)
        yield connect(self.one.p2, self.mass.p)
        yield connect(self.one.p3, self.rest.p1)
        yield connect(self.rest.p2, self.spring.p)
        yield connect(self.rest.p3, self.damper.p)


class Changed(Component):
    """Effort 3 through a transformer of 2 and a gyrator of 5 on a resistance of 4."""

    e, tf, gy, r = (
        part(bond.Se, e0=3.0),
        part(bond.TF, m=2.0),
        part(bond.GY, r=5.0),
        part(bond.R, R=4.0),
    )

    def equations(self) -> Iterator[Any]:
        yield connect(self.e.p, self.tf.p1)
        yield connect(self.tf.p2, self.gy.p1)
        yield connect(self.gy.p2, self.r.p)


class Parted(Component):
    """A flow of 3 parted between resistances of 1 and 2."""

    f, zero, a, b = part(bond.Sf, f0=3.0), part(bond.Junction0), part(bond.R), part(bond.R, R=2.0)

    def equations(self) -> Iterator[Any]:
        yield connect(self.f.p, self.zero.p1)
        yield connect(self.zero.p2, self.a.p)
        yield connect(self.zero.p3, self.b.p)


for name in ("Se", "R", "C", "I", "Junction1"):
    CASES[f"bond.{name}"] = (Graph(), 2.0, "spring.q", damped)
for name in ("TF", "GY"):
    CASES[f"bond.{name}"] = (Changed(), 0.1, "r.p.e", lambda t: 1.5 * 4 / 5 + 0 * t)
for name in ("Sf", "Junction0"):
    CASES[f"bond.{name}"] = (Parted(), 0.1, "a.p.f", lambda t: 2.0 + 0 * t)


def pulses(t: Any) -> Any:
    return np.where((t < 0.22) | ((t - 0.22) % 1.01 >= 0.404), 1.0, 4.0)


@case(3.0, "x.y", pulses)
class Pulsed(Component):
    x = part(blocks.Pulse, amplitude=3.0, offset=1.0, width=40.0, period=1.01, startTime=0.22)

    def equations(self) -> Iterator[Any]:
        yield from ()


def fastest(t: Any) -> Any:
    """0.5 s of 1/s2, 1.5 s of 0.5 1/s, 0.5 s of -1/s2 along a way of 1: the speed of 2 m binds."""
    up, down = np.clip(t - 0.2, 0, 0.5), np.clip(2.7 - t, 0, 0.5)
    return 2 * (up**2 / 2 + 0.5 * np.clip(t - 0.7, 0, 1.5) + 0.125 - down**2 / 2)


@case(4.0, "x.motion[0].q", fastest)
class Planned(Component):
    x = part(
        blocks.KinematicPTP, q_begin=(0.0, 1.0), q_end=(2.0, 0.0), qd_max=(1.0, 2.0),
        qdd_max=(2.0, 1.0), startTime=0.2,
    )  # fmt: skip

    def equations(self) -> Iterator[Any]:
        yield from ()


ROUGH = (
    "electrical.Diode", "electrical.ZDiode", "electrical.NPN", "hydraulic.TurbulentRestriction",
    "hydraulic.Valve43", "rotational.ElastoBacklash", "translational.ElastoGap",
)  # fmt: skip
"""Closed forms that leave out what is small, and times of events."""


@pytest.mark.parametrize("name", CASES)
def test_against_a_closed_form(name: str) -> None:
    made, duration, variable, closed = CASES[name]
    run = kt.simulate(made, duration, step=duration / 20, max_step=duration / 10)
    assert run.attrs["termination"] == "finished"
    expected = np.asarray(closed(run["time"].values), dtype=float)
    assert_close(run[variable].values, expected, COARSE_RUN if name in ROUGH else RUN, variable)


def test_every_component_has_a_case() -> None:
    known = {name.partition(" ")[0] for name in CASES}
    wanted = {f"{d.__name__.rpartition('.')[2]}.{kind.__name__}" for d in DOMAINS for kind in d.ALL}
    assert wanted - known == set()


CONTRACT = {
    blocks: "Constant Step Ramp Sine Gain Add Product Limiter DeadZone Hysteresis Integrator "
    "FirstOrder SecondOrder PI LimPID TransferFunction StateSpace Switch DiscretePI UnitDelay "
    "KinematicPTP",
    electrical: "Ground Resistor Capacitor Inductor Transformer EMF IdealOpAmp Diode ZDiode "
    "IdealDiode IdealSwitch NPN",
    rotational: "Fixed Inertia Spring Damper SpringDamper ElastoBacklash IdealGear IdealPlanetary "
    "BearingFriction Clutch OneWayClutch Brake",
    translational: "Fixed Mass Spring Damper SpringDamper ElastoGap IdealGearR2T SupportFriction "
    "Brake MassWithStop",
    hydraulic: "Tank Volume LaminarRestriction TurbulentRestriction Pump Cylinder CheckValve "
    "ReliefValve Valve43 Accumulator",
    thermal: "HeatCapacitor ThermalConductor Convection BodyRadiation",
    bond: "Se Sf R C I TF GY Junction0 Junction1",
    multibody: "World Fixed FixedTranslation FixedRotation Body Revolute Prismatic Cylindrical "
    "Universal Spherical Planar FreeMotion SpringDamperParallel WorldForce Bushing Mechanism",
}


def test_names_that_users_rely_on_are_there() -> None:
    for domain, names in CONTRACT.items():
        assert set(names.split()) <= {kind.__name__ for kind in domain.ALL}, domain.__name__
