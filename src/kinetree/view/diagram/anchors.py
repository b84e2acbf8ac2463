"""Anchors: where joints, closures and forces end at the edge of a body, which has room for them.

Points that joints come from are on the right, in the order of the bodies that they lead to, so that
edges of the tree do not cross; what a joint holds is on the left; all other points are below.  The
body's own frame is always on both sides.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kinetree.view.diagram.parts import DiagramJoint

LEAST_WIDE = 8
"""Least width of a body, in units of the grid."""
LEAST_HIGH = 3
"""Least height of a body."""
SPACING, CLOSE, FEW = 1.6, 1.1, 20
"""Units between anchors, and between those beyond so many."""


@dataclass(frozen=True)
class Anchor:
    """A place at the edge of a body.

    Attributes:
        point: name of the point, "" for the body's own frame.
        side: "left", "right" or "bottom".
        share: of the side, from its upper or left end.
        used: whether something ends there.
    """

    point: str
    side: str
    share: float
    used: bool


@dataclass(frozen=True)
class Sides:
    """Points of a body by the side that they are on; "" is its own frame."""

    left: tuple[str, ...]
    right: tuple[str, ...]
    bottom: tuple[str, ...]

    def size(self, name: str) -> tuple[int, int]:
        """Width and height of a body of that name, in units of the grid."""
        wide = max(LEAST_WIDE, len(name) + 2, _room(len(self.bottom) + 1))
        return wide, max(LEAST_HIGH, _room(max(len(self.left), len(self.right))))

    def anchors(self, used: Iterable[str]) -> tuple[Anchor, ...]:
        """The anchors, evenly along their sides; what joints do not use, others may."""
        known = set(used)
        rows = (("left", self.left), ("right", self.right), ("bottom", self.bottom))
        return tuple(
            Anchor(point, side, (k + 1) / (len(points) + 1), side != "bottom" or point in known)
            for side, points in rows
            for k, point in enumerate(points)
        )


def _room(count: int) -> int:
    """Units that so many anchors take."""
    return math.ceil(SPACING * min(count, FEW) + CLOSE * max(0, count - FEW))


def sides_of(
    points: Mapping[str, Sequence[str]], joints: Sequence[DiagramJoint], heights: Mapping[str, int]
) -> dict[str, Sides]:
    """Sides of all bodies.

    Args:
        points: names of the points of every body, the ground first.
        joints: of the tree.
        heights: of the bodies in the drawing; on how many anchors a side has they have no say.
    """
    carries: dict[str, list[DiagramJoint]] = {name: [] for name in points}
    held: dict[str, list[str]] = {name: [] for name in points}
    for joint in joints:
        carries[joint.parent].append(joint)
        held[joint.child].append(joint.points[1])
    made = {}
    for name, own in points.items():
        rows = sorted(carries[name], key=lambda joint: heights.get(joint.child, 0))
        right = list(dict.fromkeys(joint.points[0] for joint in rows))
        if "" not in right:
            right.insert(len(right) // 2, "")
        inner = () if name == "ground" else dict.fromkeys(["", *held[name]])
        left = [point for point in inner if not point or point not in right]
        bottom = [point for point in own if point not in right and point not in left]
        made[name] = Sides(tuple(left), tuple(right), tuple(bottom))
    return made
