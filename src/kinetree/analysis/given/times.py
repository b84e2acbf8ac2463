"""Times at which results are wanted."""

from __future__ import annotations

import numpy as np

from kinetree.arguments import check_positive
from kinetree.arrays import Array

INTERVALS = 500
"""Output intervals of a run where the user does not say."""


def output_times(t0: float, duration: float, step: float | None) -> Array:
    """Times at which results are wanted, the end included [s]."""
    check_positive("a positive time in seconds", duration=duration)
    if not step:
        return np.linspace(t0, t0 + duration, INTERVALS + 1, dtype=np.float64)
    check_positive("0 or a positive time in seconds", step=step)
    count = int(np.floor(duration / step * (1 + 1e-12)))
    times = np.arange(count + 1, dtype=np.float64)
    times *= step
    times += t0
    end = t0 + duration
    if end - times[-1] > 1e-9 * step:
        return np.append(times, end)
    times[-1] = end
    return times
