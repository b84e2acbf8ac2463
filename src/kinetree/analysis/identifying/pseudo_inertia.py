"""Ten standard parameters of a body as a 4 × 4 matrix, and as ten numbers without bounds.

The pseudo-inertia of a body with the density ρ is P = ∫ ρ [x; 1][x; 1]ᵀ dV, that is

    P = [[Σ, h], [hᵀ, m]]        Σ = ½ tr(I) 1 - I

with m the mass, h the first moment and I the inertia about the origin.  A body can exist when P is
positive definite (theory/identification, eq. 10).  P = U Uᵀ with U upper triangular and a positive
diagonal, whose logarithms and other elements are ten numbers without bounds (eq. 14).

Refs: Wensing2018; Rucker2022
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kinetree.arrays import Array

SIZE = 10
"""Parameters of a body: m, h_x, h_y, h_z, I_xx, I_yy, I_zz, I_xy, I_xz, I_yz."""
RADIUS = 0.05
"""Radius of gyration [m] that a body is thought to have whose inertia is not given."""
LEAST = 1e-3
"""Share of the largest radius of gyration below which the smallest one is not believed."""


def _basis() -> Array:
    """P of every unit parameter: 10 × 4 × 4."""
    E = np.zeros((SIZE, 4, 4))
    E[0, 3, 3] = 1.0
    for k in range(3):
        E[1 + k, k, 3] = E[1 + k, 3, k] = 1.0
        E[4 + k, range(3), range(3)] = 0.5
        E[4 + k, k, k] = -0.5
    for n, (i, j) in enumerate(((0, 1), (0, 2), (1, 2))):
        E[7 + n, i, j] = E[7 + n, j, i] = -1.0
    return E


BASIS = _basis()


def pseudo_inertia(pi: Any) -> Any:
    """P from the ten parameters; leading axes for many bodies."""
    return np.tensordot(pi, BASIS, axes=(-1, 0))


def parameters_of_inertia(P: Any) -> Any:
    """The ten parameters from P."""
    S = P[:3, :3]
    I = np.trace(S) * np.eye(3) - S
    return np.array([P[3, 3], *P[:3, 3], I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]])


def is_physical(pi: Array) -> bool:
    """Whether a body with these parameters can exist."""
    return bool(np.linalg.eigvalsh(pseudo_inertia(pi))[0] > 0)


def nearest_physical(pi: Array, mass: float) -> Array:
    """The parameters of a body like this that can exist; one of the mass given where it has none.

    Radii of gyration that are too small or negative are made `LEAST` of the largest.
    """
    P = pseudo_inertia(pi)
    m = P[3, 3] if P[3, 3] > 0 else mass
    com = P[:3, 3] / P[3, 3] if P[3, 3] > 0 else np.zeros(3)
    S = P[:3, :3] - P[3, 3] * np.outer(com, com)
    values, axes = np.linalg.eigh(S / m)
    least = LEAST * values[-1] if values[-1] > 0 else RADIUS**2
    S = m * axes @ np.diag(np.maximum(values, least)) @ axes.T
    P = np.block([[S + m * np.outer(com, com), m * com[:, None]], [m * com, np.array(m)]])
    return np.asarray(parameters_of_inertia(P))


def scalars_of(pi: Any) -> Any:
    """mass, com (3), inertia about the centre of mass (6), as a model has them; any number type."""
    m, h, I = pi[0], pi[1:4], pi[4:]
    c = h / m
    x, y, z = c
    shift = np.array([y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z])
    return np.concatenate([[m], c, I - m * shift])


def logarithms(pi: Array) -> Array:
    """Ten numbers without bounds: α, d (3), s (3), t (3) of eq. 14."""
    flip = np.eye(4)[::-1]
    L = np.linalg.cholesky(flip @ pseudo_inertia(pi) @ flip)
    U = flip @ L @ flip
    alpha = np.log(U[3, 3])
    V = U / U[3, 3]
    return np.array([alpha, *np.log(np.diag(V)[:3]), V[0, 1], V[0, 2], V[1, 2], *V[:3, 3]])


def parameters_of_logarithms(theta: Any) -> Any:
    """The ten parameters from these numbers; any number type."""
    alpha, d, (s12, s13, s23), t = theta[0], theta[1:4], theta[4:7], theta[7:]
    U = np.zeros((4, 4), dtype=np.asarray(theta).dtype)
    U[range(3), range(3)] = np.exp(d)
    U[0, 1], U[0, 2], U[1, 2] = s12, s13, s23
    U[:3, 3], U[3, 3] = t, 1.0
    U = np.exp(alpha) * U
    return parameters_of_inertia(U @ U.T)
