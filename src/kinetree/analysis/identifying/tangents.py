"""Rates of coordinates, der(q) = N(q) qd: those of quaternions are not velocities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kinetree.arrays import Array
from kinetree.engine import evaluate
from kinetree.model import quaternions

if TYPE_CHECKING:
    from kinetree.model import Mechanism
    from kinetree.program import Input


def tangents(row: Input, q: Array, velocities: int) -> Array:
    """N of der(q) = N(q) qd: … × coordinate × velocity.

    Args:
        row: the input q of a Program.
        q: coordinates.
        velocities: how many there are.
    """
    if not row.tangent:
        return np.broadcast_to(np.eye(velocities), (*q.shape[:-1], velocities, velocities))
    known = dict(zip(row.symbols, np.moveaxis(q, -1, 0), strict=True))
    found = evaluate([node for line in row.tangent for node in line], known)
    lines = [np.broadcast_to(x, q.shape[:-1]) for x in found]
    return np.stack(lines, axis=-1).reshape(*q.shape, velocities)


def unit_rows(model: Mechanism, q: Array) -> Array:
    """Coordinates with quaternions of unit length."""
    made = q.copy()
    for first in quaternions(model):
        e = made[..., first : first + 4]
        made[..., first : first + 4] = e / np.linalg.norm(e, axis=-1, keepdims=True)
    return made


def velocities_of(row: Input, q: Array, rates: Array, count: int) -> Array:
    """Velocities whose N(q) qd is nearest to rates of coordinates: … × velocity."""
    return np.asarray(np.einsum("...vi,...i->...v", np.linalg.pinv(tangents(row, q, count)), rates))
