"""Weighted least squares: Σ over equations of |y - W x|²/σ² is the least (eq. 8).

The σ of the equations are those of their residuals, found by turns with x.  With errors in what is
measured alone, no unbiased estimate has smaller ones (eq. 9); errors in q make it biased.
"""

from __future__ import annotations

import numpy as np

from kinetree.analysis.identifying.equations import FitEquations
from kinetree.analysis.identifying.estimate import PASSES, Estimate, tell
from kinetree.arrays import Array


def least_squares(rows: FitEquations, nominal: Array) -> Estimate:
    """The estimate; what the data do not tell keeps its nominal value.

    Args:
        rows: the equations.
        nominal: values of the base parameters in the model.
    """
    sigma = np.ones(rows.W.shape[1])
    for _ in range(PASSES):
        A, b = rows.weigh(sigma)
        told = tell(A)
        x = nominal + told.Vt.T @ ((told.U.T @ (b - A @ nominal)) / told.s) / told.scale
        sigma = rows.deviations(x)
    covariance = tell(rows.weigh(sigma)[0]).covariance(rows.spread)
    return Estimate(
        x, covariance, sigma, told.rest, told.scale, facts={"condition": told.condition}
    )
