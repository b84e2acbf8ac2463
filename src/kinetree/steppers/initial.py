"""Where a run begins: a state that obeys the loops at all levels, and its accelerations.

    [ M  -Jᵀ ] [qdd]   [ τ - c  ]
    [ J   0  ] [lam] = [ -Jdqd  ]      in the sense of least squares

Least squares let equations that repeat others, and singular configurations, pass.

Refs: Docquier2013 sec. 2.2, eqs. 6 to 9
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinetree.assembly.assemble import close
from kinetree.assembly.loops import loops
from kinetree.engine import derivation
from kinetree.errors import AssemblyError, ShapeError
from kinetree.formalism.linkage import linkage
from kinetree.formalism.placed_quantities import derive_placed
from kinetree.formalism.placement import placement
from kinetree.formalism.quantities import QUANTITIES
from kinetree.model.displace import displaced
from kinetree.model.frame_model import FrameModel
from kinetree.steppers.residual import placed_program, rate_program
from kinetree.steppers.scaling import start

if TYPE_CHECKING:
    from kinetree.assembly.loops import Loops
    from kinetree.model.system import Model
    from kinetree.program import Program

Array = NDArray[np.float64]
Known = dict[int, tuple[Array, Array, Array]]
"""Driven velocity -> coordinate, rate and second rate, with the axes of a batch of parameters."""
CLOSED = 1e-10
"""Gap of a loop that is left where parameters have other values [m, m2 or 1]."""
LIMIT = 30
"""Steps that may close it."""


@dataclass(frozen=True)
class Beginning:
    """What is given at the start of a run; leading axes are a batch.

    Attributes:
        q, qd, x: coordinates, velocities, user states; None: the model's, zero, the model's.
        t: time [s].
        tau: generalised forces given.
        p: run-time parameters; None: the model's.
        wrenches: external wrenches by name.
    """

    q: Any = None
    qd: Any = None
    x: Any = None
    t: float = 0.0
    tau: Any = None
    p: Any = None
    wrenches: Mapping[str, Any] = field(default_factory=dict)


class Initial:
    """Makes consistent states of a model."""

    @derivation()
    def __init__(self, model: Model) -> None:
        self.model = model
        self.loops: Program | None = None
        self.drives: Program | None = None
        self.rates: Program | None = None
        if isinstance(model, FrameModel):
            placed = placement(model)
            self.dynamics = derive_placed(placed, "mass_bias")
            self.rates = placed_program(placed) if model.states else None
            return
        system = linkage(model)
        self.dynamics = QUANTITIES["mass_bias"].derive(system, "newton_euler")
        self.loops = (
            QUANTITIES["constraints"].derive(system, "recursive") if model.closures else None
        )
        self.drives = QUANTITIES["drives"].derive(system, "recursive") if model.drives else None
        self.rates = rate_program(system) if model.states else None

    def state(self, given: Beginning, labels: tuple[str, ...] = ()) -> dict[str, Array]:
        """q, qd, qdd, x, xd, lam; of the multipliers those of the equations named."""
        model = self.model
        q, qd = self._positions(given), self._vector(given.qd, np.zeros(model.nv), "qd")
        initial = np.array([state.initial for state in model.states.values()])
        x = self._vector(given.x, initial, "x")
        p = [given.p] if given.p is not None else []
        tau = self._vector(given.tau, np.zeros(model.nv), "tau")
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
        known = self._known(others)
        for k, (_, rate, _) in known.items():
            qd[..., k] = rate
        if p:
            q = self._closed(q, others, known)
        qd = self._velocities(q, qd, others, known)
        qdd, lam = self._accelerations(q, qd, tau, others, known)
        found = {"q": q, "qd": qd, "qdd": qdd}
        if self.rates is not None:
            found |= {"x": x, "xd": _at(self.rates, q=q, qd=qd, qdd=qdd, **others)["xd"]}
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

    def _vector(self, value: Any, default: Array, name: str) -> Array:
        out = default if value is None else np.asarray(value, dtype=float)
        if out.shape[-1:] != default.shape or not np.isfinite(out).all():
            raise ShapeError(f"expected {default.size} finite numbers", element=name)
        return out

    @cached_property
    def _assembly(self) -> Loops:
        return loops(self.model)

    def _positions(self, given: Beginning) -> Array:
        """Coordinates that close the loops, with the parameters of the model."""
        model = self.model
        rows = np.atleast_2d(model.initial() if given.q is None else np.asarray(given.q, float))
        if rows.shape[-1] != model.nq:
            raise ShapeError(f"expected {model.nq} finite numbers", element="q")
        if model.closures:
            system = self._assembly
            starts = [system.start(row.tolist(), given.t) for row in rows]
            found = np.array([close(system, row, t=given.t).q for row in starts])
        else:
            found = np.array([start(model, self.drives, row, given.t) for row in rows])
        return found[0] if given.q is None or np.ndim(given.q) == 1 else found

    def _known(self, others: dict[str, Any]) -> Known:
        if self.drives is None:
            return {}
        row = _at(self.drives, q=self.model.initial(), **others)
        names = self.model.velocities
        labels = self.drives.output("q").labels
        return {names.index(n): (row["q"][..., i], row["qd"][..., i], row["qdd"][..., i])
                for i, n in enumerate(labels)}  # fmt: skip

    def _closed(self, q: Array, others: dict[str, Any], known: Known) -> Array:
        """The nearest coordinates that obey laws and loops with other values of parameters."""
        names = list(self.model.coordinates)
        for k, (value, _, _) in known.items():
            q[..., names.index(self.model.velocities[k])] = value
        if self.loops is None:
            return q
        qd = np.zeros(self.model.nv)
        for _ in range(LIMIT):
            found = _at(self.loops, q=q, qd=qd, **others)
            gaps = np.abs(np.nan_to_num(found["h"], nan=np.inf))
            if not (gaps > max(CLOSED, self.model.loop_tolerance)).any():
                return q
            J = np.array(found["J"])
            J[..., list(known)] = 0.0
            move = -np.einsum("...ij,...j->...i", np.linalg.pinv(J, rcond=self._share), found["h"])
            rows, moves = q.reshape(-1, q.shape[-1]), move.reshape(-1, move.shape[-1])
            pairs = zip(rows, np.broadcast_to(moves, (len(rows), moves.shape[-1])), strict=True)
            q = np.array([displaced(self.model, *pair) for pair in pairs]).reshape(q.shape)
        worst = int(gaps.reshape(-1, gaps.shape[-1]).max(axis=0).argmax())
        raise AssemblyError(
            f"with these parameters the loop stays open by {gaps.max():.3g}",
            element=f"closure '{self._labels()[worst]}'",
            cure="change them less, or give q nearer to the closed configuration",
        )

    def _velocities(self, q: Array, qd: Array, others: dict[str, Any], known: Known) -> Array:
        """The nearest velocities that obey the loops."""
        if self.loops is None:
            return qd
        found = _at(self.loops, q=q, qd=qd, **others)
        J = np.array(found["J"])
        gap = np.einsum("...ij,...j->...i", J, qd) + found["ht"]
        J[..., list(known)] = 0.0
        change = np.einsum("...ij,...j->...i", np.linalg.pinv(J, rcond=self._share), gap)
        return np.asarray(qd - change)

    def _accelerations(
        self, q: Array, qd: Array, tau: Array, others: dict[str, Any],
        known: Known,
    ) -> tuple[Array, Array]:  # fmt: skip
        found = _at(self.dynamics, q=q, qd=qd, **others)
        n = self.model.nv
        free = [k for k in range(n) if k not in known]
        M, b = found["M"], tau - found["c"]
        lead = b.shape[:-1]
        regular = True
        if self.loops is None:
            J, bias = np.zeros((*lead, 0, n)), np.zeros((*lead, 0))
        else:
            rows = _at(self.loops, q=q, qd=qd, **others)
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
            X = np.linalg.solve(A, right[..., None])[..., 0]
        else:
            X = np.einsum(
                "...ij,...j->...i", np.linalg.pinv(A, rcond=self.model.loop_tolerance), right
            )
        qdd[..., free] = X[..., : len(free)]
        return qdd, X[..., len(free) :]


def _independent(J: Array, share: float) -> bool:
    """Whether no equation of any sample repeats others, so that the masses make a regular matrix.

    Then one elimination per sample does what a singular value decomposition would.
    """
    m = J.shape[-2]
    if m > J.shape[-1]:
        return False
    sizes = np.linalg.svd(J, compute_uv=False)
    return m == 0 or bool((sizes[..., -1] > max(1e-8, share) * sizes[..., 0]).all())


def _at(program: Program, **given: Any) -> dict[str, Array]:
    """Evaluate with those of the inputs that the Program has."""
    names = {row.name for row in program.inputs}
    return program.evaluate(**{name: x for name, x in given.items() if name in names})


__all__ = ["Beginning", "Initial"]
