"""Which joints move no mass: pivots of the articulated-body recursion at a general configuration.

det M is the product of the pivots det(S_iᵀ IA_i S_i), so M is singular when one of them is zero.
The pivot names the joint, and the composite inertia says whether nothing at all is moved.

Refs: Otter1996 sec. 6 (the recursion); numbers only, no derivation
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arrays import Array
from kinetree.model.parameters import INERTIA
from kinetree.model.parts import Ball, Body, Float, Joint, Motion, Point, Shift, Turn, Twist

if TYPE_CHECKING:
    from kinetree.model.topology import Tree


PIVOT = 1e-13
"""A pivot below this share of the inertia it stands in is zero."""
GENERAL = 0.6180339887498949
"""Fractions of this number are far from every special configuration."""


@dataclass(frozen=True)
class Singular:
    """A joint whose motion needs no force, or one against it.

    Attributes:
        joint: the joint.
        why: "massless" when what it carries has no inertia against its motion at all, "negative"
            when that is below zero, "undone" when the joints it carries can undo its motion.
        inertia: what resists the motion, for "negative" [kg.m2 or kg].
    """

    joint: Joint
    why: str
    inertia: float = 0.0


def singular_joints(
    tree: Tree, values: Mapping[str, float], held: Sequence[str] = ()
) -> list[Singular]:
    """The joints that make the mass matrix singular, for these values of the model's scalars.

    What a follower moves resists the motion of its leader like a rotor, wherever the two stand.
    Velocities in `held`, whose accelerations are known, have no rows and columns.
    """
    rotors = rotor_inertias(tree, values)
    found, followers = _sweep(tree, values, rotors, held)
    return _sweep(tree, values, rotors + followers, held)[0] if followers.any() else found


def _sweep(
    tree: Tree, values: Mapping[str, float], rotors: Array, held: Sequence[str]
) -> tuple[list[Singular], Array]:
    """The joints whose pivot is zero, and what followers add to the rotors of their leaders."""
    n = len(tree)
    followers = np.zeros_like(rotors)
    articulated: list[Array] = [spatial_inertia(body, values) for body in tree.bodies]
    composite: list[Array] = [inertia.copy() for inertia in articulated]
    found: list[Singular] = []
    for i in tree.inward():
        joint = tree.joints[i]
        IA, Ic = articulated[i], composite[i]
        if joint.child.name:
            X = np.linalg.inv(_point_transform(joint.child, values))  # point -> body
            IA, Ic = X.T @ IA @ X, X.T @ Ic @ X
        last = tree.v_start[i] + joint.nv
        for k, motion in reversed(list(enumerate(joint.motions))):
            S, X = _step(joint, motion, values, seed=i + n * (k + 1))
            if not joint.follows:
                own = range(last - motion.nv, last)
                last -= motion.nv
                free = [joint.velocities[v - tree.v_start[i]] not in held for v in own]
                IA, state = _pivot(IA, Ic, S[:, free], rotors[own][free])
                if state is not None:
                    found.append(Singular(joint, *state))
            else:
                moved = float((S.T @ IA @ S)[0, 0])
                followers[tree.v_start[i]] += tree.ratio[i] ** 2 * max(moved, 0.0)
            IA, Ic = X.T @ IA @ X, X.T @ Ic @ X
        if joint.parent.name:
            X = _point_transform(joint.parent, values)
            IA, Ic = X.T @ IA @ X, X.T @ Ic @ X
        articulated[tree.parent[i]] += IA
        composite[tree.parent[i]] += Ic
    return found[::-1], followers


def rotor_inertias(tree: Tree, values: Mapping[str, float]) -> Array:
    """Rotor inertia of every velocity; followers count with their ratio squared at the leader."""
    size = max((tree.v_start[i] + tree.joints[i].nv for i in tree.outward()), default=0)
    found = np.zeros(size)
    for i in tree.outward():
        for k, (name, _, _) in enumerate(tree.joints[i].armatures):
            found[tree.v_start[i] + k] += tree.ratio[i] ** 2 * values[name]
    return found


def _pivot(IA: Array, Ic: Array, S: Array, rotor: Array) -> tuple[Array, tuple[str, float] | None]:
    """Articulated inertia seen through the motion, and None, or why it cannot be divided by."""
    angular = abs(Ic[0, 0] + Ic[1, 1] + Ic[2, 2])
    linear = abs(Ic[3, 3] + Ic[4, 4] + Ic[5, 5])
    squares = S * S
    scale = angular * squares[:3].sum(axis=0) + linear * squares[3:].sum(axis=0)
    scale = np.sqrt(scale + np.abs(rotor))
    D = S.T @ IA @ S + np.diag(rotor)
    if not scale.all():
        return IA, ("massless", 0.0)
    if S.shape[1] == 1:
        u = IA @ S
        pivot = float(D[0, 0])
        if pivot > PIVOT * scale[0] ** 2:
            return IA - (u / pivot) @ u.T, None
    values, vectors = np.linalg.eigh(D / np.outer(scale, scale))
    alive = values > PIVOT
    U = IA @ S @ (vectors / scale[:, None])[:, alive]
    reduced = IA - (U / values[alive]) @ U.T
    if alive.all():
        return reduced, None
    if values[0] < -PIVOT:
        return reduced, ("negative", float(np.linalg.eigvalsh(D)[0]))
    whole = S.T @ Ic @ S + np.diag(rotor)
    composite = np.linalg.eigvalsh(whole / np.outer(scale, scale))
    return reduced, ("massless" if composite[0] <= PIVOT else "undone", 0.0)


def spatial_inertia(body: Body, values: Mapping[str, float]) -> Array:
    """6×6 inertia of a body about its origin, in the body frame, order [angular; linear]."""
    m = values[f"{body.name}.mass"]
    c = skew([values[f"{body.name}.com_{axis}"] for axis in "xyz"])
    inertia = tensor([values[f"{body.name}.inertia_{end}"] for end in INERTIA])
    made = np.zeros((6, 6))
    made[:3, :3], made[:3, 3:], made[3:, :3] = inertia - m * c @ c, m * c, -m * c
    made[3, 3] = made[4, 4] = made[5, 5] = m
    return made


def tensor(values: list[float]) -> Array:
    """Symmetric 3×3 matrix of xx, yy, zz, xy, xz, yz."""
    xx, yy, zz, xy, xz, yz = values
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def skew(v: Any) -> Array:
    """The matrix of v ×."""
    x, y, z = v
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], dtype=float)


def transform(R_AB: Array, p_AB_A: Any) -> Array:
    """6×6 matrix taking velocities [angular; linear] from frame A to frame B."""
    R_BA = R_AB.T
    made = np.zeros((6, 6))
    made[:3, :3], made[3:, :3], made[3:, 3:] = R_BA, -R_BA @ skew(p_AB_A), R_BA
    return made


def _point_transform(point: Point, values: Mapping[str, float]) -> Array:
    """Velocities from the body frame to the frame of the point."""
    where = [values[f"{point.path}_{axis}"] for axis in "xyz"] if point.name else [0, 0, 0]
    return transform(np.array(point.rotation, dtype=float), where)


def _step(
    joint: Joint, motion: Motion, values: Mapping[str, float], seed: int
) -> tuple[Array, Array]:
    """(S, X): free directions in the frame after the motion, and the transform across it."""
    q = 0.3 + math.fmod(seed * GENERAL, 1.0)
    none = np.zeros(3)
    if isinstance(motion, Turn):
        a = np.array(motion.axis, dtype=float)
        return np.concatenate([a, none])[:, None], transform(about(a, q), none)
    if isinstance(motion, Shift):
        a = np.array(motion.axis, dtype=float)
        return np.concatenate([none, a])[:, None], transform(np.eye(3), q * a)
    if isinstance(motion, Twist):
        a = np.array(motion.axis, dtype=float)
        h = values[f"{joint.name}.pitch"]
        return np.concatenate([a, h * a])[:, None], transform(about(a, q), q * h * a)
    R = about(np.array([2.0, 3.0, 6.0]) / 7, q)
    if isinstance(motion, Ball):
        return np.eye(6)[:, :3], transform(R, none)
    assert isinstance(motion, Float)
    return np.eye(6), transform(R, [q, 2 * q, -q])


def about(a: Array, angle: float) -> Array:
    """Rotation by `angle` about the unit vector `a` (Rodrigues' formula)."""
    K = skew(a)
    return np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * (K @ K)
