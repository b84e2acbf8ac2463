"""Spring and damper in a joint: effort = -stiffness·(q - rest) - damping·qd.

For a rotation in N.m, N.m/rad, N.m.s/rad, for a translation in N, N/m, N.s/m.
"""

from __future__ import annotations

from kinetree.engine import Node
from kinetree.model import IN_JOINT, REQUIRED, Action, Force, ForceKind, Offer


def write(act: Action, force: Force) -> None:
    """An effort on the velocity of the coordinate."""
    coordinate = force.arguments["joint"]
    velocity = act.velocity_of(coordinate)
    turn, rate = act.q(coordinate) - act.value("rest"), act.qd(velocity)
    effort = -(act.value("stiffness") * turn) - act.value("damping") * rate
    act.effort(velocity, effort)
    act.tell(lambda: {"force": effort, "rate": rate, "deflection": turn})


def potential(act: Action, force: Force) -> Node:
    """½ stiffness·(q - rest)²."""
    turn = act.q(force.arguments["joint"]) - act.value("rest")
    return act.value("stiffness") * turn * turn / 2


KIND = ForceKind(
    "joint_spring",
    write,
    options={"joint": REQUIRED, "stiffness": REQUIRED, "rest": 0, "damping": 0},
    scalars=("stiffness", "rest", "damping"),
    places=0,
    coordinates=("joint",),
    units={"stiffness": "{effort}/{q}", "rest": "{q}", "damping": "{effort}.s/{q}"},
    potential=potential,
    outputs=(*IN_JOINT, Offer("deflection", "{q}")),
)
