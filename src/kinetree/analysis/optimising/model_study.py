"""Arguments of an optimisation from a study that stands in the model."""

from __future__ import annotations

from typing import Any

from kinetree.errors import ModelError, unknown
from kinetree.measures import measure
from kinetree.model import Mechanism
from kinetree.units import to_si


def study_arguments(model: Mechanism, name: str) -> dict[str, Any]:
    """Duration, objective, bounds, constraints and options of the runs of a study.

    Args:
        model: that has the study.
        name: of it.
    """
    if name not in model.studies:
        raise unknown("study", name, model.studies, f"model '{model.name}'")
    plan, element = model.studies[name], f"study '{name}'"
    if not plan.minimise:
        raise ModelError("it minimises nothing", element=element, cure="name measures in minimise")
    measures = {key: measure(text) for key, text in plan.measures.items()}
    over = {}
    for key, pair in plan.variables.items():
        unit = plan.units.get(key, "")
        low, high = (to_si(x, unit, f"{element}, '{key}'")[0] for x in pair)
        over[key] = (low, high)
    return {
        "duration": plan.duration, "objective": [measures[key] for key in plan.minimise],
        "over": over, "run": dict(plan.run),
        "subject_to": {key: (measures[key], *pair) for key, pair in plan.subject_to.items()},
    }  # fmt: skip
