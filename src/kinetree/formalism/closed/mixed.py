"""Mixed dynamics of closed systems: one equation alpha qdd + beta tau = gamma per velocity.

In the independent velocities u, with the reduced Mr and cr of the explicit model and the forces of
the dependent velocities v that are not known beforehand,

    tau_u = Mr udd + cr - B_vuᵀ tau_v,      qdd_v = B_vu udd + b

so that the equations of u and of such v determine udd and tau_v: the latter are bonds (`bonds`).
Where no such v is, velocities are eliminated as in a tree.  Equations that fix the same motion
twice leave tau_v undetermined: then all outputs are NaN.

Refs: Otter1996 eqs. 8, 9; Docquier2013 sec. 2.2.1, eqs. 12 to 17
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.engine import ONE, ZERO, Node, linear, mul
from kinetree.errors import UnsupportedError
from kinetree.formalism.held.bonds import NOTE, Bond, BoundMotion, solve_bound
from kinetree.formalism.joint_equations import JointLaw, JointMotion, SpeedBond, solve_mixed
from kinetree.formalism.links.vectors import Matrix
from kinetree.formalism.loops.validity import valid

if TYPE_CHECKING:
    from kinetree.formalism.closed.explicit import Explicit
    from kinetree.formalism.inertia_bias import Build


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
        found = self._solve(Mr, cr)
        udd = dict(zip(self.u, found.udd, strict=True))
        tau = {**known, **dict(zip(self.u, found.tau, strict=True))}
        tau.update(zip(self.v, found.forces, strict=False))
        qdd = page.whole(udd)
        psi = {
            k: linear(0, ((c0[k], 1), *[(mul(x, udd[u]), 1) for u, x in P[k].items()]))
            - self._pull(k, found)
            for k in (*self.coupling.dependent, *page.driven)
        }
        lam = self.coupling.multipliers({k: psi[k] - tau[k] for k in self.coupling.dependent})
        tau.update(page.drive_forces(psi, lam))
        changes = dict(zip(self.u, found.changes, strict=True)) if found.changes else {}
        sizes = dict(zip((*self.u, *self.v), found.sizes, strict=False))
        forces, good = [tau[k] for k in range(len(qdd))], self._test(found.tests)
        bonds = list(zip(found.forces, found.rates, found.sizes[len(self.u) :], strict=True))
        motion = JointMotion(
            page.system.qd, qdd, forces, changes, sizes, good, bonds[len(self.v) :]
        )
        self.law.write(self.scheme, motion)
        page.write_state(lam)

    def _solve(self, Mr: Matrix, cr: list[Node]) -> BoundMotion:
        """Accelerations of u, forces of u and v."""
        rows = [self.equations[u] for u in self.u]
        bonds = [self._bond(v) for v in self.v] + [self._tie(bond) for bond in self.law.bonds]
        if not bonds:
            return BoundMotion(*solve_mixed(self.scheme, Mr, cr, rows), [])
        return solve_bound(self.scheme, Mr, cr, rows, bonds)

    def _pull(self, k: int, found: BoundMotion) -> Node:
        """What the bonds of speeds add to the force of a velocity."""
        forces = zip(self.law.bonds, found.forces[len(self.v) :], strict=True)
        return linear(0, tuple((mul(bond.J[k], f), 1) for bond, f in forces if k in bond.J))

    def _test(self, terms: list[Node]) -> Node:
        """1, or NaN where forces are undetermined; without friction nothing has a value there.

        With it, speeds decide whether anything sticks that could be undetermined.
        """
        if (self.law.excess or self.law.bonds) and terms:
            return valid(self.scheme, terms)
        self.explicit.tests.terms += terms
        return ONE

    def _bond(self, v: int) -> Bond:
        """A dependent velocity, which follows the independent ones."""
        row = {i: self.coupling.B[v][u] for i, u in enumerate(self.u) if u in self.coupling.B[v]}
        excess = self.law.excess.get(v, ZERO)
        return Bond(row, self.explicit.qdd0[v], self.equations[v], excess)

    def _tie(self, bond: SpeedBond) -> Bond:
        """A speed by the independent velocities."""
        J, qdd0 = bond.J, self.explicit.qdd0
        shares = [bond.J.get(k, ZERO) for k in range(len(qdd0))]
        row = {i: self.coupling.project(shares, u) for i, u in enumerate(self.u)}
        drift = linear(0, ((bond.drift, 1), *[(mul(x, qdd0[k]), 1) for k, x in J.items()]))
        nonzero = {i: x for i, x in row.items() if x is not ZERO}
        if not nonzero:
            raise UnsupportedError(
                "its speed follows drives alone, so it cannot stick by itself",
                element=f"friction '{bond.name}'",
                cure="remove a drive, or the friction",
            )
        return Bond(nonzero, drift, bond.equation, bond.excess)
