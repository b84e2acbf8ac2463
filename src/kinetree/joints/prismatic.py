"""Prismatic joint: one translation along an axis.

Frames: `axis` is given in the frame of the parent point; the frames stay parallel.
Zero: at q = 0 the child's origin lies on the parent's.
Sign: q grows along `axis`; tau [N] is positive when it pushes the child along `axis`.
Coordinates: q = [displacement] [m], named as the joint. Velocities: qd = der(q) [m/s].
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.model import JointKind, Motion, Shift, direction


def motions(arguments: Mapping[str, Any], element: str) -> tuple[Motion, ...]:
    """One shift along ``axis``."""
    return (Shift(direction(arguments["axis"], f"{element} axis")),)


KIND = JointKind("prismatic", motions, options={"axis": "x"})
