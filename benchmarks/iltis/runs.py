"""Runs of one compiled step with processor time of the march alone, and the signals of eq. 43.

Refs: Cuadrado2003 eq. 43
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import kinetree as kt
from benchmarks.iltis.road import DURATION, start
from kinetree.integrate import Report, Stepper
from kinetree.integrate.loops.equal_steps import DONE, March, Start
from kinetree.integrate.start.beginning import Beginning
from kinetree.program.restrict import restrict
from kinetree.steppers import FAMILIES
from kinetree.targets.native.lanes.packing import LANES

Array = np.ndarray
POINTS = ("chassis", "FL_wheel", "RR_wheel")
"""Whose heights are compared: mass centre of the chassis, centres of two wheels."""
WHOLE = 10**9


@dataclass(frozen=True)
class Outcome:
    """One run.

    Attributes:
        finished: whether every step was solved.
        reached: time of the last state [s].
        seconds: processor time of the march.
        run: times, q, qd, qdd; None where it was not asked for or the run failed.
    """

    finished: bool
    reached: float
    seconds: float
    run: Any = None


class Steps:
    """A step of the model by one formulation and one family, ready to march.

    The start is made once per set of parameters, so that a run costs its steps and nothing else.
    """

    def __init__(self, model: kt.Model, formulation: str, family: str) -> None:
        began = time.perf_counter()
        self.model, self.formulation, self.family = model, formulation, family
        self.stepper = Stepper(model, formulation, family)
        self.built = time.perf_counter() - began
        self.basic = FAMILIES[family].basic
        self._lanes: dict[tuple[Any, ...], Any] = {}

    def march(
        self,
        step: float,
        basic: float | None = None,
        *,
        parameters: Mapping[str, float] | None = None,
        duration: float = DURATION,
        qd: Array | None = None,
        keep: bool = True,
    ) -> Outcome:
        """Run once; the basic parameter of the family is its default where none is given."""
        lanes = self._begin(parameters or {}, qd)
        at = Start(self._inputs(lanes, step, basic), lanes.p, 0.0, step, round(duration / step))
        march = March(self.stepper.function, self.stepper.size, at)
        seconds = _marched(march)
        finished = march.status == DONE
        reached = march.step * step
        run = None
        if keep and finished:
            report = Report("end", reached, march.step, seconds)
            run = self.stepper.gather(march.states[: march.rows, :, 0], at, report, lanes)
        return Outcome(finished, reached, seconds, run)

    def blocks(self, step: float, basic: float, parameters: Mapping[str, Array]) -> Blocks:
        """Runs with other parameters, one per entry of the rows."""
        begin = Beginning(None, start(self.model), None, 0.0)
        lanes = self.stepper.lanes(begin, parameters, {"h": step})
        return Blocks(self.stepper, self._inputs(lanes, step, basic), lanes.p, step)

    def _inputs(self, lanes: Any, step: float, basic: float | None) -> Array:
        x = np.array(lanes.x)
        x[self.stepper.ports["h"].start] = step
        if self.basic is not None and basic is not None:
            x[self.stepper.ports[self.basic.name].start] = basic
        return x

    def _begin(self, parameters: Mapping[str, float], qd: Array | None) -> Any:
        velocities = start(self.model) if qd is None else qd
        key = (*sorted(parameters.items()), *velocities)
        if key not in self._lanes:
            begin = Beginning(None, velocities, None, 0.0)
            self._lanes[key] = self.stepper.lanes(begin, parameters, {"h": 1e-3})
        return self._lanes[key]


@dataclass(frozen=True)
class Alone:
    """One run of a batch by itself: processor time [s], last state."""

    seconds: float
    last: Array


class Blocks:
    """Runs with different parameters, eight side by side on one thread.

    Attributes:
        last: state at the end, one column per run; not a number where a run failed.
    """

    def __init__(self, stepper: Stepper, x: Array, p: Array, step: float) -> None:
        self._stepper, self._x, self._p, self._step = stepper, x, p, step
        self.last = np.zeros((stepper.size, x.shape[1]))

    def _march(self, columns: Any) -> March:
        count = round(DURATION / self._step)
        at = Start(self._x[:, columns], self._p[:, columns], 0.0, self._step, count, count)
        return March(self._stepper.function, self._stepper.size, at)

    def seconds(self) -> list[float]:
        """Run all blocks; processor time of each."""
        found = []
        for k in range(0, self._x.shape[1], LANES):
            march = self._march(slice(k, k + LANES))
            found.append(_marched(march))
            self.last[:, k : k + LANES] = march.last
        return found

    def alone(self, k: int) -> Alone:
        """Run one of them by itself."""
        march = self._march(slice(k, k + 1))
        seconds = _marched(march)
        good = march.status == DONE
        return Alone(seconds, march.last[:, 0] if good else np.full(self._stepper.size, np.nan))


def _marched(march: March) -> float:
    """March to the end; processor time [s]."""
    began = time.thread_time()
    march.advance(WHOLE)
    return time.thread_time() - began


class Signals:
    """What is looked at along a run."""

    def __init__(self, model: kt.Model) -> None:
        self.model = model

    @cached_property
    def _points(self) -> Any:
        whole = kt.derive(self.model, "kinematics", points=POINTS)
        kinds = ("position", "acceleration")
        return restrict(whole, [f"{p}.{kind}" for p in POINTS for kind in kinds]).compile()

    @cached_property
    def _loops(self) -> Any:
        return kt.derive(self.model, "constraints").compile()

    def heights(self, run: Any) -> Array:
        """The three vertical coordinates [m], one row per time."""
        found = self._evaluate(run)
        return np.stack([found[f"{p}.position"][:, 2] for p in POINTS], axis=1)

    def accelerations(self, run: Any) -> Array:
        """The three vertical accelerations [m/s2]."""
        found = self._evaluate(run)
        return np.stack([found[f"{p}.acceleration"][:, 5] for p in POINTS], axis=1)

    def _evaluate(self, run: Any) -> Any:
        return self._points(q=run.q, qd=run.qd, qdd=run.qdd)

    def violations(self, run: Any) -> dict[str, float]:
        """Largest residual of the loops along a run: positions, velocities, accelerations."""
        given = {"q": run.q, "qd": run.qd, "t": run.times}
        found = self._loops(
            **{p.name: given[p.name] for p in self._loops.inputs if p.name in given}
        )
        J = found["J"]
        rates = np.einsum("nij,nj->ni", J, run.qd) + found.get("ht", 0.0)
        second = np.einsum("nij,nj->ni", J, run.qdd) + found["Jdqd"]
        rows = {"position": found["h"], "velocity": rates, "acceleration": second}
        return {name: float(np.abs(values).max()) for name, values in rows.items()}


class Reference:
    """Signals that others are compared with."""

    def __init__(self, times: Array, heights: Array) -> None:
        from scipy.interpolate import CubicSpline

        self.times, self.heights = times, heights
        self._curve = CubicSpline(times, heights)

    def at(self, times: Array) -> Array:
        """The signals at other times."""
        return np.array(self._curve(times))

    def difference(self, times: Array, heights: Array) -> Array:
        """Signals minus those of the reference, over their common time."""
        both = times <= self.times[-1] + 1e-9
        return np.array(heights[both] - self.at(times[both]))


def error(difference: Array) -> float:
    """Eq. 43 as printed: mean over the signals of √(sum of squares) / (ns + 1) [m]."""
    return float(np.sqrt((difference**2).sum(axis=0)).mean() / len(difference))


def spread(difference: Array) -> float:
    """Mean over the signals of the root of the mean square [m]: eq. 43 times √(ns + 1)."""
    return float(np.sqrt((difference**2).mean(axis=0)).mean())


__all__ = ["POINTS", "Outcome", "Reference", "Signals", "Steps", "error", "spread"]
