"""Arguments of an optimisation, or of a sweep, from a study that stands in the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.sweeping.plans import SweepPlan, grid, latin_hypercube, saltelli, sobol
from kinetree.errors import ModelError, unknown
from kinetree.measures import Measure, measure
from kinetree.model import Mechanism
from kinetree.model.parameters import scalars
from kinetree.units import are_alike, to_si

if TYPE_CHECKING:
    from kinetree.model.methods.studies import StudyPlan

Ranges = Mapping[str, tuple[float, float]]


def study_arguments(model: Mechanism, name: str) -> dict[str, Any]:
    """Duration, objective, bounds, constraints and options of the runs of a study.

    Args:
        model: that has the study.
        name: of it.
    """
    plan, element = _study(model, name), f"study '{name}'"
    if not plan.minimise:
        raise ModelError("it minimises nothing", element=element, cure="name measures in minimise")
    measures = _measures(plan)
    return {
        "duration": plan.duration, "objective": {key: measures[key] for key in plan.minimise},
        "over": _bounds(model, plan), "run": dict(plan.run),
        "subject_to": {key: (measures[key], *pair) for key, pair in plan.subject_to.items()},
    }  # fmt: skip


def sweep_arguments(model: Mechanism, name: str) -> dict[str, Any]:
    """Duration, plan, measures and options of the runs of a study; no plan where it has none.

    Args:
        model: that has the study.
        name: of it.
    """
    study = _study(model, name)
    made = PLANS[study.plan["kind"]](_bounds(model, study), study.plan) if study.plan else None
    return {
        "duration": study.duration, "plan": made, "measures": _measures(study),
        "run": dict(study.run),
    }  # fmt: skip


def _study(model: Mechanism, name: str) -> StudyPlan:
    if name not in model.studies:
        raise unknown("study", name, model.studies, f"model '{model.name}'")
    return model.studies[name]


def _measures(study: StudyPlan) -> dict[str, Measure]:
    return {key: measure(text) for key, text in study.measures.items()}


def _bounds(model: Mechanism, study: StudyPlan) -> dict[str, tuple[float, float]]:
    """Ranges in SI units."""
    found, known = {}, {row[0]: row[2] for row in scalars(model)}
    known |= {row.name: row.unit for row in model.parameters.values()}
    for key, pair in study.variables.items():
        unit, element = study.units.get(key, ""), f"study '{study.name}', '{key}'"
        if unit and known.get(key) and not are_alike(unit, known[key]):
            raise ModelError(
                f"'{unit}' is not a unit of it",
                element=element,
                cure=f"give its bounds in {known[key]}, or a multiple of it",
            )
        low, high = (to_si(x, unit, element)[0] for x in pair)
        found[key] = (low, high)
    return found


def _grid(over: Ranges, plan: Mapping[str, Any]) -> SweepPlan:
    return grid({name: np.linspace(*pair, plan["runs"]) for name, pair in over.items()})


def _draw(
    kind: Callable[..., SweepPlan],
) -> Callable[[Ranges, Mapping[str, Any]], SweepPlan]:
    return lambda over, plan: kind(over, plan["runs"], seed=plan["seed"])


PLANS = {
    "sobol": _draw(sobol), "latin_hypercube": _draw(latin_hypercube),
    "saltelli": _draw(saltelli), "grid": _grid,
}  # fmt: skip
"""Plans by their kinds: bounds and what the study says of the plan -> the plan."""
