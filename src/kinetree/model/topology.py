"""The tree of bodies: parent arrays with the ground as body 0, and what can be wrong with them.

Coordinates are numbered in the order in which joints were added, whatever the order in the tree;
`Tree` says for every body where its joint's coordinates begin.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from kinetree.errors import KinetreeError, ModelError, combine, unknown
from kinetree.model.parts import Ball, Body, CoordinateGroup, Float, Joint

if TYPE_CHECKING:
    from kinetree.model.mechanism import Mechanism
    from kinetree.model.model import Model


@dataclass(frozen=True)
class Tree:
    """Bodies from the ground outward, parents before children; index 0 is the ground.

    When every joint was added after that of its parent body, the order is that of addition.

    Attributes:
        bodies: the bodies.
        joints: joints[i] carries bodies[i]; joints[0] is a fixed joint of the ground with itself.
        parent: index of the parent body; parent[0] = 0.
        children: indices of the bodies carried by body i.
        q_start: joint i owns q[q_start[i] : q_start[i] + joints[i].nq].
        v_start: joint i owns qd[v_start[i] : v_start[i] + joints[i].nv].
        ratio: joint i moves by ratio[i]·q + offset[i]; 1 and 0 unless it follows another joint,
            whose coordinate is then the one meant.
    """

    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    parent: tuple[int, ...]
    children: tuple[tuple[int, ...], ...]
    q_start: tuple[int, ...]
    v_start: tuple[int, ...]
    ratio: tuple[float, ...]
    offset: tuple[float, ...]

    def __len__(self) -> int:
        return len(self.bodies)

    def outward(self) -> range:
        """Indices of the moving bodies, ground to tip."""
        return range(1, len(self.bodies))

    def inward(self) -> range:
        """Indices of the moving bodies, tip to ground."""
        return range(len(self.bodies) - 1, 0, -1)

    def path(self, i: int) -> list[int]:
        """Indices from the first body on the ground to body i; empty for the ground."""
        indices: list[int] = []
        while i:
            indices.append(i)
            i = self.parent[i]
        return indices[::-1]

    def index(self, body: Body) -> int:
        """Index of a body."""
        return self._numbers[body.name]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """Name of a body -> its index."""
        return {body.name: i for i, body in enumerate(self.bodies)}

    @cached_property
    def pieces(self) -> tuple[int, ...]:
        """For every body the first one of the piece that fixed joints make it part of."""
        found = [0]
        for i in self.outward():
            found.append(i if self.joints[i].motions else found[self.parent[i]])
        return tuple(found)


def tree(model: Model) -> Tree:
    """The tree of `model`.

    Raises:
        ModelError: naming every body reached twice or not at all, and every cycle.
    """
    found = problems(model)
    if found:
        raise combine(found, ModelError)
    rows = list(_outward(model))
    position = {joint.child.body.name: i for i, (_, joint) in enumerate(rows, start=1)}
    parent = [0] + [position.get(joint.parent.body.name, 0) for _, joint in rows]
    children: list[list[int]] = [[] for _ in parent]
    for i, p in enumerate(parent):
        if i:
            children[p].append(i)
    origin = model.ground.origin
    sentinel = Joint("ground", (), (), (), "fixed", origin, origin)
    leaders = model.leaders
    names = [joint.name for joint in leaders]
    q_at = dict(zip(names, accumulate((j.nq for j in leaders), initial=0), strict=False))
    v_at = dict(zip(names, accumulate((j.nv for j in leaders), initial=0), strict=False))
    drives = [leader_of(model, joint) for _, joint in rows]
    return Tree(
        bodies=(model.ground, *(joint.child.body for _, joint in rows)),
        joints=(sentinel, *(joint for _, joint in rows)),
        parent=tuple(parent),
        children=tuple(tuple(row) for row in children),
        q_start=(0, *(q_at[leader.name] for leader, _, _ in drives)),
        v_start=(0, *(v_at[leader.name] for leader, _, _ in drives)),
        ratio=(1.0, *(ratio for _, ratio, _ in drives)),
        offset=(0.0, *(offset for _, _, offset in drives)),
    )


def leader_of(model: Mechanism, joint: CoordinateGroup) -> tuple[CoordinateGroup, float, float]:
    """(leader, ratio, offset): the joint whose coordinate moves `joint`, and how.

    Raises:
        ModelError: when it follows itself, a joint that is not there, or one that cannot lead.
    """
    ratio, offset, start = 1.0, 0.0, joint
    seen = {joint.name}
    while joint.follows:
        assert joint.mimic
        leader = model.joints.get(joint.mimic.joint)
        if leader is None:
            raise unknown("joint", joint.mimic.joint, model.joints, f"joint '{joint.name}' mimic")
        if leader.name in seen or leader.nq != 1 or joint.nq != 1:
            raise ModelError(
                f"joint '{leader.name}' cannot be followed",
                element=f"joint '{start.name}' mimic",
                cure="mimic another joint, both with one coordinate",
            )
        seen.add(leader.name)
        ratio, offset = ratio * joint.mimic.ratio, offset + ratio * joint.mimic.offset
        joint = leader
    return joint, ratio, offset


def carried_bodies(tree: Tree, body: Body) -> list[Body]:
    """A body and all that joints carry on it, outward."""
    waiting, found = [tree.index(body)], []
    while waiting:
        i = waiting.pop(0)
        found.append(tree.bodies[i])
        waiting += tree.children[i]
    return found


def welded(tree: Tree, first: Body, second: Body) -> bool:
    """Whether only fixed joints stand between two bodies."""
    return tree.pieces[tree.index(first)] == tree.pieces[tree.index(second)]


def _outward(model: Model) -> Iterator[tuple[int, Joint]]:
    """(number, joint) with parents before children, in order of addition where that allows it."""
    carried: dict[str, list[tuple[int, Joint]]] = {}
    for pair in enumerate(model.joints.values()):
        carried.setdefault(pair[1].parent.body.name, []).append(pair)
    ready = [(k, joint.name) for k, joint in carried.get(model.ground.name, [])]
    heapq.heapify(ready)
    while ready:
        k, name = heapq.heappop(ready)
        joint = model.joints[name]
        yield k, joint
        for k_next, following in carried.get(joint.child.body.name, []):
            heapq.heappush(ready, (k_next, following.name))


def problems(model: Model) -> list[KinetreeError]:
    """Everything that keeps the joints from forming one tree on the ground."""
    found: list[KinetreeError] = []
    reached: dict[str, Joint] = {}
    for joint in model.joints.values():
        child = joint.child.body
        wrong = _wrong_child(joint, model.ground, reached.get(child.name))
        if wrong:
            found.append(wrong)
        else:
            reached[child.name] = joint
    found += [
        ModelError(
            "no joint reaches it",
            element=f"body '{name}'",
            cure="add a joint with this body as child, or remove the body",
        )
        for name in model.bodies
        if name not in reached
    ]
    return [*found, *_cycles(reached), *_followers(model)]


def _followers(model: Mechanism) -> Iterator[KinetreeError]:
    """One error per joint that follows what cannot lead."""
    for joint in model.joints.values():
        try:
            leader_of(model, joint)
        except KinetreeError as error:
            yield error


def _wrong_child(joint: Joint, ground: Body, other: Joint | None) -> KinetreeError | None:
    """What is wrong with the child of `joint`, when `other` reaches the same body already."""
    child, element = joint.child.body, f"joint '{joint.name}'"
    if child is ground:
        return ModelError(
            "its child is the ground, which does not move",
            element=element,
            cure="swap parent and child",
        )
    if child is joint.parent.body:
        return ModelError(
            f"its parent and child are the same body '{child.name}'",
            element=element,
            cure="give two different bodies",
        )
    if other is not None:
        return ModelError(
            f"it is reached by two joints, '{other.name}' and '{joint.name}'",
            element=f"body '{child.name}'",
            cure=f"remove one of them, or replace '{joint.name}' by a closure of the loop",
        )
    return None


def _cycles(reached: dict[str, Joint]) -> list[KinetreeError]:
    """One error per ring of bodies that carry each other and never meet the ground."""
    state: dict[str, int] = {}  # number of the walk that visited the body
    found: list[KinetreeError] = []
    for walk, start in enumerate(reached):
        name, path = start, []
        while name in reached and name not in state:
            state[name] = walk
            path.append(name)
            name = reached[name].parent.body.name
        if state.get(name) == walk and name in path:
            ring = path[path.index(name) :]
            joints = ", ".join(f"'{reached[body].name}'" for body in reversed(ring))
            found.append(
                ModelError(
                    f"joints {joints} form a cycle that is not connected to the ground",
                    element=f"body '{name}'",
                    cure="let one of them start from the ground or from a body connected to it",
                )
            )
    return found


def quaternions(model: Mechanism) -> list[int]:
    """Numbers of the first component of every quaternion in q."""
    found, k = [], 0
    for joint in model.leaders:
        for motion in joint.motions:
            if isinstance(motion, Ball | Float):
                found.append(k)
            k += len(motion.neutral)
    return found
