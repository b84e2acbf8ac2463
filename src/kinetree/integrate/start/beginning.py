"""What is given at the start of runs: all values in order or some by name, with leading axes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kinetree.arguments import check_arrays
from kinetree.arrays import Array
from kinetree.errors import ShapeError, unknown


@dataclass(frozen=True)
class Beginning:
    """What is given at the start of a run; leading axes are a batch.

    Attributes:
        q, qd, x: coordinates, velocities, user states, all in order or some by name; None: the
            model's, zero, the model's.
        t: time [s].
        tau: generalised forces given.
        p: run-time parameters; None: the model's.
        wrenches: external wrenches by name.
        parameters: those that differ from the model's, by name.
        independent: names of the velocities that keep their values, and their coordinates'.
    """

    q: Any = None
    qd: Any = None
    x: Any = None
    t: float = 0.0
    tau: Any = None
    p: Any = None
    wrenches: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    independent: tuple[str, ...] = ()


@dataclass(frozen=True)
class Lanes:
    """Inputs and parameters of runs, one column each; the axes of the batch; q of the model."""

    x: Array
    p: Array
    batch: tuple[int, ...]
    q: Array


def rows_of(value: Any, default: Array, names: list[str], element: str) -> Array:
    """All values, given in order or some by name in place of the defaults; with leading axes."""
    if value is None:
        return default.copy()
    if isinstance(value, Mapping):
        lead = np.broadcast_shapes(*[np.shape(entry) for entry in value.values()])
        out = np.array(np.broadcast_to(default, (*lead, default.size)))
        for name, entry in value.items():
            if name not in names:
                raise unknown("name", name, names, element)
            out[..., names.index(name)] = entry
    else:
        check_arrays(**{element: value})
        out = np.array(value, dtype=float)
    if out.shape[-1:] != default.shape or not np.isfinite(out).all():
        raise ShapeError(f"expected {default.size} finite numbers", element=element)
    return out


def row_of(value: Any, lead: tuple[int, ...], number: int) -> Any:
    """What one run of a batch is given."""
    if value is None:
        return None
    if isinstance(value, Mapping):
        return {k: float(np.broadcast_to(x, lead).reshape(-1)[number]) for k, x in value.items()}
    array = np.asarray(value, dtype=float)
    return np.broadcast_to(array, (*lead, array.shape[-1])).reshape(-1, array.shape[-1])[number]


def lanes_of(value: Any, tail: int, lead: tuple[int, ...], numbers: Any) -> Any:
    """Rows of an array for some runs of a batch; what has no leading axes holds for all.

    Args:
        value: with the axes of the batch, or some of them, before its own.
        tail: how many axes are its own.
        lead: axes of the batch.
        numbers: of the runs, counted through all axes; a single one, or many.
    """
    if callable(value) or np.ndim(value) <= tail:
        return value
    array = np.asarray(value, dtype=float)
    own = array.shape[array.ndim - tail :]
    return np.broadcast_to(array, (*lead, *own)).reshape(-1, *own)[numbers]
