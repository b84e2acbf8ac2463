"""Prismatic cut: the ends slide along one axis and do not turn.

Equations: two of place [m]: the first end has no distance from the axis through the second; turn_x,
turn_y, turn_z [1] as for the solid cut.  `axis` is the same in the frames of both ends.

Refs: Docquier2013 sec. 2.2
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.constraints.directions import on_line, parallel_frames
from kinetree.model import ClosureKind, Condition, direction


def conditions(arguments: Mapping[str, Any], element: str) -> tuple[Condition, ...]:
    """Two of place, three of direction."""
    axis = direction(arguments["axis"], f"{element} axis")
    return (*on_line(axis), *parallel_frames())


KIND = ClosureKind("prismatic", conditions, options={"axis": "x"})
