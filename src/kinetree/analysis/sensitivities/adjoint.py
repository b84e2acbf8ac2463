"""The adjoint method: one run forward, then its steps backwards once per measure.

With λ the bar of the state, dV = λᵀ dy + p̄ᵀ dp at every moment.  It starts at the end of the run,
takes up ∂V/∂e ∂e/∂y at the times of samples on its way, and ends at the start, whose own dependence
on what varies is the rest.  Integrals have a constant bar.  A sample between two steps is reached
by a step aside from the last one before it.

Refs: Kurz2008 sec. 3; Griewank2008 ch. 3
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kinetree.analysis.sensitivities.demands import (
    Demand,
    change_bars,
    refuse_ending,
    refuse_jumps,
)
from kinetree.analysis.sensitivities.direct import TangentRun, run_tangents
from kinetree.analysis.sensitivities.looks import NEAR
from kinetree.analysis.sensitivities.reverse import Reverse
from kinetree.analysis.sensitivities.start import pull_start
from kinetree.arrays import Array
from kinetree.integrate.loops.backward import BackwardMarch
from kinetree.integrate.loops.tableaus import TABLEAUS

if TYPE_CHECKING:
    from kinetree.analysis.sensitivities.tangent import Tangent
    from kinetree.analysis.sensitivities.task import Task


@dataclass(frozen=True, eq=False)
class Leg:
    """Steps of a run in one set of coordinates: times [s] and states, the first included."""

    reverse: Reverse
    t: Array
    Y: Array


class Backward:
    """The steps of a run, kept to be gone backwards."""

    kind = "discrete"

    def __init__(self, task: Task, times: Array, run: TangentRun | None = None) -> None:
        self.task = task
        if run is None or not _has_every_step(task, run):
            run = run_tangents(task, (), times[[0, -1]], every_step=True, jump=refuse_jumps)
        refuse_ending(run)
        self.legs = self._legs(run)
        self.tableau = TABLEAUS[task.integrator]

    def _legs(self, run: TangentRun) -> list[Leg]:
        """The parts of the run, each with the state that it begins with."""
        legs: list[Leg] = []
        for part in run.looks.parts:
            if not len(part.t):
                continue
            t, Y = part.t, part.Y
            if legs:
                t, Y = np.append(legs[-1].t[-1], t), np.vstack([legs[-1].Y[-1:], Y])
            made = part.made
            known = next((leg.reverse for leg in legs if leg.reverse.made is made), None)
            key = self.task.expressions_of(made.system).key if known is None else ""
            legs.append(Leg(known or Reverse(made, self.task.directions, key), t, Y))
        return legs

    @property
    def steps(self) -> int:
        """Number of steps."""
        return sum(len(leg.t) - 1 for leg in self.legs)

    def gradients(self, demands: Sequence[Demand]) -> Array:
        """The derivatives of measures by every variable but the duration, one row each."""
        return np.array([self._gradient(row) for row in demands])

    def _gradient(self, demand: Demand) -> Array:
        first, unit = self.legs[0].reverse, demand.unit
        sums = np.zeros(first.count)
        waiting = sorted(demand.weights.items())
        lam = np.zeros(first.made.width)
        lam[first.made.size :] = demand.z
        for leg in reversed(self.legs):
            march = self._march(leg, sums)
            march.lam[:] = lam
            at = len(leg.t) - 1
            while waiting and (waiting[-1][0] >= leg.t[0] or leg is self.legs[0]):
                t, weight = waiting.pop()
                k, aside = self._sample(leg, t, weight * unit, sums)
                march.back(k, at)
                at = k
                march.lam += aside
            march.back(0, at)
            lam = march.lam if leg is self.legs[0] else self._change(leg, march.lam, sums)
        task = self.task
        start = pull_start(first, task.start, task.t0, task.given, lam)
        found: Array = first.of_variables(sums) + start
        return found

    def _march(
        self, leg: Leg, sums: Array, rows: tuple[Array, Array] | None = None
    ) -> BackwardMarch:
        reverse = leg.reverse
        turning = bool(reverse.made.system.forward.input("q").quaternions)
        kernels = reverse.rates, reverse.of_rates, reverse.of_projection if turning else None
        return BackwardMarch(self.tableau, rows or (leg.t, leg.Y), kernels, sums)

    def _sample(self, leg: Leg, t: float, weights: Array, sums: Array) -> tuple[int, Array]:
        """Number of the last step before a sample, and the bar of the state there."""
        near = NEAR * max(leg.t[-1] - self.task.t0, abs(leg.t[-1]))
        k = int(np.clip(np.searchsorted(leg.t, t + near) - 1, 0, len(leg.t) - 1))
        reverse, made = leg.reverse, leg.reverse.made
        if abs(leg.t[k] - t) <= near:
            bars = reverse.call(reverse.of_looks, t, leg.Y[k], weights)
            sums += bars.p
            return k, bars.y
        aside = self._step_aside(made, leg, k, t)
        bars = reverse.call(reverse.of_looks, t, aside, weights)
        sums += bars.p
        rows = np.array([leg.t[k], t]), np.array([leg.Y[k], aside])
        march = self._march(leg, sums, rows)
        march.lam[:] = bars.y
        march.back(0, 1)
        return k, march.lam

    def _step_aside(self, made: Tangent, leg: Leg, k: int, t: float) -> Array:
        """The state at a time between two steps, by one step from the first of them."""
        h, y = t - leg.t[k], leg.Y[k]
        slopes = np.zeros((0, len(y)))
        for row, c in zip(self.tableau.a, self.tableau.c, strict=False):
            rates = made.system.rates(leg.t[k] + c * h, y + h * (np.array(row) @ slopes))
            slopes = np.vstack([slopes, rates])
        return made.system.project(t, y + h * (np.array(self.tableau.b) @ slopes))

    def _change(self, leg: Leg, lam: Array, sums: Array) -> Array:
        """Bars in the coordinates of the leg before."""
        before = self.legs[self.legs.index(leg) - 1]
        return change_bars(before.reverse, leg.reverse, (float(leg.t[0]), leg.Y[0]), lam, sums)


def _has_every_step(task: Task, run: TangentRun) -> bool:
    """Whether the rows of a run are the ends of its equal steps, and no others."""
    h = task.settings.fixed_step
    if h is None:
        return False
    ends = task.t0 + h * np.arange(1 + round(task.duration / h))
    near = NEAR * max(task.duration, abs(task.t0))
    return len(run.t) == len(ends) and bool(np.abs(run.t - ends).max() <= near)
