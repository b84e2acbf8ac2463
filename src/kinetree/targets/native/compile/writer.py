"""The body of one LLVM function: operations of a tape as instructions, values fetched as needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kinetree.targets.native.maths import arctangent, tables
from kinetree.targets.native.maths.sincos import literal, real, splat, suffix, triple
from kinetree.targets.tape.tape import TWO, ZERO

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kinetree.targets.native.compile.plan import Plan

BINARY = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
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
    """

    lanes: int = 1
    strict: bool = False
    fused: bool = True
    constant_lanes: bool = False

    @property
    def flags(self) -> str:
        """What LLVM may do to sums and products: fuse them, and ignore the sign of zero."""
        return "" if self.strict else "contract nsz "


class Writer:
    """The body of one LLVM function over a plan.

    Attributes:
        into: the workspace as this function may write it; a segment reads it by another name.
        lines: the instructions so far.
        known: entry -> its name or literal in this function.
        divisors: entry -> how many operations of this function divide by it.
    """

    def __init__(self, made: Plan, options: Options, into: str = "%z") -> None:
        self.plan = made
        self.tape = made.tape
        self.options = options
        self.into = into
        self.out_of = "%r" if into == "%z" and not made.inline else "%w"
        self.lines: list[str] = []
        self.known: dict[int, str] = {}
        self.divisors: Counter[int] = Counter()
        self.inverses: dict[int, str] = {}
        self.type = real(options.lanes)
        self.flags = options.flags
        self.count = 0

    def fresh(self) -> str:
        """A name not used yet."""
        self.count += 1
        return f"%t{self.count}"

    def add(self, text: str) -> None:
        """Append an instruction."""
        self.lines.append(f"  {text}")

    def pointer(self, base: str, element: int, width: int | None = None) -> str:
        """Address of an element of an array of rows."""
        if element == 0:
            return base
        name = self.fresh()
        offset = element * (self.options.lanes if width is None else width)
        self.add(f"{name} = getelementptr inbounds double, ptr {base}, i64 {offset}")
        return name

    def load(self, base: str, element: int) -> str:
        """A row read from memory."""
        where = self.pointer(base, element)
        name = self.fresh()
        self.add(f"{name} = load {self.type}, ptr {where}, align 8")
        return name

    def store(self, value: str, base: str, element: int) -> None:
        """A row written to memory."""
        where = self.pointer(base, element)
        self.add(f"store {self.type} {value}, ptr {where}, align 8")

    def keep(self, value: str, places: Iterable[tuple[str, int]]) -> None:
        """Store a value wherever it is wanted."""
        for base, element in places:
            self.store(value, self.into if base == "workspace" else base, element)

    def number(self, value: float) -> str:
        """A literal in every lane."""
        return splat(literal(value), "double", self.options.lanes)

    def value(self, entry: int) -> str:
        """The name of an entry's value, read from where it lives if need be."""
        name = self.known.get(entry)
        if name is None:
            name = self.known[entry] = self._fetch(entry)
        return name

    def _fetch(self, entry: int) -> str:
        if entry == ZERO:
            return self.number(0.0)
        code, a = self.tape.code[entry], self.tape.a[entry]
        if code == "num":
            return self.number(self.tape.numbers[a])
        if code == "in":
            return self.load("%x", a)
        if code == "const":
            return self._constant(a)
        return self.load(self.out_of, self.plan.where(entry))

    def _constant(self, index: int) -> str:
        lanes = self.options.lanes
        if lanes == 1 or self.options.constant_lanes:
            return self.load("%c", index)
        where = self.pointer("%c", index, 1)
        scalar, first, name = self.fresh(), self.fresh(), self.fresh()
        self.add(f"{scalar} = load double, ptr {where}, align 8")
        self.add(f"{first} = insertelement {self.type} poison, double {scalar}, i32 0")
        self.add(
            f"{name} = shufflevector {self.type} {first}, {self.type} poison, "
            f"<{lanes} x i32> zeroinitializer"
        )
        return name

    def operation(self, entry: int) -> str:
        """Write the operation of an entry; the name of its value."""
        if entry in self.known:
            return self.known[entry]
        tape = self.tape
        code = tape.code[entry]
        a = self.value(tape.a[entry])
        if code == "div" and self.divisors[tape.b[entry]] >= OFTEN:
            text = f"fmul {self.flags}{self.type} {a}, {self._inverse(tape.b[entry])}"
        elif code in BINARY:
            b = self.value(tape.b[entry])
            text = f"{BINARY[code]} {self.flags}{self.type} {a}, {b}"
        elif code == "neg":
            text = f"fneg {self.flags}{self.type} {a}"
        elif code in SPECIAL:
            return SPECIAL[code](self, entry, a)
        else:
            b = f", {self.type} {self.value(tape.b[entry])}" if code in TWO else ""
            function = f"@llvm.{INTRINSIC.get(code, code)}.{suffix(self.options.lanes)}"
            text = f"call {self.type} {function}({self.type} {a}{b})"
        name = self.known[entry] = f"%v{entry}"
        self.add(f"{name} = {text}")
        return name

    def _inverse(self, divisor: int) -> str:
        """1/x, once for all that is divided by x: a division takes as long as many products."""
        name = self.inverses.get(divisor)
        if name is None:
            name = self.inverses[divisor] = self.fresh()
            b = self.value(divisor)
            self.add(f"{name} = fdiv {self.flags}{self.type} {self.number(1.0)}, {b}")
        return name

    def divisions(self, entries: Iterable[int]) -> None:
        """Count the divisors of operations about to be written, unless every rounding is kept."""
        if not self.options.strict:
            tape = self.tape
            self.divisors.update(tape.b[e] for e in entries if tape.code[e] == "div")

    def _arctangent(self, entry: int, a: str) -> str:
        lanes = self.options.lanes
        function = arctangent.name(lanes) if lanes > 1 else f"@llvm.atan.{suffix(lanes)}"
        name = self.known[entry] = f"%v{entry}"
        self.add(f"{name} = call {self.type} {function}({self.type} {a})")
        return name

    def _late(self, entry: int, angle: str) -> str:
        """A sine or cosine whose angle is not known at the start; its partner comes with it."""
        lanes = self.options.lanes
        result = triple(lanes)
        both = self.known.get(-2 - self.tape.a[entry])
        if both is None:
            both = self.known[-2 - self.tape.a[entry]] = self.fresh()
            self.add(f"{both} = call {result} @kt.sincos.checked.{lanes}({self.type} {angle})")
        name = self.known[entry] = f"%v{entry}"
        which = int(self.tape.code[entry] == "cos")
        self.add(f"{name} = extractvalue {result} {both}, {which}")
        return name

    def _sign(self, entry: int, a: str) -> str:
        type_ = self.type
        above, below = self.compare("ogt", a), self.compare("olt", a)
        inner = self.fresh()
        name = self.known[entry] = f"%v{entry}"
        low, high = self.number(-1.0), self.number(1.0)
        self.add(f"{inner} = select {self.flag} {below}, {type_} {low}, {type_} {a}")
        self.add(f"{name} = select {self.flag} {above}, {type_} {high}, {type_} {inner}")
        return name

    @property
    def flag(self) -> str:
        """The LLVM type of a comparison."""
        return "i1" if self.options.lanes == 1 else f"<{self.options.lanes} x i1>"

    def compare(self, how: str, a: str) -> str:
        """Whether a value is above or below zero, lane by lane."""
        name = self.fresh()
        self.add(f"{name} = fcmp {how} {self.type} {a}, {self.number(0.0)}")
        return name

    def _select(self, entry: int, condition: str) -> str:
        """Both branches are evaluated; a condition that is no number takes the second."""
        above = self.compare("ogt", condition)
        a, b = (self.value(e) for e in self.tape.operands(entry)[1:])
        name = self.known[entry] = f"%v{entry}"
        self.add(f"{name} = select {self.flag} {above}, {self.type} {a}, {self.type} {b}")
        return name

    def _table(self, entry: int, a: str) -> str:
        name = self.known[entry] = f"%v{entry}"
        function = tables.name(self.tape.lookups[self.tape.b[entry]], self.options.lanes)
        self.add(f"{name} = call {self.type} {function}({self.type} {a})")
        return name


SPECIAL: dict[str, Callable[[Writer, int, str], str]] = {
    "sin": Writer._late,
    "cos": Writer._late,
    "atan": Writer._arctangent,
    "sign": Writer._sign,
    "select": Writer._select,
    "table": Writer._table,
}
"""Operations that are more than one instruction or intrinsic."""
