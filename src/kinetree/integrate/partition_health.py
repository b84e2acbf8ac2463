"""Whether dependent velocities are still well determined, and a better choice where they are not.

The equations that are used, J, have a least singular value over all velocities that may move, and
one over the dependent ones alone.  Where the second falls below the first, more than it did where
the choice was made, the choice is bad while the mechanism itself is not singular.

Refs: WehageHaug1982
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from kinetree.arrays import Array, Flags
from kinetree.assembly import Partition
from kinetree.assembly.partition import partition
from kinetree.errors import KinetreeError
from kinetree.model import Mechanism

LEAST = 0.25
"""Share of the least singular value, relative to that where the choice was made, below which the
dependent velocities are a bad choice: errors of the others reach them several times enlarged."""
SINGULAR = 1e-3
"""Least singular value, rows scaled, below which a mechanism is nearly singular."""


@dataclass(frozen=True)
class Judge:
    """Judges a choice of dependent velocities.

    Attributes:
        jacobians: (t, q) -> J of the equations that are used, one matrix per row of q.
        dependent: numbers of the dependent velocities.
        free: numbers of all velocities that are not driven.
        scale: size of every row of J where the choice was made.
        share: of the dependent velocities there.
        weakest: the combination of equations that was least determined there, of length 1.
    """

    jacobians: Callable[[Array, Array], Array]
    dependent: Sequence[int]
    free: Sequence[int]
    scale: Array
    share: float
    weakest: Array

    def bad(self, t: Array, q: Array) -> Flags:
        """Where the choice is bad, at many configurations."""
        if not self.scale.size:
            return np.zeros(len(q), dtype=bool)
        J = self.jacobians(t, q)
        bad = np.logical_not(self._surely_good(J))
        if bad.any():
            found = shares(J[bad], self.dependent, self.free, self.scale)
            bad[bad] = found < LEAST * self.share
        return bad

    def _surely_good(self, J: Array) -> Flags:
        """Where bounds say so, which are cheaper than singular values.

        That of the dependent velocities is at least 1/|D⁻¹| in Frobenius' norm, and that of all at
        most what the weakest combination of where the choice was made has now.
        """
        J = J / self.scale[:, None]
        try:
            inverse = np.linalg.inv(J[..., self.dependent])
        except np.linalg.LinAlgError:
            return np.zeros(len(J), dtype=bool)
        least = np.linalg.norm(self.weakest @ J[..., self.free], axis=-1)
        return np.asarray(LEAST * self.share * least * np.linalg.norm(inverse, axis=(-2, -1)) < 1)

    def singular(self, t: float, q: Array) -> bool:
        """Whether the equations nearly depend on each other at a configuration."""
        if not self.scale.size or not np.isfinite(q).all():
            return False
        J = self.jacobians(np.array([t]), q[None]) / self.scale[:, None]
        return bool(_least(J, self.free)[0] < SINGULAR)


def shares(J: Array, dependent: Sequence[int], free: Sequence[int], scale: Array) -> Array:
    """How well dependent velocities are determined, from 0 to 1; leading axes are kept.

    Args:
        J: of the equations that are used.
        dependent: numbers of the dependent velocities.
        free: numbers of all velocities that are not driven.
        scale: size of every row of J where the choice was made.
    """
    if not J.shape[-2]:
        return np.ones(J.shape[:-2])
    J = J / scale[..., None]
    part = np.linalg.svd(J[..., dependent], compute_uv=False)[..., -1]
    return np.asarray(part / np.maximum(_least(J, free), 1e-300))


def sizes(J: Array) -> Array:
    """Size of every row of J, by which it is scaled."""
    return np.asarray(np.maximum(np.abs(J).max(axis=-1, initial=0.0), 1e-6))


def _least(J: Array, free: Sequence[int]) -> Array:
    """Least singular value over all velocities that are not driven."""
    found = np.linalg.svd(J[..., free], compute_uv=False)
    return np.asarray(found[..., J.shape[-2] - 1])


def judge(
    jacobians: Callable[[Array, Array], Array],
    dependent: Sequence[int],
    free: Sequence[int],
    t: float,
    q: Array,
) -> Judge:
    """The judge of a choice that was made at a time and a configuration; see `Judge`."""
    J = np.asarray(jacobians(np.array([t]), q[None]))[0]
    scale = sizes(J)
    share = float(shares(J, dependent, free, scale))
    weakest = np.linalg.svd(J[:, free] / scale[:, None])[0][:, -1] if scale.size else scale
    return Judge(jacobians, dependent, free, scale, share, weakest)


def better(
    model: Mechanism, q: Array, t: float, parameters: Mapping[str, float], rank: int
) -> Partition | None:
    """The best choice at a configuration; none where it has another rank or is singular."""
    try:
        found = partition(model, q.tolist(), t=t, parameters=dict(parameters))
    except KinetreeError:
        return None
    return None if found.singular or found.rank != rank else found
