"""The way of one optimiser: where it begins, its method, what it does where constraints are missed.

Beginning where no run is, it tries other places between the bounds.  Where constraints are missed,
it goes on to where they are missed least, ½ Σ (gap/size)², and if they are met there it
begins once more from that place: so what is told as missed cannot be met nearby.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from kinetree.analysis.optimising.methods import ENDED, SPENT, Minimum, Optimiser, minimise_smooth
from kinetree.analysis.optimising.trials import EnoughError, Trials
from kinetree.analysis.sweeping.plans import quiet_points
from kinetree.arrays import Array

ELSEWHERE = 32
"""Places that are tried where the first has no run."""
WayEnd = tuple[Array, bool, str]
"""The last point, whether the method has converged, and what it says."""


@dataclass(frozen=True)
class OneWay:
    """How every optimiser goes.

    Attributes:
        method: its row.
        tolerance: of the objective and of scaled variables.
        evaluations: most of them.
        seed: of what is drawn.
    """

    method: Optimiser
    tolerance: float
    evaluations: int
    seed: int

    def go(self, first: Array, own: Trials) -> WayEnd:
        """From a first point to the end, within the evaluations."""
        own.begin(self.evaluations)
        try:
            s, converged, said = self._go(first, own)
        except EnoughError:
            s, converged, said = own.best(), False, ENDED if own.stop.is_set() else SPENT
        own.budget.most = None
        found = self._with_gradient(s, own)
        return found, converged and found is s, said

    def _go(self, first: Array, own: Trials) -> WayEnd:
        task = self._task(self._place_with_run(first, own), own)
        end = self.method.solve(task)
        if not self.method.slopes or not self._missed(own, end[0]):
            return end
        near = minimise_smooth(replace(task, start=end[0], function=own.gaps))
        if self._missed(own, near):
            return min((end[0], near), key=lambda s: own.miss(own.row(s))), False, end[2]
        return self.method.solve(replace(task, start=near))

    def _with_gradient(self, s: Array, own: Trials) -> Array:
        """The end, or the best place that has a gradient where this is at the edge of what runs."""
        for _ in range(len(own.budget.tried)):
            if "failed" not in own.row(s):
                break
            s = own.best()
        return s

    def _task(self, start: Array, own: Trials) -> Minimum:
        return Minimum(
            own.objective, start, np.zeros(len(start)), np.ones(len(start)),
            own.limits(equal=False), own.limits(equal=True),
            own.residuals if own.study.squares else None, own.judge, self.tolerance,
            self.evaluations, self.seed,
        )  # fmt: skip

    def _place_with_run(self, first: Array, own: Trials) -> Array:
        """The first point, or another one where that has no run."""
        places, slopes = (first, *self._elsewhere(len(first))), self.method.slopes
        return next((s for s in places if "failed" not in own.row(s, slopes=slopes)), first)

    def _elsewhere(self, count: int) -> Iterator[Array]:
        from scipy.stats import qmc

        yield from quiet_points(qmc.Sobol(count, seed=self.seed + 1), ELSEWHERE)

    def _missed(self, own: Trials, s: Array) -> bool:
        """Whether there is a run there that misses a constraint."""
        row = own.row(s)
        return "failed" not in row and own.miss(row) > 0.0
