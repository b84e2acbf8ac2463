"""Dry friction by NumPy: modes by a search through all, legs by SciPy's DOP853.

Frictions act along speeds s = J qd.  In the motions N that the loops leave, with M qdd + c = tau:

    sd = A f + b,   A = J N (Nᵀ M N)⁻¹ Nᵀ Jᵀ

and each friction slides (f = -mode·coulomb), or sticks (sd = 0, |f| ≤ breakaway).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import null_space
from tests.approx import AT_STATES

import kinetree as kt

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Rows = Callable[[Array, Array], tuple[Array, Array]]
    Bounds = Callable[[float, Array], tuple[Array, Array]]


def along(model: kt.Model, names: Sequence[str]) -> Rows:
    """(J, dJ/dt qd) of frictions in joints."""
    J = np.eye(model.nv)[[model.velocities.index(name) for name in names]]
    return lambda q, qd: (J, np.zeros(len(J)))


class Reference:
    """A motion of a model whose frictions are not in the model.

    Args:
        model: without friction; its coordinates are velocities integrated; drives stand still.
        rows: (q, qd) -> J of all frictions, and dJ/dt qd.
        bounds: (t, q) -> coulomb and breakaway.
        start: (q, qd).
        modes: at the start, of what rests.
        tau: further forces along the velocities.
    """

    def __init__(
        self, model: kt.Model, rows: Rows, bounds: Bounds, start: tuple[Array, Array], modes: Any,
        tau: Any = 0.0,
    ) -> None:  # fmt: skip
        self.n, self.tau = model.nv, tau
        self.rows, self.bounds = rows, bounds
        self.t, self.y = 0.0, np.concatenate(start)
        self.inertia = kt.derive(model, "mass_bias").compile()
        self.loops = kt.derive(model, "constraints").compile() if model.closures else None
        self.takes_time = any(row.name == "t" for row in kt.derive(model, "mass_bias").inputs)
        self.driven = np.eye(self.n)[[model.velocities.index(name) for name in model.drives]]
        self.modes = np.asarray(modes, dtype=float)
        self.settle()

    def reduced(self, t: float, y: Array) -> tuple[Array, ...]:
        """N, J N, and z, s at zero friction: accelerations qdd = N (z + Mr⁻¹ (J N)ᵀ f) + part."""
        q, qd = y[: self.n], y[self.n :]
        given = {"q": q, "qd": qd, **({"t": t} if self.takes_time else {})}
        out = self.inertia(**given)
        M, c = out["M"], out["c"] - self.tau
        N, part = np.eye(self.n), np.zeros(self.n)
        if self.loops is not None:
            found = self.loops(**given)
            J = np.vstack([found["J"], self.driven])
            N = null_space(J, rcond=1e-9)
            drift = np.append(found["Jdqd"], np.zeros(len(self.driven)))
            part = -np.linalg.lstsq(J, drift, rcond=1e-9)[0]
        J, drift = self.rows(q, qd)
        Mr = N.T @ M @ N
        z = np.linalg.solve(Mr, -N.T @ (M @ part + c))
        JN = J @ N
        A = JN @ np.linalg.solve(Mr, JN.T)
        b = JN @ z + J @ part + drift
        return N, part, z, np.linalg.solve(Mr, JN.T), A, b

    def forces(self, modes: Array, limit: Array, A: Array, b: Array) -> Array:
        f = -modes * limit
        stuck = modes == 0
        if stuck.any():
            rest = (b + A @ np.where(stuck, 0, f))[stuck]
            f[stuck] = -np.linalg.solve(A[np.ix_(stuck, stuck)], rest)
        return f

    def search(self, limit: Array, moving: Array, A: Array, b: Array) -> Array:
        """The one mode of all whose conditions hold; what moves slides."""
        found = []
        for trial in itertools.product((-1.0, 0.0, 1.0), repeat=len(b)):
            modes = np.array(trial)
            if (modes[moving != 0] != moving[moving != 0]).any():
                continue
            f = self.forces(modes, limit, A, b)
            still = (moving == 0) & (modes != 0)
            forward = (modes * (A @ f + b))[still].min(initial=0) >= 0
            if (np.abs(f) <= limit * (1 + AT_STATES)).all() and forward:
                found.append(modes)
        (only,) = found
        return only

    def settle(self, nudged: int | None = None, moving: Array | None = None) -> None:
        """Modes with which the motion goes on; `nudged` is just beyond its bound."""
        *_, A, b = self.reduced(self.t, self.y)
        J, _ = self.rows(self.y[: self.n], self.y[self.n :])
        speed = J @ self.y[self.n :]
        if moving is None:
            moving = np.where(np.abs(speed) > 1e-9, np.sign(speed), 0)
        coulomb, breakaway = self.bounds(self.t, self.y[: self.n])
        if nudged is not None:
            f = self.forces(self.modes, coulomb, A, b)
            b = b - A[:, nudged] * 1e-7 * f[nudged]
        slid = (self.modes != 0) | (moving != 0)
        while True:
            modes = self.search(np.where(slid, coulomb, breakaway), moving, A, b)
            if not (modes != 0)[~slid].any():
                break
            slid = slid | (modes != 0)
        self.modes = modes

    def motion(self, t: float, y: Array) -> tuple[Array, Array]:
        """Accelerations and friction in the present modes."""
        N, part, z, response, A, b = self.reduced(t, y)
        f = self.forces(self.modes, self.bounds(t, y[: self.n])[0], A, b)
        return N @ (z + response @ f) + part, f

    def slip(self, t: float, y: Array) -> Array:
        q, qd = y[: self.n], y[self.n :]
        over = np.abs(self.motion(t, y)[1]) - self.bounds(t, q)[1]
        return np.where(self.modes == 0, over, -self.modes * (self.rows(q, qd)[0] @ qd))

    def advance(self, end: float) -> bool:
        """To the next event, or to the end."""
        events = []
        for k in range(len(self.modes)):
            event = lambda t, y, k=k: self.slip(t, y)[k]  # noqa: E731
            event.terminal, event.direction = True, 1  # type: ignore[attr-defined]
            events.append(event)
        leg = solve_ivp(
            lambda t, y: np.append(y[self.n :], self.motion(t, y)[0]), (self.t, end), self.y,
            "DOP853", events=events, rtol=1e-11, atol=1e-12, max_step=0.02,
        )  # fmt: skip
        self.t, self.y = float(leg.t[-1]), leg.y[:, -1].copy()
        if leg.status != 1:
            return False
        (k,) = (k for k, found in enumerate(leg.t_events) if len(found))
        q, qd = self.y[: self.n], self.y[self.n :]
        speed = self.rows(q, qd)[0] @ qd
        moving = np.where(self.modes == 0, 0, np.sign(speed))
        moving[k] = 0
        self.settle(k if self.modes[k] == 0 else None, moving)
        return True


@dataclass(frozen=True)
class Journey:
    """A motion up to its end: times of its events, the modes after each, the last state."""

    times: Array
    modes: Array
    y: Array


def travel(reference: Reference, end: float) -> Journey:
    """Advance to the end."""
    times, modes = [], [reference.modes]
    while reference.advance(end):
        times.append(reference.t)
        modes.append(reference.modes)
    return Journey(np.array(times), np.array(modes), reference.y)


def assert_follows(run: Any, found: Journey, tolerance: float = 1e-7) -> None:
    """The run equals the reference, event by event."""
    n, k = len(found.y) // 2, found.modes.shape[1]
    np.testing.assert_allclose(run["event_time"].values, found.times, atol=tolerance)
    np.testing.assert_allclose(run["q"].values[-1], found.y[:n], atol=10 * tolerance)
    np.testing.assert_allclose(run["qd"].values[-1], found.y[n:], atol=100 * tolerance)
    np.testing.assert_array_equal(run["x"].values[-1, -k:], found.modes[-1])
    np.testing.assert_array_equal(run["event_y"].values[:, -k:], found.modes[:-1])
