"""Gaussian elimination with row pivoting, as LLVM IR for any size.

Rows are made of pieces of eight doubles.  In a single evaluation these are eight neighbouring
columns: rows are padded to whole pieces, so the inner loops have no remainder, and what stands in
the padding is never read as a result.  With eight evaluations side by side a piece is one element
in all of them; rows are exchanged lane by lane, since a lane has pivots of its own.
"""

from __future__ import annotations

from kinetree.targets.native.compile.layout import ROW
from kinetree.targets.native.llvm import Code
from kinetree.targets.native.values import BOOL, INT, PTR, REAL, Value, vector

PIECE = vector(REAL, ROW)
ROWS = [(PTR, "to"), (PTR, "from")]


def definitions(lanes: int, flags: str) -> list[str]:
    """IR of `void kt.eliminate.LANES(a, b, n, width, k)`: a x = b, the solution in place of b.

    Rows of a have `width` pieces, those of b have k.
    """
    return [_subtract(flags), _swap(), _scale(), Elimination(lanes).text()]


def _subtract(flags: str) -> str:
    """IR of `kt.subtract(to, from, factor, count)`: to - factor from, in place of to."""
    code = Code("kt.subtract", "void", [*ROWS, (PIECE, "m"), (INT, "count")], flags=flags)

    def one(i: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        to, source = (code.at(code.argument(name), i * ROW) for name in ("to", "from"))
        old, other = code.load(to, PIECE), code.load(source, PIECE)
        code.store(old - code.argument("m") * other, to)
        return ()

    with code.when(code.argument("count") > 0):
        code.repeat(0, code.argument("count"), (), one)
    code.leave()
    return code.text()


def _swap() -> str:
    """IR of `kt.swap(to, from, mask, count)`: two rows exchanged where the mask has a bit."""
    code = Code("kt.swap", "void", [*ROWS, (f"i{ROW}", "mask"), (INT, "count")])
    flags = code.cast("bitcast", code.argument("mask"), vector(BOOL, ROW))

    def one(i: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        to, source = (code.at(code.argument(name), i * ROW) for name in ("to", "from"))
        a, b = code.load(to, PIECE), code.load(source, PIECE)
        code.store(code.choose(flags, b, a), to)
        code.store(code.choose(flags, a, b), source)
        return ()

    code.repeat(0, code.argument("count"), (), one)
    code.leave()
    return code.text()


def _scale() -> str:
    """IR of `kt.scale(to, factor, count)`: a row times a factor."""
    code = Code("kt.scale", "void", [(PTR, "to"), (PIECE, "m"), (INT, "count")])

    def one(i: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
        to = code.at(code.argument("to"), i * ROW)
        code.store(code.load(to, PIECE) * code.argument("m"), to)
        return ()

    code.repeat(0, code.argument("count"), (), one)
    code.leave()
    return code.text()


class Elimination:
    """The function being written.

    A single evaluation looks for the largest pivot, exchanges two rows and divides the pivot's row.
    With lanes every row below is compared with the pivot's, and exchanged with it where it has the
    larger one; the inverse of the pivot takes its place, and rows are divided at the end.
    """

    def __init__(self, lanes: int) -> None:
        arguments = [(PTR, "a"), (PTR, "b"), (INT, "n"), (INT, "width"), (INT, "k")]
        attributes = "nounwind noinline" + (" alignstack(64)" if lanes > 1 else "")
        self.lanes, self.kind = lanes, vector(REAL, lanes)
        self.code = code = Code(f"kt.eliminate.{lanes}", "void", arguments, attributes, flags="")
        self.a, self.b, self.n, self.width, self.k = (code.argument(a) for _, a in arguments)
        self.strides = self.width * ROW, self.k * ROW

    def text(self) -> str:
        """The definition."""
        code = self.code
        code.each(self.n, self.column)
        code.each(self.n, lambda i: self.substitute(self.n - 1 - i))
        code.leave()
        return code.text()

    def row(self, r: Value) -> tuple[Value, Value]:
        """The rows of a and b of that number."""
        a, b = self.strides
        return self.code.at(self.a, r * a), self.code.at(self.b, r * b)

    def call(self, function: str, *given: Value) -> None:
        """Do something with rows."""
        pieces = (self.code.constant(x, PIECE) if x.kind == REAL else x for x in given)
        self.code.call(f"kt.{function}", list(pieces))

    def column(self, c: Value) -> None:
        """Take a column out of the rows below."""
        code, start = self.code, c >> 3 if self.lanes == 1 else c
        row, right = self.row(c)
        pivot = code.at(row, c * self.lanes)
        (self.largest if self.lanes == 1 else self.larger)(c, row, right)
        inverse = 1.0 / code.load(pivot, self.kind)
        if self.lanes == 1:
            self.call("scale", row, inverse, self.width)
            self.call("scale", right, inverse, self.k)
        else:
            code.store(inverse, pivot)
            start = c + 1
        first, length = start * ROW, self.width - start

        def below(i: Value) -> None:
            other, right_too = self.row(c + 1 + i)
            m = code.load(code.at(other, c * self.lanes), self.kind)
            with code.when(code.any(m.differs(0.0))):
                factor = m if self.lanes == 1 else m * inverse
                self.call("subtract", code.at(other, first), code.at(row, first), factor, length)
                self.call("subtract", right_too, right, factor, self.k)

        code.each(self.n - c - 1, below)

    def largest(self, c: Value, row: Value, right: Value) -> None:
        """Exchange the pivot's row and the one with the largest number in that column."""
        code = self.code

        def one(r: Value, found: tuple[Value, ...]) -> tuple[Value, ...]:
            best, most = found
            size = code.intrinsic("fabs", code.load(code.at(self.row(r)[0], c)))
            return code.choose(size > most, r, best), code.choose(size > most, size, most)

        best, _ = code.repeat(c, self.n, (c, code.constant(-1.0)), one)
        with code.when(best.differs(c)):
            self.exchange(self.row(best), (row, right), code.constant(-1, f"i{ROW}"), self.width)

    def larger(self, c: Value, row: Value, right: Value) -> None:
        """Exchange the pivot's row with every row below, in the lanes in which that is larger."""
        code = self.code
        pivot = code.at(row, c * ROW)

        def one(i: Value) -> None:
            other = self.row(c + 1 + i)
            place = code.at(other[0], c * ROW)
            here, there = (code.intrinsic("fabs", code.load(p, PIECE)) for p in (pivot, place))
            mask = code.bits(there > here)
            with code.when(mask.differs(0)):
                self.exchange((place, other[1]), (pivot, right), mask, self.n - c)

        code.each(self.n - c - 1, one)

    def exchange(
        self, one: tuple[Value, Value], other: tuple[Value, Value], mask: Value, length: Value
    ) -> None:
        """Exchange rows of a and b; of the former that many pieces."""
        for a, b, count in zip(one, other, (length, self.k), strict=True):
            self.call("swap", a, b, mask, count)

    def substitute(self, c: Value) -> None:
        """Take an unknown, which is known now, out of the rows above."""
        code = self.code
        row, right = self.row(c)
        if self.lanes > 1:
            self.call("scale", right, code.load(code.at(row, c * ROW), PIECE), self.k)

        def above(r: Value) -> None:
            other, right_too = self.row(r)
            m = code.load(code.at(other, c * self.lanes), self.kind)
            if self.lanes > 1:
                self.call("subtract", right_too, right, m, self.k)
                return
            with code.when(m.differs(0.0)):
                self.call("subtract", right_too, right, m, self.k)

        code.each(c, above)
