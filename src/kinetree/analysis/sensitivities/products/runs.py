"""Hessian products of runs by explicit methods: back over a run with one of its tangents.

The change of a measure along a direction v, dV = Σ ∂V/∂e de + ∂V/∂z dz, is a measure of the
dynamics with the tangent S = dY/dp v.  Its gradient, by the steps as they were taken, is

    Σⱼ d²V/dpᵢdpⱼ vⱼ                                                                  Eq. (S22)

so that a product costs one tangent and one way back, whatever the number of variables.

Refs: Griewank2008 ch. 5
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kinetree.analysis.runs.run import RunOptions
from kinetree.analysis.sensitivities.adjoint import Aside, Leg, march_of, near_of, row_before
from kinetree.analysis.sensitivities.demands import refusal
from kinetree.analysis.sensitivities.direct import Tracker
from kinetree.analysis.sensitivities.jumps import ASIDE, joins, past_branches
from kinetree.analysis.sensitivities.products.doubled import with_tangent
from kinetree.analysis.sensitivities.products.start_back import pull_second_start
from kinetree.analysis.sensitivities.reverse import Reverse
from kinetree.analysis.sensitivities.second import (
    jump_refusal,
    refuse_ending,
    refuse_jumps_twice,
    refuse_second,
)
from kinetree.analysis.sensitivities.start import start_along
from kinetree.analysis.sensitivities.tangent import tangent
from kinetree.arrays import Array
from kinetree.integrate.loops.tableaus import TABLEAUS
from kinetree.measures import Measure, Sighting

if TYPE_CHECKING:
    from kinetree.analysis.runs.dynamics import Dynamics
    from kinetree.analysis.runs.events import Watched
    from kinetree.analysis.runs.updates import Settled
    from kinetree.analysis.sensitivities.task import Task


@dataclass(frozen=True, eq=False)
class TangentLook:
    """What is seen of a run with a tangent at one time.

    Attributes:
        t: time [s].
        leg: the part of the run.
        row: number of its row at that time or before.
        Y: the state.
        e: expressions of all measures, then their changes.
    """

    t: float
    leg: Leg
    row: int
    Y: Array
    e: Array


def run_products(task: Task, way: Array) -> Array:
    """Second derivatives of all measures along a direction: measure × variable.

    Args:
        task: what runs, by an explicit method.
        way: the direction: a change of every variable.
    """
    refuse_second(task)
    with task.share.part(0.0, 0.5):
        back = _ProductsBack(task, way)
    with task.share.part(0.5, 1.0):
        rows = task.share.parts([*enumerate(task.measures.values())])
        return np.array([back.product(number, measure) for number, measure in rows])


class _ProductsBack:
    """A run with its tangent, whose steps are kept to be gone backwards."""

    def __init__(self, task: Task, way: Array) -> None:
        self.task, self.tableau, seen = task, TABLEAUS[task.integrator], task.expressions
        made = with_tangent(tangent(task.system, seen, ()), task.directions, way, seen.key)
        self.made, self.reverse = made, Reverse(made, task.directions, seen.key)
        self.start = start_along(made, task.directions, way, task.start, task.t0, task.given)
        how = RunOptions(
            task.integrator, task.settings_for(made.width, every_step=True),
            watches=task.watches, jump=self._pass, onward=past_branches,
        )  # fmt: skip
        ends = task.t0 + np.array([0.0, task.duration])
        looks, _ = Tracker(task).track(made, self.start, ends, how)
        refuse_ending(looks)
        self.begin, self.end, self.legs = looks.start, looks.end, list[Leg]()
        for part in looks.parts:
            if len(part.t):
                t, Y = part.t, part.Y
                if self.legs:
                    last = self.legs[-1]
                    t, Y = np.append(last.t[-1], t), np.vstack([last.Y[len(last.t) - 1], Y])
                self.legs.append(Leg(self.reverse, t, Y))

    def _pass(
        self, system: Dynamics, events: Watched, t: float, before: Array, after: Settled
    ) -> Array:
        """The state behind an event at which nothing jumps, the slopes of tangents neither."""
        Y = refuse_jumps_twice(system, events, t, before, after)
        if not joins(*(self._bars_aside(t, Y, way) for way in (-1, 1))):
            name = events.watches[after.hits[0].watch].name
            raise jump_refusal(refusal(name, "").element, t)
        return Y

    def _bars_aside(self, t: float, Y: Array, way: int) -> Array:
        """The reverse of the rates at an event, continued from before it (-1) or from behind."""
        step, reverse = way * ASIDE * max(abs(t), 1.0), self.reverse
        here, weights = reverse.made.system.rates(t, Y), np.cos(np.arange(len(Y)))
        first, second = (
            reverse.call(reverse.of_rates, t + k * step, Y + k * step * here, weights).y
            for k in (1, 2)
        )
        return 2 * first - second

    def product(self, number: int, measure: Measure) -> Array:
        """The second derivatives of one measure along the direction, by every variable."""
        looks, weights, lam = self._weights(number, measure)
        sums = np.zeros(self.reverse.count)
        stops = sorted(zip(looks, weights, strict=True), key=lambda pair: pair[0].t)
        for leg in reversed(self.legs):
            march = march_of(self.tableau, leg, sums)
            march.lam[:] = lam
            at = len(leg.t) - 1
            while stops and stops[-1][0].leg is leg:
                look, weight = stops.pop()
                march.back(look.row, at)
                at = look.row
                march.lam[:] += self._pull(look, weight, sums)
            march.back(0, at)
            lam = march.lam.copy()
        start = pull_second_start(self.task, self.task.expressions, self.reverse, self.start, lam)
        found: Array = self.reverse.of_variables(sums) + start
        return found

    def _weights(
        self, number: int, measure: Measure
    ) -> tuple[list[TangentLook], list[Array], Array]:
        """What is seen, the weights of it and of its changes, and the bars of the last state."""
        width, size, count = self.made.width, self.made.size, len(self.task.measures)
        place = self.task.expressions.integrated[number]
        looks = [self._look(float(t)) for t in measure.times(self.end)]
        last = self.legs[-1].Y[-1]
        integral = 0.0 if place is None else float(last[size + place])
        values = np.array([look.e[number] for look in looks])
        seen = measure.gather(Sighting(self.begin, self.end, values, integral))
        curves = seen.curved_samples if len(seen.curved_samples) else np.zeros(len(looks))
        weights = []
        for look, slope, curve in zip(looks, seen.by_samples, curves, strict=True):
            row = np.zeros(2 * count)
            row[number], row[count + number] = curve * look.e[count + number], slope
            weights.append(row)
        lam = np.zeros(2 * width)
        if place is not None:
            lam[size + place] = seen.curved_integral * last[width + size + place]
            lam[width + size + place] = seen.by_integral
        return looks, weights, lam

    def _look(self, t: float) -> TangentLook:
        """What is seen at a time."""
        begin = self.task.t0
        leg = next((leg for leg in reversed(self.legs) if t >= leg.t[0]), self.legs[0])
        k = row_before(leg, begin, t)
        beside = abs(leg.t[k] - t) > near_of(leg, begin)
        Y = Aside(self.tableau, leg, k, t).state() if beside else leg.Y[k]
        return TangentLook(t, leg, k, Y, self.reverse.look(t, Y))

    def _pull(self, look: TangentLook, weight: Array, sums: Array) -> Array:
        """Bars of the row before a look; bars of the inputs are added."""
        reverse, leg = self.reverse, look.leg
        found = reverse.call(reverse.of_looks, look.t, look.Y, weight)
        sums[:] += found.p
        if abs(leg.t[look.row] - look.t) <= near_of(leg, self.task.t0):
            return found.y
        return Aside(self.tableau, leg, look.row, look.t).pull(found.y, sums)
