"""How fast the equations are where they start, and the step that suits them.

The classical method of Runge and Kutta is stable up to h |λ| = 2.8 or so and gives five digits up
to 0.4, λ the largest eigenvalue of the rates by the states.  It is found from products with that
matrix alone, by differences of the rates (Arnoldi's method, Golub2013 sec. 10.5).

Refs: Golub2013 sec. 10.5; Hairer1996 sec. IV.2
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from kinetree.arrays import Array
from kinetree.export.equations import ModelPrograms

PRODUCTS = 24
"""Products with the matrix at most."""
SUITED = 0.4
"""h |λ| at which the method gives five digits of what decays or swings."""
SHARE = 1e-6
"""Differences of states, in shares of their size."""
LONGEST = 1e-3
"""Step where nothing asks for a shorter one [s]."""


def suited_step(found: ModelPrograms) -> float:
    """The longest step of 1, 2, 5, 10, … that suits the start, at most a millisecond [s]."""
    fastest = largest_rate(found)
    if not fastest * LONGEST > SUITED:
        return LONGEST
    exact = SUITED / fastest
    tens = 10.0 ** math.floor(math.log10(exact))
    factor = max(k for k in (1, 2, 5) if k * tens <= exact * (1 + 1e-9))
    return float(f"{factor * tens:.0e}")


def largest_rate(found: ModelPrograms) -> float:
    """|λ| of the fastest motion at the start [1/s]; 0 where nothing tells it."""
    moving = found.moving
    if not moving:
        return 0.0
    size = np.maximum(np.abs(found.start[moving]), 1.0)

    def rates(z: Array) -> Array:
        y = found.start.copy()
        y[moving] += size * z
        given = {"t": found.t0, "y": y, "u": np.array(found.inputs)}
        names = {row.name for row in found.main.inputs}
        out = found.main.evaluate(**{k: v for k, v in given.items() if k in names})
        yd: Array = np.asarray(out["yd"], dtype=float)[moving] / size
        return yd

    with np.errstate(all="ignore"):
        return _largest(rates, len(moving))


def _largest(rates: Callable[[Array], Array], n: int) -> float:
    """The size of the largest eigenvalue of the derivative of a function at zero."""
    before = rates(np.zeros(n))
    steps = min(n, PRODUCTS)
    V, H = np.zeros((steps + 1, n)), np.zeros((steps + 1, steps))
    V[0] = np.cos(1.0 + np.arange(n))  # belongs to no special case
    V[0] /= np.linalg.norm(V[0])
    for k in range(steps):
        w = (rates(SHARE * V[k]) - before) / SHARE
        if not np.isfinite(w).all():
            return 0.0
        for _ in range(2):  # once more: rounding
            part = V[: k + 1] @ w
            H[: k + 1, k] += part
            w = w - part @ V[: k + 1]
        H[k + 1, k] = np.linalg.norm(w)
        if H[k + 1, k] <= 1e-9 * np.abs(H).max():
            return float(np.abs(np.linalg.eigvals(H[: k + 1, : k + 1])).max())
        V[k + 1] = w / H[k + 1, k]
    return float(np.abs(np.linalg.eigvals(H[:steps, :steps])).max())
