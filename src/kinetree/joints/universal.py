"""Universal (Cardan) joint: two rotations about axes that meet.

Frames: the first axis is fixed in the frame of the parent point, the second turns with the first
rotation and is fixed in the child; both origins coincide always.
Zero: at q = 0 the two frames coincide.
Sign: each angle by the right-hand rule; R_parent_child = R(axes[0], q1) R(axes[1], q2).
Coordinates: q = [angle, angle] [rad], named NAME_1, NAME_2. Velocities: qd = der(q) [rad/s].
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.errors import ModelError
from kinetree.model import JointKind, Motion, Turn, directions

PARALLEL = 1e-9
"""Axes whose sine is below this are the same axis."""


def motions(arguments: Mapping[str, Any], element: str) -> tuple[Motion, ...]:
    """A turn about ``axes[0]``, then one about ``axes[1]``."""
    a, b = directions(arguments["axes"], f"{element} axes", 2)
    if 1 - abs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) < PARALLEL**2:
        raise ModelError(
            "the two axes are parallel",
            element=f"{element} axes",
            cure="give two different directions, or use a revolute joint",
        )
    return (Turn(a), Turn(b))


KIND = JointKind("universal", motions, options={"axes": ("x", "y")})
