"""Revolute joint: one rotation about an axis fixed in both frames.

Frames: `axis` is given in the frame of the parent point; child and parent origins coincide always.
Zero: at q = 0 the child's frame is parallel to the parent's.
Sign: q grows by the right-hand rule about `axis`; a positive tau [N.m] tends to increase q.
Coordinates: q = [angle] [rad], named as the joint. Velocities: qd = der(q) [rad/s].
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.model import JointKind, Motion, Turn, direction


def motions(arguments: Mapping[str, Any], element: str) -> tuple[Motion, ...]:
    """One turn about ``axis``."""
    return (Turn(direction(arguments["axis"], f"{element} axis")),)


KIND = JointKind("revolute", motions, options={"axis": "z"})
