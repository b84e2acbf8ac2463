"""Explicit Runge–Kutta integration without Python per step.

Refs: Hairer1993 sec. II.4 (first step)
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from kinetree.arrays import Array, Integers
from kinetree.integrate.loops.driver import ENTRY, driver_text
from kinetree.integrate.loops.events import MOVED
from kinetree.integrate.loops.layout import HEADER, NOT_FINITE, RUNNING
from kinetree.integrate.loops.slices import CALL, Slices
from kinetree.integrate.loops.tableaus import TABLEAUS, Tableau
from kinetree.integrate.problem import Native, Problem, Settings
from kinetree.targets.native.compile import jit
from kinetree.targets.native.function import address

AHEAD = 1e-6
"""How far behind a zero its sign is asked for, in shares of the first step and of the time."""

SCANNED = (np.arange(48) + 0.37) / 48
"""Places at which the first step is looked at, in shares of it; none is a round number."""
SCANS = 12
"""How often it is made shorter at most."""


@jit.one_library
def driver(name: str) -> jit.Library:
    """The compiled loop of a method; one for all problems."""
    return jit.stored_text(driver_text(TABLEAUS[name]), (ENTRY,))


class ExplicitLoop(Slices):
    """A run by an explicit method."""

    def __init__(
        self, tableau: Tableau, problem: Problem, native: Native, settings: Settings
    ) -> None:
        self.tableau = tableau
        super().__init__(problem, native, settings, tableau.rows)
        self._call = CALL(driver(tableau.name).addresses[ENTRY])
        step = settings.fixed_step or 0.0
        if not tableau.errors:  # by default a step from one output to the next
            step = settings.equal_step(step or float(np.min(np.diff(problem.times))))
        self["fixed"], self["h"] = float(step > 0.0), step
        self["halts"] = float(settings.traced)
        self["moved"] = 0.0 if settings.traced and native.turns else MOVED
        self._begin()

    @cached_property
    def _lasting(self) -> Integers:
        """Places in the state of what the steps to come depend on; the rest is room to work in."""
        layout = self.layout
        parts = [slice(0, HEADER), layout.vector("y"), layout.derivative(0)]
        parts += [layout.event_vector(name) for name in ("g_old", "later")]
        return np.concatenate([np.arange(part.start, part.stop) for part in parts])

    def snapshot(self) -> Array:
        """All that the steps to come depend on, between two slices."""
        return self.state[self._lasting]

    def resume(self, kept: Array) -> None:
        """Go on from a snapshot of the same run: what follows has the same bits."""
        self.state[self._lasting] = kept
        self.status = RUNNING

    def _slice(self, budget: int) -> int:
        return int(self._call(address(self.state), address(self.table), budget))

    def _begin(self) -> None:
        self._record_start()
        slope = self.kernels["rates"].call(self.t, self.y)
        self["evaluations"] += 1
        self["error_before"] = 1e-4
        self.state[self.layout.derivative(0)] = slope
        if not np.isfinite(slope).all():
            self.status = NOT_FINITE
        if not self["fixed"]:
            self["h"] = min(self["h_most"], self._pace(), self._first_step())
        self._begin_events()
        self._hold()
        if self.held and not self["fixed"]:
            self["h"] = self._one_change(self["h"])

    def _hold(self) -> None:
        """Let laws stay on the side of zero on which their conditions are."""
        if not self.held:
            return
        g = self.state[self.layout.event_vector("g_old")]
        self.sides = np.sign(g[list(self.held)])
        for kernel in self.kernels.values():
            kernel.x[kernel.rest_end - len(self.sides) : kernel.rest_end] = self.sides
        self.state[self.layout.derivative(0)] = self.kernels["rates"].call(self.t, self.y)
        self["evaluations"] += 1

    def _one_change(self, h: float) -> float:
        """A first step in which no law that is held would change its branch twice.

        Along a straight line, on which it is looked for at more places the shorter the step is.
        """
        slope, event = self.state[self.layout.derivative(0)], self.kernels["event"].call
        for _ in range(SCANS):
            places = h * SCANNED
            g = np.array([event(self.t + s, self.y + s * slope) for s in places])[
                :, list(self.held)
            ]
            sides = np.vstack([self.sides, np.sign(g)])
            changes = np.cumsum((sides[1:] != sides[:-1]).any(axis=1)) > 1
            if not changes.any():
                break
            h = float(places[np.argmax(changes)])
        return h

    def _pace(self) -> float:
        """The longest first step that passes over nothing brief [s]."""
        found = self.kernels.get("pace")
        return np.inf if found is None else float(found.call(self.t, self.y)[0])

    def _begin_events(self) -> None:
        """Values of the events; where one is zero, those a little later tell its sign."""
        if "event" not in self.kernels:
            return
        values = self.kernels["event"].call
        g = self.state[self.layout.event_vector("g_old")]
        g[:] = values(self.t, self.y)
        ahead = AHEAD * self["h"] + AHEAD * abs(self.t)
        slope = self.state[self.layout.derivative(0)]
        later = self.state[self.layout.event_vector("later")]
        later[:] = values(self.t + ahead, self.y + ahead * slope)
        g[g == 0.0] = later[g == 0.0]
        sides = self.known_sides()
        other = (sides != 0.0) & (g * sides <= 0.0)
        g[other] = sides[other]

    def _first_step(self) -> float:
        """A step in which the error is about a hundredth of the tolerance."""
        y, slope = self.y, self.state[self.layout.derivative(0)]
        span = self["end"] - self["t0"]
        rtol, atol = (self.state[self.layout.vector(name)] for name in ("rtol", "atol"))
        scale = atol + rtol * np.abs(y)
        count = int(self["weighed"])
        d0, d1 = (_norm((row / scale)[:count]) for row in (y, slope))
        if not np.isfinite(d1):
            return span
        h0 = min(span, 1e-6 if min(d0, d1) < 1e-5 else 0.01 * d0 / d1)
        after = self.kernels["rates"].call(self.t + h0, y + h0 * slope)
        self["evaluations"] += 1
        d2 = _norm(((after - slope) / scale)[:count]) / h0
        if not np.isfinite(d2):
            return h0
        power = 1.0 / self.tableau.error_order
        largest = max(d1, d2)
        h1 = (0.01 / largest) ** power if largest > 1e-15 else max(1e-6, 1e-3 * h0)
        return float(min(100 * h0, h1, span))

    def _counts(self) -> tuple[int, int, int]:
        return int(self["steps"]), int(self["evaluations"]), 0

    def _message(self) -> str:
        return ""

    def _fault(self) -> tuple[float, Array]:
        """The first stage that is not finite."""
        h = self["h_try"]
        slopes = [self.state[self.layout.derivative(j)] for j in range(self.tableau.stages + 1)]
        for row, slope in enumerate(slopes):
            if not np.isfinite(slope).all():
                weights = (*self.tableau.a, self.tableau.b)[row]
                terms = [h * w * k for w, k in zip(weights, slopes[:row], strict=True) if w]
                return self.t + self.tableau.c[row] * h, np.sum([self.y, *terms], axis=0)
        return self["t_new"], self.state[self.layout.vector("y_new")].copy()


def _norm(values: Array) -> float:
    return float(np.sqrt(np.sum(values * values) / max(1, values.size)))
