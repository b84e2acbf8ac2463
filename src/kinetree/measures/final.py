"""The value of an expression at the end of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kinetree.arrays import Array
from kinetree.measures.measure import Expression, Gathered, Measure, Sighting


@dataclass(frozen=True)
class Final(Measure):
    """e(T)."""

    at_end: ClassVar[bool] = True

    def times(self, end: float) -> Array:
        """The end."""
        return np.array([end])

    def gather(self, seen: Sighting) -> Gathered:
        """V = e(T)."""
        return Gathered(float(seen.samples[0]), np.ones(1))


def final(of: Expression) -> Final:
    """The value of an expression at the end of a run.

    Args:
        of: text such as "q_y**2 + strut.force", function of q, qd, x, t, outputs, or expression.
    """
    return Final(of)
