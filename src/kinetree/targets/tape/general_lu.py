"""General linear systems written out on a tape.

The matrix is brought to block triangular form by its structural zeros, so that a large system falls
into small ones (Duff2017 chap. 6); inside a block the cheapest pivot comes first.  A block of up to
three rows is solved by its cofactors, a larger or stiff one by elimination with row pivoting, where
rows change places by selection and not by a branch: side by side, evaluations may have different
pivots.  Cofactors leave A x - b of the size of the rounding times the condition of A, elimination
leaves it of the size of the rounding alone (Golub2013 sec. 3.4).

Refs: Duff2017 chap. 6; Golub2013 sec. 3.4
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kinetree.program.sparsity import match, strong_components
from kinetree.targets.tape.ldl import Factorisation, product, subtract_product, swap_where
from kinetree.targets.tape.pivot_order import elimination_order
from kinetree.targets.tape.solve_steps import ZERO, Product, Scale, Step, Subtract, Swap

if TYPE_CHECKING:
    from kinetree.targets.tape.tape import Tape

COFACTORS = 3
"""Rows up to which a block is solved by its cofactors."""
MOST = 2500
"""Operations up to which the elimination of a block is written out: 12 full rows (measured)."""

Rows = list[list[int]]


@dataclass(frozen=True, slots=True)
class Form:
    """A matrix in block triangular form.

    Attributes:
        order: the row that stands at each place.
        diagonal: the places of each diagonal block, in the order of their elimination.
        small: whether every elimination can be written out.
    """

    order: tuple[int, ...]
    diagonal: tuple[tuple[int, ...], ...]
    small: bool


def arrangement(rows: Rows) -> Form | None:
    """The block triangular form; None for a structurally singular matrix."""
    pattern = [[j for j, entry in enumerate(row) if entry != ZERO] for row in rows]
    row_of = match(pattern, {i: i for i, row in enumerate(pattern) if i in row})
    if len(row_of) < len(pattern):
        return None
    order = [row_of[column] for column in range(len(pattern))]
    pattern = [pattern[row] for row in order]
    diagonal, small = [], True
    for block in strong_components(pattern):
        place = {column: number for number, column in enumerate(block)}
        inner = [[place[j] for j in pattern[i] if j in place] for i in block]
        sequence, operations = elimination_order(inner, MOST)
        diagonal.append(tuple(block[k] for k in sequence))
        small = small and operations <= MOST
    return Form(tuple(order), tuple(diagonal), small)


def factor_general(tape: Tape, rows: Rows, form: Form, *, stiff: bool = False) -> Factorisation:
    """Steps that solve the system block by block; those of a stiff one without cofactors."""
    arranged = [rows[row] for row in form.order]
    steps: list[Step] = []
    done: list[int] = []
    for block in form.diagonal:
        for i in block:
            steps += [Subtract(i, arranged[i][j], j) for j in done if arranged[i][j] != ZERO]
        inner = [[arranged[i][j] for j in block] for i in block]
        by_cofactors = len(block) == 1 or (len(block) <= COFACTORS and not stiff)
        steps += (_cofactors if by_cofactors else _eliminate)(tape, inner, block)
        done += block
    return Factorisation(tuple(steps), form.order)


def _cofactors(tape: Tape, a: Rows, at: tuple[int, ...]) -> list[Step]:
    """x = adj(A) b / det A."""
    if len(a) == 1:
        return [Scale(at[0], tape.emit("div", tape.number(1.0), a[0][0]))]
    adjugate = _adjugate_2(tape, a) if len(a) == 2 else _adjugate_3(tape, a)
    first_column = adjugate[:: len(a)]
    determinant = ZERO
    for entry, cofactor in zip(a[0], first_column, strict=True):
        determinant = _add(tape, determinant, product(tape, entry, cofactor))
    inverse = tape.emit("div", tape.number(1.0), determinant)
    return [Product(at, tuple(adjugate)), *(Scale(row, inverse) for row in at)]


def _adjugate_2(tape: Tape, a: Rows) -> list[int]:
    return [a[1][1], _minus(tape, a[0][1]), _minus(tape, a[1][0]), a[0][0]]


def _adjugate_3(tape: Tape, a: Rows) -> list[int]:
    """Entry (j, i) is the cofactor of a[i][j]: indices taken cyclically give it its sign."""
    found = []
    for j in range(3):
        for i in range(3):
            (r, s), (c, d) = ((i + 1) % 3, (i + 2) % 3), ((j + 1) % 3, (j + 2) % 3)
            first = product(tape, a[r][c], a[s][d])
            found.append(subtract_product(tape, first, a[r][d], a[s][c]))
    return found


def _minus(tape: Tape, entry: int) -> int:
    return ZERO if entry == ZERO else tape.emit("neg", entry)


def _add(tape: Tape, total: int, term: int) -> int:
    if ZERO in (total, term):
        return term if total == ZERO else total
    return tape.emit("add", total, term)


def _eliminate(tape: Tape, a: Rows, at: tuple[int, ...]) -> list[Step]:
    """Elimination with row pivoting of a block, which is used up."""
    n = len(a)
    steps: list[Step] = []
    inverse: list[int] = []
    for c in range(n):
        rounds = _rounds([i for i in range(c, n) if a[i][c] != ZERO])
        steps += [_pivot(tape, a, (*pair, c), at) for pair in rounds]
        inverse.append(tape.emit("div", tape.number(1.0), a[c][c]))
        for i in range(c + 1, n):
            if a[i][c] != ZERO:
                ratio = tape.emit("mul", a[i][c], inverse[c])
                steps.append(Subtract(at[i], ratio, at[c]))
                for j in range(c + 1, n):
                    a[i][j] = subtract_product(tape, a[i][j], ratio, a[c][j])
    for c in reversed(range(n)):
        steps.append(Scale(at[c], inverse[c]))
        steps += [Subtract(at[i], a[i][c], at[c]) for i in range(c) if a[i][c] != ZERO]
    return steps


def _rounds(rows: list[int]) -> Iterator[tuple[int, int]]:
    """Pairs of rows to compare so that the largest ends up first: a tournament, few in sequence."""
    stride = 1
    while stride < len(rows):
        for place in range(0, len(rows) - stride, 2 * stride):
            yield rows[place], rows[place + stride]
        stride *= 2


def _pivot(tape: Tape, a: Rows, trio: tuple[int, int, int], at: tuple[int, ...]) -> Swap:
    """Two rows change places where the second has the larger entry in column c."""
    first, second, c = trio
    sizes = (tape.emit("abs", a[row][c]) for row in (second, first))
    larger = tape.emit("sub", *sizes)
    for j in range(c, len(a)):
        a[first][j], a[second][j] = swap_where(tape, larger, a[first][j], a[second][j])
    return Swap(at[first], larger, at[second])
