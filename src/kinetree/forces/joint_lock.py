"""A lock: holds a joint still where a law is positive, with whatever force that takes.

The velocity must be zero when the lock closes; an event that closes it sets it so.
"""

from __future__ import annotations

from kinetree.model import IN_JOINT, REQUIRED, Action, Force, ForceKind


def write(act: Action, force: Force) -> None:
    """No acceleration while the law is positive."""
    velocity = force.arguments["joint"]
    act.lock(velocity, act.law("locked"))
    act.tell(lambda: {"force": act.holding_force(velocity), "rate": act.qd(velocity)})


KIND = ForceKind(
    "joint_lock",
    write,
    options={"joint": REQUIRED, "locked": REQUIRED},
    laws=("locked",),
    places=0,
    velocities=("joint",),
    holds=True,
    outputs=IN_JOINT,
)
