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
from kinetree.targets.native.layout import COLUMNS, layout, padded
from kinetree.targets.native.sincos import real, suffix
from kinetree.targets.tape import ZERO

if TYPE_CHECKING:
    from kinetree.targets.native.plan import Plan
    from kinetree.targets.native.writer import Options
    from kinetree.targets.tape import Tape


def helpers(tape: Tape, options: Options) -> list[str]:
    """Definitions that the systems of a tape call."""
    if all(system.factorised for system in tape.systems):
        return []
    return [ELIMINATION.replace(" contract ", " ") if options.strict else ELIMINATION]


def definition(made: Plan, index: int, name: str, options: Options) -> str:
    """IR of `void NAME(double* w, double* y)`: the solution takes the place of the right sides."""
    system = made.tape.systems[index]
    lines = _clear(made, index)
    texts: list[str] = []
    if system.factorised:
        strides = dict.fromkeys(panel.stride for panel in made.panels[index])
        for stride in strides:
            columns = _Columns(made, index, stride, options.flags)
            texts.append(_substitutions(columns, f"{name}.{stride}"))
        lines += _calls(made, index, name)
    else:
        lines += _eliminate(made, index) if made.lanes == 1 else _eliminate_lanes(made, index)
    head = f"define internal void @{name}(ptr noalias %w, ptr noalias %y) nounwind noinline"
    return "\n".join([*texts, f"{head} {{\nentry:\n{_body(lines)}\n}}\n"])


def _body(lines: list[str]) -> str:
    return "\n".join(line if line.endswith(":") else f"  {line}" for line in lines)


ARRAYS = {"workspace": "%w", "%y": "%y"}


def _clear(made: Plan, index: int) -> list[str]:
    """Structural zeros, in runs: something else may stand in their places."""
    system, lanes = made.tape.systems[index], made.lanes
    holes = sorted(
        (base, element)
        for entry, base, element in layout(system, lanes, made.matrix_at[index], made.panels[index])
        if entry == ZERO
    )
    runs: list[tuple[str, int, int]] = []
    for base, element in holes:
        if runs and runs[-1][0] == base and runs[-1][1] + runs[-1][2] == element:
            runs[-1] = (base, runs[-1][1], runs[-1][2] + 1)
        else:
            runs.append((base, element, 1))
    lines = []
    for number, (base, start, length) in enumerate(runs):
        at, size = f"%hole{number}", 8 * lanes * length
        lines += [
            f"{at} = getelementptr inbounds double, ptr {ARRAYS[base]}, i64 {start * lanes}",
            f"call void @llvm.memset.p0.i64(ptr align 8 {at}, i8 0, i64 {size}, i1 false)",
        ]
    return lines


def _calls(made: Plan, index: int, name: str) -> list[str]:
    """One call per panel."""
    lines: list[str] = []
    for number, panel in enumerate(made.panels[index]):
        base, start = ARRAYS[panel.base], panel.start * made.lanes
        lines += [
            f"%panel{number} = getelementptr inbounds double, ptr {base}, i64 {start}",
            f"call void @{name}.{panel.stride}(ptr %w, ptr %panel{number}, i64 {panel.count})",
        ]
    return [*lines, "ret void"]


def _substitutions(columns: _Columns, name: str) -> str:
    """IR of `void NAME(w, x, count)`: Lᵀ y = b, x = y / D, L x = y for the columns of a panel.

    The sweeps are written out; a loop goes over blocks of columns.
    """
    columns.substitute()
    lines = [
        "br label %column",
        "column:",
        "%i = phi i64 [ 0, %entry ], [ %next, %column ]",
        f"%offset = mul i64 %i, {columns.lanes}",
        "%left = sub i64 %count, %i",
        *columns.lines,
        f"%next = add i64 %i, {1 if columns.lanes > 1 else COLUMNS}",
        "%more = icmp ult i64 %next, %count",
        "br i1 %more, label %column, label %done",
        "done:",
        "ret void",
    ]
    head = f"define internal void @{name}(ptr noalias %w, ptr noalias %x, i64 %count)"
    return f"{head} nounwind noinline alignstack(64) {{\nentry:\n{_body(lines)}\n}}\n"


class _Columns:
    """Substitutions for one block of columns; the last block of a panel may be masked."""

    def __init__(self, made: Plan, index: int, stride: int, flags: str) -> None:
        self.system = made.tape.systems[index]
        self.lanes = made.lanes
        self.width = made.lanes if made.lanes > 1 else COLUMNS
        self.type = real(self.width)
        self.matrix_at = made.matrix_at[index]
        self.step = made.lanes * stride
        self.flags = flags
        self.lines: list[str] = []
        self.x: list[str] = []

    def add(self, text: str) -> str:
        name = f"%t{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return name

    def substitute(self) -> None:
        n = self.system.n
        rows = self._packed()
        mask = self._mask() if self.lanes == 1 else ""
        base = self.add("getelementptr inbounds double, ptr %x, i64 %offset")
        at = [
            self.add(f"getelementptr inbounds double, ptr {base}, i64 {row * self.step}")
            for row in range(n)
        ]
        self.x = [self._load(place, mask) for place in at]
        for k in reversed(range(n)):
            for j, place in rows[k].items():
                self.subtract(j, place, k)
        count = sum(len(row) for row in rows)
        for k in range(n):
            scale = self.factor(self.matrix_at + count + k)
            self.x[k] = self.add(f"fmul {self.flags}{self.type} {self.x[k]}, {scale}")
            for j, place in rows[k].items():
                self.subtract(k, place + count + n, j)  # the second copy of L
        for row in range(n):
            self._store(self.x[row], at[row], mask)

    def _mask(self) -> str:
        """The lanes that belong to the panel."""
        width = self.width
        numbers = ", ".join(f"i64 {i}" for i in range(width))
        first = self.add(f"insertelement <{width} x i64> poison, i64 %left, i32 0")
        left = self.add(
            f"shufflevector <{width} x i64> {first}, <{width} x i64> poison, "
            f"<{width} x i32> zeroinitializer"
        )
        return self.add(f"icmp ugt <{width} x i64> {left}, <{numbers}>")

    def _load(self, place: str, mask: str) -> str:
        if not mask:
            return self.add(f"load {self.type}, ptr {place}, align 8")
        function = f"@llvm.masked.load.{suffix(self.width)}.p0"
        lanes = f"<{self.width} x i1> {mask}"
        arguments = f"ptr align 8 {place}, {lanes}, {self.type} zeroinitializer"
        return self.add(f"call {self.type} {function}({arguments})")

    def _store(self, value: str, place: str, mask: str) -> None:
        if not mask:
            self.lines.append(f"store {self.type} {value}, ptr {place}, align 8")
            return
        function = f"@llvm.masked.store.{suffix(self.width)}.p0"
        lanes = f"<{self.width} x i1> {mask}"
        self.lines.append(
            f"call void {function}({self.type} {value}, ptr align 8 {place}, {lanes})"
        )

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
        product = self.add(f"fmul {self.flags}{self.type} {self.factor(place)}, {self.x[source]}")
        self.x[target] = self.add(f"fsub {self.flags}{self.type} {self.x[target]}, {product}")

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
        f"%b = getelementptr inbounds double, ptr %w, i64 {made.panels[index][0].start}",
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
        f"%b = getelementptr inbounds double, ptr %w, i64 {made.panels[index][0].start * lanes}",
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
