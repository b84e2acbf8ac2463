"""A run in equal steps whose states are kept, all or some, to be differentiated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.runs.march import Marching, StepRecording
from kinetree.analysis.sensitivities.stepping.checkpoints import BackPlan, checkpoints, keep_all
from kinetree.analysis.sensitivities.stepping.step_forms import StepForms, step_forms
from kinetree.arrays import Array
from kinetree.errors import RunError, UnsupportedError, warn
from kinetree.formalism.natural.relative import NEAR
from kinetree.integrate.loops.backward import ReverseKernel, SweptKernel
from kinetree.integrate.loops.equal_steps import Start
from kinetree.integrate.problem import FINISHED
from kinetree.integrate.start.beginning import Beginning, Lanes
from kinetree.integrate.steps.given import whole_steps
from kinetree.integrate.steps.repartitioned_run import Ended, relay
from kinetree.integrate.steps.report import Report, join_runs
from kinetree.model import refuse_happenings
from kinetree.results.draft import Draft, as_it_is
from kinetree.steppers.step import GLOBAL, all_coordinates

if TYPE_CHECKING:
    from kinetree.analysis.sensitivities.task import Task
    from kinetree.integrate import SteppedRun, Stepper
    from kinetree.integrate.loops.tangent_lanes import LaneForm
    from kinetree.targets.kept import DerivedProgram

CURE = "take integrator='dop853'"


@dataclass(frozen=True, eq=False)
class StepLeg:
    """Steps with one choice of independent coordinates.

    Attributes:
        forms: Programs of its steps.
        first, end: numbers of its first state and of its last.
        plan: which of its states are kept.
    """

    forms: StepForms
    first: int
    end: int
    plan: BackPlan


@dataclass(frozen=True, eq=False)
class SeenRun:
    """What is seen of a run in equal steps of length h.

    Attributes:
        task: what was asked.
        h: length of a step [s].
        times: of all states [s].
        y: of the model at all states.
        e: expressions of all measures there.
    """

    task: Task
    h: float
    times: Array
    y: Array
    e: Array


class StepRun:
    """A run in equal steps.

    Attributes:
        task: what was asked.
        choice: what was chosen of the steps.
        steps: how many.
        legs: stretches of it.
        kept: states that are kept, by their numbers.
        e: expressions of all measures at all states.
        motion: the run of the model.
    """

    def __init__(self, task: Task) -> None:
        assert task.steps is not None  # else rates are integrated
        self.task, self.choice = task, task.steps
        refuse_happenings(task.model, "derivatives of equal steps", CURE)
        _refuse_events(task)
        self.how = Marching(
            task.model, task.duration, task.t0, task.step, None, self.choice.formulation,
            task.integrator, exact_options(task), known=task.shared.get("stepper"),
        )  # fmt: skip
        task.shared["stepper"] = self.how.stepper
        self.steps = whole_steps(task.duration, self.how.length, 1)
        self.times: Array = self.how.times
        self.start, self.lanes = self._begin()
        self.kept: dict[int, Array] = {}
        self._forms: dict[int, StepForms] = task.shared.setdefault("forms", {})
        self._run()

    def progress(self, made: int, _: int) -> None:
        """Tell how many steps are made."""
        self.task.share.tell(made / self.steps)

    @property
    def stepper(self) -> Stepper:
        """The one at the start."""
        return self.how.stepper

    @property
    def h(self) -> float:
        """Length of a step [s]."""
        return self.start.h

    @property
    def y(self) -> Array:
        """State of the model at all states of the step."""
        motion = self.motion
        return np.hstack([motion.q, motion.qd, motion.x])

    def _begin(self) -> tuple[Start, Lanes]:
        """Inputs of the first step, at the consistent start of the dynamics."""
        task, how, given = self.task, self.how, self.task.given
        q, qd, x = task.system.split(task.start)
        begin = Beginning(q, qd, x if len(x) else None, task.t0)
        inputs = {**how.inputs(given), "h": how.length, **self.choice.basic}
        lanes = self.stepper.lanes(begin, given.parameters or {}, inputs)
        return Start(lanes.x, lanes.p, task.t0, how.length, self.steps), lanes

    def forms(self, stepper: Stepper) -> StepForms:
        """The Programs of a leg."""
        task, known = self.task, self._forms
        if id(stepper) not in known:
            known[id(stepper)] = step_forms(
                stepper.derived, task.system, task.measures, task.directions
            )
        return known[id(stepper)]

    def _plan(self, steps: int) -> BackPlan:
        """Which states of a leg are kept."""
        memory = self.task.memory
        if memory is None:
            return keep_all(steps)
        return checkpoints(steps, max(2, int(memory // (8 * self.stepper.size))))

    # --- the run ---------------------------------------------------------------------------------

    def _run(self) -> None:
        """Make the run, then keep what the way back needs."""
        looks = _Rows(self)
        ended = self._march(looks, self._plan(self.steps).positions)
        self.motion, self.e = looks.whole(ended)
        ends = [*(begin for _, begin in ended.legs[1:]), self.steps]
        self.legs = [
            StepLeg(self.forms(stepper), begin, end, self._plan(end - begin))
            for (stepper, begin), end in zip(ended.legs, ends, strict=True)
        ]
        if len(self.legs) > 1 and self.task.memory is not None:
            self._march(None, [leg.first + k for leg in self.legs for k in leg.plan.positions])

    def _march(self, looks: _Rows | None, wanted: list[int]) -> Ended:
        """March, keep the wanted states and the last, and look at all."""
        made, asked = 0, {*wanted, self.steps}
        self.kept.clear()

        def take(states: Array) -> None:
            nonlocal made
            rows = range(made, made + len(states))
            self.kept.update((k, states[k - made].copy()) for k in rows if k in asked)
            if looks is not None:
                looks.add(states, made)
            made += len(states)

        given = self.task.given.parameters or {}
        ended = relay(self.stepper, self.start, given, self.progress, take)
        if ended.end != FINISHED:
            told = ended.stepper.report(ended.march, self.start, ended, self.lanes, given)
            raise RunError(
                f"the run ended early: {told.message or told.end}",
                element=f"model '{self.task.model.name}'",
                cure="look at kt.simulate of the same model",
            )
        return ended

    @cached_property
    def states(self) -> Array:
        """All states, where all are kept."""
        return np.array([self.kept[k] for k in range(self.steps + 1)])

    @property
    def near(self) -> Array:
        """Coordinates of the model at all states, where steps have others; else none."""
        natural = self.stepper.program.info["formulation"] == GLOBAL
        return self.motion.q if natural else np.zeros((self.steps + 1, 0))

    # --- functions -------------------------------------------------------------------------------

    def constants(self, function: Any) -> dict[str, Array]:
        """Values of the inputs of a function that do not change: step, loads, the method's own."""
        ports = self.stepper.ports
        names = [port.name for port in function.inputs if not port.parameter]
        known = [name for name in names if name in ports and name not in self.stepper.state]
        x = self.lanes.x[:, 0]
        found = {k: x[ports[k].start : ports[k].stop].reshape(ports[k].shape) for k in known}
        loads = {k: v for k, v in self.task.system.loads.fixed.items() if k in names}
        return {**loads, **found}

    def kernel(self, form: DerivedProgram | LaneForm, weights: str = "") -> ReverseKernel:
        """A compiled Program with all that does not change."""
        function = form.function.with_values(self.task.given.parameters or {})
        return ReverseKernel(function, self.constants(function), weights)

    def swept(self, form: DerivedProgram, weights: str) -> SweptKernel:
        """A reverse Program in two functions, with all that does not change."""
        parts = form.swept.with_values(self.task.given.parameters or {})
        return SweptKernel(parts, self.constants(parts.given), weights)

    def parts(self, states: Array) -> dict[str, Array]:
        """States as inputs of a step."""
        ends = np.cumsum(list(self.stepper.state.values()))[:-1]
        return dict(zip(self.stepper.state, np.split(states, ends, axis=-1), strict=True))

    def call(
        self, form: DerivedProgram, states: Array, t: Array, near: Array, **more: Array
    ) -> dict[str, Array]:
        """A Program at many states; `more` may have further axes behind the first."""
        function = form.function.with_values(self.task.given.parameters or {})
        lead = (slice(None), *(None,) * (max((a.ndim for a in more.values()), default=2) - 2))
        rest: dict[str, Any] = {**self.parts(states), "t": t, NEAR: near}
        names = {port.name for port in function.inputs}
        rest = {name: value[lead] for name, value in rest.items() if name in names}
        found: dict[str, Array] = function(
            check=False, **{**self.constants(function), **rest, **more}
        )
        return found

    def draft(self) -> Draft:
        """The run as `simulate` gives it; warnings say what is doubtful."""
        record = StepRecording(self.how, self.task.given.parameters or {}, as_it_is, None)
        record.add(self.motion)
        assert not isinstance(self.motion.report, tuple)  # of one run
        made, doubts = record.draft(self.motion.report)
        for said in doubts:
            warn(said)
        return made


def exact_options(task: Task) -> dict[str, Any]:
    """Options of the step, with projections whose derivatives are exact."""
    assert task.steps is not None
    choice, options = task.steps, dict(task.steps.options)
    if choice.formulation == GLOBAL or all_coordinates(
        task.model, choice.formulation, task.integrator
    ):
        options.setdefault("smooth", True)
    return options


def _refuse_events(task: Task) -> None:
    """Refuse events and switches by name: the time of a jump inside an equal step is not known."""
    named = [
        f"event '{name}'" for name in (task.events if isinstance(task.events, Mapping) else ())
    ]
    forward = task.system.forward
    if forward.gives("switches"):
        labels = ", ".join(f"'{label}'" for label in forward.output("switches").labels)
        named.append(f"switch in model '{task.model.name}' with the condition {labels}")
    if named or task.events:
        raise UnsupportedError(
            "equal steps in which something happens have no derivatives",
            element=(named or ["events"])[0],
            cure=CURE,
        )


class _Rows:
    """What is seen of a run, part by part."""

    def __init__(self, run: StepRun) -> None:
        self.run = run
        self.parts: list[SteppedRun] = []
        self.e: list[Array] = []

    def add(self, states: Array, first: int) -> None:
        """Look at some states, the first of which has that number."""
        run = self.run
        t = run.times[first : first + len(states)]
        q = self.parts[-1].q[-1] if self.parts else run.lanes.q
        told = Report("", float(t[-1]), first, 0.0)
        part = run.stepper.gather(states, run.start, told, replace(run.lanes, q=q), t)
        self.parts.append(part)
        looks = run.forms(run.stepper).looks_form
        self.e.append(run.call(looks, states, t, part.q)["e"])

    def whole(self, ended: Ended) -> tuple[SteppedRun, Array]:
        """The run of the model, and all expressions."""
        run = self.run
        report = ended.stepper.whole_report(run.start, ended, run.lanes, {})
        return replace(join_runs(self.parts), report=report), np.concatenate(self.e)
