"""Rotations as quaternions w, x, y, z, one or many at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinetree.arrays import Array

NONE = (1.0, 0.0, 0.0, 0.0)
"""The quaternion of no rotation."""


def quaternions(R: Any) -> Array:
    """Unit quaternions (…, 4) of rotation matrices (…, 3, 3), by the best conditioned of four ways.

    Of 4w², 4x², 4y², 4z², which the diagonal gives, the largest is at least 1, so dividing by its
    root is safe.
    """
    M = np.asarray(R, dtype=float)
    xx, yy, zz = M[..., 0, 0], M[..., 1, 1], M[..., 2, 2]
    a, b, c = M[..., 2, 1], M[..., 0, 2], M[..., 1, 0]
    d, e, f = M[..., 1, 2], M[..., 2, 0], M[..., 0, 1]
    outer = np.stack(
        [
            np.stack([1 + xx + yy + zz, a - d, b - e, c - f], axis=-1),
            np.stack([a - d, 1 + xx - yy - zz, c + f, b + e], axis=-1),
            np.stack([b - e, c + f, 1 - xx + yy - zz, a + d], axis=-1),
            np.stack([c - f, b + e, a + d, 1 - xx - yy + zz], axis=-1),
        ],
        axis=-2,
    )  # 4 e eᵀ
    best = np.argmax(np.diagonal(outer, axis1=-2, axis2=-1), axis=-1)
    row = np.take_along_axis(outer, best[..., None, None], axis=-2)[..., 0, :]
    return np.asarray(row / np.linalg.norm(row, axis=-1, keepdims=True))


def matrices(e: Any) -> Array:
    """Rotation matrices (…, 3, 3) of unit quaternions (…, 4)."""
    e = np.asarray(e, dtype=float)
    w, x, y, z = e[..., 0], e[..., 1], e[..., 2], e[..., 3]
    R = np.empty((*e.shape[:-1], 3, 3))
    R[..., 0, 0], R[..., 0, 1] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z)
    R[..., 0, 2], R[..., 1, 0] = 2 * (x * z + w * y), 2 * (x * y + w * z)
    R[..., 1, 1], R[..., 1, 2] = 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    R[..., 2, 0], R[..., 2, 1] = 2 * (x * z - w * y), 2 * (y * z + w * x)
    R[..., 2, 2] = 1 - 2 * (x * x + y * y)
    return R


def continue_signs(e: Array) -> Array:
    """Quaternions (time, …, 4) with signs such that each is nearest to the one before it."""
    flips = np.sum(e[1:] * e[:-1], axis=-1) < 0
    signs = np.where(np.cumsum(flips, axis=0) % 2 == 1, -1.0, 1.0)
    return np.concatenate([e[:1], e[1:] * signs[..., None]])


def onto(direction: Any) -> tuple[float, ...]:
    """The quaternion of the shortest turn that brings the z axis onto a direction."""
    v = np.asarray(direction, dtype=float)
    length = float(np.linalg.norm(v))
    if length == 0:
        return NONE
    x, y, z = v / length
    if z < -1 + 1e-12:
        return (0.0, 1.0, 0.0, 0.0)
    w = np.sqrt((1 + z) / 2)
    return (float(w), float(-y / (2 * w)), float(x / (2 * w)), 0.0)
