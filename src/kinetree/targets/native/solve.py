"""Linear systems with many right-hand sides, in LLVM IR.

Rows of right-hand sides stand packed one after another.  In a single evaluation eight columns at a
time go through the substitutions in SIMD lanes; with several evaluations side by side the lanes
belong to these, and one column goes through at a time.  Where the matrix was factorised on the
tape, the substitutions are written out over the entries of L that are not zero, inside a loop over
the columns, so that code stays bounded.  A general matrix is eliminated in loops, with pivoting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.targets.native.elimination import ELIMINATION
from kinetree.targets.native.layout import COLUMNS, layout, padded, rhs_stride
from kinetree.targets.native.sincos import real
from kinetree.targets.tape import ZERO

if TYPE_CHECKING:
    from kinetree.targets.native.plan import Plan
    from kinetree.targets.tape import Tape


def helpers(tape: Tape) -> list[str]:
    """Definitions that the systems of a tape call."""
    return [] if all(s.factorised for s in tape.systems) else [ELIMINATION]


def definition(made: Plan, index: int, name: str) -> str:
    """IR of `void NAME(double* w)`: the solution takes the place of the right-hand sides."""
    system = made.tape.systems[index]
    lines = _clear(made, index)
    if system.factorised:
        lines += _substitutions(made, index)
    elif made.lanes == 1:
        lines += _eliminate(made, index)
    else:
        lines += _eliminate_lanes(made, index)
    body = "\n".join(f"  {line}" if not line.endswith(":") else line for line in lines)
    head = f"define internal void @{name}(ptr noalias %w) nounwind noinline alignstack(64)"
    return f"{head} {{\nentry:\n{body}\n}}\n"


def _clear(made: Plan, index: int) -> list[str]:
    """Structural zeros, in runs: the last solution stands in their places."""
    system, lanes = made.tape.systems[index], made.lanes
    holes = sorted(
        element
        for entry, element in layout(system, lanes, made.matrix_at[index], made.rhs_at[index])
        if entry == ZERO
    )
    runs: list[list[int]] = []
    for element in holes:
        if runs and sum(runs[-1]) == element:
            runs[-1][1] += 1
        else:
            runs.append([element, 1])
    lines = []
    for number, (start, length) in enumerate(runs):
        at = f"%hole{number}"
        lines.append(f"{at} = getelementptr inbounds double, ptr %w, i64 {start * lanes}")
        lines.append(
            f"call void @llvm.memset.p0.i64(ptr align 8 {at}, i8 0, i64 {8 * lanes * length}, "
            "i1 false)"
        )
    return lines


def _substitutions(made: Plan, index: int) -> list[str]:
    """A loop over blocks of columns, with Lᵀ y = b, x = y / D, L x = y written out inside."""
    system, lanes = made.tape.systems[index], made.lanes
    blocks = system.k if lanes > 1 else -(-system.k // COLUMNS)
    width = lanes if lanes > 1 else COLUMNS
    writer = _Columns(made, index, width)
    head = [
        "br label %column",
        "column:",
        "%i = phi i64 [ 0, %entry ], [ %next, %column ]",
        f"%offset = mul i64 %i, {width}",
    ]
    writer.substitute()
    tail = [
        "%next = add i64 %i, 1",
        f"%more = icmp ult i64 %next, {blocks}",
        "br i1 %more, label %column, label %done",
        "done:",
        "ret void",
    ]
    return [*head, *writer.lines, *tail]


class _Columns:
    """Substitutions for one block of columns."""

    def __init__(self, made: Plan, index: int, width: int) -> None:
        self.system = made.tape.systems[index]
        self.lanes = made.lanes
        self.width = width
        self.type = real(width)
        self.matrix_at, self.rhs_at = made.matrix_at[index], made.rhs_at[index]
        self.stride = rhs_stride(self.system, made.lanes)
        self.lines: list[str] = []
        self.x: list[str] = []

    def fresh(self) -> str:
        return f"%t{len(self.lines)}"

    def add(self, text: str) -> str:
        name = self.fresh()
        self.lines.append(f"{name} = {text}")
        return name

    def substitute(self) -> None:
        n = self.system.n
        rows = self._packed()
        base = self.add("getelementptr inbounds double, ptr %w, i64 %offset")
        step = self.lanes * self.stride
        at = [
            self.add(
                f"getelementptr inbounds double, ptr {base}, "
                f"i64 {self.rhs_at * self.lanes + row * step}"
            )
            for row in range(n)
        ]
        self.x = [self.add(f"load {self.type}, ptr {a}, align 8") for a in at]
        for k in reversed(range(n)):
            for j, place in rows[k].items():
                self.subtract(j, place, k)
        count = sum(len(row) for row in rows)
        for k in range(n):
            scale = self.factor(self.matrix_at + count + k)
            self.x[k] = self.add(f"fmul contract nsz {self.type} {self.x[k]}, {scale}")
            for j, place in rows[k].items():
                self.subtract(k, place + count + n, j)  # the second copy of L
        for row in range(n):
            self.lines.append(f"store {self.type} {self.x[row]}, ptr {at[row]}, align 8")

    def _packed(self) -> list[dict[int, int]]:
        """Per row of L: column -> element of the workspace."""
        n = self.system.n
        rows: list[dict[int, int]] = [{} for _ in range(n)]
        place = self.matrix_at
        for index, entry in enumerate(self.system.matrix):
            if entry != ZERO:
                rows[index // n][index % n] = place
                place += 1
        return rows

    def subtract(self, target: int, place: int, source: int) -> None:
        product = self.add(f"fmul contract nsz {self.type} {self.factor(place)}, {self.x[source]}")
        self.x[target] = self.add(f"fsub contract nsz {self.type} {self.x[target]}, {product}")

    def factor(self, place: int) -> str:
        """An entry of the factors, the same in every column."""
        at = self.add(f"getelementptr inbounds double, ptr %w, i64 {place * self.lanes}")
        if self.lanes > 1:
            return self.add(f"load {self.type}, ptr {at}, align 8")
        scalar = self.add(f"load double, ptr {at}, align 8")
        first = self.add(f"insertelement {self.type} poison, double {scalar}, i32 0")
        return self.add(
            f"shufflevector {self.type} {first}, {self.type} poison, "
            f"<{self.width} x i32> zeroinitializer"
        )


def _eliminate(made: Plan, index: int) -> list[str]:
    """One call for a single evaluation."""
    system = made.tape.systems[index]
    return [
        f"%a = getelementptr inbounds double, ptr %w, i64 {made.matrix_at[index]}",
        f"%b = getelementptr inbounds double, ptr %w, i64 {made.rhs_at[index]}",
        _elimination("%a", "%b", system.n, system.k),
        "ret void",
    ]


def _eliminate_lanes(made: Plan, index: int) -> list[str]:
    """Lane by lane through a scratch copy, since every lane has pivots of its own."""
    system, lanes = made.tape.systems[index], made.lanes
    n, k = system.n, system.k
    scratch = made.matrix_at[index] + n * n
    return [
        f"%a = getelementptr inbounds double, ptr %w, i64 {made.matrix_at[index] * lanes}",
        f"%b = getelementptr inbounds double, ptr %w, i64 {made.rhs_at[index] * lanes}",
        f"%sa = getelementptr inbounds double, ptr %w, i64 {scratch * lanes}",
        f"%sb = getelementptr inbounds double, ptr %sa, i64 {n * padded(n)}",
        "br label %lane",
        "lane:",
        "%l = phi i64 [ 0, %entry ], [ %next, %lane ]",
        "%al = getelementptr inbounds double, ptr %a, i64 %l",
        "%bl = getelementptr inbounds double, ptr %b, i64 %l",
        _copy(("%sa", padded(n), 1), ("%al", n * lanes, lanes), (n, n)),
        _copy(("%sb", padded(k), 1), ("%bl", k * lanes, lanes), (n, k)),
        _elimination("%sa", "%sb", n, k),
        _copy(("%bl", k * lanes, lanes), ("%sb", padded(k), 1), (n, k)),
        "%next = add i64 %l, 1",
        f"%more = icmp ult i64 %next, {lanes}",
        "br i1 %more, label %lane, label %done",
        "done:",
        "ret void",
    ]


def _elimination(matrix: str, rhs: str, n: int, k: int) -> str:
    sizes = f"i64 {n}, i64 {padded(n)}, i64 {padded(k)}"
    return f"call void @kt.eliminate(ptr {matrix}, ptr {rhs}, {sizes})"


def _copy(to: tuple[str, int, int], source: tuple[str, int, int], size: tuple[int, int]) -> str:
    """Rows and columns from one array to another; an array is (pointer, row step, column step)."""
    ends = ", ".join(f"ptr {p}, i64 {row}, i64 {column}" for p, row, column in (to, source))
    return f"call void @kt.copy({ends}, i64 {size[0]}, i64 {size[1]})"
