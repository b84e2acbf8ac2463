"""Coupling of two coordinates: gears, belts, racks and pinions.

Equation: coupling, q(first) - ratio·q(second) - offset, in the unit of the first coordinate.
Unlike a joint that follows another (mimic), both coordinates stay and the multiplier is the force
or torque [N or N.m] that the gear puts on the first.

Refs: Docquier2013 sec. 2.2
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.errors import ModelError
from kinetree.model import REQUIRED, ClosureKind, Condition, Coupled


def conditions(arguments: Mapping[str, Any], element: str) -> tuple[Condition, ...]:
    """One relation between two coordinates."""
    if arguments["first"] == arguments["second"]:
        raise ModelError(
            f"it couples the coordinate '{arguments['first']}' with itself",
            element=element,
            cure="name two coordinates",
        )
    return (Coupled("coupling", arguments["first"], arguments["second"]),)


KIND = ClosureKind(
    "coupling",
    conditions,
    options={"first": REQUIRED, "second": REQUIRED, "ratio": REQUIRED, "offset": 0},
    scalars=("ratio", "offset"),
    places=0,
    coordinates=("first", "second"),
)
