"""Singular positions: equations that depend on each other there, and not elsewhere.

Rows of J are scaled by their size at a regular position.  Where the last singular value that counts
is small, the left singular vector that belongs to it says which equations make each other up.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
NEAR = 0.1
"""Least singular value, rows scaled, below which a position counts as nearly singular."""
ROUNDING = 1e-8
"""The same, below which equations depend on each other exactly."""


def rank(J: Array) -> int:
    """Number of independent equations."""
    return int((np.linalg.svd(J / _sizes(J), compute_uv=False) > ROUNDING).sum())


def depending(J: Array, regular: Array) -> int | None:
    """Number of the equation that depends most on others; None far from singular positions.

    Args:
        J: of all equations by all velocities that may move.
        regular: the same at another position of the mechanism.
    """
    count = rank(regular)
    if not count:
        return None
    U, s, _ = np.linalg.svd(J / _sizes(regular))
    return int(np.argmax(np.abs(U[:, count - 1]))) if s[count - 1] < NEAR else None


def _sizes(J: Array) -> Array:
    return np.asarray(np.maximum(np.abs(J).max(axis=1, keepdims=True, initial=0.0), ROUNDING))


__all__ = ["depending", "rank"]
