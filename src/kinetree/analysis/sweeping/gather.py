"""Measures of many runs at once, from values of their expressions at equal steps.

Between two steps an expression is the cubic through the four steps around, as in sensitivities of
equal steps; here the runs of a block stand side by side.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kinetree.analysis.sensitivities.stepping.stencils import integral_weights, sample_weights
from kinetree.arrays import Array
from kinetree.errors import ModelError
from kinetree.measures import Measure, Sighting

NEAR = 1e-9
"""Share of the length of a run that is rounding."""
CUBIC = np.linalg.inv(np.vander(np.arange(4.0), 4, increasing=True))
"""Coefficients of the cubic through values at 0, 1, 2, 3: c = CUBIC · values."""


def gather_runs(measures: Mapping[str, Measure], e: Array, times: Array) -> dict[str, Array]:
    """The value of every measure of every run.

    Args:
        measures: by name.
        e: their expressions: run × time × measure.
        times: equal steps [s].
    """
    return {
        name: _gather(measure, name, e[:, :, k], times)
        for k, (name, measure) in enumerate(measures.items())
    }


def _gather(measure: Measure, name: str, e: Array, times: Array) -> Array:
    t0, end, count = float(times[0]), float(times[-1]), len(times)
    h = (end - t0) / max(1, count - 1)
    samples = peaks(e)[:, None] if measure.peaks else _samples(measure, name, e, times)
    integrals = np.zeros(len(e))
    if measure.power:
        integrals = h * (e**measure.power @ integral_weights(count))
    rows = zip(samples, integrals.tolist(), strict=True)
    return np.array([measure.gather(Sighting(t0, end, row, total)).value for row, total in rows])


def _samples(measure: Measure, name: str, e: Array, times: Array) -> Array:
    """Values at the times at which a measure looks: run × time."""
    t0, end, count = float(times[0]), float(times[-1]), len(times)
    check_times(name, measure, t0, end)
    places = (measure.times(end) - t0) / (end - t0) * (count - 1)
    weights = np.array([sample_weights(count, float(x)) for x in places]).reshape(-1, count)
    return np.asarray(e @ weights.T)


def check_times(name: str, measure: Measure, t0: float, end: float) -> None:
    """Refuse a measure that looks at times at which the runs are not [s]."""
    looked, near = measure.times(end), NEAR * (end - t0)
    if len(looked) and not (looked.min() >= t0 - near and looked.max() <= end + near):
        raise ModelError(
            f"the runs last from t = {t0:.6g} s to {end:.6g} s",
            element=f"measure '{name}'",
            cure="measure inside them, or make them longer",
        )


def peaks(e: Array) -> Array:
    """The largest value of every run, between steps as well."""
    count, rows = e.shape[1], np.arange(len(e))
    top = e.argmax(axis=1)
    best = e[rows, top]
    if count < 4:
        return np.asarray(best)
    for low in (top - 1, top):  # the intervals on both sides of the largest step
        inside = (low >= 0) & (low < count - 1)
        first = np.clip(low - 1, 0, count - 4)
        c = e[rows[:, None], first[:, None] + np.arange(4)] @ CUBIC.T
        # extrema of the cubic: c₁ + 2 c₂ s + 3 c₃ s² = 0
        with np.errstate(all="ignore"):
            root = np.sqrt(c[:, 2] ** 2 - 3 * c[:, 3] * c[:, 1])
            ends = [(-c[:, 2] + root) / (3 * c[:, 3]), (-c[:, 2] - root) / (3 * c[:, 3]),
                    -c[:, 1] / (2 * c[:, 2])]  # fmt: skip
            for s in ends:
                good = inside & (s >= low - first) & (s <= low - first + 1)
                value = c[:, 0] + s * (c[:, 1] + s * (c[:, 2] + s * c[:, 3]))
                straight = (c[:, 3] == 0) if s is ends[2] else np.ones(len(e), dtype=bool)
                best = np.where(good & straight & (value > best), value, best)
    return np.asarray(best)
