"""What an estimate finds, and what all kinds of estimates share: what rows can tell."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kinetree.arrays import Array

TOLD = 1e-6
"""Singular value of columns of unit length, as a part of the largest, below which none is told."""
PASSES = 4
"""Times that the weights are found anew from the residuals."""


@dataclass(frozen=True)
class Estimate:
    """Values of base parameters.

    Attributes:
        x: values, in the order of the base parameters.
        covariance: of their errors; infinite where the data tell nothing.
        sigma: standard deviation of the errors of every equation.
        untold: combinations of base parameters that the data do not tell, one per row.
        sizes: lengths of the columns of the base parameters, by which those are compared.
        pi: values of all parameters, where the estimate finds them.
        pi_covariance: of their errors, with what the model says beforehand.
        facts: about the way; go into the attributes of the result.
        words: what is untold, one sentence each, where `untold` does not say it by itself.
    """

    x: Array
    covariance: Array
    sigma: Array
    untold: Array
    sizes: Array
    pi: Array | None = None
    pi_covariance: Array | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class ToldDirections:
    """Directions of x that rows A x = b tell, of columns scaled to unit length.

    Attributes:
        scale: lengths of the columns.
        U, s, Vt: singular values and vectors that are told.
        rest: directions that are not, in x.
        rows: A.
    """

    scale: Array
    U: Array
    s: Array
    Vt: Array
    rest: Array
    rows: Array

    @property
    def condition(self) -> float:
        """Largest singular value of A over the smallest."""
        values = np.linalg.svd(self.rows, compute_uv=False)
        return float(values[0] / values[-1]) if values[-1] > 0 else float("inf")

    def covariance(self, spread: float) -> Array:
        """(Aᵀ A)⁻¹ times the spread (eq. 9); infinite for what is not told."""
        root = self.Vt.T / self.s / self.scale[:, None]
        return self.infinite(spread * root @ root.T)

    def infinite(self, covariance: Array) -> Array:
        """A covariance with infinite variances of what is not told."""
        made = covariance.copy()
        lost = np.abs(self.rest * self.scale).max(axis=0, initial=0.0) > TOLD
        made[lost, lost] = np.inf
        return np.asarray(made)


def tell(A: Array) -> ToldDirections:
    """What rows A x = b tell of x."""
    scale = np.linalg.norm(A, axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    U, s, Vt = np.linalg.svd(A / scale, full_matrices=False)
    good = s > TOLD * s[0]
    return ToldDirections(scale, U[:, good], s[good], Vt[good], Vt[~good] / scale, A)
