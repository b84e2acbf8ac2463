"""Nouns of time integration: the problem, how it shall be solved, the path that was found.

An ordinary differential equation der(y) = rates(t, y) with events g(t, y) = 0.  Every method is a
function (Problem, Settings) -> Path; it never raises for what happens on the way, but returns what
it has with the reason why it ended.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, overload

import numpy as np

from kinetree.arrays import Array

FINISHED = "finished"
EVENT = "event"
LATE = "late event"
NOT_A_NUMBER = "NaN"
STEP_TOO_SMALL = "step size underflow"
TOO_MANY_STEPS = "too many steps"
INTERRUPTED = "interrupted"
FAILED = "failed"
CHATTERING = "chattering"
NOT_SOLVED = "not solved"
"""Reasons for ending (field `end` of a Path).  An event is late where it takes effect at the end of
the step in which it happened: the last state of the path."""

ROUNDING = 1e-12
"""Share by which a quotient may miss a whole number."""


@dataclass(frozen=True)
class Watch:
    """An event: the sign of a component of `Problem.watched` changes.

    Attributes:
        name: for people.
        direction: 1 where g rises through zero, -1 where it falls, 0 for both.
        stops: whether the run ends there; else the event is only recorded.
        relation: g in words.
        law: whether laws change their branch there.
    """

    name: str
    direction: int = 0
    stops: bool = False
    relation: str = ""
    law: bool = False


@dataclass(frozen=True)
class Kernel:
    """Native code `void f(const double* in, const double* c, double* out)`: its address, and c."""

    address: int
    constants: Array


@dataclass(frozen=True)
class Changes:
    """What events change, as native code; in = [t, y, rest, fired], one mark per event.

    Attributes:
        kernel: y after the events whose mark is 1, before its projection.
        final: which events end the run: of the watches, then of those at given times.
        ticks: rows of a time [s], rising, and a mark per event at given times.
        instant: span [s] in which a crowd of events is chattering.
        sticking: which events are those of dry friction, whose modes settle at every event.
        modes: of every condition, the component of y that says on which side of zero it is, 1 above
            and 0 below, where it is that of a switch; else -1.
    """

    kernel: Kernel
    final: Array
    ticks: Array
    instant: float
    sticking: Array
    modes: Array = field(default_factory=lambda: np.zeros(0))


@dataclass(frozen=True)
class SparseColumns:
    """Where the entries of a sparse Jacobian stand, column by column.

    Attributes:
        starts: of every column its first entry, then their number.
        rows: of every entry.
    """

    starts: Array
    rows: Array


@dataclass(frozen=True)
class Native:
    """What is integrated, as native code; in = [t, y, rest].

    Attributes:
        rates: der(y).
        rest: inputs after y, constant during the run.
        owner: keeps the code alive.
        jacobian: d der(y)/dy, row-major; where it is sparse, its entries column by column.
        project: the consistent y; none where y always is.
        watched: values of all events.
        changes: what events change; none where nothing does, or Python shall see to it.
        columns: where the entries of the Jacobian stand; none where it is full.
        pace: the longest step from a state [s]; none where nothing bounds it.
        held: numbers of the events whose side of zero, 1 or -1, is told to all of these by the last
            inputs of `rest`; there are none where laws take their branch from the state.
        turns: whether rates see what `project` changes: quaternions.
    """

    rates: Kernel
    rest: Array
    owner: Any
    jacobian: Kernel | None = None
    project: Kernel | None = None
    watched: Kernel | None = None
    changes: Changes | None = None
    columns: SparseColumns | None = None
    pace: Kernel | None = None
    held: tuple[int, ...] = ()
    turns: bool = False


@dataclass(frozen=True)
class Problem:
    """der(y) = rates(t, y) from y(t0) = start.

    Attributes:
        rates: (t, y) -> der(y); not a number where it has no value.
        start: y at t0.
        times: output times, rising, from t0 to the end; the last one is the end of the run.
        jacobian: (t, y) -> d rates/dy, an array or a sparse matrix of SciPy; none where methods
            shall take differences.
        project: (t, y) -> the consistent y nearest to y; none where every y is consistent.
        watched: (t, y) -> values of all events; none where there are no events.
        watches: their names and directions.
        native: the same rates as machine code; none where a Python function takes part.
        sides: of events that are as good as zero at the start, the sign of the side they are on;
            0 or none where the side is the one they go to.
        memories: components of y that change at accepted steps alone, by `project`.
        pace: (t, y) -> the longest step from there [s]; none where nothing bounds it.
    """

    rates: Callable[[float, Array], Array]
    start: Array
    times: Array
    jacobian: Callable[[float, Array], Any] | None = None
    project: Callable[[float, Array], Array] | None = None
    watched: Callable[[float, Array], Array] | None = None
    watches: tuple[Watch, ...] = ()
    native: Native | None = None
    sides: Array | None = None
    memories: tuple[int, ...] = ()
    pace: Callable[[float, Array], float] | None = None


@dataclass(frozen=True)
class Settings:
    """How accurately, how long, how often to report.

    Attributes:
        rtol: error allowed per step, relative to y.
        atol: error allowed per step, absolute.
        max_steps: steps after which the run ends.
        max_step: longest step [s].
        every_step: record every step taken instead of `Problem.times`.
        ends: of native explicit methods: record the ends of all steps, too, in `Path.ends`.
        fixed_step: of native explicit methods: equal steps [s] in place of error control.
        report: called now and then with the time reached [s].
        sink: takes what was found while the method goes on: its rows (the first one is the last one
            taken before) and events; answers whether to go on.  The path at the end has the rest.
        controlled: of native explicit methods: number of components of y, from the first on, whose
            error counts; the others ride along.  None for all.
        traced: of native explicit methods: whether steps are differentiated: those that meet an
            event end there, and rates behind every projection of quaternions are made anew.
        judged: whether the sink looks at the ends of all steps (`Path.ends`), where the method has
            any to show, and shall see them before many more are made.
    """

    rtol: float = 1e-8
    atol: float = 1e-10
    max_steps: int = 1_000_000
    max_step: float = np.inf
    every_step: bool = False
    fixed_step: float | None = None
    report: Callable[[float], None] | None = None
    sink: Callable[[Path], bool] | None = None
    controlled: int | None = None
    traced: bool = False
    judged: bool = False
    ends: bool = False

    def equal_step(self, length: float) -> float:
        """The longest step that divides this length [s] and is not above `max_step`."""
        return length / max(1, math.ceil(length / self.max_step * (1 - ROUNDING)))


class Hit(NamedTuple):
    """An event that happened: number of the watch, time [s], y."""

    watch: int
    t: float
    y: Array


@dataclass(frozen=True)
class Hits(Sequence[Hit]):
    """Many events, in order of time: numbers of the watches, times [s], states, one row each."""

    watches: Array
    times: Array
    states: Array

    @classmethod
    def of(cls, hits: Sequence[Hit], size: int) -> Hits:
        """The events one by one as rows; states have that many components."""
        if isinstance(hits, Hits):
            return hits
        rows = [np.concatenate([[hit.watch, hit.t], hit.y]) for hit in hits]
        return cls.from_rows(np.array(rows, dtype=float).reshape(len(rows), 2 + size))

    @classmethod
    def from_rows(cls, rows: Array) -> Hits:
        """The same from rows of number, time, state."""
        rows = rows[np.argsort(rows[:, 1], kind="stable")]
        return cls(rows[:, 0], rows[:, 1], rows[:, 2:])

    def __len__(self) -> int:
        return len(self.times)

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> Hits: ...
    def __getitem__(self, index: int | slice) -> Hit | Hits:
        if isinstance(index, slice):
            return Hits(self.watches[index], self.times[index], self.states[index])
        return Hit(int(self.watches[index]), float(self.times[index]), self.states[index])


@dataclass(frozen=True)
class Path:
    """What was found.

    Attributes:
        t, y: output times and states, one row each.
        end: why it ended, one of the reasons above.
        hits: the events, in order of time.
        last_t, last_y: the last accepted state, also where it is no output.
        bad_t, bad_y: where the rates had no value, for `NOT_A_NUMBER`.
        steps, evaluations, jacobians: counts.
        message: what the method says itself.
        sides: of zero on which events were held (`Native.held`).
        ends: times and states at the ends of steps, the first one that of the rows, where these
            are recorded or judged.
    """

    t: Array
    y: Array
    end: str
    hits: Sequence[Hit] = ()
    last_t: float = 0.0
    last_y: Array = field(default_factory=lambda: np.zeros(0))
    bad_t: float | None = None
    bad_y: Array | None = None
    steps: int = 0
    evaluations: int = 0
    jacobians: int = 0
    message: str = ""
    sides: Array = field(default_factory=lambda: np.zeros(0))
    ends: tuple[Array, Array] | None = None


__all__ = [
    "CHATTERING", "EVENT", "FAILED", "FINISHED", "INTERRUPTED", "LATE", "NOT_A_NUMBER",
    "NOT_SOLVED", "STEP_TOO_SMALL", "TOO_MANY_STEPS", "Array", "Changes", "Hit", "Hits", "Kernel",
    "Native", "Path", "Problem", "Settings", "SparseColumns", "Watch",
]  # fmt: skip
