"""Values, slopes and integrals between equal steps, as weights of the values at the steps.

Between two steps an expression is the cubic through the four steps around; so a sample, a slope
and an integral are sums over steps, and their derivatives are the same sums of derivatives.
"""

from __future__ import annotations

import numpy as np
from numpy.polynomial import Polynomial

from kinetree.arrays import Array

POINTS = 4
"""Steps that a cubic goes through."""
NEAR = 1e-9
"""Distance from a step that is rounding, in steps."""


def _around(count: int, place: float) -> tuple[int, int]:
    """The first step of the cubic at a place, counted in steps, and how many there are."""
    points = min(POINTS, count)
    first = int(np.floor(place)) - (points - 2) // 2
    return int(np.clip(first, 0, count - points)), points


def _lagrange(points: int) -> list[Polynomial]:
    """Polynomials that are 1 at one of the points 0, 1, … and 0 at the others."""
    found = []
    for i in range(points):
        others = [j for j in range(points) if j != i]
        line = Polynomial.fromroots(others) if others else Polynomial([1.0])
        found.append(line / line(i))
    return found


def sample_weights(count: int, place: float, *, order: int = 0) -> Array:
    """Weights of the value at a place, or of its slope per step.

    Args:
        count: values at steps.
        place: counted in steps from the first.
        order: 0 for the value, 1 for the slope.
    """
    weights = np.zeros(count)
    first, points = _around(count, place)
    whole = round(place)
    if order == 0 and abs(place - whole) < NEAR:
        weights[whole] = 1.0
        return weights
    for k, line in enumerate(_lagrange(points)):
        weights[first + k] = (line.deriv(order) if order else line)(place - first)
    return weights


def integral_weights(count: int) -> Array:
    """Weights of the integral over all steps, of length 1 each."""
    weights = np.zeros(count)
    rows: dict[int, list[float]] = {}
    for k in range(count - 1):
        first, points = _around(count, k + 0.5)
        if k - first not in rows:
            lines = [line.integ() for line in _lagrange(points)]
            rows[k - first] = [float(a(k - first + 1) - a(k - first)) for a in lines]
        weights[first : first + points] += rows[k - first]
    return weights


def peak_place(values: Array) -> float:
    """Where the largest value is, counted in steps."""
    k, count = int(np.argmax(values)), len(values)
    best, place = float(values[k]), float(k)
    for low in (k - 1, k):
        if not 0 <= low < count - 1:
            continue
        first, points = _around(count, low + 0.5)
        around = values[first : first + points]
        line = sum((v * p for v, p in zip(around, _lagrange(points), strict=True)), Polynomial([0]))
        for root in np.atleast_1d(line.deriv().roots()):
            if abs(root.imag) < 1e-9 and low <= root.real + first <= low + 1:
                value = float(line(root.real))
                if value > best:
                    best, place = value, float(root.real) + first
    return place
