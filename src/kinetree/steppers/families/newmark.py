"""Newmark's method with dissipation ξ: second order at ξ = 0, first order below.

The spectral radius at infinite frequency is (1+ξ)/(1-ξ).

Refs: Cuadrado2003 table 2; Newmark1959
"""

from __future__ import annotations

from kinetree.engine import ZERO, Node, number
from kinetree.steppers.family import Basic, Family, Weights


def _weights(xi: Node) -> Weights:
    return Weights(ZERO, ZERO, number(0.5) - xi, 0.25 * (1 - xi) ** 2)


FAMILY = Family("newmark", Basic("xi", -0.1, -1.0, 0.0), _weights, order=1)
