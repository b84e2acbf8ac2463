"""Signs of the numbers that forces take: what is never meant is refused by name.

Negative friction drives a body, a speed of 0 at which friction fades divides by zero, a contact
with negative damping pulls.  Springs and dampers between points and in joints may have any sign:
unstable positions and self-excited motions are modelled with them.  Expressions are taken as they
are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kinetree.engine import Node
from kinetree.errors import ModelError
from kinetree.model import ForceKind

POSITIVE = frozenset({
    "radius", "smooth", "stribeck", "slip_speed", "slow", "shortest", "impact_speed", "depth",
    "stick_time",
    "density", "bulk_modulus", "air_pressure", "volume", "exponent", "diameter",
    "resistance",
})  # fmt: skip
"""Arguments above zero."""
NOT_NEGATIVE = frozenset({
    "friction", "coulomb", "breakaway", "viscous", "static", "rolling_resistance", "dissipation",
    "restitution", "crown", "stick_stiffness", "force", "slip_stiffness",
    "cornering_stiffness", "nominal_load", "grip", "SN", "viscosity", "air", "pressure",
    "outside", "area", "coefficient", "conductance", "leak",
})  # fmt: skip
"""Arguments that may be zero, not below."""
TOUCHING = frozenset({"stiffness", "damping"})
"""Arguments that are not negative where two bodies touch, and have either sign elsewhere."""
EITHER = frozenset({
    "length", "rest", "ratio", "rotation", "rotation_damping", "camber_stiffness", "trail",
    "reference", "opening", "displacement", "bore", "rod", "stroke", "cap_volume", "rod_volume",
    "A0", "A1", "A2", "A3", "A4", "Aw", "B1", "B3", "B4", "AF1", "AF2",
})  # fmt: skip
"""Arguments of either sign, or whose kind looks at how they fit each other."""


def touches(kind: ForceKind) -> bool:
    """Whether a force acts where two bodies touch: contacts and tyres."""
    return kind.name.startswith(("contact_", "plane_", "tyre_"))


def with_signs(kind: ForceKind) -> ForceKind:
    """The kind with a check of the signs of its numbers before its own."""
    never_negative = NOT_NEGATIVE | (TOUCHING if touches(kind) else frozenset())
    positive = POSITIVE.union(kind.belongings.positive)

    def check(arguments: Mapping[str, Any], element: str) -> None:
        for name in kind.scalars:
            value = arguments[name]
            if isinstance(value, Node) or value is None:
                continue
            if name in positive and value <= 0:
                raise ModelError(f"its {name} is {value}", element=element, cure="give it above 0")
            if name in never_negative and value < 0:
                raise ModelError(f"its {name} is {value}", element=element, cure="give 0 or more")
        if kind.check is not None:
            kind.check(arguments, element)

    return replace(kind, check=check)
