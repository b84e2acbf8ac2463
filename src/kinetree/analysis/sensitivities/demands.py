"""What goes backwards through a run: a measure's weights of samples and integrals; what cannot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from kinetree.analysis.runs.events import LAWS
from kinetree.analysis.sensitivities.jumps import joins, rates_aside
from kinetree.analysis.sensitivities.looks import (
    NEAR,
    Looks,
    find_instant,
    gather_measure,
    slope_by_end,
)
from kinetree.analysis.sensitivities.result import EARLY
from kinetree.arrays import Array
from kinetree.errors import ModelError, UnsupportedError, unknown
from kinetree.measures import EventTime, OfEvent

if TYPE_CHECKING:
    from kinetree.analysis.runs.dynamics import Dynamics
    from kinetree.analysis.runs.events import Watched
    from kinetree.analysis.runs.updates import Settled
    from kinetree.analysis.sensitivities.direct import TangentRun
    from kinetree.analysis.sensitivities.reverse import Reverse
    from kinetree.analysis.sensitivities.task import Task

COUNTS = 1e-3
"""Share of the largest weight from which on a sample counts where growth is told."""


@dataclass(frozen=True, eq=False)
class Demand:
    """What a measure asks of the way back.

    Attributes:
        unit: 1 at the number of the measure.
        weights: time of a sample [s] -> ∂V/∂e there.
        z: ∂V by the integrals.
        instants: number of an instant of the run -> ∂V by its time.
        sights: number of an instant -> ∂V/∂e there.
    """

    unit: Array
    weights: Mapping[float, float]
    z: Array
    instants: Mapping[int, float]
    sights: Mapping[int, float] = field(default_factory=dict)


def refuse_no_moment(task: Task) -> None:
    """Refuse measures at events that there are not, and at times outside the run."""
    end, watches = task.t0 + task.duration, None
    near = NEAR * max(task.duration, abs(end))
    for name, measure in task.measures.items():
        element = f"measure '{name}'"
        if isinstance(measure, OfEvent):
            watches = watches or task.watches.of(task.system).watches
            known = [row.name for row in watches if not row.name.startswith(LAWS)]
            if measure.event not in known:
                raise unknown("event", measure.event, known, element)
        for t in measure.times(end):
            if not task.t0 - near <= t <= end + near:
                raise ModelError(
                    f"it looks at t = {t:.6g} s, and the run lasts from {task.t0:.6g} to "
                    f"{end:.6g} s",
                    element=element,
                    cure="measure inside it, or make the run longer",
                )


def demands_of(task: Task, looks: Looks, peaks: Mapping[str, float]) -> list[Demand]:
    """What every measure asks for."""
    integrated, found = task.expressions.integrated, []
    units, count = np.eye(len(task.measures)), len(task.expressions.integrands)
    for number, (name, measure) in enumerate(task.measures.items()):
        if isinstance(measure, OfEvent):
            k, sights, slope = find_instant(looks, measure, name), {}, 1.0
            if not isinstance(measure, EventTime):
                seen_there = looks.instants[k].sample
                assert seen_there is not None
                sights, slope = {k: 1.0}, float(seen_there.rate[number])
            found.append(Demand(units[number], {}, np.zeros(count), {k: slope}, sights))
            continue
        times = np.array([peaks[name]]) if measure.peaks else measure.times(looks.end)
        place = integrated[number]
        seen = gather_measure(looks, measure, number, place, times)
        z = np.zeros(count)
        if place is not None:
            z[place] = seen.by_integral
        weights = {float(t): float(w) for t, w in zip(times, seen.by_samples, strict=True)}
        ends: dict[int, float] = {}
        if looks.end_slope is not None:  # the last instant is the end
            by_end = slope_by_end(looks, measure, number, place, times)
            ends[len(looks.instants) - 1] = by_end
        found.append(Demand(units[number], weights, z, ends))
    return found


def time_of_comparison(demand: Demand, start: float, end: float) -> float:
    """When bars are compared with those at the start: some way before the last that counts [s]."""
    most = max((abs(w) for w in demand.weights.values()), default=0.0)
    counting = [t for t, w in demand.weights.items() if abs(w) >= COUNTS * most]
    last = end if demand.z.any() or demand.instants else max(counting, default=end)
    return last - EARLY * (last - start)


def growth_back(first: Array, late: Array) -> float:
    """By how much bars of the state grow on the way back: what small changes do on their way."""
    sizes = [float(np.abs(lam).max(initial=0.0)) for lam in (first, late)]
    return sizes[0] / sizes[1] if sizes[1] > 0.0 else 1.0


def change_bars(
    before: Reverse, behind: Reverse, place: tuple[float, Array], lam: Array, sums: Array
) -> Array:
    """Bars in other independent coordinates, where these took over.

    Args:
        before: of the run up to there.
        behind: of the run from there on.
        place: time [s] and state.
        lam: bars of the state behind.
        sums: bars of what varies; grow.
    """
    if before is behind:
        return lam
    for one in (behind, before):
        form = one.of_projection
        if form is not None:
            bars = one.call(form, *place, lam)
            sums += bars.p
            lam = bars.y
    return lam


def refuse_ending(run: TangentRun) -> None:
    """Refuse a run that an event ends: its end moves."""
    if run.looks.end_slope is not None:
        raise refusal("event", "it ends the run")


def refuse_jumps(
    system: Dynamics, events: Watched, t: float, before: Array, after: Settled
) -> Array:
    """Refuse events that change tangents: these go forward alone."""
    names = [events.watches[hit.watch].name for hit in after.hits]
    if events.update is not None or not np.array_equal(after.y, system.project(t, before)):
        raise refusal(names[0], "it changes the motion")
    if not joined(system, t, before, after.y):
        raise refusal(names[0], "it jumps")
    return after.y


def joined(system: Dynamics, t: float, before: Array, after: Array) -> bool:
    """Whether the rates before and behind an instant are the same."""
    f, g = (rates_aside(system, t, y, way) for y, way in ((before, -1), (after, 1)))
    return joins(f, g)


def refusal(name: str, why: str) -> UnsupportedError:
    """The error that an event is not passed backwards."""
    of_law = f"{LAWS}: "
    law = f"law with the condition '{name.removeprefix(of_law)}'"
    return UnsupportedError(
        f"{why}, which the adjoint method does not pass here",
        element=law if name.startswith(of_law) else f"event '{name}'",
        cure="take method='direct'",
    )
