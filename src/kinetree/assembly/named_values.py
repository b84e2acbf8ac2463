"""Values that users give for q, qd or x: all in order, or some by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kinetree.arguments import is_finite, is_row, show
from kinetree.arrays import Array
from kinetree.errors import ModelError, ShapeError, unknown
from kinetree.model import gimbal_locks, quaternions
from kinetree.program.locks import refuse_locked

Values = Sequence[float] | Mapping[str, float] | Array | None
"""All values in order, or some by name."""

UNIT = 1e-3
"""Largest deviation from 1 of the length of a quaternion that is taken for rounding."""


def given_values(given: Values, default: Array, names: Sequence[str], element: str) -> Array:
    """All values: given in order, or the defaults with some replaced by name."""
    if given is None:
        return default.copy()
    if isinstance(given, Mapping):
        out = default.copy()
        for name, value in given.items():
            if name not in names:
                raise unknown("name", name, names, element)
            if not is_finite(value):
                raise ShapeError(
                    f"the value of '{name}' is {show(value)}",
                    element=element,
                    cure="give a finite number",
                )
            out[list(names).index(name)] = value
        return out
    if not is_row(given) or np.size(given) != default.size:
        raise ShapeError(
            f"it must be {default.size} finite numbers, but is {show(given)}", element=element
        )
    return np.array(given, dtype=float)


def unit_quaternions(model: Any, q: Array) -> Array:
    """q with its quaternions of unit length; refused where one is far from it."""
    out = q.copy()
    for first in quaternions(model):
        e = out[first : first + 4]
        size = float(np.linalg.norm(e))
        if abs(size - 1) > UNIT:
            raise ShapeError(
                f"the quaternion has length {size:g}",
                element=f"q of '{model.coordinates[first]}'",
                cure="give w, x, y, z with w² + x² + y² + z² = 1",
            )
        out[first : first + 4] = e / size
    return out


def refuse_gimbal_lock(model: Any, q: Array) -> None:
    """Refuse coordinates at which the mass matrix is singular; leading axes are a batch."""
    refuse_locked(gimbal_locks(model), model.coordinates, q, f"q of model '{model.name}'")


def refuse_unset(names: Sequence[str], states: Array) -> None:
    """Refuse modes that nobody has set; leading axes are a batch."""
    for k, name in enumerate(names):
        if np.isnan(states[..., k]).any():
            raise ModelError(
                "it has no value at the start",
                element=f"mode '{name}'",
                cure=f"give x={{'{name}': …}}, its initial=, or an event at the start that sets it",
            )


__all__ = [
    "Values", "given_values", "quaternions", "refuse_gimbal_lock", "refuse_unset",
    "unit_quaternions",
]  # fmt: skip
