"""Operations of a tape as statements, one name per value; systems and iterations in place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from kinetree.targets.cuda import tables
from kinetree.targets.cuda.order import order_operations
from kinetree.targets.tape.solve_steps import (
    ZERO,
    Iteration,
    Product,
    Scale,
    Step,
    Subtract,
    System,
)
from kinetree.targets.tape.tape import LEAVES, Tape

if TYPE_CHECKING:
    from kinetree.targets.cuda.precision import Precision

SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
PAIR = {"sin": "cos", "cos": "sin"}


@dataclass(slots=True)
class Shared:
    """What all tapes of a file have in common.

    Attributes:
        kind: precision of all numbers.
        rule: how operations are ordered (see `order`).
        every: operations after which the threads of a block wait for one another; 0 for never.
        solvers: sizes (n, k) of the systems that are eliminated in a loop.
        trig: whether sines or cosines are taken.
        division: whether doubles are divided.
        names: numbers of names not used yet.
    """

    kind: Precision
    rule: str = "best"
    every: int = 0
    solvers: dict[tuple[int, int], None] = field(default_factory=dict)
    trig: bool = False
    division: bool = False
    names: Iterator[int] = field(default_factory=count)

    def fresh(self) -> str:
        """A name that nothing else has: no name of a Program begins with an underscore."""
        return f"_{next(self.names)}"


class CudaWriter:
    """The statements of one tape.

    Attributes:
        lines: what is written so far.
        names: entry -> how it is read.
        sincos: argument -> names of its sine and cosine.
    """

    def __init__(
        self, shared: Shared, tape: Tape, read: Callable[[str, int], str], indent: str = "    "
    ) -> None:
        """Start; `read` spells component i of the inputs ("in") or constants ("const")."""
        self.shared, self.tape, self.read, self.indent = shared, tape, read, indent
        self.lines: list[str] = []
        self.names: dict[int, str] = {}
        self.partner = _partners(tape)
        self.solutions: dict[int, str] = {}
        self.since = 0

    def say(self, text: str) -> None:
        """One line."""
        self.lines.append(f"{self.indent}{text}")

    def let(self, expression: str) -> str:
        """A new value; its name."""
        name = self.shared.fresh()
        self.say(f"const real {name} = {expression};")
        return name

    def body(self, wanted: dict[int, list[str]]) -> None:
        """All operations in a good order; each wanted value is stored as soon as it is there."""
        shared = self.shared
        for entry in order_operations(
            self.tape, self.tape.operations(), shared.kind.budget, shared.rule
        ):
            self.operation(entry)
            for place in wanted.get(entry, ()):
                self.say(f"{place} = {self.value(entry)};")
            self._wait()
        for entry, places in wanted.items():
            if entry == ZERO or self.tape.code[entry] in LEAVES:
                for place in places:
                    self.say(f"{place} = {self.value(entry)};")

    def _wait(self) -> None:
        """Threads that run long straight code together fetch it once for all."""
        self.since += 1
        if self.shared.every and self.since % self.shared.every == 0:
            self.say("__syncthreads();")

    def value(self, entry: int) -> str:
        """How an entry is read; inputs are loaded where they are first wanted."""
        if entry == ZERO:
            return self.shared.kind.literal(0.0)
        if entry in self.names:
            return self.names[entry]
        tape = self.tape
        code, a = tape.code[entry], tape.a[entry]
        if code == "num":
            text = self.shared.kind.literal(tape.numbers[a])
            return f"({text})" if text.startswith("-") else text
        if code == "part":
            return f"{self.solutions[a]}[{tape.b[entry]}]"
        text = self.read(code, a)
        if code == "in" and "[" in text:
            text = self.names[entry] = self.let(text)
        return text

    def operation(self, entry: int) -> None:
        """Write one operation."""
        tape = self.tape
        code = tape.code[entry]
        if code == "solve":
            self._system(tape.a[entry])
        elif code in PAIR:
            self._sincos(entry)
        elif entry not in self.names:
            self.names[entry] = self.let(self._expression(entry, code))

    def _expression(self, entry: int, code: str) -> str:
        tape, kind = self.tape, self.shared.kind
        x = [self.value(e) for e in tape.operands(entry)]
        zero = kind.literal(0.0)
        if code == "div" and not kind.suffix:
            return self._quotient(entry, *x)
        if code in SIGNS:
            return f"{x[0]}{SIGNS[code]}{x[1]}"
        if code == "neg":
            return f"-{x[0]}"
        if code == "select":
            return f"{x[0]} > {zero} ? {x[1]} : {x[2]}"
        if code == "sign":
            one = kind.literal(1.0)
            return f"{x[0]} > {zero} ? {one} : ({x[0]} < {zero} ? -{one} : {x[0]})"
        return f"{self._function(entry, code)}({', '.join(x)})"

    def _function(self, entry: int, code: str) -> str:
        """The name of a function of one or two values."""
        if code == "table":
            return tables.name(self.tape.lookups[self.tape.b[entry]])
        return self.shared.kind.function("fabs" if code == "abs" else code)

    def _quotient(self, entry: int, above: str, below: str) -> str:
        """A quotient of doubles without a call."""
        tape = self.tape
        self.shared.division = True
        top = tape.a[entry]
        if tape.code[top] == "num" and tape.numbers[tape.a[top]] == 1:
            return f"kt_inverse({below})"
        return f"kt_divide({above}, {below})"

    def _sincos(self, entry: int) -> None:
        """Sine and cosine of one angle together, when the first of them is wanted."""
        if entry in self.names:
            return
        x, s, c = self.value(self.tape.a[entry]), self.shared.fresh(), self.shared.fresh()
        for one in (entry, self.partner.get(entry, entry)):
            self.names[one] = s if self.tape.code[one] == "sin" else c
        self.say(f"real {s}, {c};")
        self.say(f"kt_sincos({x}, &{s}, &{c});")
        self.shared.trig = True

    def _system(self, index: int) -> None:
        system = self.tape.systems[index]
        if isinstance(system, Iteration):
            self._iteration(index, system)
        elif system.factorised:
            self._columns(index, system)
        else:
            self._eliminate(index, system)

    def _fill_array(self, size: int, entries: tuple[int, ...]) -> str:
        """A new array with values."""
        name = self.shared.fresh()
        values = [self.value(entry) for entry in entries]
        self.say(f"real {name}[{size}];")
        for place, text in enumerate(values):
            self.say(f"{name}[{place}] = {text};")
        return name

    def _eliminate(self, index: int, system: System) -> None:
        """By a function that loops in local memory."""
        n, k = system.n, system.k
        self.shared.solvers[n, k] = None
        matrix = self._fill_array(n * n, system.matrix)
        rhs = self.solutions[index] = self._fill_array(n * k, system.rhs)
        self.say(f"kt_solve_{n}_{k}({matrix}, {rhs});")

    def _columns(self, index: int, system: System) -> None:
        """A factorised system: every column through the steps."""
        n, k = system.n, system.k
        coefs = iter([self.value(entry) for entry in system.coefs])
        array = self.solutions[index] = self._fill_array(n * k, system.rhs)
        column = self.shared.fresh()
        self.say("#pragma unroll 1")
        self.say(f"for (int {column} = 0; {column} < {k}; {column}++) {{")
        inner, self.indent = self.indent, self.indent + "    "
        x = [self.shared.fresh() for _ in range(n)]
        for row, name in enumerate(x):
            self.say(f"real {name} = {array}[{row * k} + {column}];")
        for step in system.steps:
            self._step(step, x, coefs)
        for row, name in enumerate(x):
            self.say(f"{array}[{row * k} + {column}] = {name};")
        self.indent = inner
        self.say("}")

    def _step(self, step: Step, x: list[str], coefs: Iterator[str]) -> None:
        if isinstance(step, Subtract):
            self.say(f"{x[step.row]} -= {next(coefs)}*{x[step.other]};")
        elif isinstance(step, Scale):
            self.say(f"{x[step.row]} *= {next(coefs)};")
        elif isinstance(step, Product):
            self._product(step, x, coefs)
        else:
            first, second, coef = x[step.row], x[step.other], next(coefs)
            swap = self.shared.fresh()
            self.say(f"const bool {swap} = {coef} > {self.shared.kind.literal(0.0)};")
            upper = self.let(f"{swap} ? {second} : {first}")
            self.say(f"{second} = {swap} ? {first} : {second};")
            self.say(f"{first} = {upper};")

    def _product(self, step: Product, x: list[str], coefs: Iterator[str]) -> None:
        size = len(step.rows)
        sums = []
        for place in range(size):
            row = step.matrix[place * size : (place + 1) * size]
            terms = [
                f"{next(coefs)}*{x[step.rows[j]]}" for j, entry in enumerate(row) if entry != ZERO
            ]
            sums.append(self.let(" + ".join(terms) or self.shared.kind.literal(0.0)))
        for row_, text in zip(step.rows, sums, strict=True):
            self.say(f"{x[row_]} = {text};")

    def _iteration(self, index: int, system: Iteration) -> None:
        """A bounded loop that every thread leaves when its own equations hold."""
        array = self.solutions[index] = self.shared.fresh()
        given = [self.value(entry) for entry in system.given]
        start = [self.value(entry) for entry in system.start]
        self.say(f"real {array}[{system.n}] = {{{', '.join(start)}}};")
        inside = [f"{array}[{i}]" for i in range(system.n)] + given

        def read(_: str, component: int) -> str:
            return inside[component]

        step = _Step(self.shared, system.step, read, self.indent + "    ")
        turn = self.shared.fresh()
        self.say("#pragma unroll 1")
        self.say(f"for (int {turn} = 0; ; {turn}++) {{")
        self.lines += step.iteration_lines(system, array, turn)
        self.say("}")


class _Step(CudaWriter):
    """One step of an iteration."""

    def iteration_lines(self, system: Iteration, array: str, turn: str) -> list[str]:
        """The statements of the loop: equations, test, correction."""
        kind, shared = self.shared.kind, self.shared
        early, late = self.tape.stages(system.equations)
        for entry in order_operations(self.tape, early, kind.budget, shared.rule):
            self.operation(entry)
        limit = kind.literal(kind.tolerance(system.tolerance))
        tests = [
            f"{kind.function('fabs')}({self.value(entry)}) <= {limit}"
            for entry in self.tape.outputs[: system.equations]
        ]
        done = shared.fresh()
        self.say(f"const bool {done} = {' && '.join(tests) or 'true'};")
        if not kind.polished:
            self.say(f"if ({done}) break;")
        for entry in order_operations(self.tape, late, kind.budget, shared.rule):
            self.operation(entry)
        moves = [self.value(entry) for entry in self.tape.outputs[system.equations :]]
        for place, move in enumerate(moves):
            self.say(f"{array}[{place}] -= {move};")
        if kind.polished:
            self.say(f"if ({done}) break;")
        lost = " ".join(f"{array}[{i}] =" for i in range(system.n))
        nan = f'{kind.function("nan")}("")'
        self.say(f"if ({turn} == {system.limit}) {{ {lost} {nan}; break; }}")
        return self.lines


def _partners(tape: Tape) -> dict[int, int]:
    """Sine <-> cosine of the same angle."""
    found: dict[tuple[str, int], int] = {}
    pairs: dict[int, int] = {}
    for entry, code in enumerate(tape.code):
        if code in PAIR:
            angle = tape.a[entry]
            found[code, angle] = entry
            other = found.get((PAIR[code], angle))
            if other is not None:
                pairs[entry], pairs[other] = other, entry
    return pairs
