"""Places inside a step, on the dense output by which they were seen, and their bars.

With the weights wⱼ(θ) of the dense output, over all rows that it takes, the end of the step and
further stages included,

    y(θ) = y + h Σⱼ wⱼ(θ) Kⱼ,  Yⱼ = y + h Σᵢ aⱼᵢ Kᵢ,  Kⱼ = f(t + cⱼ h, Yⱼ)
    K̄ⱼ = h (wⱼ(θ) λ + Σᵢ aᵢⱼ Ȳᵢ),  Ȳⱼ = (∂f/∂y)ᵀ K̄ⱼ,  last row first                     Eq. (S26)
    λ ← λ + Σⱼ Ȳⱼ,   p̄ ← p̄ + Σⱼ (∂f/∂p)ᵀ K̄ⱼ

so that what is seen between two steps has the derivatives of what is seen, as by the direct method.

Refs: Hairer1993 sec. II.6
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kinetree.arrays import Array

if TYPE_CHECKING:
    from kinetree.analysis.sensitivities.reverse import Reverse
    from kinetree.integrate.loops.tableaus import Tableau


@dataclass(frozen=True, eq=False)
class InsideStep:
    """A step, made once more with all that its dense output takes.

    Attributes:
        tableau: of the method.
        reverse: of the rates.
        t, h: its beginning and length [s].
        branches: what the rates are told of the branches of laws.
        places: states at which the rates are taken, one row each, the beginning first.
        slopes: the rates there.
    """

    tableau: Tableau
    reverse: Reverse
    t: float
    h: float
    branches: Mapping[str, Array]
    places: Array
    slopes: Array

    def state(self, t: float) -> Array:
        """The consistent state at a time inside [s]."""
        return self.reverse.made.system.project(t, self._raw(t))

    def _raw(self, t: float) -> Array:
        found: Array = self.places[0] + self.h * (self._weights(t) @ self.slopes)
        return found

    def _weights(self, t: float) -> Array:
        return np.array(self.tableau.dense_weights((t - self.t) / self.h))

    def pull(self, t: float, bar: Array, sums: Array) -> Array:
        """The bar of the state at the beginning from that at a time inside.

        Args:
            t: time [s].
            bar: of the consistent state then.
            sums: bars of what varies; grow.
        """
        reverse = self.reverse
        if reverse.turns:
            assert reverse.of_projection is not None
            found = reverse.call(reverse.of_projection, t, self._raw(t), bar)
            bar = found.y
            sums[:] += found.p
        weights, before = self._weights(t), self.tableau.before
        back = np.zeros_like(self.places)
        for j in reversed(range(len(weights))):
            weight = self.h * (weights[j] * bar + before[:, j] @ back)
            at = self.t + self.tableau.c[j] * self.h
            found = reverse.call(reverse.of_rates, at, self.places[j], weight, **self.branches)
            back[j] = found.y
            sums[:] += found.p
        pulled: Array = bar + back.sum(axis=0)
        return pulled


def inside_step(
    tableau: Tableau,
    reverse: Reverse,
    span: tuple[float, float],
    y: Array,
    branches: Mapping[str, Array],
) -> InsideStep:
    """A step of a run, to look inside.

    Args:
        tableau: of the method.
        reverse: of the rates.
        span: beginning and end [s].
        y: state at the beginning.
        branches: what the rates are told of the branches of laws.
    """
    t, h = span[0], span[1] - span[0]
    before, rates = tableau.before, reverse.made.system.rates
    places, slopes = np.zeros((tableau.rows, len(y))), np.zeros((tableau.rows, len(y)))
    for j, row in enumerate(before):
        places[j] = y + h * (row @ slopes)
        slopes[j] = rates(t + tableau.c[j] * h, places[j], **branches)
    return InsideStep(tableau, reverse, t, h, branches, places, slopes)
