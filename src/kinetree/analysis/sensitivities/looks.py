"""What measures see of a run: values of their expressions at some times, integrals, the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.sensitivities.trail.rows import PlainRows
from kinetree.arrays import Array, Flags
from kinetree.errors import ModelError
from kinetree.measures import EventTime, Gathered, Measure, OfEvent, Sighting

if TYPE_CHECKING:
    from kinetree.analysis.sensitivities.tangent import Tangent
    from kinetree.analysis.sensitivities.trail.rows import TrailRows

NEAR = 1e-12
"""Share of the length of a run within which times are one."""
MANY = 64
"""Times from which a function of many states is worth its compilation."""


@dataclass(frozen=True)
class RunPart:
    """Rows of a run in one set of coordinates.

    Attributes:
        made: the dynamics.
        t: times [s].
        Y: states, one row each; none where they are made again.
        rows: what makes them then.
        sides: of zero on which conditions of laws were held.
        instant: whether it is the row from which the run goes on behind an event.
    """

    made: Tangent
    t: Array
    Y: Array
    rows: TrailRows | PlainRows | None = None
    sides: Array = field(default_factory=lambda: np.zeros(0))
    instant: bool = False

    def rows_at(self, place: slice) -> RunPart:
        """Some of its rows, which are at hand."""
        rows = PlainRows(self.rows.Y[place]) if isinstance(self.rows, PlainRows) else None
        return replace(self, t=self.t[place], Y=self.Y[place], rows=rows)


@dataclass(frozen=True)
class Sample:
    """The expressions of all measures at one time.

    Attributes:
        e: values.
        de: their changes, one column per direction.
        rate: de/dt.
        dz: changes of the integrals, one row per direction.
        z: the integrals up to there.
    """

    e: Array
    de: Array
    rate: Array
    z: Array
    dz: Array


@dataclass(frozen=True)
class Instant:
    """An event that happened.

    Attributes:
        name: of the event.
        t: time [s].
        slope: of the time along the directions.
        before: the consistent state before it.
        fired: numbers of the watches that happened then.
        sample: the expressions there, where a measure looks at them.
    """

    name: str
    t: float
    slope: Array
    before: Array
    fired: tuple[int, ...]
    sample: Sample | None = None


class Looks:
    """A run with tangents, to be looked at.

    Attributes:
        parts: its rows.
        start: time at its beginning [s].
        end_slope: slope of the time of its end along the directions, where an event ended it.
        instants: events that measures ask for.
    """

    def __init__(
        self,
        parts: list[RunPart],
        start: float,
        end_slope: Array | None = None,
        instants: tuple[Instant, ...] = (),
    ) -> None:
        self.parts, self.start, self.end_slope, self.instants = parts, start, end_slope, instants
        self._known: dict[float, Sample] = {}

    @property
    def end(self) -> float:
        """Time of the last row [s]."""
        return float(self.parts[-1].t[-1])

    def at(self, t: float) -> Sample:
        """The expressions at the time of a row [s]."""
        if t not in self._known:
            self._known[t] = self._look(t)
        return self._known[t]

    def values(self, times: Array) -> Array:
        """Values of all expressions at the times of some rows [s], one row each; many at once."""
        if len(times) < MANY:
            return np.array([self.at(float(t)).e for t in times])
        places = [self._find(float(t)) for t in times]
        found = np.zeros((len(times), *self.parts[0].made.looks.program.output("e").shape))
        for part in self.parts:
            own = [k for k, (which, _) in enumerate(places) if which is part]
            rows = [places[k][1] for k in own]
            found[own] = _values(RunPart(part.made, part.t[rows], part.Y[rows]))
        return found

    def all_values(self) -> tuple[Array, Array]:
        """Times of all rows [s], and the values of all expressions there, one row each."""
        rows = [_values(part) for part in self.parts if len(part.t)]
        return np.concatenate([part.t for part in self.parts]), np.concatenate(rows)

    def tangent(self, t: float) -> Tangent:
        """The dynamics at the time of a row [s]."""
        return self._find(t)[0].made

    def row(self, t: float) -> Array:
        """Y at the time of a row [s]."""
        part, k = self._find(t)
        found: Array = part.Y[k]
        return found

    def _look(self, t: float) -> Sample:
        part, k = self._find(t)
        return look(part.made, float(part.t[k]), part.Y[k])

    def _find(self, t: float) -> tuple[RunPart, int]:
        """The part with a row at that time [s], and its number there."""
        near = NEAR * max(self.end - self.start, abs(self.end))
        for part in reversed(self.parts):
            k = int(np.argmin(np.abs(part.t - t))) if len(part.t) else 0
            if len(part.t) and abs(part.t[k] - t) <= near:
                return part, k
        raise ModelError(
            f"the run ended at t = {self.end:.6g} s, before t = {t:.6g} s",
            element="measures",
            cure="measure before the end, or make the run longer",
        )


def _values(part: RunPart) -> Array:
    """Values of the expressions at all rows."""
    made, system = part.made, part.made.system
    function = made.looks.function.with_values(system.parameters)
    q, qd, _ = system.split(part.Y)
    given: dict[str, Any] = {**system.loads.along(part.t, q, qd), "w": np.zeros(made.size)}
    found: Array = function(check=False, t=part.t, y=part.Y, **given)["e"]
    return found


def look(made: Tangent, t: float, Y: Array, rates: Array | None = None) -> Sample:
    """The expressions at one row.

    Args:
        made: the dynamics.
        t: time [s].
        Y: the row.
        rates: der(Y), where it is not that of the dynamics right there.
    """
    system, n = made.system, made.size
    function = made.looks.function.with_values(system.parameters)
    found = system.call(function, t, Y, w=(system.rates(t, Y) if rates is None else rates)[:n])
    both = found["de_dalong"]
    tangents = Y[made.width :].reshape(made.directions, made.width)
    return Sample(found["e"], both[:, :-1], both[:, -1], Y[n : made.width], tangents[:, n:])


def measure_values(
    looks: Looks,
    measures: Mapping[str, Measure],
    integrated: tuple[int | None, ...],
    peaks: Mapping[str, float],
) -> dict[str, float]:
    """The value of every measure alone; arguments as of `outcomes`."""
    found: dict[str, float] = {}
    rows = zip(measures.items(), integrated, strict=True)
    for number, ((name, measure), place) in enumerate(rows):
        if isinstance(measure, OfEvent):
            found[name] = _of_event(looks, measure, name, number).value
            continue
        times = np.array([peaks[name]]) if measure.peaks else measure.times(looks.end)
        samples = looks.values(times)[:, number] if len(times) else times
        integral = 0.0 if place is None else float(looks.at(looks.end).z[place])
        seen = Sighting(looks.start, looks.end, samples, integral)
        found[name] = measure.gather(seen).value
    return found


@dataclass(frozen=True)
class Outcome:
    """Value of a measure, its changes along the directions, and its slope by the duration."""

    value: float
    changes: Array
    by_end: float


def outcomes(
    looks: Looks,
    measures: Mapping[str, Measure],
    integrated: tuple[int | None, ...],
    peaks: Mapping[str, float],
) -> dict[str, Outcome]:
    """What every measure gives.

    Args:
        looks: at the run.
        measures: by name.
        integrated: number of the integral of each.
        peaks: times of the peaks by measure [s].
    """
    found: dict[str, Outcome] = {}
    rows = zip(measures.items(), integrated, strict=True)
    for number, ((name, measure), place) in enumerate(rows):
        if isinstance(measure, OfEvent):
            found[name] = _of_event(looks, measure, name, number)
            continue
        times = np.array([peaks[name]]) if measure.peaks else measure.times(looks.end)
        found[name] = _outcome(looks, measure, number, place, times)
    return found


def _of_event(looks: Looks, measure: OfEvent, name: str, number: int) -> Outcome:
    """Time of an event, or an expression there, and its slope."""
    row = looks.instants[find_instant(looks, measure, name)]
    if isinstance(measure, EventTime):
        return Outcome(row.t, row.slope, 0.0)
    assert row.sample is not None
    seen = measure.gather(Sighting(looks.start, looks.end, row.sample.e[[number]]))
    changes = row.sample.de[number] + row.sample.rate[number] * row.slope
    return Outcome(seen.value, float(seen.by_samples[0]) * changes, 0.0)


def find_instant(looks: Looks, measure: OfEvent, name: str) -> int:
    """Number of the instant at which a measure is taken."""
    rows = [k for k, row in enumerate(looks.instants) if row.name == measure.event]
    if not -len(rows) <= measure.number < len(rows):
        times = (
            ("does not happen", "happens once, as number 0")[len(rows)]
            if len(rows) < 2
            else (f"happens {len(rows)} times, the first as number 0")
        )
        raise ModelError(
            f"event '{measure.event}' {times}",
            element=f"measure '{name}'",
            cure="make the run longer, or ask for an earlier one",
        )
    return rows[measure.number]


def gather_measure(
    looks: Looks, measure: Measure, number: int, place: int | None, times: Array
) -> Gathered:
    """The value of one measure and its slopes."""
    samples = np.array([looks.at(float(t)).e[number] for t in times])
    integral = 0.0 if place is None else float(looks.at(looks.end).z[place])
    return measure.gather(Sighting(looks.start, looks.end, samples, integral))


def moving(looks: Looks, measure: Measure, times: Array) -> Flags:
    """Which samples are taken at the end, and move with it."""
    return np.asarray((times == looks.end) & (measure.at_end or measure.peaks))


def slope_by_end(
    looks: Looks, measure: Measure, number: int, place: int | None, times: Array
) -> float:
    """How the value of a measure changes with the time of the end alone."""
    seen = gather_measure(looks, measure, number, place, times)
    found = seen.by_end
    for t, weight, moves in zip(times, seen.by_samples, moving(looks, measure, times), strict=True):
        found += weight * float(looks.at(float(t)).rate[number]) if moves else 0.0
    if place is not None:
        found += seen.by_integral * float(looks.at(looks.end).e[number]) ** measure.power
    return found


def _outcome(
    looks: Looks, measure: Measure, number: int, place: int | None, times: Array
) -> Outcome:
    seen = gather_measure(looks, measure, number, place, times)
    dz = looks.at(looks.end).dz
    changes = np.zeros(len(dz))
    for t, weight in zip(times, seen.by_samples, strict=True):
        changes = changes + weight * looks.at(float(t)).de[number]
    if place is not None:
        changes = changes + seen.by_integral * dz[:, place]
    by_end = slope_by_end(looks, measure, number, place, times)
    if looks.end_slope is None:
        return Outcome(seen.value, changes, by_end)
    return Outcome(seen.value, changes + by_end * looks.end_slope, 0.0)
