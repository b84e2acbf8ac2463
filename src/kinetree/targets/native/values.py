"""Values in LLVM IR, and the arithmetic with them.

Several evaluations side by side are vectors of that many lanes; everything that works on a double
works on them, too.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

Term: TypeAlias = "Value | float | int"


def vector(kind: str, lanes: int) -> str:
    """The type of a value of that kind in each lane."""
    return kind if lanes == 1 else f"<{lanes} x {kind}>"


@cache
def split(kind: str) -> tuple[str, int]:
    """The type of a value in one lane, and the number of lanes."""
    if not kind.startswith("<"):
        return kind, 1
    lanes, _, one = kind[1:-1].partition(" x ")
    return one, int(lanes)


LANES = 4
"""Components of a vector that the loops of integrators treat at once."""
REAL, INT, I32, BOOL, PTR, VEC = "double", "i64", "i32", "i1", "ptr", vector("double", LANES)
FUSE = "contract "
"""Flag of sums and products that may become one instruction."""

OPERATIONS = {
    ("+", REAL): "fadd", ("-", REAL): "fsub", ("*", REAL): "fmul", ("/", REAL): "fdiv",
    ("<", REAL): "fcmp olt", ("<=", REAL): "fcmp ole", (">", REAL): "fcmp ogt",
    (">=", REAL): "fcmp oge", ("==", REAL): "fcmp oeq", ("!=", REAL): "fcmp une",
    ("+", INT): "add", ("-", INT): "sub", ("*", INT): "mul", ("<", INT): "icmp slt",
    ("<=", INT): "icmp sle", (">", INT): "icmp sgt", (">=", INT): "icmp sge",
    ("==", INT): "icmp eq", ("!=", INT): "icmp ne", ("%", INT): "srem", ("&", INT): "and",
    ("|", INT): "or", ("^", INT): "xor", ("<<", INT): "shl", (">>", INT): "lshr",
    ("uno", REAL): "fcmp uno", ("ult", INT): "icmp ult", ("uge", INT): "icmp uge",
}  # fmt: skip
"""(sign, kind) -> instruction; a comparison with NaN is false, but for != and uno."""
COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!=", "uno", "ult", "uge"})


@cache
def operation(sign: str, kind: str) -> tuple[str, str, bool]:
    """The instruction of a sign, the kind of its result, and whether it takes flags."""
    one, lanes = split(kind)
    row = OPERATIONS[sign, REAL if one == REAL else INT]
    if sign in COMPARISONS:
        return row, vector(BOOL, lanes), False
    return row, kind, one == REAL


@dataclass(slots=True, eq=False)
class Value:
    """A register or a constant; arithmetic with it writes instructions."""

    code: Arithmetic
    kind: str
    text: str

    def __add__(self, other: Term) -> Value:
        return self.code.binary("+", self, other)

    def __sub__(self, other: Term) -> Value:
        return self.code.binary("-", self, other)

    def __rsub__(self, other: Term) -> Value:
        return self.code.binary("-", self.code.constant(other, self.kind), self)

    def __mul__(self, other: Term) -> Value:
        return self.code.binary("*", self, other)

    def __truediv__(self, other: Term) -> Value:
        return self.code.binary("/", self, other)

    def __rtruediv__(self, other: Term) -> Value:
        return self.code.binary("/", self.code.constant(other, self.kind), self)

    def __mod__(self, other: Term) -> Value:
        return self.code.binary("%", self, other)

    def __lt__(self, other: Term) -> Value:
        return self.code.binary("<", self, other)

    def __le__(self, other: Term) -> Value:
        return self.code.binary("<=", self, other)

    def __gt__(self, other: Term) -> Value:
        return self.code.binary(">", self, other)

    def __ge__(self, other: Term) -> Value:
        return self.code.binary(">=", self, other)

    def __and__(self, other: Term) -> Value:
        return self.code.binary("&", self, other)

    def __or__(self, other: Value) -> Value:
        return self.code.binary("|", self, other)

    def __xor__(self, other: Term) -> Value:
        return self.code.binary("^", self, other)

    def __lshift__(self, other: Term) -> Value:
        return self.code.binary("<<", self, other)

    def __rshift__(self, other: Term) -> Value:
        return self.code.binary(">>", self, other)

    def __neg__(self) -> Value:
        return self.code.emit(self.kind, f"fneg {self.code.flags}{self.kind} {self.text}")

    def same(self, other: Term) -> Value:
        """Whether both are equal (`==` compares Python objects)."""
        return self.code.binary("==", self, other)

    def differs(self, other: Term) -> Value:
        """Whether they are not equal, or one of them is NaN."""
        return self.code.binary("!=", self, other)

    def negate(self) -> Value:
        """The opposite truth."""
        return self.code.emit(BOOL, f"xor i1 {self.text}, true")


def spell_double(number: float) -> str:
    """A double as LLVM reads it, bit by bit."""
    return "0x" + struct.pack(">d", number).hex().upper()


class Arithmetic:
    """Instructions without branches.

    Attributes:
        lines: the instructions so far.
        flags: what LLVM may do to sums, differences, products, quotients and sign changes.
    """

    def __init__(self, flags: str = FUSE) -> None:
        self.lines: list[str] = []
        self.flags = flags
        self._count = 0

    def emit(self, kind: str, instruction: str) -> Value:
        """An instruction that gives a value."""
        self._count += 1
        name = f"%v{self._count}"
        self.lines.append(f"  {name} = {instruction}")
        return Value(self, kind, name)

    @contextmanager
    def exact(self) -> Iterator[None]:
        """Round every sum and product that is written inside."""
        flags, self.flags = self.flags, ""
        yield
        self.flags = flags

    # --- arithmetic ------------------------------------------------------------------------------

    def constant(self, value: Term, kind: str = REAL) -> Value:
        """A number of that kind; a value passes through, spread over the lanes where needed."""
        one, lanes = split(kind)
        if isinstance(value, Value):
            return self.spread(value, lanes) if kind != one and value.kind == one else value
        if one == REAL:
            text = spell_double(float(value))
        else:
            text = str(int(value)) if one != BOOL else str(bool(value)).lower()
        return Value(self, kind, text if lanes == 1 else f"splat ({one} {text})")

    def spread(self, value: Value, lanes: int = LANES) -> Value:
        """The same number in every lane."""
        kind = vector(value.kind, lanes)
        first = self.emit(kind, f"insertelement {kind} poison, {value.kind} {value.text}, i32 0")
        return self.shuffle(first, None, [0] * lanes)

    def binary(self, sign: str, a: Value, b: Term) -> Value:
        """A sum, difference, product, quotient, comparison or operation on bits."""
        if not isinstance(b, Value) or b.kind != a.kind:
            b = self.constant(b, a.kind)
            a = self.constant(a, b.kind)
        row, kind, flagged = operation(sign, a.kind)
        return self.emit(kind, f"{row} {self.flags if flagged else ''}{a.kind} {a.text}, {b.text}")

    def no_number(self, value: Value) -> Value:
        """Whether it is NaN."""
        return self.binary("uno", value, 0.0)

    def any(self, flags: Value) -> Value:
        """Whether one of the lanes is true."""
        lanes = split(flags.kind)[1]
        if lanes == 1:
            return flags
        return self.call(f"llvm.vector.reduce.or.v{lanes}i1", [flags], BOOL)

    def cast(self, how: str, value: Value, kind: str) -> Value:
        """The value as another kind: bitcast, zext."""
        return self.emit(kind, f"{how} {value.kind} {value.text} to {kind}")

    def bits(self, flags: Value) -> Value:
        """One bit per lane."""
        return self.cast("bitcast", flags, f"i{split(flags.kind)[1]}")

    def choose(self, condition: Value, yes: Term, no: Term) -> Value:
        """One of two values, lane by lane."""
        kind = next((v.kind for v in (yes, no) if isinstance(v, Value)), REAL)
        a, b = self.constant(yes, kind), self.constant(no, kind)
        text = f"select {condition.kind} {condition.text}, {kind} {a.text}, {kind} {b.text}"
        return self.emit(kind, text)

    def intrinsic(self, name: str, *values: Value) -> Value:
        """A function of LLVM of doubles or vectors of them: fabs, sqrt, fma."""
        kind, lanes = values[0].kind, split(values[0].kind)[1]
        return self.call(f"llvm.{name}.{'f64' if lanes == 1 else f'v{lanes}f64'}", values, kind)

    def unary(self, name: str, value: Value) -> Value:
        """An intrinsic function of one argument: fabs, sqrt."""
        return self.intrinsic(name, value)

    def larger(self, a: Value, b: Term) -> Value:
        """The larger of two; NaN if one of them is."""
        return self.intrinsic("maximum", a, self.constant(b, a.kind))

    def total(self, value: Value) -> Value:
        """The sum over all lanes, in order."""
        lanes = [self.lane(value, i) for i in range(split(value.kind)[1])]
        found = lanes[0]
        for lane in lanes[1:]:
            found = found + lane
        return found

    def whole(self, value: Value) -> Value:
        """A double that is a whole number, as an integer."""
        return self.cast("fptosi", value, INT)

    def real(self, value: Value) -> Value:
        """An integer as a double."""
        return self.cast("sitofp", value, REAL)

    def wide(self, value: Value) -> Value:
        """A 32-bit integer as one of 64 bits."""
        return self.cast("sext", value, INT)

    # --- lanes and parts -------------------------------------------------------------------------

    def lane(self, value: Value, number: int) -> Value:
        """One lane of a vector."""
        kind = split(value.kind)[0]
        return self.emit(kind, f"extractelement {value.kind} {value.text}, i32 {number}")

    def with_lane(self, value: Value, one: Value, number: int) -> Value:
        """The vector with another value in one lane."""
        text = f"insertelement {value.kind} {value.text}, {one.kind} {one.text}, i32 {number}"
        return self.emit(value.kind, text)

    def shuffle(self, a: Value, b: Value | None, order: Sequence[int]) -> Value:
        """Lanes of two vectors side by side, by their numbers."""
        one, count = split(a.kind)[0], len(order)
        mask = f"<{', '.join(f'i32 {i}' for i in order)}>" if any(order) else "zeroinitializer"
        other = "poison" if b is None else b.text
        text = f"{a.kind} {a.text}, {a.kind} {other}, <{count} x i32> {mask}"
        return self.emit(vector(one, count), f"shufflevector {text}")

    def part(self, value: Value, number: int) -> Value:
        """One of several results."""
        kind = value.kind[2:-2].split(", ")[number]
        return self.emit(kind, f"extractvalue {value.kind} {value.text}, {number}")

    def call(
        self, function: Value | str, arguments: Sequence[Value], result: str = "void"
    ) -> Value:
        """Call a function by name or by address."""
        callee = f"@{function}" if isinstance(function, str) else function.text
        listed = ", ".join(f"{a.kind} {a.text}" for a in arguments)
        instruction = f"call {result} {callee}({listed})"
        if result != "void":
            return self.emit(result, instruction)
        self.lines.append(f"  {instruction}")
        return Value(self, "void", "")
