"""What an optimisation is asked for, as given, and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np

from kinetree.analysis.optimising.model_study import study_arguments
from kinetree.analysis.optimising.trials import RUN, Limit, Study
from kinetree.analysis.runs.dynamics import OPTIONS
from kinetree.analysis.runs.march import STEPPING
from kinetree.analysis.sensitivities.checks import check_measures
from kinetree.analysis.sensitivities.variables import BASICS, read_variables
from kinetree.analysis.sensitivity import sensitivity
from kinetree.arguments import check_options, is_finite, show
from kinetree.errors import ModelError
from kinetree.measures import Measure
from kinetree.model import Mechanism

OWN = ("model", "duration", "measures", "by", "order")
"""Arguments of `sensitivity` that an optimisation gives itself."""


@dataclass(frozen=True)
class Asked:
    """What is to be optimised, as given."""

    duration: float | None
    objective: Any
    over: Mapping[str, Any] | None
    subject_to: Mapping[str, Any] | None
    run: Mapping[str, Any]

    def with_study(self, model: Mechanism, name: str | None) -> Asked:
        """The same with what a study of the model says where nothing is given."""
        if name is None:
            return self
        known = study_arguments(model, name)
        limits = known["subject_to"] if self.subject_to is None else self.subject_to
        return Asked(
            self.duration or known["duration"], self.objective or known["objective"],
            self.over or known["over"], limits, {**known["run"], **self.run},
        )  # fmt: skip

    def study(self, model: Mechanism, cases: Sequence[Any]) -> Study:
        """The whole of it, checked."""
        runs = self.run.get("at", RUN) == RUN
        if runs and self.duration is None:
            raise ModelError("it is not given", element="duration", cure="give it in seconds")
        length = None if self.duration is None else float(self.duration)
        if not cases:
            raise ModelError("there is none", element="cases", cure="leave it out, or give [{…}]")
        found = Study(
            model, length, _objectives(self.objective),
            _bounds_of(model, self.over or {}), _constraints(self.subject_to or {}), tuple(cases),
            self.run, tuple(self.objective) if isinstance(self.objective, Mapping) else (),
        )  # fmt: skip
        _check_names(found)
        check_measures(found.measures, modes=not runs, functions=True)
        for run in (self.run, *cases):
            _check_run(run)
        return found


def _objectives(objective: Any) -> tuple[Measure, ...]:
    """The measures that are minimised, of one, a list, or by name as a study gives them."""
    rows = (objective,) if isinstance(objective, Measure) else objective
    rows = tuple(rows.values()) if isinstance(rows, Mapping) else rows
    if not isinstance(rows, Sequence) or not rows or not all(isinstance(r, Measure) for r in rows):
        raise ModelError(
            f"it is {show(objective)}", element="objective", cure='give kt.rms("qdd_seat")'
        )
    return tuple(rows)


def _bounds_of(model: Mechanism, over: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    """Bounds by name, checked."""
    read_variables(model, list(over), "over")
    if not over:
        raise ModelError(
            "nothing varies", element="over", cure='give {"strut.damping": (500, 5000)}'
        )
    found = {}
    for name, pair in over.items():
        good = np.shape(pair) == (2,) and all(is_finite(x) for x in pair)
        if not good or not pair[0] < pair[1]:
            raise ModelError(
                f"its bounds are {show(pair)}",
                element=f"over, '{name}'",
                cure="give (lowest, highest), two finite numbers in this order",
            )
        found[name] = (float(pair[0]), float(pair[1]))
    return found


def _constraints(given: Mapping[str, Any]) -> dict[str, Limit]:
    found = {}
    for name, row in given.items():
        good = isinstance(row, Sequence) and len(row) == 3 and isinstance(row[0], Measure)
        ends = [x for x in row[1:] if x is not None] if good else []
        if not ends or not all(is_finite(x) for x in ends) or ends != sorted(ends):
            raise ModelError(
                f"it is {show(row)}",
                element=f"subject_to, '{name}'",
                cure="give (measure, lowest or None, highest or None), the lowest first",
            )
        found[name] = Limit(*row)
    return found


def _check_names(study: Study) -> None:
    """Refuse constraints that are called like something else of the result."""
    for name in study.bounds:
        if name in study.over or name in study.objective_names:
            raise ModelError(
                "something that varies, or is minimised, has that name, too",
                element=f"subject_to, '{name}'",
                cure="give it a name of its own",
            )


def _check_run(run: Mapping[str, Any]) -> None:
    """Refuse options that no run has."""
    rows = signature(sensitivity).parameters.values()
    known = [row.name for row in rows if row.kind is not row.VAR_KEYWORD and row.name not in OWN]
    check_options("optimise", run, (*known, *OPTIONS, *STEPPING, *BASICS))
