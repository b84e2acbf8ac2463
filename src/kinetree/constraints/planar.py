"""Planar cut: the ends slide in a plane and turn about its normal.

Equations: normal [m]: the first end has no height above the plane through the second; two of
direction [1] as for the revolute cut.  `normal` is the same in the frames of both ends.

Refs: Docquier2013 sec. 2.2
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.constraints.directions import parallel
from kinetree.model import Along, ClosureKind, Condition, direction


def conditions(arguments: Mapping[str, Any], element: str) -> tuple[Condition, ...]:
    """One of place, two of direction."""
    normal = direction(arguments["normal"], f"{element} normal")
    return (Along("normal", normal), *parallel(normal))


KIND = ClosureKind("planar", conditions, options={"normal": "z"})
