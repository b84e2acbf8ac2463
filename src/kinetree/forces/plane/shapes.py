"""Edges of a profile as numbers: their ends, their directions, and whether they cross."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import atan2, ceil, cos, hypot, inf, sin

from kinetree.errors import ModelError

Xy = tuple[float, float]
SHARES = (0.05, 0.35, 0.65, 0.95)
"""Places along an edge from which one looks into the material."""
MOST = 8
"""Chords of an arc from which one looks."""
FINE = 0.05
"""Largest angle of a piece of an arc that is looked at as a chord [rad]."""


@dataclass(frozen=True, slots=True)
class Edge:
    """From a to b [m], straight or about a centre by an angle `span` [rad]."""

    a: Xy
    b: Xy
    centre: Xy | None = None
    span: float = 0.0

    @property
    def length(self) -> float:
        """Of its chord [m]."""
        return hypot(self.b[0] - self.a[0], self.b[1] - self.a[1])

    @property
    def radius(self) -> float:
        """Of an arc [m]."""
        assert self.centre is not None
        return hypot(self.a[0] - self.centre[0], self.a[1] - self.centre[1])

    @property
    def leaves(self) -> Xy:
        """Direction at a."""
        return self._along(self.a)

    @property
    def arrives(self) -> Xy:
        """Direction at b."""
        return self._along(self.b)

    def direction(self, at: Xy) -> Xy:
        """From the centre of an arc to one of its points."""
        assert self.centre is not None
        return ((at[0] - self.centre[0]) / self.radius, (at[1] - self.centre[1]) / self.radius)

    def _along(self, at: Xy) -> Xy:
        if self.centre is None:
            L = self.length
            return ((self.b[0] - self.a[0]) / L, (self.b[1] - self.a[1]) / L)
        x, y = self.direction(at)
        return (-y, x) if self.span > 0 else (y, -x)

    def chords(self) -> list[Xy]:
        """Points along it, both ends included."""
        if self.centre is None:
            return [self.a, self.b]
        count = max(1, ceil(abs(self.span) / FINE))
        x, y = self.direction(self.a)
        first = atan2(y, x)
        turns = (first + self.span * k / count for k in range(1, count))
        (cx, cy), r = self.centre, self.radius
        return [self.a, *((cx + r * cos(t), cy + r * sin(t)) for t in turns), self.b]


def thickness(edges: Sequence[Edge], count: int) -> float:
    """Half the way from an edge straight through the material to the next one [m].

    Looked at from the first `count` edges.

    Edges that follow one another are left out: the line that halves their corner parts them.
    Infinite where there is nothing behind.
    """
    least = inf
    for k, edge in enumerate(edges[:count]):
        near = {id(edges[i % len(edges)]) for i in (k - 1, k, k + 1)}
        others = [other for other in edges if id(other) not in near]
        ends = list(pairwise(edge.chords()))
        for a, b in ends[:: max(1, len(ends) // MOST)]:
            for share in SHARES:
                at = (a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]))
                least = min([least, *(_way(at, (a[1] - b[1], b[0] - a[0]), o) for o in others)])
    return least / 2


def _way(at: Xy, into: Xy, other: Edge) -> float:
    """From a place along a direction to an edge [m]."""
    size = hypot(*into)
    u = (into[0] / size, into[1] / size)
    found = inf
    for c, d in pairwise(other.chords()):
        across = u[0] * (d[1] - c[1]) - u[1] * (d[0] - c[0])
        if across == 0:
            continue
        x, y = c[0] - at[0], c[1] - at[1]
        way = (x * (d[1] - c[1]) - y * (d[0] - c[0])) / across
        share = (x * u[1] - y * u[0]) / across
        if way > 0 and 0 <= share <= 1:
            found = min(found, way)
    return found


def refuse_crossing(edges: Sequence[Edge], element: str) -> None:
    """Refuse a profile that crosses or touches itself.

    Raises:
        ModelError: with the corners of two edges that meet.
    """
    pieces = [
        (k, p, q)
        for k, edge in enumerate(edges)
        for p, q in zip(edge.chords()[:-1], edge.chords()[1:], strict=True)
    ]
    pieces.sort(key=lambda piece: min(piece[1][0], piece[2][0]))
    last = len(pieces) - 1
    for i, (k, a, b) in enumerate(pieces):
        right = max(a[0], b[0])
        for j in range(i + 1, last + 1):
            other, c, d = pieces[j]
            if min(c[0], d[0]) > right:
                break
            if {a, b} & {c, d} and not _folds(a, b, c, d):
                continue
            if _cross(a, b, c, d):
                raise ModelError(
                    f"its profile crosses itself: the edge from {edges[k].a} to {edges[k].b} meets "
                    f"that from {edges[other].a} to {edges[other].b}",
                    element=element,
                    cure="draw the corners in the order in which they follow one another",
                )


def _side(a: Xy, b: Xy, p: Xy) -> float:
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])


def _cross(a: Xy, b: Xy, c: Xy, d: Xy) -> bool:
    """Whether two pieces have a point in common."""
    if _side(a, b, c) * _side(a, b, d) < 0 and _side(c, d, a) * _side(c, d, b) < 0:
        return True
    return any(
        _side(p, q, r) == 0
        and min(p[0], q[0]) <= r[0] <= max(p[0], q[0])
        and min(p[1], q[1]) <= r[1] <= max(p[1], q[1])
        for p, q, r in ((a, b, c), (a, b, d), (c, d, a), (c, d, b))
    )


def _folds(a: Xy, b: Xy, c: Xy, d: Xy) -> bool:
    """Whether two pieces with a common end lie on one another."""
    (shared,) = {a, b} & {c, d} if len({a, b} & {c, d}) == 1 else (None,)
    if shared is None:
        return True
    p = b if shared == a else a
    q = d if shared == c else c
    ahead = (p[0] - shared[0]) * (q[0] - shared[0]) + (p[1] - shared[1]) * (q[1] - shared[1])
    return _side(shared, p, q) == 0 and ahead > 0
