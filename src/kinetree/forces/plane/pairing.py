"""Which features of two profiles meet; of profiles of equal parts, those that are nearest.

A profile of equal parts (`repeats`) is turned by a number of them until what it meets lies in the
sector of its first part: a face by the centre of what is round, something round by the place where
the face comes nearest to the middle of the parts, and both by their middles.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import product

from kinetree.engine import ZERO, Node, maximum, minimum
from kinetree.errors import UnsupportedError
from kinetree.forces.plane.curves import SmoothCurve, nearest
from kinetree.forces.plane.meeting import (
    MIDDLE,
    LetName,
    Meeting,
    PlanePoint,
    PlanePose,
    Round,
    let_spot,
    meet,
    numbers,
    pushes,
)
from kinetree.forces.plane.profiles import Arc, Corner, Feature, Profile, Straight
from kinetree.forces.plane.repeats import PlaneTurn, to_first


def meetings(
    first: Profile, second: Profile, pose: PlanePose, let: LetName, element: str
) -> Iterator[Meeting]:
    """All pairs of two profiles, the first of which stands at `pose` in the frame of the second."""
    refuse_flat(first, second, element)
    refuse_flat(second, first, element)
    there, back = Pairing(first, second, pose, let), Pairing(second, first, pose.inverse(), let)
    for a, face, swapped in pairs(first, second):
        yield _seen_from_second(back.meet(a, face), pose) if swapped else there.meet(a, face)


def sights(
    first: Profile, second: Profile, pose: PlanePose
) -> Iterator[tuple[Profile, list[Meeting]]]:
    """Of every point, corner and whole disc: the other profile, and how it meets all its faces.

    Of equal parts those are looked at that are nearest to the middle of the other profile.
    """
    for one, other, seen in ((first, second, pose), (second, first, pose.inverse())):
        at = turn_towards(seen, _heart(other), one, _plain) if one.repeat > 1 else seen
        less = replace(other, thickness=other.thickness * (1 - MIDDLE))
        look = Pairing(replace(one, repeat=1), less, at, _plain)
        for a in _rounds(one):
            if a.first is None and a.curve is None:
                yield other, [look.meet(a, face) for face in other.near]


def _plain(name: str, value: Node) -> Node:
    """A value without a name."""
    del name
    return value


def pairs(first: Profile, second: Profile) -> Iterator[tuple[Round, Feature, bool]]:
    """What is round of one profile and a face of the other, and whether the face is of the first.

    Round faces are met once, as faces of the second.
    """
    growth = first.rounding + second.rounding
    for a, face in product(_rounds(first), second.near):
        if _fits(a, face, growth):
            yield a, face, False
    for b, face in product(_rounds(second), first.near):
        if not _is_round(face) and _fits(b, face, growth):
            yield b, face, True


def _is_round(face: Feature) -> bool:
    return isinstance(face, Corner) or (isinstance(face, Arc) and not face.hollow)


def _fits(a: Round, face: Feature, growth: float) -> bool:
    """Whether they may touch: what is too large for a hollow arc touches its ends alone."""
    if a.curve is not None:
        return isinstance(face, Straight)
    hollow = isinstance(face, Arc) and face.hollow
    return not (hollow and isinstance(face, Arc) and a.radius + growth >= face.radius)


def pushing(first: Profile, second: Profile) -> int:
    """Number of pairs that push."""
    growth = first.rounding + second.rounding
    return sum(pushes(a, face, growth) for a, face, _ in pairs(first, second))


def _rounds(profile: Profile) -> Iterator[Round]:
    """What is round in a profile, and is met."""
    for face in profile.near:
        if isinstance(face, Corner):
            yield Round(face.at, 0.0)
        elif isinstance(face, Arc) and not face.hollow:
            yield Round(face.centre, face.radius, face.first, face.last)
        elif isinstance(face, SmoothCurve) and face.supports is not None:
            yield Round(face.middle, 0.0, curve=face)


def refuse_flat(one: Profile, other: Profile, element: str) -> None:
    """Refuse a spline that meets another or a hollow arc, and one that is not convex at an edge."""
    if not any(isinstance(face, SmoothCurve) for face in one.features):
        return
    convex = all(face.supports for face in one.features if isinstance(face, SmoothCurve))
    said = ""
    if any(isinstance(face, SmoothCurve) for face in other.features):
        said = "a spline meets another spline"
    elif any(isinstance(face, Arc) and face.hollow for face in other.features):
        said = "a spline meets a hollow arc"
    elif any(isinstance(face, Straight) for face in other.features) and not convex:
        said = "a spline that is not closed, solid and convex meets an edge"
    if said:
        cure = "give points, circles or arcs on the other body, or a chain for the spline"
        raise UnsupportedError(said, element=element, cure=cure)


def _seen_from_second(found: Meeting, pose: PlanePose) -> Meeting:
    """A pair whose face is on the first body, in the frame of the second."""
    nx, ny = pose.turn(found.n)
    return Meeting(found.depth, (-nx, -ny), pose.point(found.at), found.inside, found.pushes)


@dataclass(frozen=True)
class Pairing:
    """What is round of one profile, as the faces of another one see it.

    Attributes:
        one, other: the profiles.
        pose: of the first in the frame of the other.
        let: names values.
        poses: with the parts of the first turned, by the number of the face that they meet.
        turns: of the parts of the other, by the round one and the face of the poses.
    """

    one: Profile
    other: Profile
    pose: PlanePose
    let: LetName
    poses: dict[int, PlanePose] = field(default_factory=dict)
    turns: dict[tuple[Round, int], tuple[PlaneTurn, PlanePose]] = field(default_factory=dict)

    def meet(self, a: Round, face: Feature) -> Meeting:
        """The pair, in the frame of the other profile."""
        sizes = (self.one.rounding + self.other.rounding, self.other.thickness)
        key = id(face) if self.one.repeat > 1 and self.other.repeat == 1 else 0
        pose = self._pose(face, key)
        if self.other.repeat == 1:
            return meet(a, face, pose, sizes, self.let)
        if (a, key) not in self.turns:
            spot = let_spot(pose.point(numbers(a.centre)), self.let)
            turn = _let_turn(spot, self.other, self.let)
            self.turns[a, key] = (turn, pose.rotate(turn, self.let))
        (c, s), turned = self.turns[a, key]
        found = meet(a, face, turned, sizes, self.let)
        back = PlanePose(c, -s, ZERO, ZERO)
        return replace(found, n=back.turn(found.n), at=back.turn(found.at))

    def _pose(self, face: Feature, key: int) -> PlanePose:
        if self.one.repeat == 1:
            return self.pose
        if key not in self.poses:
            aim = _aim(face, self.other, (self.pose.x, self.pose.y), self.let)
            self.poses[key] = turn_towards(self.pose, aim, self.one, self.let)
        return self.poses[key]


def turn_towards(pose: PlanePose, aim: PlanePoint, of: Profile, let: LetName) -> PlanePose:
    """The pose of equal parts, turned by some of them: the first one is nearest to the aim."""
    away = let_spot(pose.back((aim[0] - pose.x, aim[1] - pose.y)), let)
    c, s = _let_turn(away, of, let)
    turned = (let("c", pose.c * c + pose.s * s), let("s", pose.s * c - pose.c * s))
    return PlanePose(*turned, pose.x, pose.y)


def _let_turn(e: PlanePoint, of: Profile, let: LetName) -> PlaneTurn:
    c, s = to_first(e, of.repeat, of.middle)
    return (let("turn_c", c), let("turn_s", s))


def _aim(face: Feature, of: Profile, c: PlanePoint, let: LetName) -> PlanePoint:
    """Towards where a profile of equal parts about c meets a face; the middle of parts, too."""
    if of.repeat > 1:
        return (ZERO, ZERO)
    if isinstance(face, Corner):
        return numbers(face.at)
    if isinstance(face, Arc):
        x, y = numbers(face.centre)
        return (2 * c[0] - x, 2 * c[1] - y) if face.hollow else (x, y)
    if isinstance(face, SmoothCurve):
        foot = nearest(face, c[0], c[1], let)
        return (foot.x, foot.y)
    along = (c[0] - face.start[0]) * face.along[0] + (c[1] - face.start[1]) * face.along[1]
    s = maximum(0, minimum(face.length, along))
    return (face.start[0] + s * face.along[0], face.start[1] + s * face.along[1])


def _heart(of: Profile) -> PlanePoint:
    """A place amid a profile: the origin of parts, the mean of what others are made of."""
    places = [
        face.start if isinstance(face, Straight)
        else face.at if isinstance(face, Corner)
        else face.centre if isinstance(face, Arc) else face.middle
        for face in of.features
    ]  # fmt: skip
    if of.repeat > 1:
        return (ZERO, ZERO)
    x, y = (sum(place[k] for place in places) / len(places) for k in (0, 1))
    return numbers((x, y))
