"""The largest value of an expression during a run.

Inside the run de/dt = 0 there, so that the place of the peak may stay where it is: dV = de(t*).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kinetree.arrays import Array
from kinetree.measures.measure import NONE, Expression, Gathered, Measure, Sighting


@dataclass(frozen=True)
class Peak(Measure):
    """max e(t)."""

    peaks: ClassVar[bool] = True

    def times(self, end: float) -> Array:
        """None: where it is, the run tells."""
        del end
        return NONE

    def gather(self, seen: Sighting) -> Gathered:
        """V = e(t*)."""
        return Gathered(float(seen.samples[0]), np.ones(1))


def peak(of: Expression) -> Peak:
    """The largest value of an expression during a run; of "abs(q_y)" that on either side.

    Args:
        of: as of `final`.
    """
    return Peak(of)
