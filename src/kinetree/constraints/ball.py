"""Ball cut: the two ends stay at one place.

Equations: x, y, z [m], the place of the first end minus that of the second, in the frame of the
last link that carries both.  A multiplier is the force on the first end along that axis [N].

Refs: Docquier2013 sec. 2.2
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.constraints.directions import together
from kinetree.model import ClosureKind, Condition


def conditions(arguments: Mapping[str, Any], element: str) -> tuple[Condition, ...]:
    """Three components of one vector."""
    del arguments, element
    return together()


KIND = ClosureKind("ball", conditions)
