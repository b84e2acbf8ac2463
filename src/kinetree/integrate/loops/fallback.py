"""CVODE through the Python callbacks of scikit-sundae, where its C functions cannot be reached.

The same run, about ten times slower: every evaluation passes through Python.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kinetree.arrays import Array
from kinetree.integrate.loops.layout import DONE, FAILED, NOT_FINITE, RUNNING, TERMINAL, TOO_MANY
from kinetree.integrate.loops.native_problem import Crossing, Fault, Options, System
from kinetree.integrate.loops.slices import Slices
from kinetree.integrate.sundials.session import meaning

FAMILIES = {"adams": "Adams", "bdf": "BDF"}
TOO_MUCH_WORK, AT_ROOT = -1, 2
"""CVODE's answers."""


class CvodeByPython(Slices):
    """A run by CVODE with callbacks in Python; one output time per step of a slice.

    Its relative tolerance is one number, the smallest of those given.
    """

    def __init__(self, system: System, y0: Any, times: Any, options: Options) -> None:
        super().__init__(system, y0, times, options)
        self.options = options
        self._bad: Fault | None = None
        self._seen = 0
        self._begin()
        self.values[0] = self.y

    def _begin(self) -> None:
        from sksundae.cvode import CVODE

        self._project()
        system, options = self.system, self.options
        finite = np.isfinite(options.max_step)
        more: dict[str, Any] = {}
        if system.jacobian is not None:
            more["jacfn"] = self._jacobian
        if system.event is not None:
            more |= {"eventsfn": self._make_events(), "num_events": system.event.size}
        self._solver = CVODE(
            self._rates,
            method=FAMILIES[options.method],
            rtol=float(self.state[self.layout.vector("rtol")].min()),
            atol=self.state[self.layout.vector("atol")].copy(),
            first_step=options.step * self["direction"],
            max_step=options.max_step if finite else 0.0,
            max_num_steps=min(options.max_steps, 2**31 - 1),
            **more,
        )
        self._seen = 0
        self._solver.init_step(self.t, self.y.copy())

    def _rates(self, t: float, y: Array, into: Array) -> None:
        into[:] = self.system.rates.call(t, np.asarray(y))
        self["evaluations"] += 1
        if not np.isfinite(into).all():
            self._bad = Fault(t, int(np.flatnonzero(~np.isfinite(into))[0]), np.array(y))

    def _jacobian(self, t: float, y: Array, ydot: Array, into: Array) -> None:
        del ydot
        assert self.system.jacobian is not None
        into[:, :] = self.system.jacobian.call(t, np.asarray(y)).reshape(into.shape)
        self["jacobians"] += 1

    def _make_events(self) -> Any:
        event, senses = self.system.event, self.system.senses
        assert event is not None

        def values(t: float, y: Array, into: Array) -> None:
            into[:] = event.call(t, np.asarray(y))

        marks: Any = values
        marks.terminal = [False] * len(senses)
        marks.direction = list(senses)
        return marks

    def _slice(self, budget: int) -> int:
        for _ in range(budget):
            cursor = int(self["cursor"])
            if cursor >= self.times.size:
                return DONE
            found = self._solver.step(self.times[cursor], method="normal", tstop=self["end"])
            if found.status < 0:
                self["flag"] = found.status
                if self._bad is not None:
                    return NOT_FINITE
                return TOO_MANY if found.status == TOO_MUCH_WORK else FAILED
            self["t"] = found.t
            self.y[:] = found.y
            self["steps"] += 1
            if found.status == AT_ROOT:
                if self._note(found):
                    return TERMINAL
                continue
            self._project()
            self.values[cursor] = self.y
            self["cursor"] = cursor + 1
        return RUNNING

    def _note(self, found: Any) -> bool:
        """Keep the events found last; whether one of them ends the run."""
        numbers = np.flatnonzero(found.i_events[-1])
        for number in numbers:
            self._crossings.append(Crossing(int(number), float(found.t), np.array(found.y)))
        return bool(set(numbers.tolist()) & set(self.system.terminal))

    def _fault(self) -> Fault:
        assert self._bad is not None
        return self._bad

    def _counts(self) -> tuple[int, int, int, int]:
        return int(self["steps"]), 0, int(self["evaluations"]), int(self["jacobians"])

    def _message(self) -> str:
        return meaning(int(self["flag"])) if self["flag"] < 0 else ""
