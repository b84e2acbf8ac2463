"""Runs of a fixed-step method: thousands of steps per native call, one run or many side by side."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import ShapeError, unknown
from kinetree.steppers.diagnose import Failure, diagnose
from kinetree.steppers.initial import Beginning, Initial
from kinetree.steppers.outcome import Report, Run
from kinetree.steppers.step import step_program
from kinetree.targets.native.march import DONE, LOST, March, Start
from kinetree.targets.native.march_adaptive import Adaptive, Control
from kinetree.targets.native.packing import LANES

if TYPE_CHECKING:
    from kinetree.model.system import Model
    from kinetree.targets.native.function import Function
    from kinetree.targets.native.ports import Port

Array = NDArray[np.float64]
TWO = 2
SLICE = 2000
"""Steps between two looks at signals and progress."""
Progress = Callable[[int, int], None]
"""Told after every slice: steps made, steps wanted."""


class Stepper:
    """A compiled time step of a model; runs of it.

    Attributes:
        program: the step.
        function: its native code.
        state: sizes of the parts of the state, in order.
    """

    def __init__(
        self, model: Model, formulation: str | None = None, integrator: str = "trapezoidal",
        **options: Any,
    ) -> None:  # fmt: skip
        self.model = model
        self.program = step_program(model, formulation, integrator, **options)
        self.function: Function = self.program.compile()
        names = [out.name.removesuffix("_next") for out in self.program.outputs]
        ports = {p.name: p for p in self.function.inputs}
        self.ports: Mapping[str, Port] = ports
        self.state = {name: ports[name].size for name in names}
        self.size = sum(self.state.values())
        self._initial = Initial(model)

    def run(  # noqa: PLR0913  one argument per decision
        self,
        duration: float,
        step: float,
        *,
        every: int = 1,
        q: Any = None,
        qd: Any = None,
        x: Any = None,
        t: float = 0.0,
        parameters: Mapping[str, Any] | None = None,
        inputs: Mapping[str, Any] | None = None,
        series: Mapping[str, Any] | None = None,
        progress: Progress | None = None,
        threads: int | None = None,
    ) -> Run:
        """March from t to t + duration.

        Args:
            duration: [s]; a whole number of steps is made.
            step: [s].
            every: states kept: every k-th.
            q: coordinates at the start; made to obey the loops.  Leading axes are a batch.
            qd: velocities there, likewise; zero by default.
            x: user states there.
            t: time at the start [s].
            parameters: single parameters by name; leading axes are a batch.
            inputs: other inputs of the step by name: tau, wrenches, the method's parameter.
            series: one input by name with one row per step.
            progress: told after every slice.
            threads: how many share a batch.
        """
        steps = round(duration / step)
        if steps < 1 or not 0 < step < np.inf or every < 1:
            raise ShapeError(
                f"{duration} s are no whole number of steps of {step} s", element="duration"
            )
        given = {**(inputs or {}), "h": step}
        lanes = self._lanes(Beginning(q, qd, x, t), parameters or {}, given)
        series_rows, series_at = self._series(series, steps)
        start = Start(lanes.x, lanes.p, t, step, steps, every, series_rows, series_at)
        began = time.perf_counter()
        if not lanes.batch:
            march = March(self.function, self.size, start)
            reason = _drive(march, steps, progress)
            report = self._report(march, start, reason, time.perf_counter() - began, lanes)
            return self._gathered(march.states[: march.rows, :, 0], start, report)
        marches = self._many(start, lanes, progress, threads)
        wall = (time.perf_counter() - began) / lanes.x.shape[1]
        return self._batch(marches, start, lanes, wall)

    def run_adaptive(  # noqa: PLR0913  one argument per decision
        self,
        times: Any,
        control: Control | None = None,
        *,
        q: Any = None,
        qd: Any = None,
        x: Any = None,
        parameters: Mapping[str, Any] | None = None,
        inputs: Mapping[str, Any] | None = None,
        progress: Progress | None = None,
    ) -> Run:
        """March through output times with steps that follow the error (one run).

        Args:
            times: start, times of output, end [s].
            control: tolerance and bounds of the steps; see `Control`.
            q: coordinates at the start; made to obey the loops.
            qd: velocities there, likewise; zero by default.
            x: user states there.
            parameters: single parameters by name.
            inputs: other inputs of the step by name: tau, wrenches, the method's parameter.
            progress: told after every slice: steps made, output times reached.

        Returns:
            The run; its `steps` are the time at the end and the length of every step.
        """
        row = np.asarray(times, dtype=float).reshape(-1)
        if row.size < TWO or not (np.diff(row) > 0).all():
            raise ShapeError("they must be two or more rising numbers", element="times")
        begin = Beginning(q, qd, x, float(row[0]))
        lanes = self._lanes(begin, parameters or {}, {**(inputs or {}), "h": 1.0})
        if lanes.batch:
            raise ShapeError("steps that follow the error are for one run", element="start")
        how = control or Control()
        began = time.perf_counter()
        march = Adaptive(self.function, self.size, lanes.x[:, 0], lanes.p[:, 0], row, how)
        reason = _drive_adaptive(march, progress)
        wall = time.perf_counter() - began
        report = Report(reason, march.t, march["accepted"], wall)
        if reason == "newton":
            found = self._diagnosed(lanes, march.last, march.t, march.h)
            report = replace(report, residual=found.residual, worst=found.worst, message=(
                f"at t = {march.t:.6g} s no step above {how.shortest:g} s succeeds; the largest "
                f"residual is in {found.worst}"
            ))  # fmt: skip
        reached = march["cursor"]
        start = Start(lanes.x, lanes.p, float(row[0]), 1.0, 1)
        run = self._gathered(march.states[:reached], start, report)
        return replace(run, times=row[:reached], steps=march.steps)

    # --- what goes in ----------------------------------------------------------------------------

    def _lanes(
        self, begin: Beginning, parameters: Mapping[str, Any], given: Mapping[str, Any]
    ) -> _Lanes:
        p = self._parameters(parameters)
        self._refuse_unknown(given)
        wrenches = {name: x for name, x in given.items() if name in self.model.wrenches}
        begin = replace(
            begin, tau=given.get("tau"), p=p if "p" in self.ports else None, wrenches=wrenches
        )
        labels = self.ports["lam"].labels if "lam" in self.ports else ()
        state = self._initial.state(begin, labels)
        state.setdefault("a", state["qdd"])
        state.setdefault("y", state.get("xd", np.zeros(0)))
        values: dict[str, Array] = {}
        for name, port in self.ports.items():
            if port.parameter:
                continue
            if name == "t":
                values[name] = np.asarray(begin.t)
            elif name in self.state:
                values[name] = state[name]
            elif name in given:
                values[name] = port.array(given[name])
            else:
                values[name] = port.default_array
        lead = np.broadcast_shapes(
            p.shape[:-1],
            *[a.shape[: a.ndim - len(self.ports[n].shape)] for n, a in values.items()],
        )
        count = int(np.prod(lead))
        x = np.zeros((self.function.sizes["x"], count))
        for name, value in values.items():
            port = self.ports[name]
            whole = np.broadcast_to(value, (*lead, *port.shape)).reshape(count, port.size)
            x[port.start : port.stop] = whole.T
        apart = p.ndim > 1
        columns = np.broadcast_to(p, (*lead, p.shape[-1])).reshape(count, -1) if apart else p[None]
        return _Lanes(x, np.ascontiguousarray(columns.T), lead)

    def _refuse_unknown(self, given: Mapping[str, Any]) -> None:
        """Refuse inputs that the step does not have, or that are part of its state."""
        known = [name for name in self.ports if name not in {*self.state, "t", "p"}]
        for name in given:
            if name not in known:
                raise unknown("input", name, known, self.program.name)

    def _parameters(self, parameters: Mapping[str, Any]) -> Array:
        port = self.ports.get("p")
        if port is None:
            if parameters:
                raise unknown("parameter", next(iter(parameters)), (), self.program.name)
            return np.zeros(0)
        values = port.default_array
        lead = np.broadcast_shapes(*[np.shape(v) for v in parameters.values()])
        out = np.array(np.broadcast_to(values, (*lead, port.size)))
        for name, value in parameters.items():
            if name not in port.labels:
                raise unknown("parameter", name, port.labels, self.program.name)
            out[..., port.labels.index(name)] = value
        return out

    def _series(self, series: Mapping[str, Any] | None, steps: int) -> tuple[Array | None, int]:
        if not series:
            return None, 0
        ((name, value),) = series.items()
        if name not in self.ports or name in self.state:
            raise unknown("input", name, self.ports, self.program.name)
        port, rows = self.ports[name], np.asarray(value, dtype=float)
        rows = rows.reshape(rows.shape[0], -1) if rows.ndim else rows
        if rows.shape != (steps, port.size):
            raise ShapeError(f"expected {steps} rows of {port.size}", element=f"series '{name}'")
        return rows, port.start

    # --- the march -------------------------------------------------------------------------------

    def _many(
        self, start: Start, lanes: _Lanes, progress: Progress | None, threads: int | None
    ) -> list[tuple[March, str]]:
        """March all blocks of eight, on several threads."""
        count = lanes.x.shape[1]
        blocks = [[min(i + k, count - 1) for k in range(LANES)] for i in range(0, count, LANES)]
        marches = [
            March(self.function, self.size, Start(
                start.x[:, block], start.p[:, block] if start.p.shape[1] > 1 else start.p,
                start.t0, start.h, start.steps, start.every, start.series, start.series_at,
            ))
            for block in blocks
        ]  # fmt: skip
        reasons = ["end"] * len(marches)
        places = iter(range(len(marches)))
        lock = threading.Lock()

        def work(tell: Progress | None) -> None:
            while True:
                with lock:
                    k = next(places, None)
                if k is None:
                    return
                reasons[k] = _drive(marches[k], start.steps, tell)

        number = min(len(marches), threads or _cores())
        helpers = [threading.Thread(target=work, args=(None,)) for _ in range(number - 1)]
        for helper in helpers:
            helper.start()
        work(progress)
        for helper in helpers:
            helper.join()
        return list(zip(marches, reasons, strict=True))

    def _batch(
        self, marches: Sequence[tuple[March, str]], start: Start, lanes: _Lanes, wall: float
    ) -> Run:
        count = lanes.x.shape[1]
        states = np.concatenate([march.states for march, _ in marches], axis=2)[:, :, :count]
        reports = [self._of_lane(states[:, :, i], start, marches[i // LANES], wall)
                   for i in range(count)]  # fmt: skip
        whole = np.moveaxis(states, 2, 0).reshape(*lanes.batch, *states.shape[:2])
        return self._gathered(whole, start, tuple(reports))

    def _of_lane(
        self, states: Array, start: Start, march: tuple[March, str], wall: float
    ) -> Report:
        bad = np.flatnonzero(~np.isfinite(states).all(axis=1))
        if not bad.size:
            return Report("end", start.t0 + start.steps * start.h, start.steps, wall)
        reason = "newton" if march[1] != "interrupted" else march[1]
        row = int(bad[0]) - 1
        t = start.t0 + row * start.every * start.h
        return Report(reason, t, row * start.every, wall, message=f"lost after t = {t:.6g} s")

    def _gathered(self, states: Array, start: Start, report: Report | tuple[Report, ...]) -> Run:
        rows = states.shape[-2]
        times = np.asarray(start.t0 + start.h * start.every * np.arange(rows), dtype=np.float64)
        parts: dict[str, Array] = {}
        at = 0
        for name, size in self.state.items():
            parts[name] = states[..., at : at + size]
            at += size
        empty = np.zeros((*states.shape[:-1], 0))
        x, xd, lam = (parts.get(name, empty) for name in ("x", "xd", "lam"))
        return Run(times, parts["q"], parts["qd"], parts["qdd"], x, xd, lam, report)

    def _report(
        self, march: March, start: Start, reason: str, wall: float, lanes: _Lanes
    ) -> Report:
        t = start.t0 + march.step * start.h
        if reason != "newton":
            return Report(reason, t, march.step, wall)
        found = self._diagnosed(lanes, march.last[:, 0], t, start.h)
        message = (
            f"step {march.step + 1} at t = {t:.6g} s: Newton's method leaves {found.residual:.3g} "
            f"times the residual allowed, most in {found.worst}; take a smaller step"
        )
        return Report(reason, t, march.step, wall, found.residual, found.worst, message)

    def _diagnosed(self, lanes: _Lanes, state: Array, t: float, h: float) -> Failure:
        """What is left of the residuals of the step from a state."""
        given: dict[str, Any] = {}
        values = lanes.x[:, 0].copy()
        values[: self.size] = state
        for name, port in self.ports.items():
            if not port.parameter:
                given[name] = values[port.start : port.stop].reshape(port.shape)
        given |= {"t": np.asarray(t), "h": np.asarray(h)}
        if "p" in self.ports:
            given["p"] = lanes.p[:, 0]
        return diagnose(self.program, given)


@dataclass(frozen=True)
class _Lanes:
    """Inputs and parameters, one column per run; the axes of the batch."""

    x: Array
    p: Array
    batch: tuple[int, ...]


def _drive(march: March, steps: int, progress: Progress | None) -> str:
    """Slice by slice; how it ended."""
    try:
        while march.advance(SLICE):
            if progress is not None:
                progress(march.step, steps)
    except KeyboardInterrupt:
        return "interrupted"
    if progress is not None:
        progress(march.step, steps)
    return {DONE: "end", LOST: "newton"}[march.status]


def _drive_adaptive(march: Adaptive, progress: Progress | None) -> str:
    """Slice by slice; how it ended."""
    try:
        while march.advance(SLICE):
            if progress is not None:
                progress(march["accepted"], march["cursor"])
    except KeyboardInterrupt:
        return "interrupted"
    return {DONE: "end", LOST: "newton"}[march.status]


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run(
    model: Model,
    duration: float,
    step: float,
    *,
    formulation: str | None = None,
    integrator: str = "trapezoidal",
    options: Mapping[str, Any] | None = None,
    **given: Any,
) -> Run:
    """Derive, compile and march; see `step_program` for the options, `Stepper.run` for the rest."""
    return Stepper(model, formulation, integrator, **(options or {})).run(duration, step, **given)


__all__ = ["Control", "Report", "Run", "Stepper", "run"]
