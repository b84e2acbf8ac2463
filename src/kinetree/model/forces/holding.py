"""Forces that may hold, stop or rub: which they are, and their modes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.errors import UnsupportedError
from kinetree.model.forces.elements import Force
from kinetree.model.forces.kind import FORCES

if TYPE_CHECKING:
    from kinetree.model.mechanism import Mechanism


def stop_modes(force: Force) -> tuple[str, ...]:
    """Names of the modes of a stop, one per gap; empty of other forces."""
    row = FORCES[force.kind]
    return row.modes(force.name, force.arguments) if row.modes else ()


def holding(model: Mechanism) -> list[str]:
    """Names of the forces that may hold joints still, by which forward dynamics has modes."""
    return [force.name for force in model.forces.values() if FORCES[force.kind].holds]


def stopping(model: Mechanism) -> list[str]:
    """Names of the forces that are stops, by which forward dynamics has contacts."""
    return [force.name for force in model.forces.values() if FORCES[force.kind].modes]


def refuse_pushes(model: Mechanism, element: str) -> None:
    """Refuse stops and frictions between points where their forces are not known."""
    for force in model.forces.values():
        row = FORCES[force.kind]
        if (row.modes or row.grips) and force.points:
            raise UnsupportedError(
                f"force '{force.name}' may push its points, which is not known there",
                element=element,
                cure="take it out, and give the forces of a run as external wrenches",
            )


def gripping(model: Mechanism) -> list[Force]:
    """The forces that may hold speeds which are not velocities of the model."""
    return [force for force in model.forces.values() if FORCES[force.kind].grips]


def refuse_holding(model: Mechanism, element: str, cure: str) -> None:
    """Refuse locks, dry friction and stops where nothing can be held still."""
    said = dict.fromkeys(holding(model), "may hold its joint still")
    said |= dict.fromkeys(stopping(model), "may come into contact")
    for name, does in said.items():
        raise UnsupportedError(
            f"force '{name}' {does}, which is not known there", element=element, cure=cure
        )
