"""Friction in a joint, smooth through rest.

    effort = -(coulomb + static·exp(-(v/stribeck)²))·tanh(v/smooth) - viscous·v

with v the velocity of the joint.  Dry friction grows over the speed `smooth` instead of jumping, so
a joint at rest creeps under load.  `static` is what breaking loose takes beyond `coulomb`; it falls
off with the speed `stribeck`.
"""

from __future__ import annotations

from kinetree.engine import ZERO, exp, tanh
from kinetree.model import IN_JOINT, REQUIRED, Action, Force, ForceKind


def write(act: Action, force: Force) -> None:
    """An effort against the velocity."""
    velocity = force.arguments["joint"]
    v = act.qd(velocity)
    dry = act.value("coulomb")
    if act.value("static") is not ZERO:
        ratio = act.let("stribeck", v / act.value("stribeck"))
        dry = dry + act.value("static") * exp(-ratio * ratio)
    rubbing = ZERO if dry is ZERO else dry * tanh(v / act.value("smooth"))
    effort = -rubbing - act.value("viscous") * v
    act.effort(velocity, effort)
    act.tell(lambda: {"force": effort, "rate": v})


KIND = ForceKind(
    "joint_friction",
    write,
    options={
        "joint": REQUIRED,
        "coulomb": 0,
        "viscous": 0,
        "smooth": 1e-3,
        "static": 0,
        "stribeck": 1e-2,
    },
    scalars=("coulomb", "viscous", "smooth", "static", "stribeck"),
    places=0,
    velocities=("joint",),
    units={
        "coulomb": "{effort}",
        "viscous": "{effort}.s/{q}",
        "smooth": "{q}/s",
        "static": "{effort}",
        "stribeck": "{q}/s",
    },
    outputs=IN_JOINT,
)
