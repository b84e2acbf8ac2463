"""Bond graphs: effort e across, flow f through; their product is power.  Units are the user's.

| what | names |
|---|---|
| connector | Bond |
| one port | Se, Sf, R, C, I |
| two ports | TF, GY |
| junctions | Junction0 (one effort, flows add to zero; as `connect` does), Junction1 (one flow) |

Refs: Otter1996 sec. 3
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kinetree.acausal import Component, Connector, across, der, parameter, port, through, variable


class Bond(Connector):
    """An end of a bond, with its power e f."""

    e = across("")
    f = through("")


class Se(Component):
    """A source of effort."""

    p, e0 = port(Bond), parameter(1.0)

    def equations(self) -> Iterator[Any]:
        """e = e0."""
        yield self.p.e == self.e0


class Sf(Component):
    """A source of flow, out of its port."""

    p, f0 = port(Bond), parameter(1.0)

    def equations(self) -> Iterator[Any]:
        """f = -f0."""
        yield self.p.f == -self.f0


class R(Component):
    """A resistance."""

    p, R = port(Bond), parameter(1.0)

    def equations(self) -> Iterator[Any]:
        """e = R f."""
        yield self.p.e == self.R * self.p.f


class C(Component):
    """A store of displacement q."""

    p, C, q = port(Bond), parameter(1.0), variable("")
    second = parameter(1.0, "s")

    def equations(self) -> Iterator[Any]:
        """der(q) = f, q = C e."""
        yield self.second * der(self.q) == self.p.f
        yield self.q == self.C * self.p.e


class I(Component):  # noqa: E742  as in bond graphs
    """A store of momentum."""

    p, I, momentum = port(Bond), parameter(1.0), variable("")
    second = parameter(1.0, "s")

    def equations(self) -> Iterator[Any]:
        """der(momentum) = e, momentum = I f."""
        yield self.second * der(self.momentum) == self.p.e
        yield self.momentum == self.I * self.p.f


class TF(Component):
    """A transformer of ratio m."""

    p1, p2, m = port(Bond), port(Bond), parameter(1.0)

    def equations(self) -> Iterator[Any]:
        """e1 = m e2, m f1 + f2 = 0."""
        yield self.p1.e == self.m * self.p2.e
        yield self.m * self.p1.f + self.p2.f == 0


class GY(Component):
    """A gyrator of ratio r: effort of one side from the flow of the other."""

    p1, p2, r = port(Bond), port(Bond), parameter(1.0)

    def equations(self) -> Iterator[Any]:
        """e1 = -r f2, e2 = r f1."""
        yield self.p1.e == -self.r * self.p2.f
        yield self.p2.e == self.r * self.p1.f


class Junction0(Component):
    """One effort at three bonds."""

    p1, p2, p3 = port(Bond), port(Bond), port(Bond)

    def equations(self) -> Iterator[Any]:
        """e1 = e2 = e3, flows add to zero."""
        yield self.p1.e == self.p2.e
        yield self.p1.e == self.p3.e
        yield self.p1.f + self.p2.f + self.p3.f == 0


class Junction1(Component):
    """One flow at three bonds: in at the first, out at the others."""

    p1, p2, p3 = port(Bond), port(Bond), port(Bond)

    def equations(self) -> Iterator[Any]:
        """e1 = e2 + e3, f1 = -f2 = -f3."""
        yield self.p1.e == self.p2.e + self.p3.e
        yield self.p1.f + self.p2.f == 0
        yield self.p1.f + self.p3.f == 0


ALL = (Se, Sf, R, C, I, TF, GY, Junction0, Junction1)
