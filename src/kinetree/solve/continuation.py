"""Continuation: a solution along a path from where nothing is solved.

H(x, s) = h(x) - (1 - s) h(x0) is zero at x0 for s = 0, and where h is for s = 1.  The path between
is followed by its tangent and corrected at right angles to it, so that it may turn back in s on the
way, where a damped iteration stays in the hollow of a residual.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kinetree.arrays import Array

STEPS, CORRECTIONS = 2000, 6
"""Steps along the path, and corrections of each, at most."""
FIRST, LONGEST, SHORTEST = 0.05, 1.0, 1e-8
"""Length of the first step, and of the longest and the shortest one."""
NEAR = 1e-8
"""Largest residual on the path, in shares of the function's own scale."""


def follow_path(function: Callable[[Array], tuple[Array, Array]], start: Array) -> Array | None:
    """Where the path from `start` reaches h = 0; None where it does not.

    Args:
        function: x -> (h, dh/dx); its rows have about the size of 1.
        start: where the path begins.
    """
    h0, _ = function(start)
    z, step = np.append(start, 0.0), FIRST
    along = _tangent(function, z, h0)
    if along is None:
        return None
    along = along if along[-1] > 0 else -along
    for _ in range(STEPS):
        new = _correct(function, z + step * along, h0)
        if new is None:
            step /= 4
            if step < SHORTEST:
                return None
            continue
        if new[-1] >= 1.0:  # between both is the end; the last iteration is the caller's
            share = (1.0 - z[-1]) / (new[-1] - z[-1])
            return np.asarray((z + share * (new - z))[:-1])
        onward = _tangent(function, new, h0)
        if onward is None:
            return None
        turned = float(onward @ along)
        along = onward if turned > 0 else -onward
        z, step = new, min(LONGEST, 1.5 * step if abs(turned) > 0.95 else 0.5 * step)
        if step < SHORTEST:
            return None
    return None


def _whole(
    function: Callable[[Array], tuple[Array, Array]], z: Array, h0: Array
) -> tuple[Array, Array]:
    """H and its derivatives by x and s."""
    h, J = function(z[:-1])
    return h - (1.0 - z[-1]) * h0, np.column_stack([J, h0])


def _tangent(function: Callable[[Array], tuple[Array, Array]], z: Array, h0: Array) -> Array | None:
    """The direction of the path, of length 1; None where it has none."""
    _, G = _whole(function, z, h0)
    if not np.isfinite(G).all():
        return None
    return np.asarray(np.linalg.svd(G)[2][-1])


def _correct(function: Callable[[Array], tuple[Array, Array]], z: Array, h0: Array) -> Array | None:
    """The point of the path next to z; None where the iteration does not find it."""
    for _ in range(CORRECTIONS):
        H, G = _whole(function, z, h0)
        if not (np.isfinite(H).all() and np.isfinite(G).all()):
            return None
        if np.abs(H).max() <= NEAR:
            return z
        z = z - np.linalg.lstsq(G, H, rcond=None)[0]
    return None
