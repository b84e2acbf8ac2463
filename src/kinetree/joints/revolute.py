"""Revolute joint: one rotation about an axis fixed in both frames.

Frames: `axis` is given in the frame of the parent point; child and parent origins coincide always.
Zero: at q = 0 the child's frame is parallel to the parent's.
Sign: q grows by the right-hand rule about `axis`; a positive tau [N.m] tends to increase q.
Coordinates: q = [angle] [rad], named as the joint. Velocities: qd = der(q) [rad/s].
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kinetree.model import JointKind, Turn, direction

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kinetree.model import Motion


def motions(arguments: Mapping[str, Any], element: str) -> tuple[Motion, ...]:
    """One turn about ``axis``."""
    return (Turn(direction(arguments["axis"], f"{element} axis")),)


KIND = JointKind("revolute", motions, options={"axis": "z"})
