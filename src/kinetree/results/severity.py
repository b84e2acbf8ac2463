"""The Acceleration Severity Index of a crash, by both definitions of EN 1317-1.

    ASI = max over t of √((a_x/12 g)² + (a_y/9 g)² + (a_z/10 g)²),   g = 9.81 m/s²

of accelerations that are filtered first: "1998", means over a moving window of 50 ms; "2010", a
low-pass of Butterworth of second order at 13 Hz, run forward and backward.  Before and behind the
record the accelerations count as zero.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from kinetree.arguments import check_arguments, check_choice
from kinetree.arrays import Array
from kinetree.errors import ShapeError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

GRAVITY = 9.81
LIMITS = np.array([12.0, 9.0, 10.0]) * GRAVITY
"""Of the accelerations along x, y, z [m/s²]."""
WINDOW, CUT = 0.05, 13.0
"""Of the means [s]; of the low-pass [Hz]."""
PADDED = 0.5
"""Rest before and behind the record [s]."""
EVEN = 1e-6
"""Part of a step by which steps may differ."""


def severity_index(time: ArrayLike, acceleration: ArrayLike, standard: str = "2010") -> float:
    """The Acceleration Severity Index of a record.

    Args:
        time: of equal steps [s].
        acceleration: along x, or along x, y and z in columns [m/s²].
        standard: "1998" or "2010", the year of EN 1317-1 whose filter is used.
    """
    check_arguments(severity_index, locals())
    check_choice("standard", standard, tuple(FILTERS))
    t, a = np.asarray(time, dtype=float), np.asarray(acceleration, dtype=float)
    steps = np.diff(t)
    if a.ndim == 1:
        a = a[:, None]
    if t.ndim != 1 or a.ndim != 2 or a.shape[0] != t.size or a.shape[1] > 3 or t.size < 2:
        raise ShapeError(
            f"the time has the shape {t.shape} and the acceleration {np.shape(acceleration)}",
            element="severity_index",
            cure="give one row per time, with one to three columns",
        )
    h = float(steps.mean())
    if h <= 0 or np.abs(steps - h).max() > EVEN * h:
        raise ShapeError(
            "its times are not in equal steps", element="severity_index", cure="give step="
        )
    smooth = apply_filter(a, h, standard)
    return float(np.sqrt(((smooth / LIMITS[: a.shape[1]]) ** 2).sum(axis=1)).max())


def apply_filter(a: Array, h: float, standard: str) -> Array:
    """Accelerations in equal steps h [s], one column per direction, as a standard filters them.

    The filter is linear, and what it gives begins before the record and ends behind it.
    """
    rest = np.zeros((round(PADDED / h), a.shape[1]))
    return FILTERS[standard](np.vstack([rest, a, rest]), h)


def _means(a: Array, h: float) -> Array:
    """Means over a moving window, by the trapezoidal rule."""
    count = max(1, round(WINDOW / h))
    whole = np.vstack([np.zeros(a.shape[1]), np.cumsum((a[1:] + a[:-1]) / 2 * h, axis=0)])
    return np.asarray((whole[count:] - whole[:-count]) / (count * h))


def _low_pass(a: Array, h: float) -> Array:
    """A low-pass without phase: second order, forward and backward."""
    from scipy.signal import butter, filtfilt  # loaded where it is used

    return np.asarray(filtfilt(*butter(2, 2 * CUT * h), a, axis=0))


FILTERS: dict[str, Callable[[Array, float], Array]] = {"1998": _means, "2010": _low_pass}
