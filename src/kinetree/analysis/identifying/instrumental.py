"""Instrumental variables: Zᵀ (y - W x)/σ² = 0, with Z the columns along another motion (eq. 12).

Errors in q stand in W, so that least squares is biased; they do not stand in the columns along the
motion that was planned, or along a second recording of the same plan.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kinetree.analysis.identifying.equations import FitEquations
from kinetree.analysis.identifying.estimate import PASSES, Estimate, tell
from kinetree.analysis.identifying.filtering import RecordedPiece, cut, turn_rates
from kinetree.analysis.identifying.least_squares import least_squares
from kinetree.arrays import Array
from kinetree.errors import ModelError

WEAK = 1e-10
"""Share of the largest singular value of ZᵀW below which instruments tell nothing."""

if TYPE_CHECKING:
    from kinetree.analysis.identifying.columns import ParameterColumns
    from kinetree.analysis.identifying.data.recordings import RecordedMotion


def along_plan(
    table: ParameterColumns, plan: RecordedMotion, piece: RecordedPiece
) -> RecordedPiece:
    """A piece with the motion of a plan at the same times."""
    from scipy.interpolate import CubicSpline

    whole = turn_rates(table, plan, cut(plan, 0.0)[0][0])
    if whole.time[0] > piece.time[0] + 1e-9 or whole.time[-1] < piece.time[-1] - 1e-9:
        raise ModelError(
            f"it goes from {whole.time[0]:.6g} to {whole.time[-1]:.6g} s",
            element="instruments",
            cure=f"give it from {piece.time[0]:.6g} to {piece.time[-1]:.6g} s",
        )
    q, qd, qdd = (
        CubicSpline(whole.time, rows)(piece.time) for rows in (whole.q, whole.qd, whole.qdd)
    )
    return replace(piece, q=q, qd=qd, qdd=qdd)


def instrumental(rows: FitEquations, nominal: Array) -> Estimate:
    """The estimate by instruments.

    Args:
        rows: the equations, with Z.
        nominal: values of the base parameters in the model.
    """
    if rows.Z is None:
        raise ModelError(
            "there are no instruments",
            element="method 'instrumental'",
            cure="give instruments=, the motion that was planned, or a second recording of it",
        )
    first = least_squares(rows, nominal)
    sigma = first.sigma
    Z, W, y = (table[rows.in_fit] for table in (rows.Z, rows.W, rows.y - rows.W @ nominal))
    told = tell((Z / sigma[:, None]).reshape(-1, len(nominal)))
    ways = told.Vt.T / told.scale[:, None]  # x - nominal = ways c: what the plan excites
    ZV, WV = Z @ ways, W @ ways
    ZW, ZZ = (np.einsum("tip,tiq->ipq", ZV, table) for table in (WV, ZV))
    Zy = np.einsum("tip,ti->ip", ZV, y)
    for _ in range(PASSES):
        cross = np.tensordot(sigma**-2.0, ZW, 1)
        _refuse_weak(cross)
        x = nominal + ways @ np.linalg.solve(cross, sigma**-2.0 @ Zy)
        sigma = rows.deviations(x)
    half = ways @ np.linalg.inv(cross)
    covariance = rows.spread * half @ np.tensordot(sigma**-2.0, ZZ, 1) @ half.T
    return Estimate(x, told.infinite(covariance), sigma, told.rest, told.scale, facts=first.facts)


def _refuse_weak(cross: Array) -> None:
    """Refuse instruments that have nothing in common with the motion."""
    if np.linalg.cond(cross) > 1 / WEAK:
        raise ModelError(
            "the motion tells too little of the parameters",
            element="instruments",
            cure="plan it by kt.excite, or leave parameters out",
        )
