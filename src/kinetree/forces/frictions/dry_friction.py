"""Dry friction in a joint: it sticks, or slides against a constant force.

    sticks: no acceleration, |force| ≤ breakaway        slides: force = ∓coulomb

with a viscous part -viscous·v beside it.  Whether it sticks is a mode, which changes at events.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.arguments import show
from kinetree.engine import Node
from kinetree.errors import ModelError
from kinetree.model import IN_JOINT, REQUIRED, Action, Force, ForceKind


def write(act: Action, force: Force) -> None:
    """What the mode says, and an effort against the velocity."""
    velocity = force.arguments["joint"]
    act.rub(velocity, force.arguments["mode"], act.value("coulomb"), act.value("breakaway"))
    smooth = -act.value("viscous") * act.qd(velocity)
    act.effort(velocity, smooth)
    act.tell(lambda: {"force": act.holding_force(velocity) + smooth, "rate": act.qd(velocity)})


def check(given: Mapping[str, Any], element: str) -> None:
    """Without a force there is no dry friction; sticking bears no less; its mode has a name."""
    value, bears, mode = given["coulomb"], given["breakaway"], given["mode"]
    if not isinstance(mode, str):
        raise ModelError(f"its mode is {show(mode)}", element=element, cure="give a name")
    if not isinstance(value, Node) and value <= 0:
        raise ModelError(
            f"its coulomb is {value}", element=element, cure="give a positive force of sliding"
        )
    known = not isinstance(value, Node) and not isinstance(bears, Node)
    if known and bears != 0 and bears < value:
        raise ModelError(
            f"its breakaway {bears} is below its coulomb {value}",
            element=element,
            cure="give no less than coulomb, or leave breakaway out",
        )


KIND = ForceKind(
    "dry_friction",
    write,
    options={
        "joint": REQUIRED,
        "mode": REQUIRED,
        "coulomb": REQUIRED,
        "breakaway": 0,
        "viscous": 0,
    },
    scalars=("coulomb", "breakaway", "viscous"),
    places=0,
    velocities=("joint",),
    units={"coulomb": "{effort}", "breakaway": "{effort}", "viscous": "{effort}.s/{q}"},
    check=check,
    holds=True,
    outputs=IN_JOINT,
)
