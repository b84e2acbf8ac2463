"""Coordinates moved by a finite step of the velocities; quaternions stay of unit length."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arrays import Array
from kinetree.model.parts import Ball, Float

if TYPE_CHECKING:
    from kinetree.model.mechanism import Mechanism


def retract(model: Mechanism, q: Any, step: Any) -> Array:
    """q after the motion qd = step for a unit of time, each joint by itself.

    Args:
        model: the mechanism.
        q: nq coordinates.
        step: nv velocities times a time: angles [rad] and displacements [m].
    """
    out = np.array(q, dtype=float)
    by = np.asarray(step, dtype=float)
    kq = kv = 0
    for joint in model.leaders:
        for motion in joint.motions:
            nq = len(motion.neutral)
            if isinstance(motion, Ball | Float):
                out[kq : kq + nq] = _free(out[kq : kq + nq], by[kv : kv + motion.nv])
            else:
                out[kq] += by[kv]
            kq, kv = kq + nq, kv + motion.nv
    return out


def _free(q: Array, step: Array) -> Array:
    """Quaternion (and position) after a turn by step[:3] in the moving frame, and step[3:]."""
    e = q[:4] / np.linalg.norm(q[:4])
    moved = q[4:] + rotate(e, step[3:]) if len(q) > 4 else q[4:]
    angle = float(np.linalg.norm(step[:3]))
    half = 0.5 * angle
    sinc = math.sin(half) / angle if angle > 0 else 0.5
    turn = np.concatenate([[math.cos(half)], sinc * step[:3]])
    e = product(e, turn)
    return np.concatenate([e / np.linalg.norm(e), moved])


def product(a: Array, b: Array) -> Array:
    """Hamilton's product of two quaternions, scalar part first."""
    w = a[0] * b[0] - a[1:] @ b[1:]
    return np.concatenate([[w], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])])


def rotate(e: Array, v: Array) -> Array:
    """R v with the rotation of the unit quaternion e."""
    u = 2.0 * np.cross(e[1:], v)
    return np.asarray(v + e[0] * u + np.cross(e[1:], u))


__all__ = ["product", "retract", "rotate"]
