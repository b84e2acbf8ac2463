"""The backward march of whole steps in machine code: a discrete adjoint of structural methods.

A step takes a state s to the next one; its reverse takes the bar of the next state to that of s,
and adds up the bars of everything else.  What measures look at adds its own bar on the way:

    λ ← (∂s₁/∂s)ᵀ λ + (∂e/∂s)ᵀ w,      p̄ ← p̄ + (∂s₁/∂p)ᵀ λ + (∂e/∂p)ᵀ w              Eq. (S11)

A list of actions, made before, says which states are kept and which are made anew, so that one call
goes from the end to the start however few are kept:

| action | from | to | step | count |
|---|---|---|---|---|
| ADVANCE | slot | slot | first | steps to make |
| BACK | slot of the first state before | - | first | steps, at most eight |
| LOOK | slot | - | number | - |

The reverse of a step is two functions: what the state before decides, for all steps of an action
side by side, one per lane, and the sweep of λ, step by step.  Of runs in lanes it is one, for all.

Refs: Griewank2008 ch. 3, 12
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.arrays import Array, Flags, Integers
from kinetree.integrate.loops.backward import ReverseKernel, SweptKernel, spread
from kinetree.integrate.loops.equal_steps import align, lane_code
from kinetree.targets.native.compile import jit
from kinetree.targets.native.function import Function, address
from kinetree.targets.native.lanes.packing import LANES
from kinetree.targets.native.llvm import DECLARATIONS, INT, PTR, Code, Value

ENTRY = "kt_back_steps"
KERNELS = ("step", "ahead", "reverse", "look")
PARTS = ("", "_c", "_x", "_y", "_w", "_t", "_bar")
TABLE = (
    "n", "bars", "clock", "slots", "lam", "sums", "weights", "width", "marks", "advances",
    *(f"{kernel}{part}" for kernel in KERNELS for part in PARTS),
)  # fmt: skip
"""Numbers and addresses: components of the state, other bars; start and step [s]; states kept; λ
and sums of the other bars; weights of the expressions, `width` per step, and which steps have any;
steps made anew.  Of every kernel: address, constants, arguments, results, room, the place of the
time among the arguments (-1 without one), and the address of the weights.  What comes ahead of the
reverse has rows of lanes.  Of runs in lanes every number of components counts them in all lanes."""
ADVANCE, BACK, LOOK = range(3)
COLUMNS = 5
"""Numbers of an action."""
CALL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)


class _Writer:
    """The function being written, for one run or for runs in lanes."""

    def __init__(self, lanes: int) -> None:
        self.lanes = lanes
        arguments = ((PTR, "table"), (PTR, "actions"), (INT, "count"))
        self.code = Code(ENTRY, "void", arguments)

    def entry(self, name: str, kind: str = PTR) -> Value:
        """An entry of the table."""
        code = self.code
        return code.load(code.at(code.argument("table"), TABLE.index(name)), kind)

    def text(self) -> str:
        """The whole of it: the actions one after another."""
        self.code.each(self.code.argument("count"), self._act)
        self.code.leave()
        return f"{DECLARATIONS}\n{self.code.text()}"

    def _act(self, index: Value) -> None:
        """One action."""
        code = self.code
        row = code.at(code.argument("actions"), index * COLUMNS)
        kind, source, target, step, count = (code.load(code.at(row, k), INT) for k in range(5))
        with code.when(kind.same(ADVANCE)):
            self._advance(self._slot(source), self._slot(target), step, count)
        with code.when(kind.same(LOOK)):
            self._look(self._slot(source), step)
        with code.when(kind.same(BACK)):
            if self.lanes == 1:
                self._go_ahead(source, step, count)

            def back(index: Value) -> None:
                number = count - index + (-1)
                self._back(source + number, step + number, number)
                self._look(self._slot(source + number), step + number)

            code.each(count, back)

    def _slot(self, number: Value) -> Value:
        return self.code.at(self.entry("slots"), number * self.entry("n", INT))

    def _advance(self, source: Value, target: Value, step: Value, count: Value) -> None:
        """Make steps anew."""
        code, x, y, n = self.code, self.entry("step_x"), self.entry("step_y"), self.entry("n", INT)
        code.copy(source, x, n)

        def one(k: Value) -> None:
            self._call("step", step + k)
            code.copy(y, x, n)
            made = code.at(self.entry("advances"), step + k)
            code.store(code.load(made, INT) + 1, made)

        code.each(count, one)
        code.copy(x, target, n)

    def _go_ahead(self, slot: Value, step: Value, count: Value) -> None:
        """What the states before some steps decide; lanes to spare repeat the last of them."""
        code, x, place = self.code, self.entry("ahead_x"), self.entry("ahead_t", INT)
        last = count + (-1)
        for lane in range(LANES):
            number = code.choose(last < lane, last, code.constant(lane, INT))
            spread(code, self._slot(slot + number), code.at(x, lane), self.entry("n", INT))
            with code.when(place >= 0):
                t = self._time(step + number)
                code.store(t, code.at(code.at(x, place), lane))
        code.call(self.entry("ahead"), [self.entry(f"ahead_{part}") for part in "xcyw"])

    def _back(self, slot: Value, step: Value, number: Value) -> None:
        """λ and sums before a step."""
        code, n, lam = self.code, self.entry("n", INT), self.entry("lam")
        code.copy(lam, self.entry("reverse_bar"), n)
        if self.lanes == 1:
            kept = code.at(self.entry("ahead_y"), number)
            given = self.entry("reverse_x"), kept, self.entry("reverse_y")
            code.call(self.entry("reverse"), given)
        else:
            code.copy(self._slot(slot), self.entry("reverse_x"), n)
            self._call("reverse", step)
        code.copy(self.entry("reverse_y"), lam, n)
        self._add(code.at(self.entry("reverse_y"), n), self.entry("sums"), self.entry("bars", INT))

    def _look(self, state: Value, step: Value) -> None:
        """What the expressions add to λ and to the sums."""
        code, n, width = self.code, self.entry("n", INT), self.entry("width", INT)
        with code.when(code.load(code.at(self.entry("marks"), step), INT).same(0).negate()):
            code.copy(state, self.entry("look_x"), n)
            weights = code.at(self.entry("weights"), step * width)
            code.copy(weights, self.entry("look_bar"), width)
            self._call("look", step)
            found = self.entry("look_y")
            self._add(found, self.entry("lam"), n)
            self._add(code.at(found, n), self.entry("sums"), self.entry("bars", INT))

    def _add(self, source: Value, target: Value, count: Value) -> None:
        """Add numbers to others."""
        code = self.code

        def some(i: Value, kind: str) -> None:
            place = code.at(target, i)
            code.store(code.load(place, kind) + code.load(code.at(source, i), kind), place)

        code.each_number(count, some)

    def _time(self, step: Value) -> Value:
        """The time at which a step begins [s]."""
        code, clock = self.code, self.entry("clock")
        return code.load(clock) + code.real(step) * code.load(code.at(clock, 1))

    def _call(self, kernel: str, step: Value) -> None:
        """Call a kernel at the time at which a step begins."""
        code, x, place = self.code, self.entry(f"{kernel}_x"), self.entry(f"{kernel}_t", INT)
        with code.when(place >= 0):
            t = self._time(step)
            for lane in range(self.lanes):
                code.store(t, code.at(code.at(x, place), lane))
        parts = ("x", "c", "y") if self.lanes == 1 else ("x", "c", "y", "w")
        code.call(self.entry(kernel), [self.entry(f"{kernel}_{part}") for part in parts])


@jit.one_library
def _library(lanes: int) -> jit.Library:
    """The compiled march; one for all steps."""
    return jit.stored_text(_Writer(lanes).text(), (ENTRY,))


@dataclass(frozen=True)
class LaneKernel:
    """A compiled function of a state, …, weights, for runs in lanes.

    Attributes:
        function: compiled; the state comes first among its arguments.
        x: its arguments, one column per lane; what does not change is entered.
        p: its parameters, one column, or one per lane.
        weights: name of the input with the weights; empty for steps themselves.
    """

    function: Function
    x: Array
    p: Array
    weights: str = ""

    @property
    def place(self) -> int:
        """Of the weights among the arguments."""
        ports = self.function.inputs
        return next((port.start for port in ports if port.name == self.weights), 0)


StepKernel = ReverseKernel | LaneKernel | SweptKernel
"""A function of steps: of a single run, of runs in lanes, the reverse in two of a single run."""


class StepsBack:
    """The steps of one leg of a run, or of runs in lanes, to be gone backwards.

    Attributes:
        lam: bars of the state where the march has come to.
        advances: how often each step was made anew.
    """

    def __init__(
        self, kernels: Mapping[str, StepKernel], slots: Array, clock: Array,
        looks: tuple[Array, Flags], bars: tuple[Array, Array],
    ) -> None:  # fmt: skip
        """A march that has not begun.

        Args:
            kernels: step, reverse and look; the state comes first in their arguments.
            slots: states kept, one row each, with room for those that are made anew; of runs in
                lanes all arrays have them as their last axis.
            clock: start and step [s].
            looks: ∂V/∂e, one row per state of the run, and which rows are not zero.
            bars: λ to begin with, and the sums of the other bars, which are added to.
        """
        (self.lam, sums), weights = bars, np.ascontiguousarray(looks[0])
        self.advances = np.zeros(len(weights), dtype=np.int64)
        self._held: list[Any] = [kernels]
        marks = np.asarray(looks[1], dtype=np.int64)
        arrays = {
            "clock": clock, "slots": slots, "lam": self.lam, "sums": sums, "weights": weights,
            "marks": marks, "advances": self.advances,
        }  # fmt: skip
        self._table = np.zeros(len(TABLE), dtype=np.int64)
        sizes = {"n": slots[0].size, "bars": sums.size, "width": weights[0].size}
        self._enter(sizes)
        self._enter({name: self._hold(array) for name, array in arrays.items()})
        for name, kernel in kernels.items():
            if isinstance(kernel, SweptKernel):
                self._enter_swept(kernel)
            elif isinstance(kernel, LaneKernel):
                self._enter_lanes(name, kernel)
            else:
                self._enter_kernel(name, kernel)
        self._call = CALL(_library(slots.shape[2] if slots.ndim > 2 else 1).addresses[ENTRY])

    def _hold(self, array: Any) -> int:
        self._held.append(array)
        return address(array)

    def _enter(self, rows: Mapping[str, int]) -> None:
        for name, value in rows.items():
            self._table[TABLE.index(name)] = value

    def _enter_kernel(self, name: str, kernel: ReverseKernel) -> None:
        function, (x, place) = kernel.function, kernel.arguments()
        time = next((port.start for port in function.inputs if port.name == "t"), -1)
        self._enter({
            name: function.address, f"{name}_x": self._hold(x), f"{name}_t": time,
            f"{name}_c": self._hold(function.preamble_values()),
            f"{name}_y": self._hold(np.zeros(function.sizes["y"])),
            f"{name}_bar": address(x[place:]),
        })  # fmt: skip

    def _enter_swept(self, kernel: SweptKernel) -> None:
        parts, (x, place) = kernel.parts, kernel.arguments()
        lanes, kept, work = kernel.rooms
        time = next((port.start * LANES for port in parts.given.inputs if port.name == "t"), -1)
        results = sum(port.size for port in parts.outputs)
        self._enter({
            "ahead": parts.sweep.ahead, "ahead_x": self._hold(lanes), "ahead_t": time,
            "ahead_c": self._hold(parts.constants()), "ahead_y": self._hold(kept),
            "ahead_w": self._hold(work),
            "reverse": parts.sweep.behind, "reverse_x": self._hold(x),
            "reverse_y": self._hold(np.zeros(results)), "reverse_bar": address(x[place:]),
        })  # fmt: skip

    def _enter_lanes(self, name: str, kernel: LaneKernel) -> None:
        function, lanes = kernel.function, kernel.x.shape[1]
        code, constants = lane_code(function, kernel.p)
        time = next((port.start * lanes for port in function.inputs if port.name == "t"), -1)
        x = align(kernel.x)
        self._held.append(code)
        self._enter({
            name: code.body, f"{name}_x": self._hold(x), f"{name}_t": time,
            f"{name}_c": self._hold(constants),
            f"{name}_y": self._hold(align(np.zeros((function.sizes["y"], lanes)))),
            f"{name}_w": self._hold(align(np.zeros((code.body_work + lanes, 1)))),
            f"{name}_bar": address(x[kernel.place :]),
        })  # fmt: skip

    def run(self, actions: Integers) -> None:
        """Take the actions, one row of integers each."""
        rows = np.ascontiguousarray(actions, dtype=np.int64)
        if len(rows):
            self._call(address(self._table), address(rows), len(rows))
