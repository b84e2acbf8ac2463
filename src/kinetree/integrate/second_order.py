"""Equations of second order f(q, qd, qdd, t) = 0, by Newmark's formulas with steps by their error.

The accelerations a at the end of a step are unknown:

    q₁ = q₀ + h v₀ + ¼ h² (a₀ + a),    v₁ = v₀ + ½ h (a₀ + a),    f(q₁, v₁, a, t + h) = 0

Newton's matrix M + ½ h C + ¼ h² K comes from the slopes of f where these are known, else from
differences, one column per unknown.  The error of the coordinates is about ε = h² |a - a₀|/(12 √n),
and steps are chosen so that the rate ε/h stays below a tolerance.  Equations of first order may
stand among the others: their unknowns are coordinates whose accelerations do not occur.  Their
second rates swing from step to step, so the change over a step is taken from the mean ones of two
steps; their error is relative to their size above 1.

Refs: Verlinden2005 eqs. 9 to 22
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kinetree.arrays import Array
from kinetree.integrate.drive import drive
from kinetree.integrate.loops.equal_steps import LOST
from kinetree.integrate.loops.error_steps import Adaptive, Control, StepCode
from kinetree.integrate.problem import FINISHED, INTERRUPTED, STEP_TOO_SMALL

ResidualFunction = Callable[[Array, Array, Array, float], Any]
"""f of q, qd, qdd, t: as many numbers as q has."""
SlopesFunction = Callable[[Array, Array, Array, float], tuple[Any, Any, Any]]
"""K, C, M of the same: derivatives of f by q, qd and qdd, square matrices."""
BETA, GAMMA = 0.25, 0.5
"""Newmark's parameters: the trapezoidal rule."""
ROUNDING = float(np.finfo(float).eps)
ITERATIONS = 10
SHARE = 1e-3
"""Share of the error allowed that Newton's method may leave."""
FLOOR = 1e-12
"""Change of the coordinates that rounding allows, relative."""
MOMENT = 1e-3
"""Share of the first step after which rates are looked at once more."""


@dataclass(frozen=True)
class SecondOrderPath:
    """What was found; everything up to where it ended.

    Attributes:
        times: of the rows; the output times reached.
        q, qd, qdd: one row per time.
        steps: time at the end and length of every step [s].
        rejected: number of steps tried in vain.
        end: "finished", "step size underflow" or "interrupted".
        residual: largest |f| that was left where it failed, and the number of its equation.
    """

    times: Array
    q: Array
    qd: Array
    qdd: Array
    steps: Array
    rejected: int
    end: str
    residual: tuple[float, int]


@dataclass(frozen=True)
class MotionState:
    """A state of motion."""

    t: float
    q: Array
    v: Array
    a: Array


class Newmark:
    """Steps of one residual."""

    def __init__(
        self,
        residual: ResidualFunction,
        slopes: SlopesFunction | None,
        control: Control,
        absolute: float,
    ) -> None:
        self._residual, self.slopes, self.control = residual, slopes, control
        self.absolute, self.worst, self.first = absolute, (0.0, 0), np.zeros(0, bool)

    def value(self, point: MotionState) -> Array:
        """F there."""
        return np.asarray(self._residual(point.q, point.v, point.a, point.t), dtype=float)

    def matrix(self, point: MotionState, h: float, f: Array) -> Array:
        """M + γ h C + β h² K."""
        if self.slopes is not None:
            K, C, M = (np.asarray(x, dtype=float) for x in
                       self.slopes(point.q, point.v, point.a, point.t))  # fmt: skip
            return np.asarray(M + GAMMA * h * C + BETA * h**2 * K)
        size = np.abs(point.q)
        # eq. 20; a relative tolerance of the size itself is contained in |q|
        moved = np.maximum(np.maximum(np.abs(h * point.v), size), self.absolute)
        moved = np.where(point.v < 0, -moved, moved) * math.sqrt(ROUNDING)
        changes = moved / (BETA * h**2)
        columns = []
        for j, change in enumerate(changes):
            q, v, a = point.q.copy(), point.v.copy(), point.a.copy()
            q[j] += BETA * h**2 * change
            v[j] += GAMMA * h * change
            a[j] += change
            columns.append((self.value(MotionState(point.t, q, v, a)) - f) / change)
        return np.column_stack(columns)

    def step(self, start: MotionState, h: float) -> MotionState | None:
        """The end of a step; None where Newton's method fails."""
        a, shift = start.a, h * start.v + (0.5 - BETA) * h**2 * start.a
        for _ in range(ITERATIONS):
            end = MotionState(start.t + h, start.q + shift + BETA * h**2 * a,
                        start.v + h * ((1 - GAMMA) * start.a + GAMMA * a), a)  # fmt: skip
            f = self.value(end)
            self.worst = (float(np.abs(f).max(initial=0.0)), int(np.abs(f).argmax()))
            try:
                change = np.linalg.solve(self.matrix(end, h, f), f)
            except np.linalg.LinAlgError:
                return None
            if not np.isfinite(change).all():
                return None
            a = a - change
            moved = BETA * h**2 * np.abs(change)
            allowed = SHARE * self.control.tolerance * h * self._sizes(end)
            allowed += FLOOR * np.maximum(np.abs(end.q), self.absolute)
            if (moved <= allowed).all():
                return MotionState(
                    end.t, end.q - BETA * h**2 * change, end.v - GAMMA * h * change, a
                )
        return None

    def _sizes(self, point: MotionState) -> Array:
        """What errors of the coordinates are relative to."""
        return np.where(self.first, np.maximum(1.0, np.abs(point.q)), 1.0)

    def begin(self, t: float, q: Array, v: Array) -> MotionState:
        """Accelerations at the start; rates of first-order unknowns are made to fit.

        Second rates of these come from their rates a moment later.
        """
        _, M = self._start_slopes(MotionState(t, q, v, np.zeros_like(q)))
        self.first = np.array([not column.any() for column in M.T])
        point = self._fit(MotionState(t, q, v, np.zeros_like(q)))
        if not self.first.any():
            return point
        moment = MOMENT * self.control.first
        later = self._fit(MotionState(t + moment, q + moment * point.v, point.v, point.a))
        return replace(point, a=np.where(self.first, (later.v - point.v) / moment, point.a))

    def _fit(self, point: MotionState) -> MotionState:
        """Accelerations, and rates of first-order unknowns, that obey the equations."""
        for _ in range(ITERATIONS):
            C, M = self._start_slopes(point)
            A = np.where(self.first, C, M)
            change = np.linalg.lstsq(A, self.value(point), rcond=None)[0]
            v = point.v - np.where(self.first, change, 0.0)
            point = replace(point, v=v, a=point.a - np.where(self.first, 0.0, change))
            if (np.abs(change) <= 1e-12 * (1 + np.abs(point.v) + np.abs(point.a))).all():
                break
        return point

    def _start_slopes(self, point: MotionState) -> tuple[Array, Array]:
        """C and M; by differences where nothing else is given."""
        if self.slopes is not None:
            _, C, M = self.slopes(point.q, point.v, point.a, point.t)
            return np.asarray(C, dtype=float), np.asarray(M, dtype=float)
        f, by_v, by_a = self.value(point), [], []
        for j in range(len(point.q)):
            by = math.sqrt(ROUNDING) * max(1.0, abs(point.v[j]), abs(point.a[j]))
            move = np.zeros_like(point.q)
            move[j] = by
            by_v.append(
                (self.value(MotionState(point.t, point.q, point.v + move, point.a)) - f) / by
            )
            by_a.append(
                (self.value(MotionState(point.t, point.q, point.v, point.a + move)) - f) / by
            )
        return np.column_stack(by_v), np.column_stack(by_a)


STEP = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)


class _Step:
    """The step of a residual as a function that native code calls.

    Attributes:
        order: unknowns with accelerations before those of first order.
        error: what was raised on the way; from then on nothing has a value.
    """

    def __init__(self, method: Newmark) -> None:
        self.method, self.order = method, np.argsort(method.first, kind="stable")
        self.size = 3 * self.order.size
        self.error: BaseException | None = None
        self._called = STEP(self._call)

    def code(self) -> StepCode:
        """Where native code finds it; x = [q, v, a, t, h]."""
        n, nx = self.order.size, int(self.method.first.sum())
        places = {
            "t_at": self.size, "h_at": self.size + 1, "qdd_at": 2 * n, "nv": n - nx, "nx": nx,
            "x_at": n - nx, "xd_at": 2 * n - nx, "count_at": -1,
        }  # fmt: skip
        found = ctypes.cast(self._called, ctypes.c_void_p).value
        assert found is not None
        return StepCode(found, np.zeros(1), self.size, self.size, places, self)

    def row(self, point: MotionState) -> Array:
        """A state of motion as native code has it."""
        return np.concatenate([part[self.order] for part in (point.q, point.v, point.a)])

    def parts(self, rows: Array) -> list[Array]:
        """q, v and a of states, in the order of the user."""
        back = np.argsort(self.order)
        return [part[..., back] for part in np.split(rows, 3, axis=-1)]

    def _call(self, x: int, c: int, y: int) -> None:
        del c
        try:
            given, into = _numbers(x, self.size + 2), _numbers(y, self.size)
            into[:] = np.nan
            if self.error is not None:
                return
            end = self.method.step(
                MotionState(given[-2], *self.parts(given[:-2])), float(given[-1])
            )
            if end is not None:
                into[:] = self.row(end)
        except BaseException as error:
            self.error = error


def _numbers(address: int, size: int) -> Array:
    found: Array = np.ctypeslib.as_array((ctypes.c_double * size).from_address(address))
    return found


def newmark(
    residual: ResidualFunction,
    start: tuple[Array, Array],
    times: Array,
    slopes: SlopesFunction | None = None,
    control: Control | None = None,
    absolute: float = 1e-6,
) -> SecondOrderPath:
    """Integrate f(q, qd, qdd, t) = 0 through output times.

    Args:
        residual: f.
        start: q and qd at the first time.
        times: rising; steps end at each of them.
        slopes: K, C, M; by default the matrix of Newton's method comes from differences.
        control: how steps are chosen.
        absolute: size below which a coordinate counts as zero in differences.
    """
    how = control or Control()
    method = Newmark(residual, slopes, how, absolute)
    point = method.begin(float(times[0]), *start)
    step = _Step(method)
    march = Adaptive(step.code(), np.append(step.row(point), [0.0, 0.0]), times, how)
    end = drive(march, pause=lambda: step.error is not None)
    if step.error is not None and not isinstance(step.error, KeyboardInterrupt):
        raise step.error
    if end != INTERRUPTED:
        end = INTERRUPTED if step.error else STEP_TOO_SMALL if march.status == LOST else FINISHED
    reached = march["cursor"]
    q, qd, qdd = step.parts(march.states[:reached])
    return SecondOrderPath(
        times[:reached], q, qd, qdd, march.steps, march["rejected"], end, method.worst
    )
