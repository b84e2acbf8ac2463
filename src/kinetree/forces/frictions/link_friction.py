"""Friction of a strut: along the line of two points, which keep their distance where it sticks."""

from __future__ import annotations

from kinetree.forces.frictions.bounds import OPTIONS, check, read_bounds
from kinetree.model import Action, Force, ForceKind, Offer


def write(act: Action, force: Force) -> None:
    """What the mode says, and a pull against the rate of the distance."""
    seen, mode = act.between(*force.points), force.arguments["mode"]
    smooth = -act.value("viscous") * seen.speed
    push = act.grip(mode, seen.speed, *read_bounds(act)) + smooth
    act.pull(seen, -push)  # a pull draws in, a push along the speed drives apart
    act.tell(
        lambda: {
            "force": act.gripping_force(mode) + smooth,
            "length": seen.length,
            "rate": seen.speed,
        }
    )


KIND = ForceKind(
    "link_friction",
    write,
    options=OPTIONS,
    scalars=("static", "viscous"),
    laws=("force",),
    units={"static": "1", "viscous": "N.s/m"},
    check=check,
    holds=True,
    grips=True,
    outputs=(Offer("force", "N"), Offer("length", "m"), Offer("rate", "m/s")),
)
