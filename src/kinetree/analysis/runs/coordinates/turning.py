"""Where a run goes on in other independent coordinates, because those in use have become bad."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from kinetree.analysis.runs.dynamics import Dynamics
from kinetree.arrays import Array
from kinetree.integrate.problem import FINISHED, NOT_A_NUMBER, STEP_TOO_SMALL, Path
from kinetree.model.outputs.variables import Choosing

Repartition = Callable[[Array, float], Dynamics | None]
"""(q, t) -> the dynamics in coordinates chosen there; None where the old ones are best.

Of connected components it is the states x by which others are chosen."""


def place(system: Dynamics, y: Array) -> Array:
    """What a choice of coordinates depends on: q, or x of connected components."""
    return system.split(y)[0 if system.model.equations is None else 2]


def _choice(system: Dynamics) -> Choosing | None:
    own = system.model.equations
    return None if own is None else own.choice


def _first_bad_output(system: Dynamics, path: Path, begin: float) -> int | None:
    """Number of the first output, after the beginning, at which the choice is bad; none if good."""
    if (choice := _choice(system)) is not None:
        bad = choice.bad(path.t, place(system, path.y), system.parameters)
    else:
        bad = system.judge(begin).bad(path.t, place(system, path.y))
    bad[0] = False
    return int(np.argmax(bad)) if bad.any() else None


@dataclass(frozen=True)
class Better:
    """Time [s] and state from which a run goes on in other coordinates, and its dynamics there."""

    t: float
    y: Array
    system: Dynamics


def better_choice(
    system: Dynamics, path: Path, again: Repartition | None, begin: float
) -> Better | None:
    """Where the coordinates change, and what they become; None where they do not."""
    if again is None or not (system.explicit or _choice(system)):
        return None
    number = _first_bad_output(system, path, begin)
    if number is None and path.end in (NOT_A_NUMBER, STEP_TOO_SMALL):
        number = len(path.t) - 1
    if not number:
        return None
    # errors grow towards a bad output: the one before is better, where another choice is
    return _from_row(system, path, number - 1, again) or _from_row(system, path, number, again)


def _from_row(system: Dynamics, path: Path, row: int, again: Repartition) -> Better | None:
    """Other coordinates from a row of a path on; None where those at hand are best there."""
    t = float(path.t[row])
    y = system.project(t, path.y[row])
    q = place(system, y)
    new = again(q, t) if np.isfinite(q).all() else None
    return None if new is None else Better(t, new.project(t, y), new)


def until(path: Path, t: float) -> Path:
    """The path up to a time [s]."""
    rows, hits = path.t <= t, tuple(hit for hit in path.hits if hit.t <= t)
    return replace(path, t=path.t[rows], y=path.y[rows], hits=hits, end=FINISHED, last_t=t)
