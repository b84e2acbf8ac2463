"""Ranges of gains that slopes at the values found do not tell.

With a gain held, the others and the parameters are found anew; the range is where the sum of
squares is at most χ² above the least (eq. 25).  Where a deviation is a large share of a gain this
is longer on one side, and may have no end.

Refs: Venzon1988
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kinetree.arrays import Array

if TYPE_CHECKING:
    from kinetree.analysis.identifying.gains import GainSearch

LEVEL = 3.8414588
"""χ² of one value below which 95 % lie."""
NORMAL = LEVEL**0.5
"""Deviations within which 95 % lie."""
STEP, FAR = 1.3, 1e4
"""Factor from one trial to the next, and that at which a range is taken to have no end."""
HALVINGS, ROUNDS = 8, 12
"""Of the last step to the end of the range; of the method at every trial."""
ROUNDING = 1e-11
"""Share of the largest singular value below which one is rounding."""
SETTLED = 1e-3
"""Share of χ² below which a fall does not count."""


def gain_range(search: GainSearch, number: int) -> tuple[float, float]:
    """Smallest and largest gain that the data allow [N.m/A or N/A]; 0 and infinite where no end.

    Args:
        search: that has found the gains.
        number: of the gain.
    """
    g = float(search.g[number])
    ends = [_end(search, number, way) for way in (STEP, 1.0 / STEP)]
    least, most = (1.0 / (abs(g) * end) if end else np.inf for end in ends)
    return (least, most) if g > 0 else (-most, -least)


def _end(search: GainSearch, number: int, way: float) -> float:
    """Factor of 1/gain at the end of the range on one side; infinite or 0 where it has none."""
    x, g = search.x.copy(), search.g.copy()
    limit = _squares(search, x, g) + LEVEL * search.rows.spread
    inside, outside = 1.0, way
    while True:
        moved = _hold(search, x, g, number, search.g[number] * outside)
        if _squares(search, *moved) > limit:
            break
        (x, g), inside, outside = moved, outside, outside * way
        if not 1 / FAR < outside < FAR:
            return np.inf if way > 1 else 0.0
    for _ in range(HALVINGS):
        middle = (inside * outside) ** 0.5
        moved = _hold(search, x, g, number, search.g[number] * middle)
        if _squares(search, *moved) > limit:
            outside = middle
        else:
            (x, g), inside = moved, middle
    return inside


def _hold(search: GainSearch, x: Array, g: Array, number: int, held: float) -> tuple[Array, Array]:
    """Parameters and gains with which one gain that is held explains the data best."""
    n, g = len(x), g.copy()
    g[number] = held
    others = [n + k for k in range(len(g)) if k != number]
    x = x + _step(search, x, g, range(n))[:n]  # given all gains, this is one linear problem
    for _ in range(ROUNDS):
        before, step = _squares(search, x, g), _step(search, x, g, [*range(n), *others])
        for shorter in 0.5 ** np.arange(HALVINGS):
            gains = g + shorter * step[n:]
            if (gains * g <= 0).any():
                continue
            values = x + _step(search, x, gains, range(n))[:n]
            if _squares(search, values, gains) < before:
                x, g = values, gains
                break
        if before - _squares(search, x, g) < SETTLED * LEVEL * search.rows.spread:
            break
    return x, g


def _step(search: GainSearch, x: Array, g: Array, free: Sequence[int]) -> Array:
    """Changes of x and g after which slopes promise the least sum of squares."""
    J, step = search.slopes_at(x, g)[:, list(free)], np.zeros(len(x) + len(g))
    size = np.maximum(np.linalg.norm(J, axis=0), 1e-300)
    step[list(free)] = np.linalg.lstsq(J / size, search.residuals(x, g), rcond=ROUNDING)[0] / size
    return step


def _squares(search: GainSearch, x: Array, g: Array) -> float:
    r = search.residuals(x, g)
    return float(r @ r)
