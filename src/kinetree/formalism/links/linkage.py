"""Linkage: the mechanism as the formalisms see it.

A joint is a chain of elementary motions; each motion carries one *link*, a frame that moves as one.
Bodies welded together ride on the same link and share its mass properties.  Link 0 is the ground.

Every link has a computational frame whose axes are those of its motion: an axis that is not x, y or
z of the frame before it is made so by a constant rotation, and what rides on the link is referred
to the turned frame.  Elementary rotations are then always planar: four products per vector.

| here | meaning |
|---|---|
| p[i] | parent link |
| R0[i] | constant rotation, joint frame at q = 0 to parent link frame (numbers) |
| r[i] | position of the joint in the parent link frame |
| m[i], h[i], I[i] | mass, first moment, inertia about the link origin, in the link frame |

Refs: Docquier2013 sec. 2.1 (massless frames between the axes of a joint); Khalil1987 (planar steps)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kinetree.arrays import Array
from kinetree.engine import ZERO, Node, Rank, as_node, number, symbol
from kinetree.formalism.links.motion import AxisMotion, FreeMotion, LinkMotion
from kinetree.formalism.links.vectors import (
    NULL,
    NULL_TENSOR,
    SYM_PAIRS,
    Sym,
    Vec,
    mat3,
    plus,
    steiner,
    sym6,
    tensor_plus,
)
from kinetree.formalism.links.vectors import apply as apply_matrix
from kinetree.model import (
    Ball,
    Body,
    Float,
    Mechanism,
    Motion,
    ParameterTable,
    Point,
    Shift,
    Turn,
    Twist,
    Wrench,
    parameter_table,
)

SNAP = 1e-14
"""Entries of a product of rotations this close to 0 or ±1 are that number."""


@dataclass(frozen=True)
class Pose:
    """A frame on a link: R maps its components to the link's, p is its origin in the link frame."""

    link: int
    R: Array
    p: Vec


@dataclass
class Link:
    """One moving frame; see the module's table.  It is named after its body or its joint."""

    index: int
    parent: int
    name: str
    joint: str
    R0: Array
    r: Vec
    motion: LinkMotion
    m: Node = ZERO
    h: Vec = NULL
    I: Sym = NULL_TENSOR
    children: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Linkage:
    """The links from the ground outward, parents before children, and where bodies ride.

    Attributes:
        model: what it was made from.
        links: links[0] is the ground.
        poses: body name -> its frame on its link.
        gravity: acceleration of gravity in the ground frame.
        q, qd: symbols of coordinates and velocities.
        table: the run-time parameters.
        kept: what was derived of these links, whatever their masses: regrouped ones share it.
    """

    model: Mechanism
    links: tuple[Link, ...]
    poses: dict[str, Pose]
    gravity: Vec
    q: tuple[Node, ...]
    qd: tuple[Node, ...]
    table: ParameterTable
    kept: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def outward(self) -> range:
        """Indices of the moving links, ground to tip."""
        return range(1, len(self.links))

    def inward(self) -> range:
        """Indices of the moving links, tip to ground."""
        return range(len(self.links) - 1, 0, -1)

    def pose(self, point: Point) -> Pose:
        """The frame of a point on its link."""
        return _pose(self.poses, self.table, point)

    def path(self, i: int) -> list[int]:
        """Link indices from the ground (excluded) to link i."""
        indices: list[int] = []
        while i:
            indices.append(i)
            i = self.links[i].parent
        return indices[::-1]

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return len(self.qd)

    @property
    def motions(self) -> list[LinkMotion]:
        """The motion of every link, from the ground outward."""
        return [link.motion for link in self.links[1:]]


def _pose(poses: dict[str, Pose], table: ParameterTable, point: Point) -> Pose:
    base = poses[point.body.name]
    p = plus(base.p, rotate(base.R, table.position(point)))
    return Pose(base.link, snap(base.R @ np.array(point.rotation)), p)


def linkage(model: Mechanism, *, folded: bool = False, welds: bool = False) -> Linkage:
    """The links of a model.

    Args:
        model: the mechanism, a tree.
        folded: whether parameters are numbers instead of run-time inputs.
        welds: whether a fixed joint carries a link of its own that does not move, so that what it
            transmits can be told.
    """
    return _Assembly(model, folded=folded, welds=welds).linkage()


def snap(R: Array) -> Array:
    """A rotation without the noise of rounding in its zeros and ones."""
    near = np.round(R)
    return np.where(np.abs(R - near) < SNAP, near, R)


def rotate(R: Array, v: Vec) -> Vec:
    """R v for a constant rotation."""
    return apply_matrix(mat3((number(x) for x in row) for row in R.tolist()), v)


def rotate_tensor(R: Array, s: Sym) -> Sym:
    """R S Rᵀ for a constant rotation."""
    if np.array_equal(R, np.eye(3)):
        return s
    S = [[s[0], s[3], s[4]], [s[3], s[1], s[5]], [s[4], s[5], s[2]]]
    N = [[number(x) for x in row] for row in R.tolist()]

    def element(i: int, j: int) -> Node:
        total = ZERO
        for a in range(3):
            for b in range(3):
                total = total + N[i][a] * N[j][b] * S[a][b]
        return total

    return sym6(element(i, j) for i, j in SYM_PAIRS)


class _Assembly:
    """A linkage being built, joint by joint."""

    def __init__(self, model: Mechanism, *, folded: bool, welds: bool) -> None:
        self.model, self.welds = model, welds
        self.tree = model.tree()
        self.table = parameter_table(model, folded=folded)
        self.q = tuple(symbol(f"q_{n}", Rank.COORDINATE) for n in model.coordinates)
        self.qd = tuple(symbol(f"qd_{n}", Rank.VELOCITY) for n in model.velocities)
        still = AxisMotion(0, ZERO, ZERO, ZERO, ())
        self.links = [Link(0, 0, "ground", "", np.eye(3), NULL, still)]
        self.poses = {model.ground.name: Pose(0, np.eye(3), NULL)}

    def linkage(self) -> Linkage:
        for i in self.tree.outward():
            self._joint(i)
        for body in self.tree.bodies[1:]:
            self._load(body)
        return Linkage(
            self.model,
            tuple(self.links),
            self.poses,
            self.table.gravity,
            self.q,
            self.qd,
            self.table,
        )

    def _joint(self, i: int) -> None:
        joint, body = self.tree.joints[i], self.tree.bodies[i]
        pose = _pose(self.poses, self.table, joint.parent)
        kq, kv = self.tree.q_start[i], self.tree.v_start[i]
        for k, motion in enumerate(joint.motions):
            nq = len(motion.neutral)
            pose = self._step(pose, i, motion, (k, kq, kv))
            kq, kv = kq + nq, kv + motion.nv
        if self.welds and not joint.motions:
            still = AxisMotion(0, ZERO, ZERO, ZERO, ())
            pose = self._carry(pose, f"{joint.name}_1", joint.name, np.eye(3), still)
        R_child = np.array(joint.child.rotation)
        R = snap(pose.R @ R_child.T)
        back = rotate(R, self.table.position(joint.child))
        p = (pose.p[0] - back[0], pose.p[1] - back[1], pose.p[2] - back[2])
        self.poses[body.name] = Pose(pose.link, R, p)
        if joint.motions or self.welds:
            self.links[pose.link].name = body.name

    def _step(self, pose: Pose, i: int, motion: Motion, at: tuple[int, int, int]) -> Pose:
        """Carry the frame over one elementary motion: a new link."""
        k, kq, kv = at
        joint = self.tree.joints[i]
        turned, made = self._motion(i, motion, pose.R, (kq, kv))
        return self._carry(pose, f"{joint.name}_{k + 1}", joint.name, turned, made)

    def _carry(self, pose: Pose, name: str, joint: str, turned: Array, motion: LinkMotion) -> Pose:
        """A new link that moves relative to a frame; its own frame."""
        index = len(self.links)
        R0 = snap(pose.R @ turned)
        self.links.append(Link(index, pose.link, name, joint, R0, pose.p, motion))
        self.links[pose.link].children.append(index)
        return Pose(index, turned.T, NULL)

    def _motion(
        self, i: int, motion: Motion, R: Array, at: tuple[int, int]
    ) -> tuple[Array, LinkMotion]:
        """The constant turn that aligns the axis, and the motion about the aligned axis.

        An axis along one of the carrying link's own axes (R to its frame) needs no turn at all.
        """
        kq, kv = at
        dofs = tuple(range(kv, kv + motion.nv))
        if isinstance(motion, Ball):
            return np.eye(3), FreeMotion(self.q[kq : kq + 4], NULL, False, dofs)
        if isinstance(motion, Float):
            x, y, z = self.q[kq + 4 : kq + 7]
            return np.eye(3), FreeMotion(self.q[kq : kq + 4], (x, y, z), True, dofs)
        given = np.array(motion.axis, dtype=float)
        turned, axis, sign = align(given)
        along, k, sense = align(snap(R @ given))
        if np.array_equal(along, np.eye(3)):
            turned, axis, sign = R.T, k, sense
        s = as_node(sign)
        ratio = number(self.tree.ratio[i])
        q = ratio * self.q[kq] + number(self.tree.offset[i])
        if isinstance(motion, Turn):
            return turned, AxisMotion(axis, s, ZERO, q, dofs, ratio)
        if isinstance(motion, Shift):
            return turned, AxisMotion(axis, ZERO, s, q, dofs, ratio)
        assert isinstance(motion, Twist)
        pitch = self.table.pitch(self.tree.joints[i])
        return turned, AxisMotion(axis, s, s * pitch, q, dofs, ratio)

    def _load(self, body: Body) -> None:
        """Add a body's mass properties to its link, about the link's origin."""
        pose = self.poses[body.name]
        if pose.link == 0:
            return
        link = self.links[pose.link]
        m = self.table.mass(body)
        com = plus(pose.p, rotate(pose.R, self.table.com(body)))
        about_com = rotate_tensor(pose.R, sym6(self.table.inertia(body)))
        link.m = link.m + m
        link.h = plus(link.h, (m * com[0], m * com[1], m * com[2]))
        link.I = tensor_plus(link.I, tensor_plus(about_com, steiner(m, NULL, com)))


def align(axis: Array) -> tuple[Array, int, int]:
    """(R, k, sign): axis = sign·R e_k, with R the identity when the axis is ±x, ±y or ±z."""
    for k in range(3):
        if max(abs(axis[k - 1]), abs(axis[k - 2])) < SNAP:
            return np.eye(3), k, 1 if axis[k] > 0 else -1
    z = axis / np.linalg.norm(axis)
    k = int(np.argmin(np.abs(z)))
    x = np.cross(np.eye(3)[k], z)
    x /= np.linalg.norm(x)
    return snap(np.column_stack([x, np.cross(z, x), z])), 2, 1


def wrench_poses(system: Linkage) -> list[tuple[Wrench, Pose]]:
    """Every external wrench with the frame of its point."""
    return [(wrench, system.pose(wrench.point)) for wrench in system.model.wrenches.values()]
