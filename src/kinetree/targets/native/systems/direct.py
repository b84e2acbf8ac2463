"""General linear systems solved along the structural zeros of their matrix, in LLVM IR.

Elimination with row pivoting fills up what was empty, and looks for pivots again and again.  Most
matrices of mechanics do not need it: their diagonal is good enough.  So the elimination is written
out with pivots on the diagonal, in the order that fills least, and the solution is put to the test:

    |b - A x| <= TOLERANCE (|A| |x| + |b|)     row by row

which bounds the backward error, whatever the pivots were (Higham2002 sec. 7.1).  Where a row of any
of the evaluations fails, or is not a number, the system is solved once more, with pivoting.

Refs: Markowitz1957; Higham2002 sec. 7.1
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from kinetree.targets.native.compile.layout import Panel, pad
from kinetree.targets.native.llvm import Code
from kinetree.targets.native.values import BOOL, REAL, Value, vector
from kinetree.targets.tape.pivot_order import diagonal_order
from kinetree.targets.tape.solve_steps import ZERO, System

MOST = 6000
"""Products up to which an elimination is written out."""
COLUMNS = 2
"""Right-hand sides up to which it is."""
TOLERANCE = 1e-12
"""Backward error that is accepted; rounding alone leaves about 1e-15."""


def order(system: System) -> list[int] | None:
    """The order of elimination; None where pivoting is the better way."""
    if system.k > COLUMNS:
        return None
    n = system.n
    pattern = [[j for j in range(n) if system.matrix[i * n + j] != ZERO] for i in range(n)]
    found = diagonal_order(pattern, MOST)
    return found[0] if found is not None else None


@dataclass(frozen=True, slots=True)
class SystemPlace:
    """Where a system stands in the workspace.

    Attributes:
        matrix: element at which the matrix starts.
        panel: the right-hand sides.
        lanes: evaluations side by side.
    """

    matrix: int
    panel: Panel
    lanes: int


def definitions(system: System, place: SystemPlace, name: str, flags: str) -> list[str]:
    """IR of `void NAME.eliminate(w, x)`, which solves, and of `i1 NAME.test(w, x)`.

    The test puts the solution in place of the right sides, if it is good.  It is a function of its
    own: else the compiler would keep the matrix in registers, or spill it, until it is read again.
    """
    sequence = order(system)
    assert sequence is not None
    solving = _Elimination(system, place, (f"{name}.eliminate", "void", flags))
    for number, pivot in enumerate(sequence):
        solving.eliminate(pivot, sequence[number + 1 :])
    for number in reversed(range(system.n)):
        solving.substitute(sequence[number], sequence[number + 1 :])
    for element, value in enumerate(solving.solution()):
        solving.store(value, "x", element)
    solving.code.leave()
    testing = _Elimination(system, place, (f"{name}.test", BOOL, flags))
    good = testing.test()
    spots = [place.panel.place(row, c) for row in range(system.n) for c in range(system.k)]
    with testing.code.when(good):
        for element, value in zip(spots, testing.solution(), strict=True):
            testing.store(value, "w", element)
    testing.code.leave(good)
    return [solving.code.text(), testing.code.text()]


class _Elimination:
    """The instructions so far.

    Rows of the matrix are kept by column, structural zeros left out.  What is still as it was given
    is absent there; it is read when it is needed, so that registers stay free until then.
    """

    def __init__(self, system: System, place: SystemPlace, head: tuple[str, str, str]) -> None:
        """A function; `head` is its name, its result and the flags of its operations."""
        name, result, flags = head
        self.n, self.k, self.system, self.place = system.n, system.k, system, place
        attributes = "nounwind noinline" + (" alignstack(64)" if place.lanes > 1 else "")
        arguments = [("ptr noalias", "w"), ("ptr noalias", "x")]
        self.code = Code(name, result, arguments, attributes, flags)
        self.kind = vector(REAL, place.lanes)
        self.rows: list[dict[int, Value | None]] = [
            dict.fromkeys(self.columns(i)) for i in range(self.n)
        ]
        self.right: list[list[Value | None]] = [[None] * self.k for _ in range(self.n)]
        self.x: dict[int, list[Value]] = {}
        self.sizes: dict[int, list[Value]] = {}

    def at(self, base: str, element: int) -> Value:
        return self.code.at(self.code.argument(base), element * self.place.lanes)

    def fetch(self, base: str, element: int) -> Value:
        return self.code.load(self.at(base, element), self.kind)

    def store(self, value: Value, base: str, element: int) -> None:
        self.code.store(value, self.at(base, element))

    def entry(self, row: int, column: int) -> Value:
        """An entry of the matrix as it was given."""
        stride = pad(self.n) if self.place.lanes == 1 else self.n
        return self.fetch("w", self.place.matrix + row * stride + column)

    def given_entry(self, row: int, column: int) -> Value:
        """An entry of the right-hand sides as it was given."""
        return self.fetch("w", self.place.panel.place(row, column))

    def columns(self, row: int) -> list[int]:
        """Where a row of the matrix has entries."""
        start = row * self.n
        return [j for j in range(self.n) if self.system.matrix[start + j] != ZERO]

    def value(self, row: int, column: int) -> Value:
        """An entry of the matrix as it is now."""
        found = self.rows[row][column] or self.entry(row, column)
        self.rows[row][column] = found
        return found

    def sides(self, row: int) -> list[Value]:
        """A row of the right-hand sides as it is now."""
        found = [value or self.given_entry(row, c) for c, value in enumerate(self.right[row])]
        self.right[row] = [*found]
        return found

    def eliminate(self, pivot: int, later: list[int]) -> None:
        """Take a column out of the rows that follow."""
        inverse = 1.0 / self.value(pivot, pivot)
        source = self.rows[pivot]
        source[pivot] = inverse
        for i in later:
            row = self.rows[i]
            if pivot not in row:
                continue
            ratio = self.value(i, pivot) * inverse
            del row[pivot]
            for j in later:
                if j in source:
                    old = self.value(i, j) if j in row else None
                    term = ratio * self.value(pivot, j)
                    row[j] = -term if old is None else old - term
            pairs = zip(self.sides(pivot), self.sides(i), strict=True)
            self.right[i] = [b - ratio * a for a, b in pairs]

    def substitute(self, pivot: int, later: list[int]) -> None:
        """The unknown of a row from those of the rows after it."""
        values = self.sides(pivot)
        row = self.rows[pivot]
        for j in reversed(later):
            if j in row:
                factor = self.value(pivot, j)
                values = [b - factor * x for b, x in zip(values, self.x[j], strict=True)]
        self.x[pivot] = [b * self.value(pivot, pivot) for b in values]

    def solution(self) -> list[Value]:
        """The unknowns, row by row."""
        return [value for row in range(self.n) for value in self.x[row]]

    def test(self) -> Value:
        """Whether all rows of all right-hand sides are met in all evaluations."""
        code = self.code
        for row in range(self.n):
            self.x[row] = [self.fetch("x", row * self.k + c) for c in range(self.k)]
            self.sizes[row] = [code.intrinsic("fabs", x) for x in self.x[row]]
        verdicts = [self._holds(row, c) for c in range(self.k) for row in range(self.n)]
        both = reduce(lambda a, b: a & b, verdicts)
        return both if self.place.lanes == 1 else code.bits(both).same(-1)

    def _holds(self, row: int, column: int) -> Value:
        """|b - A x| <= TOLERANCE (|A| |x| + |b|) in one row; never true for NaN."""
        code = self.code
        rest = self.given_entry(row, column)
        size = code.intrinsic("fabs", rest)
        for j in self.columns(row):
            a = self.entry(row, j)
            rest = rest - a * self.x[j][column]
            size = size + code.intrinsic("fabs", a) * self.sizes[j][column]
        allowed = size * TOLERANCE
        return code.intrinsic("fabs", rest) <= allowed
