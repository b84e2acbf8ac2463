"""A lock: holds a joint still where a law is positive, with whatever force that takes.

The velocity must be zero when the lock closes; an event that closes it sets it so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.model import REQUIRED, ForceKind

if TYPE_CHECKING:
    from kinetree.model import Action, Force


def write(act: Action, force: Force) -> None:
    """No acceleration while the law is positive."""
    act.lock(force.arguments["joint"], act.law("locked"))


KIND = ForceKind(
    "joint_lock",
    write,
    options={"joint": REQUIRED, "locked": REQUIRED},
    laws=("locked",),
    places=0,
    velocities=("joint",),
    holds=True,
)
