"""Felt: F = F_ref (δ/δ_ref)^p (1 + λ δd), a power law that gives less back than it takes.

| argument | meaning |
|---|---|
| force | F_ref [N] at the depth `depth` |
| depth | δ_ref [m] |
| exponent | p |
| dissipation | λ [s/m] |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.engine import Node
from kinetree.errors import ModelError
from kinetree.forces.normal_laws.law import NormalLaw, check_exponent, depth_power
from kinetree.model import REQUIRED, Action, Force


def force(act: Action, element: Force, depth: Node, rate: Node) -> Node:
    """F of the felt."""
    share = depth_power(depth / act.value("depth"), element.arguments["exponent"])
    return act.value("force") * share * (1 + act.value("dissipation") * rate)


def check(arguments: Mapping[str, Any], element: str) -> None:
    """Refuse a reference that divides by zero."""
    check_exponent(arguments, element)
    depth = arguments["depth"]
    if isinstance(depth, int | float) and depth <= 0:
        raise ModelError(f"its depth is {depth}", element=element, cure="give it above 0")


LAW = NormalLaw(
    "felt",
    force,
    options={"force": REQUIRED, "depth": REQUIRED, "exponent": 2.5, "dissipation": 0},
    scalars=("force", "depth", "dissipation"),
    units={"force": "N", "depth": "m", "dissipation": "s/m"},
    check=check,
)
