"""The global formulation: natural coordinates of all bodies, augmented Lagrangian of index 3.

The step is that of the hybrid formulation (`steppers.hybrid`) with more coordinates and more loops:
what keeps bodies rigid and joints together are equations like those of closures.  Coordinates move
by themselves, so T = 1.  The leading matrix is sparse.  It is made symmetric, which leaves out what
tyres and dampers have that no potential gives and costs an iteration at most, and is factorised in
an order of little fill:

    A = κ M + γ h (C + Cᵀ)/2 + β h² ((K + Kᵀ)/2 - λ h_qq + Jᵀ α J)

Projections solve with one factor for all of their right-hand sides.

Refs: Cuadrado2003 secs. 2, 3, eqs. 1, 26, 35, 36; GarciaDeJalon1994; Duff2017
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.engine import ZERO, Node, linear, number, scale
from kinetree.errors import UnsupportedError
from kinetree.formalism.natural import LINK, minimum_degree
from kinetree.model import retract
from kinetree.program import Note, Program
from kinetree.steppers.equations.residual import dot
from kinetree.steppers.equations.scaling import LEAST, SAMPLES, SPREAD, Scales, start
from kinetree.steppers.equations.step_inputs import STATE, Page, Settings
from kinetree.steppers.formulations.hybrid import STIFF, Hybrid
from kinetree.steppers.formulations.point import Matrix, Point
from kinetree.steppers.formulations.structural import Structural

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kinetree.steppers.equations.natural_residual import NaturalSystem
    from kinetree.steppers.family import Family

SHALLOW = 0.01
"""Entries of J that count as zero."""
Sparse = list[dict[int, Node]]
"""Lower triangle of a symmetric matrix, by rows."""


class NaturalPage(Page):
    """A step whose generalised forces are part of the residual."""

    def given_loads(self) -> tuple[Node, ...]:
        """None on natural coordinates themselves."""
        return (ZERO,) * len(self.parts.model.velocities)


class Global(Hybrid):
    """A step of the global formulation being written."""

    def __init__(self, page: Page, settings: Settings, system: NaturalSystem) -> None:
        self.system = system
        self.samples = _samples(system)
        self._diagonal: list[Node] = []
        super().__init__(page, settings, system.loops, system.residual)

    def equation_scales(self) -> Scales:
        """Sizes of the equations, from the model's own values."""
        found = self.exact.slopes.evaluate(**self._given(self.exact.slopes))
        M, C, K = (
            np.abs(np.diagonal(found[f"dtau_d{x}"], axis1=-2, axis2=-1)) for x in ("qdd", "qd", "q")
        )
        M, C, K = (np.where(np.isfinite(x), x, 0.0) for x in (M, C, K))
        M, C, K = (np.atleast_2d(x).max(axis=0) for x in (M, C, K))
        states = self.system.model.states.values()
        floor = LEAST * M.max(initial=0.0) or 1.0
        return Scales(
            np.maximum(M, floor), C, K, np.array([max(1.0, abs(s.initial)) for s in states])
        )

    def columns(self) -> NDArray[np.float64]:
        """J at the initial configuration."""
        value = self.loops.value
        given = {k: v[0] for k, v in self._given(value).items() if k != "t"}
        if value.takes("t"):
            given["t"] = np.asarray(0.0)
        return np.array(value.evaluate(**given)["J"])

    def diagonal(self) -> list[Node]:
        """Approximate diagonal of the leading matrix, written once."""
        if not self._diagonal:
            self._diagonal = super().diagonal()
        return self._diagonal

    def _penalty(self, row: NDArray[np.float64]) -> Node:
        """A multiple of the masses that an equation ties.

        Coordinates without mass count as middling ones; an equation that its coordinates hardly
        move is not made stiffer for that.
        """
        heavy = LEAST * self.sizes.M.max(initial=0.0) < self.sizes.M
        middle = float(np.median(self.sizes.M[heavy])) if heavy.any() else 1.0
        sizes = self.diagonal()
        soft = [number(SHALLOW**2 / middle)]
        for x, a, has in zip(row, sizes, heavy, strict=True):
            if abs(x) > SHALLOW:
                soft.append(float(x) ** 2 / a if has else number(float(x) ** 2 / middle))
        total = linear(0, tuple((x, 1) for x in soft))
        return self.outer.let("stiff", STIFF[self.settings.update] / total)

    def _given(self, program: Program) -> dict[str, Any]:
        n = self.samples.shape[-1]
        given: dict[str, Any] = {
            "q": self.samples, "qd": np.zeros((1, n)), "qdd": np.zeros((1, n)),
            "t": np.zeros(1),
        }  # fmt: skip
        return program.given(given)

    def velocity_label(self, k: int) -> str:
        """A natural coordinate; its name begins with its link's."""
        return f"'{self.names[k]}'"

    def equation_labels(self) -> list[str]:
        """Labels of the equations of the Newton block, for messages."""
        found = Structural.equation_labels(self)
        for label in self.loops.labels:
            link = label.removeprefix(LINK)
            found.append(f"closure '{label}'" if link == label else f"link '{link}'")
        return found

    # --- the matrix ------------------------------------------------------------------------------

    def sparse(self, p: Point, *, mass: bool = False) -> Sparse:
        """The leading matrix, or M + Jᵀ α J."""
        n = self.parts.space.nv
        _, J = self.gaps(p)
        A: Sparse = [{} for _ in range(n)]
        for k in range(n):
            for l in range(k + 1):
                terms = [(p.M[k][l], 1)] if mass else self._terms(p, k, l)
                x = linear(0, tuple(terms))
                if x is not ZERO:
                    A[k][l] = x
        if not mass and self.settings.tangent == "exact":
            G, _ = self.bend(p, self.L if p.scheme is self.inner else self.page.lam)
            for k, row in enumerate(G):
                for l, x in enumerate(row[: k + 1]):
                    if x is not ZERO:
                        A[k][l] = A[k].get(l, ZERO) - self.b2 * x
        self._stiffen(p, A, J)
        return A

    def _terms(self, p: Point, k: int, l: int) -> list[tuple[Node, int]]:
        """κ M + γ h C + β h² K, made symmetric."""
        return [
            (self.ratio * p.M[k][l], 1),
            (self.gh * _even(p.C, k, l), 1),
            (self.b2 * _even(p.K, k, l), 1),
        ]

    def _stiffen(self, p: Point, A: Sparse, J: Matrix) -> None:
        for s, row in zip(self.stiff, J, strict=True):
            full = [(k, x) for k, x in enumerate(row) if x is not ZERO]
            for k, x in full:
                weight = p.scheme.let("sJ", s * x)
                for l, y in full:
                    if l <= k:
                        A[k][l] = A[k].get(l, ZERO) + weight * y

    def solve_sparse(
        self, p: Point, A: Sparse, columns: Sequence[Sequence[Node]], stem: str
    ) -> Matrix:
        """The columns of A⁻¹ B, rows eliminated in an order of little fill."""
        n = len(A)
        pattern = [set(row) for row in A]
        for k, row in enumerate(A):
            for l in row:
                pattern[l].add(k)
        order = minimum_degree(pattern)[::-1]  # the last row is eliminated first
        dense = [
            [A[max(k, l)].get(min(k, l), ZERO) for l in order[: place + 1]]
            for place, k in enumerate(order)
        ]
        full = [row + [ZERO] * (n - len(row)) for row in dense]
        right = [[column[k] for column in columns] for k in order]
        note = Note(step="increments", eq="Cuadrado2003 eq. (26)")
        X = p.scheme.solve(stem, full, right, symmetric=True, note=note)
        found: Matrix = [[ZERO] * n for _ in columns]
        for place, k in enumerate(order):
            for column, x in zip(found, X[place], strict=True):
                column[k] = x
        return found

    def solve_change(self, p: Point, right: Sequence[Node]) -> list[Node]:
        """The change of the increments of coordinates and user states."""
        n, m = self.parts.space.nv, len(self.S)
        A = self.sparse(p)
        if not m:
            return self.solve_sparse(p, A, [right], "dz")[0]
        lines = self.matrix(p, [[ZERO] * n for _ in range(n)])
        beside = [[row[n + i] for row in lines[:n]] for i in range(m)]
        z, *Z = self.solve_sparse(p, A, [right[:n], *beside], "dz")
        S = [[row[n + j] - dot(row[:n], Z[j]) for j in range(m)] for row in lines[n:]]
        rest = [[x - dot(row[:n], z)] for row, x in zip(lines[n:], right[n:], strict=True)]
        s = [row[0] for row in p.scheme.solve("ds", S, rest, symmetric=False)]
        let = p.scheme.let
        return [let("dz", z[k] - dot([col[k] for col in Z], s)) for k in range(n)] + s

    # --- projections -----------------------------------------------------------------------------

    def outputs(self) -> None:
        """The state at the end of the step, projected on all equations."""
        p = self.point(self.outer, self.D, self.S)
        self.slopes(p, self.parts)
        A = self.sparse(p, mass=self.settings.projection == "mass")
        _, J = self.gaps(p)
        p.qd = self._project_rates(p, A, (p.qd, J, self.ht))
        p.at["qd"] = p.qd
        self.gaps(p)
        p.qdd = self._project_rates(p, A, (p.qdd, J, self.Jdqd))
        more = (p.a, p.y) if self.page.weighted else ((), ())
        rest = (p.q, p.qd, p.qdd, p.x, p.xd, *more, self.L)
        for name, values in zip(STATE, rest, strict=True):
            self.page.output(name, values)
        self.write_iteration_count()

    def _project_rates(
        self, p: Point, A: Sparse, given: tuple[list[Node], Matrix, Sequence[Node]]
    ) -> list[Node]:
        """Rates after projection on the equations."""
        rates, J, rest = given
        let = self.outer.let
        for _ in range(self.settings.projections):
            gaps = [let("gap", s * (dot(row, rates) + x))
                    for s, row, x in zip(self.stiff, J, rest, strict=True)]  # fmt: skip
            right = [let("back", dot([row[k] for row in J], gaps)) for k in range(len(rates))]
            (change,) = self.solve_sparse(p, A, [right], "Y")
            rates = [let("clean", x - y) for x, y in zip(rates, change, strict=True)]
        return rates


def _even(A: Matrix, k: int, l: int) -> Node:
    """Entry of (A + Aᵀ)/2."""
    a, b = A[k][l], A[l][k]
    return a if a is b else scale(0.5, a + b)


def _samples(system: NaturalSystem) -> NDArray[np.float64]:
    """Natural coordinates at the initial configuration and some near it."""
    model = system.model
    rng = np.random.default_rng(1)
    q0 = start(model, system.chart.drives)
    moves = [np.zeros(model.nv), *rng.uniform(-SPREAD, SPREAD, (SAMPLES, model.nv))]
    q = np.array([retract(model, q0, move) for move in moves])
    rates = np.zeros((len(q), model.nv))
    return system.chart.natural(q, rates, rates)[0]


def global_step(system: NaturalSystem, family: Family, settings: Settings) -> Program:
    """One step of the global formulation."""
    if settings.update == "step":
        raise UnsupportedError(
            "the global formulation makes its tangent anew in every iteration",
            element="option 'update'",
            cure="use update='iteration', or the formulation hybrid",
        )
    page = NaturalPage(f"{system.model.name}_step", system.residual, family)
    page.declare(system.loops.labels)
    step = Global(page, settings, system)
    step.solve()
    step.outputs()
    return page.scheme.program()


__all__ = ["Global", "global_step"]
