"""Spherical joint: any rotation about a common point, by a unit quaternion.

Frames: both origins coincide always; the quaternion is that of R_parent_child, which maps
components in the child's frame to components in the parent's.
Zero: at q = (1, 0, 0, 0) the two frames coincide.
Sign: qd is the angular velocity of the child relative to the parent, in the child frame [rad/s];
tau [N.m] is the torque on the child, in the child frame.
Coordinates: NAME_w, NAME_x, NAME_y, NAME_z (scalar first). Velocities: NAME_wx, NAME_wy, NAME_wz;
der(q) = N(q) qd with nq = 4, nv = 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.model import Ball, JointKind, Motion


def motions(arguments: Mapping[str, Any], element: str) -> tuple[Motion, ...]:
    """One ball motion."""
    del arguments, element
    return (Ball(),)


KIND = JointKind(
    "spherical", motions, q_suffixes=("w", "x", "y", "z"), v_suffixes=("wx", "wy", "wz")
)
