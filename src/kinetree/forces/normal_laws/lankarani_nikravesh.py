"""Lankarani and Nikravesh: F = k δ^e (1 + 3 (1 - ε²)/(4 v) δd), by the coefficient of restitution.

| argument | meaning |
|---|---|
| stiffness, exponent | k [N/m^e] and e |
| restitution | ε, from 0 to 1; the law gives it back where it is near one |
| impact_speed | v, speed at which the bodies meet [m/s] |

Refs: LankaraniNikravesh1990
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.engine import Node
from kinetree.errors import ModelError
from kinetree.forces.normal_laws.law import NormalLaw, check_exponent, depth_power
from kinetree.model import REQUIRED, Action, Force


def force(act: Action, element: Force, depth: Node, rate: Node) -> Node:
    """F of the hysteretic spring."""
    e, v = act.value("restitution"), act.value("impact_speed")
    spring = act.value("stiffness") * depth_power(depth, element.arguments["exponent"])
    return spring * (1 + 3 * (1 - e * e) / (4 * v) * rate)  # Eq. (18), LankaraniNikravesh1990


def check(arguments: Mapping[str, Any], element: str) -> None:
    """Refuse a restitution that makes energy, and a speed that is none."""
    check_exponent(arguments, element)
    e, v = arguments["restitution"], arguments["impact_speed"]
    if isinstance(e, int | float) and not 0 <= e <= 1:
        raise ModelError(f"its restitution is {e}", element=element, cure="give 0 to 1")
    if isinstance(v, int | float) and v <= 0:
        raise ModelError(f"its impact_speed is {v}", element=element, cure="give it above 0")


LAW = NormalLaw(
    "lankarani_nikravesh",
    force,
    options={"stiffness": REQUIRED, "exponent": 1.5, "restitution": REQUIRED,
             "impact_speed": REQUIRED},
    scalars=("stiffness", "restitution", "impact_speed"),
    units={"restitution": "1", "impact_speed": "m/s"},
    check=check,
)  # fmt: skip
