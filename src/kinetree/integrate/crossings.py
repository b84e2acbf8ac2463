"""Events inside a step: times at which watched values change their sign, in order.

The interpolant of the step is sampled at a few places, so that two crossings inside one long step
are seen; each sign change is then closed in on by Brent's method.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from kinetree.arrays import Array
from kinetree.integrate.problem import Hit, Watch

TINY = 1e-300
"""Size of a value that is on a side of zero and as good as zero."""
SAMPLES = 5
"""Places inside a step at which signs are compared."""


def crossings(
    watched: Callable[[float, Array], Array],
    watches: Sequence[Watch],
    dense: Callable[[float], Array],
    step: tuple[float, float],
    sides: Array | None = None,
    also: Sequence[float] = (),
) -> list[Hit]:
    """The events of a step, its beginning excluded, in order of time.

    Args:
        watched: (t, y) -> values of all events.
        watches: their directions.
        dense: t -> y inside the step.
        step: its beginning and end [s].
        sides: signs to take for events whose value at the beginning is zero or says otherwise; 0
            leaves them as they are.
        also: more times inside the step at which signs are compared [s].
    """
    times = np.sort([*np.linspace(*step, SAMPLES), *also])
    values = np.array([watched(t, dense(t)) for t in times])
    values[0] = on_sides(values[0], sides)
    found = []
    for k, watch in enumerate(watches):
        g = values[:, k]
        for i in range(len(times) - 1):
            if crosses(g[i], g[i + 1], watch.direction):
                t = _root(watched, dense, k, (times[i], times[i + 1]))
                found.append(Hit(k, t, np.array(dense(t))))
    return sorted(found, key=lambda hit: hit.t)


def on_sides(values: Array, sides: Array | None) -> Array:
    """Values of events, those whose side of zero is known on it."""
    if sides is None:
        return values
    other = (sides != 0) & (values * sides <= 0)
    return np.where(other, sides * TINY, values)


def crosses(a: float, b: float, direction: int) -> bool:
    """Whether the value passes zero after the first sample; zero at the first one is no event."""
    rises, falls = a < 0 <= b, a > 0 >= b
    return bool(rises and direction >= 0) or bool(falls and direction <= 0)


def _root(
    watched: Callable[[float, Array], Array],
    dense: Callable[[float], Array],
    k: int,
    between: tuple[Any, Any],
) -> float:
    from scipy.optimize import brentq

    def value(t: float) -> float:
        return float(watched(t, dense(t))[k])

    a, b = float(between[0]), float(between[1])
    if value(a) * value(b) > 0:  # at the beginning it was as good as zero
        return float(np.nextafter(a, b))
    before, root = value(a), float(brentq(value, a, b, xtol=1e-14, rtol=1e-14))
    ahead = np.spacing(max(abs(a), abs(b)))
    while root < b and value(root) * before > 0:  # behind the zero, so it is not found again
        root, ahead = min(root + ahead, b), 2 * ahead
    return root
