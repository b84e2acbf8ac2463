"""Look-up of tables in LLVM IR, for one double or for several in SIMD lanes.

The piece is found by a search without branches: the number of knots not above x, binary digit by
binary digit from the highest.  The knots are filled up to one less than a power of two with what is
no number, which nothing is above.  Few knots are compared one by one instead, without a load.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import nan
from typing import TYPE_CHECKING

from kinetree.tables import CUBIC, Lookup, Table, pieces, weights
from kinetree.targets.native.llvm import Code
from kinetree.targets.native.values import INT, PTR, REAL, Value, spell_double, split, vector

if TYPE_CHECKING:
    from kinetree.targets.tape.tape import Tape

FEW = 16
"""Knots up to which they are compared one by one: in lanes about half the time of the search."""


def name(row: Lookup, lanes: int) -> str:
    """The function that looks a derivative of a table up."""
    return f"kt.table.{row.table.digest}.d{row.order}.{lanes}"


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
    listed = [f"double {spell_double(x)}" for x in values]
    kind = f"[{len(listed)} x double]"
    return f"{title} = internal unnamed_addr constant {kind} [{', '.join(listed)}], align 64\n"


def _function(row: Lookup, lanes: int, flags: str) -> str:
    """IR of `T NAME(T x)`: the piece, the distance from its start, the polynomial by Horner."""
    kind, table = vector(REAL, lanes), row.table
    code = Code(name(row, lanes), kind, [(kind, "x")], flags=flags)
    few = len(table.knots) <= FEW
    at = _count_knots(code, table) if few else _search_knots(code, table)

    def column(number: int, factor: float = 1.0) -> Value:
        value = _gather(code, f"@kt.piece.{table.digest}.{number}", at)
        with code.exact():
            return value if factor == 1 else value * factor

    factors = weights(row.order)
    value = column(CUBIC + 1, factors[-1])
    if len(factors) > 1:
        start = column(0)
        with code.exact():
            d = code.argument("x") - start
        for k in reversed(range(len(factors) - 1)):
            coefficient = column(1 + row.order + k, factors[k])
            value = value * d + coefficient
    code.leave(value)
    return code.text()


def _count_knots(code: Code, table: Table) -> Value:
    """The number of knots not above x, one comparison each."""
    x = code.argument("x")
    total = code.constant(0, vector(INT, split(x.kind)[1]))
    for knot in table.knots:
        total = total + code.cast("zext", x >= knot, total.kind)
    return total


def _search_knots(code: Code, table: Table) -> Value:
    """The number of knots not above x, digit by digit."""
    x = code.argument("x")
    found = code.constant(0, vector(INT, split(x.kind)[1]))
    for digit in reversed(range(_digits(table))):
        knot = _gather(code, f"@kt.knots.{table.digest}", found + (2**digit - 1))
        reached = x >= knot
        found = code.choose(reached, found + 2**digit, found)
    return found


def _gather(code: Code, array: str, at: Value) -> Value:
    """Elements of an array, one per lane."""
    lanes = split(at.kind)[1]
    where = code.emit(
        vector(PTR, lanes), f"getelementptr inbounds double, ptr {array}, {at.kind} {at.text}"
    )
    if lanes == 1:
        return code.load(where)
    kind, every = vector(REAL, lanes), code.constant(True, vector("i1", lanes))
    given = f"{where.kind} align 8 {where.text}, {every.kind} {every.text}, {kind} poison"
    return code.emit(kind, f"call {kind} @llvm.masked.gather.v{lanes}f64.v{lanes}p0({given})")
