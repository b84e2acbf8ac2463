"""Mixed dynamics of closed systems: one equation alpha qdd + beta tau = gamma per velocity.

In the independent velocities u, with the reduced Mr and cr of the explicit model and the forces of
the dependent velocities v that are not known beforehand,

    tau_u = Mr udd + cr - B_vuᵀ tau_v,      qdd_v = B_vu udd + b

so that the equations of u and of such v determine udd and tau_v.  Where no such v is, velocities
are eliminated as in a tree.  Equations that fix the same motion twice leave tau_v undetermined:
then all outputs are NaN.

Refs: Otter1996 eqs. 8, 9; Docquier2013 sec. 2.2.1, eqs. 12 to 17
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.engine import ONE, ZERO, Node, add, linear, mul, number
from kinetree.formalism.joint_equations import JointLaw, solve_mixed
from kinetree.formalism.links.vectors import inner
from kinetree.formalism.loops.validity import ALIKE, GENERAL
from kinetree.program import Note

if TYPE_CHECKING:
    from kinetree.formalism.closed.explicit import Explicit
    from kinetree.formalism.inertia_bias import Build

Matrix = list[list[Node]]
NOTE = Note(step="mixed dynamics", eq="Otter1996 eqs. (8), (9)")


class Mixed:
    """Accelerations and forces of a closed system being written.

    Args:
        explicit: positions, velocities and couplings.
        law: equations, one per velocity; those of driven velocities are not used.
    """

    def __init__(self, explicit: Explicit, law: JointLaw) -> None:
        self.explicit, self.scheme = explicit, explicit.scheme
        self.coupling, self.u = explicit.coupling, explicit.u
        self.law, self.equations = law, law.equations
        self.v = [k for k in self.coupling.dependent if not self.equations[k].is_free]

    def write(self, build: Build) -> None:
        """Write what the law makes of qdd and tau, and lam.

        Args:
            build: (frames, qd, qdd) -> M, and M qdd + c.
        """
        page, rows = self.explicit, self.equations
        M, c0 = build(page.frames, page.system.qd, page.qdd0)
        left = list(c0)
        known = {k: rows[k].gamma for k in self.coupling.dependent if rows[k].is_free}
        for k, force in known.items():
            left[k] = left[k] - force
        P = page.weigh(M)
        Mr = page.reduce(P, [u for u in self.u if not rows[u].is_driven])
        cr = [
            self.scheme.let(f"cr_{i}", self.coupling.project(left, u), NOTE)
            for i, u in enumerate(self.u, 1)
        ]
        udd, forces = self._solve(Mr, cr)
        tau = {**known, **forces}
        qdd = page.whole(udd)
        psi = {
            k: linear(0, ((c0[k], 1), *[(mul(x, udd[u]), 1) for u, x in P[k].items()]))
            for k in (*self.coupling.dependent, *page.driven)
        }
        lam = self.coupling.multipliers({k: psi[k] - tau[k] for k in self.coupling.dependent})
        tau.update(page.drive_forces(psi, lam))
        self.law.write(self.scheme, page.system.qd, qdd, [tau[k] for k in range(len(qdd))])
        page.write_state(lam)

    def _solve(self, Mr: Matrix, cr: list[Node]) -> tuple[dict[int, Node], dict[int, Node]]:
        """Accelerations of u, forces of u and v."""
        rows = [self.equations[u] for u in self.u]
        if not self.v:
            qdd, tau = solve_mixed(self.scheme, Mr, cr, rows)
            return dict(zip(self.u, qdd, strict=True)), dict(zip(self.u, tau, strict=True))
        x = self._solve_coupled(Mr, cr)
        udd, tau_v = x[: len(self.u)], x[len(self.u) :]
        forces = dict(zip(self.v, tau_v, strict=True))
        for u, line, c, row in zip(self.u, Mr, cr, rows, strict=True):
            carried = inner([self._share(v, u) for v in self.v], tau_v)
            forces[u] = row.gamma if row.is_free else inner(line, udd) + c - carried
        return dict(zip(self.u, udd, strict=True)), forces

    def _solve_coupled(self, Mr: Matrix, cr: list[Node]) -> list[Node]:
        """udd and tau_v from one system, which a second right-hand side tests for regularity."""
        A: Matrix = []
        rhs: Matrix = []
        for i, (u, line, c) in enumerate(zip(self.u, Mr, cr, strict=True)):
            row = self.equations[u]
            own = [row.beta * x for x in line]
            own[i] = own[i] + row.alpha
            A.append(own + [-row.beta * self._share(v, u) for v in self.v])
            rhs.append([row.gamma - row.beta * c, ZERO])
        for k, v in enumerate(self.v):
            row, b = self.equations[v], self.explicit.qdd0[v]
            own = [row.beta if v == w else ZERO for w in self.v]
            A.append([row.alpha * self._share(v, u) for u in self.u] + own)
            rhs.append([row.gamma - row.alpha * b, row.alpha * number(1 / (1 + GENERAL * k))])
        X = self.scheme.solve("mixed", A, rhs, symmetric=False, note=NOTE)
        if len(X) == 1:
            return [X[0][0]]
        n, rotors = len(self.u), [self.equations[v].alpha * self.equations[v].beta for v in self.v]
        inertia = self.scheme.let("mixed_m", add(*[Mr[i][i] for i in range(n)], *rotors), NOTE)
        sizes = [ONE] * n + [inertia if n else ONE] * len(self.v)
        tested = [(ALIKE * row[1] / size) ** 2 for row, size in zip(X, sizes, strict=True)]
        self.explicit.tests.terms += tested
        return [x for x, _ in X]

    def _share(self, v: int, u: int) -> Node:
        """Element of B: how a dependent velocity follows an independent one."""
        return self.coupling.B[v].get(u, ZERO)


__all__ = ["Mixed"]
