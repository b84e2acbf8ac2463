"""How severe a crash is: the largest filtered deceleration over its limit.

    V = max |ā(t)|/limit        ā: the expression, filtered as EN 1317-1 of that year says

The filter is linear, ā = F a, so that at the moment of the maximum dV = ± F da/limit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinetree.arguments import check_arguments, check_choice, check_positive
from kinetree.arrays import Array
from kinetree.measures.measure import Expression, Gathered, Measure, Sighting
from kinetree.results.severity import FILTERS, LIMITS, apply_filter

NEAR = 1e-9
"""Share of a step by which the run may end before a sample."""


@dataclass(frozen=True)
class Severity(Measure):
    """max |ā(t)|/limit from samples in equal steps."""

    standard: str = "2010"
    step: float = 5e-4
    limit: float = float(LIMITS[0])

    def times(self, end: float) -> Array:
        """Multiples of the step, from zero to the end."""
        return np.asarray(np.arange(1 + int(end / self.step + NEAR)) * self.step)

    def gather(self, seen: Sighting) -> Gathered:
        """V, whose slopes are a row of the filter."""
        a = seen.samples[:, None]
        smooth = apply_filter(a, self.step, self.standard)[:, 0] / self.limit
        k = int(np.argmax(np.abs(smooth)))
        return Gathered(float(abs(smooth[k])), np.sign(smooth[k]) * self._row(k, len(a)))

    def _row(self, k: int, size: int) -> Array:
        """Slopes of value k by the samples: the answer to one impulse, read backward."""
        impulse = np.zeros((2 * size - 1, 1))
        impulse[size - 1] = 1.0
        answer = apply_filter(impulse, self.step, self.standard)[:, 0] / self.limit
        return np.asarray(answer[k + size - 1 - np.arange(size)])


def severity(
    of: Expression, standard: str = "2010", step: float = 5e-4, limit: float = float(LIMITS[0])
) -> Severity:
    """The Acceleration Severity Index along one direction, of a run that begins at t = 0.

    Args:
        of: the acceleration [m/s²], such as "qdd_car"; else as of `final`.
        standard: "1998" (means over 50 ms) or "2010" (low-pass at 13 Hz), the year of EN 1317-1.
        step: time between the samples that are filtered [s].
        limit: acceleration at which the index is 1 [m/s²]; 12 g, that along a vehicle.
    """
    check_arguments(severity, locals())
    check_choice("standard", standard, tuple(FILTERS))
    check_positive("a positive number", step=step, limit=limit)
    return Severity(of, standard, step, limit)
