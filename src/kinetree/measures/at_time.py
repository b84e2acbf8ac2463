"""The value of an expression at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinetree.arguments import check_arguments
from kinetree.arrays import Array
from kinetree.measures.measure import Expression, Gathered, Measure, Sighting


@dataclass(frozen=True)
class AtTime(Measure):
    """e(t); t in seconds."""

    t: float

    def times(self, end: float) -> Array:
        """The time."""
        del end
        return np.array([self.t])

    def gather(self, seen: Sighting) -> Gathered:
        """V = e(t)."""
        return Gathered(float(seen.samples[0]), np.ones(1))


def at_time(of: Expression, t: float) -> AtTime:
    """The value of an expression at a time of a run.

    Args:
        of: as of `final`.
        t: the time [s].
    """
    check_arguments(at_time, locals())
    return AtTime(of, float(t))
