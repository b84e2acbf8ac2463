"""Where two profiles meet: gap, normal and point of every pair of features, as expressions.

A pair is something round (a point, a disc, an arc, a corner) of one profile and a face of the other
(an edge, an arc, a corner, a curve).  With the centre X of the round one, of radius r, in the frame
of the face, and d its distance from the face, positive outside,

    depth δ = r - d,    normal n out of the face,    point on the face

Each pair holds in a region of its own: an edge where the foot of X lies on it; inside the material
as far as the line that halves a convex corner, and on to where the next edge ends beyond a hollow
one; an arc in its sector; a corner between the normals of its edges.  So a disc on a convex profile
has one contact, and one in a hollow corner two.

Refs: own derivation
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf

from kinetree.engine import ZERO, Node, number, select, sqrt
from kinetree.forces.plane.curves import SmoothCurve, nearest, support
from kinetree.forces.plane.profiles import Arc, Corner, Feature, Straight
from kinetree.forces.plane.repeats import PlaneTurn
from kinetree.forces.plane.shapes import Xy

PlanePoint = tuple[Node, Node]
LetName = Callable[[str, Node], Node]
TINY = 1e-30
"""Square of a distance that keeps the slope of its root finite at zero [m²]."""
MIDDLE = 1e-6
"""Share of the depth that counts for nothing where opposite faces count as far."""
APART = -1.0
"""Depth where a pair does not hold [m]."""


@dataclass(frozen=True, slots=True)
class PlanePose:
    """Where a frame stands in another: cosine and sine of its angle, place [m]."""

    c: Node
    s: Node
    x: Node
    y: Node

    def point(self, p: PlanePoint) -> PlanePoint:
        """A point of the frame, in the other."""
        x, y = self.turn(p)
        return (self.x + x, self.y + y)

    def turn(self, v: PlanePoint) -> PlanePoint:
        """A direction of the frame, in the other."""
        return (self.c * v[0] - self.s * v[1], self.s * v[0] + self.c * v[1])

    def back(self, v: PlanePoint) -> PlanePoint:
        """A direction of the other, in the frame."""
        return (self.c * v[0] + self.s * v[1], self.c * v[1] - self.s * v[0])

    def rotate(self, turn: PlaneTurn, let: LetName) -> PlanePose:
        """In the other, turned back by an angle."""
        c, s = turn
        named = (("c", c * self.c - s * self.s), ("s", s * self.c + c * self.s),
                 ("x", c * self.x - s * self.y), ("y", s * self.x + c * self.y))  # fmt: skip
        return PlanePose(*(let(name, value) for name, value in named))

    def inverse(self) -> PlanePose:
        """The other frame in this one."""
        x, y = self.back((self.x, self.y))
        return PlanePose(self.c, -self.s, -x, -y)


@dataclass(frozen=True, slots=True)
class Meeting:
    """One pair: depth [m], normal on the first body, place [m], in the frame of the second.

    `inside` lists what is positive where the pair holds; `pushes` is false of a point that meets
    a corner, which have a distance, but no force.
    """

    depth: Node
    n: PlanePoint
    at: PlanePoint
    inside: tuple[Node, ...]
    pushes: bool = True

    def where_held(self, value: Node, otherwise: Node) -> Node:
        """`value` where the pair holds."""
        for condition in reversed(self.inside):
            value = select(condition, value, otherwise)
        return value


@dataclass(frozen=True, slots=True)
class Round:
    """Something round of a profile: centre and radius [m], and the sector of an arc.

    A convex curve is round to edges, which it meets with the point that is furthest towards them.
    """

    centre: Xy
    radius: float
    first: Xy | None = None
    last: Xy | None = None
    curve: SmoothCurve | None = None


def meet(
    a: Round, face: Feature, pose: PlanePose, sizes: tuple[float, float], let: LetName
) -> Meeting:
    """The pair of something round and a face, in the frame of the face.

    Args:
        a: the round one.
        face: the face.
        pose: of the frame of the round one in that of the face.
        sizes: by how much both are grown together, and how deep the face counts [m].
        let: names values.
    """
    growth, deep = sizes
    if isinstance(face, Straight):
        found, d = _on_segment(a, face, pose, growth, let)
    elif isinstance(face, SmoothCurve):
        found, d = _on_curve(a, face, pose, growth, let)
    else:
        found, d = _about(a, face, pose, growth, let)
    if deep == inf or isinstance(face, Corner):
        return found
    return replace(found, inside=(*found.inside, d + deep))


def _on_segment(
    a: Round, face: Straight, pose: PlanePose, growth: float, let: LetName
) -> tuple[Meeting, Node]:
    """Something round on an edge; the distance of its centre from the edge."""
    n = numbers(face.normal)
    X, radius = _lowest(a, n, pose, let)
    dx, dy = X[0] - face.start[0], X[1] - face.start[1]
    s = let("s", dx * face.along[0] + dy * face.along[1])
    d = let("d", dx * face.normal[0] + dy * face.normal[1])
    below = select(d, ZERO, d)
    inside = [
        s + face.reach_before - below * face.before,
        face.length + face.reach_after + below * -face.after - s,
    ]
    at = (face.start[0] + s * face.along[0], face.start[1] + s * face.along[1])
    grown = _shift(at, n, growth)
    return Meeting(let("depth", radius + growth - d), n, grown, tuple(inside)), d


def _lowest(a: Round, n: PlanePoint, pose: PlanePose, let: LetName) -> tuple[PlanePoint, float]:
    """The centre of a disc, or the point of an arc or curve that lies furthest against n."""
    if a.curve is not None:
        foot = support(a.curve, let_spot(pose.back((-n[0], -n[1])), let), let)
        return let_spot(pose.point((foot.x, foot.y)), let), 0.0
    if a.first is None or a.last is None:
        return let_spot(pose.point(numbers(a.centre)), let), a.radius
    u = let_spot(pose.back((-n[0], -n[1])), let)
    first, last = numbers(a.first), numbers(a.last)
    before, behind = let("k", _cross(first, u)), let("k", _cross(u, last))
    x, y = (
        select(before, select(behind, u[k], last[k]), first[k]) * a.radius + a.centre[k]
        for k in (0, 1)
    )
    return let_spot(pose.point((x, y)), let), 0.0


def _on_curve(
    a: Round, face: SmoothCurve, pose: PlanePose, growth: float, let: LetName
) -> tuple[Meeting, Node]:
    """Something round on a smooth curve; the distance of its centre."""
    X = let_spot(pose.point(numbers(a.centre)), let)
    foot = nearest(face, X[0], X[1], let)
    n = (foot.along_y, -foot.along_x)
    n = let_spot(n, let)
    d = let("d", (X[0] - foot.x) * n[0] + (X[1] - foot.y) * n[1])
    inside = []
    if face.chord is not None:
        inside = [foot.s - face.ends[0], face.ends[1] - foot.s]
    inside += _in_sector_of(a, n, pose, let)
    grown = _shift((foot.x, foot.y), n, growth)
    return Meeting(let("depth", a.radius + growth - d), n, grown, tuple(inside)), d


def _about(
    a: Round, face: Arc | Corner, pose: PlanePose, growth: float, let: LetName
) -> tuple[Meeting, Node]:
    """Something round about a centre: a disc on a disc, in a ring, or on a corner."""
    X = let_spot(pose.point(numbers(a.centre)), let)
    centre, radius, hollow = (
        (face.at, 0.0, False)
        if isinstance(face, Corner)
        else (face.centre, face.radius, face.hollow)
    )
    e = (let("ex", X[0] - centre[0]), let("ey", X[1] - centre[1]))
    D = let("D", sqrt(e[0] * e[0] + e[1] * e[1] + TINY))
    out = (let("nx", e[0] / D), let("ny", e[1] / D))
    n = (-out[0], -out[1]) if hollow else out
    reach = radius - growth if hollow else radius + growth
    depth = a.radius + D - reach if hollow else a.radius + reach - D
    inside = [*_sector(face, e), *_in_sector_of(a, n, pose, let)]
    at = (centre[0] + reach * out[0], centre[1] + reach * out[1])
    d = radius - D if hollow else D - radius
    depth = let("depth", depth)
    return Meeting(depth, n, at, tuple(inside), pushes(a, face, growth)), d


def _sector(face: Arc | Corner, e: PlanePoint) -> list[Node]:
    """What is positive where a direction from the centre of a face lies in its sector."""
    if isinstance(face, Arc):
        if face.first is None or face.last is None:
            return []
        return [_cross(numbers(face.first), e), _cross(e, numbers(face.last))]
    inside = []
    if face.before is not None:
        inside.append(face.before[0] * e[0] + face.before[1] * e[1])
    if face.after is not None:
        inside.append(-(face.after[0] * e[0] + face.after[1] * e[1]))
    return inside


def _in_sector_of(a: Round, n: PlanePoint, pose: PlanePose, let: LetName) -> list[Node]:
    """The same of the round one, which is met from its direction -n."""
    if a.first is None or a.last is None:
        return []
    u = let_spot(pose.back((-n[0], -n[1])), let)
    return [_cross(numbers(a.first), u), _cross(u, numbers(a.last))]


def _cross(a: PlanePoint, b: PlanePoint) -> Node:
    return a[0] * b[1] - a[1] * b[0]


def numbers(p: Xy) -> PlanePoint:
    """A place of numbers."""
    return (number(p[0]), number(p[1]))


def let_spot(p: PlanePoint, let: LetName) -> PlanePoint:
    """A place whose components have names."""
    return (let("px", p[0]), let("py", p[1]))


def _shift(p: PlanePoint, n: PlanePoint, by: float) -> PlanePoint:
    return (p[0] + by * n[0], p[1] + by * n[1]) if by else p


def pushes(a: Round, face: Feature, growth: float) -> bool:
    """Whether a pair pushes: a point and a corner have a distance, but no force."""
    return not isinstance(face, Corner) or a.radius + growth > 0
