"""Initial states: what the user gives, completed and made consistent; what does not fit is told."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.analysis.consistent import assembled, consistent_velocities
from kinetree.analysis.dynamics import Dynamics
from kinetree.analysis.values import Values, given_values, unit_quaternions
from kinetree.errors import AssemblyError, ModelWarning

Array = NDArray[np.float64]
MOVED = 1e-6
"""Smallest correction of a value given by name that is told [rad, m, rad/s or m/s]."""
ROUGH = 1e-2
"""The same for a whole array, which may be rough where it depends on the rest."""


def initial_state(dynamics: Dynamics, t: float, q: Values, qd: Values, x: Values) -> Array:
    """The consistent state y at time t.

    Args:
        dynamics: of the model.
        t: time of drives and laws [s].
        q: coordinates; by default the model's initial ones.
        qd: velocities; by default zero.  Dependent ones follow from the independent ones.
        x: user states; by default their initial values.

    Raises:
        AssemblyError: where the loops do not close.
    """
    model = dynamics.model
    coordinates = given_values(q, model.initial(), model.coordinates, "q")
    coordinates = unit_quaternions(model, coordinates)
    velocities = given_values(qd, np.zeros(model.nv), model.velocities, "qd")
    states = given_values(x, initial_states(dynamics), dynamics.states, "x")
    if not dynamics.closed:
        return np.concatenate([coordinates, velocities, states])
    new_q = assembled(model, q, t, dynamics.parameters, dynamics.kept)
    new_qd = consistent_velocities(model, new_q, qd, t, dynamics.parameters)
    closed = dynamics.project(t, np.concatenate([new_q, new_qd, states]))
    if not np.isfinite(closed).all():
        raise AssemblyError(
            f"the loops do not close at t = {t:g} s",
            element=f"model '{model.name}'",
            cure="start nearer to a closed configuration, or choose other independent coordinates",
        )
    new_q, new_qd, _ = dynamics.split(closed)
    moved = [
        *_moved("q", _told(q, dynamics.kept), model.coordinates, coordinates, new_q),
        *_moved("qd", qd, model.velocities, velocities, new_qd),
    ]
    if moved:
        text = "the initial values do not satisfy the loops: " + ", ".join(moved)
        warnings.warn(text, ModelWarning, stacklevel=3)
    return closed


def initial_states(dynamics: Dynamics) -> Array:
    """Initial values of the user states."""
    known: dict[str, Any] = getattr(dynamics.model, "states", {})
    return np.array([float(known[name].initial) for name in dynamics.states], dtype=float)


def _told(q: Values, kept: Sequence[str]) -> Values:
    """Coordinates whose change is told: given ones, else those that shall be independent."""
    return dict.fromkeys(kept, 0.0) if q is None and kept else q


def _moved(what: str, given: Values, names: Sequence[str], old: Array, new: Array) -> list[str]:
    """Phrases for the given values that the loops change."""
    if given is None:
        return []
    by_name = isinstance(given, Mapping)
    limit = MOVED if by_name else ROUGH
    return [
        f"{what} of '{name}' is {b:.6g} instead of {a:.6g}"
        for name, a, b in zip(names, old, new, strict=True)
        if (not by_name or name in given) and abs(a - b) > limit * (1 + abs(a))
    ]


__all__ = ["initial_state", "initial_states"]
