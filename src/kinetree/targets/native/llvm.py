"""The writer of LLVM IR: functions with memory, loops and branches.

Numbers live in registers within one loop or branch; what outlives it goes through the carried
values of `Code.fold` or through memory.  Memory is counted in elements of eight bytes: doubles,
64-bit integers and addresses alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from kinetree.targets.native.values import (
    BOOL,
    FUSE,
    I32,
    INT,
    LANES,
    PTR,
    REAL,
    VEC,
    Arithmetic,
    Term,
    Value,
)

UNLIKELY = '!0 = !{!"branch_weights", i32 1, i32 1000000}\n'
"""Module-level note on the branches of `Code.when(…, rare=True)`."""


class Code(Arithmetic):
    """One function being written.

    Attributes:
        head: its name, type of the result, (type, name) of the arguments, and attributes.
    """

    def __init__(
        self,
        name: str,
        result: str,
        arguments: Sequence[tuple[str, str]],
        attributes: str = "nounwind",
        flags: str = FUSE,
    ) -> None:
        super().__init__(flags)
        self.head = (name, result, tuple(arguments), attributes)
        self._block = "entry"
        self._open = True

    def argument(self, name: str) -> Value:
        """An argument of the function."""
        kind = next(kind for kind, known in self.head[2] if known == name)
        return Value(self, PTR if kind.startswith(PTR) else kind, f"%{name}")

    def text(self) -> str:
        """The whole definition; names with a dot are internal, others may be called from C."""
        name, result, arguments, attributes = self.head
        listed = ", ".join(f"{kind} %{known}" for kind, known in arguments)
        scope = "internal " if "." in name else "zeroext " if result == BOOL else ""
        body = "\n".join(self.lines)
        head = f"define {scope}{result} @{name}({listed}) {attributes}"
        return f"{head} {{\nentry:\n{body}\n}}\n"

    # --- memory and calls ------------------------------------------------------------------------

    def at(self, base: Value, index: Term) -> Value:
        """Address of an element of eight bytes."""
        place = index.text if isinstance(index, Value) else index
        return self.emit(PTR, f"getelementptr inbounds double, ptr {base.text}, i64 {place}")

    def load(self, place: Value, kind: str = REAL, align: int = 8) -> Value:
        """What stands there."""
        return self.emit(kind, f"load {kind}, ptr {place.text}, align {align}")

    def store(self, value: Value, place: Value, align: int = 8) -> None:
        """Put a value there."""
        text = f"store {value.kind} {value.text}, ptr {place.text}, align {align}"
        self.lines.append(f"  {text}")

    def small(self, base: Value, index: Value) -> Value:
        """An element of an array of 32-bit integers."""
        place = self.emit(PTR, f"getelementptr i32, ptr {base.text}, i64 {index.text}")
        return self.wide(self.load(place, I32, 4))

    def copy(self, source: Value, target: Value, count: Term) -> None:
        """Copy that many elements."""
        size = count * 8 if isinstance(count, Value) else self.constant(8 * count, INT)
        listed = f"ptr align 8 {target.text}, ptr align 8 {source.text}, i64 {size.text}, i1 false"
        self.lines.append(f"  call void @llvm.memcpy.p0.p0.i64({listed})")

    def copy_bytes(self, source: Value, target: Value, count: Value) -> None:
        """Copy that many bytes."""
        listed = f"ptr {target.text}, ptr {source.text}, i64 {count.text}, i1 false"
        self.lines.append(f"  call void @llvm.memcpy.p0.p0.i64({listed})")

    def clear(self, place: Value, count: int) -> None:
        """Put zeros into that many elements."""
        listed = f"ptr align 8 {place.text}, i8 0, i64 {8 * count}, i1 false"
        self.lines.append(f"  call void @llvm.memset.p0.i64({listed})")

    # --- branches and loops ----------------------------------------------------------------------

    def leave(self, value: Term | None = None) -> None:
        """Return from the function."""
        result = self.head[1]
        if value is None:
            self.lines.append("  ret void")
        else:
            self.lines.append(f"  ret {result} {self.constant(value, result).text}")
        self._open = False

    def leave_parts(self, *values: Value) -> None:
        """Return several results."""
        kind = self.head[1]
        whole = Value(self, kind, "poison")
        for number, value in enumerate(values):
            text = f"insertvalue {kind} {whole.text}, {value.kind} {value.text}, {number}"
            whole = self.emit(kind, text)
        self.leave(whole)

    @contextmanager
    def when(self, condition: Value, *, rare: bool = False) -> Iterator[None]:
        """Do what follows only where the condition holds; `rare` tells that it hardly ever does."""
        inside, after = self._label(), self._label()
        note = ", !prof !0" if rare else ""
        self.lines.append(f"  br i1 {condition.text}, label %{inside}, label %{after}{note}")
        self._start(inside)
        yield
        self._jump(after)
        self._start(after)

    def unless(
        self, condition: Value, usual: Sequence[Value], rare: Callable[[], Sequence[Value]]
    ) -> list[Value]:
        """The usual values, but those written by `rare` where the condition holds."""
        before = self._block
        with self.when(condition, rare=True):
            others = rare()
            inside = self._block
        ways = zip(usual, others, strict=True)
        return [
            self.emit(a.kind, f"phi {a.kind} [ {a.text}, %{before} ], [ {b.text}, %{inside} ]")
            for a, b in ways
        ]

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
        place, phis = len(self.lines), [self.emit(v.kind, "") for v in carried]
        more = phis[0] < count
        if going is not None:
            more = more & going(tuple(phis[1:]))
        self.lines.append(f"  br i1 {more.text}, label %{inside}, label %{after}")
        self._start(inside)
        result = body(phis[0], tuple(phis[1:]))
        following = (phis[0] + 1, *result)
        back = self._block
        self._jump(head)
        self._join(place, phis, (before, carried), (back, following))
        self._start(after)
        return tuple(phis[1:])

    def repeat(
        self,
        first: Term,
        count: Term,
        start: Sequence[Value],
        body: Callable[[Value, tuple[Value, ...]], Sequence[Value]],
        step: int = 1,
    ) -> tuple[Value, ...]:
        """Like `fold` for first, first + step, … < count, at least once; the test is at the end.

        Returns:
            What the last repetition gave.
        """
        before, head, after = self._block, self._label(), self._label()
        self._jump(head)
        self._start(head)
        carried = (self.constant(first, INT), *start)
        place, phis = len(self.lines), [self.emit(v.kind, "") for v in carried]
        result = tuple(body(phis[0], tuple(phis[1:])))
        following = phis[0] + step
        more = self.binary("ult", following, count)
        back = self._block
        self.lines.append(f"  br i1 {more.text}, label %{head}, label %{after}")
        self._join(place, phis, (before, carried), (back, (following, *result)))
        self._start(after)
        return result

    def _join(
        self,
        place: int,
        phis: Sequence[Value],
        first: tuple[str, Sequence[Value]],
        later: tuple[str, Sequence[Value]],
    ) -> None:
        """Fill in where the carried values of a loop come from: (block, values) twice."""
        for number, (phi, a, b) in enumerate(zip(phis, first[1], later[1], strict=True)):
            ways = f"[ {a.text}, %{first[0]} ], [ {b.text}, %{later[0]} ]"
            self.lines[place + number] = f"  {phi.text} = phi {phi.kind} {ways}"

    def each(self, count: Value, body: Callable[[Value], None]) -> None:
        """Repeat the body for index 0 … count - 1."""

        def one(index: Value, carried: tuple[Value, ...]) -> tuple[Value, ...]:
            body(index)
            return carried

        self.fold(count, (), one)

    def each_number(self, count: Value, body: Callable[[Value, str], None]) -> None:
        """Repeat the body for the numbers of an array, several at a time, with the kind of these.

        Args:
            count: of the numbers.
            body: writes what is done with those from an index on: LANES of them where the kind is
                VEC, one where it is REAL.
        """
        blocks = count >> (LANES.bit_length() - 1)
        first = blocks * LANES
        self.each(blocks, lambda index: body(index * LANES, VEC))
        self.each(count - first, lambda index: body(first + index, REAL))

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

__all__ = [
    "BOOL", "DECLARATIONS", "I32", "INT", "LANES", "PTR", "REAL", "UNLIKELY", "VEC", "Code",
    "Value",
]  # fmt: skip
