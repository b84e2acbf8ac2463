"""Tangents of a run in the lanes of one kernel: Y = [y, z, S₁, …] → der(Y), or the consistent Y.

The kernel gives values and their changes along one direction, which is among its inputs; in every
lane it has the same y and another tangent.  Around it stands a function of Y like any other, so
that all explicit methods and their events take it:

    [t, Y, rest] → lanes of (t, y, rest), of S, of the directions δp → values of lane 0, changes

Everything it works on is one block of memory, its constants, so that runs in several threads have
their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arrays import Array
from kinetree.targets.native.compile import jit
from kinetree.targets.native.function import address
from kinetree.targets.native.lanes.packing import LANES, LINE
from kinetree.targets.native.llvm import DECLARATIONS, INT, PTR, REAL, Code, Value

if TYPE_CHECKING:
    from kinetree.program import Program
    from kinetree.targets.kept import DerivedProgram
    from kinetree.targets.native.function import Function

ENTRY = "kt_tangent_lanes"
HEAD = ("f", "c", "x", "y", "w", "n", "rest", "given", "whole")
"""Numbers and addresses at the front of the block: the kernel with its constants, arguments,
results and room; components of y and of what follows Y; values that the kernel gives, components
of Y.  Behind them stands where the tangent of every lane begins in Y."""


def _text() -> str:
    """IR of `void kt_tangent_lanes(x, c, y)`: c is the block."""
    code = Code(ENTRY, "void", ((PTR, "x"), (PTR, "c"), (PTR, "y")))
    given, block, results = (code.argument(name) for name in ("x", "c", "y"))

    def entry(name: str, kind: str = INT) -> Value:
        return code.load(code.at(block, HEAD.index(name)), kind)

    lanes, found, Y = entry("x", PTR), entry("y", PTR), code.at(given, 1)
    n, rest, whole = (entry(name) for name in ("n", "rest", "whole"))

    _spread(code, given, lanes, n + 1)  # t, y
    _spread(code, code.at(Y, whole), code.at(lanes, (n + 1) * LANES), rest)
    starts = [code.load(code.at(block, len(HEAD) + lane), INT) for lane in range(LANES)]
    S = code.at(lanes, (n + rest + 1) * LANES)

    def enter(i: Value) -> None:
        row = code.at(S, i * LANES)
        for lane, start in enumerate(starts):
            code.store(code.load(code.at(Y, start + i)), code.at(row, lane))

    code.each(n, enter)
    code.call(entry("f", PTR), [lanes, entry("c", PTR), found, entry("w", PTR)])
    code.copy(Y, results, whole)
    values = entry("given")
    changes = code.at(found, values * LANES)

    def take(i: Value) -> None:
        code.store(code.load(code.at(found, i * LANES)), code.at(results, i))
        row = code.at(changes, i * LANES)
        for lane, start in enumerate(starts):
            code.store(code.load(code.at(row, lane), REAL), code.at(results, start + i))

    code.each(values, take)
    code.leave()
    return f"{DECLARATIONS}\n{code.text()}"


def _spread(code: Code, source: Value, target: Value, count: Value) -> None:
    """Numbers into rows, the same in every lane."""

    def one(i: Value) -> None:
        row = code.spread(code.load(code.at(source, i)), LANES)
        code.store(row, code.at(target, i * LANES), LINE)

    code.each(count, one)


@jit.one_library
def _library() -> jit.Library:
    """The function around the kernel; one for all of them."""
    return jit.stored_text(_text(), (ENTRY,))


@dataclass(frozen=True)
class LaneForm:
    """What a run with tangents in lanes calls.

    Attributes:
        along: of t, y, rest, y_dot, other changes: values, and their changes.
        name: of the values.
        seeds: of every other change, direction × component.
        width: components of y and of the integrals.
        directions: number of tangents, at most eight.
    """

    along: DerivedProgram
    name: str
    seeds: Mapping[str, Array]
    width: int
    directions: int

    @property
    def program(self) -> Program:
        """The Program of one lane."""
        return self.along.program

    @property
    def digest(self) -> str:
        """Of its code."""
        return self.along.digest

    @property
    def operations(self) -> int:
        """Of one lane."""
        return self.along.operations

    @cached_property
    def function(self) -> LaneFunction:
        """The same, compiled."""
        return LaneFunction(self, self.along.function)


@dataclass(frozen=True)
class LaneFunction:
    """A function of t, Y and what follows it, as native code and from Python."""

    form: LaneForm
    own: Function

    def with_values(self, parameters: Mapping[str, float]) -> LaneFunction:
        """The same with other values of parameters, by name."""
        return replace(self, own=self.own.with_values(parameters))

    @property
    def inputs(self) -> tuple[Any, ...]:
        """Inputs but the changes."""
        return tuple(p for p in self.own.inputs if not p.name.endswith("_dot"))

    @property
    def address(self) -> int:
        """Address of `void f(const double* x, const double* c, double* y)`."""
        return _library().addresses[ENTRY]

    @property
    def _size(self) -> int:
        """Components of y."""
        return next(port.size for port in self.own.inputs if port.name == "y")

    def __call__(self, *, check: bool, t: Any, y: Array, **rest: Any) -> dict[str, Array]:
        """The values and their changes behind each other, as Y is."""
        form, n = self.form, self._size
        rows = y[form.width :].reshape(form.directions, form.width)
        given: dict[str, Any] = {**form.seeds, **rest, "t": t, "y": y[:n], "y_dot": rows[:, :n]}
        found = self.own(check=check, **given)
        values, changes = found[form.name], found[f"{form.name}_dot"]
        whole, size = y.copy(), changes.shape[1]
        whole[:size] = values.reshape(-1, size)[0]
        whole[form.width :].reshape(rows.shape)[:, :size] = changes
        return {form.name: whole}

    def preamble_values(self) -> Array:
        """A new block to work on."""
        own, form, n = self.own, self.form, self._size
        kernel = own.kernels.batch()
        constants = own.preamble_values()
        head = len(HEAD) + LANES
        sizes = [LANES * own.sizes["x"], LANES * own.sizes["y"], kernel.body_work, len(constants)]
        places = np.cumsum([-(-size // LANES) * LANES for size in (head, *sizes)])
        room = np.zeros(int(places[-1]) + LANES)
        block = room[(-address(room) // 8) % LANES :]
        x, y, w, c = (address(block[int(place) :]) for place in places[:-1])
        block[places[3] : places[3] + len(constants)] = constants
        values = {
            "f": kernel.body, "c": c, "x": x, "y": y, "w": w, "n": n,
            "rest": self._rest, "given": own.outputs[0].size,
            "whole": form.width * (1 + form.directions),
        }  # fmt: skip
        lanes = [form.width * (1 + min(k, form.directions - 1)) for k in range(LANES)]
        block[:head].view(np.int64)[:] = [*(values[name] for name in HEAD), *lanes]
        self._seed(block[places[0] :][: sizes[0]].reshape(-1, LANES))
        return block

    @property
    def _rest(self) -> int:
        """Components of what follows Y among the variables."""
        return int(sum(p.size for p in self.inputs if not p.parameter)) - 1 - self._size

    def _seed(self, x: Array) -> None:
        """Enter the directions, one per lane; lanes to spare repeat the last one."""
        count = self.form.directions
        used = np.minimum(range(LANES), count - 1)
        for port in self.own.inputs:
            seeds = self.form.seeds.get(port.name)
            if seeds is not None:
                x[port.start : port.stop] = np.asarray(seeds).reshape(count, -1)[used].T
