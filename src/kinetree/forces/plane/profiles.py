"""Profiles of bodies in a plane: plain data, and the features that a contact meets.

A profile lies in the x-y plane of the place it is given for, in metres:

| data | what |
|---|---|
| {"point": (x, y)} | a point |
| {"circle": (x, y), "radius": r} | a disc; r negative: the inside of a ring |
| {"chain": ((x, y), (x, y, bulge), …)} | straight edges and arcs, corner to corner |
| {"spline": ((x, y), …)} | a smooth curve through points |

Chains and splines have their material on the left of the way they are drawn, so that a closed one
(`closed`: true) drawn counter-clockwise is solid and one drawn clockwise is a hole.  `bulge` is the
tangent of a quarter of the angle of the arc that follows the corner, positive counter-clockwise,
as in DXF; 0 or none is a straight edge.  `rounding` [m] grows a profile by that distance.
`repeat` n: the chain is one of n equal parts about the origin, which close it (module `repeats`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import atan, atan2, cos, hypot, inf, isfinite, pi, sin, tan
from typing import Any

from kinetree.errors import ModelError, unknown
from kinetree.forces.plane import repeats
from kinetree.forces.plane.curves import SmoothCurve, curve
from kinetree.forces.plane.shapes import Edge, Xy, refuse_crossing, thickness

WIDEST = 2 * pi / 3
"""Largest angle of an arc; wider ones are cut, so that two half-planes tell its sector."""
BULGE = 0.1
"""Share of its width by which a smooth curve may bulge over its chords."""
SMOOTH = 1e-9
"""Angle between two edges below which they meet without a corner [rad]."""
KINDS = {
    "point": (), "circle": ("radius",), "chain": ("closed", "repeat"), "spline": ("closed",),
}  # fmt: skip
"""Kind of profile -> what else it may say, besides `rounding`."""


@dataclass(frozen=True, slots=True)
class Straight:
    """A straight edge with its material on the left.

    Attributes:
        start, along, length: first end [m], direction, length [m].
        before, after: how far it counts beyond its ends, per depth inside the material: minus the
            tangent of half the angle of a convex corner; 0 at a free end.
        reach_before, reach_after: how far it counts beyond its ends where they are hollow [m].
    """

    start: Xy
    along: Xy
    length: float
    before: float = 0.0
    after: float = 0.0
    reach_before: float = 0.0
    reach_after: float = 0.0

    @property
    def normal(self) -> Xy:
        """Out of the material."""
        return (self.along[1], -self.along[0])


@dataclass(frozen=True, slots=True)
class Arc:
    """An arc: centre and radius [m], first and last direction counter-clockwise, or a full circle.

    `hollow` has its material outside.
    """

    centre: Xy
    radius: float
    first: Xy | None = None
    last: Xy | None = None
    hollow: bool = False


@dataclass(frozen=True, slots=True)
class Corner:
    """A convex corner, or the end of an open chain: place [m], directions of its edges."""

    at: Xy
    before: Xy | None = None
    after: Xy | None = None


Feature = Straight | Arc | Corner | SmoothCurve


@dataclass(frozen=True, slots=True)
class Profile:
    """The features of a profile.

    Attributes:
        features: in the order it is drawn.
        thickness: depth behind its faces up to which they count [m].
        rounding: by how much it is grown [m].
        reach: distance of its furthest point from the origin of its place [m].
        size: what passes it is in it for that distance, or longer [m].
        closed: whether it closes.
        repeat: number of equal parts of which three are met at a time, or 1.
        middle: angle of the middle of the first part [rad].
        near: the features that are met: of the first part and of both beside it; all of no parts.
    """

    features: tuple[Feature, ...]
    thickness: float = inf
    rounding: float = 0.0
    reach: float = 0.0
    size: float = 0.0
    closed: bool = False
    repeat: int = 1
    middle: float = 0.0
    near: tuple[Feature, ...] = ()


def profile(data: Any, element: str, deepest: float | None = None) -> Profile:
    """The features of a profile given as plain data; what makes no profile is refused.

    Args:
        data: as in the table above.
        element: how sentences call it.
        deepest: depth behind its faces up to which they count [m]; by default half the way to the
            next face.
    """
    kind = _kind(data, element)
    rounding = _number(data.get("rounding", 0.0), "rounding", element)
    if rounding < 0:
        raise ModelError(f"its rounding is {rounding:g} m", element=element, cure="give 0 or more")
    edges, closed = _edges(data, kind, element)
    parts = repeats.check_count(data["repeat"], element) if "repeat" in data else 1
    each = len(edges) // parts
    deep = (thickness(edges, each) if edges else inf) if deepest is None else deepest
    rows = _features(edges, closed, deep) if kind == "chain" else [[_MAKERS[kind](data, element)]]
    found = tuple(feature for row in rows for feature in row)
    reach, width = _extent(edges, found[0])
    size = min(2 * deep, width) + 2 * rounding
    made = Profile(found, deep, rounding, reach + rounding, size, closed, near=found)
    if parts <= repeats.FEW:
        return made
    near = tuple(feature for row in (*rows[-each:], *rows[: 2 * each]) for feature in row)
    first = repeats.middle(_corners(data[kind], data, element)[0], parts)
    return replace(made, repeat=parts, middle=first, near=near)


def _extent(edges: Sequence[Edge], feature: Feature) -> tuple[float, float]:
    """Distance of the furthest point from the origin, and the larger width along x and y [m]."""
    if not edges:
        assert isinstance(feature, Arc | Corner)
        (x, y), r = (
            (feature.centre, feature.radius) if isinstance(feature, Arc) else (feature.at, 0.0)
        )
        return hypot(x, y) + r, 2 * r
    points = [p for edge in edges for p in edge.chords()]
    widths = [max(p[k] for p in points) - min(p[k] for p in points) for k in (0, 1)]
    beside = BULGE * max(widths) if isinstance(feature, SmoothCurve) else 0.0
    return max(hypot(*p) for p in points) + beside, max(widths)


def _kind(data: Any, element: str) -> str:
    """Which kind of profile the data are."""
    if not isinstance(data, Mapping):
        raise ModelError(
            f"its profile is {data!r}",
            element=element,
            cure="give {'circle': (x, y), 'radius': r}, or a point, chain or spline",
        )
    found = [kind for kind in KINDS if kind in data]
    if len(found) != 1:
        said = f"its profile is {' and '.join(found)}" if found else "its profile has no shape"
        if "file" in data:
            cure = "give what kt.read_profile(path) reads from it"
            raise ModelError("its profile is the name of a file", element=element, cure=cure)
        raise ModelError(said, element=element, cure=f"give one of {', '.join(KINDS)}")
    for key in data:
        if key not in (found[0], "rounding", *KINDS[found[0]]):
            known = (found[0], *KINDS[found[0]], "rounding")
            raise unknown(f"field of a {found[0]}", str(key), known, element)
    return found[0]


def _point(data: Mapping[str, Any], element: str) -> Feature:
    return Corner(_xy(data["point"], element))


def _circle(data: Mapping[str, Any], element: str) -> Feature:
    radius = _number(data.get("radius"), "radius", element)
    if radius == 0:
        raise ModelError("its radius is 0", element=element, cure="give a point, or a radius")
    return Arc(_xy(data["circle"], element), abs(radius), hollow=radius < 0)


def _spline(data: Mapping[str, Any], element: str) -> Feature:
    corners, closed = _corners(data["spline"], data, element)
    return curve([row[0] for row in corners], closed, element)


def _corners(
    rows: Any, data: Mapping[str, Any], element: str
) -> tuple[list[tuple[Xy, float]], bool]:
    """Corners with their bulges, the first not repeated, and whether they close."""
    closed = _truth(data.get("closed", False), element)
    found = [
        (_xy(row[:2], element), _number(row[2], "bulge", element) if len(row) == 3 else 0.0)
        for row in _rows(rows, element)
    ]
    if closed and len(found) > 1 and found[0][0] == found[-1][0]:
        found.pop()
    if "repeat" in data:
        return found, True
    if len(found) < 2 or (closed and len(found) < 3 and not any(bulge for _, bulge in found)):
        raise ModelError(f"its profile has {len(found)} corner(s)", element=element,
                         cure="give at least two, or three of a closed one")  # fmt: skip
    return found, closed


def _edges(data: Mapping[str, Any], kind: str, element: str) -> tuple[list[Edge], bool]:
    """The edges of a chain, or the chords of a spline; none of a point or circle."""
    if kind not in ("chain", "spline"):
        return [], False
    corners, closed = _corners(data[kind], data, element)
    if "repeat" in data:
        corners = repeats.expand(corners, repeats.check_count(data["repeat"], element))
    edges = []
    for (a, bulge), (b, _) in pairwise([*corners, corners[0]] if closed else corners):
        if a == b:
            raise ModelError(f"its profile has the corner {a} twice in a row", element=element,
                             cure="leave one of them out")  # fmt: skip
        if bulge and kind == "spline":
            raise ModelError("a spline has no bulges", element=element, cure="give x and y alone")
        edges += _edge(a, b, bulge)
    refuse_crossing(edges, element)
    return edges, closed


def _edge(a: Xy, b: Xy, bulge: float) -> list[Edge]:
    """An edge, or an arc in pieces that are not too wide."""
    if bulge == 0:
        return [Edge(a, b)]
    span = 4 * atan(bulge)
    chord = hypot(b[0] - a[0], b[1] - a[1])
    radius = chord / (2 * abs(sin(span / 2)))
    rise = chord / 2 / tan(span / 2)  # from the middle of the chord to the centre, on its left
    middle = ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)
    left = (-(b[1] - a[1]) / chord, (b[0] - a[0]) / chord)
    centre = (middle[0] + rise * left[0], middle[1] + rise * left[1])
    first = atan2(a[1] - centre[1], a[0] - centre[0])
    count = max(1, int(-(-abs(span) // WIDEST)))
    angles = [first + span * k / count for k in range(count + 1)]
    ends = [(centre[0] + radius * cos(x), centre[1] + radius * sin(x)) for x in angles]
    ends[0], ends[-1] = a, b
    return [Edge(p, q, centre, span / count) for p, q in pairwise(ends)]


def _features(edges: Sequence[Edge], closed: bool, deep: float) -> list[list[Feature]]:
    """Of every edge in the order of the chain: itself, and the convex corners at its ends."""
    turns = [_turn(a, b) for a, b in pairwise([*edges, edges[0]])]  # behind every edge
    if not closed:
        turns[-1] = inf
    found = []
    for k, edge in enumerate(edges):
        before = turns[k - 1]
        lengths = (edges[k - 1].length, edges[(k + 1) % len(edges)].length)
        row: list[Feature] = [_face(edge, (before, turns[k]), lengths, deep)]
        if before == inf and k == 0:
            row.append(Corner(edge.a, None, edge.leaves))
        if turns[k] == inf:
            row.append(Corner(edge.b, edge.arrives, None))
        elif turns[k] > SMOOTH:
            row.append(Corner(edge.b, edge.arrives, edges[(k + 1) % len(edges)].leaves))
        found.append(row)
    return found


def _face(
    edge: Edge, turns: tuple[float, float], lengths: tuple[float, float], deep: float
) -> Feature:
    """One edge as a contact sees it, between the turns at its ends and the edges beyond them."""
    if edge.centre is not None:
        ends = [edge.direction(edge.a), edge.direction(edge.b)]
        hollow = edge.span < 0
        first, last = reversed(ends) if hollow else ends
        return Arc(edge.centre, edge.radius, first, last, hollow)
    before, after = (-tan(turn / 2) if SMOOTH < turn < inf else 0.0 for turn in turns)
    reaches = (_reach(turn, L, deep) for turn, L in zip(turns, lengths, strict=True))
    return Straight(edge.a, edge.leaves, edge.length, before, after, *reaches)


def _reach(turn: float, length: float, deep: float) -> float:
    """How far an edge counts beyond a hollow corner [m]: below the edge that follows."""
    return 0.0 if turn >= -SMOOTH else min(length, deep / tan(min(-turn, pi / 4)))


def _turn(a: Edge, b: Edge) -> float:
    """Angle from the end of one edge to the start of the next [rad], positive at convex corners."""
    (ax, ay), (bx, by) = a.arrives, b.leaves
    return atan2(ax * by - ay * bx, ax * bx + ay * by)


def _rows(data: Any, element: str) -> list[Sequence[Any]]:
    rows = list(data) if isinstance(data, Sequence) and not isinstance(data, str) else []
    if not rows or not all(isinstance(row, Sequence) and len(row) in (2, 3) for row in rows):
        raise ModelError("the corners of its profile are not rows of numbers", element=element,
                         cure="give (x, y) or (x, y, bulge) for each")  # fmt: skip
    return rows


def _xy(data: Any, element: str) -> Xy:
    if not isinstance(data, Sequence) or isinstance(data, str) or len(data) != 2:
        raise ModelError(f"{data!r} is not a place in its plane", element=element,
                         cure="give x and y [m]")  # fmt: skip
    return (_number(data[0], "x", element), _number(data[1], "y", element))


def _number(value: Any, what: str, element: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise ModelError(f"the {what} of its profile is {value!r}", element=element,
                         cure="give a number")  # fmt: skip
    return float(value)


def _truth(value: Any, element: str) -> bool:
    if not isinstance(value, bool):
        raise ModelError(f"closed is {value!r}", element=element, cure="give true or false")
    return value


_MAKERS = {"point": _point, "circle": _circle, "spline": _spline}
