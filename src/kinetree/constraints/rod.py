"""Rod: a massless bar between two ball joints keeps the distance of the two ends.

Equation: length [m2], (d·d - L²)/2 with d from the second end to the first.  Its multiplier times L
is the force in the bar [N], positive where the bar pushes the ends apart.

Refs: Docquier2013 sec. 2.2
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.engine import Node
from kinetree.errors import ModelError
from kinetree.model import REQUIRED, ClosureKind, Condition, Distance


def conditions(arguments: Mapping[str, Any], element: str) -> tuple[Condition, ...]:
    """One distance."""
    length = arguments["length"]
    if not isinstance(length, Node) and length <= 0:
        raise ModelError(
            f"its length is {length}",
            element=element,
            cure="give a positive length, or close a ball joint",
        )
    return (Distance("length"),)


KIND = ClosureKind("rod", conditions, options={"length": REQUIRED}, scalars=("length",))
