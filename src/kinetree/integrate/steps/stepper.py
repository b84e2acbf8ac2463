"""Runs of a fixed-step method: thousands of steps per native call, one run or many side by side."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from kinetree.arguments import check_arguments, check_arrays
from kinetree.arrays import Array
from kinetree.assembly import Loops
from kinetree.errors import ShapeError, unknown
from kinetree.integrate.drive import drive
from kinetree.integrate.loops.equal_steps import LOST, March, Start
from kinetree.integrate.loops.error_steps import Adaptive, Control, code_of
from kinetree.integrate.problem import NOT_SOLVED
from kinetree.integrate.start.beginning import Beginning, Lanes
from kinetree.integrate.start.deep import refuse_deep
from kinetree.integrate.start.initial import Initial
from kinetree.integrate.steps.coordinates import coordinates
from kinetree.integrate.steps.derive_step import derive_step
from kinetree.integrate.steps.failure import Failure, StepPlace, explain
from kinetree.integrate.steps.fitting import refuse_light, refuse_other_rank, refuse_parameters
from kinetree.integrate.steps.given import (
    Progress,
    refuse_numbers,
    rising_times,
    series_of,
    whole_steps,
)
from kinetree.integrate.steps.many import Many, lane_reports, march_many
from kinetree.integrate.steps.repartitioned_run import SLICE, Ended, Independent, relay
from kinetree.integrate.steps.report import Report, SteppedRun
from kinetree.model import Mechanism, refuse_happenings
from kinetree.program import Program
from kinetree.steppers.step import all_coordinates
from kinetree.targets.native.function import Function
from kinetree.targets.native.ports import Port


class Stepper:
    """A compiled time step of a model; runs of it.

    Attributes:
        derived: the step.
        state: sizes of the parts of the state, in order.
        independent: the choice of independent coordinates, where there is one.
        kept: names of independent coordinates that the user chose; they start as given.
        fixed: whether that choice is the user's, and stays.
        coordinates: converts between coordinates of the step and of the model.
        remembers: whether memories are up to date at the end of a step.
    """

    def __init__(
        self, model: Mechanism, formulation: str | None = None, method: str = "trapezoidal",
        **options: Any,
    ) -> None:  # fmt: skip
        self.model, self.kept = model, tuple(options.get("independent") or ())
        if all_coordinates(model, formulation, method):
            options.pop("independent", None)  # it is about the start alone
        self.derived = derive_step(model, formulation, method, options)
        self.ports: Mapping[str, Port] = {p.name: p for p in self.function.inputs}
        ends = [out.name for out in self.program.outputs if out.name.endswith("_next")]
        names = [name.removesuffix("_next") for name in ends]
        self.state = {name: self.ports[name].size for name in names}
        self._initial = Initial(model)
        self._made = (formulation, method, options)
        self._others: dict[tuple[str, ...], Stepper] = {}
        info, equations = self.program.info, self._initial.loops
        self.independent = None
        if "independent" in info and equations is not None:
            self.independent = Independent(model, info, equations)
        self.fixed = bool(self.kept)
        self.coordinates = coordinates(model, self.program)
        self.remembers = False

    @property
    def program(self) -> Program:
        """The step."""
        return self.derived.program

    @property
    def function(self) -> Function:
        """Its native code."""
        return self.derived.function

    @property
    def size(self) -> int:
        """Number of values in the state."""
        return sum(self.state.values())

    @property
    def loops(self) -> Loops | None:
        """Equations of the loops as numbers; none of a tree."""
        return self._initial.system if self.model.closures else None

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
        sink: Callable[[SteppedRun], None] | None = None,
    ) -> SteppedRun:
        """March from t to t + duration.

        Args:
            duration: [s]; the nearest whole number of steps is made.
            step: [s].
            every: states kept: every k-th.
            q: coordinates at the start, all in order or some by name; made to obey the loops,
                which keep what is given by name as far as they can.  Leading axes are a batch.
            qd: velocities there, likewise; zero by default.
            x: user states there.
            t: time at the start [s].
            parameters: single parameters by name; leading axes are a batch.
            inputs: other inputs of the step by name: tau, wrenches, the method's parameter.
            series: one input by name with one row per step.
            progress: called after every slice.
            threads: how many share a batch.
            sink: of a single run, takes its rows part by part while it goes; what is returned has
                none then.
        """
        check_arguments(Stepper.run, locals())
        self._refuse_events()
        refuse_numbers(threads, q=q, qd=qd, x=x)
        steps = whole_steps(duration, step, every)
        given = {**(inputs or {}), "h": step}
        lanes = self.lanes(Beginning(q, qd, x, t), parameters or {}, given)
        series_rows, series_at = series_of(self, series, steps)
        start = Start(lanes.x, lanes.p, t, step, steps, every, series_rows, series_at)
        began = time.perf_counter()
        if not lanes.batch:
            return self._single(start, lanes, parameters or {}, progress, sink)
        found = march_many(self.function, self.size, start, progress, threads)
        wall = (time.perf_counter() - began) / lanes.x.shape[1]
        return self._batch(found, start, lanes, wall)

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
    ) -> SteppedRun:
        """March through output times with steps that follow the error (one run).

        Args:
            times: start, times of output, end [s].
            control: tolerance and bounds of the steps; see `Control`.
            q: coordinates at the start; made to obey the loops.
            qd: velocities there, likewise; zero by default.
            x: user states there.
            parameters: single parameters by name.
            inputs: other inputs of the step by name: tau, wrenches, the method's parameter.
            progress: called after every slice: steps made, output times reached.

        Returns:
            The run; its `steps` are the time at the end and the length of every step.
        """
        check_arguments(Stepper.run_adaptive, locals())
        self._refuse_events()
        refuse_numbers(q=q, qd=qd, x=x)
        row = rising_times(times)
        begin = Beginning(q, qd, x, float(row[0]))
        lanes = self.lanes(begin, parameters or {}, {**(inputs or {}), "h": 1.0})
        if lanes.batch:
            raise ShapeError("steps that follow the error are for one run", element="start")
        how = control or Control()
        began = time.perf_counter()
        code = code_of(self.function, self.size, lanes.p[:, 0])
        march = Adaptive(code, lanes.x[:, 0], row, how)
        tell = progress or (lambda made, reached: None)
        end = drive(march, lambda _: tell(march["accepted"], march["cursor"]), steps=SLICE)
        wall = time.perf_counter() - began
        mean, most = march.iterations
        report = Report(end, march.t, march["accepted"], wall, iterations=mean, most=most)
        if march.status == LOST:
            at = (march.t, march.h)
            found = self._failure(lanes, float(row[0]), march.last, at, parameters or {})
            said = f"at t = {march.t:.6g} s no step above {how.shortest:g} s succeeds: {found.why}"
            report = replace(report, end=NOT_SOLVED).of(found, said)
        reached = march["cursor"]
        start = Start(lanes.x, lanes.p, float(row[0]), 1.0, 1)
        run = self.gather(march.states[:reached], start, report, lanes, row[:reached])
        return replace(run, steps=march.steps)

    # --- what goes in ----------------------------------------------------------------------------

    def lanes(
        self, begin: Beginning, parameters: Mapping[str, Any], given: Mapping[str, Any]
    ) -> Lanes:
        """Inputs of the step at a consistent start; `given`: efforts, wrenches, h and the like."""
        p = self._parameters(parameters)
        self._refuse_unknown(given)
        refuse_parameters(self.model, self._initial.loops, parameters, begin.t)
        refuse_light(self.model, self._initial, parameters, p)
        refuse_other_rank(self.model, self.program.info, parameters, begin.t)
        begin = replace(
            begin, tau=given.get("tau"), p=p if parameters else None, parameters=parameters,
            wrenches={k: x for k, x in given.items() if k in self.model.wrenches},
            independent=self.kept,
        )  # fmt: skip
        state, q = self.coordinates.start_state(self._initial, begin)
        refuse_deep(self.model, state["q"], begin.t, state.get("x"), parameters)
        state = {"a": state["qdd"], "y": state.get("xd", np.zeros(0)), **state}
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
            p.shape[:-1], *[a.shape[: a.ndim - len(self.ports[n].shape)] for n, a in values.items()]
        )
        count = int(np.prod(lead))
        x = np.zeros((self.function.sizes["x"], count))
        for name, value in values.items():
            port = self.ports[name]
            whole = np.broadcast_to(value, (*lead, *port.shape)).reshape(count, port.size)
            x[port.start : port.stop] = whole.T
        apart = p.ndim > 1
        columns = np.broadcast_to(p, (*lead, p.shape[-1])).reshape(count, -1) if apart else p[None]
        return Lanes(x, np.ascontiguousarray(columns.T), lead, q)

    def _refuse_events(self) -> None:
        """Refuse a model in which something happens: a run of steps alone does not see it."""
        cure = "make the run by kinetree.simulate with this method"
        refuse_happenings(self.model, "runs of a Stepper", cure)

    def _refuse_unknown(self, given: Mapping[str, Any]) -> None:
        """Refuse inputs that the step does not have, or that are part of its state."""
        known = [name for name in self.ports if name not in {*self.state, "t", "p"}]
        for name in given:
            if name not in known:
                raise unknown("input", name, known, self.program.name)
        check_arrays(**given)

    def _parameters(self, parameters: Mapping[str, Any]) -> Array:
        port = self.ports.get("p")
        if port is None:
            if parameters:
                raise unknown("parameter", next(iter(parameters)), (), self.program.name)
            return np.zeros(0)
        check_arrays(**{f"parameter '{name}'": value for name, value in parameters.items()})
        values = port.default_array
        lead = np.broadcast_shapes(*[np.shape(v) for v in parameters.values()])
        out = np.array(np.broadcast_to(values, (*lead, port.size)))
        for name, value in parameters.items():
            if name not in port.labels:
                raise unknown("parameter", name, port.labels, self.program.name)
            out[..., port.labels.index(name)] = value
        return out

    # --- the march -------------------------------------------------------------------------------

    def _single(
        self, start: Start, lanes: Lanes, parameters: Mapping[str, Any],
        progress: Progress | None, sink: Callable[[SteppedRun], None] | None,
    ) -> SteppedRun:  # fmt: skip
        began = time.perf_counter()
        take = None if sink is None else self._hand_over(start, lanes, sink)
        ended = relay(self, start, parameters, progress, take)
        report = ended.stepper.whole_report(start, ended, lanes, parameters)
        report = replace(report, wall=time.perf_counter() - began)
        return self.gather(ended.states, start, report, lanes)

    def _hand_over(
        self, start: Start, lanes: Lanes, sink: Callable[[SteppedRun], None]
    ) -> Callable[[Array], None]:
        """Takes states of a run, one part after the other, and gives away its rows."""
        made, q = 0, lanes.q

        def take(states: Array) -> None:
            nonlocal made, q
            t = start.t0 + start.h * start.every * (made + np.arange(len(states), dtype=float))
            told = Report("", float(t[-1]) if len(t) else start.t0, made, 0.0)
            run = self.gather(states, start, told, replace(lanes, q=q), t)
            made += len(states)
            q = run.q[-1] if len(t) else q
            sink(run)

        return take

    def with_independent(self, independent: tuple[str, ...]) -> Stepper:
        """The same with other independent coordinates; they are watched, too."""
        if independent not in self._others:
            formulation, method, options = self._made
            options = {**options, "independent": independent}
            made = Stepper(self.model, formulation, method, **options)
            made.kept, made.fixed = self.kept, False
            self._others[independent] = made
        return self._others[independent]

    def _batch(self, found: Many, start: Start, lanes: Lanes, wall: float) -> SteppedRun:
        whole = found[0].reshape(*lanes.batch, *found[0].shape[1:])
        return self.gather(whole, start, lane_reports(found, start, wall), lanes)

    def gather(
        self, states: Array, start: Start, report: Report | tuple[Report, ...], lanes: Lanes,
        times: Array | None = None,
    ) -> SteppedRun:  # fmt: skip
        """The run of the model that states of the step are."""
        if times is None:
            times = start.t0 + start.h * start.every * np.arange(states.shape[-2], dtype=float)
        return SteppedRun(times, **self.parts(states, lanes, times), report=report)

    def parts(self, states: Array, lanes: Lanes, times: Array) -> dict[str, Array]:
        """The motion of the model in states of the step."""
        ends = np.cumsum(list(self.state.values()))[:-1]
        parts = dict(zip(self.state, np.split(states, ends, axis=-1), strict=True))
        p: Array | None = None
        if "p" in self.ports:
            p = lanes.p.T.reshape(*lanes.batch, -1) if lanes.p.shape[1] > 1 else lanes.p[:, 0]
        parts = self.coordinates.read(parts, p, times, lanes.q)
        empty = np.zeros((*states.shape[:-1], 0))
        return {name: parts.get(name, empty) for name in ("q", "qd", "qdd", "x", "xd", "lam")}

    def whole_report(
        self, start: Start, ended: Ended, lanes: Lanes, parameters: Mapping[str, Any]
    ) -> Report:
        """How a run ended, with its iterations."""
        made = ended.march.step
        return replace(
            self.report(ended.march, start, ended, lanes, parameters),
            iterations=ended.iterations / max(1, made) if ended.most else float("nan"),
            most=ended.most, partitions=ended.marches,
        )  # fmt: skip

    def report(
        self, march: March, start: Start, ended: Ended, lanes: Lanes, parameters: Mapping[str, Any]
    ) -> Report:
        """How a march ended, and why."""
        t = march.t
        told = Report(ended.end, t, march.step, 0.0)
        if ended.end != NOT_SOLVED:
            return told
        found = self._failure(lanes, start.t0, march.last[:, 0], (t, start.h), parameters)
        return told.of(found, f"step {march.step + 1} at t = {t:.6g} s: {found.why}")

    def _failure(
        self, lanes: Lanes, begin: float, state: Array, at: tuple[float, float],
        parameters: Mapping[str, Any],
    ) -> Failure:  # fmt: skip
        """Why the step from a state fails; at: time and step [s]."""
        t, h = at
        values = lanes.x[:, 0].copy()
        values[: self.size] = state
        given: dict[str, Any] = {
            name: values[port.start : port.stop].reshape(port.shape)
            for name, port in self.ports.items()
            if not port.parameter
        }
        given |= {"t": np.asarray(t), "h": np.asarray(h)}
        if "p" in self.ports:
            given["p"] = lanes.p[:, 0]
        parts = self.parts(state[None], lanes, np.array([t]))
        place = StepPlace(given, {name: rows[0] for name, rows in parts.items()})
        return explain(self, lanes, begin, place, parameters)


def run(
    model: Mechanism,
    duration: float,
    step: float,
    *,
    formulation: str | None = None,
    method: str = "trapezoidal",
    options: Mapping[str, Any] | None = None,
    **given: Any,
) -> SteppedRun:
    """Derive, compile and march; see `step_program` for the options, `Stepper.run` for the rest."""
    return Stepper(model, formulation, method, **(options or {})).run(duration, step, **given)


__all__ = ["Control", "Report", "SteppedRun", "Stepper", "run"]
