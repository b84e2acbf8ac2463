"""Large sparse linear systems in LLVM IR: loops along tables of the filled entries.

Row by row, in an order of little fill, the rows before are taken out of a row that stands spread
over all columns; what is left of it is packed again.  Pivots stand on the diagonal.  The solution
is put to the test,

    |b - A x| <= TOLERANCE (|A| |x| + |b|)     row by row

which bounds the backward error (Higham2002 sec. 7.1), and is refined once where it fails.  Where it
fails again, the system is solved with pivoting in a full matrix; above FULL rows there is none, and
the solution is not a number: no wrong number goes on.

Refs: Duff2017; Higham2002 secs. 7.1, 12.1
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kinetree.targets.native.compile.layout import ROW, pad
from kinetree.targets.native.llvm import Code
from kinetree.targets.native.systems.direct import TOLERANCE, SystemPlace
from kinetree.targets.native.values import BOOL, INT, PTR, REAL, Value, vector
from kinetree.targets.tape.solve_steps import System

FULL = 4000
"""Rows up to which a full matrix is made where pivots on the diagonal fail: 128 MB."""


def definitions(system: System, place: SystemPlace, name: str, flags: str) -> list[str]:
    """IR of `void NAME.sparse(w)`: the solution takes the place of the right sides."""
    return [
        *_tables(system, name),
        _Sparse(system, place, name, (f"{name}.factor", "void", flags)).factor(),
        _Sparse(system, place, name, (f"{name}.sweep", "void", flags)).sweep(),
        _Sparse(system, place, name, (f"{name}.rest", BOOL, flags)).rest(),
        _Sparse(system, place, name, (f"{name}.full", "void", flags)).full(),
        _Sparse(system, place, name, (f"{name}.sparse", "void", flags)).solve(),
    ]


def _tables(system: System, name: str) -> list[str]:
    """The form as arrays of 32-bit integers."""
    form = system.sparse
    assert form is not None
    known = {pair: number for number, pair in enumerate(form.given)}
    starts = [0]
    diagonal: list[int] = []
    columns: list[int] = []
    source: list[int] = []
    for i, row in enumerate(form.filled):
        diagonal.append(starts[-1] + row.index(i))
        starts.append(starts[-1] + len(row))
        columns += row
        source += [known.get((i, j), len(known)) for j in row]
    rows = {
        "starts": starts, "diagonal": diagonal, "columns": columns, "source": source,
        "row": form.rows, "column": form.columns,
        "given_row": [form.rows[i] for i, _ in form.given],
        "given_column": [form.columns[j] for _, j in form.given],
    }  # fmt: skip
    return [_array(f"@{name}.{title}", values) for title, values in rows.items()]


def _array(title: str, values: Sequence[int]) -> str:
    listed = ", ".join(f"i32 {x}" for x in values)
    return f"{title} = internal unnamed_addr constant [{len(values)} x i32] [{listed}], align 64\n"


class _Sparse:
    """One of the functions being written.

    The workspace has, from the place of the matrix on: its entries, a zero, the factors with the
    inverse of the diagonal, one row spread over all columns, the solution and what is left of the
    right sides.
    """

    def __init__(
        self, system: System, place: SystemPlace, name: str, head: tuple[str, str, str]
    ) -> None:
        """A function; `head` is its name, its result and the flags of its operations."""
        form = system.sparse
        assert form is not None
        function, result, flags = head
        self.n, self.k, self.place, self.name = system.n, system.k, place, name
        self.entries, self.lanes = len(form.given), place.lanes
        self.kind = vector(REAL, self.lanes)
        attributes = "nounwind noinline" + (" alignstack(64)" if self.lanes > 1 else "")
        self.code = Code(function, result, [("ptr", "w")], attributes, flags)
        self.factors = place.matrix + self.entries + 1
        self.spread = self.factors + sum(map(len, form.filled))
        self.solution = self.spread + self.n
        self.left = self.solution + self.n * self.k

    # --- places ----------------------------------------------------------------------------------

    def table(self, title: str, index: Value) -> Value:
        """A number of a table."""
        base = Value(self.code, PTR, f"@{self.name}.{title}")
        return self.code.small(base, index)

    def at(self, first: int, index: Value) -> Value:
        """Address of an element of the workspace."""
        return self.code.at(self.code.argument("w"), (index + first) * self.lanes)

    def load(self, first: int, index: Value) -> Value:
        return self.code.load(self.at(first, index), self.kind)

    def side(self, row: Value, column: Value) -> Value:
        """Address of an element of the right sides."""
        panel = self.place.panel
        return self.at(panel.start, row * panel.stride + column)

    def between(self, first: Value, last: Value, body: Callable[[Value], None]) -> None:
        """For first … last - 1."""
        self.code.each(last - first, lambda p: body(first + p))

    def each_place(self, body: Callable[[Value], None]) -> None:
        self.code.each(self.code.constant(self.n, INT), body)

    def each_side(self, body: Callable[[Value], None]) -> None:
        self.code.each(self.code.constant(self.k, INT), body)

    def row(self, i: Value) -> tuple[Value, Value, Value]:
        """Where a row begins among the filled entries, its diagonal, and where it ends."""
        return self.table("starts", i), self.table("diagonal", i), self.table("starts", i + 1)

    def total(self, first: Value, last: Value, start: Value, column: Value, base: int = 0) -> Value:
        """start - Σ F[p] y[columns[p], column] for p = first … last - 1."""
        at = base or self.solution

        def one(p: Value, sums: tuple[Value, ...]) -> tuple[Value, ...]:
            place = self.table("columns", first + p) * self.k + column
            return (sums[0] - self.load(self.factors, first + p) * self.load(at, place),)

        (found,) = self.code.fold(last - first, (start,), one)
        return found

    # --- functions -------------------------------------------------------------------------------

    def factor(self) -> str:
        """A = L U row by row, ones on the diagonal of L; U has its inverse diagonal."""
        code = self.code

        def take_out(p: Value) -> None:
            before = self.table("columns", p)
            _, diagonal, end = self.row(before)
            ratio = self.load(self.spread, before) * self.load(self.factors, diagonal)
            code.store(ratio, self.at(self.spread, before))

            def one(q: Value) -> None:
                at = self.at(self.spread, self.table("columns", q))
                code.store(code.load(at, self.kind) - ratio * self.load(self.factors, q), at)

            self.between(diagonal + 1, end, one)

        def one_row(i: Value) -> None:
            first, diagonal, last = self.row(i)

            def spread(p: Value) -> None:
                given = self.load(self.place.matrix, self.table("source", p))
                code.store(given, self.at(self.spread, self.table("columns", p)))

            def pack(p: Value) -> None:
                value = self.load(self.spread, self.table("columns", p))
                code.store(value, self.at(self.factors, p))

            zero = self.at(self.place.matrix, code.constant(self.entries, INT))
            code.store(code.constant(0.0, self.kind), zero)
            self.between(first, last, spread)
            self.between(first, diagonal, take_out)
            self.between(first, last, pack)
            code.store(1.0 / self.load(self.spread, i), self.at(self.factors, diagonal))

        self.each_place(one_row)
        code.leave()
        return code.text()

    def sweep(self) -> str:
        """What is left of the right sides becomes A⁻¹ of it, and is added to the solution."""
        code = self.code

        def down(i: Value) -> None:
            first, diagonal, _ = self.row(i)

            def one(c: Value) -> None:
                at = self.at(self.left, i * self.k + c)
                start = code.load(at, self.kind)
                code.store(self.total(first, diagonal, start, c, self.left), at)

            self.each_side(one)

        def up(number: Value) -> None:
            i = code.constant(self.n - 1, INT) - number
            _, diagonal, last = self.row(i)

            def one(c: Value) -> None:
                at = self.at(self.left, i * self.k + c)
                rest = self.total(diagonal + 1, last, code.load(at, self.kind), c, self.left)
                value = rest * self.load(self.factors, diagonal)
                code.store(value, at)
                sum_at = self.at(self.solution, i * self.k + c)
                code.store(code.load(sum_at, self.kind) + value, sum_at)

            self.each_side(one)

        self.each_place(down)
        self.each_place(up)
        code.leave()
        return code.text()

    def rest(self) -> str:
        """Write b - A x; whether it is small in every row of every evaluation."""
        code = self.code
        worst = self.at(self.spread, code.constant(0, INT))  # the row is not needed here
        code.store(code.constant(0.0, self.kind), worst)

        def one_row(i: Value) -> None:
            first, _, last = self.row(i)

            def one(c: Value) -> None:
                b = code.load(self.side(self.table("row", i), c), self.kind)

                def add(p: Value, sums: tuple[Value, ...]) -> tuple[Value, ...]:
                    a = self.load(self.place.matrix, self.table("source", first + p))
                    place = self.table("columns", first + p) * self.k + c
                    term = a * self.load(self.solution, place)
                    return sums[0] - term, sums[1] + code.intrinsic("fabs", term)

                start = (b, code.intrinsic("fabs", b))
                left, size = code.fold(last - first, start, add)
                code.store(left, self.at(self.left, i * self.k + c))
                good = code.intrinsic("fabs", left) <= size * TOLERANCE
                one_more = code.load(worst, self.kind) + 1.0
                code.store(code.choose(good, code.load(worst, self.kind), one_more), worst)

            self.each_side(one)

        self.each_place(one_row)
        bad = code.load(worst, self.kind).differs(0.0)
        code.leave(code.any(bad).same(False) if self.lanes > 1 else bad.same(False))
        return code.text()

    def full(self) -> str:
        """The same with pivoting in a full matrix, or no number at all."""
        code = self.code
        if self.n > FULL:
            self.each_place(
                lambda i: self.each_side(
                    lambda c: code.store(code.constant(float("nan"), self.kind), self.side(i, c))
                )
            )
            code.leave()
            return code.text()
        width = pad(self.n) if self.lanes == 1 else self.n
        size = self.n * width * self.lanes
        heap = code.call("malloc", [code.constant(8 * size, INT)], PTR)
        code.clear(heap, size)

        def put(p: Value) -> None:
            spot = self.table("given_row", p) * width + self.table("given_column", p)
            code.store(self.load(self.place.matrix, p), code.at(heap, spot * self.lanes))

        code.each(code.constant(self.entries, INT), put)
        sizes = (width // ROW, pad(self.k) // ROW) if self.lanes == 1 else (self.n, self.k)
        right = self.side(code.constant(0, INT), code.constant(0, INT))
        numbers = [code.constant(x, INT) for x in (self.n, *sizes)]
        code.call(f"kt.eliminate.{self.lanes}", [heap, right, *numbers])
        code.call("free", [heap])
        code.leave()
        return code.text()

    def solve(self) -> str:
        """Factorise, solve, test; refine or solve again where the test fails."""
        code, w = self.code, [self.code.argument("w")]

        def begin(i: Value) -> None:
            def one(c: Value) -> None:
                b = code.load(self.side(self.table("row", i), c), self.kind)
                code.store(b, self.at(self.left, i * self.k + c))
                code.store(code.constant(0.0, self.kind), self.at(self.solution, i * self.k + c))

            self.each_side(one)

        def hand_over(i: Value) -> None:
            def one(c: Value) -> None:
                value = self.load(self.solution, i * self.k + c)
                code.store(value, self.side(self.table("column", i), c))

            self.each_side(one)

        self.each_place(begin)
        code.call(f"{self.name}.factor", w)
        code.call(f"{self.name}.sweep", w)
        with code.when(code.call(f"{self.name}.rest", w, BOOL).same(False), rare=True):
            code.call(f"{self.name}.sweep", w)
            with code.when(code.call(f"{self.name}.rest", w, BOOL).same(False), rare=True):
                code.call(f"{self.name}.full", w)
                code.leave()
        self.each_place(hand_over)
        code.leave()
        return code.text()
