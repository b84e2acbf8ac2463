"""Tangents of a run in the lanes of one kernel: Y = [y, z, S₁, …] → der(Y), or what follows Y.

The kernel gives values and their changes along one direction, which is among its inputs.  What it
makes of y alone is made once; the changes are made in lanes, each with a tangent of its own.
Around it stands a function of Y like any other, so that all explicit methods and their events take
it, and so do equal steps:

    [head, Y, rest] → shared(head, y, rest) → lanes of S, of the directions δp → values, changes

Values may come from a function of their own, the one of a run without tangents: what they are then
hangs on no tangent, to the last bit, and so do the steps that errors choose.

Everything it works on is one block of memory, its constants, so that runs in several threads have
their own.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arrays import Array
from kinetree.targets.kept import DOT
from kinetree.targets.native.compile import jit
from kinetree.targets.native.function import SINGLE, address
from kinetree.targets.native.lanes.packing import LANES
from kinetree.targets.native.llvm import DECLARATIONS, INT, PTR, REAL, Code, Value

if TYPE_CHECKING:
    from kinetree.program import Program
    from kinetree.targets.kept import DerivedProgram
    from kinetree.targets.native.function import Function
    from kinetree.targets.native.lanes.apart import LanesApart
    from kinetree.targets.native.ports import Port

ENTRY = "kt_tangent_lanes"
HEAD = (
    "shared", "c", "one", "u", "f", "x", "y", "w", "plain", "plain_c", "plain_x", "plain_y",
    "head", "n", "rest", "given", "whole", "width",
)  # fmt: skip
COUNTS = HEAD.index("head")
"""Numbers and addresses at the front of the block: the function of what lanes share with its
constants, arguments, results; the kernel with its arguments, results and room; the function of the
values alone, 0 where there is none, with its constants, arguments, results; inputs before Y,
components of y and of what follows Y; values that the kernel gives, components of Y, and of y with
the integrals.  Behind them stands where the tangent of every lane begins in Y."""


def _text() -> str:
    """IR of `void kt_tangent_lanes(x, c, y)`: c is the block."""
    code = Code(ENTRY, "void", ((PTR, "x"), (PTR, "c"), (PTR, "y")))
    given, block, results = map(code.argument, ("x", "c", "y"))
    head, n, rest, values, whole, width = (
        code.load(code.at(block, k), INT) for k in range(COUNTS, len(HEAD))
    )
    shared, c, one, u, f, lanes, found, w, *plain = (
        code.load(code.at(block, k), PTR) for k in range(COUNTS)
    )
    Y, rests = code.at(given, head), code.at(given, head + whole)

    code.copy(given, one, head + n)
    code.copy(rests, code.at(one, head + n), rest)
    code.call(shared, [one, c, u])
    starts = [code.load(code.at(block, len(HEAD) + lane), INT) for lane in range(LANES)]
    S = code.at(lanes, (head + n + rest) * LANES)

    def enter(i: Value) -> None:
        row = code.at(S, i * LANES)
        for lane, start in enumerate(starts):
            code.store(code.load(code.at(Y, start + i)), code.at(row, lane))

    code.each(n, enter)
    code.call(f, [lanes, u, found, w])
    code.copy(Y, results, whole)
    changes = code.at(found, values * LANES)

    def take(i: Value) -> None:
        code.store(code.load(code.at(found, i * LANES)), code.at(results, i))
        row = code.at(changes, i * LANES)
        for lane, start in enumerate(starts):
            code.store(code.load(code.at(row, lane), REAL), code.at(results, start + i))

    code.each(values, take)
    with code.when(code.load(code.at(block, HEAD.index("plain")), INT).same(0).negate()):
        y = _values_alone(code, plain, [(given, head + width), (rests, rest)])
        code.copy(y, results, values)
    code.leave()
    return f"{DECLARATIONS}\n{code.text()}"


def _values_alone(code: Code, plain: list[Value], parts: list[tuple[Value, Value]]) -> Value:
    """Address of what the function of the values makes of its arguments, which lie in parts."""
    function, constants, x, y = plain
    place = x
    for part, count in parts:
        code.copy(part, place, count)
        place = code.at(place, count)
    code.call(function, [x, constants, y])
    return y


@jit.one_library
def _library() -> jit.Library:
    """The function around the kernel; one for all of them."""
    return jit.stored_text(_text(), (ENTRY,))


@dataclass(frozen=True)
class LaneForm:
    """What a run with tangents in lanes calls.

    Attributes:
        along: of head, y, rest, y_dot, other changes: values, and their changes.
        name: of the values.
        seeds: of every other change, direction × component.
        width: components of y and of the integrals.
        directions: number of tangents, at most eight.
        head: inputs before y: the time, or nothing.
        plain: gives the values; none where the lanes give them, too.
    """

    along: DerivedProgram
    name: str
    seeds: Mapping[str, Array]
    width: int
    directions: int
    head: int = 1
    plain: DerivedProgram | None = None

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
        plain = None if self.plain is None else self.plain.function
        return LaneFunction(self, self.along.lanes, plain)


@dataclass(frozen=True)
class LaneFunction:
    """A function of head, Y and what follows it, as native code and from Python."""

    form: LaneForm
    own: LanesApart
    plain: Function | None = None

    def with_values(self, parameters: Mapping[str, float]) -> LaneFunction:
        """The same with other values of parameters, by name."""
        plain = None if self.plain is None else self.plain.with_values(parameters)
        return replace(self, own=self.own.with_values(parameters), plain=plain)

    @cached_property
    def _ports(self) -> list[Port]:
        """Variable inputs of the kernel: head, y, rest, changes of y, other changes."""
        return [port for port in self.own.given.inputs if not port.parameter]

    @cached_property
    def _size(self) -> int:
        """Components of y: those that changes are given of, but for the directions."""
        moves = (p for p in self._ports if p.name.endswith(DOT) and p.name not in self.form.seeds)
        return sum(port.size for port in moves)

    @cached_property
    def _whole(self) -> int:
        """Components of Y."""
        return self.form.width * (1 + self.form.directions)

    @cached_property
    def _rest(self) -> int:
        """Components of what follows Y."""
        still = (port for port in self._ports if not port.name.endswith(DOT))
        return sum(port.size for port in still) - self.form.head - self._size

    @cached_property
    def inputs(self) -> tuple[Port, ...]:
        """Inputs but the changes; those behind Y where they stand behind the whole of it."""
        first, more = self.form.head + self._size, self._whole - self._size
        return tuple(
            replace(port, start=port.start + more, stop=port.stop + more)
            if port.start >= first and not port.parameter else port
            for port in self.own.given.inputs if not port.name.endswith(DOT)
        )  # fmt: skip

    @property
    def outputs(self) -> tuple[Port, ...]:
        """Nothing but Y comes out."""
        return ()

    @property
    def sizes(self) -> dict[str, int]:
        """Numbers of doubles: x, y."""
        return {"x": self.form.head + self._whole + self._rest, "y": self._whole}

    @property
    def address(self) -> int:
        """Address of `void f(const double* x, const double* c, double* y)`."""
        return _library().addresses[ENTRY]

    def __call__(self, *, check: bool, y: Array, **rest: Any) -> dict[str, Array]:
        """The values and their changes behind each other, as Y is."""
        del check
        found = self.each(y=np.asarray(y)[None], **rest)
        return {self.form.name: found[self.form.name][0]}

    def each(self, *, y: Array, **rest: Any) -> dict[str, Array]:
        """The same at many states, one row each."""
        local = self._local.__dict__
        if not local:
            local["block"] = self.preamble_values()
        x, found = np.zeros((len(y), self.sizes["x"])), np.zeros((len(y), self._whole))
        given = {"y": y, **rest}
        for port in self.inputs:
            if port.name == "y":
                x[:, port.start : port.start + self._whole] = y
            elif port.size and not port.parameter and port.name in given:
                x[:, port.start : port.stop] = np.reshape(given[port.name], (-1, port.size))
        body, block = SINGLE(self.address), address(local["block"])
        at, to = address(x), address(found)
        for k in range(len(y)):
            body(at + k * x.strides[0], block, to + k * found.strides[0])
        return {self.form.name: found}

    @cached_property
    def _local(self) -> threading.local:
        """A block per thread."""
        return threading.local()

    def preamble_values(self, p: Array | None = None) -> Array:
        """A new block to work on."""
        own, form = self.own, self.form
        kernel, constants = own.apart, own.constants(p)
        x, y = own.given.sizes["x"], sum(port.size for port in own.outputs)
        head = len(HEAD) + LANES
        values = self._plain_values(p)
        sizes = [LANES * x, LANES * y, kernel.body_work, len(constants), x, own.once_size]
        sizes += [len(values), *self._plain_sizes]
        places = np.cumsum([-(-size // LANES) * LANES for size in (head, *sizes)])
        room = np.zeros(int(places[-1]) + LANES)
        block = room[(-address(room) // 8) % LANES :]
        parts = [block[int(place) :] for place in places[:-1]]
        parts[3][: len(constants)], parts[6][: len(values)] = constants, values
        names = ("x", "y", "w", "c", "one", "u", "plain_c", "plain_x", "plain_y")
        entries = {
            **{name: address(part) for name, part in zip(names, parts, strict=True)},
            "shared": own.once, "f": kernel.body, "head": form.head, "n": self._size,
            "rest": self._rest, "given": y // 2, "whole": self._whole, "width": form.width,
            "plain": 0 if self.plain is None else self.plain.address,
        }  # fmt: skip
        lanes = [form.width * (1 + min(k, form.directions - 1)) for k in range(LANES)]
        block[:head].view(np.int64)[:] = [*(entries[name] for name in HEAD), *lanes]
        self._seed(parts[0][: sizes[0]].reshape(-1, LANES))
        return block

    def _plain_values(self, p: Array | None) -> Array:
        """Constants of the function of the values alone."""
        if self.plain is None:
            return np.zeros(0)
        assert p is None  # it takes its own parameters
        return self.plain.preamble_values()

    @property
    def _plain_sizes(self) -> tuple[int, int]:
        """Numbers of its arguments and results."""
        sizes = {} if self.plain is None else self.plain.sizes
        return sizes.get("x", 0), sizes.get("y", 0)

    def _seed(self, x: Array) -> None:
        """Enter the directions, one per lane; lanes to spare repeat the last one."""
        count = self.form.directions
        used = np.minimum(range(LANES), count - 1)
        for port in self._ports:
            seeds = self.form.seeds.get(port.name)
            if seeds is not None:
                x[port.start : port.stop] = np.asarray(seeds).reshape(count, -1)[used].T
