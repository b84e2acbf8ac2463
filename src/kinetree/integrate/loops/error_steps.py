"""Steps of a length that follows the error, in native code.

The function takes a state to the next one (see `march`); the length of the step is one of its
inputs.  The error of the coordinates in a step of the trapezoidal rule is about

    ε = h² |Δqdd|/(12 √n)

and steps are chosen so that the rate ε/h stays below a tolerance; it grows with h².  User states
have no second rate: from two steps, h₀ and h, the third derivative is

    xddd ≈ 2 (s₁ - s₀)/(h₀ + h),     s = Δxd/h,     ε = h³ |xddd|/(12 √n), relative to |x| above 1

Where their rates have kinks, no step would be short enough; so below a millisecond ε itself is
held, as a rate over a millisecond.

Accelerations come from differences of coordinates; what rounding makes of them, δ/h², is no error:
a shorter step would only raise it.  A step that is not a number is tried again with a quarter of
its length.  Steps end at the times of output.

Refs: Verlinden2005 eqs. 21, 22
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.arguments import check_arguments, check_positive
from kinetree.arrays import Array
from kinetree.integrate.loops.equal_steps import DONE, FULL, LOST, RUNNING, StepLoop, count_place
from kinetree.targets.native.compile import jit
from kinetree.targets.native.function import Function, address
from kinetree.targets.native.llvm import PTR, Value

ENTRY = "kt_march_adaptive"
CALL = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)
TABLE = (
    "f", "x", "c", "y", "n", "t_at", "h_at", "qdd_at", "nv", "clock", "times", "count", "cursor",
    "store", "log", "log_room", "log_rows", "accepted", "rejected", "x_at", "xd_at", "nx", "bends",
    "count_at",
)  # fmt: skip
CLOCK = ("t", "h", "longest", "shortest", "tolerance", "before", "iterations", "most")
SAFETY, LEAST, MOST, RETREAT = 0.9, 0.2, 2.0, 0.25
"""Factors of the step control."""
NOISE = 1e-15
"""δ: rounding of coordinates that accelerations show, times h² [rad or m]."""
STATE_NOISE = 1e-13
"""Rounding of user states, alike."""
BRIEF = 1e-3
"""Length of a step below which the error of user states counts per step of this length [s]."""
ROWS = 4096
"""Steps that are noted between two visits of Python."""


class _Loop(StepLoop):
    """Steps by their error."""

    def __init__(self) -> None:
        super().__init__(ENTRY, TABLE)

    def clock(self, name: str) -> Value:
        """A number of the clock."""
        return self.code.load(self.code.at(self.entry("clock", PTR), CLOCK.index(name)))

    def set_clock(self, name: str, value: Value) -> None:
        """Change a number of the clock."""
        self.code.store(value, self.code.at(self.entry("clock", PTR), CLOCK.index(name)))

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
        with code.when(good.negate()):
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
        size = code.unary("sqrt", total / code.larger(code.real(nv), 1.0))
        motion = code.larger(h * size - NOISE / h, 0.0)
        rate = code.larger(motion, self._state_error(h))
        return rate / 12.0 / self.clock("tolerance") + bad

    def _state_error(self, h: Value) -> Value:
        """h² |xddd|/√n of the user states; zero in the first step."""
        code, before = self.code, self.clock("before")
        x, y, bends = (self.entry(name, PTR) for name in ("x", "y", "bends"))

        def add(index: Value, sums: tuple[Value, ...]) -> list[Value]:
            rate, value = self.entry("xd_at") + index, self.entry("x_at") + index
            now = (code.load(code.at(y, rate)) - code.load(code.at(x, rate))) / h
            size = code.larger(code.unary("fabs", code.load(code.at(x, value))), 1.0)
            change = (now - code.load(code.at(bends, index))) / size
            return [sums[0] + change * change]

        count = self.entry("nx")
        (total,) = code.fold(count, [code.constant(0.0)], add)
        size = code.unary("sqrt", total / code.larger(code.real(count), 1.0))
        found = h * h * size * 2.0 / (h + before)
        # short steps: the error of one of them, not its rate; so rates with kinks can be passed
        short = code.choose(h < BRIEF, h / BRIEF, 1.0)
        return code.choose(before > 0.0, code.larger(found * short - STATE_NOISE / h, 0.0), 0.0)

    def _accept(self, t: Value, h: Value, hits: Value) -> None:
        code, n, y = self.code, self.entry("n"), self.entry("y", PTR)
        self._bend(h)
        self._count_iterations()
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

    def _bend(self, h: Value) -> None:
        """Keep Δxd/h of the user states, and the length of the step."""
        code = self.code
        x, y, bends = (self.entry(name, PTR) for name in ("x", "y", "bends"))

        def keep(index: Value) -> None:
            place = self.entry("xd_at") + index
            change = code.load(code.at(y, place)) - code.load(code.at(x, place))
            code.store(change / h, code.at(bends, index))

        code.each(self.entry("nx"), keep)
        self.set_clock("before", h)

    def _count_iterations(self) -> None:
        """Add up the iterations of the step, where it tells them."""
        code, place = self.code, self.entry("count_at")
        with code.when(place >= 0):
            count = code.load(code.at(self.entry("y", PTR), place))
            self.set_clock("iterations", self.clock("iterations") + count)
            self.set_clock("most", code.larger(self.clock("most"), count))


@jit.one_library
def driver() -> jit.Library:
    """The compiled loop; one for all functions."""
    return jit.stored_text(_Loop().text(), (ENTRY,))


@dataclass(frozen=True)
class StepCode:
    """A step as native code `void f(const double* x, const double* c, double* y)`.

    Attributes:
        address: of f.
        c: its constants.
        size: of the state, at the front of x and of y.
        results: size of y.
        places: in x and y: t_at (-1: none), h_at, qdd_at and nv accelerations, x_at, xd_at and nx
            unknowns of first order; count_at, where y tells iterations (-1: nowhere).
        owner: keeps it alive.
    """

    address: int
    c: Array
    size: int
    results: int
    places: Mapping[str, int]
    owner: Any


def code_of(function: Function, size: int, p: Array) -> StepCode:
    """The code of a compiled step with its parameters set."""
    ports = {port.name: port for port in function.inputs}
    places = {
        "t_at": ports["t"].start if "t" in ports else -1, "h_at": ports["h"].start,
        "qdd_at": ports["qdd"].start, "nv": ports["qdd"].size, "count_at": count_place(function),
    }  # fmt: skip
    if "xd" in ports:
        x, xd = ports["x"], ports["xd"]
        places |= {"nx": xd.size, "xd_at": xd.start, "x_at": x.start}
    c, results = function.preamble_values(p), function.sizes["y"]
    return StepCode(function.address, c, size, results, places, function)


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

    def __post_init__(self) -> None:
        check_arguments(type(self), vars(self))
        values = {name: value for name, value in vars(self).items() if value != np.inf}
        check_positive("a positive number", **values)


class Adaptive:
    """A run with steps of its own choice, between its slices.

    Attributes:
        states: at the times of output, (times, components); the first is the start.
        steps: time at the end and length of every step, one row each.
        status: how the last slice ended.
    """

    def __init__(self, code: StepCode, x: Array, times: Array, control: Control) -> None:
        self._code, size = code, code.size
        self._x, self._y = np.array(x), np.zeros(code.results)
        self._times = np.ascontiguousarray(times, dtype=np.float64)
        self.states = np.full((len(times), size), np.nan)
        self.states[0] = x[:size]
        first = min(control.first, control.longest)
        own = [times[0], first, control.longest, control.shortest, control.tolerance]
        self._clock = np.array([*own, *[0.0] * (len(CLOCK) - len(own))])
        self._bends = np.zeros(max(1, code.places.get("nx", 0)))
        self._log = np.zeros((ROWS, 2))
        self._kept: list[Array] = []
        self.status = RUNNING
        rows = {
            "f": code.address, "x": address(self._x), "c": address(code.c),
            "y": address(self._y), "n": size, **code.places,
            "clock": address(self._clock), "times": address(self._times), "count": len(times),
            "cursor": 1, "store": address(self.states), "log": address(self._log),
            "log_room": ROWS, "bends": address(self._bends),
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
        return self._x[: self._code.size].copy()

    @property
    def h(self) -> float:
        """Length of the step that was tried last or comes next [s]."""
        return float(self._clock[1])

    @property
    def iterations(self) -> tuple[float, int]:
        """Iterations of Newton's method per step that was kept: mean and most."""
        return self._clock[6] / max(1, self["accepted"]), int(self._clock[7])

    @property
    def steps(self) -> Array:
        """Time at the end and length of every step."""
        return np.concatenate([np.zeros((0, 2)), *self._kept])

    @property
    def finished(self) -> bool:
        """Whether the run has ended."""
        return self.status != RUNNING

    def advance(self, budget: int) -> bool:
        """Make at most that many trials; whether the run goes on."""
        if not self.finished:
            status = int(self._call(address(self.table), budget))
            self._kept.append(self._log[: self["log_rows"]].copy())
            self.table[TABLE.index("log_rows")] = 0
            self.status = RUNNING if status == FULL else status
        return not self.finished
