"""Trapezoidal rule: average acceleration, second order, no dissipation.

Refs: Cuadrado2003 eqs. 21 to 24
"""

from __future__ import annotations

from kinetree.engine import ZERO, Node, number
from kinetree.steppers.family import Family, Weights


def _weights(_: Node) -> Weights:
    return Weights(ZERO, ZERO, number(0.5), number(0.25))


FAMILY = Family("trapezoidal", weights=_weights)
