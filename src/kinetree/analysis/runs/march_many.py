"""Many runs of equal steps as one Dataset: lanes of native code, blocks of them on threads.

Every run is the one that it would be alone.  Runs that would change their independent coordinates
on the way, and those that the lanes lost, are made one by one.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.given.batches import Axes, RunGiven
from kinetree.analysis.runs.batch_dataset import Batch, warn_of, with_outcomes
from kinetree.analysis.runs.batch_starts import each_fault
from kinetree.analysis.runs.continuity import RunRows, facts, suspects
from kinetree.analysis.runs.manifest import changes
from kinetree.analysis.runs.march import Marching, counts, end_sentence, made_by, variables
from kinetree.analysis.runs.progress import reporting
from kinetree.arrays import Array
from kinetree.errors import KinetreeError
from kinetree.integrate.problem import NOT_SOLVED
from kinetree.integrate.start.many import parameter_rows
from kinetree.integrate.steps.repartitioned_run import WATCHED
from kinetree.results.dataset import Dimension, run_draft

if TYPE_CHECKING:
    import xarray

    from kinetree.assembly import Loops
    from kinetree.integrate import Report, SteppedRun


def march_many(how: Marching, given: RunGiven) -> xarray.Dataset:
    """The motions of a model in equal steps; the Dataset of `simulate`."""
    began = time.perf_counter()
    how = how.vary(given)
    made = _Lanes(how, given, given.axes)
    with reporting(how.progress, how.t, how.t + how.duration) as report:
        errors = each_fault(lambda numbers: made.march(numbers, report), range(made.count))
    if len(errors) == made.count:
        raise errors[0][1]
    made.repeat()
    return made.dataset(dict(errors), time.perf_counter() - began)


class _Lanes:
    """Runs of a batch, and what was found of them.

    Attributes:
        count: number of runs.
        times: of all runs [s].
        axes: of the variables over time.
        values: variable -> (run, time, component); NaN where a run was lost.
        reports: of the runs that began, by number.
    """

    def __init__(self, how: Marching, given: RunGiven, runs: Axes) -> None:
        self.how, self.given, self.runs = how, given, runs
        self.count = int(np.prod(runs))
        self.times = np.zeros(0)
        self.axes: dict[str, Dimension] = {}
        self.values: dict[str, Array] = {}
        self.reports: dict[int, Report] = {}

    def march(self, numbers: Sequence[int], report: Any = None) -> None:
        """Make some of the runs in lanes."""
        run = self.how.march(self.given.of(self.runs, np.array(numbers)), report)
        assert isinstance(run.report, tuple)
        if len(run.times) > len(self.times):
            self.times = run.times
        self._keep(run, np.array(numbers), run.report)

    def _keep(self, run: SteppedRun, numbers: Any, reports: Sequence[Report]) -> None:
        found, self.axes = variables(self.how.stepper, run)
        rows = len(run.times)
        for name, part in found.items():
            shape = (self.count, len(self.times), part.shape[-1])
            table = self.values.setdefault(name, np.full(shape, np.nan))
            table[numbers] = np.nan
            table[numbers, :rows] = part.reshape(len(numbers), rows, -1)
        self.reports |= dict(zip(numbers.tolist(), reports, strict=True))

    def repeat(self) -> None:
        """Make those runs one by one for which lanes are not what a single run is."""
        lost = {number for number, report in self.reports.items() if report.end == NOT_SOLVED}
        for number in sorted(lost | self._restless()):
            run = self.how.march(self.given.of(self.runs, number))
            assert not isinstance(run.report, tuple)
            self._keep(run, np.array([number]), [run.report])

    def _restless(self) -> set[int]:
        """Runs that would look for other independent coordinates if they were alone."""
        choice = None if self.how.stepper.fixed else self.how.stepper.independent
        q, times = self.values["q"][:, ::WATCHED], self.times[::WATCHED]
        if choice is None or len(times) == 1:
            return set()
        found = choice.bad_lanes(times, q, self._parameter_rows())
        return {*np.flatnonzero(found).tolist()} & {*self.reports}

    def _parameter_rows(self) -> Array | None:
        """Run-time parameters, one row per run; none where these are the model's."""
        assert self.how.stepper.loops is not None
        p = parameter_rows(self.how.stepper.loops, self.given.parameters or {})
        if p is None:
            return None
        return np.broadcast_to(p, (*self.runs, p.shape[-1])).reshape(self.count, -1)

    def _loops(self, number: int) -> Loops | None:
        """Equations of the loops with the parameters of a run; none of a tree."""
        loops = self.how.stepper.loops
        return None if loops is None else loops.at(self.given.of(self.runs, number).parameters)

    def dataset(self, errors: Mapping[int, KinetreeError], wall: float) -> xarray.Dataset:
        """One Dataset; a warning tells what is doubtful."""
        parameters = dict(self.given.parameters or {})
        manifest = {
            **made_by(self.how.stepper, self.how.length), **changes(parameters),
            "wall_time_s": round(wall, 6),
        }  # fmt: skip
        outcomes, said = self._outcomes(errors)
        warn_of(self.runs, said, self.count)
        values = {k: v.reshape(*self.runs, *v.shape[1:]) for k, v in self.values.items()}
        made = run_draft(self.times, values, self.axes, manifest, self.runs)
        return with_outcomes(made, Batch(self.runs, self.times, parameters), outcomes).dataset()

    def _outcomes(
        self, errors: Mapping[int, KinetreeError]
    ) -> tuple[list[dict[str, Any]], dict[int, str]]:
        """What there is to say of every run, and what to warn of, by its number."""
        rows: list[dict[str, Any]] = []
        said = {number: str(error) for number, error in errors.items()}
        doubts = self._doubts()
        for number in range(self.count):
            report = self.reports.get(number)
            if report is None:
                rows.append({"termination": said[number], "end_time": self.how.t})
                continue
            outcome = {"termination": end_sentence(report), "end_time": report.t}
            rows.append(outcome | counts(report))
            if report.end == NOT_SOLVED:
                said[number] = f"{report.message}; results up to there are kept"
            elif number in doubts:
                said[number] = doubts[number]
        return rows, dict(sorted(said.items()))

    def _doubts(self) -> dict[int, str]:
        """What is doubtful in the motions of a closed system, by the number of the run."""
        motion = tuple(self.values[name] for name in ("q", "qd", "qdd"))
        if self.how.stepper.loops is None:
            return {}
        numbers = suspects(self.how.model, self.times, *motion) | {next(iter(self.reports))}
        found = {}
        for number in numbers & {*self.reports}:
            loops = self._loops(number)
            assert loops is not None
            rows = np.isfinite(motion[0][number]).all(axis=-1)
            parts = (part[number][rows] for part in motion)
            found[number] = facts(RunRows(loops, self.times[rows], *parts))[1]
        return {number: text for number, text in found.items() if text}
