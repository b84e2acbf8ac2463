"""The explicit model of a closed system: udd from u, ud, one Program from loops to multipliers.

1. positions: driven coordinates, then v from u by Newton's method, group by group (`positions`);
2. velocities and B (`coupling`);
3. tree dynamics at udd = 0: c₀ = M qdd₀ + c, where qdd₀ holds b and the driven accelerations;
4. reduction with R = [1; B; 0], qd = R ud + …:   Rᵀ M R udd = Rᵀ (τ - c₀);
5. qdd = R udd + qdd₀, and the multipliers of the equations.

Refs: Docquier2013 sec. 2.2.1, eqs. 10 to 17; sec. 3.5.1, eq. 37, figs. 9 and 10
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kinetree.engine import ONE, ZERO, Node, linear, mul
from kinetree.errors import ModelError
from kinetree.formalism.inertia_bias import Build, MassOperator
from kinetree.formalism.links.frames import Frames
from kinetree.formalism.links.vectors import Matrix
from kinetree.formalism.loops.constraints import equations
from kinetree.formalism.loops.coupling import Coupling
from kinetree.formalism.loops.drives import drive_rates
from kinetree.formalism.loops.positions import Choice, close_positions
from kinetree.formalism.loops.validity import Validity, unsolved_rows
from kinetree.program import Assign, Note
from kinetree.program.solving import solve_by_size

REDUCED = Note(step="reduced equations", eq="Docquier2013 eq. (16)")


class Explicit:
    """The equations of a closed system being written.

    Attributes:
        u: numbers of the independent velocities.
        rows: label -> equation.
        coupling: the dependent velocities from the independent ones.
        driven: accelerations of the driven velocities.
        qdd0: accelerations at udd = 0.
        tests: of the equations that are not solved.
    """

    def __init__(
        self, frames: Frames, choice: Choice, given: Sequence[Node] = (), labels: Sequence[str] = ()
    ) -> None:
        """Write positions, velocities and accelerations at udd = 0.

        Args:
            frames: the links; its scheme may be written in any order.
            choice: which equations are solved for which velocities.
            given: accelerations of the driven velocities without a law.
            labels: of all equations, for the output of multipliers.
        """
        self.frames, self.scheme, self.system = frames, frames.scheme, frames.system
        self.labels = tuple(labels)
        names = list(self.system.model.velocities)
        close_positions(self.scheme, self.system, choice)
        self.rows = rows = {row.label: row for row in equations(self.scheme, self.system)}
        solved = {*choice.dependent, *choice.rolling, *self.system.model.drives}
        self.u = [k for k, name in enumerate(names) if name not in solved]
        self.coupling = Coupling(self.scheme, rows, choice.velocity_groups(), names, self.u)
        rates, self.driven = drive_rates(self.scheme, self.system, given)
        note = Note(step="dependent velocities", eq="Docquier2013 eq. (14)")
        rest = self.coupling.rest("x", {k: row.ht for k, row in rows.items()}, rates, note)
        qd = {u: self.system.qd[u] for u in self.u}
        for k in self.coupling.dependent:
            value = self.coupling.follow(k, qd, rest[k])
            self.scheme.define(Assign(self.system.qd[k], value, note))
        note = Note(step="dependent accelerations", eq="Docquier2013 eq. (15)")
        bias = {label: row.Jdqd for label, row in rows.items()}
        b = self.coupling.rest("b", bias, self.driven, note)
        self.qdd0 = tuple(b.get(k, self.driven.get(k, ZERO)) for k in range(self.system.nv))
        self.tests = Validity(self.scheme, self.system)
        for row in unsolved_rows(rows.values(), choice):
            self.tests.check_closed(row)
            self.tests.check_coupled(row, self.coupling, {**rates, **rest})
        self.tests.regular(rows, choice)

    def accelerate(self, tau: Sequence[Node], build: Build) -> None:
        """Write qdd and lam for given generalised forces."""
        M, c0 = build(self.frames, self.system.qd, self.qdd0)
        left = [x - t for x, t in zip(c0, tau, strict=True)]
        P = self.weigh(M)
        Mr = self.reduce(P, self.u)
        note = Note(step="reduced mass matrix", eq="Docquier2013 eq. (16)")
        F = [self.scheme.let(f"F_{i + 1}", -self.coupling.project(left, u), note)
             for i, u in enumerate(self.u)]  # fmt: skip
        udd = dict(zip(self.u, solve_by_size(self.scheme, "udd", Mr, F, REDUCED), strict=True))
        self._write(udd, left, P)

    def reduce(self, P: list[dict[int, Node]], moving: Sequence[int]) -> Matrix:
        """Rᵀ M R; those of its velocities whose accelerations are unknown must move some mass."""
        note = Note(step="reduced mass matrix", eq="Docquier2013 eq. (16)")
        n = len(self.u)
        Mr: Matrix = [[ZERO] * n for _ in range(n)]
        for i, u in enumerate(self.u):
            for j, w in enumerate(self.u[: i + 1]):
                column = [P[k].get(w, ZERO) for k in range(self.system.nv)]
                Mr[i][j] = Mr[j][i] = self.scheme.let(
                    f"Mr_{i + 1}_{j + 1}", self.coupling.project(column, u), note
                )
            if u in moving:
                self._refuse_massless(u, Mr[i][i])
        return Mr

    def _refuse_massless(self, u: int, inertia: Node) -> None:
        if inertia is ZERO:
            raise ModelError(
                "nothing that it moves has inertia, so its acceleration is undetermined",
                element=f"velocity '{self.system.model.velocities[u]}'",
                cure="give mass to a body that it moves, drive it, or tie it by a closure",
            )

    def weigh(self, M: MassOperator) -> list[dict[int, Node]]:
        """M R, row by row, without structural zeros."""
        note = Note(step="M R", eq="Docquier2013 eq. (12)")
        rows = self._by_columns(M) if callable(M) else self._by_rows(M)
        return [
            {u: self.scheme.let(f"MR_{k + 1}_{u + 1}", x, note) for u, x in row.items()}
            for k, row in enumerate(rows)
        ]

    def _by_rows(self, M: Matrix) -> list[dict[int, Node]]:
        rows: list[dict[int, Node]] = []
        B = self.coupling.B
        for row in M:
            found: dict[int, Node] = {}
            for u in self.u:
                terms = [(mul(row[v], B[v][u]), 1) for v in self.coupling.dependent if u in B[v]]
                value = linear(0, ((row[u], 1), *terms))
                if value is not ZERO:
                    found[u] = value
            rows.append(found)
        return rows

    def _by_columns(self, weigh: Callable[[tuple[Node, ...]], list[Node]]) -> list[dict[int, Node]]:
        rows: list[dict[int, Node]] = [{} for _ in range(self.system.nv)]
        for u in self.u:
            moved = {k: B[u] for k, B in self.coupling.B.items() if u in B} | {u: ONE}
            column = weigh(tuple(moved.get(k, ZERO) for k in range(self.system.nv)))
            for row, x in zip(rows, column, strict=True):
                if x is not ZERO:
                    row[u] = x
        return rows

    def _write(self, udd: dict[int, Node], left: list[Node], P: list[dict[int, Node]]) -> None:
        scheme, coupling, model = self.scheme, self.coupling, self.system.model
        qdd = self.whole(udd)
        psi = {
            k: linear(0, ((left[k], 1), *[(mul(x, udd[u]), 1) for u, x in P[k].items()]))
            for k in coupling.dependent
        }
        lam = coupling.multipliers(psi)
        scheme.output("qdd", qdd, None, model.velocities)
        self.write_state(lam)

    def whole(self, udd: dict[int, Node]) -> tuple[Node, ...]:
        """Accelerations of all velocities from those of the independent ones."""
        return tuple(
            udd[k] if k in udd else
            self.coupling.follow(k, udd, self.qdd0[k]) if k in self.coupling.B else self.qdd0[k]
            for k in range(self.system.nv)
        )  # fmt: skip

    def drive_forces(self, psi: Mapping[int, Node], lam: Mapping[str, Node]) -> dict[int, Node]:
        """Forces of the driven velocities: M qdd + c less what the loops carry."""
        found: dict[int, Node] = {}
        for k in self.driven:
            carried = [(mul(self.rows[label].J[k], x), -1) for label, x in lam.items()
                       if k in self.rows[label].J]  # fmt: skip
            found[k] = linear(0, ((psi[k], 1), *carried))
        return found

    def write_state(self, lam: dict[str, Node]) -> None:
        """Write the multipliers, and the coordinates and velocities that obey the loops."""
        scheme, model = self.scheme, self.system.model
        scheme.output("lam", [lam.get(label, ZERO) for label in self.labels], None, self.labels)
        scheme.output("q_closed", self.system.q, None, model.coordinates)
        scheme.output("qd_closed", self.system.qd, None, model.velocities)
