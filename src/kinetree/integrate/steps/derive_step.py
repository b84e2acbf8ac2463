"""The step of a model as a Program, derived once for equal models and options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.model import Mechanism
from kinetree.steppers.step import step_program
from kinetree.targets.kept import DerivedProgram, remember


def derive_step(
    model: Mechanism, formulation: str | None, method: str, options: Mapping[str, Any]
) -> DerivedProgram:
    """The step, derived once for equal models and options."""
    return remember(
        lambda: DerivedProgram.of(step_program(model, formulation, method, **options)), "step",
        model, str(formulation), method, repr(sorted(options.items())),
    )  # fmt: skip
