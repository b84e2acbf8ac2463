"""What frictions whose force is a law have in common: brakes, clutches, struts, any speed.

    slides: force = ∓capacity        sticks: no relative acceleration, |force| ≤ static·capacity

with the capacity, a law of q, qd, t, x, counted as zero where it is negative.  The mode of a
friction is a user state of the name of the force, unless another is given; events alone change it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.arguments import show
from kinetree.engine import Node, maximum
from kinetree.errors import ModelError
from kinetree.model import REQUIRED, Action

OPTIONS: dict[str, Any] = {"mode": REQUIRED, "force": REQUIRED, "static": 1, "viscous": 0}
"""Arguments of all of them, beside where they act."""


def read_bounds(act: Action) -> tuple[Node, Node]:
    """Forces of sliding and of breaking away."""
    coulomb = act.let("capacity", maximum(act.law("force"), 0))
    return coulomb, act.let("breakaway", maximum(act.value("static"), 1) * coulomb)


def check(given: Mapping[str, Any], element: str) -> None:
    """Its mode has a name, and sticking bears no less than sliding."""
    mode, static = given["mode"], given["static"]
    if not isinstance(mode, str):
        raise ModelError(f"its mode is {show(mode)}", element=element, cure="give a name")
    if not isinstance(static, Node) and static < 1:
        raise ModelError(
            f"its static is {static}: sticking bears less than sliding",
            element=element,
            cure="give 1 or more, the ratio of the two forces",
        )
