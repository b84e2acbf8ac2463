"""Free joint: all six motions, by a unit quaternion and a position; a floating base.

Frames: the quaternion is that of R_parent_child (child components to parent components), the
position that of the child's origin in the frame of the parent point.
Zero: at q = (1, 0, 0, 0, 0, 0, 0) the two frames coincide.
Sign: qd = [angular; linear] velocity of the child relative to the parent, both in the child frame
[rad/s, m/s]; tau = [torque; force] on the child at its origin, in the child frame [N.m, N].
Coordinates: NAME_w, NAME_x, NAME_y, NAME_z, NAME_px, NAME_py, NAME_pz.
Velocities: NAME_wx, NAME_wy, NAME_wz, NAME_vx, NAME_vy, NAME_vz; nq = 7, nv = 6.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.model import Float, JointKind, Motion


def motions(arguments: Mapping[str, Any], element: str) -> tuple[Motion, ...]:
    """One floating motion."""
    del arguments, element
    return (Float(),)


KIND = JointKind(
    "free",
    motions,
    q_suffixes=("w", "x", "y", "z", "px", "py", "pz"),
    v_suffixes=("wx", "wy", "wz", "vx", "vy", "vz"),
)
