"""The topological formulation: independent coordinates, by a second projection of the velocities.

With u the independent velocities, R = [1; B] and qd = R ud + …, the equations of the tree (by
accumulated inertias and forces) are projected once more:

    Rᵀ (M qdd + c - τ) = 0,      g = 0

Unknown are the increments of all coordinates; those of u follow the method of integration, the
others close the loops:

    A du = β h² Rᵀ (M qdd + c - τ),   A = Rᵀ (κ M + γ h C + β h² (K - G) T) R,   dv = J_v⁻¹ g + B du

where G is the stiffness of the loops under their multipliers.  What the change of R and of the
dependent rates adds is in the matrix for derivatives of the step, not in A.

Refs: Cuadrado2003 sec. 2, eqs. 16 to 19; Docquier2013 sec. 2.2.1, eqs. 10 to 17
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kinetree.assembly.partition import Partition, partition
from kinetree.engine import ZERO, Node, linear
from kinetree.errors import UnsupportedError
from kinetree.formalism.conditions import Row
from kinetree.formalism.coupling import Coupling
from kinetree.program import Note, Program, Scheme
from kinetree.steppers.page import STATE, Page, Settings
from kinetree.steppers.residual import Residual, bound, dot, rows, written
from kinetree.steppers.space import times_tangent
from kinetree.steppers.structural import Matrix, Point, Structural

if TYPE_CHECKING:
    from kinetree.steppers.family import Family
    from kinetree.steppers.loops import Loops

CLOSED = 1e-10
"""Gap of a loop that is left [m, m2 or 1]."""


class Topological(Structural):
    """A step of the topological formulation being written."""

    def __init__(
        self, page: Page, settings: Settings, exact: Residual, loops: Loops, found: Partition
    ) -> None:
        self.loops, self.choice = loops, found.choice()
        at = {name: k for k, name in enumerate(page.parts.model.velocities)}
        self.v = [at[name] for name in self.choice.dependent]
        super().__init__(page, settings, exact)
        self.u = [k for k in self.free if k not in self.v]
        self.which = [loops.labels.index(label) for label in self.choice.equations]

    def coupled(self, scheme: Scheme, at: Mapping[str, Sequence[Node]]) -> Coupling:
        """B at some coordinates; the values of the loops beside it."""
        value, n = self.loops.value, self.parts.space.nv
        found = written(scheme, value, bound(value, **at))
        self.J = rows(found["J"], n)
        self.g, self.ht, self.Jdqd = found["h"], found["ht"], found["Jdqd"]
        J = [{k: x for k, x in enumerate(row) if x is not ZERO} for row in self.J]
        values = zip(self.loops.labels, found["h"], J, found["Jdqd"], found["ht"], strict=True)
        lines = {label: Row(h, j, bias, ht, label=label) for label, h, j, bias, ht in values}
        groups = self.choice.velocity_groups()
        return Coupling(scheme, lines, groups, self.names, self.u)

    def point(self, scheme: Scheme, D: Mapping[int, Node], S: Sequence[Node]) -> Point:
        """The end of the step; dependent rates follow from the loops."""
        p = super().point(scheme, D, S)
        self.B = B = self.coupled(scheme, p.at)
        driven = {k: p.qd[k] for k in self.known}
        note = Note(step="dependent velocities", eq="Docquier2013 eq. (14)")
        rest = B.rest("x", dict(zip(self.loops.labels, self.ht, strict=True)), driven, note)
        rates = {k: p.qd[k] for k in self.u}
        for k in self.v:
            p.qd[k] = scheme.let(f"v_{k + 1}", B.followed(k, rates, rest[k]))
        value = self.loops.value
        again = written(scheme, value, bound(value, **p.at))
        self.Jdqd = again["Jdqd"]
        driven = {k: p.qdd[k] for k in self.known}
        note = Note(step="dependent accelerations", eq="Docquier2013 eq. (15)")
        rest = B.rest("b", dict(zip(self.loops.labels, self.Jdqd, strict=True)), driven, note)
        rates = {k: p.qdd[k] for k in self.u}
        for k in self.v:
            p.qdd[k] = scheme.let(f"qdd_{k + 1}", B.followed(k, rates, rest[k]))
            p.a[k] = p.qdd[k]
        return p

    def solve(self) -> None:
        """Write the Newton block."""
        p = self.point(self.inner, self.D, ())
        B, let = self.B, self.inner.let
        r, _ = self.right(p)
        lam = B.multipliers({k: r[k] for k in self.v})
        reduced = [self.b2 * let("F", B.projected(r, u)) for u in self.u]
        gaps = [self.g[i] for i in self.which]
        A, full = self._leading(p, lam)
        note = Note(step="increments", eq="Cuadrado2003 eq. (26)")
        du = [x[0] for x in self._solved("du", A, [[x] for x in reduced], note)]
        change = dict(zip(self.u, du, strict=True))
        closing = B.rest("dv", dict(zip(self.loops.labels, self.g, strict=True)), {}, note)
        for k in self.v:
            change[k] = let("dv", B.followed(k, dict(zip(self.u, du, strict=True)), -closing[k]))
        equations = self._derivable(p, reduced, gaps, full)
        self.newton(equations, (), [change[k] for k in self.free])

    def _solved(self, stem: str, A: Matrix, right: Matrix, note: Note) -> Matrix:
        return self.inner.solve(stem, A, right, symmetric=False, note=note) if A else []

    def _leading(self, p: Point, lam: Mapping[str, Node]) -> tuple[Matrix, Matrix]:
        """A, and κ M + γ h C + β h² (K - G) T of all velocities, by the tangent asked for."""
        B = self.B
        G, self.E, self.E2, self.E3 = self._bend(p, lam)
        lines = [
            [x - self.b2 * y for x, y in zip(self.dynamic(p, k), G[k], strict=True)]
            for k in range(self.parts.space.nv)
        ]
        half = [[p.scheme.let("AR", B.projected(row, u)) for u in self.u] for row in lines]
        A = [
            [
                p.scheme.let("RAR", B.projected([row[j] for row in half], u))
                for j in range(len(self.u))
            ]
            for u in self.u
        ]
        return A, G

    def _bend(self, p: Point, lam: Mapping[str, Node]) -> tuple[Matrix, Matrix, Matrix, Matrix]:
        """d(Jᵀλ)/dq T, d(J qd + ht)/dq T, d(J qdd + Jdqd)/dq T and by qd."""
        slopes, n = self.loops.slopes, self.parts.space.nv
        w = [lam.get(label, ZERO) for label in self.loops.labels]
        found = written(p.scheme, slopes, bound(slopes, **{**p.at, "w": w}))
        G, E, E2 = (
            [times_tangent(row, p.T) for row in rows(found[f"d{x}_dq"], n)] for x in ("G", "e", "f")
        )
        return G, E, E2, rows(found["df_dqd"], n)

    def _derivable(
        self, p: Point, reduced: Sequence[Node], gaps: Sequence[Node], G: Matrix
    ) -> list[tuple[Node, list[Node]]]:
        """Residuals, and their exact matrix over all increments for derivatives."""
        self.differentiated(p)
        let, n, B = self.inner.let, self.parts.space.nv, self.B
        rate = self.outer.let("rate", self.gamma / (self.beta * self.page.h))
        second = self.outer.let("second", self.ratio * self.inverse)
        dqd = self._following(rate, {i: self.E[i] for i in self.which})
        moved = {
            i: [
                a + dot(self.E3[i], [dqd[k][l] for k in range(n)]) for l, a in enumerate(self.E2[i])
            ]
            for i in self.which
        }
        dqdd = self._following(second, moved)
        lines: Matrix = []
        for k in range(n):
            KT = times_tangent(p.K[k], p.T)
            lines.append([
                let("dr", linear(0, (
                    (KT[l], 1), (G[k][l], -1), (dot(p.C[k], [row[l] for row in dqd]), 1),
                    (dot(p.M[k], [row[l] for row in dqdd]), 1),
                )))
                for l in range(n)
            ])  # fmt: skip
        width = dict(zip(self.free, self.widths(), strict=True))
        found = []
        for u, value in zip(self.u, reduced, strict=True):
            row = [self.b2 * B.projected([line[l] for line in lines], u) for l in self.free]
            found.append((let("h", width[u] * value), [let("J", width[u] * x) for x in row]))
        allowed = 1 / CLOSED
        for i, gap in zip(self.which, gaps, strict=True):
            turned = times_tangent(self.J[i], p.T)
            found.append((allowed * gap, [allowed * turned[k] for k in self.free]))
        return found

    def _following(self, rate: Node, changes: Mapping[int, Sequence[Node]]) -> Matrix:
        """d(qd)/dΔ: rate for u, what keeps the loops for v, nothing for what is driven."""
        n, B = self.parts.space.nv, self.B
        out = [[ZERO] * n for _ in range(n)]
        for u in self.u:
            out[u][u] = rate
        note = Note(step="change of dependent rates")
        labels = self.loops.labels
        for l in self.free:
            column = {labels[i]: changes[i][l] for i in self.which}
            rest = B.rest("y", {label: column.get(label, ZERO) for label in labels}, {}, note)
            for k in self.v:
                own = B.B[k].get(l, ZERO)
                out[k][l] = linear(0, ((rate * own, 1), (rest[k], 1)))
        return out

    def outputs(self) -> None:
        """The state at the end of the step."""
        p = self.point(self.outer, self.D, ())
        value = self.parts.value
        found = written(self.outer, value, bound(value, **p.at))
        left = [x - y for x, y in zip(found["tau"], self.page.loads, strict=True)]
        lam = self.B.multipliers({k: left[k] for k in self.v})
        every = [lam.get(label, ZERO) for label in self.loops.labels]
        more = (p.a, ()) if self.page.weighted else ((), ())
        for name, values in zip(STATE, (p.q, p.qd, p.qdd, (), (), *more, every), strict=True):
            self.page.output(name, values)


def topological(
    parts: Residual, exact: Residual, loops: Loops, family: Family, settings: Settings
) -> Program:
    """One step of the topological formulation."""
    model = parts.model
    found = partition(model)
    if model.states or found.rate_dependent or settings.update == "step":
        raise UnsupportedError(
            "the topological formulation knows no user states, no rolling and no kept tangent",
            element=f"model '{model.name}'",
            cure="choose the formulation 'hybrid'",
        )
    page = Page(f"{model.name}_step", parts, family)
    page.declare(loops.labels)
    step = Topological(page, settings, exact, loops, found)
    step.solve()
    step.outputs()
    return page.scheme.program()


__all__ = ["topological"]
