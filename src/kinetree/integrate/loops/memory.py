"""The memory of a native integration as the code that is being written sees it."""

from __future__ import annotations

from collections.abc import Sequence

from kinetree.integrate.loops.layout import CELLS, EVENT_VECTORS, HEADER, TABLE, VECTORS
from kinetree.targets.native.llvm import INT, LANES, PTR, VEC, Code, Value

BOTH = ((PTR, "s"), (PTR, "table"))
"""The first arguments of every function of a loop."""


class Memory:
    """State and table of a function: its arguments `s` and `table`, or what `user` points to.

    Attributes:
        code: the function.
        both: state and table, the first arguments of every function of the loop.
        recalls: whether kernels see the memories that the loop keeps in place of those of y.
    """

    def __init__(self, code: Code, user: Value | None = None, *, recalls: bool = False) -> None:
        self.code, self.recalls = code, recalls
        if user is None:
            self.state, self.table = code.argument("s"), code.argument("table")
        else:
            self.state, self.table = code.load(user, PTR), code.load(code.at(user, 1), PTR)
        self.both = [self.state, self.table]

    def entry(self, name: str, kind: str = INT) -> Value:
        """An entry of the table."""
        return self.code.load(self.code.at(self.table, TABLE.index(name)), kind)

    def place(self, name: str) -> int:
        """Place of a scalar in the state."""
        return CELLS.index(name)

    def cell(self, name: str) -> Value:
        """A scalar of the state."""
        return self.code.load(self.code.at(self.state, self.place(name)))

    def put(self, name: str, value: Value | float) -> None:
        """Change a scalar of the state."""
        place = self.code.at(self.state, self.place(name))
        self.code.store(self.code.constant(value), place)

    def add(self, name: str, value: float) -> None:
        """Count."""
        self.put(name, self.cell(name) + value)

    def vector(self, name: str) -> Value:
        """Address of a vector of the size of y."""
        return self._row(VECTORS.index(name))

    def derivative(self, row: int) -> Value:
        """Address of a row of derivatives."""
        return self._row(len(VECTORS) + row)

    def event_vector(self, rows: int, name: str) -> Value:
        """Address of a vector with one component per event, behind all rows of derivatives."""
        start = self._row(len(VECTORS) + rows)
        return self.code.at(start, self.entry("padded_events") * EVENT_VECTORS.index(name))

    def _row(self, number: int) -> Value:
        return self.code.at(self.state, self.entry("padded") * number + HEADER)

    def chunks(self) -> Value:
        """Number of whole vectors in y."""
        text = f"ashr exact i64 {self.entry('padded').text}, {LANES.bit_length() - 1}"
        return self.code.emit(INT, text)

    def lanes(self, base: Value, index: Value) -> Value:
        """One whole vector of an array."""
        return self.code.load(self.code.at(base, index * LANES), VEC)

    def weighted_sum(self, rows: Sequence[Value], weights: Sequence[float], index: Value) -> Value:
        """Σ wⱼ kⱼ of one whole vector."""
        total: Value | None = None
        for row, weight in zip(rows, weights, strict=True):
            if weight:
                term = self.lanes(row, index) * weight
                total = term if total is None else total + term
        return self.code.constant(0.0, VEC) if total is None else total

    def combine(self, into: Value, base: Value, weights: Sequence[Value | None]) -> None:
        """into = base + Σ wⱼ kⱼ; None leaves a row out."""
        code = self.code
        terms = [
            (self.derivative(j), code.spread(weight))
            for j, weight in enumerate(weights)
            if weight is not None
        ]

        def part(index: Value) -> None:
            total: Value | None = None
            for row, weight in terms:
                term = self.lanes(row, index) * weight
                total = term if total is None else total + term
            start = self.lanes(base, index)
            result = start if total is None else start + total
            code.store(result, code.at(into, index * LANES))

        code.each(self.chunks(), part)

    def evaluate(self, kernel: str, t: Value, y: Value) -> Value:
        """Call a kernel at a time and a state; address of its result."""
        code = self.code
        x = self.entry(f"{kernel}_x", PTR)
        code.store(t, x)
        code.copy(y, code.at(x, 1), self.entry("n"))
        if self.recalls:
            self._recall(code.at(x, 1))
        results = self.entry(f"{kernel}_y", PTR)
        code.call(self.entry(kernel, PTR), [x, self.entry(f"{kernel}_c", PTR), results])
        return results

    def _recall(self, y: Value) -> None:
        """Put the memories that are kept in y_new into a state."""
        code, places, kept = self.code, self.entry("memories", PTR), self.vector("y_new")

        def one(index: Value) -> None:
            place = code.load(code.at(places, index), INT)
            code.store(code.load(code.at(kept, place)), code.at(y, place))

        code.each(self.entry("memory_count"), one)
