"""The adjoint method: one run forward, then its steps backwards once per measure.

With λ the bar of the state, dV = λᵀ dy + p̄ᵀ dp at every moment.  It starts at the end of the run,
takes up ∂V/∂e ∂e/∂y at the times of samples on its way, and ends at the start, whose own dependence
on what varies is the rest.  Integrals have a constant bar.  A sample inside a step is one of its
dense output, whose transpose is taken, too; events are passed by the transpose of their jumps.

Refs: Kurz2008 sec. 3; Griewank2008 ch. 3
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from kinetree.analysis.sensitivities.demands import (
    Demand,
    change_bars,
    growth_back,
    time_of_comparison,
)
from kinetree.analysis.sensitivities.direct import TangentRun, Tracker
from kinetree.analysis.sensitivities.looks import NEAR, Instant, Looks, RunPart
from kinetree.analysis.sensitivities.passages import EventsBack, Passage, Passages
from kinetree.analysis.sensitivities.reverse import Reverse
from kinetree.analysis.sensitivities.start import pull_start
from kinetree.analysis.sensitivities.trail.rows import RemadeMarch, RemadeRows
from kinetree.analysis.sensitivities.trail.trail import Trail
from kinetree.arrays import Array
from kinetree.integrate.loops.backward import BackwardMarch, ReverseKernel, SweptKernel
from kinetree.integrate.loops.tableaus import TABLEAUS, Tableau
from kinetree.program.events import SIDES

if TYPE_CHECKING:
    from kinetree.analysis.sensitivities.task import Task


AT_ONCE = 1 << 14
"""Steps that are gone back before it is told how far it is; a multiple of the lanes."""
AnyMarch = BackwardMarch | RemadeMarch
"""A way back over a leg."""


@dataclass(frozen=True, eq=False)
class Leg:
    """Steps of a run in one set of coordinates: times [s] and states, the first included.

    States are rows that are at hand, or are made again; conditions of laws stayed on their sides.
    """

    reverse: Reverse
    t: Array
    Y: Array | RemadeRows
    sides: Array = field(default_factory=lambda: np.zeros(0))

    @property
    def branches(self) -> dict[str, Array]:
        """What the rates are told of the branches of laws."""
        return {SIDES: self.sides} if len(self.sides) else {}

    @property
    def kernels(self) -> tuple[SweptKernel, ReverseKernel | None]:
        """The reverse of the rates, and of the projection where it turns."""
        reverse = self.reverse
        turning = bool(reverse.made.system.forward.input("q").quaternions)
        stages = reverse.of_stages
        stages = replace(stages, given={**stages.given, **self.branches})
        return stages, reverse.of_projection if turning else None


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

    def __init__(self, task: Task, times: Array, run: TangentRun, passages: Passages) -> None:
        """The way back.

        Args:
            task: what runs.
            times: output times [s].
            run: with the ends of its steps.
            passages: what changed on its way.
        """
        self.task, self.passages, self.growth = task, passages, 1.0
        self.trail: Trail | None = None
        self.repeats = 1
        parts, self.instants = run.ends, run.looks.instants
        if task.memory is not None:
            looks = self._leave_trail(task, times[[0, -1]], task.memory)
            parts, self.instants = looks.parts, looks.instants
        self.watch = task.watches.of
        self._events: dict[int, EventsBack] = {}
        self.legs = self._legs(parts)
        self.tableau = TABLEAUS[task.integrator]

    def _leave_trail(self, task: Task, ends: Array, memory: float) -> Looks:
        """The run once more, of which only some moments are kept in a given memory."""
        self.trail, self.passages = Trail(task.integrator, memory), Passages()
        return Tracker(task, jump=self.passages, trail=self.trail, holds=True).leave_trail(ends)

    @property
    def facts(self) -> dict[str, int]:
        """What is told of the way back."""
        if self.trail is None:
            return {"steps": self.steps}
        kept = self.trail.room + 1
        return {"steps": self.steps, "repeats": self.repeats, "checkpoints": kept}

    def _legs(self, parts: Sequence[RunPart]) -> list[Leg]:
        """The parts of the run, each with the state that it begins with."""
        legs: list[Leg] = []
        for part in parts:
            if not len(part.t):
                continue
            t, Y = part.t, _rows_of(part, legs)
            if legs:
                t = np.append(legs[-1].t[-1], t)
            made = part.made
            known = next((leg.reverse for leg in legs if leg.reverse.made is made), None)
            key = self.task.expressions.key
            legs.append(Leg(known or Reverse(made, self.task.directions, key), t, Y, part.sides))
        return legs

    @property
    def steps(self) -> int:
        """Number of steps."""
        return sum(len(leg.t) - 1 for leg in self.legs)

    def gradients(self, demands: Sequence[Demand]) -> Array:
        """The derivatives of measures by every variable but the duration, one row each."""
        return np.array([self._gradient_counted(row) for row in self.task.share.parts(demands)])

    def _gradient_counted(self, demand: Demand) -> Array:
        """A gradient; how often steps were made for it is noted."""
        found = self._gradient(demand)
        if self.trail is not None:
            self.repeats = max(self.repeats, self.trail.repeats)
            self.trail.restart_count()
        return found

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
                self._go_back(leg, march, k, at)
                at = k
                if stop.compares:
                    late = march.lam[: leg.reverse.made.size].copy()
                else:
                    self._visit(march, leg, k, stop, sums)
            self._go_back(leg, march, 0, at)
            lam = march.lam if leg is self.legs[0] else self._change(leg, march.lam, sums.inputs)
        self.growth = max(self.growth, growth_back(lam[: first.made.size], late))
        task = self.task
        moved = task.start_slopes(task.directions)
        start = pull_start(first, task.start, task.t0, task.given, lam, moved)
        found: Array = first.of_variables(sums.inputs) + sums.variables + start
        return found

    def _go_back(self, leg: Leg, march: AnyMarch, k: int, last: int) -> None:
        """Go back from one row of a leg to another one before it, some steps at a time."""
        tell = self.task.share.over(float(self.legs[-1].t[-1]), self.task.t0)
        for at in range(last, k, -AT_ONCE):
            first = max(at - AT_ONCE, k)
            march.back(first, at)
            if tell is not None:
                tell(float(leg.t[first]))

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

    def _visit(self, march: AnyMarch, leg: Leg, k: int, stop: BackStop, sums: BarSums) -> None:
        """Take up what happens or is seen at a time, on the row k or behind it."""
        reverse, t = leg.reverse, stop.t
        beside = abs(leg.t[k] - t) > near_of(leg, self.task.t0)
        if stop.passage is not None:
            march.lam[:] = self._back(reverse).pass_back(stop.passage, march.lam, sums.variables)
            return
        Y = leg.Y[k]
        aside = Aside(self.tableau, leg, k, t) if beside else None
        if stop.instant is not None:
            Y = stop.instant.before
            bar = self._back(reverse).of_instant(stop.instant, stop.weight, sums.variables)
            if stop.sight:
                bar = bar + _pull_look(reverse, t, Y, stop.sight, sums)
        else:
            Y = Y if aside is None else aside.state()
            bar = _pull_look(reverse, t, Y, stop.weight, sums)
        march.lam[:] += bar if aside is None else aside.pull(bar, sums.inputs)

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


def _rows_of(part: RunPart, legs: Sequence[Leg]) -> Array | RemadeRows:
    """The states of a part of a run, behind the last one of the leg before."""
    before = legs[-1].Y if legs else None
    if part.rows is not None:
        assert before is None or isinstance(before, RemadeRows)  # all parts are alike
        return RemadeRows(before, part.rows)
    return part.Y if before is None else np.vstack([before[len(before) - 1], part.Y])


def near_of(leg: Leg, start: float) -> float:
    """Distance within which times are one, in a run from that time on [s]."""
    return NEAR * max(float(leg.t[-1]) - start, abs(float(leg.t[-1])))


def row_before(leg: Leg, start: float, t: float) -> int:
    """Number of the last row at a time or before it; the run begins at `start` [s]."""
    place = int(np.searchsorted(leg.t, t + near_of(leg, start), side="right")) - 1
    return int(np.clip(place, 0, len(leg.t) - 1))


def march_of(tableau: Tableau, leg: Leg, sums: Array) -> AnyMarch:
    """The way back over a leg; bars of the inputs are added to the sums."""
    if isinstance(leg.Y, RemadeRows):
        width = leg.reverse.made.width
        return RemadeMarch(tableau, (leg.t, leg.Y), width, leg.kernels, sums)
    return BackwardMarch(tableau, (leg.t, leg.Y), leg.kernels, sums)


@dataclass(frozen=True, eq=False)
class Aside:
    """A place inside a step, where the dense output says what the state is.

    Attributes:
        tableau: the method.
        leg: the part of the run.
        k: number of the row where the step begins.
        t: time [s].
    """

    tableau: Tableau
    leg: Leg
    k: int
    t: float

    @property
    def _times(self) -> tuple[float, float]:
        """Where the step begins, and its length [s]."""
        begin, end = self.leg.t[self.k : self.k + 2]
        return float(begin), float(end - begin)

    @property
    def _weights(self) -> Array:
        """Of all derivatives of the step."""
        begin, h = self._times
        return self.tableau.dense_weights((self.t - begin) / h)

    def state(self) -> Array:
        """The state there."""
        (begin, h), y, system = self._times, self.leg.Y[self.k], self.leg.reverse.made.system
        slopes = np.zeros((0, len(y)))
        for row, c in zip(self.tableau.all_rows, self.tableau.c, strict=True):
            place = y + h * (np.array(row) @ slopes)
            rates = system.rates(begin + c * h, place, **self.leg.branches)
            slopes = np.vstack([slopes, rates])
        return system.project(self.t, y + h * (self._weights @ slopes))

    def pull(self, bar: Array, sums: Array) -> Array:
        """The bar of the state where the step begins; bars of the inputs are added."""
        begin, h = self._times
        rows = np.array([begin, begin + h, self.t]), np.array([self.leg.Y[self.k]])
        march = BackwardMarch(self.tableau, rows, self.leg.kernels, sums, self._weights)
        march.lam[:] = bar
        march.back(0, 1)
        return march.lam


def _pull_look(reverse: Reverse, t: float, Y: Array, weight: float, sums: BarSums) -> Array:
    """The bar of the state that is looked at; bars of the inputs are added."""
    found = reverse.call(reverse.of_looks, t, Y, weight * sums.unit)
    sums.inputs[:] += found.p
    return found.y
