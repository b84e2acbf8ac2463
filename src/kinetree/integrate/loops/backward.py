"""The backward march of explicit Runge–Kutta steps in machine code: a discrete adjoint.

From the end of a run to its beginning, over the steps as they were taken, with no Python between:

    Yⱼ = y + h Σᵢ aⱼᵢ Kᵢ,  Kⱼ = f(t + cⱼ h, Yⱼ)            the stages once more, from the state kept
    K̄ⱼ = h (bⱼ λ + Σᵢ aᵢⱼ Ȳᵢ),  Ȳⱼ = (∂f/∂y)ᵀ K̄ⱼ             last stage first           Eq. (S6)
    λ ← λ + Σⱼ Ȳⱼ,   p̄ ← p̄ + Σⱼ (∂f/∂p)ᵀ K̄ⱼ

Only rates and their reverse are compiled for a model, so that code stays small on large ones.

Refs: Griewank2008 ch. 3; Hairer1993 sec. II.1
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.arrays import Array
from kinetree.integrate.loops.tableaus import Tableau
from kinetree.targets.native.compile import jit
from kinetree.targets.native.function import address
from kinetree.targets.native.llvm import DECLARATIONS, INT, PTR, Code, Value

ENTRY = "kt_back"
TABLE = (
    "n", "bars", "times", "rows", "lam", "sums", "stages", "slopes", "backs", "raw",
    "rates", "rates_c", "rates_x", "rates_y",
    "reverse", "reverse_c", "reverse_x", "reverse_y", "reverse_bar",
    "project", "project_c", "project_x", "project_y", "project_bar",
)  # fmt: skip
"""Numbers and addresses: components of y, other bars; times and states of the steps; λ, sums of the
other bars; room for stages; kernels with their constants, arguments, results and the place of the
weights among the arguments.  project is 0 where states are not projected after steps."""
CALL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)


class _Writer:
    """The function being written."""

    def __init__(self, tableau: Tableau) -> None:
        arguments = ((PTR, "table"), (INT, "first"), (INT, "count"))
        self.code, self.tableau = Code(ENTRY, "void", arguments), tableau

    def entry(self, name: str, kind: str = PTR) -> Value:
        """An entry of the table."""
        code = self.code
        return code.load(code.at(code.argument("table"), TABLE.index(name)), kind)

    def text(self) -> str:
        """The whole of it: the steps first + count - 1 … first."""
        code = self.code
        last = code.argument("first") + code.argument("count") + (-1)
        code.each(code.argument("count"), lambda index: self._step(last - index))
        code.leave()
        return f"{DECLARATIONS}\n{code.text()}"

    def _step(self, k: Value) -> None:
        """One step back."""
        code, tableau = self.code, self.tableau
        times = self.entry("times")
        t, end = code.load(code.at(times, k)), code.load(code.at(times, k + 1))
        y, h = code.at(self.entry("rows"), k * self.entry("n", INT)), end - t
        for j, row in enumerate(tableau.a):
            stage = self._row("stages", j)
            self._combine(stage, y, [(h * w, self._row("slopes", i)) for i, w in _terms(row)])
            found = self._call("rates", t + h * tableau.c[j], stage)
            code.copy(found, self._row("slopes", j), self.entry("n", INT))
        self._project(end, y, h)
        for j in reversed(range(tableau.stages)):
            self._reverse_stage(j, t + h * tableau.c[j], h)
        lam = self.entry("lam")
        one = code.constant(1.0)
        self._combine(lam, lam, [(one, self._row("backs", j)) for j in range(tableau.stages)])

    def _project(self, t: Value, y: Value, h: Value) -> None:
        """λ and sums before the projection at the end of the step."""
        code = self.code
        with code.when(self.entry("project", INT).same(0).negate()):
            raw = self.entry("raw")
            terms = [(h * w, self._row("slopes", i)) for i, w in _terms(self.tableau.b)]
            self._combine(raw, y, terms)
            lam, n = self.entry("lam"), self.entry("n", INT)
            code.copy(lam, self.entry("project_bar"), n)
            found = self._call("project", t, raw)
            code.copy(found, lam, n)
            self._add_sums(found)

    def _reverse_stage(self, j: int, t: Value, h: Value) -> None:
        """Ȳ of a stage, and what it adds to the sums."""
        code, tableau = self.code, self.tableau
        weight = self.entry("reverse_bar")
        later = [(i, row[j]) for i, row in enumerate(tableau.a) if i > j and row[j]]
        terms = [(h * w, self._row("backs", i)) for i, w in later]
        zero = code.constant(0.0)
        own = h * tableau.b[j] if tableau.b[j] else zero
        self._combine(weight, None, [(own, self.entry("lam")), *terms])
        found = self._call("reverse", t, self._row("stages", j))
        code.copy(found, self._row("backs", j), self.entry("n", INT))
        self._add_sums(found)

    def _add_sums(self, found: Value) -> None:
        """Add the bars behind those of y."""
        code = self.code
        more, sums = code.at(found, self.entry("n", INT)), self.entry("sums")

        def one(i: Value) -> None:
            place = code.at(sums, i)
            code.store(code.load(place) + code.load(code.at(more, i)), place)

        code.each(self.entry("bars", INT), one)

    def _row(self, name: str, number: int) -> Value:
        return self.code.at(self.entry(name), self.entry("n", INT) * number)

    def _combine(
        self, into: Value, base: Value | None, terms: Sequence[tuple[Value, Value]]
    ) -> None:
        """into = base + Σ w x, component by component."""
        code = self.code

        def one(i: Value) -> None:
            total = code.constant(0.0) if base is None else code.load(code.at(base, i))
            for weight, row in terms:
                total = total + weight * code.load(code.at(row, i))
            code.store(total, code.at(into, i))

        code.each(self.entry("n", INT), one)

    def _call(self, kernel: str, t: Value, y: Value) -> Value:
        """Call a kernel at a time and a state; address of its results."""
        code = self.code
        x = self.entry(f"{kernel}_x")
        code.store(t, x)
        code.copy(y, code.at(x, 1), self.entry("n", INT))
        results = self.entry(f"{kernel}_y")
        code.call(self.entry(kernel), [x, self.entry(f"{kernel}_c"), results])
        return results


def _terms(row: Sequence[float]) -> list[tuple[int, float]]:
    return [(i, w) for i, w in enumerate(row) if w]


@jit.one_library
def _library(tableau: Tableau) -> jit.Library:
    """The compiled march of a method; one for all problems."""
    return jit.stored_text(_Writer(tableau).text(), (ENTRY,))


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
        function, place = self.function, 0
        x = np.zeros(function.sizes["x"])
        for port in function.inputs:
            if port.parameter:
                continue
            if port.name == self.weights:
                place = port.start
            elif port.name in self.given:
                x[port.start : port.stop] = np.ravel(self.given[port.name])
        return x, place


class BackwardMarch:
    """The steps of one leg of a run, to be gone backwards.

    Attributes:
        lam: bars of the state where the march has come to.
        sums: bars of everything else, added up.
    """

    def __init__(
        self, tableau: Tableau, leg: tuple[Array, Array],
        kernels: tuple[ReverseKernel, ReverseKernel, ReverseKernel | None], sums: Array,
    ) -> None:  # fmt: skip
        self._t, self._y = (np.ascontiguousarray(part, dtype=float) for part in leg)
        n, s = self._y.shape[1], tableau.stages
        self.lam, self.sums = np.zeros(n), sums
        self._table = np.zeros(len(TABLE), dtype=np.int64)
        self._held: list[Any] = [kernels]
        room = {"stages": s * n, "slopes": s * n, "backs": s * n, "raw": n}
        arrays = {name: np.zeros(size) for name, size in room.items()}
        arrays |= {"times": self._t, "rows": self._y, "lam": self.lam, "sums": self.sums}
        self._enter({"n": n, "bars": len(sums)})
        self._enter({name: self._hold(array) for name, array in arrays.items()})
        for name, kernel in zip(("rates", "reverse", "project"), kernels, strict=True):
            if kernel is not None:
                self._enter_kernel(name, kernel)
        self._call = CALL(_library(tableau).addresses[ENTRY])

    def _hold(self, array: Array) -> int:
        self._held.append(array)
        return address(array)

    def _enter(self, rows: dict[str, int]) -> None:
        for name, value in rows.items():
            self._table[TABLE.index(name)] = value

    def _enter_kernel(self, name: str, kernel: ReverseKernel) -> None:
        x, place = kernel.arguments()
        self._enter({
            name: kernel.function.address, f"{name}_x": self._hold(x),
            f"{name}_c": self._hold(kernel.function.preamble_values()),
            f"{name}_y": self._hold(np.zeros(kernel.function.sizes["y"])),
        })  # fmt: skip
        if kernel.weights:
            self._enter({f"{name}_bar": address(x[place:])})

    def back(self, first: int, end: int) -> None:
        """Go back over the steps end - 1 … first."""
        if end > first:
            self._call(address(self._table), first, end - first)
