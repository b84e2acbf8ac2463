"""The integral of an expression over a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kinetree.arrays import Array
from kinetree.measures.measure import NONE, Expression, Gathered, Measure, Sighting


@dataclass(frozen=True)
class Integral(Measure):
    """∫ e dt."""

    power: ClassVar[int] = 1

    def times(self, end: float) -> Array:
        """None: all of the run counts."""
        del end
        return NONE

    def gather(self, seen: Sighting) -> Gathered:
        """V = ∫ e dt."""
        return Gathered(seen.integral, by_integral=1.0)


def integral(of: Expression) -> Integral:
    """The integral of an expression over the time of a run.

    Args:
        of: as of `final`.
    """
    return Integral(of)
