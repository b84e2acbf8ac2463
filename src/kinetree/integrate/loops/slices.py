"""A native run between its slices: the memory it works on, its tables of results."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinetree.arrays import Array
from kinetree.errors import ShapeError
from kinetree.integrate.loops.layout import (
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
    padded,
)
from kinetree.integrate.loops.native_problem import (
    Crossing,
    Fault,
    Kernel,
    Options,
    Run,
    System,
    output_times,
    start_state,
    tolerance,
)
from kinetree.targets.native.function import address

REASONS = {
    DONE: "end", NOT_FINITE: "not finite", TOO_MANY: "steps", TOO_SMALL: "step",
    TERMINAL: "event", RUNNING: "interrupted", FAILED: "failed",
}  # fmt: skip
EVENT_ROWS, STEP_ROWS = 256, 4096
"""Rows of the tables between two visits of Python."""


class Slices:
    """A run that native code advances slice by slice; methods derive from it.

    Attributes:
        system: the code that is integrated.
        times: output times [s].
        values: y at these, one row each, as far as reached.
        layout: what stands where in the state.
        state: all that changes from step to step, as one array.
        status: how the last slice ended.
    """

    def __init__(
        self, system: System, y0: Any, times: Any, options: Options, rows: int = 1
    ) -> None:
        self.system = system
        self.times = output_times(times)
        m = system.event.size if system.event else 0
        self.layout = Layout(system.size, m, rows)
        self.state = np.zeros(self.layout.size)
        self.status = RUNNING
        self.y[:] = start_state(y0, system.size)
        if not (options.step >= 0.0 and options.max_step > 0.0 and options.max_steps > 0):
            raise ShapeError("steps must be positive", element="options")
        self._make_tables(options)
        self._set_cells(options)
        self._set_tolerances(options)
        self.state[self.layout.event_vector("sense")] = system.senses
        self.state[self.layout.event_vector("terminal")][list(system.terminal)] = 1.0

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

    def restart(self, y: Any = None) -> None:
        """Go on after a terminal event, from another state if one is given."""
        if y is not None:
            self.y[:] = start_state(y, self.layout.n)
        self.status = RUNNING if self.t != self["end"] else DONE
        self._begin()

    def result(self) -> Run:
        """What was computed so far."""
        reached = int(self["cursor"])
        steps, rejected, evaluations, jacobians = self._counts()
        way = self["direction"]
        return Run(
            REASONS[self.status],
            self.times[:reached].copy(),
            self.values[:reached].copy(),
            self.t,
            self.y.copy(),
            steps,
            rejected,
            evaluations,
            tuple(sorted(self._crossings, key=lambda crossing: crossing.t * way)),
            np.concatenate(self._steps) if self._steps else None,
            self._stiff(),
            self._fault() if self.status == NOT_FINITE else None,
            jacobians,
            self._message(),
        )

    def _slice(self, budget: int) -> int:
        """Let native code work; how it ended."""
        raise NotImplementedError

    def _begin(self) -> None:
        """Prepare for going on from the present time and state."""
        raise NotImplementedError

    def _fault(self) -> Fault:
        """Where the derivative is not a number."""
        raise NotImplementedError

    def _counts(self) -> tuple[int, int, int, int]:
        """Steps accepted and rejected, evaluations of the derivatives and of the Jacobian."""
        return int(self["steps"]), int(self["rejected"]), int(self["evaluations"]), 0

    def _stiff(self) -> bool:
        return False

    def _message(self) -> str:
        return ""

    def _project(self) -> None:
        """Make the present state consistent."""
        if self.system.project is not None:
            self.y[:] = self.system.project.call(self.t, self.y)

    def _make_tables(self, options: Options) -> None:
        """Buffers for output, and the table of addresses."""
        n, m = self.layout.n, self.layout.events
        self.values = np.zeros((self.times.size, n))
        # one more than there are times: the loop looks at the next before it asks whether it exists
        self._all_times = np.append(self.times, np.inf)
        room = EVENT_ROWS + m if m else 0
        self._event_rows = np.zeros((room, n + 2))
        self._step_rows = np.zeros((STEP_ROWS if options.natural else 0, n + 1))
        self._crossings: list[Crossing] = []
        self._steps: list[Array] = []
        rows: dict[str, int] = {
            "n": n, "padded": padded(n), "padded_events": padded(m), "event_count": m,
            "event_table": address(self._event_rows), "event_room": room,
            "times": address(self._all_times), "time_count": self.times.size,
            "values": address(self.values), "step_table": address(self._step_rows),
            "step_room": len(self._step_rows),
        }  # fmt: skip
        self.table = np.zeros(len(TABLE), dtype=np.int64)
        self._enter(rows)
        system = self.system
        for name, kernel in (
            ("rates", system.rates), ("project", system.project), ("event", system.event),
            ("jacobian", system.jacobian),
        ):  # fmt: skip
            if kernel is not None:
                self._enter(_entries(name, kernel))

    def _enter(self, rows: dict[str, int]) -> None:
        """Set entries of the table."""
        for name, value in rows.items():
            self.table[TABLE.index(name)] = value

    def _set_cells(self, options: Options) -> None:
        t0, end = float(self.times[0]), float(self.times[-1])
        rows = {
            "t": t0, "t0": t0, "end": end, "direction": 1.0 if end > t0 else -1.0,
            "h_most": options.max_step, "most_steps": float(options.max_steps), "cursor": 1.0,
            "end_of_step": 1.0, "bad_index": -1.0,
        }  # fmt: skip
        for name, value in rows.items():
            self[name] = value
        self.state[self.layout.event_vector("root")] = 2.0

    def _set_tolerances(self, options: Options) -> None:
        n = self.layout.n
        for name, value, filler in (("rtol", options.rtol, 0.0), ("atol", options.atol, 1.0)):
            place = self.layout.vector(name)
            self.state[place.start : place.start + padded(n)] = filler
            self.state[place] = tolerance(value, n, name)
        rtol, atol = (self.state[self.layout.vector(name)] for name in ("rtol", "atol"))
        # below the rounding of y no step could ever pass
        np.maximum(rtol, 10 * np.finfo(float).eps, out=rtol)
        np.maximum(atol, np.finfo(float).tiny, out=atol)

    def _drain(self) -> None:
        """Take events and steps out of their tables."""
        for row in self._event_rows[: int(self["events"])]:
            self._crossings.append(Crossing(int(row[0]), float(row[1]), row[2:].copy()))
        self["events"] = 0.0
        if count := int(self["rows"]):
            self._steps.append(self._step_rows[:count].copy())
        self["rows"] = 0.0


def _entries(name: str, kernel: Kernel) -> dict[str, int]:
    """Entries of the table for a kernel."""
    return {
        name: kernel.address,
        f"{name}_x": address(kernel.x),
        f"{name}_c": address(kernel.c),
        f"{name}_y": address(kernel.y),
        f"{name}_at": kernel.place,
        f"{name}_t_at": kernel.t_at,
        f"{name}_y_at": kernel.y_at,
    }
