"""Any effort in a joint, by a law of q, qd, t and x: actuators, controllers, balancers.

The effort [N.m or N] is positive along the velocity it acts on.
"""

from __future__ import annotations

from kinetree.model import IN_JOINT, REQUIRED, Action, Force, ForceKind


def write(act: Action, force: Force) -> None:
    """The law, as an effort."""
    velocity, effort = force.arguments["joint"], act.law("law")
    act.effort(velocity, effort)
    act.tell(lambda: {"force": effort, "rate": act.qd(velocity)})


KIND = ForceKind(
    "joint_law",
    write,
    options={"joint": REQUIRED, "law": REQUIRED},
    laws=("law",),
    places=0,
    velocities=("joint",),
    outputs=IN_JOINT,
)
