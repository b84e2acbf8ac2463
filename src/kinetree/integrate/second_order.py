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

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from kinetree.arrays import Array
from kinetree.integrate.problem import FINISHED, INTERRUPTED, STEP_TOO_SMALL

Residual = Callable[[Array, Array, Array, float], Any]
"""f of q, qd, qdd, t: as many numbers as q has."""
Slopes = Callable[[Array, Array, Array, float], tuple[Any, Any, Any]]
"""K, C, M of the same: derivatives of f by q, qd and qdd, square matrices."""
BETA, GAMMA = 0.25, 0.5
"""Newmark's parameters: the trapezoidal rule."""
ROUNDING = float(np.finfo(float).eps)
ITERATIONS = 10
SHARE = 1e-3
"""Share of the error allowed that Newton's method may leave."""
FLOOR = 1e-12
"""Change of the coordinates that rounding allows, relative."""
SAFETY, LEAST, MOST, RETREAT = 0.9, 0.2, 2.0, 0.25
"""Factors of the step control."""
MOMENT = 1e-3
"""Share of the first step after which rates are looked at once more."""
NOISE = 1e-15
"""Rounding of coordinates that accelerations show, times h²: no error, a short step raises it."""


@dataclass(frozen=True)
class Steering:
    """How steps are chosen.

    Attributes:
        tolerance: rate of the error of the coordinates ε/h that is allowed [1/s].
        absolute: ε_a of the differences; size below which a coordinate counts as zero.
        first: length of the first step [s].
        longest, shortest: bounds of the steps [s].
    """

    tolerance: float = 1e-6
    absolute: float = 1e-6
    first: float = 1e-5
    longest: float = math.inf
    shortest: float = 1e-12


@dataclass
class Motion:
    """What was found; everything up to where it ended.

    Attributes:
        times: of the rows; the output times reached.
        q, qd, qdd: one row per time.
        steps: time at the end and length of every step [s].
        rejected: number of steps tried in vain.
        end: "finished", "step size underflow" or "interrupted".
        residual: largest |f| that was left where it failed, and the number of its equation.
    """

    times: list[float] = field(default_factory=list)
    q: list[Array] = field(default_factory=list)
    qd: list[Array] = field(default_factory=list)
    qdd: list[Array] = field(default_factory=list)
    steps: list[tuple[float, float]] = field(default_factory=list)
    rejected: int = 0
    end: str = FINISHED
    residual: tuple[float, int] = (0.0, 0)

    def keep(self, point: Point) -> None:
        """Append a row."""
        self.times.append(point.t)
        for rows, row in ((self.q, point.q), (self.qd, point.v), (self.qdd, point.a)):
            rows.append(row)


@dataclass(frozen=True)
class Point:
    """A state of motion."""

    t: float
    q: Array
    v: Array
    a: Array


class Newmark:
    """Steps of one residual."""

    def __init__(self, residual: Residual, slopes: Slopes | None, steering: Steering) -> None:
        self._residual, self.slopes, self.steering = residual, slopes, steering
        self.worst, self.first = (0.0, 0), np.zeros(0, bool)
        self.last: tuple[Array, float] | None = None

    def value(self, point: Point) -> Array:
        """F there."""
        return np.asarray(self._residual(point.q, point.v, point.a, point.t), dtype=float)

    def matrix(self, point: Point, h: float, f: Array) -> Array:
        """M + γ h C + β h² K."""
        if self.slopes is not None:
            K, C, M = (np.asarray(x, dtype=float) for x in
                       self.slopes(point.q, point.v, point.a, point.t))  # fmt: skip
            return np.asarray(M + GAMMA * h * C + BETA * h**2 * K)
        size = np.abs(point.q)
        # eq. 20; a relative tolerance of the size itself is contained in |q|
        moved = np.maximum(np.maximum(np.abs(h * point.v), size), self.steering.absolute)
        moved = np.where(point.v < 0, -moved, moved) * math.sqrt(ROUNDING)
        changes = moved / (BETA * h**2)
        columns = []
        for j, change in enumerate(changes):
            q, v, a = point.q.copy(), point.v.copy(), point.a.copy()
            q[j] += BETA * h**2 * change
            v[j] += GAMMA * h * change
            a[j] += change
            columns.append((self.value(Point(point.t, q, v, a)) - f) / change)
        return np.column_stack(columns)

    def step(self, start: Point, h: float) -> Point | None:
        """The end of a step; None where Newton's method fails."""
        a, shift = start.a, h * start.v + (0.5 - BETA) * h**2 * start.a
        for _ in range(ITERATIONS):
            end = Point(start.t + h, start.q + shift + BETA * h**2 * a,
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
            allowed = SHARE * self.steering.tolerance * h * self._sizes(end)
            allowed += FLOOR * np.maximum(np.abs(end.q), self.steering.absolute)
            if (moved <= allowed).all():
                return Point(end.t, end.q - BETA * h**2 * change, end.v - GAMMA * h * change, a)
        return None

    def rate(self, start: Point, end: Point, h: float) -> float:
        """ε/h over what is allowed."""
        noise = NOISE * np.maximum(1.0, np.abs(end.q)) / h**2
        change = np.maximum(np.abs(end.a - start.a) - noise, 0.0)
        change = np.where(self.first, self._bend(start, end, h), change)
        change /= self._sizes(end)
        error = h * float(np.linalg.norm(change)) / (12 * math.sqrt(len(change)))
        return error / self.steering.tolerance

    def _bend(self, start: Point, end: Point, h: float) -> Array:
        """Change of the second rates over a step, from the mean ones of this and the last step."""
        if self.last is None:
            return np.zeros_like(end.v)
        mean, before = self.last
        return np.asarray(2 * h * np.abs((end.v - start.v) / h - mean) / (before + h))

    def accept(self, start: Point, end: Point, h: float) -> None:
        """Remember a step that was taken."""
        self.last = ((end.v - start.v) / h, h)

    def _sizes(self, point: Point) -> Array:
        """What errors of the coordinates are relative to."""
        return np.where(self.first, np.maximum(1.0, np.abs(point.q)), 1.0)

    def begin(self, t: float, q: Array, v: Array) -> Point:
        """Accelerations at the start; rates of first-order unknowns are made to fit.

        Second rates of these come from their rates a moment later.
        """
        _, M = self._start_slopes(Point(t, q, v, np.zeros_like(q)))
        self.first = np.array([not column.any() for column in M.T])
        point = self._fitted(Point(t, q, v, np.zeros_like(q)))
        if not self.first.any():
            return point
        moment = MOMENT * self.steering.first
        later = self._fitted(Point(t + moment, q + moment * point.v, point.v, point.a))
        return replace(point, a=np.where(self.first, (later.v - point.v) / moment, point.a))

    def _fitted(self, point: Point) -> Point:
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

    def _start_slopes(self, point: Point) -> tuple[Array, Array]:
        """C and M; by differences where nothing else is given."""
        if self.slopes is not None:
            _, C, M = self.slopes(point.q, point.v, point.a, point.t)
            return np.asarray(C, dtype=float), np.asarray(M, dtype=float)
        f, by_v, by_a = self.value(point), [], []
        for j in range(len(point.q)):
            by = math.sqrt(ROUNDING) * max(1.0, abs(point.v[j]), abs(point.a[j]))
            move = np.zeros_like(point.q)
            move[j] = by
            by_v.append((self.value(Point(point.t, point.q, point.v + move, point.a)) - f) / by)
            by_a.append((self.value(Point(point.t, point.q, point.v, point.a + move)) - f) / by)
        return np.column_stack(by_v), np.column_stack(by_a)


def newmark(
    residual: Residual,
    start: tuple[Array, Array],
    times: Array,
    slopes: Slopes | None = None,
    steering: Steering | None = None,
) -> Motion:
    """Integrate f(q, qd, qdd, t) = 0 through output times.

    Args:
        residual: f.
        start: q and qd at the first time.
        times: rising; steps end at each of them.
        slopes: K, C, M; by default the matrix of Newton's method comes from differences.
        steering: how steps are chosen.
    """
    how = steering or Steering()
    method, found = Newmark(residual, slopes, how), Motion()
    point = method.begin(float(times[0]), *start)
    found.keep(point)
    h = min(how.first, how.longest)
    try:
        for target in times[1:]:
            while point.t < target:
                point, h = _advanced(method, found, point, h, float(target))
                if found.end != FINISHED:
                    return found
            found.keep(point)
    except KeyboardInterrupt:
        found.end = INTERRUPTED
    return found


def _advanced(
    method: Newmark, found: Motion, point: Point, h: float, target: float
) -> tuple[Point, float]:
    """One step that is good enough, at most to the target; the length to try next."""
    how = method.steering
    while True:
        gap = target - point.t
        hits = h * (1 + 1e-6) >= gap
        trial = gap if hits else (gap / 2 if 2 * h > gap else h)
        end = method.step(point, trial)
        rate = math.inf if end is None else method.rate(point, end, trial)
        factor = RETREAT
        if math.isfinite(rate):
            factor = min(MOST, max(LEAST, SAFETY / math.sqrt(max(rate, 1e-4))))
        longer = min(how.longest, trial * factor)
        if end is not None and rate <= 1:
            found.steps.append((end.t, trial))
            method.accept(point, end, trial)
            end = Point(target, end.q, end.v, end.a) if hits else end
            return end, max(longer, min(h, how.longest)) if hits else longer
        found.rejected += 1
        h = longer
        if h < how.shortest:
            found.end, found.residual = STEP_TOO_SMALL, method.worst
            return point, h


__all__ = ["Motion", "Newmark", "Point", "Residual", "Slopes", "Steering", "newmark"]
