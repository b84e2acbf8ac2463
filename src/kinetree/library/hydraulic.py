"""Hydraulics: pressure p [Pa] across, volume flow q [m3/s] through.

| what | names |
|---|---|
| connectors | Port; partial TwoPorts |
| components | Tank, Volume, LaminarRestriction, TurbulentRestriction, CheckValve, ReliefValve, Valve43, Cylinder, Accumulator |
| sources | FlowSource, Pump, PressureSource |
| sensors | PressureSensor |
"""  # noqa: E501

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
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
    variable,
)
from kinetree.forces.fluid import orifice_flow
from kinetree.functions import exp, log, maximum, switch
from kinetree.library import rotational, translational


class HydraulicPort(Connector):
    """An end of a line."""

    p = across("Pa")
    q = through("m3/s")


class TwoPorts(Component):
    """Partial: what goes in at a comes out at b; `law` says how much."""

    port_a, port_b = port(HydraulicPort), port(HydraulicPort)
    dp, q = variable("Pa"), variable("m3/s")

    def equations(self) -> Iterator[Any]:
        """dp = a.p - b.p, q = a.q = -b.q, and the law."""
        yield self.dp == self.port_a.p - self.port_b.p
        yield self.q == self.port_a.q
        yield self.port_a.q + self.port_b.q == 0
        yield from self.law()

    @abstractmethod
    def law(self) -> Iterator[Any]:
        """What binds dp and q."""


class Tank(Component):
    """A reservoir at p0 [Pa]."""

    port, p0 = port(HydraulicPort), parameter(0.0, "Pa")

    def equations(self) -> Iterator[Any]:
        """p = p0."""
        yield self.port.p == self.p0


class Volume(Component):
    """A volume V [m3] of a liquid with bulk modulus beta [Pa]."""

    port = port(HydraulicPort)
    V, beta = parameter(1e-3, "m3"), parameter(1.6e9, "Pa")
    p = variable("Pa", select="prefer")

    def equations(self) -> Iterator[Any]:
        """V/beta der(p) = q."""
        yield self.p == self.port.p
        yield self.V / self.beta * der(self.p) == self.port.q


class LaminarRestriction(TwoPorts):
    """A throttle whose flow is G dp [m3/s/Pa]."""

    G = parameter(1e-11, "m3/s/Pa")

    def law(self) -> Iterator[Any]:
        """q = G dp."""
        yield self.q == self.G * self.dp


class TurbulentRestriction(TwoPorts):
    """An orifice of area A [m2], discharge coefficient Cd; laminar below dp_small [Pa]."""

    A, Cd = parameter(1e-5, "m2"), parameter(0.7)
    rho, dp_small = parameter(850.0, "kg/m3"), parameter(1e3, "Pa")

    def law(self) -> Iterator[Any]:
        """q = Cd A dp sqrt(2/rho) / (dp² + dp_small²)^(1/4)."""
        yield self.q == orifice_flow(self.Cd * self.A, self.dp, self.rho, self.dp_small)


class CheckValve(TwoPorts):
    """Opens from a to b above p_open [Pa]: G [m3/s/Pa]; Gleak closed."""

    G, Gleak = parameter(1e-9, "m3/s/Pa"), parameter(1e-16, "m3/s/Pa")
    p_open = parameter(0.0, "Pa")

    def law(self) -> Iterator[Any]:
        """q = Gleak dp, above p_open also G (dp - p_open)."""
        above = self.dp - self.p_open
        yield self.q == self.Gleak * self.dp + self.G * switch(above > 0, above, 0.0 * above)


class ReliefValve(CheckValve):
    """Opens from a to b where the difference is above p_open, the pressure that it is set to."""


class Valve43(Component):
    """A 4/3 valve: spool > 0 connects P with A and B with T, spool < 0 P with B and A with T."""

    P, T, A, B = port(HydraulicPort), port(HydraulicPort), port(HydraulicPort), port(HydraulicPort)
    spool = signal_in()
    area, Cd = parameter(1e-5, "m2"), parameter(0.7)
    rho, dp_small = parameter(850.0, "kg/m3"), parameter(1e3, "Pa")
    qPA, qPB = variable("m3/s"), variable("m3/s")
    qAT, qBT = variable("m3/s"), variable("m3/s")

    def equations(self) -> Iterator[Any]:
        """Four orifices, two of which are open in proportion to the spool."""
        right, left = maximum(self.spool, 0.0), maximum(-self.spool, 0.0)
        yield self.qPA == self._flow(right, self.P.p - self.A.p)
        yield self.qBT == self._flow(right, self.B.p - self.T.p)
        yield self.qPB == self._flow(left, self.P.p - self.B.p)
        yield self.qAT == self._flow(left, self.A.p - self.T.p)
        yield self.P.q == self.qPA + self.qPB
        yield self.T.q == -self.qAT - self.qBT
        yield self.A.q == self.qAT - self.qPA
        yield self.B.q == self.qBT - self.qPB

    def _flow(self, share: Any, dp: Any) -> Any:
        return orifice_flow(share * self.Cd * self.area, dp, self.rho, self.dp_small)


class Cylinder(Component):
    """A cylinder without friction: areas A_a and A_b [m2]; its rod moves with flange_b."""

    port_a, port_b = port(HydraulicPort), port(HydraulicPort)
    flange_a, flange_b = port(translational.Flange), port(translational.Flange)
    A_a, A_b = parameter(1e-3, "m2"), parameter(1e-3, "m2")
    s, v, f = variable("m"), variable("m/s"), variable("N")

    def equations(self) -> Iterator[Any]:
        """q_a = A_a v, q_b = -A_b v, f = A_a p_a - A_b p_b pushes the rod."""
        yield self.s == self.flange_b.s - self.flange_a.s
        yield self.v == der(self.s)
        yield self.port_a.q == self.A_a * self.v
        yield self.port_b.q == -self.A_b * self.v
        yield self.f == self.A_a * self.port_a.p - self.A_b * self.port_b.p
        yield self.flange_b.f == -self.f
        yield self.flange_a.f == self.f


class Accumulator(Component):
    """A gas behind a membrane: p V^n = p0 V0^n."""

    port = port(HydraulicPort)
    p0, V0, n = parameter(1e6, "Pa"), parameter(1e-3, "m3"), parameter(1.4)
    V, x = variable("m3"), variable("1", start=1.0, select="prefer")

    def equations(self) -> Iterator[Any]:
        """x = V/V0, V0 der(x) = -q, p = p0 x^-n."""
        yield self.V0 * self.x == self.V
        yield self.V0 * der(self.x) == -self.port.q
        yield self.port.p == self.p0 * exp(-self.n * log(self.x))


# --- sources and sensors -------------------------------------------------------------------------


class PressureSource(Component):
    """A pressure that does not change [Pa]."""

    port, p0 = port(HydraulicPort), parameter(1e5, "Pa")

    def equations(self) -> Iterator[Any]:
        """p = p0."""
        yield self.port.p == self.p0


class FlowSource(Component):
    """A flow out of its port that does not change [m3/s]."""

    port, q0 = port(HydraulicPort), parameter(1e-4, "m3/s")

    def equations(self) -> Iterator[Any]:
        """port.q = -q0."""
        yield self.port.q == -self.q0


class Pump(Component):
    """A pump or motor without loss that displaces D [m3/rad] per angle, from a to b."""

    port_a, port_b = port(HydraulicPort), port(HydraulicPort)
    flange = port(rotational.Flange)
    D = parameter(1e-6, "m3/rad")
    w = variable("rad/s")

    def equations(self) -> Iterator[Any]:
        """q = D w, tau = D (b.p - a.p)."""
        yield self.w == der(self.flange.phi)
        yield self.port_a.q == self.D * self.w
        yield self.port_b.q == -self.D * self.w
        yield self.flange.tau == self.D * (self.port_b.p - self.port_a.p)


class PressureSensor(Component):
    """Tells the pressure of its port [Pa]."""

    port, p = port(HydraulicPort), signal_out("Pa")

    def equations(self) -> Iterator[Any]:
        """p = port.p, no flow."""
        yield self.port.q == 0
        yield self.p == self.port.p


ALL = (
    Tank, Volume, LaminarRestriction, TurbulentRestriction, CheckValve, ReliefValve, Valve43,
    Cylinder, Accumulator, PressureSource, FlowSource, Pump, PressureSensor,
)  # fmt: skip
