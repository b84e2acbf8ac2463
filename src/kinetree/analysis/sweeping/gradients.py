"""Gradients of many runs side by side: each is the one that it would be alone.

Adjoints of equal steps go eight at a time through the lanes of native code (`step_lanes`); other
runs are made on threads.  Equations are derived once for all of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import count as counting
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.given.batches import Axes, RunGiven
from kinetree.analysis.runs.batch_dataset import warn_of
from kinetree.analysis.sensitivities.functions import with_functions
from kinetree.analysis.sensitivities.result import refuse_no_numbers, value_rows
from kinetree.analysis.sensitivities.stepping.step_lanes import LaneGradients, StepLanes
from kinetree.analysis.sensitivities.variables import DURATION
from kinetree.arrays import Array
from kinetree.errors import KinetreeError, ModelError, UnsupportedError
from kinetree.measures import Measure
from kinetree.results.dataset import run_dimensions
from kinetree.results.draft import Draft, DraftRow, words
from kinetree.targets.native.function import cores

if TYPE_CHECKING:
    from kinetree.analysis.sensitivities.task import Task

Single = Callable[["Task", str], Draft]
"""Values and gradients of a task by a method."""


@dataclass(frozen=True)
class ManyGradients:
    """Values and gradients of runs; not a number where a run failed.

    Attributes:
        values: run × measure.
        gradients: run × measure × variable.
        errors: why runs failed, by number.
    """

    values: Array
    gradients: Array
    errors: dict[int, KinetreeError] = field(default_factory=dict)

    @classmethod
    def of(cls, task: Task, count: int) -> ManyGradients:
        """Runs of which nothing is known yet."""
        shape = count, len(task.measures), len(task.variables)
        return cls(np.full(shape[:2], np.nan), np.full(shape, np.nan))


def many_gradients(
    task: Task, given: RunGiven, method: str, single: Single
) -> ManyGradients:  # fmt: skip
    """Values and gradients of many runs.

    Args:
        task: what is asked; the values of its first run.
        given: what all runs are given, along one axis.
        method: as of `sensitivity`.
        single: makes those that do not go in lanes.
    """
    count = given.axes[0]
    found = ManyGradients.of(task, count)
    rest: Sequence[int] = range(count)
    in_steps = task.steps is not None and task.memory is None
    if in_steps and method != "direct":
        rest = _in_lanes(task, given, found)
    basic = task.steps.basic if task.steps is not None else {}
    done = counting(1 + count - len(rest))

    def make(number: int) -> None:
        try:
            made = single(task.at(given.of((count,), number), task.duration, basic), method)
            found.values[number], found.gradients[number] = (
                made[name].values for name in ("value", "gradient")
            )
        except KinetreeError as error:
            found.errors[number] = error
        task.share.tell(next(done) / count)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in rest[:1]:  # what the others share is derived here
            make(number)
        with ThreadPoolExecutor(cores()) as pool:
            list(pool.map(make, rest[1:]))
    return found


def _in_lanes(task: Task, given: RunGiven, found: ManyGradients) -> list[int]:
    """Runs in lanes; numbers of those that lanes did not make."""
    given, failed = _at_rest(task, given)
    made = LaneGradients.of(task, given.axes[0])
    lost = StepLanes(task, given, made).make() if len(failed) < made.count else []
    moving = [row.kind != DURATION for row in task.variables]
    found.values[:] = made.values
    found.gradients[:, :, moving] = made.gradients
    found.gradients[:, :, np.logical_not(moving)] = made.by_end[:, :, None]
    found.errors.update({**made.errors, **failed})
    for table in (found.values, found.gradients):
        table[[*failed]] = np.nan
    return [number for number in lost if number not in failed]


def _at_rest(task: Task, given: RunGiven) -> tuple[RunGiven, dict[int, KinetreeError]]:
    """What runs are given where they begin at rest, and why some have no such place.

    Those are given the start of another one, so that lanes are full.
    """
    starts: dict[int, RunGiven] = {}
    failed: dict[int, KinetreeError] = {}
    count = given.axes[0]
    if task.rest is None:
        return given, failed
    for number in range(count):
        try:
            starts[number] = task.at(given.of((count,), number), task.duration).given
        except KinetreeError as error:
            failed[number] = error
    if not starts:
        return given, failed
    some = next(iter(starts.values()))
    rows = [starts.get(number, some) for number in range(count)]
    x = None if some.x is None else np.array([row.x for row in rows])
    return replace(given, q=np.array([row.q for row in rows]), x=x), failed


def many_draft(
    task: Task, axes: Axes, found: ManyGradients, measures: Mapping[str, Measure]
) -> Draft:
    """Values and gradients of many runs as variables; a warning tells which failed.

    Raises:
        KinetreeError: where all failed, that of the first.
    """
    runs = run_drafts(task, found, measures)
    for k in sorted({*range(len(runs))} - {*found.errors}):
        try:
            refuse_no_numbers(runs[k])
        except ModelError as error:
            found.errors[k] = error
    if len(found.errors) == len(found.values):
        raise found.errors[0]
    warn_of(axes, {k: str(found.errors[k]) for k in sorted(found.errors)}, len(found.values))
    values, gradients = (_join([row[name].values for row in runs], axes, found)
                         for name in ("value", "gradient"))  # fmt: skip
    lead = run_dimensions(axes)
    made = Draft({}, runs[0].coords).plus(value_rows(values, gradients, *lead))
    reasons = np.array([str(found.errors.get(k, "")) for k in range(len(runs))])
    return made.plus({"reason": (lead, reasons.reshape(axes), {"long_name": "why a run failed"})})


def _join(rows: Sequence[Array], axes: Axes, found: ManyGradients) -> Array:
    """A variable of all runs; not a number where one failed."""
    table = np.array(rows)
    table[[*found.errors]] = np.nan
    return table.reshape(*axes, *table.shape[1:])


def run_drafts(task: Task, found: ManyGradients, measures: Mapping[str, Measure]) -> list[Draft]:
    """Values and gradients of all measures, functions of them included, one run after the other."""
    coords = {
        "measure": DraftRow(("measure",), words([*task.measures])),
        "parameter": DraftRow(("parameter",), words([row.name for row in task.variables])),
    }
    rows = zip(found.values, found.gradients, strict=True)
    return [with_functions(Draft(value_rows(*row), coords), measures) for row in rows]


def refuse_many_of(given: Mapping[str, Any]) -> None:
    """Refuse what is not made of many runs side by side."""
    for name, usual in (("at", "run"), ("order", 1)):
        if given[name] != usual:
            raise UnsupportedError(
                "what is given has leading axes, of which only first derivatives of runs are made",
                element=f"{name}={given[name]!r}",
                cure=f"leave it out, or ask for one {'run' if name == 'order' else 'state'} after "
                "the other",
            )
