"""The global formulation: natural coordinates of all bodies, augmented Lagrangian of index 3.

The step is that of the hybrid formulation with more coordinates and more loops: what keeps bodies
rigid and joints together are equations like those of closures.  Coordinates move by themselves, so
T = 1.  The leading matrix is sparse.  It is made symmetric, which leaves out what tyres and dampers
have that no potential gives and costs an iteration at most, and is factorised in an order of little
fill:

    A = κ M + γ h (C + Cᵀ)/2 + β h² ((K + Kᵀ)/2 - λ h_qq + Jᵀ α J)

Projections solve with one factor for all of their right-hand sides.

Refs: Cuadrado2003 secs. 2, 3, eqs. 1, 26, 35, 36 (see `hybrid`); GarciaDeJalon1994; Duff2017
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from kinetree.engine import ZERO, Node, number, scale
from kinetree.errors import UnsupportedError
from kinetree.formalism.links.vectors import Matrix
from kinetree.model import dot
from kinetree.program import Note, Program, Scheme
from kinetree.program.sparsity import minimum_degree
from kinetree.steppers.equations.scaling import LEAST, sample_coordinates, scales
from kinetree.steppers.formulations import dynamics, hybrid
from kinetree.steppers.formulations.hybrid import AugmentedStep, Leading, Spread, Weighed
from kinetree.steppers.formulations.newmark import Slopes, TimeStep, TrialEnd, begin_step

if TYPE_CHECKING:
    from kinetree.arrays import Array
    from kinetree.steppers.equations.natural_residual import NaturalSystem
    from kinetree.steppers.equations.step_inputs import NewtonSettings
    from kinetree.steppers.family import Family

SHALLOW = 0.01
"""Entries of J that count as zero."""


def global_step(system: NaturalSystem, family: Family, settings: NewtonSettings) -> Program:
    """One step of the global formulation."""
    if settings.update == "step":
        raise UnsupportedError(
            "the global formulation forms its tangent in every iteration",
            element="option 'update'",
            cure="use update='iteration', or the formulation hybrid",
        )
    parts, loops = system.residual, system.loops
    q = sample_coordinates(system.model, system.chart.drives)
    rest = np.zeros((len(q), system.model.nv))
    q = system.chart.natural(q, rest, rest)[0]
    sizes = scales(parts, q)
    step = begin_step(parts, loops, family, settings, sizes=sizes, loaded=False)
    solve = partial(_solve, parts.space.nv)
    leading = Leading(_soften, _even, solve, _weigh, _spread, _order)
    return hybrid.augmented_step(step, loops, q[0], leading)


def _soften(step: TimeStep, row: Array, sizes: Sequence[Node]) -> list[Node]:
    """Terms of J A⁻¹ Jᵀ with A diagonal.

    Coordinates without mass count as middling ones; an equation that its coordinates hardly move is
    not made stiffer for that.
    """
    M = step.sizes.M
    heavy = LEAST * M.max(initial=0.0) < M
    middle = float(np.median(M[heavy])) if heavy.any() else 1.0
    soft = [number(SHALLOW**2 / middle)]
    for x, a, has in zip(row, sizes, heavy, strict=True):
        if abs(x) > SHALLOW:
            soft.append(float(x) ** 2 / a if has else number(float(x) ** 2 / middle))
    return soft


def _even(slopes: Slopes) -> Slopes:
    """K and C made symmetric."""
    K, C = (
        [
            [a if a is b else scale(0.5, a + b) for a, b in zip(row, column, strict=True)]
            for row, column in zip(A, zip(*A, strict=True), strict=True)
        ]
        for A in (slopes.K, slopes.C)
    )
    return replace(slopes, K=K, C=C)


def _solve(n: int, scheme: Scheme, stem: str, A: Matrix, B: Matrix) -> Matrix:
    """X of A X = B for one column: n sparse coordinates first, user states by their complement."""
    right = [x for (x,) in B]
    core, beside, below = [row[:n] for row in A[:n]], [row[n:] for row in A[:n]], A[n:]
    z, *Z = _solve_sparse(scheme, stem, core, [right[:n], *map(list, zip(*beside, strict=True))])
    if not below:
        return [[x] for x in z]
    S = [[x - dot(row[:n], column) for x, column in zip(row[n:], Z, strict=True)] for row in below]
    rest = [[x - dot(row[:n], z)] for row, x in zip(below, right[n:], strict=True)]
    X = scheme.solve("ds", S, rest, symmetric=False)
    s = [x for (x,) in X]
    return [[scheme.let("dz", x - dot([col[k] for col in Z], s))] for k, x in enumerate(z)] + X


def _solve_sparse(
    scheme: Scheme, stem: str, A: Matrix, columns: Sequence[Sequence[Node]]
) -> Matrix:
    """The columns of A⁻¹ B, A by its lower triangle, rows eliminated in an order of little fill."""
    n = len(A)
    A = [[A[max(k, l)][min(k, l)] for l in range(n)] for k in range(n)]
    pattern = [{l for l, x in enumerate(row) if x is not ZERO} for row in A]
    order = minimum_degree(pattern)[::-1]  # the last row is eliminated first
    lower = [
        [A[k][l] if i <= j else ZERO for i, l in enumerate(order)] for j, k in enumerate(order)
    ]
    right = [[column[k] for column in columns] for k in order]
    note = Note(step="increments", eq="Cuadrado2003 eq. (26)")
    X = dict(zip(order, scheme.solve(stem, lower, right, symmetric=True, note=note), strict=True))
    return [[X[k][j] for k in range(n)] for j in range(len(columns))]


# --- projections ---------------------------------------------------------------------------------


def _weigh(it: AugmentedStep, p: TrialEnd) -> Weighed:
    """The masses, or the tangent under the multipliers at the start of the step."""
    step = it.step
    p = replace(p, at=replace(p.at, lam=step.inputs.start.lam))
    p, _tau = dynamics.add_slopes(p, step.parts, step.parts.slopes)
    p = replace(p, slopes=_even(p.slopes), gaps=hybrid.gaps(it, p))
    return p, p.slopes.M if step.settings.projection == "mass" else hybrid.soft_rows(it, p)


def _spread(it: AugmentedStep, weighed: Weighed, _: Matrix) -> Spread:
    """Y along the masses, or along the tangent."""
    (p, lines), let = weighed, weighed[0].scheme.let
    J, A = hybrid.gaps(it, p).J, hybrid.add_penalty(it, p, lines, it.stiff)

    def close(gaps: Sequence[Node]) -> list[Node]:
        named = [let("gap", s * x) for s, x in zip(it.stiff, gaps, strict=True)]
        right = [let("back", dot([row[k] for row in J], named)) for k in range(len(A))]
        return _solve_sparse(p.scheme, "Y", A, [right])[0]

    return close


def _order(pattern: Sequence[set[int]], last: int) -> list[int]:
    """Rows in an order of little fill, the first ones as late as all others around them."""
    return minimum_degree(pattern, range(last))[::-1]  # the last row is eliminated first
