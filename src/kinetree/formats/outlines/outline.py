"""An outline as it is drawn: corners and arcs in a plane of complex numbers, x + iy.

Curves of any kind become pairs of arcs with common tangents, as many as a tolerance asks for.  With
ends P, Q and unit tangents S, T there the two arcs meet at

    J = (P + Q + d (S - T))/2,    |Q - P - d (S + T)| = 2 d

Refs: own derivation
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import atan2, inf, sqrt, tan
from typing import Any

import numpy as np

from kinetree.errors import FormatError

FINE = 1e-4
"""How near arcs come to the curve that they stand for, in extents of the curve."""
JOINED = 1e-6
"""Distance of two ends that are one place, in extents of the drawing."""
MOST = 2000
"""Corners and arcs of an outline at most."""
LOOKED = np.linspace(0.0, 1.0, 9)[1:-1]
"""Shares of a piece of a curve at which its arcs are compared with it."""
DEEPEST = 12
"""How often a curve is halved."""
PlaneSpot = complex
AlongCurve = Callable[[Any], Any]


@dataclass
class Outline:
    """Corners with the bulge of the arc that follows, and the last corner."""

    rows: list[tuple[PlaneSpot, float]] = field(default_factory=list)
    end: PlaneSpot = 0j

    @classmethod
    def at(cls, spot: PlaneSpot) -> Outline:
        """An outline that begins somewhere."""
        return cls([], spot)

    @property
    def start(self) -> PlaneSpot:
        """Its first corner."""
        return self.rows[0][0] if self.rows else self.end

    def line(self, to: PlaneSpot, bulge: float = 0.0) -> None:
        """Go on by a straight edge or an arc; no way is left out."""
        if to != self.end:
            self.rows.append((self.end, bulge))
            self.end = to

    def curve(self, along: AlongCurve, element: str) -> None:
        """Go on by a curve over 0 to 1, as arcs."""
        points = along(np.linspace(0.0, 1.0, 65))
        size = max(np.ptp(points.real), np.ptp(points.imag))
        for to, bulge in _arcs(along, 0.0, 1.0, FINE * float(size), 0):
            self.line(to, bulge)
        if len(self.rows) > MOST:
            raise FormatError(
                f"it needs more than {MOST} corners and arcs", element=element, cure="simplify it"
            )

    def reverse(self) -> Outline:
        """The same the other way round."""
        spots = [spot for spot, _ in self.rows] + [self.end]
        bulges = [-bulge for _, bulge in self.rows]
        return Outline(list(zip(spots[:0:-1], bulges[::-1], strict=True)), spots[0])

    def map(self, scale: complex, shift: PlaneSpot = 0j, mirrored: bool = False) -> Outline:
        """Turned and scaled by a number, shifted; first mirrored at the x axis where wanted."""

        def put(spot: PlaneSpot) -> PlaneSpot:
            return scale * (spot.conjugate() if mirrored else spot) + shift

        sign = -1.0 if mirrored else 1.0
        return Outline([(put(spot), sign * bulge) for spot, bulge in self.rows], put(self.end))

    @property
    def extent(self) -> float:
        """Largest side of the box around its corners."""
        spots = np.array([self.end, *(spot for spot, _ in self.rows)])
        return float(max(np.ptp(spots.real), np.ptp(spots.imag)))

    @property
    def closed(self) -> bool:
        """Whether it ends where it begins."""
        return len(self.rows) > 1 and abs(self.end - self.start) <= JOINED * self.extent

    @property
    def area(self) -> float:
        """Twice the area that it goes round counter-clockwise, arcs by their middles."""
        corners: list[PlaneSpot] = []
        ends = [*(spot for spot, _ in self.rows[1:]), self.end]
        for (a, bulge), b in zip(self.rows, ends, strict=True):
            corners += [a, (a + b) / 2 - 0.5j * (b - a) * bulge]
        z = np.array([*corners, self.end])
        return float((z[:-1].conjugate() * z[1:]).imag.sum())


def _arcs(
    along: AlongCurve, a: float, b: float, near: float, halved: int
) -> Iterator[tuple[PlaneSpot, float]]:
    """(end, bulge) of the arcs that stand for a piece of a curve."""
    found = _two_arcs(along, a, b)
    looked = along(a + (b - a) * LOOKED)
    if halved < DEEPEST and (halved < 1 or _apart(complex(along(a)), found, looked) > near):
        middle = (a + b) / 2
        yield from _arcs(along, a, middle, near, halved + 1)
        yield from _arcs(along, middle, b, near, halved + 1)
    else:
        yield from found


def _two_arcs(along: AlongCurve, a: float, b: float) -> list[tuple[PlaneSpot, float]]:
    """(end, bulge) of two arcs with the tangents of a piece of a curve at its ends."""
    P, Q = complex(along(a)), complex(along(b))
    S, T = _tangent(along, a, b), _tangent(along, b, a)
    v, t, bend = Q - P, S + T, 1 - (S.conjugate() * T).real
    across, size = (v.conjugate() * t).real, abs(v) ** 2
    if bend > 1e-12:
        d = (sqrt(across**2 + 2 * bend * size) - across) / (2 * bend)
    else:
        d = size / (2 * across) if across > 0 else 0.0
    J = (P + Q + d * (S - T)) / 2
    return [(J, _bulge(S, J - P)), (Q, _bulge(Q - J, T))]


def _tangent(along: AlongCurve, at: float, towards: float) -> complex:
    """Unit tangent along the curve, by a small way into the piece."""
    step = 1e-6 * (towards - at)
    near = [complex(along(at + k * step)) for k in range(3)]
    way = (-3 * near[0] + 4 * near[1] - near[2]) * (1 if step > 0 else -1)
    return way / abs(way) if abs(way) > 0 else 1 + 0j


def _bulge(u: complex, v: complex) -> float:
    """Tangent of a quarter of the angle of an arc whose tangent and chord include half of it."""
    turn = u.conjugate() * v
    return tan(atan2(turn.imag, turn.real) / 2) if u and v else 0.0


def _apart(start: PlaneSpot, arcs: list[tuple[PlaneSpot, float]], points: Any) -> float:
    """Largest distance of points from the nearer of the circles of some arcs."""
    found = np.full(len(points), inf)
    a = start
    for b, bulge in arcs:
        chord = b - a
        if chord and abs(bulge) < 1e-9:
            off = np.abs((chord.conjugate() * (points - a)).imag) / abs(chord)
        elif chord:
            centre = (a + b) / 2 + 0.5j * chord * (1 - bulge**2) / (2 * bulge)
            off = np.abs(np.abs(points - centre) - abs(a - centre))
        else:
            off = np.abs(points - a)
        found = np.minimum(found, off)
        a = b
    return float(found.max())
