"""The backward march of explicit Runge–Kutta steps in machine code: a discrete adjoint.

From the end of a run to its beginning, over the steps as they were taken, with no Python between:

    Yⱼ = y + h Σᵢ aⱼᵢ Kᵢ,  Kⱼ = f(t + cⱼ h, Yⱼ)            the stages once more, from the state kept
    K̄ⱼ = h (bⱼ λ + Σᵢ aᵢⱼ Ȳᵢ),  Ȳⱼ = (∂f/∂y)ᵀ K̄ⱼ             last stage first           Eq. (S6)
    λ ← λ + Σⱼ Ȳⱼ,   p̄ ← p̄ + Σⱼ (∂f/∂p)ᵀ K̄ⱼ

A state inside a step, by the dense output of the method, is such an end with other weights bⱼ and
more stages, so that it is gone back from by the same loop.

Only rates and their reverse are compiled for a model, so that code stays small on large ones: as
two functions, the first of which gives Kⱼ and everything that the second needs of a stage.  All
states being known, the first one takes eight steps at once, one per lane; λ goes through the second
step by step.

Refs: Griewank2008 ch. 3; Hairer1993 sec. II.1
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arrays import Array
from kinetree.integrate.loops.equal_steps import align
from kinetree.integrate.loops.tableaus import Tableau
from kinetree.targets.native.compile import jit
from kinetree.targets.native.function import address
from kinetree.targets.native.lanes.packing import LANES
from kinetree.targets.native.llvm import DECLARATIONS, INT, PTR, VEC, Code, Value
from kinetree.targets.native.llvm import LANES as WIDTH

if TYPE_CHECKING:
    from kinetree.targets.native.lanes.apart import LanesApart

ENTRY = "kt_back"
TABLE = (
    "n", "bars", "times", "rows", "lam", "sums", "clock", "base", "stages", "size", "backs", "raw",
    "weights",
    "rates", "rates_c", "rates_x", "rates_w", "reverse", "reverse_x", "reverse_y", "reverse_bar",
    "project", "project_c", "project_x", "project_y", "project_bar",
)  # fmt: skip
"""Numbers and addresses: components of y, other bars; times and states of the steps; λ, sums of the
other bars; of eight steps in lanes: times and lengths, states, and what is kept of every stage, K
first, with its rows; room for bars and for a state; weights of the stages at a place inside a step;
kernels with their constants, arguments, room,
results and the place of the weights among the arguments.  project is 0 where states are not
projected after steps."""
CALL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)


class _Writer:
    """The function being written: whole steps, or one back from a place inside it."""

    def __init__(self, tableau: Tableau, *, inside: bool) -> None:
        arguments = ((PTR, "table"), (INT, "first"), (INT, "count"))
        self.code, self.inside = Code(ENTRY, "void", arguments), inside
        self.a = tableau.all_rows if inside else tableau.a
        self.b, self.c, self.stages = tableau.b, tableau.c, len(self.a)

    def _ends(self, h: Value) -> list[tuple[int, Value]]:
        """The stages that the end is made of, with h bⱼ."""
        if not self.inside:
            return [(j, h * w) for j, w in _terms(self.b)]
        code, weights = self.code, self.entry("weights")
        return [(j, h * code.load(code.at(weights, j))) for j in range(self.stages)]

    def entry(self, name: str, kind: str = PTR) -> Value:
        """An entry of the table."""
        code = self.code
        return code.load(code.at(code.argument("table"), TABLE.index(name)), kind)

    def text(self) -> str:
        """The whole of it: the steps first + count - 1 … first."""
        code, first, count = self.code, self.code.argument("first"), self.code.argument("count")

        def block(index: Value) -> None:
            end = first + count - index * LANES
            before = end + (-LANES)
            self._block(code.choose(before < first, first, before), end)

        code.each((count + (LANES - 1)) >> (LANES.bit_length() - 1), block)
        code.leave()
        return f"{DECLARATIONS}\n{code.text()}"

    def _block(self, first: Value, end: Value) -> None:
        """The steps end - 1 … first, eight at most."""
        code, count = self.code, end - first
        self._enter_lanes(first, end + (-1))
        for j in range(self.stages):
            self._stage_in_lanes(j)
        code.each(count, lambda index: self._step(first, count - index + (-1)))

    def _enter_lanes(self, first: Value, last: Value) -> None:
        """Times, lengths and states of the steps; lanes to spare repeat the last one."""
        code, n = self.code, self.entry("n", INT)
        times, clock, base = (self.entry(name) for name in ("times", "clock", "base"))
        for lane in range(LANES):
            k = first + lane
            k = code.choose(last < k, last, k)
            t = code.load(code.at(times, k))
            code.store(t, code.at(clock, lane))
            code.store(code.load(code.at(times, k + 1)) - t, code.at(clock, LANES + lane))
            spread(code, code.at(self.entry("rows"), k * n), code.at(base, lane), n)

    def _stage_in_lanes(self, j: int) -> None:
        """Everything that is kept of a stage, for all lanes."""
        code, x = self.code, self.entry("rates_x")
        clock, base, terms = self.entry("clock"), self.entry("base"), _terms(self.a[j])
        for start in range(0, LANES, WIDTH):
            t, h = (code.load(code.at(clock, start + row), VEC) for row in (0, LANES))
            code.store(t + h * self.c[j], code.at(x, start))
            rows = [(h * w, code.at(self._stage(i), start)) for i, w in terms]
            own, into = code.at(base, start), code.at(x, LANES + start)

            def one(i: Value, own: Value = own, into: Value = into, rows: Any = rows) -> None:
                total = code.load(code.at(own, i * LANES), VEC)
                for weight, row in rows:
                    total = total + weight * code.load(code.at(row, i * LANES), VEC)
                code.store(total, code.at(into, i * LANES))

            code.each(self.entry("n", INT), one)
        given = x, self.entry("rates_c"), self._stage(j), self.entry("rates_w")
        code.call(self.entry("rates"), given)

    def _step(self, first: Value, lane: Value) -> None:
        """One step back."""
        code = self.code
        h = code.load(code.at(self.entry("clock"), lane + LANES))
        ends = self._ends(h)
        self._project(first + lane, lane, ends)
        for j in reversed(range(self.stages)):
            self._reverse_stage(j, lane, h, dict(ends).get(j))
        lam = self.entry("lam")
        one = code.constant(1.0)
        self._combine(lam, lam, [(one, self._row("backs", j)) for j in range(self.stages)])

    def _project(self, k: Value, lane: Value, ends: Sequence[tuple[int, Value]]) -> None:
        """λ and sums before the projection at the end of the step."""
        code = self.code
        with code.when(self.entry("project", INT).same(0).negate()):
            raw, n = self.entry("raw"), self.entry("n", INT)
            terms = [(weight, code.at(self._stage(i), lane)) for i, weight in ends]
            y, t = code.at(self.entry("rows"), k * n), self.entry("times")

            def one(i: Value) -> None:
                total = code.load(code.at(y, i))
                for weight, row in terms:
                    total = total + weight * code.load(code.at(row, i * LANES))
                code.store(total, code.at(raw, i))

            code.each(n, one)
            t = code.load(code.at(t, k + (2 if self.inside else 1)))
            lam, x = self.entry("lam"), self.entry("project_x")
            code.copy(lam, self.entry("project_bar"), n)
            code.store(t, x)
            code.copy(raw, code.at(x, 1), n)
            found = self.entry("project_y")
            code.call(self.entry("project"), [x, self.entry("project_c"), found])
            code.copy(found, lam, n)
            self._add_sums(found)

    def _reverse_stage(self, j: int, lane: Value, h: Value, own: Value | None) -> None:
        """Ȳ of a stage, of which the end takes the share `own`, and what it adds to the sums."""
        code = self.code
        weight = self.entry("reverse_bar")
        later = [(i, row[j]) for i, row in enumerate(self.a) if i > j and row[j]]
        terms = [(h * w, self._row("backs", i)) for i, w in later]
        own = code.constant(0.0) if own is None else own
        self._combine(weight, None, [(own, self.entry("lam")), *terms])
        found = self.entry("reverse_y")
        kept = code.at(self._stage(j), lane)
        code.call(self.entry("reverse"), [self.entry("reverse_x"), kept, found])
        code.copy(found, self._row("backs", j), self.entry("n", INT))
        self._add_sums(found)

    def _add_sums(self, found: Value) -> None:
        """Add the bars behind those of y."""
        code = self.code
        more, sums = code.at(found, self.entry("n", INT)), self.entry("sums")

        def some(i: Value, kind: str) -> None:
            place = code.at(sums, i)
            code.store(code.load(place, kind) + code.load(code.at(more, i), kind), place)

        code.each_number(self.entry("bars", INT), some)

    def _stage(self, number: int) -> Value:
        """What is kept of a stage: rows of lanes."""
        return self.code.at(self.entry("stages"), self.entry("size", INT) * (number * LANES))

    def _row(self, name: str, number: int) -> Value:
        return self.code.at(self.entry(name), self.entry("n", INT) * number)

    def _combine(
        self, into: Value, base: Value | None, terms: Sequence[tuple[Value, Value]]
    ) -> None:
        """into = base + Σ w x."""
        code = self.code

        def some(i: Value, kind: str) -> None:
            zero = code.constant(0.0, kind)
            total = zero if base is None else code.load(code.at(base, i), kind)
            for weight, row in terms:
                total = total + weight * code.load(code.at(row, i), kind)
            code.store(total, code.at(into, i))

        code.each_number(self.entry("n", INT), some)


def spread(code: Code, source: Value, target: Value, count: Value) -> None:
    """Numbers one after the other as one lane of rows."""

    def one(i: Value) -> None:
        code.store(code.load(code.at(source, i)), code.at(target, i * LANES))

    code.each(count, one)


def _terms(row: Sequence[float]) -> list[tuple[int, float]]:
    return [(i, w) for i, w in enumerate(row) if w]


@jit.one_library
def _library(tableau: Tableau, inside: bool) -> jit.Library:
    """The compiled march of a method; one for all problems."""
    return jit.stored_text(_Writer(tableau, inside=inside).text(), (ENTRY,))


@dataclass(frozen=True)
class ReverseKernel:
    """A compiled function of t, y, …, weights, whose results are the bars of y, then others.

    Attributes:
        function: compiled; its first inputs are t and y.
        given: values of its inputs but t, y and the weights.
        weights: name of the input with the weights; empty for rates themselves.
    """

    function: Any
    given: dict[str, Array]
    weights: str = ""

    def arguments(self) -> tuple[Array, int]:
        """All arguments as one array, and the place of the weights in it."""
        return _arguments(self.function, self.given, self.weights)


@dataclass(frozen=True)
class SweptKernel:
    """A Program and its reverse as two functions, which have the same arguments.

    Attributes:
        parts: the two.
        given: values of the inputs but the time, the state and the weights.
        weights: name of the input with the weights.
    """

    parts: LanesApart
    given: dict[str, Array]
    weights: str

    def arguments(self) -> tuple[Array, int]:
        """All arguments as one array, and the place of the weights in it."""
        return _arguments(self.parts.given, self.given, self.weights)

    @property
    def rooms(self) -> tuple[Array, Array, Array]:
        """The arguments in lanes, and room for what is kept of them, and to work in."""
        found = self.parts.sweep
        x = np.repeat(self.arguments()[0][:, None], LANES, axis=1)
        kept, work = np.zeros((found.size, LANES)), np.zeros((found.work + LANES, 1))
        return align(x), align(kept), align(work)


def _arguments(function: Any, given: Mapping[str, Array], weights: str) -> tuple[Array, int]:
    """All arguments of a function as one array, and the place of the weights in it."""
    x, place = np.zeros(function.sizes["x"]), 0
    for port in function.inputs:
        if port.parameter:
            continue
        if port.name == weights:
            place = port.start
        elif port.name in given:
            x[port.start : port.stop] = np.ravel(given[port.name])
    return x, place


class BackwardMarch:
    """The steps of one leg of a run, to be gone backwards.

    With weights it is one step, from a place inside it to its beginning: its times are those of the
    beginning, of the end, and of the place.

    Attributes:
        lam: bars of the state where the march has come to.
        sums: bars of everything else, added up.
    """

    def __init__(
        self, tableau: Tableau, leg: tuple[Array, Array],
        kernels: tuple[SweptKernel, ReverseKernel | None], sums: Array,
        weights: Array | None = None,
    ) -> None:  # fmt: skip
        self._t, self._y = (np.ascontiguousarray(part, dtype=float) for part in leg)
        n, s = self._y.shape[1], tableau.stages if weights is None else tableau.rows
        self.lam, self.sums = np.zeros(n), sums
        self._table = np.zeros(len(TABLE), dtype=np.int64)
        self._held: list[Any] = [kernels]
        stages, project = kernels
        size = stages.parts.sweep.size
        room = {"backs": s * n, "raw": n, "clock": 2 * LANES, "base": n * LANES}
        arrays = {name: np.zeros(count) for name, count in room.items()}
        arrays["stages"] = align(np.zeros((s * size, LANES)))
        arrays |= {"times": self._t, "rows": self._y, "lam": self.lam, "sums": self.sums}
        arrays["weights"] = np.zeros(0) if weights is None else weights
        self._enter({"n": n, "bars": len(sums), "size": size})
        self._enter({name: self._hold(array) for name, array in arrays.items()})
        self._enter_stages(stages)
        if project is not None:
            self._enter_project(project)
        self._call = CALL(_library(tableau, weights is not None).addresses[ENTRY])

    def _hold(self, array: Array) -> int:
        self._held.append(array)
        return address(array)

    def _enter(self, rows: dict[str, int]) -> None:
        for name, value in rows.items():
            self._table[TABLE.index(name)] = value

    def _enter_stages(self, kernel: SweptKernel) -> None:
        parts, (x, place) = kernel.parts, kernel.arguments()
        lanes, _, work = kernel.rooms
        results = sum(port.size for port in parts.outputs)
        self._enter({
            "rates": parts.sweep.ahead, "rates_x": self._hold(lanes), "rates_w": self._hold(work),
            "rates_c": self._hold(parts.constants()), "reverse": parts.sweep.behind,
            "reverse_x": self._hold(x), "reverse_bar": address(x[place:]),
            "reverse_y": self._hold(np.zeros(results)),
        })  # fmt: skip

    def _enter_project(self, kernel: ReverseKernel) -> None:
        function, (x, place) = kernel.function, kernel.arguments()
        self._enter({
            "project": function.address, "project_x": self._hold(x),
            "project_c": self._hold(function.preamble_values()),
            "project_y": self._hold(np.zeros(function.sizes["y"])),
            "project_bar": address(x[place:]),
        })  # fmt: skip

    def back(self, first: int, end: int) -> None:
        """Go back over the steps end - 1 … first."""
        if end > first:
            self._call(address(self._table), first, end - first)
