"""Sweeps: measures of many runs, by a plan, part by part into a folder."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.given.batches import RunGiven
from kinetree.analysis.runs.dynamics import OPTIONS
from kinetree.analysis.sensitivities.task import Task
from kinetree.analysis.sensitivities.variables import DURATION, enter_values, read_variables
from kinetree.analysis.sensitivity import as_settings, check_measures
from kinetree.analysis.sweeping.parts import SweepParts, part_dataset
from kinetree.analysis.sweeping.plans import SweepPlan
from kinetree.analysis.sweeping.runner import GIVEN, Runner
from kinetree.arguments import check_arguments, check_options, check_positive
from kinetree.errors import KinetreeError, ModelError
from kinetree.model import Mechanism

if TYPE_CHECKING:
    import xarray

RUN = (*GIVEN, "t0", "integrator", "rtol", "atol", "step", "events", "max_steps", "max_step")
"""Options of the runs."""


def sweep(  # noqa: PLR0913  one keyword per choice of the user
    model: Mechanism,
    duration: float,
    plan: SweepPlan,
    measures: Mapping[str, Any],
    *,
    into: str | Path | None = None,
    part: int = 256,
    progress: Callable[[int, int], None] | None = None,
    **run: Any,
) -> xarray.Dataset:
    """Measures of many runs.

    Args:
        model: the mechanism.
        duration: length of the runs [s].
        plan: `kt.grid`, `kt.sobol`, `kt.latin_hypercube` or `kt.run_list`; what varies has the
            names of `sensitivity`.
        measures: by name.
        into: folder for the parts: killed, the same sweep goes on with those that are missing; the
            folder of another one is refused.
        part: runs per part.
        progress: called with the number of runs that are done, and of all.
        **run: options of the runs, as of `sensitivity`: q, qd, tau, integrator, rtol, events, …

    Returns:
        The Dataset over `run`, with one variable per measure, the values of what varies as
        coordinates, and `reason`, which tells why a run failed: its measures are not numbers.
    """
    check_arguments(sweep, locals())
    check_positive("a positive number", duration=duration, part=part)
    check_measures(measures)
    check_options("sweep", run, (*RUN, *OPTIONS))
    if not isinstance(plan, SweepPlan):
        raise ModelError(
            "it is not a valid plan",
            element="plan",
            cure='give kt.sobol({"strut.damping": (500, 5000)}, 1000)',
        )
    runner = _runner(model, float(duration), plan, measures, run)
    task = {
        "model": model.content_hash(), "duration": float(duration), "plan": plan.data(),
        "measures": {name: repr(row) for name, row in measures.items()}, "part": part,
        "run": repr(sorted(run.items())),
    }  # fmt: skip
    parts = SweepParts(None if into is None else Path(into), task, plan.count, part)
    for number in parts.numbers:
        first, end = parts.span(number)
        if not parts.has(number):
            parts.add(number, _part(runner, plan, measures, first, end))
        if progress is not None:
            progress(end, plan.count)
    return parts.whole().assign_attrs(model=model.name, plan=plan.kind, seed=plan.seed)


def _runner(
    model: Mechanism, duration: float, plan: SweepPlan, measures: Mapping[str, Any], run: Any
) -> Runner:
    """What makes the runs; the first values of the plan are those it is derived for."""
    variables = read_variables(model, plan.names)
    first = dict(zip(plan.names, plan.rows(0, 1)[0].tolist(), strict=True))
    options = {**run, DURATION: duration}
    at = enter_values(variables, first, options)
    given = RunGiven(**{name: at.get(name) for name in GIVEN})
    name, settings = as_settings(run)
    task = Task.of(
        model, given, duration=duration, measures=dict(measures), variables=variables,
        t0=float(run.get("t0", 0.0)), integrator=name, settings=settings, step=run.get("step"),
        events=run.get("events"), options={k: v for k, v in run.items() if k in OPTIONS},
    )  # fmt: skip
    return Runner(task, options)


def _part(
    runner: Runner, plan: SweepPlan, measures: Mapping[str, Any], first: int, end: int
) -> xarray.Dataset:
    """The runs first … end - 1."""
    rows = plan.rows(first, end)
    found = {name: np.full(len(rows), np.nan) for name in measures}
    reasons = []
    for k, row in enumerate(rows):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                values = runner.measure(dict(zip(plan.names, row.tolist(), strict=True)))
        except KinetreeError as error:
            reasons.append(str(error))
            continue
        for name, value in values.items():
            found[name][k] = value
        reasons.append("")
    return part_dataset(first, plan.names, rows, found, reasons)
