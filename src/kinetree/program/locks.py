"""Gimbal locks of an input: where they are, and whether values are at one of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinetree.arrays import Array
from kinetree.errors import ShapeError

Locks = tuple[tuple[int, float], ...]
"""(number of a component, angle): it locks there and any number of half turns on [rad]."""

LOCKED = 1e-9
"""Distance from a gimbal lock below which an angle is at it [rad]."""


def refuse_locked(
    locks: Locks, labels: Sequence[str], q: Array, element: str, otherwise: str = ""
) -> None:
    """Name the first coordinate that is at its gimbal lock.

    Args:
        locks: of the coordinates.
        labels: names of the coordinates.
        q: coordinates along the last axis; leading axes are those of a batch.
        element: what the values are given for.
        otherwise: what else may be done about it.
    """
    for k, angle in locks:
        beyond = np.asarray(q)[..., k] - angle
        at = np.abs(beyond - np.pi * np.round(beyond / np.pi)) < LOCKED
        if at.any():
            where = tuple(int(i) for i in np.argwhere(at)[0])
            sample = f" of sample {list(where)}" if where else ""
            raise ShapeError(
                f"'{labels[k]}'{sample} is at its gimbal lock, {q[(*where, k)]:.7g} rad: the axes "
                "of its joint lie in one plane there and the mass matrix is singular",
                element=element,
                cure=f"stay beside it, or use a spherical or free joint{otherwise}",
            )
