"""Runs by equal steps: formulation and method chosen by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.given.batches import RunGiven
from kinetree.analysis.runs.continuity import Continuity
from kinetree.analysis.runs.dynamics import Dynamics
from kinetree.analysis.runs.events import MOST_TICKS, end_advice
from kinetree.analysis.runs.manifest import UNFINISHED, changes, manifest
from kinetree.analysis.runs.progress import ProgressCall, reporting
from kinetree.arrays import Array
from kinetree.errors import ShapeError, UnsupportedError, unknown, warn
from kinetree.integrate import Report, SteppedRun, Stepper
from kinetree.integrate.methods import STEPPED, Method
from kinetree.integrate.problem import NOT_SOLVED
from kinetree.integrate.start.beginning import rows_of
from kinetree.integrate.steps.given import whole_steps
from kinetree.integrate.steps.method import Stepping
from kinetree.integrate.steps.remembering import with_memories
from kinetree.integrate.steps.report import join_runs
from kinetree.model import Event, Mechanism
from kinetree.results.dataset import Dimension, run_draft
from kinetree.results.draft import Draft, as_it_is
from kinetree.results.files import load_lazily
from kinetree.results.growing import GrowingRun
from kinetree.steppers.equations.step_inputs import NewtonSettings

if TYPE_CHECKING:
    import xarray


STEPS = 1000
"""Steps of a run where no length of a step is given."""


WHOLE = 1e-9
"""Distance from a whole number of steps that is rounding, in shares of them."""
STEPPING = tuple(row.name for row in fields(NewtonSettings))
"""Options of equal steps."""


@dataclass(frozen=True)
class Marching:
    """Runs of equal steps to be made.

    Attributes:
        model: the mechanism.
        duration: length of a run [s]; a whole number of steps is made.
        t: time at the start [s].
        step: [s]; by default a thousandth of the duration.
        progress: show how far it is.
        formulation: "hybrid", "topological", "global", "explicit" or, for trees, "tree".
        method: "trapezoidal", "newmark", "hht", "generalised_alpha", "semi_implicit_euler" or
            "rk4".
        options: of `kinetree.steppers.step_program`.
        locate: whether a step ends where an event changes the state or ends the run.
        known: the step, where a run before has made it.
    """

    model: Mechanism
    duration: float
    t: float = 0.0
    step: float | None = None
    progress: bool | ProgressCall | None = None
    formulation: str | None = None
    method: str = "trapezoidal"
    options: Mapping[str, Any] = field(default_factory=dict)
    locate: bool = False
    known: Stepper | None = None

    def vary(self, given: RunGiven) -> Marching:
        """The same with a model in which all that is given is a parameter."""
        return replace(self, model=self.model.with_varied(given.parameters or ()))

    @property
    def length(self) -> float:
        """Of a step [s]."""
        return self.duration / STEPS if self.step is None else self.step

    @cached_property
    def stepper(self) -> Stepper:
        """The step, compiled."""
        return self.known or Stepper(self.model, self.formulation, self.method, **self.options)

    def inputs(self, given: RunGiven) -> dict[str, Any]:
        """Constant efforts and external wrenches that a step takes [N.m, N]."""
        found = {} if given.tau is None else {"tau": _efforts(self.model, given.tau)}
        wrenches = (given.wrenches or {}).items()
        return found | {name: _constant(self.model, name, wrench) for name, wrench in wrenches}

    def march(
        self,
        given: RunGiven,
        report: Callable[[float], None] | None = None,
        sink: Callable[[SteppedRun], None] | None = None,
    ) -> SteppedRun:
        """A run, or many where leading axes say so; told the time reached [s], and rows."""
        inputs, length = self.inputs(given), self.length
        return self.stepper.run(
            self.duration,
            length,
            q=given.q,
            qd=given.qd,
            x=given.x,
            t=self.t,
            parameters=given.parameters,
            inputs=inputs,
            progress=None if report is None else lambda made, _: report(self.t + made * length),
            sink=sink,
        )

    @property
    def times(self) -> Array:
        """At which steps begin and end [s]."""
        count = whole_steps(self.duration, self.length, 1)
        found: Array = self.t + self.length * np.arange(count + 1, dtype=float)
        return found

    def as_method(self, system: Dynamics) -> Method:
        """These steps as a method for a system in which something happens."""
        stepper, loads = self.stepper, system.loads.fixed
        if system.memories:
            stepper = with_memories(stepper, system.forward)
        inputs = {name: value for name, value in loads.items() if name in stepper.ports}
        steps = Stepping(stepper, self.length, self.locate, system.parameters, inputs)
        return Method(self.method, steps.solve, uses=STEPPED)

    def refuse_ticks(self, events: Mapping[str, Event]) -> None:
        """Refuse events by the clock that do not happen at the ends of steps."""
        end = self.t + self.duration
        for name, event in ({} if self.locate else events).items():
            ticks = event.times(self.t, end, MOST_TICKS) if event.timed else np.zeros(0)
            steps = (ticks - self.t) / self.length
            off = np.abs(steps - np.round(steps)) > WHOLE * np.maximum(1.0, steps)
            if off.any():
                raise UnsupportedError(
                    f"it happens at t = {ticks[off][0]:.9g} s, inside a step of {self.length:g} s",
                    element=f"event '{name}'",
                    cure="take a step that divides its times, or give locate=True",
                )


def march(
    how: Marching,
    given: RunGiven,
    observe: Callable[[xarray.Dataset], xarray.Dataset] = as_it_is,
    file: str | Path | None = None,
) -> xarray.Dataset:
    """The motion of a model in equal steps; the Dataset of `simulate`.

    Args:
        how: the run is made.
        given: start, loads and parameters.
        observe: adds outputs to the Dataset.
        file: written on the way; the Dataset reads from it then.
    """
    how = how.vary(given)
    with reporting(how.progress, how.t, how.t + how.duration) as report:
        record = StepRecording(how, given.parameters or {}, observe, file)
        run = how.march(given, report, None if file is None else record.add)
    if file is None:
        record.add(run)
    assert not isinstance(run.report, tuple)  # of one run
    return record.dataset(run.report)


def refuse_no_step(step: float | None) -> None:
    """Refuse output at every step of a method that has no steps of its own choice."""
    if step == 0:
        raise ShapeError("equal steps need a length", element="step", cure="give it above 0")


def refuse_stepping(options: Mapping[str, Any]) -> None:
    """Refuse options of equal steps where none were asked for."""
    for name in options:
        if name in STEPPING and name != "independent":
            raise UnsupportedError(
                "it is an option of equal steps",
                element=name,
                cure="give formulation=, or a method of equal steps such as 'hht', or leave it out",
            )


def _constant(model: Mechanism, name: str, wrench: Any) -> Any:
    if name not in model.wrenches:
        raise unknown("wrench", name, model.wrenches, "wrenches")
    if callable(wrench):
        raise UnsupportedError(
            "a fixed-step method takes constant wrenches",
            element=f"wrench '{name}'",
            cure="add an external force with a law to the model",
        )
    return wrench


def _efforts(model: Mechanism, tau: Any) -> Any:
    if callable(tau) or (isinstance(tau, Mapping) and any(callable(f) for f in tau.values())):
        raise UnsupportedError(
            "a fixed-step method takes constant efforts",
            element="tau",
            cure="add a joint_law to the model, or take a method of rates, such as 'dop853'",
        )
    return rows_of(tau, np.zeros(model.nv), list(model.velocities), "tau")


class StepRecording:
    """What is recorded of a run in equal steps, part by part.

    Attributes:
        rows: what the file does not have for good; all where there is none.
    """

    def __init__(
        self, how: Marching, parameters: Mapping[str, float],
        observe: Callable[[xarray.Dataset], xarray.Dataset], file: str | Path | None,
    ) -> None:  # fmt: skip
        self.how, self.parameters, self.observe = how, parameters, observe
        self.file = None if file is None else GrowingRun(Path(file))
        self.rows: list[SteppedRun] = []
        loops = how.stepper.loops
        self._motion = None if loops is None else Continuity(loops.at(parameters))

    def add(self, run: SteppedRun) -> None:
        """Record some rows."""
        self.rows.append(run)
        if self._motion is not None and len(run.times):
            self._motion.add(run.times, run.q, run.qd, run.qdd)
        if self.file is None or not self.file.due(sum(part.nbytes for part in self.rows)):
            return
        told = {"end_time": float(run.times[-1]), "termination": UNFINISHED}
        if self.file.show(self._of_rows(told).dataset()):
            self.rows = [run.none()]

    def dataset(self, report: Report) -> xarray.Dataset:
        """The Dataset of the run that has ended; warnings say what is doubtful."""
        draft, doubts = self.draft(report)
        made = draft.dataset()
        if self.file is not None:
            made = load_lazily(self.file.finish(made))
        for said in doubts:
            warn(said)
        return made

    def draft(self, report: Report) -> tuple[Draft, list[str]]:
        """The variables of the run that has ended, and what is doubtful."""
        more, doubt = ({}, "") if self._motion is None else self._motion.facts()
        told = {
            **counts(report),
            "wall_time_s": round(report.wall, 6),
            "end_time": report.t,
            "termination": end_sentence(report),
        }
        unsolved = f"{report.message}; results up to there are kept"
        advice = end_advice(self.how.stepper.model, told["termination"])
        said = [
            unsolved if report.end == NOT_SOLVED else "",
            f"{told['termination']}; {advice}" if advice else "",
            doubt,
        ]
        return self._of_rows({**told, **more}), [text for text in said if text]

    def _of_rows(self, told: Mapping[str, Any]) -> Draft:
        """The variables of all rows that are kept."""
        run = join_runs(self.rows)
        values, axes = variables(self.how.stepper, run)
        rows = {**made_by(self.how.stepper, self.how.length), **changes(self.parameters), **told}
        return run_draft(run.times, values, axes, rows).observe(self.observe)


def variables(stepper: Stepper, run: SteppedRun) -> tuple[dict[str, Array], dict[str, Dimension]]:
    """Variables over time, and names and units of their dimensions."""
    values = {"q": run.q, "qd": run.qd, "qdd": run.qdd}
    axes = {"coordinate": "q", "velocity": "qd"}
    for name, found, axis in (("x", run.x, "state"), ("lam", run.lam, "equation")):
        if found.shape[-1]:
            values[name], axes[axis] = found, name
    made = {axis: Dimension(*stepper.coordinates.axis(name)) for axis, name in axes.items()}
    return values, made


def made_by(stepper: Stepper, length: float) -> dict[str, Any]:
    """What runs are made from, and by which method: rows of the manifest."""
    program = stepper.program
    method = program.info.get("method", "")
    return {**manifest(stepper.model, program), "method": method, "step": length}


def counts(report: Report) -> dict[str, Any]:
    """Steps of a run and, where there are any, iterations of Newton's method."""
    found: dict[str, Any] = {"steps": report.steps}
    if report.most:
        found |= {"iterations_mean": round(report.iterations, 3), "iterations_most": report.most}
    return found


def end_sentence(report: Report) -> str:
    """Why a run ended."""
    return report.message or report.end
