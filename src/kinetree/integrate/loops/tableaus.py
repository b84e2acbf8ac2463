"""Explicit Runge–Kutta methods as data.

With stages kⱼ = f(t + cⱼ h, y + h Σ aⱼᵢ kᵢ), j = 1 … s, the step ends at y₁ = y + h Σ bⱼ kⱼ, and
one more evaluation k at (t + h, y₁) serves the error estimate, the dense output and the next step.
Between the ends, with Δ = h Σ bⱼ kⱼ and θ from 0 to 1,

    y(θ) = y + θ(F₀ + (1-θ)(F₁ + θ(F₂ + (1-θ)(F₃ + …)))),
    F₀ = Δ,   F₁ = h k₁ - Δ,   F₂ = 2Δ - h (k₁ + k),   F₃ … = h Σ dⱼ kⱼ.

Without rows d that is Hermite's cubic.  Some methods need further stages for it, evaluated only in
steps that have an output time or an event inside.

Refs: Hairer1993 sec. II.1, II.5, II.6
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction as Fr

import numpy as np

from kinetree.arrays import Array
from kinetree.integrate.loops.dop853 import DOP853_ROWS, TableauRow
from kinetree.steppers.families.rk4 import STAGES


@dataclass(frozen=True, slots=True)
class Tableau:
    """A method.

    Attributes:
        name: under which it is chosen.
        order: of the solution at the end of a step.
        error_order: power of the step that the error estimate goes with; 0 without one.
        a: row j holds the weights of the stages before stage j; the first row is empty.
        b: weights of the stages at the end of the step.
        errors: weights of the stages and of the evaluation at the end that give the error; with two
            rows e, f the norm of it is |e|²/√(|e|² + |f|²/100).
        extra: rows like a, of stages after the end of the step, for the dense output alone.
        dense: rows d.
    """

    name: str
    order: int
    error_order: int
    a: tuple[TableauRow, ...]
    b: TableauRow
    errors: tuple[TableauRow, ...] = ()
    extra: tuple[TableauRow, ...] = ()
    dense: tuple[TableauRow, ...] = ()

    @property
    def stages(self) -> int:
        """Evaluations per step."""
        return len(self.b)

    @property
    def rows(self) -> int:
        """Derivatives kept per step: stages, end of the step, extra stages."""
        return self.stages + 1 + len(self.extra)

    @property
    def c(self) -> TableauRow:
        """Place of every row of derivatives within the step, from 0 to 1."""
        return (*(sum(row) for row in self.a), 1.0, *(sum(row) for row in self.extra))

    @property
    def all_rows(self) -> tuple[TableauRow, ...]:
        """Rows like a, of all derivatives that are kept of a step."""
        return (*self.a, self.b, *self.extra)

    def dense_weights(self, theta: float) -> Array:
        """wⱼ(θ) of all rows of derivatives: y(θ) = y + h Σ wⱼ kⱼ."""
        found = np.zeros(self.rows)
        for number, row in reversed(list(enumerate(self.dense_rows))):
            found = (found + row) * (1 - theta if number % 2 else theta)
        return found

    @property
    def dense_rows(self) -> tuple[TableauRow, ...]:
        """The rows F₀, F₁, … over h, as weights of all rows of derivatives."""
        b = (*self.b, *[0.0] * (self.rows - self.stages))
        first = [float(j == 0) for j in range(self.rows)]
        last = [float(j == self.stages) for j in range(self.rows)]
        return (
            b,
            tuple(f - w for f, w in zip(first, b, strict=True)),
            tuple(2 * w - f - e for w, f, e in zip(b, first, last, strict=True)),
            *self.dense,
        )


def _row(*values: Fr | int) -> TableauRow:
    return tuple(float(value) for value in values)


RK4 = Tableau("rk4", 4, 0, a=((), *STAGES[:-1]), b=STAGES[-1])

DOPRI5 = Tableau(
    "dopri5", 5, 5,
    a=(
        (),
        _row(Fr(1, 5)),
        _row(Fr(3, 40), Fr(9, 40)),
        _row(Fr(44, 45), Fr(-56, 15), Fr(32, 9)),
        _row(Fr(19372, 6561), Fr(-25360, 2187), Fr(64448, 6561), Fr(-212, 729)),
        _row(Fr(9017, 3168), Fr(-355, 33), Fr(46732, 5247), Fr(49, 176), Fr(-5103, 18656)),
    ),
    b=_row(Fr(35, 384), 0, Fr(500, 1113), Fr(125, 192), Fr(-2187, 6784), Fr(11, 84)),
    errors=(
        _row(
            Fr(71, 57600), 0, Fr(-71, 16695), Fr(71, 1920), Fr(-17253, 339200), Fr(22, 525),
            Fr(-1, 40),
        ),
    ),
    dense=(
        _row(
            Fr(-12715105075, 11282082432), 0, Fr(87487479700, 32700410799),
            Fr(-10690763975, 1880347072), Fr(701980252875, 199316789632),
            Fr(-1453857185, 822651844), Fr(69997945, 29380423),
        ),
    ),
)  # fmt: skip

DOP853 = Tableau("dop853", 8, 8, **DOP853_ROWS)

TABLEAUS = {row.name: row for row in (RK4, DOPRI5, DOP853)}
"""Every explicit method by name."""
