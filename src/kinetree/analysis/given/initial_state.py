"""Initial states: what the user gives, completed and made consistent; what does not fit is told."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.runs.dynamics import Dynamics
from kinetree.analysis.runs.rivals import name_rivals
from kinetree.arrays import Array
from kinetree.assembly import (
    Loops,
    Values,
    Wish,
    changes,
    consistent_coordinates,
    consistent_velocities,
    given_values,
    refuse_gimbal_lock,
    refuse_unset,
    unit_quaternions,
)
from kinetree.errors import AssemblyError, ModelError, warn
from kinetree.forces.between.crushable import CRUSHABLE, is_open, memory, refuse_gain
from kinetree.integrate.start.deep import refuse_deep

if TYPE_CHECKING:
    from kinetree.model import Force

BEYOND = 1e-9
"""Gaps may be closed by this more than they can be, as rounding may do [m, rad]."""


def initial_state(
    dynamics: Dynamics, t: float, q: Values, qd: Values, x: Values, *, complete: bool = True
) -> Array:
    """The consistent state y at time t.

    Args:
        dynamics: of the model.
        t: time of drives and laws [s].
        q: coordinates; by default the model's initial ones.
        qd: velocities; by default zero.  Dependent ones follow from the independent ones.
        x: user states; by default their initial values.
        complete: whether every mode must have a value; else events at the start may set some.

    Raises:
        AssemblyError: where the loops do not close.
        ShapeError: at gimbal lock, where there are no accelerations.
    """
    model = dynamics.model
    states = given_states(dynamics, x)
    if complete:
        refuse_unset(dynamics.states, states)
    if dynamics.loops is None:
        first = given_values(q, model.initial(), model.coordinates, "q")
        rates = given_values(qd, np.zeros(model.nv), model.velocities, "qd")
        y = np.concatenate([unit_quaternions(model, first), rates, states])
    else:
        y = _close_loops(dynamics, dynamics.loops, Wish(q, qd, dynamics.kept, t), states)
    refuse_gimbal_lock(model, dynamics.split(y)[0])
    if dynamics.forward.gives("gap"):
        _refuse_beyond(dynamics, t, y)
    _refuse_crushed(dynamics, t, y)
    q, _, x = dynamics.split(y)
    refuse_deep(dynamics.model, q, t, x[: len(dynamics.model.states)], dynamics.parameters)
    return y


def _refuse_crushed(dynamics: Dynamics, t: float, y: Array) -> None:
    """Refuse a start at which a layer is crushed further than its memory says."""
    names = {memory(f.name): f for f in dynamics.model.forces.values() if f.kind == CRUSHABLE}
    if not names:
        return
    _refuse_gains(dynamics, names.values())
    x, found = dynamics.split(y)[2], dynamics.split(dynamics.project(t, y))[2]
    for name, before, now in zip(dynamics.states, x, found, strict=False):
        if name in names and now > before + BEYOND:
            raise ModelError(
                f"it starts crushed by {now:.3g} m",
                element=f"force '{names[name].name}'",
                cure=f"start with its places further apart, or give x={{'{name}': {now:.3g}}}",
            )


def _refuse_gains(dynamics: Dynamics, layers: Iterable[Force]) -> None:
    """Refuse values of parameters with which a layer would create energy."""
    rows = dynamics.model.parameters.values()
    values = {row.symbol: dynamics.parameters.get(row.name, row.value) for row in rows}
    for force in layers:
        if is_open(force.arguments):
            refuse_gain(force.arguments, f"force '{force.name}'", values)


def _refuse_beyond(dynamics: Dynamics, t: float, y: Array) -> None:
    """Refuse a start that stops do not allow."""
    gaps = dynamics.outputs(np.array([t]), y[None])["gap"][0]
    for label, gap in zip(dynamics.forward.output("gap").labels, gaps, strict=True):
        if gap < -BEYOND:
            raise ModelError(
                f"the start is beyond it by {-gap:.3g}",
                element=f"stop '{label}'",
                cure="start with other coordinates, or move the stop",
            )


def _close_loops(dynamics: Dynamics, system: Loops, wish: Wish, states: Array) -> Array:
    """The state on the loops; a warning tells which values had to change."""
    t = wish.t
    new_q = consistent_coordinates(system, wish)
    new_qd = consistent_velocities(system, new_q, wish)
    first = np.concatenate([new_q, new_qd, states])
    closed = dynamics.project(t, first)
    refuse_open(dynamics, t, closed, first)
    if moved := changes(system, wish, *dynamics.split(closed)[:2]):
        text = "the initial values do not satisfy the loops: " + ", ".join(moved)
        warn(text)
    return closed


def refuse_open(dynamics: Dynamics, t: float, y: Array, before: Array) -> None:
    """Refuse a start, as the loops left it and as it was before, at which they do not close."""
    if np.isfinite(y[: dynamics.nq + dynamics.nv]).all():
        return
    if why := name_rivals(dynamics, t, before):
        raise AssemblyError(why, element=f"model '{dynamics.model.name}'")
    raise AssemblyError(
        f"the loops do not close at t = {t:g} s",
        element=f"model '{dynamics.model.name}'",
        cure="start nearer to a closed configuration, or choose other independent coordinates",
    )


def given_states(dynamics: Dynamics, x: Values) -> Array:
    """User states, given or initial, and modes of switches, which are found when a run begins."""
    names = dynamics.states[: len(dynamics.model.states)]
    own = given_values(x, initial_states(dynamics), names, "x")
    return np.append(own, np.zeros(len(dynamics.states) - len(names)))


def initial_states(dynamics: Dynamics) -> Array:
    """Initial values of the user states."""
    known: dict[str, Any] = getattr(dynamics.model, "states", {})
    values = {name: float(state.initial) for name, state in known.items()}
    sorted_ones = getattr(dynamics.model, "equations", None)
    if dynamics.parameters and sorted_ones is not None and sorted_ones.begin is not None:
        begun = sorted_ones.begin.values(dynamics.parameters)
        values |= {name: begun[name] for name in values if name in begun}
    return np.array(list(values.values()), dtype=float)
