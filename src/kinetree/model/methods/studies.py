"""Studies that stand in a model: what varies between which bounds, what is measured and minimised.

A study changes no equation: it is kept with the model and its file for `kinetree.optimise`,
`kinetree.sweep` and the command line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kinetree.arguments import check_arguments, check_positive, is_finite, show
from kinetree.errors import ModelError, unknown
from kinetree.model.methods.configuration import ConfigurationMethods
from kinetree.model.new_element import new_element
from kinetree.units import to_si

PLAN_KINDS = ("sobol", "latin_hypercube", "saltelli", "grid")
"""Plans of runs that a study may have."""
PLAN_FIELDS = {"kind": "sobol", "runs": 1000, "seed": 0}
"""What a plan says, and what it says of itself."""


@dataclass(frozen=True)
class StudyPlan:
    """A study of a model.

    Attributes:
        name: of the study.
        duration: of the runs [s].
        variables: name of what varies -> lowest and highest value, in its unit.
        units: of those that are not given in SI units.
        measures: name -> text, such as "rms(qdd_seat)".
        minimise: names of the measures whose sum is minimised.
        subject_to: name of a measure -> lowest and highest value; None for none.
        run: options of the runs.
        plan: of a sweep: kind, runs (of a grid those of each variable) and seed; empty without one.
    """

    name: str
    duration: float
    variables: Mapping[str, tuple[float, float]]
    units: Mapping[str, str]
    measures: Mapping[str, str]
    minimise: tuple[str, ...]
    subject_to: Mapping[str, tuple[float | None, float | None]]
    run: Mapping[str, Any]
    plan: Mapping[str, Any] = field(default_factory=dict)

    def data(self) -> dict[str, Any]:
        """Plain data without the name."""
        bounds: dict[str, Any] = {}
        for name, pair in self.variables.items():
            unit = self.units.get(name, "")
            bounds[name] = {"bounds": list(pair), "unit": unit} if unit else list(pair)
        found = {
            "duration": self.duration, "variables": bounds, "measures": dict(self.measures),
            "minimise": list(self.minimise),
            "subject_to": {name: list(pair) for name, pair in self.subject_to.items()},
            "run": dict(self.run), "plan": dict(self.plan),
        }  # fmt: skip
        return {name: value for name, value in found.items() if value or name == "measures"}


class StudyMethods(ConfigurationMethods):
    """``model.study(name, …)``."""

    def study(  # noqa: PLR0913  one keyword per fact
        self,
        name: str,
        duration: float,
        variables: Mapping[str, Any],
        measures: Mapping[str, str],
        *,
        minimise: Sequence[str] = (),
        subject_to: Mapping[str, Any] | None = None,
        units: Mapping[str, str] | None = None,
        run: Mapping[str, Any] | None = None,
        plan: Mapping[str, Any] | None = None,
    ) -> StudyPlan:
        """Keep a study with the model, and in its file.

        Args:
            name: unique among studies.
            duration: length of the runs [s].
            variables: name of what varies, as of `sensitivity` -> (lowest, highest).
            measures: name -> text, such as "rms(qdd_seat)", as of `measure`.
            minimise: names of the measures whose sum is minimised.
            subject_to: name of a measure -> (lowest or None, highest or None).
            units: of variables whose bounds are not in SI units.
            run: options of the runs: integrator, rtol, qd, …
            plan: of a sweep, such as {"kind": "sobol", "runs": 1000, "seed": 1}; other kinds are
                "latin_hypercube", "saltelli" and "grid", of which runs are those of each variable.
        """
        element = new_element("study", name, self.studies)
        given = {"minimise": minimise, "measures": measures, "variables": variables,
                 "subject_to": subject_to, "units": units, "run": run, "plan": plan}  # fmt: skip
        check_arguments(StudyMethods.study, given, element)
        limits = dict(subject_to or {})
        check_positive("a positive time in seconds", duration=duration)
        for row, pair in variables.items():
            _bounds(pair, f"{element}, '{row}'")
            to_si(1.0, (units or {}).get(row, ""), f"{element}, '{row}'")
        for row in units or {}:
            if row not in variables:
                raise unknown("variable", row, variables, element)
        _refuse_measures(measures, element)
        for row in (*minimise, *limits):
            if row not in measures:
                raise unknown("measure", row, measures, element)
        made = StudyPlan(
            name, float(duration), {k: (float(a), float(b)) for k, (a, b) in variables.items()},
            dict(units or {}), dict(measures), tuple(minimise),
            {k: _limits(pair, f"{element}, '{k}'") for k, pair in limits.items()}, dict(run or {}),
            _plan(plan or {}, f"{element}, plan"),
        )  # fmt: skip
        self.studies[name] = made
        return made


def _refuse_measures(measures: Mapping[str, Any], element: str) -> None:
    """Refuse measures that are none, or not texts."""
    if not measures:
        raise ModelError("it measures nothing", element=element, cure="give measures")
    for row, text in measures.items():
        if not isinstance(text, str):
            cure = "give a text, such as 'rms(qdd_seat)'"
            raise ModelError(f"the measure '{row}' is {text!r}", element=element, cure=cure)


def _plan(given: Mapping[str, Any], element: str) -> dict[str, Any]:
    """What a plan says, whole; empty where nothing is given."""
    for name in given:
        if name not in PLAN_FIELDS:
            raise unknown("entry", name, PLAN_FIELDS, element)
    found = {**PLAN_FIELDS, **given} if given else {}
    if found and found["kind"] not in PLAN_KINDS:
        raise unknown("kind", str(found["kind"]), PLAN_KINDS, element)
    for name in ("runs", "seed") if found else ():
        least = 1 if name == "runs" else 0
        if not is_finite(found[name]) or found[name] != int(found[name]) or found[name] < least:
            raise ModelError(
                f"it is {show(found[name])}",
                element=f"{element}, {name}",
                cure=f"give a whole number from {least} on",
            )
        found[name] = int(found[name])
    return found


def _bounds(pair: Any, element: str) -> None:
    """Refuse what is not two numbers in order."""
    good = isinstance(pair, Sequence) and len(pair) == 2 and all(is_finite(x) for x in pair)
    if not good or not pair[0] < pair[1]:
        raise ModelError(
            f"its bounds are {show(pair)}",
            element=element,
            cure="give the lowest and the highest value, two finite numbers in this order",
        )


def _limits(pair: Any, element: str) -> tuple[float | None, float | None]:
    """The lowest and the highest value of a measure."""
    good = isinstance(pair, Sequence) and len(pair) == 2
    ends = [x for x in pair if x is not None] if good else []
    if not ends or not all(is_finite(x) for x in ends) or ends != sorted(ends):
        raise ModelError(
            f"it is {show(pair)}",
            element=element,
            cure="give the lowest and the highest value, one of them may be none",
        )
    low, high = (None if x is None else float(x) for x in pair)
    return low, high
