"""The graph of joints as a tree from the world outward, and the joints that close its loops.

| in | out |
|---|---|
| parts, the places of their frames | rigid groups of places; tree joints in order; cuts |

Bars and turned frames make places one rigid group.  From the world's group joints are taken, those
with few freedoms first, until every group is reached; what no joint reaches floats, held by a body.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

from kinetree.acausal.connections import Union
from kinetree.errors import ModelError
from kinetree.library.multibody.connectors import Part
from kinetree.library.multibody.joints import Joint
from kinetree.library.multibody.placement import Placement


@dataclass(frozen=True)
class Weld:
    """A rigid part: place `b` as it is seen in place `a`."""

    part: Part
    a: int
    b: int
    placement: Placement


@dataclass(frozen=True)
class Branch:
    """A joint of the tree, from the place `inner` to the place `outer`; no joint where it floats.

    `outward` says whether that is from frame_a to frame_b.
    """

    joint: Joint | None
    inner: int
    outer: int
    outward: bool = True


@dataclass
class RigidGroups:
    """Places that rigid parts hold together."""

    union: Union = field(default_factory=Union)
    neighbours: dict[int, list[tuple[int, Placement]]] = field(default_factory=dict)

    def add(self, weld: Weld) -> None:
        """Add a rigid part."""
        a, b = weld.a, weld.b
        if self.union.find(a) == self.union.find(b):
            raise ModelError(
                "it closes a loop of rigid parts, which no motion can be found of",
                element=f"component '{weld.part.path}'",
                cure="take one of them away, or put a joint into the loop",
            )
        self.union.merge(a, b)
        self.neighbours.setdefault(a, []).append((b, weld.placement))
        self.neighbours.setdefault(b, []).append((a, weld.placement.inverse))

    def placements(self, first: int) -> dict[int, Placement]:
        """All places of a group, as they are seen in one of them."""
        found = {first: Placement()}
        waiting = [first]
        while waiting:
            here = waiting.pop()
            for other, placement in self.neighbours.get(here, ()):
                if other not in found:
                    found[other] = found[here] @ placement
                    waiting.append(other)
        return found


JointEdge = tuple[Joint, int, int]
"""A joint with the places of its frames a and b."""
Weight = tuple[bool, int]
"""Compared in order."""


class _Spanning:
    """A tree that grows over rigid groups, joints with few freedoms first."""

    def __init__(
        self, groups: RigidGroups, joints: Sequence[JointEdge], weights: Mapping[Joint, Weight]
    ) -> None:
        self.find, self.joints, self.weights = groups.union.find, joints, weights
        self.branches: list[Branch] = []
        self.used: set[int] = set()
        self.reached: set[int] = set()
        self._at: dict[int, list[tuple[int, bool]]] = {}
        for k, (_, a, b) in enumerate(joints):
            self._at.setdefault(self.find(a), []).append((k, True))
            self._at.setdefault(self.find(b), []).append((k, False))

    def grow(self, place: int) -> None:
        """Reach all groups that joints lead to from a place."""
        waiting: list[tuple[Weight, int, int, bool]] = []
        self._reach(self.find(place), 0, waiting)
        while waiting:
            _, depth, k, outward = heappop(waiting)
            joint, a, b = self.joints[k]
            inner, outer = (a, b) if outward else (b, a)
            if self.find(outer) not in self.reached:
                self.used.add(k)
                self.branches.append(Branch(joint, inner, outer, outward))
                self._reach(self.find(outer), depth + 1, waiting)

    def _reach(self, group: int, depth: int, waiting: list[tuple[Weight, int, int, bool]]) -> None:
        self.reached.add(group)
        for k, outward in self._at.get(group, ()):
            heappush(waiting, (self.weights[self.joints[k][0]], depth, k, outward))


def span(
    groups: RigidGroups,
    roots: tuple[int, Sequence[int]],
    joints: Sequence[JointEdge],
    weights: Mapping[Joint, Weight],
) -> tuple[list[Branch], list[JointEdge]]:
    """The tree in order, and the joints that close loops.

    Args:
        groups: rigid groups.
        roots: place of the world; places of bodies, the first of which in what no joint reaches
            floats.
        joints: all joints.
        weights: how little every joint is wanted in the tree.
    """
    ground, bodies = roots
    for joint, a, b in joints:
        if groups.union.find(a) == groups.union.find(b):
            raise ModelError(
                "both its frames are on one rigid part",
                element=f"component '{joint.path}'",
                cure="connect one of its frames with another part",
            )
    tree = _Spanning(groups, joints, weights)
    tree.grow(ground)
    for place in bodies:
        if groups.union.find(place) not in tree.reached:
            tree.branches.append(Branch(None, ground, place))
            tree.grow(place)
    for joint, a, _ in joints:
        if groups.union.find(a) not in tree.reached:
            raise ModelError(
                "it holds no body, and nothing holds it",
                element=f"component '{joint.path}'",
                cure="connect it with a body, or with the world",
            )
    return tree.branches, [row for k, row in enumerate(joints) if k not in tree.used]
