"""Pseudo-transient continuation: follow x' = h(x) to where it comes to rest.

A linear-implicit Euler step of length δ solves (D/δ - J) s = h, where D tells which unknowns have
a rate and which equations give it; the others are solved for at once.  Short steps go downhill as
the flow does, from starts where Newton's step leads nowhere; long ones are Newton's.  δ grows while
the residual falls and shrinks as it rises, so stiff and soft directions, stops and contacts that
close on the way do not end it.

Refs: Kelley1998 (switched evolution relaxation)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kinetree.arrays import Array
from kinetree.solve.newton import Solution, regular_solution

EPS = float(np.finfo(float).eps)
FIRST = 1e-4
"""Length of the first step [s2: along accelerations]."""
LONGEST = 0.1
"""Longest component of a step that has a rate."""
GROWTH = 3.0
"""Factor of δ while the residual falls."""
SHRINK = 0.02
"""Least factor of δ where it rises."""
PATIENCE = 200
"""Steps in a row without a new least residual after which the flow leads nowhere."""


def relax(
    function: Callable[[Any], tuple[Array, Array]],
    start: Any,
    move: Callable[[Any, Array], Any],
    rates: Array,
    *,
    tolerance: float,
    steps: int = 2000,
) -> Solution:
    """The point of rest that the flow from `start` leads to.

    Args:
        function: x -> (h, J), J by the components of a step.
        start: first x.
        move: (x, step) -> x moved by the step.
        rates: D: 1 where the equation of a row is the rate of the unknown of a column, else 0.
        tolerance: on every |h|.
        steps: most steps, those that were too long included.
    """
    x, delta = start, FIRST
    h, J = function(x)
    flowing = rates.any(axis=0)
    least, since = np.inf, 0
    for taken in range(steps):
        size = float(np.abs(h).max(initial=0.0))
        if size <= tolerance:
            return Solution(x, h, taken, True, False)
        least, since = (size, taken) if size < 0.99 * least else (least, since)
        if taken - since > PATIENCE:
            return Solution(x, h, taken, False, True)
        step = _solution(rates / delta - J, h)
        longest = float(np.abs(step[flowing]).max(initial=0.0))
        if longest > LONGEST:
            delta *= max(0.1, 0.5 * LONGEST / longest)
            continue
        tried = move(x, step)
        h_new, J_new = function(tried)
        if not (np.isfinite(h_new).all() and np.isfinite(J_new).all()):
            delta *= 0.1
            continue
        before, after = np.linalg.norm(h), np.linalg.norm(h_new)
        delta *= GROWTH if after < before else max(SHRINK, float(before / after))
        x, h, J = tried, h_new, J_new
    return Solution(x, h, steps, False, False)


def _solution(A: Array, b: Array) -> Array:
    """A x = b, in the least-squares sense where A is not regular."""
    found = regular_solution(A, b, EPS)
    return np.asarray(np.linalg.lstsq(A, b, rcond=None)[0], float) if found is None else found
