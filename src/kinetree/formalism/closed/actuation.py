"""Inverse dynamics of closed systems: forces of actuators for a given motion.

With ψ = M qdd + c, virtual power in the independent velocities gives

    Rᵀ S τ_a = Rᵀ ψ,      R = [1; B; 0],

where S puts the forces of the actuators on their joints.  As many actuators as degrees of freedom
give one solution; more of them the one with the least Σ τ²/w; with fewer, as many accelerations as
are missing are unknowns instead (hybrid direct and inverse dynamics).

The printed eqs. 19, 22 and 23 of Docquier2013 have the opposite sign at B_vuᵀ; eqs. 12 and 16 and
the virtual power above give φ_u = ψ_u - φ_u^p + B_vuᵀ (ψ_v - φ_v^p).

Refs: Docquier2013 sec. 2.2.2, eqs. 18 to 27
"""

from __future__ import annotations

from collections.abc import Sequence

from kinetree.engine import ONE, ZERO, Node, linear, mul
from kinetree.formalism.closed.explicit import Explicit
from kinetree.formalism.inertia_bias import Build, MassOperator
from kinetree.formalism.links.vectors import Matrix, inner
from kinetree.program import Note


class Actuation:
    """Forces of actuators being written.

    Args:
        explicit: positions, velocities and couplings.
        actuators: numbers of the actuated velocities, none of them driven.
        free: independent velocities whose accelerations are unknown: as many as actuators miss.
    """

    def __init__(self, explicit: Explicit, actuators: Sequence[int], free: Sequence[int]) -> None:
        self.explicit, self.scheme = explicit, explicit.scheme
        self.coupling, self.u = explicit.coupling, explicit.u
        self.actuators, self.free = list(actuators), list(free)

    def write(self, qdd: Sequence[Node], weights: Sequence[Node], build: Build) -> None:
        """Write tau, qdd and lam.

        Args:
            qdd: given accelerations; those of independent velocities that are not free count.
            weights: w of every actuator, where there are more than degrees of freedom.
            build: (frames, qd, qdd) -> M, and M qdd + c.
        """
        page = self.explicit
        udd = {u: ZERO if u in self.free else qdd[u] for u in self.u}
        moving = page.whole(udd)
        M, psi = build(page.frames, page.system.qd, moving)
        b = [page.coupling.project(psi, u) for u in self.u]
        if self.free:
            forces, found = self._hybrid(M, b)
            udd.update(found)
            moving = page.whole(udd)
            psi = self._add_free(psi, M, found)
        else:
            forces = self._forces(b, weights)
        self._outputs(psi, forces, moving)

    def _effect(self, u: int, a: int) -> Node:
        """Element of Rᵀ S: how the force of an actuator acts on an independent velocity."""
        if a == u:
            return ONE
        return self.coupling.B.get(a, {}).get(u, ZERO)

    def _forces(self, b: list[Node], weights: Sequence[Node]) -> list[Node]:
        """τ_a with A τ_a = b; of least Σ τ²/w where there are more actuators than equations."""
        A = [[self._effect(u, a) for a in self.actuators] for u in self.u]
        if len(self.actuators) == len(self.u):
            note = Note(step="forces of the actuators", eq="Docquier2013 eq. (23), corrected")
            return self._solve("tau_a", A, b, note)
        note = Note(step="least forces of the actuators", eq="Docquier2013 eq. (25)")
        AW = [[mul(x, w) for x, w in zip(row, weights, strict=True)] for row in A]
        G = [[inner(left, right) for right in A] for left in AW]
        x = [row[0] for row in self.scheme.solve("tau_x", G, [[y] for y in b], note=note)]
        return [inner([row[k] for row in AW], x) for k in range(len(self.actuators))]

    def _hybrid(self, M: MassOperator, b: list[Node]) -> tuple[list[Node], dict[int, Node]]:
        """[A, -M_uf] [τ_a; udd_f] = b: forces, and the accelerations of the free velocities."""
        note = Note(step="hybrid direct and inverse dynamics", eq="Docquier2013 eqs. (26), (27)")
        P = self.explicit.weigh(M)
        rows: Matrix = []
        for u in self.u:
            row = [self._effect(u, a) for a in self.actuators]
            for f in self.free:
                column = [P[k].get(f, ZERO) for k in range(self.explicit.system.nv)]
                row.append(-self.coupling.project(column, u))
            rows.append(row)
        x = self._solve("tau_a", rows, b, note)
        split = len(self.actuators)
        return x[:split], dict(zip(self.free, x[split:], strict=True))

    def _add_free(self, psi: Sequence[Node], M: MassOperator, found: dict[int, Node]) -> list[Node]:
        """ψ with the accelerations of the free velocities added."""
        P = self.explicit.weigh(M)
        return [
            linear(0, ((x, 1), *[(mul(P[k][f], a), 1) for f, a in found.items() if f in P[k]]))
            for k, x in enumerate(psi)
        ]

    def _solve(self, stem: str, A: Matrix, b: list[Node], note: Note) -> list[Node]:
        if not b:
            return []
        X = self.scheme.solve(stem, A, [[x] for x in b], symmetric=False, note=note)
        return [row[0] for row in X]

    def _outputs(self, psi: Sequence[Node], forces: Sequence[Node], qdd: Sequence[Node]) -> None:
        """tau of actuators and drives, qdd, lam, and the closed state."""
        page, model = self.explicit, self.explicit.system.model
        tau = dict(zip(self.actuators, forces, strict=True))
        rest = {k: psi[k] - tau.get(k, ZERO) for k in self.coupling.dependent}
        lam = self.coupling.multipliers(rest)
        tau.update(page.drive_forces(dict(enumerate(psi)), lam))
        self.scheme.output(
            "tau", [tau.get(k, ZERO) for k in range(page.system.nv)], None, model.velocities
        )
        self.scheme.output("qdd", qdd, None, model.velocities)
        page.write_state(lam)
