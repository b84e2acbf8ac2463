"""Generalised-α method with the spectral radius ρ at infinite frequency: second order.

Refs: Cuadrado2003 table 2; Chung1993
"""

from __future__ import annotations

from kinetree.engine import Node, number
from kinetree.steppers.family import Basic, Family, Weights


def _weights(rho: Node) -> Weights:
    shared = 1 / (rho + 1)
    inertia, force = (2 * rho - 1) * shared, rho * shared
    return Weights(inertia, force, number(0.5) - inertia + force, 0.25 * (1 + force - inertia) ** 2)


FAMILY = Family("generalised_alpha", Basic("rho_inf", 0.8, 0.0, 1.0), _weights)
