"""Runs: integration from a consistent state; independent coordinates change where necessary.

A closed system is integrated in independent coordinates.  Where these no longer determine the
others well, new ones are chosen at the state reached, and the run continues from there in a new
segment.

Refs: WehageHaug1982
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from kinetree.analysis.runs.dynamics import Dynamics
from kinetree.analysis.runs.events import Events, watched, watching
from kinetree.analysis.runs.repartition import degraded
from kinetree.arrays import Array
from kinetree.integrate.methods import Method, choose
from kinetree.integrate.problem import (
    EVENT,
    FINISHED,
    NOT_A_NUMBER,
    STEP_TOO_SMALL,
    Path,
    Problem,
    Settings,
    Watch,
)

Repartition = Callable[[Array, float], Dynamics | None]
"""(q, t) -> the dynamics in coordinates chosen there; None where the old ones are best."""
MULTISTEP = ("cvode_adams", "cvode_bdf")
"""Multistep methods: projecting between steps corrupts their history and shrinks the steps, so
states are projected only when they are recorded."""
SEGMENTS = 1000
"""Most segments of a run."""


@dataclass(frozen=True)
class RunOptions:
    """How a run is made.

    Attributes:
        method: name of the method.
        settings: tolerances and limits.
        events: what to watch.
        again: chooses new coordinates where the old ones degrade; None keeps them.
    """

    method: str
    settings: Settings
    events: Events | None = None
    again: Repartition | None = None


@dataclass(frozen=True)
class Segment:
    """A part of a run in one set of coordinates.

    Attributes:
        dynamics: in those coordinates.
        path: from where the part before ended.
        watches: the events of this part; laws may name their branches otherwise in another.
    """

    dynamics: Dynamics
    path: Path
    watches: tuple[Watch, ...] = ()


@dataclass(frozen=True)
class Run:
    """A run: segments one after the other, each beginning where the one before ended.

    Attributes:
        segments: in order of time.
        problem: of the last one.
        settings: tolerances and limits.
        method: as chosen.
        seconds: time spent integrating [s].
    """

    segments: tuple[Segment, ...]
    problem: Problem
    settings: Settings
    method: Method
    seconds: float

    @property
    def last(self) -> Segment:
        """Where the run ended."""
        return self.segments[-1]


def integrate(system: Dynamics, start: Array, times: Array, how: RunOptions) -> Run:
    """Integrate from a consistent state over the output times [s]."""
    found: list[Segment] = []
    seconds, left = 0.0, how.settings.max_steps
    while True:
        problem = as_problem(system, start, times, how)
        chosen = choose(how.method, problem)
        with np.errstate(all="ignore"):
            problem.rates(float(times[0]), start)  # compiled before the clock runs
        began = time.perf_counter()
        path = append_final_state(chosen.solve(problem, replace(how.settings, max_steps=left)))
        seconds += time.perf_counter() - began
        left -= path.steps
        turn = (
            _repartition_at(system, path, how.again) if len(found) < SEGMENTS and left > 0 else None
        )
        if turn is None:
            found.append(Segment(system, path, problem.watches))
            return Run(tuple(found), problem, how.settings, chosen, seconds)
        number, system_next = turn
        found.append(Segment(system, _until(path, number), problem.watches))
        t = float(path.t[number])
        start = system_next.project(t, system.project(t, path.y[number]))
        system, times = system_next, np.append(t, times[times > t])


def as_problem(system: Dynamics, start: Array, times: Array, how: RunOptions) -> Problem:
    """The problem that a method solves."""
    events = watched(system, how.events)
    stiff = how.method.lower() in ("cvode_bdf", "radau", "bdf", "lsoda")
    exact = stiff and system.exact_jacobian
    native = system.native(jacobian=exact, watched=events.function)
    if native is not None and how.method in MULTISTEP:
        native = replace(native, project=None)
    return Problem(
        system.rates,
        start,
        times,
        system.jacobian if exact and system.loads.constant else None,
        system.project if system.projects else None,
        watching(system, events.function),
        events.watches,
        native,
    )


def _repartition_at(
    system: Dynamics, path: Path, again: Repartition | None
) -> tuple[int, Dynamics] | None:
    """(number of the output, new dynamics) where the coordinates change; None where they do not."""
    if again is None or not system.explicit:
        return None
    number = degraded(system, path)
    if number is None and path.end in (NOT_A_NUMBER, STEP_TOO_SMALL):
        number = len(path.t) - 1
    if number is None or number == 0:
        return None
    t = float(path.t[number])
    q = system.split(system.project(t, path.y[number]))[0]
    if not np.isfinite(q).all():
        return None
    new = again(q, t)
    return None if new is None else (number, new)


def _until(path: Path, number: int) -> Path:
    """The path up to one of its outputs."""
    t = float(path.t[number])
    hits = tuple(hit for hit in path.hits if hit.t <= t)
    return replace(
        path, t=path.t[: number + 1], y=path.y[: number + 1], hits=hits, end=FINISHED, last_t=t
    )


def append_final_state(path: Path) -> Path:
    """The path with the last state reached, where a run ended between two output times."""
    t, y = path.last_t, path.last_y
    if path.end == EVENT:
        t, y = path.hits[-1].t, path.hits[-1].y
    if path.end == FINISHED or t <= path.t[-1] or not np.isfinite(y).all():
        return path
    return replace(path, t=np.append(path.t, t), y=np.vstack([path.y, y]))


__all__ = [
    "Repartition",
    "Run",
    "RunOptions",
    "Segment",
    "append_final_state",
    "as_problem",
    "integrate",
]
