"""Physically consistent estimates: every body can exist.

    minimise  ½ Σ |y - W B π|²/σ²  +  γ Σ over bodies D(P, P0)      with every P positive definite

where P is the pseudo-inertia of a body and D(P, P0) = -log det(P P0⁻¹) + tr(P P0⁻¹) - 4 tells how
far it is from that of the model, whatever frame and unit is used (eqs. 10, 11).  It is convex:
log det P ≥ Σ log Z_kk with [[P, Z], [Zᵀ, diag Z]] positive semidefinite and Z lower triangular.
Friction and rotor inertias are at least zero; the model counts for as much in them, so that what no
data tell is that of the model.  A bounding ellipsoid keeps the mass of a body inside (eq. 13).

Refs: Wensing2018; Lee2020; Clarabel2024 (the solver)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kinetree.analysis.identifying.columns import ParameterColumns
from kinetree.analysis.identifying.equations import FitEquations
from kinetree.analysis.identifying.estimate import Estimate
from kinetree.analysis.identifying.least_squares import least_squares
from kinetree.analysis.identifying.pseudo_inertia import (
    BASIS,
    SIZE,
    nearest_physical,
    pseudo_inertia,
)
from kinetree.arrays import Array
from kinetree.errors import ModelError, ShapeError, UnsupportedError, unknown

MINOR = 1e-2
"""Mass of a body that has none in the model, as a part of the mean of the others."""
SHARE = 0.1
"""By how much friction may differ from the model's, as a share of the measured efforts."""
EXACT = 1e-5
"""Share of the largest value below which no error of a measurement is believed to lie."""
MOVED = 1e-6
"""Share of the largest change, in deviations, below which a parameter does not change."""
SIGNED = ("offset",)
"""Parameters of joints that may be negative."""
Volumes = Mapping[str, tuple[Sequence[float], Sequence[float]]]
"""Body -> centre and half axes of an ellipsoid along its axes [m]."""


@dataclass(frozen=True)
class Prior:
    """What is known before.

    Attributes:
        weight: γ, the number of independent measurements that the model counts for.
        volumes: ellipsoids that hold the mass of bodies.
    """

    weight: float
    volumes: Volumes


def consistent(rows: FitEquations, columns: ParameterColumns, prior: Prior) -> Estimate:
    """The estimate with all parameters, those of every body physical.

    Args:
        rows: the equations.
        columns: of the model, with its nominal values.
        prior: the weight of the model, and bounding ellipsoids.
    """
    B = columns.regrouping
    first = least_squares(rows, B @ columns.nominal)
    sigma = np.maximum(first.sigma, EXACT * np.abs(rows.y).max(axis=0))
    A, b = (table / np.sqrt(rows.spread) for table in rows.weigh(sigma))
    cones = _Cones(columns, prior, effort_size([rows.y]))
    pi = _solve(A @ B, b, cones)
    x = B @ pi
    return replace(
        first, x=x, sigma=rows.deviations(x), pi=pi, pi_covariance=_errors(A @ B, pi, cones),
        facts={**first.facts, "prior": prior.weight, "solver": "clarabel"},
    )  # fmt: skip


def with_found_errors(made: Estimate, own: Estimate, rows: FitEquations, B: Array) -> Estimate:
    """A consistent estimate with what errors of gains or speeds do to all parameters.

    With these k held it has the errors of eq. 23; those of k move it beside (eq. 26).

    Args:
        made: with k as they were found.
        own: least squares of base parameters, and of k behind them.
        rows: the equations with these k.
        B: of the regrouping.
    """
    assert made.pi is not None
    assert made.pi_covariance is not None
    n = len(B)
    A = rows.weigh(made.sigma)[0] / np.sqrt(rows.spread)
    turn = made.pi_covariance @ B.T @ (A.T @ A)
    told = n + np.flatnonzero(np.isfinite(np.diag(own.covariance)[n:]))
    k = own.covariance[np.ix_(told, told)]
    dx = np.linalg.lstsq(k, own.covariance[told, :n], rcond=None)[0].T
    moved = turn @ np.where(np.isfinite(dx), dx, 0.0)
    covariance = made.pi_covariance + moved @ k @ moved.T
    for row in own.untold:  # k and x along it are those of the model
        if np.abs(row[n:]).max(initial=0.0) > 0:
            way = np.abs(turn @ row[:n]) / np.sqrt(np.diag(made.pi_covariance))
            away = way > MOVED * way.max()
            covariance[away, away] = np.inf
    return replace(
        made, pi_covariance=covariance, covariance=own.covariance, untold=own.untold,
        sizes=own.sizes, words=own.words,
    )  # fmt: skip


def effort_size(efforts: Sequence[Array]) -> float:
    """By how much friction may differ from the model's, from measured efforts [N.m or N]."""
    return SHARE * float(np.mean([np.sqrt((table**2).mean()) for table in efforts])) + 1e-3


def _errors(R: Array, pi: Array, cones: _Cones) -> Array:
    """Covariance of π: (Rᵀ R + second derivatives of what the model says)⁻¹ (eq. 23)."""
    H = R.T @ R + np.diag(cones.curvatures[: cones.n])
    for k in range(cones.bodies):
        at = slice(SIZE * k, SIZE * (k + 1))
        inverse = np.linalg.inv(pseudo_inertia(pi[at]))
        moved = inverse @ BASIS
        H[at, at] += cones.prior.weight * np.einsum("kij,lji->kl", moved, moved)
    size = 1.0 / np.sqrt(np.diag(H))
    return np.asarray(np.linalg.inv(H * np.outer(size, size)) * np.outer(size, size))


def prior_parameters(columns: ParameterColumns) -> Array:
    """Ten physical parameters per open body, near those of the model."""
    table = columns.nominal[: SIZE * len(columns.bodies)].reshape(-1, SIZE)
    masses = table[table[:, 0] > 0, 0]
    mass = MINOR * float(masses.mean()) if len(masses) else 1.0
    return np.array([nearest_physical(pi, mass) for pi in table])


def _solve(R: Array, c: Array, cone: _Cones) -> Array:
    """π of the convex problem; unknowns π, then Z (10) and logarithms (4) of every body."""
    try:
        import clarabel
    except ImportError as error:
        raise UnsupportedError(
            "it needs the package clarabel, which is not installed",
            element="method 'consistent'",
            cure="install kinetree[identify]",
        ) from error
    from scipy import sparse

    n, count, size = R.shape[1], cone.count, len(R)
    rows, right, cones = cone.assemble(clarabel)
    # residuals z = R π - c are unknowns of their own: R squared would have twice its digits
    P = sparse.block_diag([sparse.diags(cone.curvatures), sparse.eye(size)], format="csc")
    q = np.concatenate([cone.slopes, np.zeros(size)])
    equal = np.zeros((size, count))
    equal[:, :n] = R * cone.scale
    G = sparse.bmat([[equal, -sparse.eye(size)], [rows, None]], format="csc")
    right, cones = np.concatenate([c, right]), [clarabel.ZeroConeT(size), *cones]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    found = clarabel.DefaultSolver(P, q, G, right, cones, settings).solve()
    if str(found.status) not in ("Solved", "AlmostSolved"):
        raise ModelError(
            f"no physical parameters were found: {found.status}",
            element="method 'consistent'",
            cure="raise prior=, or widen volumes=",
        )
    return np.array(found.x[:n]) * cone.scale


class _Cones:
    """The cones of the problem, as G x + s = h with s in the cones; π in units of its prior."""

    def __init__(self, columns: ParameterColumns, prior: Prior, size: float) -> None:
        self.columns, self.prior = columns, prior
        self.first = prior_parameters(columns)
        self.bodies, self.n = len(columns.bodies), len(columns.names)
        self.count = self.n + 14 * self.bodies
        self.scale = np.ones(self.n)
        masses = np.repeat(self.first[:, 0], SIZE)
        self.scale[: SIZE * self.bodies] = masses
        self.slopes, self.curvatures = np.zeros((2, self.count))
        joints = slice(SIZE * self.bodies, self.n)
        self.curvatures[joints] = prior.weight / size**2
        self.slopes[joints] = -columns.nominal[joints] * prior.weight / size**2
        for k, pi in enumerate(self.first):
            inverse = np.linalg.inv(pseudo_inertia(pi))
            at = slice(SIZE * k, SIZE * (k + 1))
            trace = np.einsum("kij,ij->k", BASIS, inverse)
            self.slopes[at] = prior.weight * trace * self.scale[at]
            self.slopes[self.logarithms(k)] = -prior.weight

    def triangle(self, body: int) -> list[int]:
        """Numbers of Z of a body, its lower triangle row by row."""
        first = self.n + 14 * body
        return list(range(first, first + 10))

    def logarithms(self, body: int) -> list[int]:
        """Numbers of the four logarithms of a body."""
        return [self.triangle(body)[-1] + 1 + k for k in range(4)]

    def assemble(self, clarabel: Any) -> tuple[Array, Array, list[Any]]:
        """G, h and the cones."""
        parts = [*self._signs(clarabel), *self._volumes(clarabel)]
        for body in range(self.bodies):
            parts += [self._block(body, clarabel), *self._powers(body, clarabel)]
        G = np.concatenate([rows for rows, _, _ in parts])
        h = np.concatenate([right for _, right, _ in parts])
        return G, h, [cone for _, _, cone in parts]

    def _signs(self, clarabel: Any) -> Iterator[tuple[Array, Array, Any]]:
        """Friction and rotors are not negative."""
        names = self.columns.names[SIZE * self.bodies :]
        at = [SIZE * self.bodies + k for k, x in enumerate(names) if not x.endswith(SIGNED)]
        if at:
            rows = np.zeros((len(at), self.count))
            rows[range(len(at)), at] = -1.0
            yield rows, np.zeros(len(at)), clarabel.NonnegativeConeT(len(at))

    def _volumes(self, clarabel: Any) -> Iterator[tuple[Array, Array, Any]]:
        """tr(P E) ≥ 0 with E of the ellipsoid: no mass lies outside it (eq. 13)."""
        for name, pair in self.prior.volumes.items():
            if name not in self.columns.bodies:
                raise unknown("body", name, self.columns.bodies, "volumes")
            E = _ellipsoid(name, pair)
            k = self.columns.bodies.index(name)
            at = slice(SIZE * k, SIZE * (k + 1))
            rows = np.zeros((1, self.count))
            rows[0, at] = -np.einsum("kij,ij->k", BASIS, E) * self.scale[at]
            yield rows, np.zeros(1), clarabel.NonnegativeConeT(1)

    def _block(self, body: int, clarabel: Any) -> tuple[Array, Array, Any]:
        """[[P, Z], [Zᵀ, diag Z]] is positive semidefinite, in units of the prior's mass."""
        at = slice(SIZE * body, SIZE * (body + 1))
        parts = np.zeros((self.count, 8, 8))
        mass = self.first[body, 0]
        parts[at, :4, :4] = BASIS * self.scale[at, None, None] / mass
        for number, (i, j) in zip(self.triangle(body), zip(*np.tril_indices(4), strict=True),
                                  strict=True):  # fmt: skip
            parts[number, i, 4 + j] = parts[number, 4 + j, i] = 1.0
            if i == j:
                parts[number, 4 + i, 4 + i] = 1.0
        rows = [
            parts[:, i, j] * (1.0 if i == j else np.sqrt(2.0))
            for j in range(8)
            for i in range(j + 1)
        ]
        return -np.array(rows), np.zeros(36), clarabel.PSDTriangleConeT(8)

    def _powers(self, body: int, clarabel: Any) -> Iterator[tuple[Array, Array, Any]]:
        """(logarithm, 1, Z_kk) in the exponential cone."""
        diagonal = [self.triangle(body)[k * (k + 3) // 2] for k in range(4)]
        for log, z in zip(self.logarithms(body), diagonal, strict=True):
            rows = np.zeros((3, self.count))
            rows[0, log], rows[2, z] = -1.0, -1.0
            yield rows, np.array([0.0, 1.0, 0.0]), clarabel.ExponentialConeT()


def _ellipsoid(name: str, pair: Any) -> Array:
    """E with [x; 1]ᵀ E [x; 1] ≥ 0 inside."""
    centre, half = (np.asarray(row, dtype=float) for row in pair)
    if centre.shape != (3,) or half.shape != (3,) or not (half > 0).all():
        raise ShapeError(
            "it is not a valid ellipsoid",
            element=f"volumes, '{name}'",
            cure="give (centre, half axes), three numbers each, the second ones positive",
        )
    Q = np.diag(half**-2.0)
    return np.block([[-Q, (Q @ centre)[:, None]], [Q @ centre, np.array(1 - centre @ Q @ centre)]])
