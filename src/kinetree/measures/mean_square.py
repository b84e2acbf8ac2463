"""The mean square of an expression over a run, and its root."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

from kinetree.arrays import Array
from kinetree.measures.measure import NONE, Expression, Gathered, Measure, Sighting


@dataclass(frozen=True)
class MeanSquare(Measure):
    """∫ e² dt / (T - t₀)."""

    power: ClassVar[int] = 2

    def times(self, end: float) -> Array:
        """None: all of the run counts."""
        del end
        return NONE

    def gather(self, seen: Sighting) -> Gathered:
        """V = I / (T - t₀)."""
        return _mean(seen)


@dataclass(frozen=True)
class RootMeanSquare(Measure):
    """√(∫ e² dt / (T - t₀)); its slope where it is zero is zero."""

    power: ClassVar[int] = 2

    def times(self, end: float) -> Array:
        """None: all of the run counts."""
        del end
        return NONE

    def gather(self, seen: Sighting) -> Gathered:
        """V = √(I / (T - t₀))."""
        square = _mean(seen)
        value = sqrt(max(square.value, 0.0))
        slope = 0.5 / value if value else 0.0
        curved = -2 * slope**3 * square.by_integral**2  # V'' = -1/(4 V³) along the mean square
        return Gathered(
            value, by_integral=slope * square.by_integral, by_end=slope * square.by_end,
            curved_integral=curved,
        )  # fmt: skip


def _mean(seen: Sighting) -> Gathered:
    """The integral over the length of the run."""
    length = seen.end - seen.start
    value = seen.integral / length
    return Gathered(value, by_integral=1.0 / length, by_end=-value / length)


def mean_square(of: Expression) -> MeanSquare:
    """The mean square of an expression over the time of a run.

    Args:
        of: as of `final`.
    """
    return MeanSquare(of)


def rms(of: Expression) -> RootMeanSquare:
    """The root of the mean square of an expression over the time of a run.

    Args:
        of: as of `final`.
    """
    return RootMeanSquare(of)
