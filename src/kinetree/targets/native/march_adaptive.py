"""Steps of a length that follows the error, in native code.

The function takes a state to the next one (see `march`); the length of the step is one of its
inputs.  The error of the coordinates in a step of the trapezoidal rule is about

    ε = h² |Δqdd|/(12 √n)

and steps are chosen so that the rate ε/h stays below a tolerance; it grows with h².  A step that is
not a number is tried again with a quarter of its length.  Steps end at the times of output.

Refs: Verlinden2005 eqs. 21, 22
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from kinetree.targets.native import jit
from kinetree.targets.native.cache import default_cache
from kinetree.targets.native.function import Function, address
from kinetree.targets.native.integrate_code import DECLARATIONS, INT, PTR, Code, Value
from kinetree.targets.native.march import DONE, FULL, LOST, RUNNING

Array = NDArray[np.float64]
ENTRY = "kt_march_adaptive"
CALL = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)
TABLE = (
    "f", "x", "c", "y", "n", "t_at", "h_at", "qdd_at", "nv", "clock", "times", "count", "cursor",
    "store", "log", "log_room", "log_rows", "accepted", "rejected",
)  # fmt: skip
CLOCK = ("t", "h", "longest", "shortest", "tolerance")
SAFETY, LEAST, MOST, RETREAT = 0.9, 0.2, 2.0, 0.25
"""Factors of the step control."""
ROWS = 4096
"""Steps that are noted between two visits of Python."""


class _Loop:
    """The loop being written."""

    def __init__(self) -> None:
        self.code = Code(ENTRY, INT, ((PTR, "table"), (INT, "budget")))

    def entry(self, name: str, kind: str = INT) -> Value:
        """An entry of the table."""
        return self.code.load(self.code.at(self.code.argument("table"), TABLE.index(name)), kind)

    def put(self, name: str, value: Value) -> None:
        """Change an entry of the table."""
        self.code.store(value, self.code.at(self.code.argument("table"), TABLE.index(name)))

    def clock(self, name: str) -> Value:
        """A number of the clock."""
        return self.code.load(self.code.at(self.entry("clock", PTR), CLOCK.index(name)))

    def set_clock(self, name: str, value: Value) -> None:
        """Change a number of the clock."""
        self.code.store(value, self.code.at(self.entry("clock", PTR), CLOCK.index(name)))

    def text(self) -> str:
        """The whole module."""
        self.code.each(self.code.argument("budget"), self._step)
        self.code.leave(RUNNING)
        return f"{DECLARATIONS}\n{self.code.text()}"

    def _step(self, index: Value) -> None:
        del index
        code, cursor = self.code, self.entry("cursor")
        with code.when(cursor >= self.entry("count")):
            code.leave(DONE)
        with code.when(self.entry("log_rows") >= self.entry("log_room")):
            code.leave(FULL)
        target = code.load(code.at(self.entry("times", PTR), cursor))
        t, h = self.clock("t"), self.clock("h")
        gap = target - t
        hits = h * 1.000001 >= gap
        halved = code.choose(h * 2.0 > gap, gap * 0.5, h)
        trial = code.choose(hits, gap, halved)
        self._call(t, trial)
        error = self._error(trial)
        good = error <= 1.0
        finite = error < float("inf")
        plain = SAFETY / code.unary("sqrt", code.larger(error, 1e-4))
        plain = code.choose(plain < LEAST, LEAST, code.choose(plain > MOST, MOST, plain))
        factor = code.choose(finite, plain, RETREAT)
        with code.when(good):
            self._accept(code.choose(hits, target, t + trial), trial, hits)
            kept = code.choose(hits, code.larger(trial * factor, h), trial * factor)
            longest = self.clock("longest")
            self.set_clock("h", code.choose(kept > longest, longest, kept))
        with code.when(good.negated()):
            self.put("rejected", self.entry("rejected") + 1)
            self.set_clock("h", trial * factor)
            with code.when(trial * factor < self.clock("shortest")):
                code.leave(LOST)

    def _call(self, t: Value, h: Value) -> None:
        code, x = self.code, self.entry("x", PTR)
        with code.when(self.entry("t_at") >= 0):
            code.store(t, code.at(x, self.entry("t_at")))
        code.store(h, code.at(x, self.entry("h_at")))
        code.call(self.entry("f", PTR), [self.entry(name, PTR) for name in ("x", "c", "y")])

    def _error(self, h: Value) -> Value:
        """(ε/h)/tolerance; not a number where the new state is not."""
        code, x, y = self.code, self.entry("x", PTR), self.entry("y", PTR)
        start, nv = self.entry("qdd_at"), self.entry("nv")

        def add(index: Value, sums: tuple[Value, ...]) -> list[Value]:
            place = start + index
            change = code.load(code.at(y, place)) - code.load(code.at(x, place))
            return [sums[0] + change * change]

        def probe(index: Value, sums: tuple[Value, ...]) -> list[Value]:
            return [sums[0] + code.load(code.at(y, index)) * 0.0]

        zero = code.constant(0.0)
        (total,) = code.fold(nv, [zero], add)
        (bad,) = code.fold(self.entry("n"), [zero], probe)
        size = code.unary("sqrt", total / code.real(nv))
        return h * size / 12.0 / self.clock("tolerance") + bad

    def _accept(self, t: Value, h: Value, hits: Value) -> None:
        code, n, y = self.code, self.entry("n"), self.entry("y", PTR)
        code.copy(y, self.entry("x", PTR), n)
        self.set_clock("t", t)
        self.put("accepted", self.entry("accepted") + 1)
        rows = self.entry("log_rows")
        log = code.at(self.entry("log", PTR), rows * 2)
        code.store(t, log)
        code.store(h, code.at(log, 1))
        self.put("log_rows", rows + 1)
        with code.when(hits):
            cursor = self.entry("cursor")
            code.copy(y, code.at(self.entry("store", PTR), cursor * n), n)
            self.put("cursor", cursor + 1)


@cache
def driver() -> jit.Library:
    """The compiled loop; one for all functions."""
    code = jit.object_code(_Loop().text(), "full", default_cache())
    return jit.link(code, (ENTRY,))


@dataclass(frozen=True)
class Control:
    """How steps are chosen.

    Attributes:
        tolerance: of the rate of the error, ε/h.
        first, longest, shortest: steps [s].
    """

    tolerance: float = 1e-6
    first: float = 1e-4
    longest: float = float("inf")
    shortest: float = 1e-8


class Adaptive:
    """A run with steps of its own choice, between its slices.

    Attributes:
        states: at the times of output, (times, components); the first is the start.
        steps: time at the end and length of every step, one row each.
        status: how the last slice ended.
    """

    def __init__(
        self, function: Function, size: int, x: Array, p: Array, times: Array, control: Control
    ) -> None:
        ports = {port.name: port for port in function.inputs}
        self._function, self.size = function, size
        self._x, self._y = np.array(x), np.zeros(function.sizes["y"])
        self._c = function.preamble_values(p)
        self._times = np.ascontiguousarray(times, dtype=np.float64)
        self.states = np.full((len(times), size), np.nan)
        self.states[0] = x[:size]
        self._clock = np.array(
            [times[0], control.first, control.longest, control.shortest, control.tolerance]
        )
        self._log = np.zeros((ROWS, 2))
        self._kept: list[Array] = []
        self.status = RUNNING
        rows = {
            "f": function.address, "x": address(self._x), "c": address(self._c),
            "y": address(self._y), "n": size, "t_at": ports["t"].start if "t" in ports else -1,
            "h_at": ports["h"].start, "qdd_at": ports["qdd"].start, "nv": ports["qdd"].size,
            "clock": address(self._clock), "times": address(self._times), "count": len(times),
            "cursor": 1, "store": address(self.states), "log": address(self._log),
            "log_room": ROWS,
        }  # fmt: skip
        self.table = np.zeros(len(TABLE), dtype=np.int64)
        for name, value in rows.items():
            self.table[TABLE.index(name)] = value
        self._library = driver()
        self._call = CALL(self._library.addresses[ENTRY])

    def __getitem__(self, name: str) -> int:
        """An entry of the table."""
        return int(self.table[TABLE.index(name)])

    @property
    def t(self) -> float:
        """Time reached [s]."""
        return float(self._clock[0])

    @property
    def last(self) -> Array:
        """State reached."""
        return self._x[: self.size].copy()

    @property
    def h(self) -> float:
        """Length of the step that was tried last or comes next [s]."""
        return float(self._clock[1])

    @property
    def steps(self) -> Array:
        """Time at the end and length of every step."""
        return np.concatenate([np.zeros((0, 2)), *self._kept])

    def advance(self, budget: int) -> bool:
        """Make at most that many trials; whether the run goes on."""
        if self.status == RUNNING:
            status = int(self._call(address(self.table), budget))
            self._kept.append(self._log[: self["log_rows"]].copy())
            self.table[TABLE.index("log_rows")] = 0
            self.status = RUNNING if status == FULL else status
        return self.status == RUNNING


__all__ = ["Adaptive", "Control"]
