"""Linear systems written out as straight-line code on a tape: factors, and substitutions.

A symmetric matrix is factorised as Lᵀ D L from its last row to its first.  For the mass matrix of a
kinematic tree numbered from the base outwards this elimination makes no fill-in: a zero of the
matrix is a zero of L (Featherstone2008 sec. 6.5), and no square root is taken.  For a general
matrix see `kinetree.targets.tape.general_lu`.

Refs: Featherstone2008 sec. 6.5
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kinetree.program.sparsity import factor_products, fill_in
from kinetree.targets.tape.solve_steps import ZERO, Product, Scale, Step, Subtract, Swap

if TYPE_CHECKING:
    from kinetree.targets.tape.tape import Tape

MOST = 12000
"""Products up to which a factorisation is written out."""
MOST_SPARSE = 60000
"""The same for a matrix whose zeros leave out most of the products."""
DENSE = 8
"""Products of a full matrix, over those of one that counts as sparse."""


@dataclass(frozen=True, slots=True)
class Factorisation:
    """A factorised matrix.

    Attributes:
        steps: what takes a right-hand side to the solution, in place.
        order: row of the system that stands at each place before the first step.
    """

    steps: tuple[Step, ...]
    order: tuple[int, ...]

    def arrange(self, rhs: tuple[int, ...], k: int) -> tuple[int, ...]:
        """k right-hand sides, row-major, with their rows in order."""
        return tuple(rhs[row * k + j] for row in self.order for j in range(k))


def fits(rows: list[list[int]]) -> bool:
    """Whether the factorisation of that lower triangle can be written out and stays small."""
    if any(row[-1] == ZERO for row in rows):
        return False
    lower = ([j for j, entry in enumerate(row[:-1]) if entry != ZERO] for row in rows)
    products = factor_products(fill_in(lower))
    sparse = DENSE * products < len(rows) ** 3 // 6
    return products <= (MOST_SPARSE if sparse else MOST)


def factor(tape: Tape, rows: list[list[int]]) -> Factorisation:
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
    return Factorisation(tuple(_sweeps(rows, inverse)), tuple(range(len(rows))))


def _sweeps(rows: list[list[int]], inverse: list[int]) -> list[Step]:
    """Lᵀ y = b, then x = y / D and L x = y row by row."""
    links = [[(j, left) for j, left in enumerate(row[:-1]) if left != ZERO] for row in rows]
    steps: list[Step] = []
    for k in reversed(range(len(rows))):
        steps += [Subtract(j, left, k) for j, left in links[k]]
    for k in range(len(rows)):
        steps.append(Scale(k, inverse[k]))
        steps += [Subtract(k, left, j) for j, left in links[k]]
    return steps


def substitute(tape: Tape, factors: Factorisation, rhs: tuple[int, ...], k: int) -> list[int]:
    """The entries of X, row-major, of A X = B with k right-hand sides."""
    ready = factors.arrange(rhs, k)
    columns = [_column(tape, factors.steps, list(ready[j::k])) for j in range(k)]
    zero = tape.number(0.0)
    n = len(factors.order)
    return [zero if columns[j][i] == ZERO else columns[j][i] for i in range(n) for j in range(k)]


def _column(tape: Tape, steps: tuple[Step, ...], x: list[int]) -> list[int]:
    """One right-hand side through the steps."""
    for step in steps:
        if isinstance(step, Subtract):
            x[step.row] = subtract_product(tape, x[step.row], step.coef, x[step.other])
        elif isinstance(step, Scale):
            x[step.row] = product(tape, step.coef, x[step.row])
        elif isinstance(step, Swap):
            pair = x[step.row], x[step.other]
            x[step.row], x[step.other] = swap_where(tape, step.coef, *pair)
        else:
            _multiply(tape, step, x)
    return x


def _multiply(tape: Tape, step: Product, x: list[int]) -> None:
    size = len(step.rows)
    before = [x[row] for row in step.rows]
    for place, row in enumerate(step.rows):
        coefs = step.matrix[place * size : (place + 1) * size]
        x[row] = scalar_product(tape, coefs, before)


def swap_where(tape: Tape, condition: int, first: int, second: int) -> tuple[int, int]:
    """Two values, exchanged where the condition is above zero."""
    if first == second:
        return first, second
    a, b = (tape.number(0.0) if e == ZERO else e for e in (first, second))
    return tape.emit("select", condition, b, a), tape.emit("select", condition, a, b)


def product(tape: Tape, left: int, right: int) -> int:
    """left * right, with structural zeros known."""
    return ZERO if ZERO in (left, right) else tape.emit("mul", left, right)


def scalar_product(tape: Tape, left: tuple[int, ...], right: list[int]) -> int:
    """The sum of products, with structural zeros known."""
    total = ZERO
    for a, b in zip(left, right, strict=True):
        term = product(tape, a, b)
        if ZERO in (total, term):
            total = term if total == ZERO else total
        else:
            total = tape.emit("add", total, term)
    return total


def subtract_product(tape: Tape, value: int, left: int, right: int) -> int:
    """value - left * right, with structural zeros known."""
    if ZERO in (left, right):
        return value
    term = tape.emit("mul", left, right)
    return tape.emit("neg", term) if value == ZERO else tape.emit("sub", value, term)
