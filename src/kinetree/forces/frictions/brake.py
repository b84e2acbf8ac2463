"""Brake: dry friction in a joint whose force is a law, zero where it is open."""

from __future__ import annotations

from kinetree.forces.frictions.bounds import OPTIONS, check, read_bounds
from kinetree.model import IN_JOINT, REQUIRED, Action, Force, ForceKind


def write(act: Action, force: Force) -> None:
    """What the mode says, and an effort against the velocity."""
    velocity = force.arguments["joint"]
    act.rub(velocity, force.arguments["mode"], *read_bounds(act), loose=True)
    smooth = -act.value("viscous") * act.qd(velocity)
    act.effort(velocity, smooth)
    act.tell(lambda: {"force": act.holding_force(velocity) + smooth, "rate": act.qd(velocity)})


KIND = ForceKind(
    "brake",
    write,
    options={"joint": REQUIRED, **OPTIONS},
    scalars=("static", "viscous"),
    laws=("force",),
    places=0,
    velocities=("joint",),
    units={"static": "1", "viscous": "{effort}.s/{q}"},
    check=check,
    holds=True,
    outputs=IN_JOINT,
)
