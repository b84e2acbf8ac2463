"""Least forces between bounds: the nearest point of a polyhedron to the origin.

    minimise Σ τ²/w   with   A τ = b,   lower ≤ τ ≤ upper

With s = τ/√w and the least s* of A τ = b, every solution is s* + N z, N spanning the null space of
A √w, and Σ τ²/w = |s*|² + |z|².  So the least z with G z ≥ h is wanted: least distance programming,
which non-negative least squares solves exactly.  Where there is no solution, the same computation
gives the bounds that contradict each other.

Refs: LawsonHanson1974 ch. 23
"""

from __future__ import annotations

import numpy as np

from kinetree.arrays import Array

NOTHING = 1e-8
"""Residual of the non-negative least squares below which there is no solution."""
SLACK = 1e-9
"""How far a bound may be passed by rounding, relative to the largest force."""


def within(tau: Array, lower: Array, upper: Array) -> bool:
    """Whether forces keep their bounds up to rounding."""
    slack = SLACK * (1 + float(np.abs(tau).max(initial=0.0)))
    return bool((tau >= lower - slack).all() and (tau <= upper + slack).all())


def least_between(
    A: Array, tau: Array, weights: Array, bounds: tuple[Array, Array]
) -> tuple[Array | None, tuple[int, ...]]:
    """The least forces between bounds.

    Args:
        A: n × m, what the forces do, n < m, of full rank.
        tau: the least forces without bounds, so that b = A tau.
        weights: w of every force, above zero.
        bounds: lower and upper ones, infinite where there is none.

    Returns:
        (forces, nothing), or (None, numbers of the forces whose bounds contradict each other).
    """
    if within(tau, *bounds):
        return tau, ()
    root = np.sqrt(weights)
    N = _null_space(A * root) * root[:, None]  # τ = tau + N z
    size = float(np.abs(tau).max(initial=0.0)) + 1.0
    rows = [(sign * N[k], sign * (bound[k] - tau[k]) / size, k)
            for sign, bound in ((1.0, bounds[0]), (-1.0, bounds[1]))
            for k in range(len(tau)) if np.isfinite(bound[k])]  # fmt: skip
    z, guilty = _least_distance(
        np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    )
    if z is None:
        return None, tuple(sorted({rows[i][2] for i in guilty}))
    return np.clip(tau + size * (N @ z), *bounds), ()


def _null_space(A: Array) -> Array:
    """Columns that span what A makes zero, A of full rank."""
    Q, _ = np.linalg.qr(A.T, mode="complete")
    return np.asarray(Q[:, len(A) :])


def _least_distance(G: Array, h: Array) -> tuple[Array | None, tuple[int, ...]]:
    """The least z with G z ≥ h; or the numbers of the rows that contradict each other."""
    from scipy.optimize import nnls

    n = G.shape[1]
    E, f = np.vstack([G.T, h]), np.append(np.zeros(n), 1.0)
    u, size = nnls(E, f)
    if size < NOTHING:
        return None, tuple(int(i) for i in np.flatnonzero(u > NOTHING * u.max()))
    r = E @ u - f
    return -r[:n] / r[n], ()
