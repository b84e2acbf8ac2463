"""Solid cut: the two ends are one piece; their frames coincide.

Equations: x, y, z as for the ball cut [m]; turn_x, turn_y, turn_z [1]: pairs of axes of the two
frames stay perpendicular, y·z, z·x, x·y, the first of the first end.

Refs: Docquier2013 sec. 2.2
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.constraints.directions import parallel_frames, together
from kinetree.model import ClosureKind, Condition


def conditions(arguments: Mapping[str, Any], element: str) -> tuple[Condition, ...]:
    """Three of place, three of direction."""
    del arguments, element
    return (*together(), *parallel_frames())


KIND = ClosureKind("solid", conditions)
