"""The adjoint method: one run forward, then its steps backwards once per measure.

With λ the bar of the state, dV = λᵀ dy + p̄ᵀ dp at every moment.  It starts at the end of the run,
takes up ∂V/∂e ∂e/∂y at the times of samples on its way, and ends at the start, whose own dependence
on what varies is the rest.  Integrals have a constant bar.  A sample between two steps is reached
by a step aside from the last one before it; events are passed by the transpose of their jumps.

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
    growth_back,
    time_of_comparison,
)
from kinetree.analysis.sensitivities.direct import TangentRun, run_tangents
from kinetree.analysis.sensitivities.looks import NEAR, Instant
from kinetree.analysis.sensitivities.passages import EventsBack, Passage, Passages
from kinetree.analysis.sensitivities.reverse import Reverse
from kinetree.analysis.sensitivities.start import pull_start
from kinetree.arrays import Array
from kinetree.integrate.loops.backward import BackwardMarch
from kinetree.integrate.loops.tableaus import TABLEAUS, Tableau

if TYPE_CHECKING:
    from kinetree.analysis.sensitivities.task import Task


@dataclass(frozen=True, eq=False)
class Leg:
    """Steps of a run in one set of coordinates: times [s] and states, the first included."""

    reverse: Reverse
    t: Array
    Y: Array


@dataclass(frozen=True, eq=False)
class BackStop:
    """Something on the way back beside steps: a sample, events that change the motion, or a time.

    At one time a sample comes first, behind the events, and the time of an event last, before them.

    Attributes:
        t: time [s].
        order: 0 for a sample, 1 for changes, 2 for the time of an event.
        weight: ∂V by what is seen.
        passage: what changes.
        instant: the event whose time counts.
        sight: ∂V/∂e before the event.
        compares: whether bars are noted there, to tell their growth.
    """

    t: float
    order: int = 0
    weight: float = 0.0
    passage: Passage | None = None
    instant: Instant | None = None
    sight: float = 0.0
    compares: bool = False

    def within(self, first: float) -> bool:
        """Whether it belongs to a leg that begins then [s]."""
        return self.t > first or (self.t == first and self.order == 0)


@dataclass(frozen=True, eq=False)
class BarSums:
    """Bars of the inputs and of the variables, added up on the way; 1 at the measure."""

    inputs: Array
    variables: Array
    unit: Array


class Backward:
    """The steps of a run, kept to be gone backwards."""

    kind = "discrete"

    def __init__(self, task: Task, times: Array, run: TangentRun | None = None) -> None:
        self.task, self.passages, self.growth = task, Passages(), 1.0
        if run is None or not _has_every_step(task, run):
            run = run_tangents(task, (), times[[0, -1]], every_step=True, jump=self.passages)
        self.instants = run.looks.instants
        self.watch = task.watches.of
        self._events: dict[int, EventsBack] = {}
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
        first, last = self.legs[0].reverse, self.legs[-1].reverse
        sums = BarSums(np.zeros(first.count), np.zeros(len(first.variables)), demand.unit)
        stops = self._stops(demand)
        late = np.zeros(0)
        lam = np.zeros(last.made.width)
        lam[last.made.size :] = demand.z
        for leg in reversed(self.legs):
            march = march_of(self.tableau, leg, sums.inputs)
            march.lam[:] = lam
            at = len(leg.t) - 1
            while stops and (stops[-1].within(float(leg.t[0])) or leg is self.legs[0]):
                stop = stops.pop()
                k = row_before(leg, self.task.t0, stop.t)
                k = min(k + 1, at) if stop.compares else k  # where the bars are not yet larger
                march.back(k, at)
                at = k
                if stop.compares:
                    late = march.lam[: leg.reverse.made.size].copy()
                else:
                    self._visit(march, leg, k, stop, sums)
            march.back(0, at)
            lam = march.lam if leg is self.legs[0] else self._change(leg, march.lam, sums.inputs)
        self.growth = max(self.growth, growth_back(lam[: first.made.size], late))
        task = self.task
        start = pull_start(first, task.start, task.t0, task.given, lam)
        found: Array = first.of_variables(sums.inputs) + sums.variables + start
        return found

    def _stops(self, demand: Demand) -> list[BackStop]:
        """Where the march stops for more than steps, the last ones first to be taken out."""
        rows = [BackStop(t, weight=w) for t, w in demand.weights.items()]
        rows += [BackStop(row.t, 1, passage=row) for row in self.passages.rows]
        rows += [
            BackStop(
                self.instants[k].t,
                2,
                weight=w,
                instant=self.instants[k],
                sight=demand.sights.get(k, 0.0),
            )
            for k, w in demand.instants.items()
        ]
        compared = time_of_comparison(demand, self.task.t0, float(self.legs[-1].t[-1]))
        rows.append(BackStop(compared, compares=True))
        return sorted(rows, key=lambda row: (row.t, -row.order))

    def _visit(self, march: BackwardMarch, leg: Leg, k: int, stop: BackStop, sums: BarSums) -> None:
        """Take up what happens or is seen at a time, on the row k or behind it."""
        reverse, t = leg.reverse, stop.t
        beside = abs(leg.t[k] - t) > near_of(leg, self.task.t0)
        if stop.passage is not None:
            march.lam[:] = self._back(reverse).pass_back(stop.passage, march.lam, sums.variables)
            return
        Y = leg.Y[k]
        if stop.instant is not None:
            Y = stop.instant.before
            bar = self._back(reverse).of_instant(stop.instant, stop.weight, sums.variables)
            if stop.sight:
                bar = bar + _pull_look(reverse, t, Y, stop.sight, sums)
        else:
            Y = step_aside(self.tableau, leg, k, t) if beside else Y
            bar = _pull_look(reverse, t, Y, stop.weight, sums)
        if beside:
            rows = np.array([leg.t[k], t]), np.array([leg.Y[k], Y])
            aside = march_of(self.tableau, leg, sums.inputs, rows)
            aside.lam[:] = bar
            aside.back(0, 1)
            bar = aside.lam
        march.lam[:] += bar

    def _back(self, reverse: Reverse) -> EventsBack:
        """What takes bars through the events of these equations."""
        key = id(reverse)
        if key not in self._events:
            self._events[key] = EventsBack(reverse, self.watch(reverse.made.system))
        return self._events[key]

    def _change(self, leg: Leg, lam: Array, sums: Array) -> Array:
        """Bars in the coordinates of the leg before."""
        before = self.legs[self.legs.index(leg) - 1]
        return change_bars(before.reverse, leg.reverse, (float(leg.t[0]), leg.Y[0]), lam, sums)


def near_of(leg: Leg, start: float) -> float:
    """Distance within which times are one, in a run from that time on [s]."""
    return NEAR * max(float(leg.t[-1]) - start, abs(float(leg.t[-1])))


def row_before(leg: Leg, start: float, t: float) -> int:
    """Number of the last row at a time or before it; the run begins at `start` [s]."""
    place = int(np.searchsorted(leg.t, t + near_of(leg, start), side="right")) - 1
    return int(np.clip(place, 0, len(leg.t) - 1))


def march_of(
    tableau: Tableau, leg: Leg, sums: Array, rows: tuple[Array, Array] | None = None
) -> BackwardMarch:
    """The way back over a leg, or over other rows; bars of the inputs are added to the sums."""
    reverse = leg.reverse
    turning = bool(reverse.made.system.forward.input("q").quaternions)
    kernels = reverse.of_stages, reverse.of_projection if turning else None
    return BackwardMarch(tableau, rows or (leg.t, leg.Y), kernels, sums)


def step_aside(tableau: Tableau, leg: Leg, k: int, t: float) -> Array:
    """The state at a time between two steps, by one step from the first of them."""
    h, y, system = t - leg.t[k], leg.Y[k], leg.reverse.made.system
    slopes = np.zeros((0, len(y)))
    for row, c in zip(tableau.a, tableau.c, strict=False):
        rates = system.rates(leg.t[k] + c * h, y + h * (np.array(row) @ slopes))
        slopes = np.vstack([slopes, rates])
    return system.project(t, y + h * (np.array(tableau.b) @ slopes))


def _pull_look(reverse: Reverse, t: float, Y: Array, weight: float, sums: BarSums) -> Array:
    """The bar of the state that is looked at; bars of the inputs are added."""
    found = reverse.call(reverse.of_looks, t, Y, weight * sums.unit)
    sums.inputs[:] += found.p
    return found.y


def _has_every_step(task: Task, run: TangentRun) -> bool:
    """Whether the rows of a run are the ends of its equal steps, and no others."""
    if task.settings.fixed_step is None:
        return False
    h = task.settings.equal_step(task.settings.fixed_step)
    ends = task.t0 + h * np.arange(1 + round(task.duration / h))
    near = NEAR * max(task.duration, abs(task.t0))
    return len(run.t) == len(ends) and bool(np.abs(run.t - ends).max() <= near)
