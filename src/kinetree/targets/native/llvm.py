"""A small writer of LLVM IR with values, loops and branches, for code that is not a tape.

Numbers live in registers within one loop or branch; what outlives it goes through the carried
values of `Code.fold` or through memory.  Memory is counted in elements of eight bytes: doubles,
64-bit integers and addresses alike.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TypeAlias

LANES = 4
"""Components of a vector that are treated at once."""
REAL, INT, I32, BOOL, PTR, VEC = "double", "i64", "i32", "i1", "ptr", f"<{LANES} x double>"

Term: TypeAlias = "Value | float | int"

OPERATIONS = {
    ("+", REAL): "fadd contract", ("-", REAL): "fsub contract", ("*", REAL): "fmul contract",
    ("/", REAL): "fdiv", ("<", REAL): "fcmp olt", ("<=", REAL): "fcmp ole",
    (">", REAL): "fcmp ogt", (">=", REAL): "fcmp oge", ("==", REAL): "fcmp oeq",
    ("+", INT): "add", ("-", INT): "sub", ("*", INT): "mul", ("<", INT): "icmp slt",
    ("<=", INT): "icmp sle", (">", INT): "icmp sgt", (">=", INT): "icmp sge",
    ("==", INT): "icmp eq", ("%", INT): "srem", ("&", BOOL): "and", ("|", BOOL): "or",
}  # fmt: skip
"""(sign, kind) -> instruction; comparisons with not-a-number are false."""
COMPARISONS = frozenset({"<", "<=", ">", ">=", "=="})


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """A register or a constant; arithmetic with it writes instructions."""

    code: Code
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

    def __and__(self, other: Value) -> Value:
        return self.code.binary("&", self, other)

    def __or__(self, other: Value) -> Value:
        return self.code.binary("|", self, other)

    def same(self, other: Term) -> Value:
        """Whether both are equal (`==` compares Python objects)."""
        return self.code.binary("==", self, other)

    def negated(self) -> Value:
        """The opposite truth."""
        return self.code.emit(BOOL, f"xor i1 {self.text}, true")


def spelled(number: float) -> str:
    """A double as LLVM reads it, bit by bit."""
    return "0x" + struct.pack(">d", number).hex().upper()


class Code:
    """One function being written.

    Attributes:
        lines: its instructions so far.
    """

    def __init__(self, name: str, result: str, arguments: Sequence[tuple[str, str]]) -> None:
        self.head = (name, result, tuple(arguments))
        self.lines: list[str] = []
        self._count = 0
        self._block = "entry"
        self._open = True

    def argument(self, name: str) -> Value:
        """An argument of the function."""
        kind = next(kind for kind, known in self.head[2] if known == name)
        return Value(self, kind, f"%{name}")

    def text(self) -> str:
        """The whole definition; names that contain a dot are internal."""
        name, result, arguments = self.head
        listed = ", ".join(f"{kind} %{known}" for kind, known in arguments)
        scope = "internal " if "." in name else ""
        body = "\n".join(self.lines)
        head = f"define {scope}{result} @{name}({listed}) nounwind"
        return f"{head} {{\nentry:\n{body}\n}}\n"

    def emit(self, kind: str, instruction: str) -> Value:
        """An instruction that gives a value."""
        self._count += 1
        name = f"%v{self._count}"
        self.lines.append(f"  {name} = {instruction}")
        return Value(self, kind, name)

    def constant(self, value: Term, kind: str = REAL) -> Value:
        """A number of that kind; a value passes through, spread over the lanes where needed."""
        if isinstance(value, Value):
            return self.spread(value) if kind == VEC and value.kind == REAL else value
        if kind in {INT, I32}:
            return Value(self, kind, str(int(value)))
        one = spelled(float(value))
        if kind == VEC:
            return Value(self, VEC, "<" + ", ".join([f"double {one}"] * LANES) + ">")
        return Value(self, REAL, one)

    def spread(self, value: Value) -> Value:
        """The same double in every lane."""
        first = self.emit(VEC, f"insertelement {VEC} poison, double {value.text}, i32 0")
        mask = f"<{LANES} x i32> zeroinitializer"
        return self.emit(VEC, f"shufflevector {VEC} {first.text}, {VEC} poison, {mask}")

    def binary(self, sign: str, a: Value, b: Term) -> Value:
        """A sum, difference, product, quotient or comparison."""
        other = self.constant(b, a.kind)
        if a.kind == REAL and other.kind == VEC:
            a = self.spread(a)
        row = OPERATIONS[sign, REAL if a.kind == VEC else a.kind]
        kind = BOOL if sign in COMPARISONS else a.kind
        return self.emit(kind, f"{row} {a.kind} {a.text}, {other.text}")

    def at(self, base: Value, index: Term) -> Value:
        """Address of an element of eight bytes."""
        place = self.constant(index, INT)
        return self.emit(PTR, f"getelementptr double, ptr {base.text}, i64 {place.text}")

    def load(self, place: Value, kind: str = REAL) -> Value:
        """What stands there."""
        return self.emit(kind, f"load {kind}, ptr {place.text}, align 8")

    def store(self, value: Value, place: Value) -> None:
        """Put a value there."""
        self.lines.append(f"  store {value.kind} {value.text}, ptr {place.text}, align 8")

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

    def choose(self, condition: Value, yes: Term, no: Term) -> Value:
        """One of two values."""
        kind = next((v.kind for v in (yes, no) if isinstance(v, Value)), REAL)
        a, b = self.constant(yes, kind), self.constant(no, kind)
        text = f"select i1 {condition.text}, {kind} {a.text}, {kind} {b.text}"
        return self.emit(kind, text)

    def unary(self, name: str, value: Value) -> Value:
        """An intrinsic function of one argument: fabs, sqrt."""
        suffix = f"v{LANES}f64" if value.kind == VEC else "f64"
        return self.call(f"llvm.{name}.{suffix}", [value], value.kind)

    def larger(self, a: Value, b: Term) -> Value:
        """The larger of two; not-a-number if one of them is."""
        other = self.constant(b, a.kind)
        suffix = f"v{LANES}f64" if a.kind == VEC else "f64"
        return self.call(f"llvm.maximum.{suffix}", [a, other], a.kind)

    def total(self, value: Value) -> Value:
        """The sum over all lanes, in order."""
        lanes = [
            self.emit(REAL, f"extractelement {VEC} {value.text}, i32 {i}") for i in range(LANES)
        ]
        found = lanes[0]
        for lane in lanes[1:]:
            found = found + lane
        return found

    def whole(self, value: Value) -> Value:
        """A double that is a whole number, as an integer."""
        return self.emit(INT, f"fptosi double {value.text} to i64")

    def real(self, value: Value) -> Value:
        """An integer as a double."""
        return self.emit(REAL, f"sitofp i64 {value.text} to double")

    def wide(self, value: Value) -> Value:
        """A 32-bit integer as one of 64 bits."""
        return self.emit(INT, f"sext i32 {value.text} to i64")

    def small(self, base: Value, index: Value) -> Value:
        """An element of an array of 32-bit integers."""
        place = self.emit(PTR, f"getelementptr i32, ptr {base.text}, i64 {index.text}")
        return self.wide(self.emit(I32, f"load i32, ptr {place.text}, align 4"))

    def copy(self, source: Value, target: Value, count: Value) -> None:
        """Copy that many elements."""
        size = count * 8
        listed = f"ptr {target.text}, ptr {source.text}, i64 {size.text}, i1 false"
        self.lines.append(f"  call void @llvm.memcpy.p0.p0.i64({listed})")

    def leave(self, value: Term | None = None) -> None:
        """Return from the function."""
        result = self.head[1]
        if value is None:
            self.lines.append("  ret void")
        else:
            self.lines.append(f"  ret {result} {self.constant(value, result).text}")
        self._open = False

    @contextmanager
    def when(self, condition: Value) -> Iterator[None]:
        """Do what follows only where the condition holds."""
        inside, after = self._label(), self._label()
        self.lines.append(f"  br i1 {condition.text}, label %{inside}, label %{after}")
        self._start(inside)
        yield
        self._jump(after)
        self._start(after)

    def fold(
        self,
        count: Value,
        start: Sequence[Value],
        body: Callable[[Value, tuple[Value, ...]], Sequence[Value]],
        going: Callable[[tuple[Value, ...]], Value] | None = None,
    ) -> tuple[Value, ...]:
        """Repeat the body for index 0 … count - 1, as long as `going` holds.

        Args:
            count: number of repetitions.
            start: values carried into the first one.
            body: writes one repetition from index and carried values; gives the next ones.
            going: condition on the carried values, before every repetition.

        Returns:
            The values carried out of the last one.
        """
        before, head, inside, after = self._block, *(self._label() for _ in range(3))
        self._jump(head)
        self._start(head)
        carried = (self.constant(0, INT), *start)
        place = len(self.lines)
        phis = [self.emit(v.kind, "") for v in carried]
        more = phis[0] < count
        if going is not None:
            more = more & going(tuple(phis[1:]))
        self.lines.append(f"  br i1 {more.text}, label %{inside}, label %{after}")
        self._start(inside)
        result = body(phis[0], tuple(phis[1:]))
        following = (phis[0] + 1, *result)
        back = self._block
        self._jump(head)
        for number, (phi, first, after_one) in enumerate(
            zip(phis, carried, following, strict=True)
        ):
            ways = f"[ {first.text}, %{before} ], [ {after_one.text}, %{back} ]"
            self.lines[place + number] = f"  {phi.text} = phi {phi.kind} {ways}"
        self._start(after)
        return tuple(phis[1:])

    def each(self, count: Value, body: Callable[[Value], None]) -> None:
        """Repeat the body for index 0 … count - 1."""

        def one(index: Value, carried: tuple[Value, ...]) -> tuple[Value, ...]:
            body(index)
            return carried

        self.fold(count, (), one)

    def _label(self) -> str:
        self._count += 1
        return f"b{self._count}"

    def _start(self, label: str) -> None:
        self.lines.append(f"{label}:")
        self._block, self._open = label, True

    def _jump(self, label: str) -> None:
        if self._open:
            self.lines.append(f"  br label %{label}")


DECLARATIONS = f"""\
declare double @pow(double, double)
declare double @llvm.fabs.f64(double)
declare double @llvm.sqrt.f64(double)
declare double @llvm.maximum.f64(double, double)
declare {VEC} @llvm.fabs.v{LANES}f64({VEC})
declare {VEC} @llvm.maximum.v{LANES}f64({VEC}, {VEC})
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""
"""What functions written here may call."""
