"""Clutch: dry friction between two joints, which turn together where it sticks.

    speed = qd_joint - ratio·qd_other

Its force acts on the joint, and -ratio times it on the other one.
"""

from __future__ import annotations

from kinetree.forces.frictions.bounds import OPTIONS, check, read_bounds
from kinetree.model import IN_JOINT, REQUIRED, Action, Force, ForceKind


def write(act: Action, force: Force) -> None:
    """What the mode says, and efforts against the relative speed."""
    joint, other, mode = (force.arguments[name] for name in ("joint", "other", "mode"))
    ratio = act.value("ratio")
    speed = act.qd(joint) - ratio * act.qd(other)
    smooth = -act.value("viscous") * speed
    effort = act.grip(mode, speed, *read_bounds(act)) + smooth
    act.effort(joint, effort)
    act.effort(other, -ratio * effort)
    act.tell(lambda: {"force": act.gripping_force(mode) + smooth, "rate": speed})


KIND = ForceKind(
    "clutch",
    write,
    options={"joint": REQUIRED, "other": REQUIRED, "ratio": 1, **OPTIONS},
    scalars=("ratio", "static", "viscous"),
    laws=("force",),
    places=0,
    velocities=("joint", "other"),
    units={"ratio": "1", "static": "1", "viscous": "{effort}.s/{q}"},
    check=check,
    holds=True,
    grips=True,
    outputs=IN_JOINT,
)
