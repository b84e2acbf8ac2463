"""The direct method: tangents ride along with the run, a few directions at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kinetree.analysis.outputs import observer
from kinetree.analysis.runs.coordinates.repartition import repartition
from kinetree.analysis.runs.coordinates.turning import Repartition
from kinetree.analysis.runs.dynamics import Dynamics
from kinetree.analysis.runs.events import Watched
from kinetree.analysis.runs.record import Recording, termination
from kinetree.analysis.runs.run import Run, RunOptions, Segment, integrate
from kinetree.analysis.runs.updates import Settled, simultaneous
from kinetree.analysis.sensitivities.jumps import Jumps, past_branches, rates_aside
from kinetree.analysis.sensitivities.looks import Instant, Looks, RunPart, look
from kinetree.analysis.sensitivities.start import tangent_start
from kinetree.analysis.sensitivities.tangent import EXPLICIT, Tangent, tangent
from kinetree.arrays import Array
from kinetree.errors import RunError, warn
from kinetree.integrate.loops.tableaus import TABLEAUS
from kinetree.integrate.problem import EVENT, FINISHED
from kinetree.measures import AtEvent, OfEvent
from kinetree.model import refuse_memories
from kinetree.results.draft import Draft

if TYPE_CHECKING:
    from kinetree.analysis.sensitivities.task import Task
    from kinetree.analysis.sensitivities.trail.trail import Trail
    from kinetree.analysis.sensitivities.variables import DesignVariable

JumpFunction = Callable[[Dynamics, Watched, float, Array, Settled], Array]
"""The state after events, from that before."""
TOGETHER = 8
"""Directions of one run."""


@dataclass(frozen=True)
class TangentRun:
    """A run with its tangents.

    Attributes:
        looks: at what is measured.
        ends: rows at the ends of all steps, where they were asked for.
        recording: of the motion.
        run: as it was made.
        t: times of all rows [s].
        S: tangents of y, one per direction: time × direction × component.
    """

    looks: Looks
    ends: list[RunPart]
    recording: Recording
    run: Run
    t: Array
    S: Array

    def draft(self) -> Draft:
        """The variables of the motion; warnings say what is doubtful."""
        found = self.recording.result(self.run)
        for said in found.doubts:
            warn(said)
        return self.recording.draft(found)


def direct_runs(task: Task, times: Array) -> list[TangentRun]:
    """Runs with the tangents of all that varies but the duration, a few of them in each."""
    rows = task.directions
    chunks = [rows[k : k + TOGETHER] for k in range(0, len(rows), TOGETHER)] or [()]
    return [run_tangents(task, chunk, times) for chunk in task.share.parts(chunks)]


def run_tangents(
    task: Task,
    variables: Sequence[DesignVariable],
    times: Array,
    *,
    every_step: bool = False,
    ends: bool = False,
    jump: JumpFunction | None = None,
) -> TangentRun:
    """A run with tangents by some variables.

    Args:
        task: what runs.
        variables: one per tangent.
        times: output times [s].
        every_step: whether the rows are those of all steps.
        ends: whether the ends of all steps are kept beside the rows.
        jump: what happens at events, where there are no tangents to jump.
    """
    tracker = Tracker(task, variables, jump, holds=True)
    return tracker.run(times, every_step=every_step, ends=ends)


class RunParts:
    """Rows of a run, part by part, with the sides of zero on which laws were held."""

    def __init__(self) -> None:
        self.rows: list[RunPart] = []
        self._sides: Array = np.zeros(0)

    def add(self, part: RunPart, sides: Array) -> None:
        """Add rows that were made with laws held on these sides; none of an instant with events."""
        behind = bool(self.rows) and self.rows[-1].instant
        if len(sides) and behind:  # the step from the instant on was made on the new sides
            self.rows[-1] = replace(self.rows[-1], sides=sides)
        if len(sides) or not len(self._sides) or not len(part.t):
            self._sides = sides if len(sides) else self._sides
            self.rows.append(replace(part, sides=sides))
            return
        self.rows.append(replace(part.rows_at(slice(0, 1)), sides=self._sides))
        if len(part.t) > 1:
            self.rows.append(replace(part.rows_at(slice(1, None)), instant=True))


class Tracker:
    """A run whose rows are kept with their tangents; with a trail, only what makes them again."""

    def __init__(
        self, task: Task, variables: Sequence[DesignVariable] = (),
        jump: JumpFunction | None = None, trail: Trail | None = None, *, holds: bool = False,
    ) -> None:  # fmt: skip
        self.holds = holds and task.integrator in TABLEAUS and task.equations == EXPLICIT
        self.task, self.variables, self.trail = task, variables, trail
        self.made: dict[int, Tangent] = {}
        self.rows, self.ends, self.keeps_ends = RunParts(), RunParts(), False
        self.jumps = Jumps(self.made, variables)
        self.jump = jump if jump is not None or not variables else self.jumps
        self.instants: list[Instant] = []

    def tangent(self, system: Dynamics) -> Tangent:
        """The dynamics with tangents, remembered."""
        task = self.task
        found = tangent(
            system, task.expressions_of(system), self.variables,
            lanes=task.integrator in TABLEAUS, equations=task.equations, holds=self.holds,
        )  # fmt: skip
        self.made[id(found.system)] = found
        return found

    def run(self, times: Array, *, every_step: bool, ends: bool) -> TangentRun:
        """The run over the output times."""
        made, start, how = self._ready(every_step=every_step, ends=ends)
        recording = Recording(how)
        looks, run = self.track(made, start, times, replace(how, record=recording.add))
        t, S = self._tangents()
        return TangentRun(looks, self.ends.rows, recording, run, t, S)

    def leave_trail(self, times: Array) -> Looks:
        """The run over all of its steps, whose states its trail makes again."""
        assert self.trail is not None
        method = self.trail.method
        made, start, how = self._ready(every_step=True)
        how = replace(how, flows=True, stepping=lambda _: method)
        return self.track(made, start, times, how)[0]

    def _ready(self, *, every_step: bool, ends: bool = False) -> tuple[Tangent, Array, RunOptions]:
        """The dynamics, the start, and how the run is made."""
        task = self.task
        made = self.tangent(task.system)
        refuse_memories(made.system.model, "kt.sensitivity", "differentiate by finite differences")
        moved = task.start_slopes(self.variables)
        start = tangent_start(made, self.variables, task.start, task.t0, task.given, moved)
        self.keeps_ends = ends
        settings = task.settings_for(made.width, every_step=every_step, ends=ends)
        again = repartition(task.system, task.given.fixed, task.options)
        how = RunOptions(
            task.integrator, settings, task.events, self.repartition(again),
            observe=observer(task.model, None),
        )  # fmt: skip
        if self.jump is not None:
            how = replace(how, watches=task.watches, jump=self.jump, onward=past_branches)
        return made, start, how

    def track(
        self, made: Tangent, start: Array, times: Array, how: RunOptions
    ) -> tuple[Looks, Run]:
        """A run whose rows are kept, as measures see it."""
        self.made[id(made.system)] = made
        self.watch = how.watch

        def record(segment: Segment) -> None:
            how.record(segment)
            self.keep(segment)

        run = integrate(made.system, start, times, replace(how, record=record))
        _refuse_early(run)
        slope = self._end_slope(run)
        return Looks(self.rows.rows, float(times[0]), slope, tuple(self.instants)), run

    def _end_slope(self, run: Run) -> Array | None:
        """The slope of the end time along the directions; None where no event ended the run."""
        path = run.last.path
        if path.end != EVENT:
            return None
        t, shift = self.jumps.last
        return shift if t == path.t[-1] else self.instants[-1].slope

    def keep(self, segment: Segment) -> None:
        """Keep the rows of a part of the run, made consistent."""
        made = self.made[id(segment.dynamics)]
        first = segment.first if self.rows.rows else 0
        t, Y = segment.path.t[first:], segment.path.y[first:]
        if self.trail is None:
            part = RunPart(made, t, made.system.project_each(t, Y))
        else:
            part = RunPart(made, t, Y[:0], self.trail.rows(made.system, t, Y, first))
        self.rows.add(part, segment.path.sides)
        if self.keeps_ends:
            assert segment.path.ends is not None  # of native methods
            t, Y = (rows[first:] for rows in segment.path.ends)
            self.ends.add(RunPart(made, t, made.system.project_each(t, Y)), segment.path.sides)
        self._note_events(segment, made)

    def _note_events(self, segment: Segment, made: Tangent) -> None:
        """Note the times of events, and their slopes."""
        if not len(segment.path.hits):
            return
        measures = self.task.measures.values()
        names = {row.event for row in measures if isinstance(row, OfEvent)}
        looked = {row.event for row in measures if isinstance(row, AtEvent)}
        system, events = made.system, self.watch(made.system)
        ended = segment.path.end == EVENT
        for number, hit in enumerate(segment.path.hits):
            name = segment.watches[hit.watch].name
            last = ended and number == len(segment.path.hits) - 1
            if name in names or last:
                Y = system.project(hit.t, hit.y)
                more = simultaneous(system, events, hit.t, Y, [hit.watch]) if last else []
                fired = (hit.watch, *more)
                slope = self.jumps.shift(system, events, hit.t, Y, fired)
                sample = None
                if name in looked:
                    sample = look(made, hit.t, Y, rates_aside(system, hit.t, Y, -1))
                self.instants.append(Instant(name, hit.t, slope, Y, fired, sample))

    def repartition(self, again: Repartition | None) -> Repartition | None:
        """Other coordinates, with tangents in them."""
        if again is None:
            return None

        def choose(q: Array, t: float) -> Dynamics | None:
            found = again(q, t)
            return None if found is None else self.tangent(found).system

        return choose

    def _tangents(self) -> tuple[Array, Array]:
        """Times and tangents of y of all rows."""
        rows = []
        for part in self.rows.rows:
            made = part.made
            S = part.Y[:, made.width :].reshape(len(part.t), made.directions, made.width)
            rows.append(S[:, :, : made.size])
        return np.concatenate([part.t for part in self.rows.rows]), np.concatenate(rows)


def _refuse_early(run: Run) -> None:
    """Refuse a run that has no end to measure at."""
    if run.last.path.end not in (FINISHED, EVENT):
        raise RunError(
            f"the run ended early: {termination(run)[0]}",
            element=f"model '{run.last.dynamics.model.name}'",
            cure="look at kt.simulate of the same model",
        )
