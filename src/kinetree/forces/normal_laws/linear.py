"""Spring and damper: F = k δ + d δd, whose force jumps by d δd at touching.

| argument | meaning |
|---|---|
| stiffness | k [N/m] |
| damping | d [N.s/m] |
"""

from __future__ import annotations

from kinetree.engine import Node
from kinetree.forces.normal_laws.law import NormalLaw
from kinetree.model import REQUIRED, Action, Force


def force(act: Action, element: Force, depth: Node, rate: Node) -> Node:
    """F of the spring and the damper."""
    del element
    return act.value("stiffness") * depth + act.value("damping") * rate


LAW = NormalLaw(
    "linear",
    force,
    options={"stiffness": REQUIRED, "damping": 0},
    scalars=("stiffness", "damping"),
    units={"stiffness": "N/m", "damping": "N.s/m"},
)
