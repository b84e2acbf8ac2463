"""A native run between its slices: the memory it works on, its tables of results."""

from __future__ import annotations

import ctypes

import numpy as np

from kinetree.arrays import Array
from kinetree.integrate import problem as nouns
from kinetree.integrate.crossings import TINY
from kinetree.integrate.loops.layout import (
    CHATTERING,
    DONE,
    FAILED,
    FULL,
    NOT_FINITE,
    RUNNING,
    TABLE,
    TERMINAL,
    TOO_MANY,
    TOO_SMALL,
    Layout,
    pad,
)
from kinetree.integrate.loops.rows import PendingRows
from kinetree.integrate.problem import Changes, Hits, Kernel, Native, Path, Problem, Settings
from kinetree.targets.native.function import SINGLE, address

ENDS = {
    DONE: nouns.FINISHED, TERMINAL: nouns.EVENT, NOT_FINITE: nouns.NOT_A_NUMBER,
    TOO_SMALL: nouns.STEP_TOO_SMALL, TOO_MANY: nouns.TOO_MANY_STEPS,
    RUNNING: nouns.INTERRUPTED, FAILED: nouns.FAILED, CHATTERING: nouns.CHATTERING,
}  # fmt: skip
CALL = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
"""A loop of state, table and budget."""
EVENT_ROWS = 4096
"""Rows of the table of events between two visits of Python."""


class Bound:
    """A kernel with buffers of its own; x = [t, y, rest], then perhaps marks of events."""

    def __init__(self, kernel: Kernel, native: Native, n: int, size: int, marks: int = 0) -> None:
        self.address, self.c, self._owner = kernel.address, kernel.constants, native.owner
        self.x = np.concatenate([np.zeros(1 + n), native.rest, np.zeros(marks)])
        self.rest_end = 1 + n + len(native.rest)
        self.y = np.zeros(size)

    def call(self, t: float, y: Array) -> Array:
        """One evaluation from Python."""
        self.x[0], self.x[1 : 1 + y.size] = t, y
        SINGLE(self.address)(address(self.x), address(self.c), address(self.y))
        return self.y.copy()


class Slices:
    """A run that native code advances slice by slice; methods derive from it.

    Attributes:
        kernels: the code that is integrated: rates, and where there are any project, event,
            jacobian.
        rows: the output.
        layout: what stands where in the state.
        state: all that changes from step to step, as one array.
        status: how the last slice ended.
        held: numbers of the events on whose sides of zero laws are held.
        sides: these sides, 1 or -1.
    """

    def __init__(self, problem: Problem, native: Native, settings: Settings, rows: int = 1) -> None:
        n, m = problem.start.size, len(problem.watches) if native.watched else 0
        sizes = {"rates": n, "project": n, "event": m, "jacobian": n * n, "pace": 1}
        if native.columns is not None:
            sizes["jacobian"] = native.columns.rows.size
        given = (native.rates, native.project, native.watched, native.jacobian, native.pace)
        self.kernels = {
            name: Bound(kernel, native, n, sizes[name])
            for name, kernel in zip(sizes, given, strict=True)
            if kernel is not None
        }
        changes = native.changes
        if changes is not None:
            self.kernels["update"] = Bound(changes.kernel, native, n, n, changes.final.size)
        self.rows = PendingRows(
            problem.times,
            n,
            every_step=settings.every_step,
            judged=settings.judged or settings.ends,
        )
        self.layout = Layout(n, m, rows)
        self.state = np.zeros(self.layout.size)
        self.status = RUNNING
        self.y[:] = problem.start
        self._make_tables(m if changes is None else changes.final.size)
        self._enter_changes(changes)
        self._set_cells(settings)
        self._set_tolerances(settings)
        self._sides = problem.sides
        self.held = native.held if native.watched else ()
        self.sides = np.zeros(0)
        self._enter({"held": len(self.held)})
        watches = problem.watches[:m]
        self.state[self.layout.event_vector("sense")] = [row.direction for row in watches]
        self.state[self.layout.event_vector("terminal")] = [row.stops for row in watches]

    def __getitem__(self, name: str) -> float:
        """A scalar of the state."""
        return float(self.state[self.layout.cell(name)])

    def __setitem__(self, name: str, value: float) -> None:
        self.state[self.layout.cell(name)] = value

    @property
    def t(self) -> float:
        """Time reached [s]."""
        return self["t"]

    @property
    def y(self) -> Array:
        """State reached."""
        return self.state[self.layout.vector("y")]

    @property
    def finished(self) -> bool:
        """Whether the run has ended."""
        return self.status != RUNNING

    def advance(self, budget: int) -> bool:
        """Make at most that many trial steps; whether the run goes on."""
        if not self.finished:
            status = self._slice(budget)
            self._drain()
            # a full table has been emptied: go on with the next slice
            self.status = RUNNING if status == FULL else status
        return not self.finished

    def read_new(self) -> Path:
        """What was found since it was asked for last; the first row is the last one of then."""
        ends = self.rows.read_ends()
        t, y = self.rows.take(int(self["cursor"]))
        hits = self._found_hits()
        self._hits.clear()
        return Path(t, y, nouns.FINISHED, hits, sides=self.sides, ends=ends)

    def path(self) -> Path:
        """How it ended, with what was found since it was asked for last."""
        t, y = self.rows.read_new(int(self["cursor"]))
        bad_t, bad_y = self._fault() if self.status == NOT_FINITE else (None, None)
        ended = (ENDS[self.status], self._found_hits(), self.t, self.y.copy(), bad_t, bad_y)
        said = self._message()
        return Path(t, y, *ended, *self._counts(), said, self.sides, self.rows.read_ends())

    def _found_hits(self) -> Hits:
        """The events that were not taken yet."""
        return Hits.from_rows(np.vstack([self._event_rows[:0], *self._hits]))

    def known_sides(self) -> Array:
        """Values as good as zero on the side of every event that is known at the start; else 0."""
        none = np.zeros(self.layout.events)
        return none if self._sides is None else TINY * self._sides[: none.size]

    def _slice(self, budget: int) -> int:
        """Let native code work; how it ended."""
        raise NotImplementedError

    def _fault(self) -> tuple[float, Array]:
        """Time and state where the derivative is not a number."""
        raise NotImplementedError

    def _counts(self) -> tuple[int, int, int]:
        """Steps, evaluations of the derivatives and of the Jacobian."""
        raise NotImplementedError

    def _message(self) -> str:
        """What the method says itself."""
        raise NotImplementedError

    def _record_start(self) -> None:
        """Make the start consistent, and record it."""
        if "project" in self.kernels:
            self.y[:] = self.kernels["project"].call(self.t, self.y)
        self.rows.start(self.y)

    def _make_tables(self, events: int) -> None:
        """Buffers for so many events, and the table of addresses."""
        n, m = self.layout.n, self.layout.events
        self._held: list[Array] = []
        room = EVENT_ROWS + events if events else 0
        self._event_rows = np.zeros((room, n + 2))
        self._hits: list[Array] = []
        self.table = np.zeros(len(TABLE), dtype=np.int64)
        self._enter({
            "n": n, "padded": pad(n), "padded_events": pad(m), "event_count": m,
            "event_table": address(self._event_rows), "event_room": room, **self.rows.table(),
        })  # fmt: skip
        for name, kernel in self.kernels.items():
            buffers = {f"{name}_{part}": address(getattr(kernel, part)) for part in "xcy"}
            self._enter({name: kernel.address, **buffers})

    def _enter_changes(self, changes: Changes | None) -> None:
        """What events change: marks, ticks and which of them end the run."""
        ticks, count = np.full((1, 1), np.inf), self.layout.events
        self["crowd_t"] = -np.inf
        if changes is not None:
            timed, count = changes.final.size - count, changes.final.size
            self["instant"] = changes.instant
            final, sticking = changes.final.astype(float), changes.sticking.astype(float)
            ticks = np.vstack([changes.ticks.reshape(-1, 1 + timed), np.full(1 + timed, np.inf)])
            marks = address(self.kernels["update"].x[-count:])
            self._enter({"fired": marks, "final": address(final), "tick_events": timed})
            modes = np.append(changes.modes, np.full(self.layout.events - changes.modes.size, -1.0))
            self._enter({"sticking": address(sticking), "modes": address(modes)})
            self._held += [final, sticking, modes]
        self._held.append(ticks)
        self._enter({"all_events": count, "ticks": address(ticks)})

    def _enter(self, rows: dict[str, int]) -> None:
        """Set entries of the table."""
        for name, value in rows.items():
            self.table[TABLE.index(name)] = value

    def _set_cells(self, settings: Settings) -> None:
        t0, end = float(self.rows.times[0]), float(self.rows.times[-1])
        rows = {
            "t": t0, "t0": t0, "end": end, "h_most": settings.max_step,
            "most_steps": float(settings.max_steps), "cursor": 1.0, "end_of_step": 1.0,
            "bad_index": -1.0,
        }  # fmt: skip
        for name, value in rows.items():
            self[name] = value
        self.state[self.layout.event_vector("root")] = 2.0

    def _set_tolerances(self, settings: Settings) -> None:
        n = self.layout.n
        # below the rounding of y no step could ever pass
        rtol = np.full(n, max(settings.rtol, 10 * np.finfo(float).eps))
        atol = np.full(n, max(settings.atol, np.finfo(float).tiny))
        self["weighed"] = float(n if settings.controlled is None else settings.controlled)
        atol[int(self["weighed"]) :] = np.inf
        for name, value, filler in (("rtol", rtol, 0.0), ("atol", atol, 1.0)):
            place = self.layout.vector(name)
            self.state[place.start : place.start + pad(n)] = filler
            self.state[place] = value

    def _drain(self) -> None:
        """Take events and steps out of their tables."""
        if self["events"]:
            self._hits.append(self._event_rows[: int(self["events"])].copy())
        self["events"] = 0.0
        self.rows.add_steps(int(self["rows"]))
        self["rows"] = 0.0
