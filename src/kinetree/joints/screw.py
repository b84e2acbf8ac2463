"""Screw joint: rotation about an axis coupled with translation along it.

Frames: `axis` is given in the frame of the parent point; both frames keep it.
Zero: at q = 0 the two frames coincide.
Sign: q grows by the right-hand rule; the child advances by `pitch`·q along `axis`, so a positive
pitch is a right-handed thread. tau [N.m] is positive when it tends to increase q.
Coordinates: q = [angle] [rad], named as the joint. Velocities: qd = der(q) [rad/s].
`pitch` [m/rad] is a number or a named parameter; a lead of L per revolution is pitch = L/(2π).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.model import REQUIRED, JointKind, Motion, Twist, direction, scalar


def motions(arguments: Mapping[str, Any], element: str) -> tuple[Motion, ...]:
    """One twist about and along ``axis`` with ``pitch``."""
    axis = direction(arguments["axis"], f"{element} axis")
    return (Twist(axis, scalar(arguments["pitch"], f"{element} pitch")),)


KIND = JointKind("screw", motions, options={"axis": "z", "pitch": REQUIRED}, scalars=("pitch",))
