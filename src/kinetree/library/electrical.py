"""Electrical circuits: potential v [V] across, current i [A] through, positive into the component.

| what | names |
|---|---|
| connectors | Pin; partial TwoPin, FourPin |
| components | Ground, Resistor, HeatingResistor, Conductor, Capacitor, Inductor, Transformer, EMF, IdealOpAmp, Diode, ZDiode, IdealDiode, IdealSwitch, NPN |
| sources | ConstantVoltage, StepVoltage, SineVoltage, SignalVoltage, ConstantCurrent, StepCurrent, SineCurrent, SignalCurrent |
| sensors | PotentialSensor, VoltageSensor, CurrentSensor |

Refs: Otter1996 sec. 2
"""  # noqa: E501

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from math import pi
from typing import Any

from kinetree.acausal import (
    Component,
    Connector,
    across,
    der,
    parameter,
    port,
    signal_in,
    signal_out,
    through,
    time,
    variable,
)
from kinetree.functions import exp, select, sin, switch
from kinetree.library.rotational import Flange
from kinetree.library.thermal import HeatPort


class Pin(Connector):
    """An end of a wire."""

    v = across("V")
    i = through("A")


class TwoPin(Component):
    """Partial: two pins, what goes in at one comes out at the other; `law` binds v and i."""

    p, n = port(Pin), port(Pin)
    v, i = variable("V"), variable("A")

    def equations(self) -> Iterator[Any]:
        """v = p.v - n.v, i = p.i = -n.i, and the law."""
        yield self.v == self.p.v - self.n.v
        yield self.i == self.p.i
        yield self.p.i + self.n.i == 0
        yield from self.law()

    @abstractmethod
    def law(self) -> Iterator[Any]:
        """What binds v and i."""


class FourPin(Component):
    """Partial: two pairs of pins; `law` has two equations."""

    p1, n1, p2, n2 = port(Pin), port(Pin), port(Pin), port(Pin)
    v1, i1, v2, i2 = variable("V"), variable("A"), variable("V"), variable("A")

    def equations(self) -> Iterator[Any]:
        """The same of both pairs as of two pins, and the law."""
        yield self.v1 == self.p1.v - self.n1.v
        yield self.v2 == self.p2.v - self.n2.v
        yield self.i1 == self.p1.i
        yield self.i2 == self.p2.i
        yield self.p1.i + self.n1.i == 0
        yield self.p2.i + self.n2.i == 0
        yield from self.law()

    @abstractmethod
    def law(self) -> Iterator[Any]:
        """What binds v1, i1, v2 and i2."""


# --- components ----------------------------------------------------------------------------------


class Ground(Component):
    """The reference of potentials."""

    p = port(Pin)

    def equations(self) -> Iterator[Any]:
        """v = 0."""
        yield self.p.v == 0


class Resistor(TwoPin):
    """A resistor of R [ohm]."""

    R = parameter(1.0, "ohm")

    def law(self) -> Iterator[Any]:
        """v = R i."""
        yield self.v == self.R * self.i


class HeatingResistor(TwoPin):
    """A resistor of R [ohm] at T_ref [K], alpha [1/K] more by temperature; its loss heats."""

    R, alpha, T_ref = parameter(1.0, "ohm"), parameter(0.0, "1/K"), parameter(300.15, "K")
    heatPort = port(HeatPort)

    def law(self) -> Iterator[Any]:
        """v = R (1 + alpha (T - T_ref)) i, heatPort.Q_flow = -v i."""
        yield self.v == self.R * (1 + self.alpha * (self.heatPort.T - self.T_ref)) * self.i
        yield self.heatPort.Q_flow == -self.v * self.i


class Conductor(TwoPin):
    """A conductor of G [1/ohm]."""

    G = parameter(1.0, "1/ohm")

    def law(self) -> Iterator[Any]:
        """i = G v."""
        yield self.i == self.G * self.v


class Capacitor(TwoPin):
    """A capacitor of C [F]."""

    C = parameter(1e-6, "F")

    def law(self) -> Iterator[Any]:
        """C der(v) = i."""
        yield self.C * der(self.v) == self.i


class Inductor(TwoPin):
    """A coil of L [H]."""

    L = parameter(1.0, "H")

    def law(self) -> Iterator[Any]:
        """L der(i) = v."""
        yield self.L * der(self.i) == self.v


class Transformer(FourPin):
    """Two coils of L1 and L2 [H] that see each other by M [H]."""

    L1, L2, M = parameter(1.0, "H"), parameter(1.0, "H"), parameter(0.5, "H")

    def law(self) -> Iterator[Any]:
        """v1 = L1 der(i1) + M der(i2), v2 = M der(i1) + L2 der(i2)."""
        yield self.v1 == self.L1 * der(self.i1) + self.M * der(self.i2)
        yield self.v2 == self.M * der(self.i1) + self.L2 * der(self.i2)


class EMF(TwoPin):
    """An ideal motor or generator, fixed in space: k [N.m/A] or [V.s/rad]."""

    k = parameter(1.0, "N.m/A")
    flange = port(Flange)
    phi, w = variable("rad"), variable("rad/s")

    def law(self) -> Iterator[Any]:
        """v = k der(phi), tau = -k i."""
        yield self.phi == self.flange.phi
        yield self.w == der(self.phi)
        yield self.v == self.k * self.w
        yield self.flange.tau == -self.k * self.i


class IdealOpAmp(FourPin):
    """An ideal operational amplifier: nothing goes in, whatever is needed comes out."""

    def law(self) -> Iterator[Any]:
        """v1 = 0, i1 = 0."""
        yield self.v1 == 0
        yield self.i1 == 0


class Diode(TwoPin):
    """A diode by Shockley's equation, linear above Maxexp, with a resistance R in parallel."""

    Ids, Vt = parameter(1e-6, "A"), parameter(0.04, "V")
    Maxexp, R = parameter(15.0), parameter(1e8, "ohm")

    def law(self) -> Iterator[Any]:
        """i = Ids (exp(v/Vt) - 1) + v/R."""
        yield self.i == _shockley(self) + self.v / self.R


class ZDiode(TwoPin):
    """A Zener diode: a Diode that breaks through at -Bv."""

    Ids, Vt = parameter(1e-6, "A"), parameter(0.04, "V")
    Maxexp, R = parameter(30.0), parameter(1e8, "ohm")
    Bv, Ibv, Nbv = parameter(5.1, "V"), parameter(0.7, "A"), parameter(0.74)

    def law(self) -> Iterator[Any]:
        """i = Ids (exp(v/Vt) - 1) - Ibv exp(-(v + Bv)/(Nbv Vt)) + v/R."""
        x = -(self.v + self.Bv) / (self.Nbv * self.Vt)
        steep = exp(self.Maxexp) * (1 + x - self.Maxexp)
        bounded = exp(select(x < self.Maxexp, x, self.Maxexp))
        back = select(x < self.Maxexp, bounded, steep)
        yield self.i == _shockley(self) - self.Ibv * back + self.v / self.R


def _shockley(part: Diode | ZDiode) -> Any:
    """Ids (exp(v/Vt) - 1), continued as a straight line above Maxexp."""
    x = part.v / part.Vt
    bounded = exp(select(x < part.Maxexp, x, part.Maxexp))
    steep = exp(part.Maxexp) * (1 + x - part.Maxexp)
    return part.Ids * (select(x < part.Maxexp, bounded, steep) - 1)


class IdealDiode(TwoPin):
    """A diode that is open or closed: Ron [ohm] above Vknee [V], Goff [1/ohm] below."""

    Ron, Goff = parameter(1e-5, "ohm"), parameter(1e-5, "1/ohm")
    Vknee = parameter(0.0, "V")
    s = variable("1")
    volt, ampere = parameter(1.0, "V"), parameter(1.0, "A")

    def law(self) -> Iterator[Any]:
        """v and i along a curve with the parameter s, which has its knee at s = 0."""
        on = self.s > 0
        v = switch(on, self.Ron * self.ampere, self.volt)
        i = switch(on, self.ampere, self.Goff * self.volt)
        yield self.v == self.s * v + self.Vknee
        yield self.i == self.s * i + self.Goff * self.Vknee


class IdealSwitch(TwoPin):
    """A switch: open (Goff) where control is above 0.5, else closed (Ron)."""

    Ron, Goff = parameter(1e-5, "ohm"), parameter(1e-5, "1/ohm")
    control = signal_in()

    def law(self) -> Iterator[Any]:
        """i = Goff v where it is open, v = Ron i where it is closed."""
        yield self.i == self.v * switch(self.control > 0.5, self.Goff, 1 / self.Ron)


class NPN(Component):
    """A bipolar transistor by Ebers and Moll, without capacitances."""

    C, B, E = port(Pin), port(Pin), port(Pin)
    Bf, Br = parameter(50.0), parameter(0.1)
    Is, Vt = parameter(1e-16, "A"), parameter(0.02585, "V")
    Gbc, Gbe = parameter(1e-15, "1/ohm"), parameter(1e-15, "1/ohm")
    vbc, vbe = variable("V"), variable("V")

    def equations(self) -> Iterator[Any]:
        """C.i = Is (e^(vbe/Vt) - e^(vbc/Vt)) - Is/Br (e^(vbc/Vt) - 1) - Gbc vbc, and B.i."""
        back, forth = exp(self.vbc / self.Vt), exp(self.vbe / self.Vt)
        across_c = self.Is / self.Br * (back - 1) + self.Gbc * self.vbc
        across_e = self.Is / self.Bf * (forth - 1) + self.Gbe * self.vbe
        yield self.vbc == self.B.v - self.C.v
        yield self.vbe == self.B.v - self.E.v
        yield self.C.i == self.Is * (forth - back) - across_c
        yield self.B.i == across_c + across_e
        yield self.C.i + self.B.i + self.E.i == 0


# --- sources -------------------------------------------------------------------------------------


class ConstantVoltage(TwoPin):
    """A source of V [V]."""

    V = parameter(1.0, "V")

    def law(self) -> Iterator[Any]:
        """v = V."""
        yield self.v == self.V


class StepVoltage(TwoPin):
    """A source that steps by V [V] from offset at startTime [s]."""

    V, offset, startTime = parameter(1.0, "V"), parameter(0.0, "V"), parameter(0.0, "s")

    def law(self) -> Iterator[Any]:
        """v = offset, from startTime on offset + V."""
        yield self.v == self.offset + switch(time < self.startTime, 0.0, self.V)


class SineVoltage(TwoPin):
    """A source of V sin(2π f t + phase) [V]."""

    V, f, phase = parameter(1.0, "V"), parameter(1.0, "Hz"), parameter(0.0, "rad")
    offset = parameter(0.0, "V")

    def law(self) -> Iterator[Any]:
        """v = offset + V sin(2π f t + phase)."""
        yield self.v == self.offset + self.V * sin(2 * pi * self.f * time + self.phase)


class SignalVoltage(TwoPin):
    """A source whose voltage is a signal."""

    u = signal_in("V")

    def law(self) -> Iterator[Any]:
        """v = u."""
        yield self.v == self.u


class ConstantCurrent(TwoPin):
    """A source of I [A] from p to n inside."""

    I = parameter(1.0, "A")

    def law(self) -> Iterator[Any]:
        """i = I."""
        yield self.i == self.I


class StepCurrent(TwoPin):
    """A source that steps by I [A] from offset at startTime [s]."""

    I, offset, startTime = parameter(1.0, "A"), parameter(0.0, "A"), parameter(0.0, "s")

    def law(self) -> Iterator[Any]:
        """i = offset, from startTime on offset + I."""
        yield self.i == self.offset + switch(time < self.startTime, 0.0, self.I)


class SineCurrent(TwoPin):
    """A source of I sin(2π f t + phase) [A]."""

    I, f, phase = parameter(1.0, "A"), parameter(1.0, "Hz"), parameter(0.0, "rad")

    def law(self) -> Iterator[Any]:
        """i = I sin(2π f t + phase)."""
        yield self.i == self.I * sin(2 * pi * self.f * time + self.phase)


class SignalCurrent(TwoPin):
    """A source whose current is a signal."""

    u = signal_in("A")

    def law(self) -> Iterator[Any]:
        """i = u."""
        yield self.i == self.u


# --- sensors -------------------------------------------------------------------------------------


class PotentialSensor(Component):
    """Tells the potential of a pin [V]."""

    p = port(Pin)
    phi = signal_out("V")

    def equations(self) -> Iterator[Any]:
        """phi = p.v, no current."""
        yield self.p.i == 0
        yield self.phi == self.p.v


class VoltageSensor(TwoPin):
    """Tells the voltage between two pins, v [V]."""

    def law(self) -> Iterator[Any]:
        """No current."""
        yield self.i == 0


class CurrentSensor(TwoPin):
    """Tells the current through it, i [A]."""

    def law(self) -> Iterator[Any]:
        """No voltage."""
        yield self.v == 0


ALL = (
    Ground, Resistor, HeatingResistor, Conductor, Capacitor, Inductor, Transformer, EMF, IdealOpAmp,
    Diode, ZDiode, IdealDiode, IdealSwitch, NPN, ConstantVoltage, StepVoltage, SineVoltage,
    SignalVoltage, ConstantCurrent, StepCurrent, SineCurrent, SignalCurrent, PotentialSensor,
    VoltageSensor, CurrentSensor,
)  # fmt: skip
