"""Point on a line: the first end stays on a straight line fixed in the second's frame.

Equations: two of place [m]: the first end has no distance from the line through the second end
along `axis`; named after the directions of the second frame that are perpendicular to it.

Refs: Docquier2013 sec. 2.2
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.constraints.directions import on_line
from kinetree.model import ClosureKind, Condition, direction


def conditions(arguments: Mapping[str, Any], element: str) -> tuple[Condition, ...]:
    """Two of place."""
    del element
    return on_line(direction(arguments["axis"], "axis"))


KIND = ClosureKind("line", conditions, options={"axis": "x"})
