"""How far an expression is from data: the weighted sum of squares at given times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from kinetree.arguments import is_finite, is_row, show
from kinetree.arrays import Array
from kinetree.errors import ShapeError
from kinetree.measures.measure import NONE, Expression, Gathered, Measure, Sighting


@dataclass(frozen=True, eq=False)
class Misfit(Measure):
    """Σ wᵢ (e(tᵢ) - dᵢ)²; times in seconds."""

    at: Array = field(default_factory=lambda: NONE)
    data: Array = field(default_factory=lambda: NONE)
    weights: Array = field(default_factory=lambda: NONE)

    def times(self, end: float) -> Array:
        """The times of the data."""
        del end
        return self.at

    def gather(self, seen: Sighting) -> Gathered:
        """V = Σ w r²."""
        r = seen.samples - self.data
        value, slopes = float(self.weights @ (r * r)), 2 * self.weights * r
        return Gathered(value, slopes, curved_samples=2 * self.weights)

    def residuals(self, samples: Array) -> tuple[Array, Array]:
        """√w r, whose sum of squares it is, and their slopes by the samples."""
        root = np.sqrt(self.weights)
        return root * (samples - self.data), root


def misfit(
    of: Expression,
    t: Sequence[float] | Array,
    data: Sequence[float] | Array,
    weights: Sequence[float] | Array | float = 1.0,
) -> Misfit:
    """The weighted sum of squares of what an expression is off from data.

    Args:
        of: as of `final`.
        t: times of the data, rising [s].
        data: one value per time, in the unit of the expression.
        weights: of the squares, one for all or one per time.
    """
    size = np.size(t)
    for name, values in (("t", t), ("data", data)):
        if not is_row(values) or np.size(values) != size or not size:
            raise ShapeError(
                "it must be finite numbers, as many as there are times",
                element=f"misfit, {name}",
                cure="leave out rows that have gaps",
            )
    if not (is_finite(weights) or is_row(weights)) or np.size(weights) not in (1, size):
        raise ShapeError(
            f"they are {show(weights)}",
            element="misfit, weights",
            cure="give one positive number, or one per time",
        )
    times = np.array(t, dtype=float)
    spread = np.array(np.broadcast_to(np.asarray(weights, dtype=float), (size,)))
    if (np.diff(times) <= 0).any() or not np.isfinite(spread).all() or (spread < 0).any():
        raise ShapeError(
            "times must rise, and weights must be positive numbers",
            element="misfit",
            cure="sort the data by time, and average what has the same time",
        )
    return Misfit(of, times, np.array(data, dtype=float), spread)
