"""One step of a structural method as a Program: state in, state out, Newton's method between.

Unknown are the increments Δ of the coordinates over the step (and those of the user states).  From
them Newmark's formulas give accelerations a₁ and velocities at the end, and the weights of the
family give the accelerations qdd₁ for which the equations of motion hold there:

    a₁ = (Δ - h v₀ - h² (½-β) a₀)/(β h²),     v₁ = v₀ + h ((1-γ) a₀ + γ a₁)
    (1-δm) a₁ + δm a₀ = (1-δf) qdd₁ + δf qdd₀,     M₁ qdd₁ + c₁ - τ = 0

The derivative is κ M + γ h C + β h² K T with κ = (1-δm)/(1-δf).  Where no weight is at the start,
a is qdd.  User states follow alike, with y in the place of a and xd in that of qdd.

Full Newton rebuilds the matrix in every iteration.  Modified Newton inverts it once per step, at
the first iterate; where a few iterations do not converge, full Newton goes on from there.

Cuadrado2003 eq. 38 weighs forces instead of accelerations.  For a constant mass matrix both are the
same; for one that changes, weighed forces lose the second order (M₁ multiplies an acceleration that
belongs to an earlier time), weighed accelerations keep it.

Refs: Cuadrado2003 eqs. 21 to 27, 37 to 42; ArnoldBruls2007; Bruls2012; Jansen2000 (first-order
equations)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kinetree.engine import ONE, ZERO, Node, Rank, linear, number, select, sqrt, symbol
from kinetree.program import Note, Program, Scheme
from kinetree.program.inline import bound, inline
from kinetree.program.newton import write_newton
from kinetree.steppers.equations.increments import times_tangent
from kinetree.steppers.equations.residual import Residual, dot, rows
from kinetree.steppers.equations.scaling import Scales, scales
from kinetree.steppers.equations.step_inputs import STATE, Page, Settings
from kinetree.steppers.family import COUNT
from kinetree.steppers.formulations.point import Matrix, Point

if TYPE_CHECKING:
    from kinetree.steppers.family import Family

FLOOR = 1e-14
"""Distance from the solution that rounding alone causes [rad or m]."""
TURN = 0.3
"""Largest change of the angles of loops in one iteration, as the norm of all of them [rad].

A loop can close in several ways: a longer change may end in another one, far from the start.
"""
NEAR = 0.03
"""Largest extrapolation by accelerations that is trusted: norm over the angles of loops [rad]."""
AGAINST = -0.5
"""Predicted end acceleration over start acceleration where the latter is too large to extrapolate;
negative, because undamped methods oscillate from step to step."""
HUGE = 1e300
"""`value + HUGE > 0` holds for every finite value that occurs, and fails for NaN."""
KEPT = 8
"""Iterations of modified Newton (tangent kept) before the switch to full Newton."""


class Structural:
    """A step of a structural method being written.

    Attributes:
        turning: numbers of the angles of loops; their changes are bounded.
        penalised: whether the leading matrix holds penalties, far above the masses.
    """

    turning: Sequence[int] = ()
    penalised = False

    def __init__(self, page: Page, settings: Settings, exact: Residual) -> None:
        self.page, self.parts, self.settings, self.exact = page, page.parts, settings, exact
        self.outer, self.inner = page.scheme, Scheme("step", page.scheme.names)
        assert page.weights is not None
        let, h = self.outer.let, page.h
        w = page.weights
        self.dm, self.df = let("delta_m", w.inertia), let("delta_f", w.force)
        self.gamma, self.beta = let("gamma", w.velocity), let("beta", w.position)
        self.b2 = let("b2", self.beta * h**2)
        self.gh = let("gh", self.gamma * h)
        self.ratio = let("kappa", (1 - self.dm) / (1 - self.df))
        self.names = self.parts.model.velocities
        self.sizes = self.equation_scales()
        self.known = page.drive_values(page.end_time())
        self.free = self.parts.free
        self.keep_tangent = settings.update == "step"
        self.name_unknowns()
        self.Ai: Matrix = []
        self.counts: list[Node] = []
        self.name_start_terms()

    def equation_scales(self) -> Scales:
        """Sizes of the equations."""
        return scales(self.exact)

    def name_start_terms(self) -> None:
        """Name the parts of Newmark's formulas that depend on the start of the step alone."""
        let, page, h = self.outer.let, self.page, self.page.h
        near, rest = let("h2a", h**2 * (0.5 - self.beta)), let("hg", h * (1 - self.gamma))
        self.inverse = let("b2i", 1 / self.b2)
        self.a0 = {k: let("a0", (h * page.qd[k] + near * page.a[k]) * self.inverse)
                   for k in self.free}  # fmt: skip
        self.v0 = {k: let("v0", page.qd[k] + rest * page.a[k]) for k in self.free}
        half = (
            let("h2", 0.5 * h**2)
            if not self.turning
            else let("h2", near + self._expected_acceleration())
        )
        self.start = {k: let("start", h * page.qd[k] + half * page.a[k]) for k in self.free}
        self.start_x = [let("start", h * y) for y in page.xd]
        self.weighted_start = [
            self._weighted_start(a, qdd) for a, qdd in zip(page.a, page.qdd, strict=True)
        ]
        self.weighted_start_x = [
            self._weighted_start(y, xd) for y, xd in zip(page.y, page.xd, strict=True)
        ]

    def _expected_acceleration(self) -> Node:
        """β h² a₁/a₀ where the iterations start: as at the start of the step, or against it."""
        let, b2 = self.outer.let, self.b2
        moves = [let("ahead", b2 * self.page.a[k]) for k in self.turning]
        trusted = NEAR**2 - let("ahead", dot(moves, moves))
        return let("expected", b2 * select(trusted, ONE, AGAINST))

    def _weighted_start(self, a: Node, rate: Node) -> Node:
        """(δm a₀ - δf qdd₀)/(1-δf)."""
        share = self.outer.let("share", 1 / (1 - self.df))
        return self.outer.let("late", (self.dm * a - self.df * rate) * share)

    def point(self, scheme: Scheme, D: Mapping[int, Node], S: Sequence[Node]) -> Point:
        """The end of the step for some increments."""
        let, page, n = scheme.let, self.page, self.parts.space.nv
        by = [D.get(k, ZERO) for k in range(n)]
        q = self.parts.space.displace(scheme, page.q, by)
        v, qdd, a = [ZERO] * n, [ZERO] * n, [ZERO] * n
        for k in self.free:
            a[k] = let(f"a_{k + 1}", D[k] * self.inverse - self.a0[k])
            v[k] = let(f"v_{k + 1}", self.v0[k] + self.gh * a[k])
            qdd[k] = let(f"qdd_{k + 1}", self.ratio * a[k] + self.weighted_start[k])
        at = self.parts.driven
        # driven velocities have no increment: their laws give coordinate, rate and acceleration
        for k, row in self.known.items():
            q[at[k]], v[k], qdd[k] = row
            a[k] = qdd[k]
        x = [let("x_1", x + s) for x, s in zip(page.x, S, strict=True)]
        inverse = self.outer.let("ghi", 1 / self.gh)
        rest = self.outer.let("xr", (1 - self.gamma) / self.gamma)
        y = [let("y_1", s * inverse - y * rest) for y, s in zip(page.y, S, strict=True)]
        pairs = zip(y, self.weighted_start_x, strict=True)
        xd = [let("xd_1", self.ratio * z + late) for z, late in pairs]
        bound_to = {"q": q, "qd": v, "qdd": qdd, "x": x, "t": [page.end_time()]}
        return Point(scheme, by, q, v, qdd, a, x, xd, y, bound_to)

    # --- the equations ---------------------------------------------------------------------------

    def slopes(self, p: Point, parts: Residual) -> tuple[Node, ...]:
        """Set K, C, M and T of a point; returns M qdd + c there."""
        found = inline(p.scheme, parts.slopes, bound(parts.slopes, **p.at))
        n = parts.space.nv
        p.K, p.C, p.M = (rows(found[f"dtau_d{x}"], n) for x in ("q", "qd", "qdd"))
        p.T = parts.space.tangent(p.scheme, p.by)
        if parts.states is not None:
            p.mixed = inline(p.scheme, parts.states, bound(parts.states, **p.at))
        return found["tau"]

    def right_sides(self, p: Point) -> tuple[list[Node], list[Node]]:
        """M qdd + c - τ of all velocities, and γh/κ (xd - rate) of the user states."""
        value = self.parts.value
        if self.keep_tangent:
            found = inline(p.scheme, value, bound(value, **p.at))
            forces = found["tau"]
        else:
            forces = self.slopes(p, self.parts)
            found = inline(p.scheme, value, bound(value, **p.at)) if self.S else {}
        share = self.gamma_h_over_kappa()
        rates = zip(p.xd, found.get("xd", ()), strict=True)
        return (
            [x - load for x, load in zip(forces, self.page.loads, strict=True)],
            [share * (xd - rate) for xd, rate in rates] if self.S else [],
        )

    def gamma_h_over_kappa(self) -> Node:
        """γ h/κ."""
        return self.outer.let("xs", self.gh / self.ratio)

    def dynamic(self, p: Point, k: int) -> list[Node]:
        """Row k of κ M + γ h C + β h² K T, over all velocities."""
        KT = times_tangent(p.K[k], p.T)
        return [
            linear(0, ((self.ratio * m, 1), (self.gh * c, 1), (self.b2 * x, 1)))
            for m, c, x in zip(p.M[k], p.C[k], KT, strict=True)
        ]

    def matrix(self, p: Point, lines: Sequence[Sequence[Node]]) -> Matrix:
        """The leading matrix, for free velocities and user states, from rows for velocities."""
        m = len(self.S)
        by = p.mixed.get("dtau_dx", ())
        found = [
            [lines[k][l] for l in self.free] + [self.b2 * by[k * m + i] for i in range(m)]
            for k in self.free
        ]
        return found + [self._state_derivatives(p, i) for i in range(m)]

    def _state_derivatives(self, p: Point, i: int) -> list[Node]:
        """The row of a user state, times γ h/κ: about the distance in x."""
        n, m, share = self.parts.space.nv, len(self.S), self.gamma_h_over_kappa()
        by_q = times_tangent(p.mixed["dxd_dq"][i * n : i * n + n], p.T)
        by_v = p.mixed["dxd_dqd"][i * n : i * n + n]
        rate = self.outer.let("rate", self.gamma / (self.beta * self.page.h))
        row = [-share * (by_q[k] + rate * by_v[k]) for k in self.free]
        by_x = p.mixed["dxd_dx"][i * m : i * m + m]
        return row + [(ONE if i == j else ZERO) - share * x for j, x in enumerate(by_x)]

    def diagonal(self) -> list[Node]:
        """Approximate diagonal of the leading matrix, from the model's own values."""
        let, size = self.outer.let, self.sizes
        return [
            let("size", float(m) + self.gh * float(c) + self.b2 * float(k))
            for m, c, k in zip(size.M, size.C, size.K, strict=True)
        ]

    def widths(self) -> list[Node]:
        """1/(scale · distance allowed), per free velocity and per user state."""
        let, sizes, h = self.outer.let, self.diagonal(), self.page.h
        near = let("near", number(self.settings.tolerance) * h**2)
        found = []
        for k in self.free:
            # increments are known relative to themselves, springs feel the rounding of coordinates
            soft = let("soft", 1 - float(self.sizes.M[k]) / sizes[k])
            found.append(let("width", 1 / ((near + FLOOR * (h + soft)) * sizes[k])))
        return found + [let("width", 1 / ((near + FLOOR) * float(x))) for x in self.sizes.x]

    # --- the step --------------------------------------------------------------------------------

    def leading_matrix(self, p: Point) -> Matrix:
        """The matrix A of A dz = right-hand side."""
        return self.matrix(p, [self.dynamic(p, k) for k in range(self.parts.space.nv)])

    def limit_turns(self, scheme: Scheme, change: Sequence[Node]) -> list[Node]:
        """A change of all unknowns, shortened where angles of loops would turn too far."""
        if not self.turning:
            return list(change)
        turns = [change[self.free.index(k)] for k in self.turning]
        square = scheme.let("turn2", dot(turns, turns))
        factor = select(square - TURN**2, TURN / sqrt(square), ONE)
        short = scheme.let("short", factor)
        return [scheme.let("dz", short * x) for x in change]

    def solve_change(self, p: Point, right: Sequence[Node]) -> list[Node]:
        """The change of the increments of velocities and user states."""
        note = Note(step="increments", eq="Cuadrado2003 eq. (26)")
        kind = {"symmetric": False, "stiff": self.penalised}
        if not self.keep_tangent:
            columns = [[x] for x in right]
            A = self.leading_matrix(p)
            return [row[0] for row in p.scheme.solve("dz", A, columns, **kind, note=note)]
        # the inverse itself: iterations and projections along the tangent all use it
        if not self.Ai:
            first = self.point(self.outer, self.start, self.start_x)
            self.slopes(first, self.parts)
            A = self.leading_matrix(first)
            n = len(A)
            unit = [[ONE if i == j else ZERO for j in range(n)] for i in range(n)]
            self.Ai = self.outer.solve("Ai", A, unit, **kind, note=note)
        named = [p.scheme.let("rhs", x) for x in right]
        return [p.scheme.let("dz", dot(row, named)) for row in self.Ai]

    def set_exact_slopes(self, p: Point) -> None:
        """Set the exact K and C of a point, which derivatives of the step need."""
        if self.keep_tangent or self.exact is not self.parts:
            self.slopes(p, self.exact)

    def solve(self) -> None:
        """Write the Newton block; with a kept tangent a second one, full Newton, behind it."""
        if self.keep_tangent:
            self.write_block(min(KEPT, self.settings.limit))
            self.rebuild_tangent()
        self.write_block(self.settings.limit)

    def write_block(self, limit: int) -> None:
        """Write the Newton block of a system without loops."""
        p = self.point(self.inner, self.D, self.S)
        r, rest = self.right_sides(p)
        right = [self.b2 * r[k] for k in self.free] + rest
        if not right:
            return
        change = self.solve_change(p, right)
        self.set_exact_slopes(p)
        J = self.matrix(p, [self.dynamic(p, k) for k in range(self.parts.space.nv)])
        self.newton(self.divide_by_tolerance(right, J), (), change, limit)

    def rebuild_tangent(self) -> None:
        """Switch to full Newton, starting from the last finite iterate if there is one."""
        kept, states = self.D, self.S
        self.inner, self.keep_tangent = Scheme("step", self.outer.names), False
        self.start = {k: self.or_else(kept[k], x) for k, x in self.start.items()}
        self.start_x = [self.or_else(s, x) for s, x in zip(states, self.start_x, strict=True)]
        self.name_unknowns()

    def or_else(self, value: Node, otherwise: Node) -> Node:
        """`value`, or `otherwise` where `value` is NaN."""
        return self.outer.let("start", select(value + HUGE, value, otherwise))

    def name_unknowns(self) -> None:
        """Name the unknowns of a Newton block."""
        mark = "kept_D" if self.keep_tangent else "D"
        self.D = {k: symbol(f"{mark}_{self.names[k]}", Rank.COORDINATE) for k in self.free}
        states = self.parts.model.states
        self.S = tuple(symbol(f"{mark}_{name}", Rank.COORDINATE) for name in states)

    def divide_by_tolerance(
        self, values: Sequence[Node], J: Matrix
    ) -> list[tuple[Node, list[Node]]]:
        """Equations and rows of J, divided by the residual allowed: solved below 1."""
        let = self.inner.let
        return [
            (let("h", width * x), [let("J", width * y) for y in row])
            for width, x, row in zip(self.widths(), values, J, strict=True)
        ]

    def newton(
        self,
        equations: Sequence[tuple[Node, Sequence[Node]]],
        more: Sequence[tuple[Node, Node]],
        change: Sequence[Node],
        limit: int,
    ) -> None:
        """Write the block for increments, states and further unknowns."""
        unknowns = [(self.D[k], self.start[k]) for k in self.free]
        unknowns += list(zip(self.S, self.start_x, strict=True))
        count = symbol("kept_count" if self.keep_tangent else "count", Rank.COORDINATE)
        write_newton(
            self.outer, self.inner, [*unknowns, *more], equations,
            change=self.limit_turns(self.inner, change), count=count, labels=self.equation_labels(),
            tolerance=1.0, limit=limit,
            note=Note(step="time step", eq="Cuadrado2003 eq. (25)"),
        )  # fmt: skip
        self.counts.append(self.or_else(count, number(limit)) if self.keep_tangent else count)

    def equation_labels(self) -> list[str]:
        """Labels of the equations of the Newton block, for messages."""
        return [self.velocity_label(k) for k in self.free] + [
            f"state '{x}'" for x in self.parts.model.states
        ]

    def velocity_label(self, k: int) -> str:
        """A velocity and the body that it moves."""
        name = self.names[k]
        joint = next((j for j in self.parts.model.body_joints if name in j.velocities), None)
        return f"'{name}'" if joint is None else f"'{name}' of body '{joint.child.body.name}'"

    def write_iteration_count(self) -> None:
        """Declare the number of iterations."""
        if self.counts:
            self.outer.output(COUNT, [linear(0, tuple((x, 1) for x in self.counts))], ())

    def outputs(self) -> None:
        """The state at the end of the step."""
        p = self.point(self.outer, self.D, self.S)
        more = (p.a, p.y) if self.page.weighted else ((), ())
        for name, values in zip(STATE, (p.q, p.qd, p.qdd, p.x, p.xd, *more), strict=False):
            self.page.output(name, values)
        self.write_iteration_count()


def structural(parts: Residual, exact: Residual, family: Family, settings: Settings) -> Program:
    """One step of a system without loops."""
    page = Page(f"{parts.model.name}_step", parts, family)
    page.declare()
    step = Structural(page, settings, exact)
    step.solve()
    step.outputs()
    return page.scheme.program()


__all__ = ["Structural", "structural"]
