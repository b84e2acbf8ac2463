"""Cylindrical cut: the ends slide along and turn about one axis.

Equations: two of place [m]: the first end has no distance from the axis through the second; two of
direction [1] as for the revolute cut.  `axis` is the same in the frames of both ends.

Refs: Docquier2013 sec. 2.2
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.constraints.directions import on_line, parallel
from kinetree.model import ClosureKind, Condition, direction


def conditions(arguments: Mapping[str, Any], element: str) -> tuple[Condition, ...]:
    """Two of place, two of direction."""
    axis = direction(arguments["axis"], f"{element} axis")
    return (*on_line(axis), *parallel(axis))


KIND = ClosureKind("cylindrical", conditions, options={"axis": "z"})
