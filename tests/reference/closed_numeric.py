"""Closed systems by plain numbers: an independent witness of the explicit equations of motion.

Accelerations follow from Gauss's principle with the pseudo-inverse (Udwadia and Kalaba 1992), which
redundant equations do not disturb; after every step positions and velocities are projected on the
constraints.  Only M, c, h, J, Jdqd and ht come from the package; no partition, no Newton block.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import scipy.integrate

import kinetree as kt
from kinetree.model import product, retract, rotate

MODELS = Path(__file__).resolve().parents[2] / "examples" / "models"
DATA = Path(__file__).resolve().parents[1] / "data"
GAP = 1e-15
"""Part of the largest |h| that projection leaves."""
Effort = Callable[[np.ndarray, np.ndarray, float], np.ndarray]


@cache
def load(name: str) -> kt.Model:
    """A model of the examples, read once."""
    return kt.load(MODELS / f"{name}.yaml")


def table(path: str) -> dict[str, np.ndarray]:
    """Columns of a CSV file of the data folder by their headings."""
    rows = np.genfromtxt(DATA / path, delimiter=",", names=True)
    assert rows.dtype.names is not None
    return {name: rows[name] for name in rows.dtype.names}


@dataclass
class Closed:
    """A closed system as functions of numbers.

    Attributes:
        model: the mechanism; its quaternions are in `q`, as everywhere.
        effort: generalised forces tau(q, qd, t) besides those of the model [N or N.m].
        rank: singular values of J below this part of the largest count as zero.
        evaluations: accelerations computed so far.
    """

    model: kt.Model
    effort: Effort | None = None
    rank: float = 1e-9
    evaluations: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.tree = kt.derive(self.model, "mass_bias").compile()
        self.loops = kt.derive(self.model, "constraints").compile()
        self.energies = kt.derive(self.model, "energy").compile()
        self.rates = _rate_rows(self.model)
        motions = [motion for joint in self.model.leaders for motion in joint.motions]
        self.sizes = [motion.nv for motion in motions]
        firsts = np.cumsum([0, *(len(motion.neutral) for motion in motions)])
        self.at = dict(zip(np.cumsum([0, *self.sizes]).tolist(), firsts.tolist(), strict=True))

    def _call(self, function: Any, q: np.ndarray, qd: np.ndarray, t: float) -> dict[str, Any]:
        given = {"q": q, "qd": qd, "t": np.array(t)}
        known = {port.name for port in function.inputs}
        out: dict[str, Any] = function(**{k: v for k, v in given.items() if k in known})
        return out

    def accelerations(
        self, q: np.ndarray, qd: np.ndarray, t: float = 0.0
    ) -> tuple[np.ndarray, np.ndarray]:
        """(qdd, lam) with M qdd + c = tau + Jᵀ lam and J qdd + Jdqd = 0; lam of least norm."""
        self.evaluations += 1
        tree, loop = self._call(self.tree, q, qd, t), self._call(self.loops, q, qd, t)
        tau = np.zeros(self.model.nv) if self.effort is None else self.effort(q, qd, t)
        try:
            return self._gauss(tree["M"], tau - tree["c"], loop)
        except np.linalg.LinAlgError:  # some coordinates move no mass by themselves
            return self._saddle(tree["M"], tau - tree["c"], loop)

    def _gauss(
        self, M: np.ndarray, force: np.ndarray, loop: dict[str, Any]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Least deviation from the motion of the tree, in the metric of M."""
        L = np.linalg.inv(np.linalg.cholesky(M)).T  # M⁻¹ = L Lᵀ
        s = L.T @ force  # qdd of the tree is L s
        B = loop["J"] @ L
        y = np.linalg.lstsq(B, -loop["Jdqd"] - B @ s, rcond=self.rank)[0]
        return L @ (s + y), np.linalg.lstsq(B.T, y, rcond=self.rank)[0]

    def _saddle(
        self, M: np.ndarray, force: np.ndarray, loop: dict[str, Any]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Both equations at once."""
        J = loop["J"]
        K = np.block([[M, -J.T], [J, np.zeros((len(J), len(J)))]])
        x = np.linalg.lstsq(K, np.concatenate([force, -loop["Jdqd"]]), rcond=1e-14)[0]
        return x[: len(M)], x[len(M) :]

    def constraint(self, q: np.ndarray, qd: np.ndarray, t: float = 0.0) -> dict[str, Any]:
        """h, J, Jdqd, ht."""
        return self._call(self.loops, q, qd, t)

    def energy(self, q: np.ndarray, qd: np.ndarray) -> float:
        """Kinetic plus potential energy [J]."""
        out = self._call(self.energies, q, qd, 0.0)
        return float(out["kinetic"] + out["potential"])

    def project(
        self, q: np.ndarray, qd: np.ndarray, t: float = 0.0
    ) -> tuple[np.ndarray, np.ndarray]:
        """The nearest q and qd (least norm of the change) that satisfy all constraints."""
        for _ in range(20):
            out = self.constraint(q, qd, t)
            h = np.where(self.rates, 0.0, out["h"])
            if np.abs(h).max(initial=0.0) < GAP:
                break
            q = retract(self.model, q, -np.linalg.lstsq(out["J"], h, rcond=self.rank)[0])
        out = self.constraint(q, qd, t)
        slip = out["J"] @ qd + out["ht"]
        return q, qd - np.linalg.lstsq(out["J"], slip, rcond=self.rank)[0]

    def derivative(self, t: float, y: np.ndarray) -> np.ndarray:
        """d/dt of [q, qd]."""
        q, qd = y[: self.model.nq], y[self.model.nq :]
        return np.concatenate([self.der_q(q, qd), self.accelerations(q, qd, t)[0]])

    def der_q(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """N(q) qd; der(e) = e∘(0, w)/2 for quaternions, w and v in the moving frame."""
        if self.model.nq == self.model.nv:
            return qd
        rates, k = [], 0
        for size in self.sizes:
            if size == 1:
                rates.append(qd[k : k + 1])
            else:
                e, w = q[self.at[k] : self.at[k] + 4], qd[k : k + 3]
                rates.append(0.5 * product(e, np.concatenate([[0.0], w])))
            if size == 6:
                rates.append(rotate(e, qd[k + 3 : k + 6]))
            k += size
        return np.concatenate(rates)

    def run(
        self,
        times: Sequence[float] | np.ndarray,
        q: np.ndarray,
        qd: np.ndarray,
        tolerance: float = 1e-12,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Rows of q and qd at the times, the first of which is the start."""
        y = np.concatenate(self.project(q, qd, times[0]))
        rows, step = [y], None
        for start, stop in pairwise(times):
            y, step = self._advance(start, stop, y, tolerance, step)
            rows.append(y)
        whole = np.array(rows)
        return whole[:, : self.model.nq], whole[:, self.model.nq :]

    def _advance(
        self, start: float, stop: float, y: np.ndarray, tolerance: float, step: float | None
    ) -> tuple[np.ndarray, float]:
        """The state at `stop`, and the step size that would have come next."""
        first = None if step is None else min(step, stop - start)
        solver = scipy.integrate.DOP853(
            self.derivative, start, y, stop, rtol=tolerance, atol=tolerance, first_step=first
        )
        used = 0.0
        while solver.status == "running":
            message = solver.step()
            assert solver.status != "failed", message
            used = max(used, solver.t - solver.t_old)
            q, qd = self.project(
                solver.y[: self.model.nq], solver.y[self.model.nq :], float(solver.t)
            )
            solver.y = np.concatenate([q, qd])
            solver.f = solver.fun(solver.t, solver.y)
        return solver.y, used


def _rate_rows(model: kt.Model) -> np.ndarray:
    """Which rows of h only velocities have to satisfy."""
    from kinetree.assembly.loops import loops

    system = loops(model)
    return np.isin(np.arange(len(system.labels)), system.rates)
