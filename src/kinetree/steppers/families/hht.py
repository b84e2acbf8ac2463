"""Method of Hilber, Hughes and Taylor with force weight δf: second order.

The spectral radius at infinite frequency is (1-δf)/(1+δf).

Refs: Cuadrado2003 table 2; Hilber1977
"""

from __future__ import annotations

from kinetree.engine import ZERO, Node, number
from kinetree.steppers.family import Basic, Family, Weights


def _weights(delta: Node) -> Weights:
    return Weights(ZERO, delta, number(0.5) + delta, 0.25 * (1 + delta) ** 2)


FAMILY = Family("hht", Basic("delta_f", 0.05, 0.0, 1 / 3), _weights)
