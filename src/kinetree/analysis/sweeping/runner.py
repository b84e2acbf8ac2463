"""Runs of a sweep with error control: measured, nothing else kept; what they share derived once.

Runs of a part are made on threads, whose native loops go side by side.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np

from kinetree.analysis.given.batches import RunGiven
from kinetree.analysis.given.initial_state import initial_state
from kinetree.analysis.given.loads import loads
from kinetree.analysis.runs.coordinates.repartition import repartition
from kinetree.analysis.runs.run import RunOptions
from kinetree.analysis.runs.watches import Watches
from kinetree.analysis.sensitivities.direct import Tracker
from kinetree.analysis.sensitivities.looks import Looks, measure_values
from kinetree.analysis.sensitivities.peaks import find_peaks
from kinetree.analysis.sensitivities.tangent import tangent
from kinetree.analysis.sensitivities.task import Task
from kinetree.analysis.sensitivities.variables import DURATION, enter_values
from kinetree.analysis.sweeping.found import PartRows
from kinetree.arrays import Array
from kinetree.errors import KinetreeError
from kinetree.targets.native.function import cores

GIVEN = ("q", "qd", "x", "tau", "wrenches", "parameters")
"""Options of a run that may differ from run to run, beside the duration."""


class Runner:
    """Makes the runs of one sweep."""

    def __init__(self, task: Task, run: Mapping[str, Any], threads: int | None = None) -> None:
        self.task, self.run, self.threads = task, run, threads
        self.made = tangent(task.system, task.expressions, ())
        self.watches = Watches(task.events)
        self.integrated = task.expressions.integrated

    def measure(self, names: Sequence[str], rows: Array) -> PartRows:
        """All measures of all runs.

        Args:
            names: what varies.
            rows: its values, one row per run.
        """
        found = PartRows.of(self.task.measures, len(rows))

        def make(k: int) -> None:
            try:
                made = self._one(dict(zip(names, rows[k].tolist(), strict=True)))
            except KinetreeError as error:
                found.reasons[k] = str(error)
                return
            for name, value in made.items():
                found.values[name][k] = value

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with ThreadPoolExecutor(self.threads or cores()) as pool:
                list(pool.map(make, range(len(rows))))
        return found

    def _one(self, values: Mapping[str, float]) -> dict[str, float]:
        """Values of all measures for values of what varies."""
        options = enter_values(self.task.variables, values, self.run)
        given = RunGiven(**{name: options.get(name) for name in GIVEN})
        task = replace(self.task, duration=options[DURATION], given=given).at_rest()
        one = _OneRun(self, task)
        peaks = find_peaks(task, one.looks)
        asked = [m.times(task.t0 + task.duration) for m in task.measures.values()]
        ends = np.array([task.t0, task.t0 + task.duration])
        times = np.unique(np.concatenate([ends, *asked, np.array([*peaks.values()])]))
        looks = one.looks(times[(times >= ends[0]) & (times <= ends[1])])
        return measure_values(looks, task.measures, self.integrated, peaks)


class _OneRun:
    """One set of values: its dynamics and its start."""

    def __init__(self, runner: Runner, task: Task) -> None:
        base, given = runner.task.system, task.given
        self.runner, self.task = runner, task
        parameters = dict(given.parameters or {})
        self.system = replace(
            base,
            parameters=base.check_parameters(parameters),
            loads=loads(base.model, given.tau, given.wrenches),
            loops=None if base.loops is None else base.loops.at(parameters),
        )
        start = initial_state(self.system, task.t0, given.q, given.qd, given.x, complete=False)
        self.start = np.append(start, np.zeros(runner.made.integrals))

    def looks(self, times: Array) -> Looks:
        """The run over output times, as measures see it."""
        task, made = self.task, self.runner.made
        made = replace(made, system=replace(self.system, forms=made.system.forms))
        tracker = Tracker(task)
        again = repartition(self.system, task.given.fixed, task.options)
        how = RunOptions(
            task.integrator, task.settings_for(made.width, traced=False), task.events,
            tracker.repartition(again), watches=self.runner.watches,
        )  # fmt: skip
        return tracker.track(made, self.start, times, how)[0]
