"""Cylindrical joint: translation along an axis and, independently, rotation about it.

Frames: `axis` is given in the frame of the parent point; both frames keep it.
Zero: at q = 0 the two frames coincide.
Sign: the displacement grows along `axis`, the angle by the right-hand rule; tau = [N, N.m].
Coordinates: q = [displacement m, angle rad], named NAME_1, NAME_2. Velocities: qd = der(q).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.model import JointKind, Motion, Shift, Turn, direction


def motions(arguments: Mapping[str, Any], element: str) -> tuple[Motion, ...]:
    """A shift along ``axis``, then a turn about it."""
    axis = direction(arguments["axis"], f"{element} axis")
    return (Shift(axis), Turn(axis))


KIND = JointKind("cylindrical", motions, options={"axis": "z"})
