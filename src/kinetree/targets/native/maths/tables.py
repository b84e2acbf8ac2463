"""Look-up of tables in LLVM IR, for one double or for several in SIMD lanes.

The piece is found by a search without branches: the number of knots not above x, binary digit by
binary digit from the highest.  The knots are filled up to one less than a power of two with what is
no number, which nothing is above.  Few knots are compared one by one instead, without a load.
"""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING

from kinetree.tables import CUBIC, pieces, weights
from kinetree.targets.native.maths.sincos import literal, real, splat, suffix, whole

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kinetree.tables import Lookup, Table
    from kinetree.targets.tape.tape import Tape

FEW = 16
"""Knots up to which they are compared one by one: in lanes about half the time of the search."""


def name(row: Lookup, lanes: int) -> str:
    """The function that looks a derivative of a table up."""
    return f"@kt.table.{row.table.digest}.d{row.order}.{lanes}"


def definitions(tape: Tape, lanes: int, flags: str) -> list[str]:
    """The constants and functions that a kernel calls."""
    texts = [text for row in tape.lookups for text in _constants(row.table)]
    return [*texts, *(_function(row, lanes, flags) for row in tape.lookups)]


def _constants(table: Table) -> list[str]:
    """Start of each piece, its four coefficients, and the knots, each an array."""
    columns = pieces(table).T.tolist()
    texts = [_array(f"@kt.piece.{table.digest}.{k}", column) for k, column in enumerate(columns)]
    if len(table.knots) > FEW:
        missing = 2 ** _digits(table) - 1 - len(table.knots)
        texts.append(_array(f"@kt.knots.{table.digest}", [*table.knots, *[nan] * missing]))
    return texts


def _digits(table: Table) -> int:
    """Binary digits of the number of knots."""
    return len(table.knots).bit_length()


def _array(title: str, values: Iterable[float]) -> str:
    listed = [f"double {literal(x)}" for x in values]
    kind = f"[{len(listed)} x double]"
    return f"{title} = internal unnamed_addr constant {kind} [{', '.join(listed)}], align 64\n"


def _function(row: Lookup, lanes: int, flags: str) -> str:
    """IR of `T NAME(T x)`: the piece, the distance from its start, the polynomial by Horner."""
    body = _Body(lanes, flags)
    table = row.table
    few = len(table.knots) <= FEW
    at = body.counted(table) if few else body.searched(f"@kt.knots.{table.digest}", _digits(table))
    title = f"@kt.piece.{table.digest}"
    value = body.gather(f"{title}.{CUBIC + 1}", at)
    factors = weights(row.order)
    value = body.scaled(value, factors[-1])
    if len(factors) > 1:
        start = body.gather(f"{title}.0", at)
        d = body.add(f"fsub {body.type} %x, {start}")
        for k in reversed(range(len(factors) - 1)):
            coef = body.scaled(body.gather(f"{title}.{1 + row.order + k}", at), factors[k])
            product = body.add(f"fmul {flags}{body.type} {value}, {d}")
            value = body.add(f"fadd {flags}{body.type} {product}, {coef}")
    lines = "\n".join([*body.lines, f"  ret {body.type} {value}"])
    head = f"define internal {body.type} {name(row, lanes)}({body.type} %x) nounwind"
    return f"{head} {{\nentry:\n{lines}\n}}\n"


class _Body:
    """Instructions of a function of x."""

    def __init__(self, lanes: int, flags: str) -> None:
        self.lanes, self.flags = lanes, flags
        self.type, self.whole = real(lanes), whole(lanes)
        self.flag = "i1" if lanes == 1 else f"<{lanes} x i1>"
        self.lines: list[str] = []

    def add(self, text: str) -> str:
        self.lines.append(f"  %t{len(self.lines)} = {text}")
        return f"%t{len(self.lines) - 1}"

    def integer(self, value: int) -> str:
        return splat(str(value), "i64", self.lanes)

    def scaled(self, value: str, factor: float) -> str:
        if factor == 1:
            return value
        number = splat(literal(factor), "double", self.lanes)
        return self.add(f"fmul {self.type} {value}, {number}")

    def counted(self, table: Table) -> str:
        """The number of knots not above x, one comparison each."""
        total = self.integer(0)
        for knot in table.knots:
            number = splat(literal(knot), "double", self.lanes)
            reached = self.add(f"fcmp oge {self.type} %x, {number}")
            one = self.add(f"zext {self.flag} {reached} to {self.whole}")
            total = self.add(f"add {self.whole} {total}, {one}")
        return total

    def searched(self, knots: str, digits: int) -> str:
        """The number of knots not above x, digit by digit."""
        found = self.integer(0)
        for digit in reversed(range(digits)):
            last = self.add(f"add {self.whole} {found}, {self.integer(2**digit - 1)}")
            knot = self.gather(knots, last)
            reached = self.add(f"fcmp oge {self.type} %x, {knot}")
            more = self.add(f"add {self.whole} {found}, {self.integer(2**digit)}")
            found = self.add(
                f"select {self.flag} {reached}, {self.whole} {more}, {self.whole} {found}"
            )
        return found

    def gather(self, array: str, at: str) -> str:
        """Elements of an array, one per lane."""
        if self.lanes == 1:
            where = self.add(f"getelementptr inbounds double, ptr {array}, i64 {at}")
            return self.add(f"load double, ptr {where}, align 8")
        where = self.add(f"getelementptr inbounds double, ptr {array}, {self.whole} {at}")
        function = f"@llvm.masked.gather.{suffix(self.lanes)}.v{self.lanes}p0"
        mask = f"{self.flag} {splat('true', 'i1', self.lanes)}"
        pointers = f"<{self.lanes} x ptr> align 8 {where}"
        return self.add(f"call {self.type} {function}({pointers}, {mask}, {self.type} poison)")
