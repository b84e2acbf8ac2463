"""The body of one LLVM function: operations of a tape as instructions, values fetched as needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kinetree.targets.native.llvm import Code
from kinetree.targets.native.maths import arctangent, tables
from kinetree.targets.native.maths.sincos import triple
from kinetree.targets.native.values import REAL, Value, vector
from kinetree.targets.tape.tape import TWO, ZERO

if TYPE_CHECKING:
    from kinetree.targets.native.compile.plan import Plan

BINARY = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
INTRINSIC = {"abs": "fabs"}
"""Functions whose intrinsic is not called llvm.NAME."""
OFTEN = 2
"""Divisions by one value from which its inverse is taken."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to spell a tape.

    Attributes:
        lanes: evaluations side by side.
        strict: keep every rounding; otherwise products and sums may fuse.
        fused: whether the processor has a fused multiply-add.
        constant_lanes: whether preamble results come per lane.
        stride: of a single evaluation: doubles from one preamble result to the next.
    """

    lanes: int = 1
    strict: bool = False
    fused: bool = True
    constant_lanes: bool = False
    stride: int = 1

    @property
    def flags(self) -> str:
        """What LLVM may do to sums and products: fuse them, and ignore the sign of zero."""
        return "" if self.strict else "contract nsz "


ARGUMENTS = {
    "x": "readonly ", "c": "readonly ", "r": "readonly ", "y": "writeonly ", "z": "writeonly ",
}  # fmt: skip
"""What a function without result does to its arrays, by name; it reads and writes the others."""


class Writer:
    """The body of one LLVM function over a plan.

    Attributes:
        code: the function.
        arrays: its arrays by name, the workspace w included.
        into: the workspace as this function may write it; a segment reads it by another name.
        known: entry -> its value in this function.
        divisors: entry -> how many operations of this function divide by it.
        settled: in the step of an iteration, the evaluations that are done.
    """

    def __init__(
        self,
        made: Plan,
        options: Options,
        head: tuple[str, str],
        into: str = "z",
        result: str = "void",
    ) -> None:
        """A function; `head` is its name and the names of its arrays, a letter each."""
        self.plan = made
        self.tape = made.tape
        self.options = options
        self.into = into
        self.out_of = "r" if into == "z" and not made.inline else "w"
        self.type = vector(REAL, options.lanes)
        # with lanes, values that spill are whole cache lines, if the stack is aligned to these
        attributes = "nounwind noinline" + (" alignstack(64)" if options.lanes > 1 else "")
        kinds = ARGUMENTS if result == "void" else {}
        arguments = [(f"ptr noalias {kinds.get(a, '')}".strip(), a) for a in head[1]]
        self.code = Code(head[0], result, arguments, attributes, options.flags)
        self.arrays = {name: self.code.argument(name) for name in head[1]}
        self.known: dict[int, Value] = {}
        self.divisors: Counter[int] = Counter()
        self.inverses: dict[int, Value] = {}
        self.settled: Value | None = None

    def pointer(self, base: str, element: int, width: int | None = None) -> Value:
        """Address of an element of an array of rows."""
        array = self.arrays[base]
        if element == 0:
            return array
        return self.code.at(array, element * (self.options.lanes if width is None else width))

    def load(self, base: str, element: int) -> Value:
        """A row read from memory."""
        return self.code.load(self.pointer(base, element), self.type)

    def store(self, value: Value, base: str, element: int) -> None:
        """A row written to memory."""
        self.code.store(value, self.pointer(base, element))

    def keep(self, value: Value, places: Iterable[tuple[str, int]]) -> None:
        """Store a value wherever it is wanted."""
        for base, element in places:
            self.store(value, self.into if base == "workspace" else base, element)

    def number(self, value: float) -> Value:
        """A literal in every lane."""
        return self.code.constant(value, self.type)

    def value(self, entry: int) -> Value:
        """An entry's value, read from where it lives if need be."""
        found = self.known.get(entry)
        if found is None:
            found = self.known[entry] = self._fetch(entry)
        return found

    def _fetch(self, entry: int) -> Value:
        if entry == ZERO:
            return self.number(0.0)
        code, a = self.tape.code[entry], self.tape.a[entry]
        if code == "num":
            return self.number(self.tape.numbers[a])
        if code == "in":
            return self.load("x", a)
        if code == "const":
            return self._constant(a)
        return self.load(self.out_of, self.plan.where(entry))

    def _constant(self, index: int) -> Value:
        if self.options.lanes == 1:
            return self.code.load(self.pointer("c", index, self.options.stride))
        if self.options.constant_lanes:
            return self.load("c", index)
        return self.code.constant(self.code.load(self.pointer("c", index, 1)), self.type)

    def operation(self, entry: int) -> Value:
        """Write the operation of an entry; its value."""
        found = self.known.get(entry)
        if found is None:
            found = self.known[entry] = self._operation(entry, self.tape.code[entry])
        return found

    def _operation(self, entry: int, code: str) -> Value:
        tape = self.tape
        a = self.value(tape.a[entry])
        sign = BINARY.get(code)
        if sign == "/" and self.divisors[tape.b[entry]] >= OFTEN:
            return a * self._inverse(tape.b[entry])
        if sign is not None:
            return self.code.binary(sign, a, self.value(tape.b[entry]))
        if code == "neg":
            return -a
        if code in SPECIAL:
            return SPECIAL[code](self, entry, a)
        more = [self.value(tape.b[entry])] if code in TWO else []
        return self.code.intrinsic(INTRINSIC.get(code, code), a, *more)

    def _inverse(self, divisor: int) -> Value:
        """1/x, once for all that is divided by x: a division takes as long as many products."""
        if divisor not in self.inverses:
            self.inverses[divisor] = 1.0 / self.value(divisor)
        return self.inverses[divisor]

    def divisions(self, entries: Iterable[int]) -> None:
        """Count the divisors of operations about to be written, unless every rounding is kept."""
        if not self.options.strict:
            tape = self.tape
            self.divisors.update(tape.b[e] for e in entries if tape.code[e] == "div")

    def _arctangent(self, _: int, a: Value) -> Value:
        lanes = self.options.lanes
        if lanes == 1:
            return self.code.intrinsic("atan", a)
        return self.code.call(arctangent.name(lanes), [a], self.type)

    def _late(self, entry: int, angle: Value) -> Value:
        """A sine or cosine whose angle is not known at the start; its partner comes with it."""
        lanes, both = self.options.lanes, -2 - self.tape.a[entry]  # a number that no entry has
        if both not in self.known:
            name = f"kt.sincos.checked.{lanes}"
            self.known[both] = self.code.call(name, [angle], triple(lanes))
        return self.code.part(self.known[both], int(self.tape.code[entry] == "cos"))

    def _sign(self, _: int, a: Value) -> Value:
        above, below = a > 0.0, a < 0.0
        return self.code.choose(above, 1.0, self.code.choose(below, -1.0, a))

    def _select(self, entry: int, condition: Value) -> Value:
        """Both branches are evaluated; a condition that is NaN takes the second."""
        above = condition > 0.0
        a, b = (self.value(e) for e in self.tape.operands(entry)[1:])
        return self.code.choose(above, a, b)

    def _table(self, entry: int, a: Value) -> Value:
        name = tables.name(self.tape.lookups[self.tape.b[entry]], self.options.lanes)
        return self.code.call(name, [a], self.type)


SPECIAL: dict[str, Callable[[Writer, int, Value], Value]] = {
    "sin": Writer._late,
    "cos": Writer._late,
    "atan": Writer._arctangent,
    "sign": Writer._sign,
    "select": Writer._select,
    "table": Writer._table,
}
"""Operations that are more than one instruction or intrinsic."""
