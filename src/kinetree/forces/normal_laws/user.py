"""A law of one's own: F as an expression of `depth` [m] and `rate` [m/s], a table included.

Bodies never pull: what the law gives below zero counts as zero.
"""

from __future__ import annotations

from kinetree.engine import Node
from kinetree.forces.normal_laws.law import NormalLaw
from kinetree.model import REQUIRED, Action, Force


def force(act: Action, element: Force, depth: Node, rate: Node) -> Node:
    """F of the law."""
    del element
    return act.law("law", depth=depth, rate=rate)


LAW = NormalLaw("law", force, options={"law": REQUIRED}, laws=("law",))
