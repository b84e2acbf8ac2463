"""The topological formulation: independent coordinates, by a second projection of the velocities.

With u the independent velocities, R = [1; B] and qd = R ud + …, the equations of the tree (by
accumulated inertias and forces) are projected once more:

    Rᵀ (M qdd + c - τ) = 0,      g = 0

Unknown are the increments of all coordinates; those of u follow the method of integration, the
others close the loops, those of rolling in their rates:

    A du = β h² Rᵀ (M qdd + c - τ),   A = Rᵀ (κ M + γ h C + β h² (K - G) T) R,   dv = J_v⁻¹ g + B du

where G is the stiffness of the loops under their multipliers.  What the change of R and of the
dependent rates adds is in the matrix for derivatives of the step, not in A.

Refs: Cuadrado2003 sec. 2, eqs. 16 to 19; Docquier2013 sec. 2.2.1, eqs. 10 to 17
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

from kinetree.assembly import Partition
from kinetree.assembly.partition import partition
from kinetree.engine import ONE, ZERO, Node, linear
from kinetree.formalism.loops import Coupling, Row, Validity, unsolved
from kinetree.program import Note, Program, Scheme
from kinetree.program.inline import bound, inline
from kinetree.steppers.equations.increments import times_tangent
from kinetree.steppers.equations.loops import Loops, angles
from kinetree.steppers.equations.residual import Residual, dot, rows
from kinetree.steppers.equations.step_inputs import STATE, Page, Settings
from kinetree.steppers.formulations.point import Matrix, Point
from kinetree.steppers.formulations.structural import Structural

if TYPE_CHECKING:
    from kinetree.steppers.family import Family

CLOSED = 1e-10
"""Gap at which a loop counts as closed [m, m2 or 1]."""


@dataclass
class Linked(Point):
    """A trial end of the step whose dependent rates follow from the loops.

    Attributes:
        B: dependent rates as functions of the independent ones.
        J: of the loops.
        g: gaps of the loops; of those between velocities by the rates of Newmark's formulas.
        rest: dependent velocities if the independent ones were zero.
    """

    B: Coupling | None = None
    J: Matrix = field(default_factory=list)
    g: list[Node] = field(default_factory=list)
    rest: dict[int, Node] = field(default_factory=dict)

    @property
    def coupling(self) -> Coupling:
        """Dependent rates as functions of the independent ones."""
        assert self.B is not None
        return self.B


@dataclass(frozen=True)
class _Bend:
    """Derivatives of the loops along increments: of Jᵀλ, J qd + ht, J qdd + Jdqd, by qd too."""

    G: Matrix
    E: Matrix
    F: Matrix
    F_rate: Matrix


class Topological(Structural):
    """A step of the topological formulation being written."""

    def __init__(
        self, page: Page, settings: Settings, exact: Residual, loops: Loops, found: Partition
    ) -> None:
        self.loops, self.choice = loops, found.choice()
        self.turning = angles(page.parts, loops)
        at = {name: k for k, name in enumerate(page.parts.model.velocities)}
        self.rolling = [at[name] for name in self.choice.rolling]
        self.v = [at[name] for name in self.choice.dependent] + self.rolling
        super().__init__(page, settings, exact)
        self.u = [k for k in self.free if k not in self.v]
        labels = (*self.choice.equations, *self.choice.rates)
        self.which = [loops.labels.index(label) for label in labels]
        self.slow = self.outer.let("slow", self.beta * page.h / self.gamma)

    def point(self, scheme: Scheme, D: Mapping[int, Node], S: Sequence[Node]) -> Linked:
        """The end of the step; dependent rates follow from the loops."""
        plain = super().point(scheme, D, S)
        p = Linked(**{row.name: getattr(plain, row.name) for row in fields(plain)})
        value, n, labels = self.loops.value, self.parts.space.nv, self.loops.labels
        found = inline(scheme, value, bound(value, **p.at))
        p.J = rows(found["J"], n)
        p.B = B = self._coupling(scheme, p.J, found)
        # Newmark's rates of rolling velocities, before the loops overwrite them: gaps need them
        own = {k: p.qd[k] for k in self.rolling}
        note = Note(step="dependent velocities", eq="Docquier2013 eq. (14)")
        given = dict(zip(labels, found["ht"], strict=True))
        p.rest = self._set_dependent_rates(B, p.qd, given, ("x", "v"), note)
        p.g = list(found["h"])
        moving = [own.get(k, v) for k, v in enumerate(p.qd)]
        for i in self.loops.rates:
            p.g[i] = self.slow * (dot(p.J[i], moving) + found["ht"][i])
        # once more, with the dependent velocities in place: the bias is quadratic in all of them
        bias = inline(scheme, value, bound(value, **p.at))["Jdqd"]
        note = Note(step="dependent accelerations", eq="Docquier2013 eq. (15)")
        self._set_dependent_rates(
            B, p.qdd, dict(zip(labels, bias, strict=True)), ("b", "qdd"), note
        )
        for k in self.v:
            # coordinates of rolling are integrated, so their a stays Newmark's
            p.a[k] = p.a[k] if k in self.rolling else p.qdd[k]
        return p

    def _coupling(self, scheme: Scheme, J: Matrix, found: Mapping[str, Sequence[Node]]) -> Coupling:
        sparse = [{k: x for k, x in enumerate(row) if x is not ZERO} for row in J]
        values = zip(self.loops.labels, found["h"], sparse, found["Jdqd"], found["ht"], strict=True)
        lines = {label: Row(h, j, bias, ht, label=label) for label, h, j, bias, ht in values}
        return Coupling(scheme, lines, self.choice.velocity_groups(), self.names, self.u_free())

    def u_free(self) -> list[int]:
        """Numbers of the independent velocities."""
        return [k for k in self.free if k not in self.v]

    def _set_dependent_rates(
        self, B: Coupling, rates: list[Node], given: Mapping[str, Node], stems: tuple[str, str],
        note: Note,
    ) -> dict[int, Node]:  # fmt: skip
        """Overwrite the dependent rates by what the loops demand; returns their part without u."""
        rest = B.rest(stems[0], given, {k: rates[k] for k in self.known}, note)
        own = {k: rates[k] for k in self.u_free()}
        for k in self.v:
            rates[k] = B.scheme.let(f"{stems[1]}_{k + 1}", B.followed(k, own, rest[k]))
        return rest

    def write_block(self, limit: int) -> None:
        """Write the Newton block."""
        p = self.point(self.inner, self.D, self.S)
        B, let = p.coupling, self.inner.let
        r, rest = self.right_sides(p)
        # multipliers balance the dependent equations; their stiffness G enters the tangent
        lam = B.multipliers({k: r[k] for k in self.v})
        self.w = [lam.get(label, ZERO) for label in self.loops.labels]
        reduced = [self.b2 * let("F", B.projected(r, u)) for u in self.u]
        moved = self.solve_change(p, [*reduced, *rest]) if reduced or rest else []
        du = dict(zip(self.u, moved, strict=False))
        note = Note(step="increments", eq="Cuadrado2003 eq. (26)")
        closing = B.rest("dv", dict(zip(self.loops.labels, p.g, strict=True)), {}, note)
        change = dict(du)
        for k in self.v:
            # dependent increments follow du to first order and close the gap that is left
            change[k] = let("dv", B.followed(k, du, -closing[k]))
        self.set_exact_slopes(p)
        equations = self._differentiable_equations(p, reduced, rest)
        changes = [*[change[k] for k in self.free], *moved[len(self.u) :]]
        self.newton(equations, (), changes, limit)

    def equation_labels(self) -> list[str]:
        """Labels of the equations of the Newton block, for messages."""
        found = [self.velocity_label(u) for u in self.u]
        found += [f"state '{name}'" for name in self.parts.model.states]
        return found + [f"closure '{self.loops.labels[i]}'" for i in self.which]

    def leading_matrix(self, p: Point) -> Matrix:
        """A: κ M + γ h C + β h² (K - G) T, projected, with rows and columns of the user states."""
        assert isinstance(p, Linked)
        B, n, m = p.coupling, self.parts.space.nv, len(self.S)
        G = self._bend(p, self.w if p.scheme is self.inner else self.page.lam).G
        by = p.mixed.get("dtau_dx", ())
        half: Matrix = []
        for k in range(n):
            pairs = zip(self.dynamic(p, k), G[k], strict=True)
            row = [x - self.b2 * y for x, y in pairs]
            half.append([p.scheme.let("AR", B.projected(row, u)) for u in self.u])
            half[k] += [self.b2 * by[k * m + i] for i in range(m)]
        width = len(self.u) + m
        A = [
            [p.scheme.let("RAR", B.projected([row[j] for row in half], u)) for j in range(width)]
            for u in self.u
        ]
        for i in range(m):
            row = self._state_derivatives(p, i)
            whole = [ZERO] * n
            for k, x in zip(self.free, row, strict=False):
                whole[k] = x
            A.append([B.projected(whole, u) for u in self.u] + row[len(self.free) :])
        return A

    def _bend(self, p: Linked, lam: Sequence[Node]) -> _Bend:
        slopes, n = self.loops.slopes, self.parts.space.nv
        found = inline(p.scheme, slopes, bound(slopes, **{**p.at, "w": list(lam)}))
        G, E, F = (
            [times_tangent(row, p.T) for row in rows(found[f"d{x}_dq"], n)] for x in ("G", "e", "f")
        )
        return _Bend(G, E, F, rows(found["df_dqd"], n))

    # --- for derivatives of the step -------------------------------------------------------------

    def _differentiable_equations(
        self, p: Linked, reduced: Sequence[Node], rest: Sequence[Node]
    ) -> list[tuple[Node, list[Node]]]:
        """Residuals, and their exact matrix over all increments for derivatives."""
        let, m, B = self.inner.let, len(self.S), p.coupling
        bend = self._bend(p, self.w)
        dqd, dqdd = self._rates(p, bend)
        lines = self._lines(p, bend.G, dqd, dqdd)
        by = p.mixed.get("dtau_dx", ())
        widths = self.widths()
        width = dict(zip(self.free, widths, strict=False))
        found = []
        for u, value in zip(self.u, reduced, strict=True):
            row = [self.b2 * B.projected([line[l] for line in lines], u) for l in self.free]
            row += [self.b2 * B.projected(by[i::m], u) for i in range(m)]
            found.append((let("h", width[u] * value), [let("J", width[u] * x) for x in row]))
        for i, value in enumerate(rest):
            scale = widths[len(self.free) + i]
            row = self._state_row(p, i, dqd)
            found.append((let("h", scale * value), [let("J", scale * x) for x in row]))
        allowed = 1 / CLOSED
        for i in self.which:
            slope = self._gap_row(p, i, bend.E, dqd)
            line = [allowed * slope[k] for k in self.free] + [ZERO] * m
            found.append((allowed * p.g[i], line))
        return found

    def _rates(self, p: Linked, bend: _Bend) -> tuple[Matrix, Matrix]:
        """d(qd)/dΔ and d(qdd)/dΔ."""
        n = self.parts.space.nv
        rate = self.outer.let("rate", self.gamma / (self.beta * self.page.h))
        second = self.outer.let("second", self.ratio * self.inverse)
        dqd = self._rate_derivatives(p, rate, {i: bend.E[i] for i in self.which})
        moved = {
            i: [
                a + dot(bend.F_rate[i], [dqd[k][l] for k in range(n)])
                for l, a in enumerate(bend.F[i])
            ]
            for i in self.which
        }
        return dqd, self._rate_derivatives(p, second, moved)

    def _lines(self, p: Linked, G: Matrix, dqd: Matrix, dqdd: Matrix) -> Matrix:
        """d(M qdd + c - Jᵀλ)/dΔ, λ held."""
        let, n = self.inner.let, self.parts.space.nv
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
        return lines

    def _state_row(self, p: Linked, i: int, dqd: Matrix) -> list[Node]:
        """Derivative of γh/κ (xd - rate) of a user state."""
        n, m, share = self.parts.space.nv, len(self.S), self.gamma_h_over_kappa()
        by_q = times_tangent(p.mixed["dxd_dq"][i * n : i * n + n], p.T)
        by_v = p.mixed["dxd_dqd"][i * n : i * n + n]
        row = [-share * (by_q[l] + dot(by_v, [x[l] for x in dqd])) for l in self.free]
        by_x = p.mixed["dxd_dx"][i * m : i * m + m]
        return row + [(ONE if i == j else ZERO) - share * x for j, x in enumerate(by_x)]

    def _gap_row(self, p: Linked, i: int, E: Matrix, dqd: Matrix) -> list[Node]:
        """Derivative of a gap."""
        if i not in self.loops.rates:
            return times_tangent(p.J[i], p.T)
        n = self.parts.space.nv
        rate = self.outer.let("rate", self.gamma / (self.beta * self.page.h))
        own = {k: [rate if k == l else ZERO for l in range(n)] for k in self.rolling}
        moving = [own.get(k, row) for k, row in enumerate(dqd)]
        return [self.slow * (E[i][l] + dot(p.J[i], [row[l] for row in moving])) for l in range(n)]

    def _rate_derivatives(
        self, p: Linked, rate: Node, changes: Mapping[int, Sequence[Node]]
    ) -> Matrix:
        """d(qd)/dΔ: `rate` for u, by the loops for v, zero for driven velocities."""
        n, B = self.parts.space.nv, p.coupling
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
        """The state at the end of the step; NaN where equations that are not solved do not hold."""
        p = self.point(self.outer, self.D, self.S)
        tests = Validity(self.outer, self.loops.system)
        for row in unsolved(p.coupling.rows.values(), self.choice):
            tests.closed(row)
            tests.coupled(row, p.coupling, {k: p.qd[k] for k in self.known} | p.rest)
        tests.regular(p.coupling.rows, self.choice)
        value = self.parts.value
        found = inline(self.outer, value, bound(value, **p.at))
        left = [x - y for x, y in zip(found["tau"], self.page.loads, strict=True)]
        lam = p.coupling.multipliers({k: left[k] for k in self.v})
        every = [lam.get(label, ZERO) for label in self.loops.labels]
        more = (p.a, p.y) if self.page.weighted else ((), ())
        rest = (p.q, p.qd, p.qdd, p.x, p.xd, *more, every)
        for name, values in zip(STATE, rest, strict=True):
            self.page.output(name, values)
        # last: the guard turns every output declared above into NaN where a test fails
        tests.guard()
        self.write_iteration_count()


def topological(
    parts: Residual, exact: Residual, loops: Loops, family: Family, settings: Settings
) -> Program:
    """One step of the topological formulation."""
    model = parts.model
    found = partition(model, independent=settings.independent or None)
    page = Page(f"{model.name}_step", parts, family)
    page.declare(loops.labels)
    step = Topological(page, settings, exact, loops, found)
    step.solve()
    step.outputs()
    chosen = {
        "independent": [n for n in found.independent if n not in found.rate_dependent],
        "equations": found.equations,
    }
    return page.scheme.program().with_info(**{k: ", ".join(v) for k, v in chosen.items()})


__all__ = ["topological"]
