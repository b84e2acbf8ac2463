"""Rolling without slipping: a wheel or a sphere on a plane.

The wheel is a circle of `radius` about `axis` (in the frame of the first end, at its centre), swept
by a sphere of radius `crown`; without an axis it is a sphere of the given radius.  The plane
contains the second end; `normal`, in that end's frame, points to the side of the wheel.
Equations: touch [m], the height of the lowest point; roll_x and roll_y [m/s], the velocity of the
touching material point relative to the plane, along two directions of the plane: no position has to
satisfy these two.

Refs: Docquier2013 sec. 2.2
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.constraints.directions import triad
from kinetree.model import REQUIRED, ClosureKind, Condition, Roll, Touch, direction


def conditions(arguments: Mapping[str, Any], element: str) -> tuple[Condition, ...]:
    """One of touch, two of rolling."""
    given = arguments["axis"]
    axis = None if given is None else direction(given, f"{element} axis")
    normal = direction(arguments["normal"], f"{element} normal")
    (a, first), (b, second) = triad(normal)
    return (
        Touch("touch", axis, normal),
        Roll(f"roll_{a}", axis, normal, first),
        Roll(f"roll_{b}", axis, normal, second),
    )


KIND = ClosureKind(
    "roll",
    conditions,
    options={"radius": REQUIRED, "axis": None, "normal": "z", "crown": 0},
    scalars=("radius", "crown"),
)
