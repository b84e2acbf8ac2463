"""The configuration manifold: coordinates moved along velocities, and what lies between two.

Quaternions have one component too many to be added to, and positions of free joints move in axes
that turn; `retract` follows constant velocities for a unit of time, `difference` is its inverse.

    ball   e⁺ = e exp(φ/2)                         φ = log(e* e⁺)
    float  besides, p⁺ = p + R V(φ) u              u = V(φ)⁻¹ Rᵀ (p⁺ - p)
    with   V(φ) = 1 + (1 - cos θ)/θ² φ~ + (θ - sin θ)/θ³ φ~²,  θ = |φ|

Leading axes are batches everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arrays import Array
from kinetree.model.parts import Ball, Float

if TYPE_CHECKING:
    from kinetree.model.mechanism import Mechanism

NEAR = 0.5
"""Angle below which (θ - sin θ)/θ³ is a sum: the difference would lose digits [rad]."""
SERIES = (1 / 6227020800, -1 / 39916800, 1 / 362880, -1 / 5040, 1 / 120, -1 / 6)
"""Coefficients of -(θ - sin θ)/θ³ by falling powers of θ²."""


def turning_parts(model: Mechanism) -> Iterator[tuple[slice, slice]]:
    """Where in q and qd the balls and floats are: 4 or 7 coordinates, 3 or 6 velocities."""
    kq = kv = 0
    for joint in model.leaders:
        for motion in joint.motions:
            nq = len(motion.neutral)
            if isinstance(motion, Ball | Float):
                yield slice(kq, kq + nq), slice(kv, kv + motion.nv)
            kq, kv = kq + nq, kv + motion.nv


def straight_parts(model: Mechanism) -> tuple[list[int], list[int]]:
    """Numbers of the other coordinates, whose rates are velocities, and of these."""
    turning = list(turning_parts(model))
    q = np.ones(model.nq, dtype=bool)
    v = np.ones(model.nv, dtype=bool)
    for at, along in turning:
        q[at], v[along] = False, False
    return np.flatnonzero(q).tolist(), np.flatnonzero(v).tolist()


def retract(model: Mechanism, q: Any, step: Any) -> Array:
    """q after the motion with constant velocities qd = step for a unit of time.

    Args:
        model: the mechanism.
        q: (…, nq) coordinates.
        step: (…, nv) velocities times a time: angles [rad] and displacements [m].
    """
    x, by = np.asarray(q, dtype=float), np.asarray(step, dtype=float)
    turning = list(turning_parts(model))
    if not turning:
        return np.asarray(x + by)
    lead = np.broadcast_shapes(x.shape[:-1], by.shape[:-1])
    out = np.array(np.broadcast_to(x, (*lead, x.shape[-1])))
    straight = straight_parts(model)
    out[..., straight[0]] += by[..., straight[1]]
    for at, along in turning:
        e, turn = unit(x[..., at][..., :4]), by[..., along][..., :3]
        moved = unit(product(e, _half(turn)))
        out[..., at.start : at.start + 4] = moved
        if at.stop - at.start > 4:
            by_hand = np.einsum("...ij,...j->...i", _sweep(turn), by[..., along][..., 3:])
            out[..., at.start + 4 : at.stop] += rotate(e, by_hand)
    return out


def difference(model: Mechanism, start: Any, end: Any) -> Array:
    """The velocities that lead from one configuration to another in a unit of time.

    Of the two ways to turn, the shorter one: `retract(model, start, difference)` is `end`.

    Args:
        model: the mechanism.
        start: (…, nq) coordinates.
        end: (…, nq) coordinates.
    """
    a, b = np.broadcast_arrays(np.asarray(start, dtype=float), np.asarray(end, dtype=float))
    out = np.empty((*a.shape[:-1], model.nv))
    q, v = straight_parts(model)
    out[..., v] = b[..., q] - a[..., q]
    for at, along in turning_parts(model):
        back = unit(a[..., at][..., :4]) * np.array([1.0, -1.0, -1.0, -1.0])
        turn = _log(product(back, unit(b[..., at][..., :4])))
        out[..., along.start : along.start + 3] = turn
        if at.stop - at.start > 4:
            far = rotate(back, b[..., at][..., 4:] - a[..., at][..., 4:])
            u = np.linalg.solve(_sweep(turn), far[..., None])[..., 0]
            out[..., along.start + 3 : along.stop] = u
    return out


def _half(turn: Array) -> Array:
    """The quaternion of a turn by a rotation vector."""
    angle = np.linalg.norm(turn, axis=-1, keepdims=True)
    return np.concatenate([np.cos(0.5 * angle), 0.5 * np.sinc(angle / (2 * np.pi)) * turn], axis=-1)


def _log(e: Array) -> Array:
    """The rotation vector of a unit quaternion, at most half a turn long."""
    near = np.where(e[..., :1] < 0, -e, e)  # e and -e are one rotation
    sine = np.linalg.norm(near[..., 1:], axis=-1, keepdims=True)
    angle = 2 * np.arctan2(sine, near[..., :1])
    longer = np.divide(angle, sine, out=np.full_like(sine, 2.0), where=sine > 0)
    return np.asarray(near[..., 1:] * longer)


def _sweep(turn: Array) -> Array:
    """V(φ) of the module's text, (…, 3, 3)."""
    angle = np.linalg.norm(turn, axis=-1)[..., None, None]
    far = np.maximum(angle, NEAR)
    second = np.where(
        angle < NEAR, -np.polyval(np.array(SERIES), angle**2), (far - np.sin(far)) / far**3
    )
    skew = np.cross(np.eye(3), turn[..., None, :])  # rows e × φ
    V = np.eye(3) + 0.5 * np.sinc(angle / (2 * np.pi)) ** 2 * skew + second * (skew @ skew)
    return np.asarray(V)


def unit(e: Array) -> Array:
    """Quaternions of unit length."""
    return np.asarray(e / np.linalg.norm(e, axis=-1, keepdims=True))


def product(a: Array, b: Array) -> Array:
    """Hamilton's product of quaternions, scalar part first."""
    w = a[..., :1] * b[..., :1] - np.sum(a[..., 1:] * b[..., 1:], axis=-1, keepdims=True)
    v = a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:] + np.cross(a[..., 1:], b[..., 1:])
    return np.concatenate([w, v], axis=-1)


def rotate(e: Array, v: Array) -> Array:
    """R v with the rotation of the unit quaternion e."""
    u = 2.0 * np.cross(e[..., 1:], v)
    return np.asarray(v + e[..., :1] * u + np.cross(e[..., 1:], u))
