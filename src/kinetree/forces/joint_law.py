"""Any effort in a joint, by a law of q, qd, t and x: actuators, controllers, balancers.

The effort [N.m or N] is positive along the velocity it acts on.  An energy V [J] of the coordinate
of the joint adds -dV/dq.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.engine import ZERO, Node
from kinetree.errors import ModelError
from kinetree.forces.checks.energies import energy_check, used_coordinates
from kinetree.model import ENERGY, IN_JOINT, REQUIRED, Action, Force, ForceKind


def write(act: Action, force: Force) -> None:
    """The law, as an effort."""
    velocity, effort = force.arguments["joint"], act.law("law") - _slope(act, force)
    act.effort(velocity, effort)
    act.tell(lambda: {"force": effort, "rate": act.qd(velocity)})


def _slope(act: Action, force: Force) -> Node:
    """dV/dq; the energy may use the coordinate of the joint alone."""
    velocity = force.arguments["joint"]
    for node in used_coordinates(force.laws.get(ENERGY, ())):
        if act.velocity_of(node.name.removeprefix("q_")) != velocity:
            raise ModelError(
                f"its energy uses '{node.name}', and its effort acts along '{velocity}'",
                element=f"force '{force.name}'",
                cure="name the joint of that coordinate; an energy of several takes a force_law",
            )
        return act.slope(ENERGY, node)
    return ZERO


def potential(act: Action, force: Force) -> Node:
    """V."""
    del force
    return act.law(ENERGY)


def check(given: Mapping[str, Any], element: str) -> None:
    """Refuse elements without effort, and energies of more than one coordinate."""
    if not given["law"] and not given[ENERGY]:
        raise ModelError("it has no law", element=element, cure="give law, or energy")
    energy_check(lambda name: name.startswith("q_"), "its coordinate")(given, element)
    if len(used_coordinates(given[ENERGY] or ())) > 1:
        raise ModelError(
            "its energy uses several coordinates", element=element, cure="use one of them"
        )


KIND = ForceKind(
    "joint_law",
    write,
    options={"joint": REQUIRED, "law": None, ENERGY: None},
    laws=("law", ENERGY),
    check=check,
    places=0,
    velocities=("joint",),
    potential=potential,
    outputs=IN_JOINT,
)
