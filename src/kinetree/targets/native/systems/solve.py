"""Linear systems with many right-hand sides, in LLVM IR.

Rows of right-hand sides stand packed one after another.  In a single evaluation eight columns at a
time go through the substitutions in SIMD lanes; with several evaluations side by side the lanes
belong to these, and one column goes through at a time.  Where the matrix was factorised on the
tape, the steps of the substitutions are written out, inside a loop over the columns, so that code
stays bounded.  A large general matrix is eliminated along its structure where that serves, along
tables where it is sparse, else in loops, with pivoting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.targets.native.compile.layout import COLUMNS, ROW, layout, pad
from kinetree.targets.native.llvm import Code
from kinetree.targets.native.systems import direct, elimination, sparse
from kinetree.targets.native.values import BOOL, FUSE, INT, PTR, REAL, Value, vector
from kinetree.targets.tape.solve_steps import Product, Scale, Step, Subtract, Swap, System
from kinetree.targets.tape.tape import ZERO, Tape

if TYPE_CHECKING:
    from kinetree.targets.native.compile.plan import Plan
    from kinetree.targets.native.compile.writer import Options


def helpers(tape: Tape, options: Options) -> list[str]:
    """Definitions that the systems of a tape call."""
    if all(system.factorised for system in tape.systems if isinstance(system, System)):
        return []
    return elimination.definitions(options.lanes, "" if options.strict else FUSE)


def definition(made: Plan, index: int, name: str, options: Options) -> str:
    """IR of `void NAME(double* w, double* y)`: the solution takes the place of the right sides."""
    system = linear(made, index)
    code = Code(name, "void", ARRAYS, "nounwind noinline")
    texts: list[str] = []
    if system.sparse is not None:
        clear(code, made, index)
        place = direct.SystemPlace(made.matrix_at[index], made.panels[index][0], made.lanes)
        texts += sparse.definitions(system, place, name, options.flags)
        code.call(f"{name}.sparse", [code.argument("w")])
    elif not system.factorised and not options.strict and direct.order(system) is not None:
        place = direct.SystemPlace(made.matrix_at[index], made.panels[index][0], made.lanes)
        texts += direct.definitions(system, place, name, options.flags)
        size = system.n * system.k * made.lanes
        given = [code.argument("w"), code.emit(PTR, f"alloca [{size} x double], align 64")]
        code.call(f"{name}.eliminate", given)
        with code.when(code.call(f"{name}.test", given, BOOL).same(False)):
            clear(code, made, index)
            _eliminate(code, made, index)
    elif system.factorised:
        strides = dict.fromkeys(panel.stride for panel in made.panels[index])
        for stride in strides:
            columns = _Columns(made, index, stride, (f"{name}.{stride}", options.flags))
            texts.append(columns.text())
        clear(code, made, index)
        for panel in made.panels[index]:
            columns_at = code.at(_array(code, panel.base), panel.start * made.lanes)
            count = code.constant(panel.count, INT)
            code.call(f"{name}.{panel.stride}", [code.argument("w"), columns_at, count])
    else:
        clear(code, made, index)
        _eliminate(code, made, index)
    code.leave()
    return "\n".join([*texts, code.text()])


def linear(made: Plan, index: int) -> System:
    """The linear system of that number."""
    system = made.tape.systems[index]
    assert isinstance(system, System)
    return system


ARRAYS = [("ptr noalias", "w"), ("ptr noalias", "y")]


def _array(code: Code, base: str) -> Value:
    """The array of a panel."""
    return code.argument("w" if base == "workspace" else base)


def clear(code: Code, made: Plan, index: int) -> None:
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
    for base, start, length in runs:
        code.clear(code.at(_array(code, base), start * lanes), lanes * length)


class _Columns:
    """IR of `void NAME(w, x, count)`: the substitutions for the columns of a panel.

    The steps are written out; a loop goes over blocks of columns, the last of which may be masked.
    """

    def __init__(self, made: Plan, index: int, stride: int, head: tuple[str, str]) -> None:
        """The function for one stride; `head` is its name and the flags of its operations."""
        self.system = linear(made, index)
        self.lanes = made.lanes
        self.width = made.lanes if made.lanes > 1 else COLUMNS
        self.kind = vector(REAL, self.width)
        self.next = made.matrix_at[index]
        self.step = made.lanes * stride
        arguments = [("ptr noalias", "w"), ("ptr noalias", "x"), (INT, "count")]
        attributes = "nounwind noinline alignstack(64)"
        self.code = Code(head[0], "void", arguments, attributes, head[1])
        self.x: list[Value] = []

    def text(self) -> str:
        """The definition."""
        code = self.code
        step = 1 if self.lanes > 1 else COLUMNS
        code.repeat(0, code.argument("count"), (), self._block, step)
        code.leave()
        return code.text()

    def _block(self, i: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        """The columns from i on."""
        code = self.code
        left = code.argument("count") - i
        mask = self._mask(left) if self.lanes == 1 else None
        base = code.at(code.argument("x"), i * self.lanes)
        at = [code.at(base, row * self.step) for row in range(self.system.n)]
        self.x = [self._load(place, mask) for place in at]
        for step in self.system.steps:
            self._take(step)
        for value, place in zip(self.x, at, strict=True):
            self._store(value, place, mask)
        return ()

    def _take(self, step: Step) -> None:
        """One step; its coefficients stand one after another, each where it is read once."""
        x = self.x
        if isinstance(step, Subtract):
            x[step.row] = x[step.row] - self._spread() * x[step.other]
        elif isinstance(step, Scale):
            x[step.row] = x[step.row] * self._spread()
        elif isinstance(step, Swap):
            flag = self._coefficient() > 0.0
            a, b = x[step.row], x[step.other]
            x[step.row] = self.code.choose(flag, b, a)
            x[step.other] = self.code.choose(flag, a, b)
        else:
            self._multiply(step)

    def _multiply(self, step: Product) -> None:
        before = [self.x[row] for row in step.rows]
        for place, row in enumerate(step.rows):
            total: Value | None = None
            for column, value in enumerate(before):
                if step.matrix[place * len(before) + column] != ZERO:
                    term = self._spread() * value
                    total = term if total is None else total + term
            self.x[row] = total or self.code.constant(0.0, self.kind)

    def _mask(self, left: Value) -> Value:
        """The lanes that belong to the panel."""
        spread = self.code.spread(left, self.width)
        numbers = ", ".join(f"i64 {i}" for i in range(self.width))
        flag = vector(BOOL, self.width)
        return self.code.emit(flag, f"icmp ugt {spread.kind} {spread.text}, <{numbers}>")

    def _load(self, place: Value, mask: Value | None) -> Value:
        if mask is None:
            return self.code.load(place, self.kind)
        given = f"ptr align 8 {place.text}, {mask.kind} {mask.text}, {self.kind} zeroinitializer"
        name = f"@llvm.masked.load.v{self.width}f64.p0"
        return self.code.emit(self.kind, f"call {self.kind} {name}({given})")

    def _store(self, value: Value, place: Value, mask: Value | None) -> None:
        if mask is None:
            self.code.store(value, place)
            return
        given = f"{self.kind} {value.text}, ptr align 8 {place.text}, {mask.kind} {mask.text}"
        self.code.lines.append(f"  call void @llvm.masked.store.v{self.width}f64.p0({given})")

    def _coefficient(self) -> Value:
        """The next coefficient: a number for all columns, or one per evaluation."""
        at = self.code.at(self.code.argument("w"), self.next * self.lanes)
        self.next += 1
        return self.code.load(at, vector(REAL, self.lanes))

    def _spread(self) -> Value:
        """The next coefficient, the same in every column."""
        return self.code.constant(self._coefficient(), self.kind)


def _eliminate(code: Code, made: Plan, index: int) -> None:
    """One call, with pivots of its own for every evaluation."""
    system, lanes = linear(made, index), made.lanes
    sizes = (pad(system.n) // ROW, pad(system.k) // ROW) if lanes == 1 else (
        system.n, system.k
    )  # fmt: skip
    w = code.argument("w")
    arrays = [code.at(w, at * lanes) for at in (made.matrix_at[index], made.panels[index][0].start)]
    numbers = [code.constant(x, INT) for x in (system.n, *sizes)]
    code.call(f"kt.eliminate.{lanes}", [*arrays, *numbers])
