"""Singular positions: equations that depend on each other there, and not elsewhere.

Rows of J are scaled by their size at a regular position.  Where the last singular value that counts
is small, the left singular vector that belongs to it says which equations make each other up.
"""

from __future__ import annotations

import numpy as np

from kinetree.arrays import Array
from kinetree.solve.pivots import eliminate

NEAR = 0.1
"""Least singular value, rows scaled, below which a position counts as nearly singular."""
ROUNDING = 1e-8
"""Size of a row that vanishes."""


def depending(J: Array, regular: Array, near: float = NEAR) -> int | None:
    """Number of the equation that depends most on others; None far from singular positions.

    Args:
        J: of all equations by all velocities that may move.
        regular: the same at another position of the mechanism.
        near: least singular value, rows scaled, below which a position is nearly singular.
    """
    count = eliminate(regular).rank
    if not count:
        return None
    U, s, _ = np.linalg.svd(J / _sizes(regular))
    return int(np.argmax(np.abs(U[:, count - 1]))) if s[count - 1] < near else None


def _sizes(J: Array) -> Array:
    return np.asarray(np.maximum(np.abs(J).max(axis=1, keepdims=True, initial=0.0), ROUNDING))
