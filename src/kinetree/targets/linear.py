"""Symmetric linear systems written out as straight-line code on a tape.

The matrix is factorised as Lᵀ D L from its last row to its first.  For the mass matrix of a
kinematic tree numbered from the base outwards this elimination makes no fill-in: a zero of the
matrix is a zero of L (Featherstone2008 sec. 6.5), and no square root is taken.

Refs: Featherstone2008 sec. 6.5
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kinetree.targets.tape import ZERO

if TYPE_CHECKING:
    from kinetree.targets.tape import Tape

MOST = 12000
"""Products up to which a factorisation is written out."""


@dataclass(frozen=True, slots=True)
class Factors:
    """A = Lᵀ D L: rows of L below its unit diagonal, and 1/D."""

    rows: tuple[tuple[int, ...], ...]
    inverse: tuple[int, ...]

    def flat(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """L as n x n entries, row-major, and 1/D."""
        n = len(self.rows)
        full = (entry for row in self.rows for entry in (*row, *(ZERO,) * (n - len(row))))
        return tuple(full), self.inverse


def fits(rows: list[list[int]]) -> bool:
    """Whether the factorisation of that lower triangle can be written out and stays small."""
    if any(row[-1] == ZERO for row in rows):
        return False
    pattern = [{j for j, entry in enumerate(row[:-1]) if entry != ZERO} for row in rows]
    products = 0
    for k in reversed(range(len(rows))):
        for i in pattern[k]:
            pattern[i] |= {j for j in pattern[k] if j < i}
        products += len(pattern[k]) * (len(pattern[k]) + 3) // 2
        if products > MOST:
            return False
    return True


def factor(tape: Tape, rows: list[list[int]]) -> Factors:
    """Lᵀ D L of the lower triangle `rows`, which is used up."""
    inverse = [ZERO] * len(rows)
    for k in reversed(range(len(rows))):
        row = rows[k]
        inverse[k] = tape.emit("div", tape.number(1.0), row[k])
        full = [j for j in range(k) if row[j] != ZERO]
        scaled = {i: tape.emit("mul", row[i], inverse[k]) for i in full}
        for i in full:
            for j in full:
                if j <= i:
                    rows[i][j] = subtract_product(tape, rows[i][j], scaled[i], row[j])
        for i in full:
            row[i] = scaled[i]
    return Factors(tuple(tuple(row[:-1]) for row in rows), tuple(inverse))


def substitute(tape: Tape, factors: Factors, rhs: tuple[int, ...], k: int) -> list[int]:
    """The entries of X, row-major, of Lᵀ D L X = B with k right-hand sides."""
    columns = [_column(tape, factors, list(rhs[j::k])) for j in range(k)]
    zero = tape.number(0.0)
    n = len(factors.rows)
    return [zero if columns[j][i] == ZERO else columns[j][i] for i in range(n) for j in range(k)]


def _column(tape: Tape, factors: Factors, x: list[int]) -> list[int]:
    for k in reversed(range(len(x))):
        for j, left in enumerate(factors.rows[k]):
            x[j] = subtract_product(tape, x[j], left, x[k])
    for k, row in enumerate(factors.rows):
        if x[k] != ZERO:
            x[k] = tape.emit("mul", x[k], factors.inverse[k])
        for j, left in enumerate(row):
            x[k] = subtract_product(tape, x[k], left, x[j])
    return x


def subtract_product(tape: Tape, value: int, left: int, right: int) -> int:
    """value - left * right, with structural zeros known."""
    if ZERO in (left, right):
        return value
    product = tape.emit("mul", left, right)
    return tape.emit("neg", product) if value == ZERO else tape.emit("sub", value, product)
