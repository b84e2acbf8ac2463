"""Many steps of a Program that takes a state to the next one, in native code.

The function reads its state from the front of its inputs and writes the next state to the front of
its results.  One call makes a bounded number of steps, with no Python between them, and keeps every
k-th state; the caller may look at signals, show progress and go on.  Eight runs can go side by
side, one per lane; a lane whose state is not a number any more stays so.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.arrays import Array
from kinetree.steppers.family import COUNT
from kinetree.targets.native.compile import jit
from kinetree.targets.native.compile.kernels import BatchKernel
from kinetree.targets.native.function import Function, address
from kinetree.targets.native.lanes.packing import LANES
from kinetree.targets.native.llvm import DECLARATIONS, INT, PTR, REAL, VEC, Code, Value
from kinetree.targets.native.llvm import LANES as WIDTH

ENTRY = "kt_march"
CALL = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)
TABLE = (
    "f", "x", "c", "y", "w", "n", "lanes", "t_at", "clock", "step", "last", "every", "rows",
    "room", "store", "series", "series_at", "series_size", "count_at", "counts",
)  # fmt: skip
"""Entries of the table: addresses, places and counts.

f is the function with x, c, y and, for several lanes, w; n doubles make the state of all lanes;
clock holds the start and the step [s]; `step` steps are done of `last`; `rows` states of at most
`room` are stored; `series` are values of one input, one row per step; `counts` are the iterations
of all steps together and the most of one, per lane, that the function tells at `count_at`.
"""
RUNNING, DONE, FULL, LOST = 0, 1, 2, 3
"""How a call ends: budget used up, last step made, store full, no lane left with numbers."""


class StepLoop:
    """A loop over steps being written; it finds what it works on in a table."""

    def __init__(self, name: str, table: tuple[str, ...]) -> None:
        self.table = table
        self.code = Code(name, INT, ((PTR, "table"), (INT, "budget")))

    def entry(self, name: str, kind: str = INT) -> Value:
        """An entry of the table."""
        return self.code.load(
            self.code.at(self.code.argument("table"), self.table.index(name)), kind
        )

    def put(self, name: str, value: Value) -> None:
        """Change an entry of the table."""
        self.code.store(value, self.code.at(self.code.argument("table"), self.table.index(name)))

    def text(self) -> str:
        """The whole module."""
        self.code.each(self.code.argument("budget"), self._step)
        self.code.leave(RUNNING)
        return f"{DECLARATIONS}\n{self.code.text()}"

    def _step(self, index: Value) -> None:
        """Write one step."""
        raise NotImplementedError


class _March(StepLoop):
    """Steps of equal length."""

    def __init__(self, lanes: int) -> None:
        super().__init__(ENTRY, TABLE)
        self.lanes = lanes

    def _step(self, index: Value) -> None:
        del index
        code, step = self.code, self.entry("step")
        with code.when(step >= self.entry("last")):
            code.leave(DONE)
        with code.when(self.entry("rows") >= self.entry("room")):
            code.leave(FULL)
        self._set_time(step)
        self._set_series(step)
        names = ("x", "c", "y") if self.lanes == 1 else ("x", "c", "y", "w")
        code.call(self.entry("f", PTR), [self.entry(name, PTR) for name in names])
        good = self._good()
        with code.when(good.same(0.0)):
            code.leave(LOST)
        n, y = self.entry("n"), self.entry("y", PTR)
        code.copy(y, self.entry("x", PTR), n)
        self._count_iterations(y)
        following = step + 1
        self.put("step", following)
        with code.when((following % self.entry("every")).same(0)):
            rows = self.entry("rows")
            code.copy(y, code.at(self.entry("store", PTR), rows * n), n)
            self.put("rows", rows + 1)

    def _count_iterations(self, y: Value) -> None:
        """Add up the iterations of the step; a lane that is lost adds nothing."""
        code, place, counts = self.code, self.entry("count_at"), self.entry("counts", PTR)
        with code.when(place >= 0):
            for lane in range(self.lanes):
                found = code.load(code.at(code.at(y, place), lane))
                count = code.choose(found >= 0.0, found, 0.0)
                total, most = code.at(counts, lane), code.at(counts, self.lanes + lane)
                code.store(code.load(total) + count, total)
                code.store(code.larger(code.load(most), count), most)

    def _set_time(self, step: Value) -> None:
        """t = t₀ + step·h in all lanes, where the function wants it."""
        code, place = self.code, self.entry("t_at")
        with code.when(place >= 0):
            clock = self.entry("clock", PTR)
            t = code.load(clock) + code.real(step) * code.load(code.at(clock, 1))
            at = code.at(self.entry("x", PTR), place)
            for lane in range(self.lanes):
                code.store(t, code.at(at, lane))

    def _set_series(self, step: Value) -> None:
        """The row of the series that belongs to the step."""
        code, size = self.code, self.entry("series_size")
        with code.when(size > 0):
            row = code.at(self.entry("series", PTR), step * size)
            code.copy(row, code.at(self.entry("x", PTR), self.entry("series_at")), size)

    def _good(self) -> Value:
        """How many lanes hold numbers alone: zero times anything else is not a number."""
        code, y, n = self.code, self.entry("y", PTR), self.entry("n")
        kind, starts = (REAL, (0,)) if self.lanes == 1 else (VEC, range(0, self.lanes, WIDTH))
        count = code.emit(INT, f"sdiv i64 {n.text}, {self.lanes}")
        zero = code.constant(0.0, kind)

        def add(index: Value, sums: tuple[Value, ...]) -> list[Value]:
            row = code.at(y, index * self.lanes)
            parts = [code.load(code.at(row, start), kind) for start in starts]
            return [s + part * zero for s, part in zip(sums, parts, strict=True)]

        sums = code.fold(count, [zero for _ in starts], add)
        if self.lanes > 1:
            sums = tuple(
                code.emit(REAL, f"extractelement {VEC} {part.text}, i32 {i}")
                for part in sums
                for i in range(WIDTH)
            )
        good = code.constant(0.0)
        for total in sums:
            good = good + code.choose(total.same(0.0), 1.0, 0.0)
        return good


@jit.one_library
def driver(lanes: int) -> jit.Library:
    """The compiled loop; one for all functions."""
    return jit.stored_text(_March(lanes).text(), (ENTRY,))


@dataclass(frozen=True)
class Start:
    """Where a march begins.

    Attributes:
        x: variable inputs of the function, one row per component, one column per lane.
        p: parameters alike; one column where all lanes share them.
        t0: time [s].
        h: step [s].
        steps: how many.
        every: states kept: every k-th.
        series: values of one input, (steps, components); or None.
        series_at: place of that input among the variables.
        done: steps that were made before; time and series go on behind them.
    """

    x: Array
    p: Array
    t0: float
    h: float
    steps: int
    every: int = 1
    series: Array | None = None
    series_at: int = 0
    done: int = 0


class March:
    """A march between its slices: one run, or eight side by side.

    Attributes:
        states: kept states, (rows, components, lanes); the first row is the start.
        status: how the last slice ended.
        counts: iterations of all steps together, and the most of one; one column per lane.
    """

    def __init__(self, function: Function, size: int, start: Start) -> None:
        lanes = start.x.shape[1]
        assert lanes in (1, LANES)
        self.lanes, self.size, self._function = lanes, size, function
        self._x = align(start.x)
        self._y = align(np.zeros((function.sizes["y"], lanes)))
        kept = start.steps // start.every - start.done // start.every + 1
        self.states = np.full((kept, size, lanes), np.nan)
        self.states[0] = start.x[:size]
        self._clock = np.array([start.t0, start.h])
        self._series = self._spread(start)
        self.counts = np.zeros((2, lanes))
        self.status = RUNNING
        self.table = np.zeros(len(TABLE), dtype=np.int64)
        code, work = self._code(start)
        self._work = align(np.zeros((work + 8, 1)))
        t_at = next((p.start * lanes for p in function.inputs if p.name == "t"), -1)
        rows = {
            "f": code, "x": address(self._x), "c": address(self._c), "y": address(self._y),
            "w": address(self._work), "n": size * lanes, "lanes": lanes, "t_at": t_at,
            "step": start.done,
            "clock": address(self._clock), "last": start.steps, "every": start.every,
            "room": len(self.states) - 1, "store": address(self.states[1:]),
            "series": address(self._series), "series_at": start.series_at * lanes,
            "series_size": self._series.shape[1] if self._series.size else 0,
            "count_at": place * lanes if (place := count_place(function)) >= 0 else -1,
            "counts": address(self.counts),
        }  # fmt: skip
        for name, value in rows.items():
            self.table[TABLE.index(name)] = value
        # the store is never full before the last step that is kept
        self.table[TABLE.index("room")] += 1
        self._library = driver(lanes)
        self._call = CALL(self._library.addresses[ENTRY])

    def _code(self, start: Start) -> tuple[int, int]:
        """Address of the function and its work space; sets the constants."""
        function = self._function
        if self.lanes == 1:
            self._c = function.preamble_values(start.p[:, 0])
            return function.address, 0
        self._kernel, self._c = lane_code(function, start.p)
        return self._kernel.body, self._kernel.body_work

    def _spread(self, start: Start) -> Array:
        if start.series is None:
            return np.zeros((0, 0))
        return np.ascontiguousarray(np.repeat(start.series, self.lanes, axis=1))

    @property
    def step(self) -> int:
        """Steps made."""
        return int(self.table[TABLE.index("step")])

    @property
    def rows(self) -> int:
        """States kept, the start included."""
        return 1 + int(self.table[TABLE.index("rows")])

    @property
    def last(self) -> Array:
        """The state that was reached, (components, lanes)."""
        return self._x[: self.size].copy()

    @property
    def t(self) -> float:
        """Time reached [s]."""
        return float(self._clock[0] + self.step * self._clock[1])

    @property
    def finished(self) -> bool:
        """Whether the march has ended."""
        return self.status != RUNNING

    def advance(self, budget: int) -> bool:
        """Make at most that many steps; whether the march goes on."""
        if not self.finished:
            self.status = int(self._call(address(self.table), budget))
        return not self.finished


def lane_code(function: Function, p: Array) -> tuple[BatchKernel, Array]:
    """Code of a function for eight lanes, and its constants: for all of them, or one column each.

    Args:
        function: compiled.
        p: all its parameters, one column, or one per lane.
    """
    apart = p.shape[1] > 1
    columns = [function.preamble_values(np.ascontiguousarray(column)) for column in p.T]
    constants = align(np.stack(columns, axis=1)) if apart else columns[0]
    return function.kernels.batch(constant_lanes=apart), constants


def count_place(function: Function) -> int:
    """Where a function tells its iterations among its results; -1 where it does not."""
    return next((port.start for port in function.outputs if port.name == COUNT), -1)


def align(values: Any) -> Array:
    """A copy whose data begins at a multiple of 64 bytes."""
    rows = np.ascontiguousarray(values, dtype=np.float64)
    room = np.empty(rows.size + 8)
    skip = (-address(room) // 8) % 8
    out = room[skip : skip + rows.size].reshape(rows.shape)
    out[...] = rows
    return out
