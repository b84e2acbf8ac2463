"""Heat: temperature T [K] across, heat flow Q_flow [W] through.

| what | names |
|---|---|
| connectors | HeatPort; partial Element1D |
| components | HeatCapacitor, ThermalConductor, ThermalResistor, Convection, BodyRadiation |
| sources | FixedTemperature, PrescribedTemperature, FixedHeatFlow, PrescribedHeatFlow |
| sensors | TemperatureSensor, HeatFlowSensor |
"""

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


class HeatPort(Connector):
    """A place at which heat goes in or out."""

    T = across("K")
    Q_flow = through("W")


class Element1D(Component):
    """Partial: heat goes through from a to b and is not stored; `law` says how much."""

    port_a, port_b = port(HeatPort), port(HeatPort)
    Q_flow, dT = variable("W"), variable("K")

    def equations(self) -> Iterator[Any]:
        """dT = a.T - b.T, Q_flow = a.Q_flow = -b.Q_flow, and the law."""
        yield self.dT == self.port_a.T - self.port_b.T
        yield self.port_a.Q_flow == self.Q_flow
        yield self.port_b.Q_flow == -self.Q_flow
        yield from self.law()

    @abstractmethod
    def law(self) -> Iterator[Any]:
        """What binds the flow and the temperatures."""


# --- components ----------------------------------------------------------------------------------


class HeatCapacitor(Component):
    """A body of one temperature, of C [J/K]."""

    port = port(HeatPort)
    C = parameter(1.0, "J/K")
    T, der_T = variable("K", start=293.15, select="prefer"), variable("K/s")

    def equations(self) -> Iterator[Any]:
        """C der(T) = Q_flow."""
        yield self.T == self.port.T
        yield self.der_T == der(self.T)
        yield self.C * der(self.T) == self.port.Q_flow


class ThermalConductor(Element1D):
    """Conduction of G [W/K]."""

    G = parameter(1.0, "W/K")

    def law(self) -> Iterator[Any]:
        """Q_flow = G dT."""
        yield self.Q_flow == self.G * self.dT


class ThermalResistor(Element1D):
    """Conduction through R [K/W]."""

    R = parameter(1.0, "K/W")

    def law(self) -> Iterator[Any]:
        """dT = R Q_flow."""
        yield self.dT == self.R * self.Q_flow


class Convection(Element1D):
    """From a solid (a) to a fluid (b); the signal Gc says how well [W/K]."""

    Gc = signal_in("W/K")

    def law(self) -> Iterator[Any]:
        """Q_flow = Gc dT."""
        yield self.Q_flow == self.Gc * self.dT


class BodyRadiation(Element1D):
    """Radiation between two bodies; Gr is emissivity times area [m2]."""

    Gr = parameter(1.0, "m2")
    sigma = parameter(5.670374419e-8, "W/m2/K4")

    def law(self) -> Iterator[Any]:
        """Q_flow = Gr sigma (a.T⁴ - b.T⁴)."""
        yield self.Q_flow == self.Gr * self.sigma * (self.port_a.T**4 - self.port_b.T**4)


# --- sources and sensors -------------------------------------------------------------------------


class FixedTemperature(Component):
    """A temperature that does not change [K]."""

    port = port(HeatPort)
    T = parameter(293.15, "K")

    def equations(self) -> Iterator[Any]:
        """port.T = T."""
        yield self.port.T == self.T


class PrescribedTemperature(Component):
    """A temperature that is a signal [K]."""

    port = port(HeatPort)
    T = signal_in("K")

    def equations(self) -> Iterator[Any]:
        """port.T = T."""
        yield self.port.T == self.T


class FixedHeatFlow(Component):
    """A heat flow out of its port, alpha of it per kelvin above T_ref."""

    port = port(HeatPort)
    Q_flow = parameter(1.0, "W")
    T_ref, alpha = parameter(293.15, "K"), parameter(0.0, "1/K")

    def equations(self) -> Iterator[Any]:
        """port.Q_flow = -Q_flow (1 + alpha (T - T_ref))."""
        yield self.port.Q_flow == -self.Q_flow * (1 + self.alpha * (self.port.T - self.T_ref))


class PrescribedHeatFlow(Component):
    """A heat flow out of its port that is a signal, alpha of it per kelvin above T_ref."""

    port = port(HeatPort)
    Q_flow = signal_in("W")
    T_ref, alpha = parameter(293.15, "K"), parameter(0.0, "1/K")

    def equations(self) -> Iterator[Any]:
        """port.Q_flow = -Q_flow (1 + alpha (T - T_ref))."""
        yield self.port.Q_flow == -self.Q_flow * (1 + self.alpha * (self.port.T - self.T_ref))


class TemperatureSensor(Component):
    """Tells the temperature of its port [K]."""

    port = port(HeatPort)
    T = signal_out("K")

    def equations(self) -> Iterator[Any]:
        """T = port.T, no heat."""
        yield self.port.Q_flow == 0
        yield self.T == self.port.T


class HeatFlowSensor(Element1D):
    """Tells the heat that flows from a to b, Q_flow [W]."""

    def law(self) -> Iterator[Any]:
        """Both ends are equally warm."""
        yield self.dT == 0


ALL = (
    HeatCapacitor, ThermalConductor, ThermalResistor, Convection, BodyRadiation, FixedTemperature,
    PrescribedTemperature, FixedHeatFlow, PrescribedHeatFlow, TemperatureSensor, HeatFlowSensor,
)  # fmt: skip
