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
from typing import TYPE_CHECKING

from kinetree.targets.native.compile.layout import Panel, padded
from kinetree.targets.native.maths.sincos import literal, real, splat, suffix
from kinetree.targets.tape.block_triangular import diagonal_order
from kinetree.targets.tape.solve_steps import ZERO

if TYPE_CHECKING:
    from kinetree.targets.tape.solve_steps import System

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
class Place:
    """Where a system stands in the workspace.

    Attributes:
        matrix: element at which the matrix starts.
        panel: the right-hand sides.
        lanes: evaluations side by side.
    """

    matrix: int
    panel: Panel
    lanes: int


def definitions(system: System, place: Place, name: str, flags: str) -> list[str]:
    """IR of `void NAME.eliminate(w, x)`, which solves, and of `i1 NAME.test(w, x)`.

    The test puts the solution in place of the right sides, if it is good.  It is a function of its
    own: else the compiler would keep the matrix in registers, or spill it, until it is read again.
    """
    sequence = order(system)
    assert sequence is not None
    code = _Elimination(system, place, flags)
    for number, pivot in enumerate(sequence):
        code.eliminate(pivot, sequence[number + 1 :])
    for number in reversed(range(system.n)):
        code.substitute(sequence[number], sequence[number + 1 :])
    for element, value in enumerate(code.solution()):
        code.store(value, "%x", element)
    solving = _function(f"void @{name}.eliminate", [*code.lines, "ret void"], place.lanes)
    code = _Elimination(system, place, flags)
    good = code.test()
    code.lines += [f"br i1 {good}, label %store, label %done", "store:"]
    spots = [place.panel.place(row, c) for row in range(system.n) for c in range(system.k)]
    for element, value in zip(spots, code.solution(), strict=True):
        code.store(value, "%w", element)
    end = ["br label %done", "done:", f"ret i1 {good}"]
    return [solving, _function(f"i1 @{name}.test", [*code.lines, *end], place.lanes)]


def _function(head: str, lines: list[str], lanes: int) -> str:
    body = "\n".join(line if line.endswith(":") else f"  {line}" for line in lines)
    stack = " alignstack(64)" if lanes > 1 else ""
    arguments = "(ptr noalias %w, ptr noalias %x)"
    return f"define internal {head}{arguments} nounwind noinline{stack} {{\nentry:\n{body}\n}}\n"


class _Elimination:
    """The instructions so far.

    Rows of the matrix are kept by column, structural zeros left out.  What is still as it was given
    is an empty text; it is read when it is needed, so that registers stay free until then.
    """

    def __init__(self, system: System, place: Place, flags: str) -> None:
        self.n, self.k, self.system, self.place, self.flags = (
            system.n,
            system.k,
            system,
            place,
            flags,
        )
        self.type = real(place.lanes)
        self.lines: list[str] = []
        self.rows = [dict.fromkeys(self.columns(i), "") for i in range(self.n)]
        self.right = [[""] * self.k for _ in range(self.n)]
        self.x: dict[int, list[str]] = {}
        self.sizes: dict[int, list[str]] = {}

    def add(self, text: str) -> str:
        name = f"%t{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return name

    def binary(self, operation: str, left: str, right: str) -> str:
        return self.add(f"{operation} {self.flags}{self.type} {left}, {right}")

    def less(self, value: str | None, left: str, right: str) -> str:
        """value - left·right."""
        term = self.binary("fmul", left, right)
        if value is None:
            return self.add(f"fneg {self.flags}{self.type} {term}")
        return self.binary("fsub", value, term)

    def at(self, base: str, element: int) -> str:
        offset = element * self.place.lanes
        return self.add(f"getelementptr inbounds double, ptr {base}, i64 {offset}")

    def fetch(self, base: str, element: int) -> str:
        return self.add(f"load {self.type}, ptr {self.at(base, element)}, align 8")

    def store(self, value: str, base: str, element: int) -> None:
        self.lines.append(f"store {self.type} {value}, ptr {self.at(base, element)}, align 8")

    def entry(self, row: int, column: int) -> str:
        """An entry of the matrix as it was given."""
        stride = padded(self.n) if self.place.lanes == 1 else self.n
        return self.fetch("%w", self.place.matrix + row * stride + column)

    def given(self, row: int, column: int) -> str:
        """An entry of the right-hand sides as it was given."""
        return self.fetch("%w", self.place.panel.place(row, column))

    def columns(self, row: int) -> list[int]:
        """Where a row of the matrix has entries."""
        start = row * self.n
        return [j for j in range(self.n) if self.system.matrix[start + j] != ZERO]

    def value(self, row: int, column: int) -> str:
        """An entry of the matrix as it is now."""
        self.rows[row][column] = self.rows[row][column] or self.entry(row, column)
        return self.rows[row][column]

    def sides(self, row: int) -> list[str]:
        """A row of the right-hand sides as it is now."""
        values = self.right[row]
        self.right[row] = [value or self.given(row, c) for c, value in enumerate(values)]
        return self.right[row]

    def eliminate(self, pivot: int, later: list[int]) -> None:
        """Take a column out of the rows that follow."""
        one = splat(literal(1.0), "double", self.place.lanes)
        inverse = self.binary("fdiv", one, self.value(pivot, pivot))
        source = self.rows[pivot]
        source[pivot] = inverse
        for i in later:
            row = self.rows[i]
            if pivot not in row:
                continue
            ratio = self.binary("fmul", self.value(i, pivot), inverse)
            del row[pivot]
            for j in later:
                if j in source:
                    old = self.value(i, j) if j in row else None
                    row[j] = self.less(old, ratio, self.value(pivot, j))
            self.right[i] = [
                self.less(b, ratio, a)
                for a, b in zip(self.sides(pivot), self.sides(i), strict=True)
            ]

    def substitute(self, pivot: int, later: list[int]) -> None:
        """The unknown of a row from those of the rows after it."""
        values = self.sides(pivot)
        row = self.rows[pivot]
        for j in reversed(later):
            if j in row:
                values = [self.less(b, row[j], x) for b, x in zip(values, self.x[j], strict=True)]
        self.x[pivot] = [self.binary("fmul", b, row[pivot]) for b in values]

    def absolute(self, value: str) -> str:
        function = f"@llvm.fabs.{suffix(self.place.lanes)}"
        return self.add(f"call {self.type} {function}({self.type} {value})")

    def solution(self) -> list[str]:
        """The unknowns, row by row."""
        return [value for row in range(self.n) for value in self.x[row]]

    def test(self) -> str:
        """Whether all rows of all right-hand sides are met in all evaluations."""
        lanes = self.place.lanes
        flag = "i1" if lanes == 1 else f"<{lanes} x i1>"
        for row in range(self.n):
            self.x[row] = [self.fetch("%x", row * self.k + c) for c in range(self.k)]
            self.sizes[row] = [self.absolute(x) for x in self.x[row]]
        verdicts = [self._met(row, c) for c in range(self.k) for row in range(self.n)]
        both = reduce(lambda a, b: self.add(f"and {flag} {a}, {b}"), verdicts)
        if lanes == 1:
            return both
        bits = self.add(f"bitcast {flag} {both} to i{lanes}")
        return self.add(f"icmp eq i{lanes} {bits}, -1")

    def _met(self, row: int, column: int) -> str:
        """|b - A x| <= TOLERANCE (|A| |x| + |b|) in one row; never true for what is no number."""
        rest = self.given(row, column)
        size = self.absolute(rest)
        for j in self.columns(row):
            a = self.entry(row, j)
            rest = self.less(rest, a, self.x[j][column])
            term = self.binary("fmul", self.absolute(a), self.sizes[j][column])
            size = self.binary("fadd", size, term)
        limit = splat(literal(TOLERANCE), "double", self.place.lanes)
        allowed = self.binary("fmul", size, limit)
        return self.add(f"fcmp ole {self.type} {self.absolute(rest)}, {allowed}")
