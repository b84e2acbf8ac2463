"""How much a motion tells of parameters, from A = Σ Wᵀ W of its columns W.

| criterion | what is least |
|---|---|
| determinant | -log det A: the volume of the ellipsoid of errors |
| condition | ½ log (λ_max/λ_min) of A, the condition number of W |

Where eigenvalues meet, the largest and the smallest have no slope.  Power means of order p stand in
for them, which have one everywhere and are as near as p is large:

    ½ log (Σ λ^p)^(1/p) + ½ log (Σ λ^-p)^(1/p)
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kinetree.arrays import Array

Criterion = Callable[[Array], tuple[float, Array]]
"""A -> value, and its slopes by A (symmetric)."""
LEAST = 1e-13
"""Share of the largest eigenvalue that the others are taken to have at least."""


def _eigen(A: Array) -> tuple[Array, Array]:
    values, V = np.linalg.eigh(A)
    return np.maximum(values, LEAST * values[-1]), V


def determinant(A: Array) -> tuple[float, Array]:
    """-log det A and its slopes, -A⁻¹."""
    values, V = _eigen(A)
    return -float(np.log(values).sum()), -(V / values) @ V.T


def soft_condition(order: float) -> Criterion:
    """The condition number with power means of an order."""

    def value(A: Array) -> tuple[float, Array]:
        eigen, V = _eigen(A)
        high, low = (eigen / eigen[-1]) ** order, (eigen[0] / eigen) ** order
        top = np.log(eigen[-1]) + np.log(high.sum()) / order
        bottom = -np.log(eigen[0]) + np.log(low.sum()) / order
        slopes = 0.5 * (high / high.sum() - low / low.sum()) / eigen
        return 0.5 * float(top + bottom), (V * slopes) @ V.T

    return value


CRITERIA: dict[str, tuple[Criterion, ...]] = {
    "determinant": (determinant,),
    "condition": (determinant, soft_condition(2.0), soft_condition(12.0)),
}
"""Criterion -> what is minimised, one after the other."""
