"""Hunt and Crossley: F = k δ^e (1 + a δd), which begins and ends at zero.

| argument | meaning |
|---|---|
| stiffness, exponent | k [N/m^e] and e |
| dissipation | a [s/m]; 3/2 (1 - ε)/v gives a restitution ε near one at the speed v |

Refs: HuntCrossley1975
"""

from __future__ import annotations

from kinetree.engine import Node
from kinetree.forces.normal_laws.law import NormalLaw, check_exponent, depth_power
from kinetree.model import REQUIRED, Action, Force


def force(act: Action, element: Force, depth: Node, rate: Node) -> Node:
    """F of the hysteretic spring."""
    spring = act.value("stiffness") * depth_power(depth, element.arguments["exponent"])
    return spring * (1 + act.value("dissipation") * rate)


LAW = NormalLaw(
    "hunt_crossley",
    force,
    options={"stiffness": REQUIRED, "exponent": 1.5, "dissipation": 0},
    scalars=("stiffness", "dissipation"),
    units={"dissipation": "s/m"},
    check=check_exponent,
)
