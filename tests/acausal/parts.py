"""Components written out as a user writes them, for tests of the language and the stages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kinetree.acausal import (
    Component,
    Connector,
    across,
    connect,
    der,
    parameter,
    part,
    port,
    setting,
    through,
    variable,
)


class Pin(Connector):
    v = across("V")
    i = through("A")


class TwoPin(Component):
    p, n = port(Pin), port(Pin)
    v, i = variable("V"), variable("A")

    def equations(self) -> Iterator[Any]:
        yield self.v == self.p.v - self.n.v
        yield self.i == self.p.i
        yield self.p.i + self.n.i == 0


class Resistor(TwoPin):
    R = parameter(1.0, "ohm")

    def equations(self) -> Iterator[Any]:
        yield from super().equations()
        yield self.v == self.R * self.i


class Capacitor(TwoPin):
    C = parameter(1.0, "F")

    def equations(self) -> Iterator[Any]:
        yield from super().equations()
        yield self.C * der(self.v) == self.i


class Source(TwoPin):
    V = parameter(1.0, "V")

    def equations(self) -> Iterator[Any]:
        yield from super().equations()
        yield self.v == self.V


class Ground(Component):
    p = port(Pin)

    def equations(self) -> Iterator[Any]:
        yield self.p.v == 0


class Charging(Component):
    source, R, C, ground = part(Source, V=2.0), part(Resistor, R=3.0), part(Capacitor), part(Ground)

    def equations(self) -> Iterator[Any]:
        yield connect(self.source.p, self.R.p)
        yield connect(self.R.n, self.C.p)
        yield connect(self.C.n, self.source.n, self.ground.p)


class Ladder(Component):
    n = setting(4)
    source, ground = part(Source), part(Ground)

    def setup(self) -> None:
        self.R = [Resistor() for _ in range(self.n)]
        self.C = [Capacitor() for _ in range(self.n)]

    def equations(self) -> Iterator[Any]:
        yield connect(self.source.n, self.ground.p)
        before = self.source.p
        for R, C in zip(self.R, self.C, strict=True):
            yield connect(before, R.p)
            yield connect(R.n, C.p)
            yield connect(C.n, self.ground.p)
            before = R.n


class Pendulum(Component):
    """A point mass on a rod, in Cartesian coordinates: index 3."""

    L, g, m = parameter(1.0, "m"), parameter(9.81, "m/s2"), parameter(1.0, "kg")
    x, y = variable("m", start=0.6), variable("m", start=-0.8)
    f = variable("N/m")

    def equations(self) -> Iterator[Any]:
        yield self.m * der(der(self.x)) == -self.f * self.x
        yield self.m * der(der(self.y)) == -self.f * self.y - self.m * self.g
        yield self.x**2 + self.y**2 == self.L**2
