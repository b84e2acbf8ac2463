"""Whether dependent coordinates are still well determined, and other ones where they are not.

The equations that are used, J, have a least singular value over all coordinates that may move, and
one over the dependent ones alone.  Where the second falls far below the first, the choice is bad
while the mechanism itself is not singular.
"""

from __future__ import annotations

import numpy as np

from kinetree.analysis.runs.dynamics import Dynamics
from kinetree.arrays import Array
from kinetree.assembly import Partition
from kinetree.integrate.problem import Path

LEAST = 0.03
"""Share of the least singular value below which the dependent coordinates are a bad choice."""

SINGULAR = 1e-3
"""Least singular value, rows scaled, below which a mechanism is nearly singular."""


def degraded(system: Dynamics, path: Path) -> int | None:
    """Number of the first output, after the beginning, at which the choice is bad; none if good."""
    found = system.partition
    if found is None or not found.rows:
        return None
    bad = shares(system, found, path.t, system.split(path.y)[0]) < LEAST
    bad[0] = False
    return int(np.argmax(bad)) if bad.any() else None


def shares(system: Dynamics, found: Partition, t: Array, q: Array) -> Array:
    """How well the dependent velocities are determined, from 0 to 1, at many configurations."""
    J = jacobians(system, found, t, q)
    velocities = system.model.velocities
    dependent = [velocities.index(name) for name in (*found.dependent, *found.rate_dependent)]
    part = np.linalg.svd(J[:, :, dependent], compute_uv=False)[:, -1]
    return np.asarray(part / np.maximum(least(system, found, J), 1e-300))


def singular(system: Dynamics, t: float, q: Array) -> bool:
    """Whether the equations that are used nearly depend on each other at a configuration."""
    found = system.partition
    if found is None or not found.rows or not np.isfinite(q).all():
        return False
    J = jacobians(system, found, np.array([t]), q[None])
    return bool(least(system, found, J)[0] < SINGULAR)


def least(system: Dynamics, found: Partition, J: Array) -> Array:
    """Least singular value over all velocities that are not driven."""
    driven = {system.model.velocities.index(name) for name in found.driven}
    free = [k for k in range(system.nv) if k not in driven]
    return np.asarray(np.linalg.svd(J[:, :, free], compute_uv=False)[:, len(found.rows) - 1])


def jacobians(system: Dynamics, found: Partition, t: Array, q: Array) -> Array:
    """J of the equations that are used, rows scaled by where they were chosen, at many places."""
    model = system.model
    assert system.loops is not None
    program = system.loops.program
    q, t = np.vstack([found.q, q]), np.append(t[0], t)
    given = {"q": q, "t": t, "qd": np.zeros((len(t), model.nv))}
    J = program.evaluate(**program.given(given))["J"]
    J = np.broadcast_to(J, (len(t), *J.shape[-2:]))[:, list(found.rows)]
    return np.asarray(J[1:] / np.maximum(np.abs(J[0]).max(axis=1, keepdims=True), 1e-6))


__all__ = ["degraded", "shares", "singular"]
