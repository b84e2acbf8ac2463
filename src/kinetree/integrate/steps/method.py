"""Equal steps as a method for a problem whose events change the state.

An event is seen after the step in which its condition changes its sign.  It is told with the time
at which an interpolant of the step passes zero, and takes effect at the end of the step; or, where
events are to be located, the step is made again so short that it ends there.  After every event the
steps begin anew from a consistent state.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from kinetree.arrays import Array
from kinetree.integrate.crossings import crossings, on_sides
from kinetree.integrate.loops.equal_steps import March, Start
from kinetree.integrate.problem import (
    EVENT,
    FINISHED,
    INTERRUPTED,
    LATE,
    NOT_SOLVED,
    Hit,
    Path,
    Problem,
    Settings,
)
from kinetree.integrate.start.beginning import Beginning, Lanes
from kinetree.integrate.steps.repartitioned_run import SLICE, Ended, relay
from kinetree.integrate.steps.stepper import Stepper

FEW, LONG = 8, 0.1
"""Steps of the first slice; slices that take longer than this [s] grow no more."""
EQUAL = 1e-6
"""Share of a step by which those of equal length may differ: rounding of the times."""
NONE = 1e-9
"""Share of a step that is its tangent: conditions are looked at that far behind an event, and
events that near to the end of a step are there."""


@dataclass(frozen=True)
class Stepping:
    """Equal steps of a model.

    Attributes:
        stepper: the step.
        length: of a step [s].
        locate: whether a step ends where an event happens that changes the state or ends the run.
        parameters: values by name in place of the model's.
        inputs: efforts and external wrenches, constant [N.m, N].
    """

    stepper: Stepper
    length: float
    locate: bool = False
    parameters: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, Any] = field(default_factory=dict)

    def solve(self, problem: Problem, settings: Settings) -> Path:
        """March through the times of a problem, y = [q, qd, x], up to its next event."""
        walk = _Walk(self, problem, settings)
        try:
            with np.errstate(all="ignore"):
                end = walk.go()
        except KeyboardInterrupt:
            end = INTERRUPTED
        found = walk.path()
        return replace(found, end=end, last_t=float(found.t[-1]), last_y=found.y[-1])

    def begin(self, t: float, y: Array) -> Lanes:
        """Inputs of the step at a state."""
        model = self.stepper.model
        q, qd, x = np.split(y, [model.nq, model.nq + model.nv])
        given = {**self.inputs, "h": self.length}
        begin = Beginning(q, qd, x if model.states else None, t)
        return self.stepper.lanes(begin, self.parameters, given)


class _Walk:
    """Equal steps under way.

    Attributes:
        found: how it went, and the last row found; its steps are all that were made.
        rows: times and states of all that was found and is not handed over, block by block.
        single: whether memories wait for the end of every step.
        state: in the step's own terms, at the last row found.
        g: values of the conditions there.
        most: steps of the next slice.
    """

    def __init__(self, how: Stepping, problem: Problem, settings: Settings) -> None:
        self.how, self.problem, self.settings = how, problem, settings
        self.stepper, self.lanes = how.stepper, how.begin(float(problem.times[0]), problem.start)
        self.found = Path(problem.times[:1], problem.start[None], FINISHED)
        self.state = self.lanes.x[: self.stepper.size, 0]
        self.g = on_sides(self._conditions(self.found.t, self.found.y)[0], problem.sides)
        self.rows = [(self.found.t, self.found.y)]
        self.single = bool(problem.memories) and not how.stepper.remembers
        self.most = 1 if self.single else FEW

    def go(self) -> str:
        """March until something happens; why it ended."""
        times, settings = self.problem.times, self.settings
        while (made := self.found.steps) < len(times) - 1:
            count, h = self._ahead(made)
            start = self._start(self.state, float(times[made]), h, count)
            began = time.perf_counter()
            ended = relay(self.stepper, start, self.how.parameters, None)
            if time.perf_counter() - began < LONG and not self.single:
                self.most = min(2 * self.most, SLICE)
            if end := self._keep(ended.states, times[made : made + len(ended.states)], h):
                return end
            if ended.end != FINISHED:
                self.found = replace(self.found, message=self._why(ended, start))
                return ended.end
            self.stepper = ended.stepper
            if settings.report is not None:
                settings.report(float(self.found.t[-1]))
            if settings.sink is not None and not self._hand_over(settings.sink):
                return INTERRUPTED
        return FINISHED

    def _ahead(self, made: int) -> tuple[int, float]:
        """How many steps of one length come next, and that length [s]."""
        gaps = np.diff(self.problem.times[made : made + self.most + 1])
        other = np.abs(gaps - self.how.length) > EQUAL * self.how.length
        if other[0]:
            return 1, float(gaps[0])
        return (int(np.argmax(other)) if other.any() else len(gaps)), self.how.length

    def _start(self, state: Array, t: float, h: float, count: int = 1) -> Start:
        """That many steps from a state of the step at a time [s]."""
        x, port = self.lanes.x.copy(), self.stepper.ports["h"]
        x[: self.stepper.size, 0] = state
        x[port.start] = h
        return Start(x, self.lanes.p, t, h, count)

    def _keep(self, states: Array, times: Array, h: float) -> str:
        """Take the states of a slice up to an event that stops it; how that ends the path."""
        y = self._read(states, times, self.found.y[-1])
        self._remember(states, times, y)
        g = np.vstack([self.g, self._conditions(times[1:], y[1:])])
        crossed = self._crossings(g).any(axis=1)
        if len(crossed) and not self.found.steps:
            crossed[0] |= self._leaves_zero(times[0], y[0], h)
        for k in np.flatnonzero(crossed):
            found = self._find(times[k : k + 2], y[k : k + 2], g[k : k + 2], (states[k], h))
            stops = [hit for hit in found if self.problem.watches[hit.watch].stops]
            if stops:
                self._add(times[1 : k + 1], y[1 : k + 1])
                return self._stop(found, stops[0], times[k + 1], y[k + 1])
            self.found = replace(self.found, hits=(*self.found.hits, *found))
        self._add(times[1:], y[1:])
        self.state, self.g = states[-1], g[-1]
        return ""

    def _add(self, t: Array, y: Array, hits: Sequence[Hit] = ()) -> None:
        """Take rows of steps and what happened meanwhile."""
        found = self.found
        self.rows.append((t, y))
        self.found = replace(
            found, t=np.append(found.t, t)[-1:], y=np.vstack([found.y, y[-1:]])[-1:],
            hits=(*found.hits, *hits), steps=found.steps + len(t),
        )  # fmt: skip

    def path(self) -> Path:
        """All that was found and is not handed over."""
        t, y = zip(*self.rows, strict=True)
        return replace(self.found, t=np.concatenate(t), y=np.concatenate(y))

    def _stop(self, found: list[Hit], first: Hit, t: float, y: Array) -> str:
        """End with events inside the next step: at the first one, or late, at its end (t, y)."""
        if self.how.locate:
            t, y, found = first.t, first.y, [hit for hit in found if hit.t <= first.t]
        self._add(np.array([t]), y[None], found)
        return EVENT if self.how.locate else LATE

    def _conditions(self, t: Array, y: Array) -> Array:
        """Values of all conditions at many states, one row each."""
        watched = self.problem.watched
        if watched is None:
            return np.zeros((len(t), 0))
        values = [watched(float(a), b) for a, b in zip(t, y, strict=True)]
        return np.array(values).reshape(len(t), len(self.problem.watches))

    def _crossings(self, g: Array) -> Any:
        """Whether conditions pass zero, (step, condition)."""
        way = np.array([watch.direction for watch in self.problem.watches])
        a, b = g[:-1], g[1:]
        return ((a < 0) & (b >= 0) & (way >= 0)) | ((a > 0) & (b <= 0) & (way <= 0))

    def _leaves_zero(self, t: float, y: Array, h: float) -> bool:
        """Whether a condition is as good as zero where a located event was, and leaves zero.

        It may come back in the same step, so that its sign at the end says nothing.
        """
        if not self.how.locate or not self.g.size:
            return False
        ahead = NONE * h
        g = self._conditions(np.array([t + ahead]), (y + ahead * self.problem.rates(t, y))[None])
        return bool((np.sign(g[0]) != np.sign(self.g)).any())

    def _find(self, t: Array, y: Array, g: Array, step: tuple[Array, float]) -> list[Hit]:
        """The events of one step.

        Args:
            t: its beginning and end [s].
            y: states there.
            g: values of the conditions there.
            step: its first state, in the step's own terms, and its length [s].
        """
        assert self.problem.watched is not None
        within = self._shorter(t, y, step) if self.how.locate else self._between(t, y)
        a, b = float(t[0]), float(t[1])
        found = crossings(
            self.problem.watched, self.problem.watches, within, (a, b), np.sign(g[0]),
            also=(a + NONE * step[1],),
        )  # fmt: skip
        seen = {hit.watch for hit in found}
        missed = [int(k) for k in np.flatnonzero(self._crossings(g)[0]) if k not in seen]
        found += [Hit(k, b, y[1]) for k in missed]
        near = NONE * step[1]
        return [Hit(hit.watch, b, y[1]) if hit.t > b - near else hit for hit in found]

    def _between(self, t: Array, y: Array) -> Callable[[float], Array]:
        """The state inside a step by Hermite's polynomial of third degree through both ends."""
        h = float(t[1] - t[0])
        slopes = [h * self.problem.rates(float(a), b) for a, b in zip(t, y, strict=True)]
        bend = [slopes[0] - (y[1] - y[0]), (y[1] - y[0]) - slopes[1]]

        def within(time: float) -> Array:
            s = (time - t[0]) / h
            bent = (1 - s) * bend[0] + s * bend[1]
            return np.asarray((1 - s) * y[0] + s * y[1] + s * (1 - s) * bent)

        return within

    def _shorter(self, t: Array, y: Array, step: tuple[Array, float]) -> Callable[[float], Array]:
        """The state at the end of a shorter step from the same beginning."""
        (state, length), rates = step, self.problem.rates(float(t[0]), y[0])

        def within(time: float) -> Array:
            h = float(time - t[0])
            if h <= NONE * length:
                return np.asarray(y[0] + h * rates)
            if h >= (1 - NONE) * length:
                return np.asarray(y[1])
            start = self._start(state, float(t[0]), h)
            march = March(self.stepper.function, self.stepper.size, start)
            march.advance(1)
            return np.asarray(self._read(march.states[:, :, 0], np.array([t[0], time]), y[0])[1])

        return within

    def _read(self, states: Array, times: Array, first: Array) -> Array:
        """States of the step as those of the problem, the first of which is known."""
        lanes = replace(self.lanes, q=first[: self.stepper.model.nq])
        parts = self.stepper.parts(states, lanes, times)
        return np.hstack([parts["q"], parts["qd"], parts["x"]])

    def _remember(self, states: Array, times: Array, y: Array) -> None:
        """Let memories change at the end of a step."""
        if not self.single or len(y) == 1:
            return
        assert self.problem.project is not None
        y[-1] = self.problem.project(float(times[-1]), y[-1])
        port = self.stepper.ports["x"]
        states[-1, port.start : port.stop] = y[-1, -port.size :]

    def _why(self, ended: Ended, start: Start) -> str:
        """Why the steps could not go on."""
        if ended.end != NOT_SOLVED:
            return ""
        told = ended.stepper.report(ended.march, start, ended, self.lanes, self.how.parameters)
        return told.message

    def _hand_over(self, sink: Callable[[Path], bool]) -> bool:
        """Give what was found; whether to go on."""
        block = self.path()
        self.found = replace(self.found, hits=())
        self.rows = [(self.found.t, self.found.y)]
        return sink(block)
