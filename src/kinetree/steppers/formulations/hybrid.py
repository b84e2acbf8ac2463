"""The hybrid formulation: relative coordinates, loops by an augmented Lagrangian of index 3.

    r = M qdd + c - τ - Jᵀ (λ - α g),     (κ M + γ h C + β h² (K T + Jᵀ α J T)) dz = β h² r
    Δ ← Δ - dz,     λ ← λ - α (g - J T dz)     in every iteration

g are the gaps of the loops at the end of the step.  The leading matrix is regular in singular
positions too, and equations that repeat others do no harm.  It holds penalties far above the
masses, and rounding keeps the gaps from vanishing: so it is solved by elimination, never by
cofactors, whose rounding, times the penalty, keeps the residuals from falling below what is
allowed.  Once the positions are found,
velocities and accelerations are projected on the loops, along the same matrix A or along the
masses alone:

    qd ← qd - Y (J qd + ht),    qdd ← qdd - Y (J qdd + Jdqd),    Y = A⁻¹ β h² Jᵀ α

which is eqs. 35 and 36 written for the change; repeated, each time with a gap smaller by the ratio
of penalty to mass.  The penalty of an equation is, where none is given, a multiple of the masses
and the springs that resist it, over β h²: so the iterations converge alike for all steps.

Refs: Cuadrado2003 eqs. 1, 2, 25 to 27, 35, 36
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from kinetree.engine import ZERO, Node, Rank, linear, number, symbol
from kinetree.program import Note, Program
from kinetree.program.inline import bound, inline
from kinetree.steppers.equations.increments import times_tangent
from kinetree.steppers.equations.loops import Loops, angles
from kinetree.steppers.equations.residual import Residual, dot, rows
from kinetree.steppers.equations.scaling import start
from kinetree.steppers.equations.step_inputs import STATE, Page, Settings
from kinetree.steppers.formulations.point import Matrix, Point
from kinetree.steppers.formulations.structural import Structural

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kinetree.steppers.family import Family

STIFF = {"iteration": 1e7, "step": 1e4}
"""Penalty over the resistance of the rest of the leading matrix, where none is given.

The directions of the loops turn during a step.  With a kept tangent and a high penalty even a small
turn causes a large force, so the penalty is lower there.
"""
Spread = Callable[[Sequence[Node]], list[Node]]
"""Maps gaps of the equations to changes of the free velocities."""
CLOSED = 1e-10
"""Gap at which a loop counts as closed [m, m2 or 1]."""
SOFT = 1e-7
"""Share of the inverse penalty in derivatives: lets equations pass that repeat others."""


class Hybrid(Structural):
    """A step of the hybrid formulation being written."""

    penalised = True

    def __init__(self, page: Page, settings: Settings, loops: Loops, exact: Residual) -> None:
        self.loops, self.multipliers = loops, page.lam
        self.turning = angles(page.parts, loops)
        super().__init__(page, settings, exact)
        # β h² α of every equation
        given = settings.penalty
        if given:
            self.stiff = [self.outer.let("stiff", self.b2 * given)] * len(self.L)
        else:
            self.stiff = [self._penalty(row) for row in self.columns()]
        self.slow = self.outer.let("slow", self.beta * page.h / self.gamma)

    def columns(self) -> NDArray[np.float64]:
        """J at the initial configuration."""
        return _columns(self.parts, self.loops)

    def _penalty(self, row: NDArray[np.float64]) -> Node:
        """β h² α: a multiple of the inertia 1/(J A⁻¹ Jᵀ) against one equation, A diagonal."""
        sizes = self.diagonal()
        soft = [float(x) ** 2 / a for x, a in zip(row, sizes, strict=True) if x]
        if not soft:
            return number(1)
        total = linear(0, tuple((x, 1) for x in soft))
        return self.outer.let("stiff", STIFF[self.settings.update] / total)

    def gaps(self, p: Point) -> tuple[list[Node], Matrix]:
        """g and J at a point."""
        value, n = self.loops.value, self.parts.space.nv
        found = inline(p.scheme, value, bound(value, **p.at))
        J = rows(found["J"], n)
        g = list(found["h"])
        # gaps of rates [m/s] times β h/γ are lengths, as Newmark's v₁ changes by γ/(β h) per Δ
        for i in self.loops.rates:
            g[i] = self.slow * (dot(J[i], p.qd) + found["ht"][i])
        self.ht, self.Jdqd = found["ht"], found["Jdqd"]
        return g, J

    def bend(self, p: Point, lam: Sequence[Node]) -> tuple[Matrix, Matrix]:
        """d(Jᵀλ)/dq T, and d(J qd + ht)/dq T."""
        slopes, n = self.loops.slopes, self.parts.space.nv
        found = inline(p.scheme, slopes, bound(slopes, **{**p.at, "w": list(lam)}))
        G, E = ([times_tangent(row, p.T) for row in rows(found[f"d{x}_dq"], n)] for x in ("G", "e"))
        return G, E

    def leading_matrix(self, p: Point) -> Matrix:
        """κ M + γ h C + β h² (K T + Jᵀ α J T), exact with the stiffness of the loops under λ."""
        lines = [self.dynamic(p, k) for k in range(self.parts.space.nv)]
        inside = p.scheme is self.inner
        _, J = self.gaps(p)
        if self.settings.tangent == "exact":
            G, _ = self.bend(p, self.L if inside else self.page.lam)
            lines = [self._subtract_bend(row, G[k]) for k, row in enumerate(lines)]
        return self.matrix(p, self._add_penalty(p, lines, J))

    def _subtract_bend(self, row: Sequence[Node], bent: Sequence[Node]) -> list[Node]:
        return [a - self.b2 * b for a, b in zip(row, bent, strict=True)]

    def _add_penalty(self, p: Point, lines: Matrix, J: Matrix) -> Matrix:
        """The lines plus β h² Jᵀ α J T."""
        out = [list(row) for row in lines]
        for s, row in zip(self.stiff, J, strict=True):
            turned = times_tangent(row, p.T)
            for k, x in enumerate(row):
                if x is not ZERO:
                    weight = p.scheme.let("sJ", s * x)
                    out[k] = [a + weight * b for a, b in zip(out[k], turned, strict=True)]
        return out

    def name_unknowns(self) -> None:
        """Name the unknowns of a Newton block, multipliers included."""
        super().name_unknowns()
        mark = "kept_L" if self.keep_tangent else "L"
        self.L = tuple(symbol(f"{mark}_{label}", Rank.FORCE) for label in self.loops.labels)

    def equation_labels(self) -> list[str]:
        """Labels of the equations of the Newton block, for messages."""
        return super().equation_labels() + [f"closure '{label}'" for label in self.loops.labels]

    def rebuild_tangent(self) -> None:
        """Switch to full Newton, multipliers included."""
        pairs = zip(self.L, self.multipliers, strict=True)
        self.multipliers = tuple(self.or_else(value, start) for value, start in pairs)
        super().rebuild_tangent()

    def write_block(self, limit: int) -> None:
        """Write the Newton block."""
        p = self.point(self.inner, self.D, self.S)
        let, n = self.inner.let, self.parts.space.nv
        r, rest = self.right_sides(p)
        g, J = self.gaps(p)
        w = [
            let("w", lam - self.inverse * s * x)
            for lam, s, x in zip(self.L, self.stiff, g, strict=True)
        ]
        # two residuals: with λ for the test (no penalty on rounding), with λ - α g for the change
        held, pulled = (
            [let("r", r[k] - dot([row[k] for row in J], x)) for k in range(n)] for x in (self.L, w)
        )
        tested, right = ([self.b2 * x[k] for k in self.free] + rest for x in (held, pulled))
        change = self.solve_change(p, right)
        # modified Newton takes no slopes in the loop, so T of this iterate is still missing
        if not p.T:
            p.T = self.parts.space.tangent(p.scheme, p.by)
        change += self._multiplier_change(p, change, g, J)
        self.set_exact_slopes(p)
        equations = self._differentiable_equations(p, tested, g, J)
        self.newton(equations, list(zip(self.L, self.multipliers, strict=True)), change, limit)

    def _multiplier_change(
        self, p: Point, change: Sequence[Node], g: Sequence[Node], J: Matrix
    ) -> list[Node]:
        """Change of the multipliers: α times the gaps that `change` leaves, to first order."""
        found = []
        for s, gap, row in zip(self.stiff, g, J, strict=True):
            turned = times_tangent(row, p.T)
            closing = dot([turned[k] for k in self.free], change[: len(self.free)])
            found.append(p.scheme.let("dl", self.inverse * s * (gap - closing)))
        return found

    def _differentiable_equations(
        self, p: Point, tested: Sequence[Node], g: Sequence[Node], J: Matrix
    ) -> list[tuple[Node, list[Node]]]:
        """Residuals of M qdd + c - τ - Jᵀλ and g, and their exact matrix for derivatives.

        The test leaves the penalty out: it would raise the rounding of the gaps.
        """
        G, E = self.bend(p, self.L)
        lines = [self._subtract_bend(self.dynamic(p, k), G[k]) for k in range(self.parts.space.nv)]
        whole = self.matrix(p, lines)
        more = [[-self.b2 * row[k] for row in J] for k in self.free]
        more += [[ZERO] * len(g) for _ in self.S]
        whole = [row + rest for row, rest in zip(whole, more, strict=True)]
        found = self.divide_by_tolerance(tested, whole)
        allowed = 1 / CLOSED
        for i, gap in enumerate(g):
            slope = times_tangent(J[i], p.T)
            if i in self.loops.rates:
                slope = [a + self.slow * b for a, b in zip(slope, E[i], strict=True)]
            soft = [SOFT * self.b2 / s if i == j else ZERO for j, s in enumerate(self.stiff)]
            line = [slope[k] for k in self.free] + [ZERO] * len(self.S) + soft
            found.append((allowed * gap, [allowed * x for x in line]))
        return found

    # --- projections -----------------------------------------------------------------------------

    def outputs(self) -> None:
        """The state at the end of the step, projected on the loops."""
        p = self.point(self.outer, self.D, self.S)
        _, J = self.gaps(p)
        spread = self._spread(p, J)
        # velocities first: the bias Jdqd of the accelerations depends on them
        for _ in range(self.settings.projections):
            p.qd = self._project(p.qd, spread, J, self.ht)
        p.at["qd"] = p.qd
        self.gaps(p)
        for _ in range(self.settings.projections):
            p.qdd = self._project(p.qdd, spread, J, self.Jdqd)
        more = (p.a, p.y) if self.page.weighted else ((), ())
        rest = (p.q, p.qd, p.qdd, p.x, p.xd, *more, self.L)
        for name, values in zip(STATE, rest, strict=True):
            self.page.output(name, values)
        self.write_iteration_count()

    def _spread(self, p: Point, J: Matrix) -> Spread:
        """Gaps of the equations -> A⁻¹ β h² Jᵀ α gaps, for free velocities.

        Along the masses every projection solves for itself: all share one factorisation, and the
        inverse of a sparse matrix would be full.
        """
        right = [
            [p.scheme.let("sJ", s * row[k]) for s, row in zip(self.stiff, J, strict=True)]
            for k in self.free
        ]
        mass = self.settings.projection == "mass"
        if self.Ai and not mass:
            n = len(self.free)
            columns = list(zip(*right, strict=True))
            Y = [[p.scheme.let("Y", dot(row[:n], x)) for x in columns] for row in self.Ai[:n]]
            return lambda gaps: [dot(row, gaps) for row in Y]
        # projections act on velocities, not on increments: T is the identity here
        self.slopes(p, self.parts)
        p.T = {}
        lines = p.M if mass else [self.dynamic(p, k) for k in range(self.parts.space.nv)]
        W = self._add_penalty(p, lines, J)
        A = [[W[k][l] for l in self.free] for k in self.free]
        note = Note(step="projection", eq="Cuadrado2003 eqs. (35), (36)")
        if not mass:
            Y = self.outer.solve("Y", A, right, symmetric=False, stiff=True, note=note)
            return lambda gaps: [dot(row, gaps) for row in Y]
        A = [[self.outer.let("W", x) for x in row] for row in A]

        def solved(gaps: Sequence[Node]) -> list[Node]:
            sides = [[dot(row, gaps)] for row in right]
            return [row[0] for row in self.outer.solve("Y", A, sides, note=note)]

        return solved

    def _project(
        self, rates: list[Node], spread: Spread, J: Matrix, rest: Sequence[Node]
    ) -> list[Node]:
        let = self.outer.let
        gaps = [let("gap", dot(row, rates) + x) for row, x in zip(J, rest, strict=True)]
        out = list(rates)
        for k, change in zip(self.free, spread(gaps), strict=True):
            out[k] = let("clean", rates[k] - change)
        return out


def _columns(parts: Residual, loops: Loops) -> NDArray[np.float64]:
    """J at the initial configuration."""
    model = parts.model
    given = {"q": start(model, parts.drives), "qd": np.zeros(model.nv), "t": np.asarray(0.0)}
    J = np.array(loops.value.evaluate(**loops.value.given(given))["J"])
    J[:, list(parts.driven)] = 0.0
    return J


def hybrid(
    parts: Residual, exact: Residual, loops: Loops, family: Family, settings: Settings
) -> Program:
    """One step of the hybrid formulation."""
    page = Page(f"{parts.model.name}_step", parts, family)
    page.declare(loops.labels)
    step = Hybrid(page, settings, loops, exact)
    step.solve()
    step.outputs()
    return page.scheme.program()


__all__ = ["hybrid"]
