"""Several optimisers side by side: they ask together, and their runs are made together.

Every optimiser goes its own way in a thread of its own, which is SciPy's alone.  When all that go
on have asked for an evaluation, those runs are made at once, in lanes where they are equal steps,
in the order of the starts: so what is found does not depend on which thread was quicker.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from kinetree.analysis.optimising.trials import RUN, Trials, sum_of_cases
from kinetree.analysis.sensitivities.variables import DURATION, METHOD, keep_starts, read_variables
from kinetree.analysis.sensitivity import run_task
from kinetree.analysis.sweeping.gradients import many_gradients, run_drafts
from kinetree.analysis.sweeping.lanes import given_of_rows
from kinetree.errors import AssemblyError, KinetreeError, ModelError, RunError
from kinetree.results.draft import Draft

if TYPE_CHECKING:
    from kinetree.analysis.optimising.journal import JournalRow
    from kinetree.analysis.sensitivities.task import Task

T = TypeVar("T")
Trying = dict[str, float]
X = tuple[float, ...]


def solve_together(trials: Trials, count: int, solve: Callable[[int, Trials], T]) -> list[T]:
    """What every optimiser finds.

    Args:
        trials: that all of them share.
        count: number of optimisers.
        solve: the way of one, with trials of its own.
    """
    meeting = _Meeting(trials, count)

    def one(number: int) -> T:
        own = copy(trials)
        own.ask = partial(meeting.ask, number)
        try:
            return solve(number, own)
        finally:
            meeting.leave(number)

    with ThreadPoolExecutor(count) as pool:
        found = [pool.submit(one, number) for number in range(count)]
        meeting.answer_all()
        return [row.result() for row in found]


class _Meeting:
    """Where optimisers ask, and wait until all are answered."""

    def __init__(self, trials: Trials, count: int) -> None:
        self.trials = trials
        self.going = {*range(count)}
        self.asked: dict[int, tuple[Trying, bool]] = {}
        self.told: dict[int, JournalRow] = {}
        self.failure: BaseException | None = None
        self.changed = threading.Condition()

    def ask(self, number: int, values: Trying, slopes: bool) -> JournalRow:
        """The evaluation of one optimiser; what it was told last is told again at once."""
        with self.changed:
            last = self.told.get(number)
            if last is not None and _answers(last, values, slopes=slopes):
                return last
            self.asked[number] = values, slopes
            self.changed.notify_all()
            while number in self.asked and self.failure is None:
                self.changed.wait()
            if self.failure is not None:
                raise self.failure
            return self.told[number]

    def leave(self, number: int) -> None:
        """An optimiser has ended."""
        with self.changed:
            self.going.discard(number)
            self.changed.notify_all()

    def answer_all(self) -> None:
        """Answer until all have ended."""
        with self.changed:
            try:
                while self.going:
                    if len(self.asked) == len(self.going):
                        self._answer()
                    else:
                        self.changed.wait()
            except BaseException as error:
                self.failure = error
                self.changed.notify_all()
                raise

    def _answer(self) -> None:
        """Answer all that have asked, in the order of the starts."""
        numbers = sorted(self.asked)
        rows = evaluate_together(self.trials, [self.asked[number] for number in numbers])
        self.told.update(zip(numbers, rows, strict=True))
        self.asked.clear()
        self.changed.notify_all()


def _answers(row: JournalRow, values: Trying, *, slopes: bool) -> bool:
    """Whether a row is the evaluation at those values."""
    whole = not slopes or "gradient" in row or "failed" in row
    return whole and row["x"] == [*values.values()]


def evaluate_together(trials: Trials, asked: Sequence[tuple[Trying, bool]]) -> list[JournalRow]:
    """Rows of several trials, with slopes where these are wanted; those that are new together."""
    made: dict[tuple[X, bool], JournalRow] = {}
    for slopes in (True, False):
        rows = {_place(v): v for v, wanted in asked if wanted == slopes}
        new = [v for x, v in rows.items() if trials.journal.find(x, slopes=slopes) is None]
        if new:
            found = _evaluate_many(trials, new, slopes=slopes)
            made.update(((_place(v), slopes), row) for v, row in zip(new, found, strict=True))
    found = []
    for values, slopes in asked:
        x = _place(values)
        known = trials.journal.find(x, slopes=slopes)
        found.append(trials.note(values, made[x, slopes] if known is None else known))
    return found


def _place(values: Trying) -> X:
    """Trying as journals find them."""
    return tuple(values.values())


def _evaluate_many(trials: Trials, rows: Sequence[Trying], *, slopes: bool) -> list[JournalRow]:
    """Evaluations of trials that nobody has made."""
    study = trials.study
    kinds = {row.kind for row in read_variables(study.model, trials.names)}
    # whose runs have steps or results of their own, or which are none
    if study.squares or kinds & {DURATION, METHOD} or study.at != RUN:
        return [trials.evaluate(values, slopes=slopes) for values in rows]
    cases = range(len(study.cases))
    parts = [_case_of_many(trials, rows, number, slopes=slopes) for number in cases]
    whole = [*zip(*parts, strict=True)]
    wrong = [[part for part in own if isinstance(part, KinetreeError)] for own in whole]
    if all(wrong):
        trials.failure(*chain(*wrong))  # which ends it all where what was asked is wrong
    made: list[JournalRow] = []
    for own, errors in zip(whole, wrong, strict=True):
        good = [part for part in own if not isinstance(part, KinetreeError)]
        made.append({"failed": str(errors[0])} if errors else sum_of_cases(good))
    return made


def _case_of_many(
    trials: Trials, rows: Sequence[Mapping[str, float]], number: int, *, slopes: bool
) -> list[JournalRow | KinetreeError]:
    """One load case of trials; in the place of one without a run, why it has none."""
    study = trials.study
    run = {**study.run, **study.cases[number]}
    table = np.array([[*row.values()] for row in rows])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        task = _task_of_some(trials, rows, number, slopes=slopes)
        if isinstance(task, KinetreeError):
            return [task] * len(rows)
        variables = read_variables(study.model, trials.names)
        given = given_of_rows(variables, trials.names, table, run)
        whole = keep_starts(task.model, given.of((len(rows),), np.arange(len(rows))), variables)
        method = str(run.get("method", "auto")) if slopes else "auto"
        found = many_gradients(task, whole, method, run_task)
    runs = run_drafts(task, found, study.measures)
    return [
        found.errors[k] if k in found.errors else _read(trials, runs[k], slopes=slopes)
        for k in range(len(rows))
    ]


def _task_of_some(
    trials: Trials, rows: Sequence[Mapping[str, float]], number: int, *, slopes: bool
) -> Task | AssemblyError | RunError:
    """The task derived for the first trial that has a start; why the first one has none."""
    errors: list[AssemblyError | RunError] = []
    for row in rows:
        try:
            return trials.task(number, row, slopes=slopes)
        except (AssemblyError, RunError) as error:
            errors.append(error)
    return errors[0]


def _read(trials: Trials, found: Draft, *, slopes: bool) -> JournalRow | KinetreeError:
    """The row of a run, or why it has no value."""
    try:
        return trials.read(found, slopes=slopes)
    except ModelError as error:
        return error
