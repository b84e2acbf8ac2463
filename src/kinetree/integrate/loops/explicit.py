"""Explicit Runge–Kutta integration without Python per step.

Refs: Hairer1993 sec. II.4 (first step)
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np

from kinetree.arrays import Array
from kinetree.errors import ShapeError
from kinetree.integrate.loops.driver import ENTRY, driver_text
from kinetree.integrate.loops.layout import NOT_FINITE, STREAK
from kinetree.integrate.loops.native_problem import Fault, Options, System
from kinetree.integrate.loops.slices import Slices
from kinetree.integrate.loops.tableaus import TABLEAUS, Tableau
from kinetree.targets.native.compile import jit
from kinetree.targets.native.function import address

CALL = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)

AHEAD = 1e-6
"""How far behind a zero its sign is asked for, in shares of the first step and of the time."""


@cache
def driver(name: str) -> jit.Library:
    """The compiled loop of a method; one for all problems."""
    return jit.stored_text(driver_text(TABLEAUS[name]), (ENTRY,))


class Explicit(Slices):
    """A run by an explicit method.

    A copy of `state` put back later resumes the run from there; output written in between is
    written again, the same.
    """

    def __init__(self, system: System, y0: Any, times: Any, options: Options) -> None:
        self.tableau: Tableau = TABLEAUS[options.method]
        super().__init__(system, y0, times, options, self.tableau.rows)
        self._call = CALL(driver(self.tableau.name).addresses[ENTRY])
        fixed = bool(options.step) or not self.tableau.errors
        if fixed and not options.step > 0.0:
            raise ShapeError(
                f"the method '{self.tableau.name}' needs a step",
                element="options",
                cure="give step=… in seconds, or choose 'dopri5'",
            )
        self["fixed"] = float(fixed)
        self["h"] = self["direction"] * options.step
        self._begin()
        self.values[0] = self.y

    def _slice(self, budget: int) -> int:
        return int(self._call(address(self.state), address(self.table), budget))

    def _begin(self) -> None:
        self._project()
        slope = self.system.rates.call(self.t, self.y)
        self["evaluations"] += 1
        self["error_before"] = 1e-4
        self.state[self.layout.derivative(0)] = slope
        if not np.isfinite(slope).all():
            self.status = NOT_FINITE
        if self["fixed"]:
            # the grid of steps starts here
            self["t0"] = self.t - self["steps"] * self["h"]
        else:
            self["h"] = self["direction"] * min(self["h_most"], self._first_step())
        self._begin_events()

    def _begin_events(self) -> None:
        """Values of the events; where one is zero, those a little later tell its sign."""
        event = self.system.event
        if event is None:
            return
        g, root = (self.state[self.layout.event_vector(name)] for name in ("g_old", "root"))
        g[:] = event.call(self.t, self.y)
        on_zero = (g == 0.0) | (root <= self["end_of_step"])
        if on_zero.any():
            ahead = AHEAD * self["h"] + self["direction"] * AHEAD * abs(self.t)
            slope = self.state[self.layout.derivative(0)]
            g[on_zero] = event.call(self.t + ahead, self.y + ahead * slope)[on_zero]

    def _first_step(self) -> float:
        """A step in which the error is about a hundredth of the tolerance."""
        y, slope = self.y, self.state[self.layout.derivative(0)]
        span = abs(self["end"] - self["t0"])
        rtol, atol = (self.state[self.layout.vector(name)] for name in ("rtol", "atol"))
        scale = atol + rtol * np.abs(y)
        d0, d1 = _norm(y / scale), _norm(slope / scale)
        if not np.isfinite(d1):
            return span
        h0 = min(span, 1e-6 if min(d0, d1) < 1e-5 else 0.01 * d0 / d1)
        way = self["direction"]
        after = self.system.rates.call(self.t + h0 * way, y + h0 * way * slope)
        self["evaluations"] += 1
        d2 = _norm((after - slope) / scale) / h0
        if not np.isfinite(d2):
            return h0
        power = 1.0 / self.tableau.error_order
        largest = max(d1, d2)
        h1 = (0.01 / largest) ** power if largest > 1e-15 else max(1e-6, 1e-3 * h0)
        return float(min(100 * h0, h1, span))

    def _stiff(self) -> bool:
        return self["stiff"] >= STREAK

    def _message(self) -> str:
        return "stability, not accuracy, limits the steps" if self._stiff() else ""

    def _fault(self) -> Fault:
        """The first stage that is not finite, and its first such component."""
        h = self["h_try"]
        slopes = [self.state[self.layout.derivative(j)] for j in range(self.tableau.stages + 1)]
        y_new = self.state[self.layout.vector("y_new")]
        for row, slope in enumerate(slopes):
            bad = np.flatnonzero(~np.isfinite(slope))
            if bad.size:
                weights = (*self.tableau.a, self.tableau.b)[row]
                terms = [h * w * k for w, k in zip(weights, slopes[:row], strict=True) if w]
                return Fault(
                    self.t + self.tableau.c[row] * h, int(bad[0]), np.sum([self.y, *terms], axis=0)
                )
        bad = np.flatnonzero(~np.isfinite(y_new))
        return Fault(self["t_new"], int(bad[0]) if bad.size else 0, y_new.copy())


def _norm(values: Array) -> float:
    return float(np.sqrt(np.mean(values * values)))
