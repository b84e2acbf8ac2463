"""Trials of an optimisation: runs with values of what varies, measured, with their gradients.

Variables are scaled to the width of their bounds.  A run that fails, because loops do not close or
the motion has no value, is a trial that is worse than all others; methods shorten their steps.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kinetree.analysis.given.batches import RunGiven
from kinetree.analysis.optimising.journal import Journal, JournalRow
from kinetree.analysis.optimising.sizes import StudySizes
from kinetree.analysis.sensitivities.functions import with_functions
from kinetree.analysis.sensitivities.task import Task
from kinetree.analysis.sensitivities.variables import (
    BASICS,
    DURATION,
    enter_values,
    read_variables,
)
from kinetree.analysis.sensitivity import run_task, sensitivity_task, static_results
from kinetree.arrays import Array
from kinetree.errors import AssemblyError, KinetreeError, RunError, UnknownNameError
from kinetree.measures import Measure, Misfit
from kinetree.model import Mechanism
from kinetree.results.draft import Draft

X = tuple[float, ...]
Ask = Callable[[dict[str, float], bool], JournalRow]
"""(values by name, whether with slopes) -> the evaluation there, by others."""
OBJECTIVE = "objective"
"""Beginning of the names of the measures that are minimised."""
GIVEN = ("q", "qd", "x", "tau", "wrenches", "parameters")
"""Options of a run that may differ from trial to trial, beside the duration."""
MET = 1e-6
"""By how much a constraint may be missed, as a part of its size."""
RUN = "run"
"""What is measured where nothing else is said with `at`."""
WORSE = 10.0
"""How many times worse than the worst a trial counts that failed."""


class EnoughError(Exception):
    """As many evaluations as one optimiser may make were made."""


@dataclass
class Budget:
    """What one optimiser has tried, and how many evaluations it may make.

    Attributes:
        most: of them; none for any number.
        tried: values -> scaled variables.
    """

    most: int | None = None
    tried: dict[X, Array] = field(default_factory=dict)

    def spend(self, x: X, s: Array) -> None:
        """Note a trial; refuse a new one where no more may be made."""
        if self.most is None or x in self.tried:
            return
        if len(self.tried) >= self.most:
            raise EnoughError
        self.tried[x] = np.array(s)


@dataclass(frozen=True)
class Limit:
    """A measure that is to stay between two values; None for none."""

    measure: Measure
    low: float | None
    high: float | None

    @property
    def ends(self) -> list[float]:
        """Those of the two values that there are."""
        return [x for x in (self.low, self.high) if x is not None]


@dataclass(frozen=True)
class Study:
    """What is optimised.

    Attributes:
        model: the mechanism.
        duration: of the runs [s]; none of equilibria and steady motions.
        objectives: whose sum is minimised.
        over: names of what varies, with their bounds.
        bounds: constraints by name.
        cases: run options of every load case; their objectives are added, and constraints hold in
            all of them.
        run: options of all runs.
        called: names of the objectives, where they have some.
    """

    model: Mechanism
    duration: float | None
    objectives: tuple[Measure, ...]
    over: Mapping[str, tuple[float, float]]
    bounds: Mapping[str, Limit] = field(default_factory=dict)
    cases: Sequence[Mapping[str, Any]] = ({},)
    run: Mapping[str, Any] = field(default_factory=dict)
    called: tuple[str, ...] = ()

    @property
    def measures(self) -> dict[str, Measure]:
        """All measures by name."""
        own = dict(zip(self.objective_names, self.objectives, strict=True))
        return {**own, **{k: row.measure for k, row in self.bounds.items()}}

    @property
    def objective_names(self) -> list[str]:
        """Of the measures that are minimised."""
        names = self.called or range(1, len(self.objectives) + 1)
        return [f"{OBJECTIVE} {name}" for name in names]

    @property
    def at(self) -> str:
        """Where it is measured: "run", "equilibrium" or "start"."""
        return str(self.run.get("at", RUN))

    @property
    def squares(self) -> bool:
        """Whether the objective is a sum of squares."""
        return all(isinstance(row, Misfit) for row in self.objectives)

    def options(self, values: Mapping[str, float], case: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments of `sensitivity` for values of what varies."""
        run = {**self.run, **case, DURATION: self.duration}
        return enter_values(read_variables(self.model, list(values)), values, run)


class Trials:
    """Evaluations of a study at scaled variables s: x = low + s (high - low).

    What runs share is derived for the first trial that has a run, whether it is made now or stands
    in the journal: so an optimisation that goes on has the same digits as one that was not stopped.
    """

    def __init__(
        self, study: Study, journal: Journal, tell: Callable[[JournalRow], object]
    ) -> None:
        self.study, self.journal, self.tell = study, journal, tell
        self.low, high = np.array([study.over[name] for name in self.names]).T
        self.width = high - self.low
        self.sizes = StudySizes.unknown(study)
        self.history: list[JournalRow] = []
        self.ask: Ask | None = None
        self.stop = threading.Event()
        self.begin(None)
        self._first: dict[str, float] | None = None
        self._tasks: dict[tuple[int, bool], Task] = {}

    @property
    def names(self) -> list[str]:
        """Of what varies."""
        return list(self.study.over)

    def values(self, s: Array) -> dict[str, float]:
        """Values by name."""
        x = self.low + np.clip(s, 0.0, 1.0) * self.width
        return dict(zip(self.names, x.tolist(), strict=True))

    def begin(self, most: int | None) -> None:
        """From now on as many evaluations are made at most; None for any number."""
        self.budget = Budget(most)

    def best(self) -> Array:
        """Scaled variables of the best evaluation since the beginning."""
        known = {x: self.journal.find(x, slopes=False) or {} for x in self.budget.tried}
        x = min(known, key=lambda x: self.rank(known[x]))
        return self.budget.tried[x]

    def rank(self, row: JournalRow) -> tuple[float, float]:
        """By how much constraints are missed beyond what counts as met, then the value."""
        return (self.miss(row), row["value"]) if "value" in row else (np.inf, np.inf)

    def row(self, s: Array, *, slopes: bool = True) -> JournalRow:
        """The evaluation at scaled variables, with gradients unless it is told otherwise.

        Raises:
            EnoughError: where no more evaluations may be made, or who is told of them has enough.
        """
        values = self.values(s)
        if self.stop.is_set() and self.budget.most is not None:
            raise EnoughError
        self.budget.spend((*values.values(),), s)
        if self.ask is not None:
            return self.ask(values, slopes)
        known = self.journal.find(tuple(values.values()), slopes=slopes)
        return self.note(values, known or self.evaluate(values, slopes=slopes))

    def note(self, values: dict[str, float], found: JournalRow) -> JournalRow:
        """Take an evaluation that was made, or was known, into journal and history."""
        known = found
        if "x" not in found:
            known = {"x": [*values.values()], **found}
            self.journal.add(known)
        if "failed" not in known and self._first is None:
            self._first = dict(values)
            self.sizes.see(self.study, self.width, known)
        if not self.history or self.history[-1] is not known:
            before = self.history[-1]["x"] if self.history else known["x"]
            way = (np.array(known["x"]) - before) / self.width
            self.history.append(known)
            facts = {"number": len(self.history), "violation": self.violation(known)}
            told = {**known, **facts, "step": float(np.abs(way).max(initial=0.0))}
            if not self.stop.is_set() and self.tell(told) is True:
                self.stop.set()
        return known

    def evaluate(self, values: Mapping[str, float], *, slopes: bool) -> JournalRow:
        """The runs of all load cases, measured."""
        try:
            cases = range(len(self.study.cases))
            parts = [self._case(values, number, slopes=slopes) for number in cases]
        except (UnknownNameError, TypeError):
            raise
        except KinetreeError as error:
            return self.failure(error)
        return sum_of_cases(parts)

    def failure(self, *errors: KinetreeError) -> JournalRow:
        """The row of a trial without a run, for the first of some errors.

        Where there was none before, and the errors have other reasons than the values of the trial,
        what was asked is wrong, and that ends it all.
        """
        of_values = (AssemblyError, RunError)
        if not self.history and not any(isinstance(error, of_values) for error in errors):
            raise errors[0]
        return {"failed": str(errors[0])}

    def _case(self, values: Mapping[str, float], number: int, *, slopes: bool) -> JournalRow:
        """Value, gradient, constraints and residuals of one load case."""
        study, options = self.study, self.study.options(values, self.study.cases[number])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            task = self.task(number, values, slopes=slopes)
            given = RunGiven(**{name: options.get(name) for name in GIVEN})
            method = str(options.get("method", "auto")) if slopes else "direct"
            basic = {name: options[name] for name in BASICS if name in options}
            own = task.at(given, float(options[DURATION] or 0.0), basic)
            found = run_task(own, method) if study.at == RUN else static_results(
                own, steady=study.at == "start", locked=tuple(options.get("locked", ()))
            )  # fmt: skip
        return self.read(with_functions(found, study.measures), slopes=slopes)

    def read(self, found: Draft, *, slopes: bool) -> JournalRow:
        """The row of a run that was measured."""
        study = self.study
        measured, gradient = (found[name].values for name in ("value", "gradient"))
        count = len(study.objectives)
        row: JournalRow = {
            "value": float(measured[:count].sum()), "limits": measured[count:].tolist(),
        }  # fmt: skip
        if not np.isfinite([*measured, *gradient.ravel()]).all():
            raise RunError("a measure or a derivative has no value", element="run")
        if not slopes:
            return row
        row |= {
            "gradient": gradient[:count].sum(0).tolist(), "slopes": gradient[count:].tolist(),
            "residuals": [], "jacobian": [],
        }  # fmt: skip
        for (name, measure), _ in zip(study.measures.items(), range(count), strict=False):
            if isinstance(measure, Misfit) and f"{name}_by" in found:
                r, own = measure.residuals(found[name].values)
                row["residuals"] += r.tolist()
                row["jacobian"] += (own[:, None] * found[f"{name}_by"].values).tolist()
        return row

    def task(self, number: int, trying: Mapping[str, float], *, slopes: bool) -> Task:
        """What the runs of a load case share, derived for values that are tried."""
        known = self._tasks.get((number, slopes))
        if known is not None:
            return known
        study = self.study
        first = self._first or trying
        options = study.options(first, study.cases[number])
        made = sensitivity_task(
            study.model, measures=study.measures, by=self.names if slopes else [], **options
        )
        assert made.system is not None  # derived for these values, whatever comes
        if self._first is not None:
            self._tasks[number, slopes] = made
        return made

    # --- as methods ask --------------------------------------------------------------------------

    def objective(self, s: Array) -> tuple[float, Array]:
        """Value and gradient by scaled variables, as parts of its size."""
        row, size = self.row(s), self.sizes.objective
        if "failed" in row:
            known = [abs(old["value"]) / size for old in self.history if "value" in old]
            return WORSE * (1 + max(known, default=0.0)), np.zeros(len(s))
        return row["value"] / size, np.array(row["gradient"]) * self.width / size

    def judge(self, s: Array) -> tuple[float, float]:
        """By how much constraints are missed, and the value, without gradients."""
        row = self.row(s, slopes=False)
        return (np.inf, np.inf) if "failed" in row else (self._worst_share(row), row["value"])

    def limits(self, *, equal: bool) -> Callable[[Array], tuple[Array, Array]] | None:
        """Constraints c(s) ≥ 0, or = 0, as parts of their sizes, and their Jacobian."""
        signs = [
            (number, sign / size, bound)
            for number, (row, size) in enumerate(
                zip(self.study.bounds.values(), self.sizes.constraints, strict=True)
            )
            for sign, bound in ((1.0, row.low), (-1.0, row.high))
            if bound is not None and (row.low == row.high) == equal
        ]
        if equal:
            signs = signs[::2]
        count = len(self.study.bounds)
        if not signs:
            return None

        def function(s: Array) -> tuple[Array, Array]:
            row = self.row(s)
            size = len(signs) * len(self.study.cases)
            if "failed" in row:
                return -np.ones(size), np.zeros((size, len(s)))
            values = np.array(row["limits"]).reshape(-1, count)
            slopes = np.array(row["slopes"]).reshape(-1, count, len(s)) * self.width
            gaps = [sign * (case[k] - bound) for case in values for k, sign, bound in signs]
            return np.array(gaps), np.array(
                [sign * case[k] for case in slopes for k, sign, _ in signs]
            )

        return function

    def residuals(self, s: Array) -> tuple[Array, Array]:
        """Residuals of a misfit and their Jacobian by scaled variables, as parts of its size."""
        row, size = self.row(s), np.sqrt(self.sizes.objective)
        if "failed" in row:
            count = len(self.study.cases) * sum(len(m.times(0.0)) for m in self.study.objectives)
            return np.full(count, 1e6), np.zeros((count, len(s)))
        return np.array(row["residuals"]) / size, np.array(row["jacobian"]) * self.width / size

    def gaps(self, s: Array) -> tuple[float, Array]:
        """½ Σ (gap/size)² of the constraints that are missed, and its gradient."""
        value, gradient = 0.0, np.zeros(len(s))
        for equal in (False, True):
            function = self.limits(equal=equal)
            if function is None:
                continue
            c, slopes = function(s)
            gap = c if equal else np.minimum(c, 0.0)
            value += float(gap @ gap) / 2
            gradient += gap @ slopes
        return value, gradient

    def miss(self, row: JournalRow) -> float:
        """Share of its size by which a constraint is missed beyond what counts as met."""
        return max(0.0, self._worst_share(row) - MET)

    def _worst_share(self, row: JournalRow) -> float:
        """The largest share of its size by which a constraint is not met."""
        return max(0.0, float((self.missing(row) / self.sizes.constraints).max(initial=0.0)))

    def violation(self, row: JournalRow) -> float:
        """By how much the worst constraint is not met."""
        return np.inf if "failed" in row else max(0.0, float(self.missing(row).max(initial=0.0)))

    def missing(self, row: JournalRow) -> Array:
        """By how much every constraint is not met; negative where there is room."""
        bounds = self.study.bounds.values()
        if "failed" in row or not bounds:
            return np.full(len(bounds), np.inf)
        values = np.array(row["limits"]).reshape(-1, len(bounds))
        low = [-np.inf if bound.low is None else bound.low for bound in bounds]
        high = [np.inf if bound.high is None else bound.high for bound in bounds]
        return np.asarray(np.maximum(low - values, values - high).max(axis=0))


def sum_of_cases(parts: Sequence[JournalRow]) -> JournalRow:
    """The row of all load cases: values and gradients are added, others stand side by side."""
    total: JournalRow = dict(parts[0])
    for part in parts[1:]:
        for key in total:
            added = key in ("value", "gradient")
            total[key] = (
                np.add(total[key], part[key]).tolist() if added else [*total[key], *part[key]]
            )
    return total
