"""The search for a state of rest: a damped Newton iteration, else accelerations downhill."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from kinetree.analysis.balance import tell_unrest
from kinetree.analysis.resting.equations import RestEquations, RestPlace
from kinetree.analysis.runs.progress import Share
from kinetree.arrays import Array
from kinetree.errors import RunError
from kinetree.solve.newton import Solution, damped_newton
from kinetree.solve.relaxation import relax

TOLERANCE = 1e-9
"""Largest acceleration at rest, relative to those at the start [rad/s2, m/s2 or 1/s]."""
ROUNDING = 64 * float(np.finfo(float).eps)
"""Accelerations of this share of their slopes are rounding of coordinates of the size 1."""
LOOSE = 1e-9
"""A coordinate whose largest slope is below this share of the others' is held by nothing."""
NUDGE = 0.05
"""Deviation from a start at which the iteration stalls, for a second attempt [rad or m]."""
PATIENCE = 15
"""Newton steps in which accelerations must be halved; else they are followed downhill."""
REACH = 1e3
"""How many times the need at the start an effort may grow in one step."""


def settle(task: RestEquations, first: RestPlace, share: Share | None = None) -> Solution:
    """A state of rest near a place; where there is none, the error tells what moves on.

    Args:
        task: unknowns and equations.
        first: where to begin.
        share: is told how far it is, as accelerations tell that get smaller.
    """
    share = share or Share()
    found = _search(task, first, share)
    if not found.converged:
        found = _nearer(found, _search(task, first, share, relaxed=True))
    if not found.converged:  # a start at which no small step helps is left aside
        nudge = np.zeros(len(task.columns) + len(first.x) + len(task.held) + len(task.freed))
        nudge[: len(task.columns)] = NUDGE * np.cos(1.0 + np.arange(len(task.columns)))
        found = _nearer(found, _search(task, task.move(first, nudge), share))
    if not found.converged:
        raise _failure(task, found)
    return found


def _search(
    task: RestEquations, first: RestPlace, share: Share, *, relaxed: bool = False
) -> Solution:
    """Newton's iteration with unknowns scaled to what a step of 1 may change.

    Args:
        task: unknowns and equations.
        first: where to begin.
        share: is told how far it is.
        relaxed: whether to follow the accelerations instead, with steps that become Newton's.
    """
    h, J = task.residuals(first)
    if task.held and np.isfinite(J).all():  # linear in the efforts: begin with the best ones
        k = len(task.columns) + len(first.x)
        tau = first.tau.copy()
        tau[list(task.held)] -= np.linalg.lstsq(J[:, k:], h, rcond=None)[0]
        first = replace(first, tau=tau)
        h, J = task.residuals(first)
    need = 1 + float(np.nan_to_num(np.abs(h)).max(initial=0.0))
    size = float(np.nan_to_num(np.abs(J)).max(initial=0.0))
    tolerance = max(TOLERANCE * need, ROUNDING * size)
    scale = np.ones(J.shape[1])
    others = slice(len(task.columns), None)
    effect = np.abs(np.nan_to_num(J[:, others])).max(axis=0, initial=0.0)
    scale[others] = np.where(effect > 0, REACH * need / np.where(effect > 0, effect, 1), 1.0)

    def function(at: RestPlace) -> tuple[Array, Array]:
        h, J = task.residuals(at)
        left = max(float(np.nan_to_num(np.abs(h), nan=need).max(initial=0.0)), tolerance)
        share.tell(1 - math.log(left / tolerance) / math.log(1 + need / tolerance))
        return h, J * scale

    def move(at: RestPlace, step: Array) -> RestPlace:
        return task.move(at, scale * step)

    if not relaxed:
        return damped_newton(function, first, move, tolerance=tolerance, patience=PATIENCE)
    near = relax(function, first, move, task.rates() * scale, tolerance=tolerance)
    found = damped_newton(function, near.x, move, tolerance=tolerance)  # to rounding
    return replace(found if found.converged else near, steps=near.steps + found.steps)


def _nearer(one: Solution, other: Solution) -> Solution:
    """That of two ends which is a solution, or nearer to one."""
    sizes = [
        float(np.abs(found.h).max(initial=0.0)) if np.isfinite(found.h).all() else np.inf
        for found in (one, other)
    ]
    return other if other.converged or sizes[1] < sizes[0] else one


def loose(task: RestEquations, at: RestPlace) -> list[str]:
    """Coordinates along which nothing changes the accelerations: nothing holds them."""
    J = task.residuals(at)[1][:, : len(task.columns)]
    if not (J.size and np.isfinite(J).all()):
        return []
    size = np.abs(J).max(axis=0)
    unheld = size <= LOOSE * size.max(initial=0.0)
    names = task.system.model.velocities
    return [names[k] for k, free in zip(task.columns, unheld, strict=True) if free]


def _failure(task: RestEquations, found: Solution) -> RunError:
    h = np.abs(found.h)
    if not np.isfinite(h).all():
        return RunError(
            f"'{task.names[int(np.argmin(np.isfinite(h)))]}' has no acceleration at the start",
            element=f"model '{task.system.model.name}'",
            cure="start where all laws are defined",
        )
    when = "at the nearest state" if found.stalled else f"after {found.steps} steps"
    at: RestPlace = found.x
    free = loose(task, at)
    listed = ", ".join(f"'{name}'" for name in free)
    held = f"nothing holds {listed}: lock them by locked=, or add what holds them"
    state = task.t, np.concatenate([at.q, np.zeros(task.system.nv), at.x])
    unrest = tell_unrest(task.system, *state, at.tau, dict(zip(task.names, h, strict=True)))
    return RunError(
        f"no equilibrium was found, {when} {unrest}",
        element=f"model '{task.system.model.name}'",
        cure=held if free else "start nearer to it, lock coordinates, or add what holds them",
    )
