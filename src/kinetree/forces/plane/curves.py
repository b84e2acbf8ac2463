"""Smooth curves through points, and the point of them that is nearest to another.

A curve is C(s) = (x(s), y(s)), two cubic splines over the length s of the chords.  The nearest
point to X obeys

    f(s) = (C - X)·C' = 0,    s ← s - f/f',    f' = C'·C' + (C - X)·C''

from a start that a table gives: of the angle about the middle of a closed curve, of the place along
the chord of an open one.  f' is kept above a quarter of C'·C', so that the steps stay small where
the curve is bent more than the circle that it meets.

A convex curve meets an edge with the point that lies furthest along u, against the edge's normal,

    g(s) = C'·u = 0,    s ← s - g/g',    g' = C''·u < 0

from a start that a table of the direction of its normal gives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import pi

import numpy as np

from kinetree.arrays import Array
from kinetree.engine import Node, Table, atan2, maximum, minimum, sqrt, table
from kinetree.errors import ModelError
from kinetree.forces.plane.shapes import Xy

STEPS = 6
"""Newton's steps from the start that the table gives."""
SAMPLES = 12
"""Places per piece at which the table of starts is made."""
FLAT = 0.05
"""Least curvature of a convex curve that steps count with, over the inverse of its length."""
MORE = 0.2
"""Part of a closed curve that is known beyond its seam, on either side."""


@dataclass(frozen=True, slots=True)
class SmoothCurve:
    """A smooth curve with its material on the left.

    Attributes:
        x, y: over s [m].
        starts: s over the angle about `middle`, or over the place along `chord`.
        middle: place from which a start is looked for [m].
        chord: direction of an open curve; None of a closed one.
        ends: least and largest s of an open curve [m].
        supports: of a convex solid curve: s over the angle of the normal from `turned`.
        turned: direction from which that angle is counted.
    """

    x: Table
    y: Table
    starts: Table
    middle: Xy
    chord: Xy | None
    ends: Xy
    supports: Table | None = None
    turned: Xy = (1.0, 0.0)


@dataclass(frozen=True, slots=True)
class Nearest:
    """The nearest point of a curve: its place, its direction, and s."""

    x: Node
    y: Node
    along_x: Node
    along_y: Node
    s: Node


def curve(corners: Sequence[Xy], closed: bool, element: str) -> SmoothCurve:
    """The curve through points."""
    return _ring(np.array(corners), element) if closed else _graph(np.array(corners), element)


def _graph(P: Array, element: str) -> SmoothCurve:
    """A curve over the places along its chord."""
    s = _lengths(P)
    spline = _spline(s, P, "natural")
    fine = np.linspace(0.0, s[-1], SAMPLES * len(s))
    chord = (P[-1] - P[0]) / np.hypot(*(P[-1] - P[0]))
    places = (spline(fine) - P[0]) @ chord
    if (np.diff(places) <= 0).any():
        raise _turning("turns back along its chord", element)
    starts = Table.monotone(places, fine)
    return SmoothCurve(*_tables(s, spline), starts, _xy(P[0]), _xy(chord), (0.0, float(s[-1])))


def _ring(P: Array, element: str) -> SmoothCurve:
    """A curve over the angles about its middle; its seam is where they jump from pi to -pi."""
    s = _lengths(np.vstack([P, P[:1]]))
    L = s[-1]
    spline = _spline(s, np.vstack([P, P[:1]]), "periodic")
    fine = np.linspace(0.0, L, SAMPLES * len(s), endpoint=False)
    middle = spline(fine).mean(axis=0)
    angle = np.arctan2(*(spline(fine) - middle).T[::-1])
    seam = int(np.argmax(np.abs(angle)))
    angle = np.unwrap(np.roll(angle, -seam))
    steps = np.diff([*angle, angle[0] + 2 * pi * np.sign(angle[1] - angle[0])])
    if not ((steps > 0).all() or (steps < 0).all()):
        raise _turning("turns back about its middle", element)
    way = int(np.sign(steps[0]))  # -1: drawn clockwise, a hole
    if way * angle[0] > 0:
        angle -= 2 * pi * way
    places, turn = np.linspace(0.0, L, len(fine), endpoint=False), 2 * pi * way
    angles = np.concatenate([angle[-2:] - turn, angle, angle[:2] + turn])
    places = np.concatenate([places[-2:] - L, places, places[:2] + L])
    knots = np.sort(np.mod(s[:-1] - fine[seam], L))
    knots = np.unique(
        [*(knots - L)[knots > (1 - MORE) * L], *knots, *(knots + L)[knots < MORE * L]]
    )

    def along_ring(at: Array, order: int = 0) -> Array:
        return np.asarray(spline(np.mod(at + fine[seam], L), order))

    starts = Table.monotone(angles[::way], places[::way])
    more = _supports(along_ring, float(L), len(fine)) if way > 0 else (None, (1.0, 0.0))
    tables = _tables(knots, along_ring)
    return SmoothCurve(*tables, starts, _xy(middle), None, (0.0, float(L)), *more)


def _supports(along: Callable[..., Array], L: float, count: int) -> tuple[Table | None, Xy]:
    """s over the angle of the outward normal, and from where that counts; none if not convex."""
    s = np.linspace(0.0, L, count, endpoint=False)
    t = along(s, 1)
    angle = np.unwrap(np.arctan2(-t[:, 0], t[:, 1]))
    if (np.diff([*angle, angle[0] + 2 * pi]) <= 0).any():
        return None, (1.0, 0.0)
    first = angle[0] + pi  # from there the angles of one round are -pi to pi
    angles = np.concatenate([angle[-2:] - 2 * pi, angle, angle[:2] + 2 * pi]) - first
    places = np.concatenate([s[-2:] - L, s, s[:2] + L])
    return Table.monotone(angles, places), (float(np.cos(first)), float(np.sin(first)))


def support(over: SmoothCurve, u: tuple[Node, Node], let: Callable[[str, Node], Node]) -> Nearest:
    """The point of a convex curve that lies furthest along a direction."""
    assert over.supports is not None
    c, z = over.turned
    s = let("s", table(atan2(c * u[1] - z * u[0], c * u[0] + z * u[1]), over.supports))
    flat = -FLAT / over.ends[1]
    for _ in range(STEPS):
        tilt = table(s, over.x, 1) * u[0] + table(s, over.y, 1) * u[1]
        bend = table(s, over.x, 2) * u[0] + table(s, over.y, 2) * u[1]
        s = let("s", s - tilt / minimum(bend, flat))
    return Nearest(table(s, over.x), table(s, over.y), table(s, over.x, 1), table(s, over.y, 1), s)


def nearest(over: SmoothCurve, x: Node, y: Node, let: Callable[[str, Node], Node]) -> Nearest:
    """The point of a curve that is nearest to (x, y)."""
    dx, dy = x - over.middle[0], y - over.middle[1]
    chord = over.chord
    begin = atan2(dy, dx) if chord is None else dx * chord[0] + dy * chord[1]
    s = let("s", _within(over, table(begin, over.starts)))
    for _ in range(STEPS):
        ex, ey = table(s, over.x) - x, table(s, over.y) - y
        tx, ty = let("tx", table(s, over.x, 1)), let("ty", table(s, over.y, 1))
        size = let("tt", tx * tx + ty * ty)
        bend = ex * table(s, over.x, 2) + ey * table(s, over.y, 2)
        s = let("s", _within(over, s - (ex * tx + ey * ty) / maximum(size + bend, size / 4)))
    tx, ty = let("tx", table(s, over.x, 1)), let("ty", table(s, over.y, 1))
    size = let("tt", sqrt(tx * tx + ty * ty))
    return Nearest(table(s, over.x), table(s, over.y), tx / size, ty / size, s)


def _within(over: SmoothCurve, s: Node) -> Node:
    """s, not beyond the ends of an open curve."""
    return s if over.chord is None else maximum(over.ends[0], minimum(over.ends[1], s))


def _lengths(P: Array) -> Array:
    """Length of the chords up to each point [m]."""
    return np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(P, axis=0).T))])


def _spline(s: Array, P: Array, ends: str) -> Callable[..., Array]:
    from scipy.interpolate import CubicSpline  # noqa: PLC0415  loaded where a curve is made

    made: Callable[..., Array] = CubicSpline(s, P, bc_type=ends)
    return made


def _tables(knots: Array, spline: Callable[..., Array]) -> tuple[Table, Table]:
    """x and y over the knots."""
    at, slope = spline(knots), spline(knots, 1)
    x, y = (Table(tuple(knots), tuple(at[:, k]), tuple(slope[:, k])) for k in (0, 1))
    return x, y


def _xy(row: Array) -> Xy:
    return (float(row[0]), float(row[1]))


def _turning(what: str, element: str) -> ModelError:
    return ModelError(
        f"its spline {what}", element=element, cure="give it as a chain of edges and arcs"
    )
