"""How large a residual may be: the size of the tangent matrix, from the model's own values.

A residual divided by the diagonal of the tangent is about the distance of the coordinates from the
solution.  The diagonal is taken at the initial configuration and some near it: a scale need not be
exact, but it must not vanish by chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arrays import Array
from kinetree.errors import ShapeError
from kinetree.model import Mechanism, retract

if TYPE_CHECKING:
    from kinetree.program import Program
    from kinetree.steppers.equations.residual import Residual

SAMPLES = 6
SPREAD = 0.4
"""Displacements of the samples [rad or m]."""
LEAST = 1e-6
"""Smallest scale, as a share of the largest."""


@dataclass(frozen=True)
class Scales:
    """Diagonals of M, C and K, none negative; sizes of the user states."""

    M: Array
    C: Array
    K: Array
    x: Array


def sample_coordinates(model: Mechanism, drives: Program | None) -> Array:
    """The initial configuration and some near it."""
    rng = np.random.default_rng(1)
    q0 = start(model, drives)
    moves = [np.zeros(model.nv), *rng.uniform(-SPREAD, SPREAD, (SAMPLES, model.nv))]
    return retract(model, q0, moves)


def scales(parts: Residual, q: Array) -> Scales:
    """The scales of a system, from some configurations."""
    model = parts.model
    given = {"q": q, "qd": np.zeros(model.nv), "qdd": np.zeros(model.nv), "t": np.asarray(0.0)}
    found = parts.exact.evaluate_some(**given)
    M, C, K = (_diagonal(found[f"dtau_d{name}"]) for name in ("qdd", "qd", "q"))
    states = np.array([max(1.0, abs(state.initial)) for state in model.states.values()])
    floor = LEAST * M.max(initial=0.0) or 1.0
    return Scales(np.maximum(M, floor), C, K, states)


def start(model: Mechanism, drives: Program | None, q: Any = None, t: float = 0.0) -> Array:
    """Coordinates to begin with: given ones or the model's, driven ones at their laws."""
    out = model.initial() if q is None else np.array(q, dtype=float)
    if out.shape != (model.nq,) or not np.isfinite(out).all():
        raise ShapeError(f"expected {model.nq} finite numbers", element="q")
    if drives is not None:
        given = {"q": out, "t": np.asarray(t)}
        values = drives.evaluate_some(**given)["q"]
        names = list(model.coordinates)
        for name, value in zip(drives.output("q").labels, values, strict=True):
            out[names.index(name)] = value
    return out


def _diagonal(matrices: Array) -> Array:
    rows = np.abs(np.diagonal(matrices, axis1=-2, axis2=-1))
    finite = np.where(np.isfinite(rows), rows, 0.0)
    return np.asarray(np.atleast_2d(finite).max(axis=0))
