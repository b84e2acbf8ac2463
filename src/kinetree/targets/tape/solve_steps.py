"""Systems of equations on a tape, linear or not, whose solution is an operation by itself.

A factorised linear system is a list of steps that every column of right-hand sides goes through in
place: whatever the factorisation was, a target only has to know the four kinds of steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kinetree.targets.tape.tape import Tape

ZERO = -1
"""Stands for a structural zero where an entry is expected."""


class _One:
    """A step that reads one entry."""

    __slots__ = ()
    coef: int

    @property
    def coefs(self) -> tuple[int, ...]:
        """The entries that the step reads."""
        return (self.coef,)


@dataclass(frozen=True, slots=True)
class Subtract(_One):
    """x[row] -= coef · x[other]."""

    row: int
    coef: int
    other: int


@dataclass(frozen=True, slots=True)
class Scale(_One):
    """x[row] *= coef."""

    row: int
    coef: int


@dataclass(frozen=True, slots=True)
class Swap(_One):
    """x[row] and x[other] change places where coef > 0."""

    row: int
    coef: int
    other: int


@dataclass(frozen=True, slots=True)
class Product:
    """x[rows] = C · x[rows]; C row-major, ZERO for a structural zero."""

    rows: tuple[int, ...]
    matrix: tuple[int, ...]

    @property
    def coefs(self) -> tuple[int, ...]:
        """The entries that the step reads."""
        return tuple(entry for entry in self.matrix if entry != ZERO)


Step = Subtract | Scale | Swap | Product
"""What takes the right-hand side of a factorised system one step nearer to its solution."""


@dataclass(frozen=True, slots=True)
class SparseForm:
    """How a large sparse matrix is eliminated.

    Attributes:
        rows: the row of the system that stands at each place.
        columns: the column that stands at each place.
        given: (place of the row, place of the column) of the entries that are not zero, row by row.
        filled: per place of a row, the places of its columns in both factors, rising.
    """

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    given: tuple[tuple[int, int], ...]
    filled: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class System:
    """A linear system A X = B with so many right-hand sides that a target solves it in a loop.

    Attributes:
        n: number of rows.
        k: number of right-hand sides.
        matrix: n x n entries of A, row-major, ZERO for a structural zero; empty when factorised.
        steps: what to do with every column of B when A is factorised, else empty.
        rhs: n x k entries of B, row-major, ZERO for a structural zero.
        sparse: how A is eliminated where it is large and sparse.
    """

    n: int
    k: int
    matrix: tuple[int, ...]
    steps: tuple[Step, ...]
    rhs: tuple[int, ...]
    sparse: SparseForm | None = None

    @property
    def factorised(self) -> bool:
        """Whether only the substitutions are left to do."""
        return bool(self.steps)

    @property
    def coefs(self) -> tuple[int, ...]:
        """What the steps read, in order."""
        return tuple(entry for step in self.steps for entry in step.coefs)

    @property
    def entries(self) -> tuple[int, ...]:
        """All entries that the system reads."""
        return tuple(e for e in (*self.matrix, *self.coefs, *self.rhs) if e != ZERO)

    def rename(self, name: Callable[[int], int]) -> System:
        """The same system on other entries."""
        matrix, rhs = (tuple(name(e) for e in part) for part in (self.matrix, self.rhs))
        steps = tuple(_rename(s, name) for s in self.steps)
        return System(self.n, self.k, matrix, steps, rhs, self.sparse)


def _rename(step: Step, name: Callable[[int], int]) -> Step:
    if isinstance(step, Product):
        return Product(step.rows, tuple(name(e) for e in step.matrix))
    return replace(step, coef=name(step.coef))


@dataclass(frozen=True, slots=True)
class Iteration:
    """A system h(v, w) = 0 that is solved by Newton's method.

    Attributes:
        start: the n entries from which v starts; ZERO for the number 0.
        given: the entries of w.
        step: a tape whose inputs are v, then w, and whose outputs are h, then dv; there may be
            fewer equations h than unknowns v.
        tolerance: on max |h|.
        limit: iterations at most; where these do not suffice, v is not a number.
    """

    start: tuple[int, ...]
    given: tuple[int, ...]
    step: Tape
    tolerance: float
    limit: int

    @property
    def n(self) -> int:
        """Number of unknowns."""
        return len(self.start)

    @property
    def equations(self) -> int:
        """Number of equations h."""
        return len(self.step.outputs) - self.n

    @property
    def k(self) -> int:
        """One solution."""
        return 1

    @property
    def entries(self) -> tuple[int, ...]:
        """All entries that the iteration reads."""
        return tuple(e for e in (*self.start, *self.given) if e != ZERO)

    def rename(self, name: Callable[[int], int]) -> Iteration:
        """The same iteration on other entries."""
        start, given = (tuple(name(e) for e in part) for part in (self.start, self.given))
        return Iteration(start, given, self.step, self.tolerance, self.limit)
