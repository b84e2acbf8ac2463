"""Linear systems with many right-hand sides, in LLVM IR.

Rows of right-hand sides stand packed one after another.  In a single evaluation eight columns at a
time go through the substitutions in SIMD lanes; with several evaluations side by side the lanes
belong to these, and one column goes through at a time.  Where the matrix was factorised on the
tape, the steps of the substitutions are written out, inside a loop over the columns, so that code
stays bounded.  A large general matrix is eliminated along its structure where that serves, else in
loops, with pivoting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.targets.native.compile.layout import COLUMNS, layout, padded
from kinetree.targets.native.maths.sincos import real, suffix
from kinetree.targets.native.systems import direct
from kinetree.targets.native.systems.elimination import ELIMINATION, LANES_ELIMINATION
from kinetree.targets.tape.solve_steps import Product, Scale, Step, Subtract, Swap, System
from kinetree.targets.tape.tape import ZERO

if TYPE_CHECKING:
    from kinetree.targets.native.compile.plan import Plan
    from kinetree.targets.native.compile.writer import Options
    from kinetree.targets.tape.tape import Tape


def helpers(tape: Tape, options: Options) -> list[str]:
    """Definitions that the systems of a tape call."""
    if all(system.factorised for system in tape.systems if isinstance(system, System)):
        return []
    text = ELIMINATION if options.lanes == 1 else LANES_ELIMINATION
    return [text.replace(" contract ", " ") if options.strict else text]


def definition(made: Plan, index: int, name: str, options: Options) -> str:
    """IR of `void NAME(double* w, double* y)`: the solution takes the place of the right sides."""
    system = linear(made, index)
    lines = clear(made, index)
    texts: list[str] = []
    if not system.factorised and not options.strict and direct.order(system) is not None:
        place = direct.Place(made.matrix_at[index], made.panels[index][0], made.lanes)
        texts += direct.definitions(system, place, name, options.flags)
        lines = [
            f"%x = alloca [{system.n * system.k * made.lanes} x double], align 64",
            f"call void @{name}.eliminate(ptr %w, ptr %x)",
            f"%good = call i1 @{name}.test(ptr %w, ptr %x)",
            "br i1 %good, label %done, label %pivoted",
            "pivoted:", *lines, *_eliminate(made, index)[:-1], "br label %done",
            "done:", "ret void",
        ]  # fmt: skip
    elif system.factorised:
        strides = dict.fromkeys(panel.stride for panel in made.panels[index])
        for stride in strides:
            columns = _Columns(made, index, stride, options.flags)
            texts.append(_substitutions(columns, f"{name}.{stride}"))
        lines += _calls(made, index, name)
    else:
        lines += _eliminate(made, index)
    head = f"define internal void @{name}(ptr noalias %w, ptr noalias %y) nounwind noinline"
    return "\n".join([*texts, f"{head} {{\nentry:\n{_body(lines)}\n}}\n"])


def linear(made: Plan, index: int) -> System:
    """The linear system of that number."""
    system = made.tape.systems[index]
    assert isinstance(system, System)
    return system


def _body(lines: list[str]) -> str:
    return "\n".join(line if line.endswith(":") else f"  {line}" for line in lines)


ARRAYS = {"workspace": "%w", "%y": "%y"}


def clear(made: Plan, index: int) -> list[str]:
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
    """IR of `void NAME(w, x, count)`: the steps for the columns of a panel.

    The steps are written out; a loop goes over blocks of columns.
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
        self.system = linear(made, index)
        self.lanes = made.lanes
        self.width = made.lanes if made.lanes > 1 else COLUMNS
        self.type = real(self.width)
        self.next = made.matrix_at[index]
        self.step = made.lanes * stride
        self.flags = flags
        self.lines: list[str] = []
        self.x: list[str] = []

    def add(self, text: str) -> str:
        name = f"%t{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return name

    def substitute(self) -> None:
        mask = self._mask() if self.lanes == 1 else ""
        base = self.add("getelementptr inbounds double, ptr %x, i64 %offset")
        at = [
            self.add(f"getelementptr inbounds double, ptr {base}, i64 {row * self.step}")
            for row in range(self.system.n)
        ]
        self.x = [self._load(place, mask) for place in at]
        for step in self.system.steps:
            self._take(step)
        for value, place in zip(self.x, at, strict=True):
            self._store(value, place, mask)

    def _take(self, step: Step) -> None:
        """One step; its coefficients stand one after another, each where it is read once."""
        x = self.x
        if isinstance(step, Subtract):
            term = self._operation("fmul", self._spread(), x[step.other])
            x[step.row] = self._operation("fsub", x[step.row], term)
        elif isinstance(step, Scale):
            x[step.row] = self._operation("fmul", x[step.row], self._spread())
        elif isinstance(step, Swap):
            flag = self._flag()
            a, b = (f"{self.type} {x[row]}" for row in (step.row, step.other))
            x[step.row] = self.add(f"select {flag}, {b}, {a}")
            x[step.other] = self.add(f"select {flag}, {a}, {b}")
        else:
            self._multiply(step)

    def _multiply(self, step: Product) -> None:
        before = [self.x[row] for row in step.rows]
        for place, row in enumerate(step.rows):
            total = ""
            for column, value in enumerate(before):
                if step.matrix[place * len(before) + column] != ZERO:
                    term = self._operation("fmul", self._spread(), value)
                    total = self._operation("fadd", total, term) if total else term
            self.x[row] = total or "zeroinitializer"

    def _operation(self, name: str, left: str, right: str) -> str:
        return self.add(f"{name} {self.flags}{self.type} {left}, {right}")

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

    def _coefficient(self) -> str:
        """The next coefficient: a number for all columns, or one per evaluation."""
        at = self.add(f"getelementptr inbounds double, ptr %w, i64 {self.next * self.lanes}")
        self.next += 1
        return self.add(f"load {real(self.lanes)}, ptr {at}, align 8")

    def _spread(self) -> str:
        """The next coefficient, the same in every column."""
        value = self._coefficient()
        if self.lanes > 1:
            return value
        first = self.add(f"insertelement {self.type} poison, double {value}, i32 0")
        return self.add(
            f"shufflevector {self.type} {first}, {self.type} poison, "
            f"<{self.width} x i32> zeroinitializer"
        )

    def _flag(self) -> str:
        """Whether the next coefficient is above zero."""
        value = self._coefficient()
        zero, kind = (
            ("0.0", "i1") if self.lanes == 1 else ("zeroinitializer", f"<{self.lanes} x i1>")
        )
        return f"{kind} " + self.add(f"fcmp ogt {real(self.lanes)} {value}, {zero}")


def _eliminate(made: Plan, index: int) -> list[str]:
    """One call, with pivots of its own for every evaluation."""
    system, lanes = linear(made, index), made.lanes
    n, k = system.n, system.k
    single = f"@kt.eliminate(ptr %a, ptr %b, i64 {n}, i64 {padded(n)}, i64 {padded(k)})"
    several = f"@kt.eliminate.lanes(ptr %a, ptr %b, i64 {n}, i64 {k})"
    return [
        f"%a = getelementptr inbounds double, ptr %w, i64 {made.matrix_at[index] * lanes}",
        f"%b = getelementptr inbounds double, ptr %w, i64 {made.panels[index][0].start * lanes}",
        f"call void {single if lanes == 1 else several}",
        "ret void",
    ]
