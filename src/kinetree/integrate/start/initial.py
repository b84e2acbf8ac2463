"""Where a run begins: a state that obeys the loops at all levels, and its accelerations.

    [ M  -Jᵀ ] [qdd]   [ τ - c  ]
    [ J   0  ] [lam] = [ -Jdqd  ]      in the sense of least squares

Least squares tolerate redundant equations and singular configurations.

Refs: Docquier2013 sec. 2.2, eqs. 6 to 9
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from kinetree.arrays import Array
from kinetree.assembly import Loops, refuse_gimbal_lock, refuse_unset, unit_quaternions
from kinetree.assembly.loops import loops
from kinetree.engine import derivation
from kinetree.errors import ModelError
from kinetree.formalism import QUANTITIES
from kinetree.formalism.links.linkage import linkage
from kinetree.formalism.matrices import derive_placed
from kinetree.formalism.matrices.placement import placement
from kinetree.integrate.start.beginning import Beginning, rows_of
from kinetree.integrate.start.many import ManyStarts
from kinetree.integrate.start.starts import Starts
from kinetree.model import Mechanism
from kinetree.program import Program
from kinetree.program.parameters import used_parameters
from kinetree.program.restrict import restrict
from kinetree.steppers.equations.residual import matrix_program, rate_program
from kinetree.targets.kept import remember

KnownMotions = dict[int, tuple[Array, Array, Array]]
"""Driven velocity -> coordinate, rate and second rate, with the axes of a batch of parameters."""


class Initial:
    """Makes consistent states of a model."""

    @derivation()
    def __init__(self, model: Mechanism) -> None:
        self.model, self._many = model, ManyStarts(model)
        self.loops: Program | None = None
        self.drives: Program | None = None
        self.rates: Program | None = None
        if model.by_matrices:
            placed = placement(model.as_frames())
            self.dynamics = derive_placed(placed, "mass_bias")
            self.rates = matrix_program(placed) if model.states else None
            return
        self.dynamics = remember(
            lambda: QUANTITIES["mass_bias"].derive(linkage(model), "newton_euler"),
            "masses and forces at a start", model,
        )  # fmt: skip
        self.loops = self.system.whole if model.closures else None
        self.drives = self.system.drives
        self.rates = rate_program(linkage(model)) if model.states else None

    @cached_property
    def system(self) -> Loops:
        """The loops of the model."""
        return loops(self.model)

    @cached_property
    def inertial(self) -> frozenset[str]:
        """Names of the parameters on which masses and inertias depend."""
        return used_parameters(restrict(self.dynamics, "M"))

    def state(self, given: Beginning, labels: tuple[str, ...] = ()) -> dict[str, Array]:
        """q, qd, qdd, x, xd, lam; of the multipliers those of the equations named."""
        model = self.model
        guarded = bool(model.closures) and self.system.guards is not None
        many = None if guarded else self._many.state(given)
        initial = np.array([state.initial for state in model.states.values()])
        x = rows_of(given.x, initial, list(model.states), "x")
        refuse_unset(list(model.states), x)
        tau = rows_of(given.tau, np.zeros(model.nv), list(model.velocities), "tau")
        q, qd = self._consistent_state(given) if many is None else (many["q"], many["qd"])
        refuse_gimbal_lock(model, q)
        p = [given.p] if given.p is not None else []
        lead = np.broadcast_shapes(
            q.shape[:-1], qd.shape[:-1], x.shape[:-1], tau.shape[:-1],
            *[np.shape(row)[:-1] for row in p],
        )  # fmt: skip
        q, qd, x, tau = (
            np.array(np.broadcast_to(a, (*lead, a.shape[-1]))) for a in (q, qd, x, tau)
        )
        others: dict[str, Any] = {"x": x, "t": np.asarray(given.t), **given.wrenches}
        if p:
            others["p"] = np.asarray(p[0], dtype=float)
        if many is None:
            qdd, lam = self._accelerations(q, qd, tau, others, self._known_values(others))
        else:
            qdd, lam = many["qdd"], many["lam"]
        found = {"q": q, "qd": qd, "qdd": qdd}
        if self.rates is not None:
            found |= {"x": x, "xd": self.rates.evaluate_some(q=q, qd=qd, qdd=qdd, **others)["xd"]}
        if labels:
            every = self._labels()
            found["lam"] = np.stack(
                [lam[..., every.index(n)] if n in every else 0 * lam[..., 0] for n in labels], -1
            )
        return found

    @property
    def _share(self) -> float:
        """Share of the largest singular value of J below which equations repeat others."""
        return max(1e-10, self.model.loop_tolerance)

    def _labels(self) -> list[str]:
        return list(self.loops.output("h").labels) if self.loops is not None else []

    def _consistent_state(self, given: Beginning) -> tuple[Array, Array]:
        """Coordinates and velocities that obey loops and drives."""
        model = self.model
        if model.closures or model.drives:
            return Starts(self.system, given).solve()
        q = rows_of(given.q, model.initial(), list(model.coordinates), "q")
        flat = [unit_quaternions(model, row) for row in q.reshape(-1, model.nq)]
        qd = rows_of(given.qd, np.zeros(model.nv), list(model.velocities), "qd")
        return np.array(flat).reshape(q.shape), qd

    def _known_values(self, others: dict[str, Any]) -> KnownMotions:
        if self.drives is None:
            return {}
        row = self.drives.evaluate_some(q=self.model.initial(), **others)
        names = self.model.velocities
        labels = self.drives.output("q").labels
        return {names.index(n): (row["q"][..., i], row["qd"][..., i], row["qdd"][..., i])
                for i, n in enumerate(labels)}  # fmt: skip

    def _accelerations(
        self, q: Array, qd: Array, tau: Array, others: dict[str, Any],
        known: KnownMotions,
    ) -> tuple[Array, Array]:  # fmt: skip
        found = self.dynamics.evaluate_some(q=q, qd=qd, **others)
        n = self.model.nv
        free = [k for k in range(n) if k not in known]
        M, b = found["M"], tau - found["c"]
        lead = b.shape[:-1]
        regular = True
        if self.loops is None:
            J, bias = np.zeros((*lead, 0, n)), np.zeros((*lead, 0))
        else:
            rows = self.loops.evaluate_some(q=q, qd=qd, **others)
            regular = _independent(rows["J"][..., free], self._share)
            J = np.broadcast_to(rows["J"], (*lead, *rows["J"].shape[-2:]))
            bias = np.broadcast_to(rows["Jdqd"], (*lead, rows["Jdqd"].shape[-1]))
        qdd = np.zeros((*lead, n))
        for k, (_, _, second) in known.items():
            qdd[..., k] = second
        m = J.shape[-2]
        A = np.zeros((*lead, len(free) + m, len(free) + m))
        A[..., : len(free), : len(free)] = M[..., free, :][..., :, free]
        A[..., : len(free), len(free) :] = -np.swapaxes(J[..., free], -1, -2)
        A[..., len(free) :, : len(free)] = J[..., free]
        right = np.concatenate(
            [(b - np.einsum("...ij,...j->...i", M, qdd))[..., free],
             -bias - np.einsum("...ij,...j->...i", J, qdd)], axis=-1,
        )  # fmt: skip
        if regular:
            X = self._solve(A, right)
        else:
            X = np.einsum(
                "...ij,...j->...i", np.linalg.pinv(A, rcond=self.model.loop_tolerance), right
            )
        qdd[..., free] = X[..., : len(free)]
        return qdd, X[..., len(free) :]

    def _solve(self, A: Array, right: Array) -> Array:
        """A⁻¹ right.

        Raises:
            ModelError: where masses do not determine the accelerations.
        """
        try:
            return np.asarray(np.linalg.solve(A, right[..., None])[..., 0])
        except np.linalg.LinAlgError:
            self.model.check()  # names the joint against whose motion there is no inertia
            raise ModelError(
                "its accelerations have no value at the start: masses do not determine them",
                element=f"model '{self.model.name}'",
                cure="give what moves mass or inertia",
            ) from None


def _independent(J: Array, share: float) -> bool:
    """Whether no equation of any sample repeats others, so that the masses make a regular matrix.

    Then one elimination per sample does what a singular value decomposition would.
    """
    m = J.shape[-2]
    if m > J.shape[-1]:
        return False
    sizes = np.linalg.svd(J, compute_uv=False)
    return m == 0 or bool((sizes[..., -1] > max(1e-8, share) * sizes[..., 0]).all())
