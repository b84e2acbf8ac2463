"""Revolute cut: the two ends stay at one place and share the direction of a hinge.

Equations: x, y, z as for the ball cut [m]; two of direction [1]: the axis of the first frame is
perpendicular to the two directions of the second frame that are perpendicular to its axis.  For the
axis z they are turn_x and turn_y, named after the turn each one stops.
`axis` is the same in the frames of both ends.

Refs: Docquier2013 sec. 2.2
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.constraints.directions import parallel, together
from kinetree.model import ClosureKind, Condition, direction


def conditions(arguments: Mapping[str, Any], element: str) -> tuple[Condition, ...]:
    """Three of place, two of direction."""
    axis = direction(arguments["axis"], f"{element} axis")
    return (*together(), *parallel(axis))


KIND = ClosureKind("revolute", conditions, options={"axis": "z"})
