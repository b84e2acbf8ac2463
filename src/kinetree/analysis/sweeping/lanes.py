"""Runs of a sweep in equal steps: eight in the lanes of one call, blocks of them on threads.

A part is made block by block, so that memory does not grow with the length of the runs.  What a
lane loses, and what would change its independent coordinates on the way, is made once more alone:
then it is found, or the reason is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from kinetree.analysis.given.batches import RunGiven
from kinetree.analysis.runs.batch_starts import each_fault
from kinetree.analysis.runs.march import Marching
from kinetree.analysis.sensitivities.stepping.step_forms import StepForms, step_forms
from kinetree.analysis.sensitivities.stepping.step_run import CURE, StepRun, exact_options
from kinetree.analysis.sensitivities.stepping.stepped import step_outcomes
from kinetree.analysis.sensitivities.task import Task
from kinetree.analysis.sensitivities.variables import DURATION, DesignVariable, enter_values
from kinetree.analysis.sweeping.found import PartRows
from kinetree.analysis.sweeping.gather import check_times, gather_runs
from kinetree.analysis.sweeping.gpu import gpu_march
from kinetree.analysis.sweeping.runner import GIVEN
from kinetree.arrays import Array, Integers
from kinetree.errors import KinetreeError, UnsupportedError
from kinetree.formalism.natural.relative import NEAR
from kinetree.integrate.loops.equal_steps import Start
from kinetree.integrate.start.beginning import Beginning, Lanes
from kinetree.integrate.start.many import parameter_rows
from kinetree.integrate.steps.given import whole_steps
from kinetree.integrate.steps.many import march_many
from kinetree.integrate.steps.repartitioned_run import WATCHED
from kinetree.measures import OfEvent
from kinetree.model import refuse_happenings
from kinetree.targets.native.function import cores
from kinetree.targets.native.lanes.packing import LANES

Marcher = Callable[["LaneRunner", Lanes, RunGiven], tuple[Array, Any]]
"""Starts of runs -> expressions of all measures, run × time × measure, and which are lost."""
MEMORY = 64e6
"""Of the states of a block [B]."""
SEEN = 1e9
"""Of what measures see of a block on a GPU, which keeps no states [B]."""


@dataclass(frozen=True)
class LaneBlock:
    """Runs of a part: what varies, its values, what is found, which are lost, where they begin."""

    names: Sequence[str]
    rows: Array
    found: PartRows
    lost: list[int]
    rests: Mapping[int, RunGiven]

    def at_rest(self, given: RunGiven, some: Sequence[int]) -> RunGiven:
        """What some runs are given, with the coordinates and states at which they are at rest."""
        if not self.rests:
            return given
        starts = [self.rests[k] for k in some]
        x = None if starts[0].x is None else np.array([start.x for start in starts])
        return replace(given, q=np.array([start.q for start in starts]), x=x)


@dataclass(frozen=True, eq=False)
class LaneRunner:
    """Makes the runs of one sweep in lanes.

    Attributes:
        task: what is asked; the values of its first run.
        run: options of the runs.
        threads: that share a part; none for as many as there are cores.
        device: "cpu", or "gpu".
        exact: whether steps shall be those that are differentiated.
    """

    task: Task
    run: Mapping[str, Any]
    threads: int | None = None
    device: str = "cpu"
    exact: bool = False

    def __post_init__(self) -> None:
        task = self.task
        refuse_happenings(task.model, "sweeps in equal steps", CURE)
        timed = [name for name, m in task.measures.items() if isinstance(m, OfEvent)]
        if task.events or timed:
            raise UnsupportedError(
                "sweeps in equal steps have no events",
                element=f"measure '{timed[0]}'" if timed else "events",
                cure=CURE,
            )
        for name, measure in task.measures.items():
            check_times(name, measure, task.t0, task.t0 + task.duration)

    @cached_property
    def how(self) -> Marching:
        """The steps."""
        task = self.task
        assert task.steps is not None
        options = exact_options(task) if self.exact else task.steps.options
        known = task.shared.get("stepper") if self.exact else None
        return Marching(
            task.model, task.duration, task.t0, task.step, False, task.steps.formulation,
            task.integrator, options, known=known,
        )  # fmt: skip

    @cached_property
    def steps(self) -> int:
        """Of a run."""
        return whole_steps(self.task.duration, self.how.length, 1)

    @cached_property
    def forms(self) -> StepForms:
        """Programs of the step and of what measures see."""
        task = self.task
        return step_forms(self.how.stepper.derived, task.system, task.measures, task.directions)

    @cached_property
    def looks(self) -> Any:
        """What measures see at a state of the step, compiled."""
        return self.forms.looks_form.function

    @cached_property
    def marching(self) -> Marcher:
        """How runs in lanes are made on the device."""
        return gpu_march(self.forms) if self.device == "gpu" else march_on_threads

    def measure(self, names: Sequence[str], rows: Array) -> PartRows:
        """All measures of all runs.

        Args:
            names: what varies.
            rows: its values, one row per run.
        """
        march = self.marching  # a device that is missing is told before any run is made
        found = PartRows.of(self.task.measures, len(rows))
        if DURATION in names:  # every run has steps of its own then
            self._alone(names, rows, range(len(rows)), found)
            return found
        rests, failed = self._rests(names, rows)
        whole = LaneBlock(names, rows, found, failed, rests)
        going = [k for k in range(len(rows)) if k not in failed]
        errors = each_fault(partial(self._together, whole, march), going) if going else []
        self._alone(names, rows, sorted([*whole.lost, *(k for k, _ in errors)]), found)
        return found

    def _rests(self, names: Sequence[str], rows: Array) -> tuple[dict[int, RunGiven], list[int]]:
        """Where runs that begin at rest begin, and which of them have no such place."""
        rests: dict[int, RunGiven] = {}
        if self.task.rest is None:
            return rests, []
        for k, row in enumerate(rows.tolist()):
            with suppress(KinetreeError):
                rests[k] = self._task_of(names, row).at_rest().given
        return rests, [k for k in range(len(rows)) if k not in rests]

    def _task_of(self, names: Sequence[str], row: Sequence[float]) -> Task:
        """What is asked of one run."""
        options = enter_values(self.task.variables, dict(zip(names, row, strict=True)), self.run)
        given = RunGiven(**{name: options.get(name) for name in GIVEN})
        return replace(self.task, duration=options[DURATION], given=given)

    @property
    def block(self) -> int:
        """Runs that are made together: whole lanes, on all threads, within the memory."""
        gpu = self.device == "gpu"
        width = len(self.task.measures) if gpu else self.how.stepper.size
        one = 8.0 * (self.steps + 1) * width
        fits = int((SEEN if gpu else MEMORY) / one) // LANES * LANES
        return max(fits, LANES * (self.threads or cores()))

    def _together(self, part: LaneBlock, march: Marcher, some: Sequence[int]) -> None:
        """Make some runs in lanes: starts of all at once, then block by block."""
        given = given_of_rows(self.task.variables, part.names, part.rows[np.array(some)], self.run)
        given = part.at_rest(given, some)
        lanes = self.begin(given, len(some))
        for first in range(0, len(some), self.block):
            here = np.arange(first, min(first + self.block, len(some)))
            e, bad = march(self, lanes_of_block(lanes, here), given.of((len(some),), here))
            numbers = np.array(some)[here]
            part.lost.extend(numbers[bad].tolist())
            if bad.all():
                continue
            for name, values in gather_runs(self.task.measures, e[~bad], self.how.times).items():
                part.found.values[name][numbers[~bad]] = values

    def begin(self, given: RunGiven, count: int) -> Lanes:
        """Consistent starts of some runs, one column each."""
        how = self.how
        begin = Beginning(given.q, given.qd, given.x, how.t)
        inputs = {**how.inputs(given), "h": how.length}
        lanes = how.stepper.lanes(begin, given.parameters or {}, inputs)
        if lanes.x.shape[1] == count:
            return lanes
        x = np.broadcast_to(lanes.x, (len(lanes.x), count))
        return replace(lanes, x=np.ascontiguousarray(x), batch=(count,))

    def restless(self, watched: Array, lanes: Lanes, given: RunGiven) -> Any:
        """Which runs would look for other independent coordinates if they were alone.

        Args:
            watched: every so many states: run × time × state.
            lanes: starts of these runs.
            given: to these runs.
        """
        stepper, times = self.how.stepper, self.how.times[::WATCHED]
        choice = None if stepper.fixed else stepper.independent
        if choice is None or self.steps < WATCHED or stepper.loops is None:
            return np.zeros(len(watched), dtype=bool)
        q = stepper.parts(watched, lanes, times)["q"]
        p = parameter_rows(stepper.loops, given.parameters or {})
        rows = None if p is None else np.broadcast_to(p, (len(watched), p.shape[-1]))
        return choice.bad_lanes(times, q, rows)

    def look(self, states: Array, lanes: Lanes, given: RunGiven) -> Array:
        """Values of the expressions at all states; one call per run, whose parameters it shares."""
        stepper, looks, times = self.how.stepper, self.looks, self.how.times
        names = {port.name for port in looks.inputs}
        near = stepper.parts(states, lanes, times)["q"] if NEAR in names else None
        ends = np.cumsum(list(stepper.state.values()))[:-1]
        e = np.empty((len(states), len(times), len(self.task.measures)))
        for k, rows in enumerate(states):
            parts = dict(zip(stepper.state, np.split(rows, ends, axis=-1), strict=True))
            rest = {"t": times, **parts, **({} if near is None else {NEAR: near[k]})}
            fixed = self._constants(lanes, k)
            own = {name: value for name, value in {**fixed, **rest}.items() if name in names}
            e[k] = looks(check=False, parameters=self._own(given, k), **own)["e"]
        return e

    def _constants(self, lanes: Lanes, number: int) -> dict[str, Array]:
        """Inputs of the step of one run that do not change: loads, the method's own."""
        stepper = self.how.stepper
        x = lanes.x[:, number]
        return {
            name: x[port.start : port.stop].reshape(port.shape)
            for name, port in stepper.ports.items()
            if not port.parameter and name not in stepper.state and name != "t"
        }

    def _own(self, given: RunGiven, number: int) -> dict[str, float]:
        """Parameters of one run."""
        rows = (given.parameters or {}).items()
        return {name: float(np.ravel(v)[number if np.size(v) > 1 else 0]) for name, v in rows}

    def _alone(
        self, names: Sequence[str], rows: Array, numbers: Sequence[int], found: PartRows
    ) -> None:
        """Make runs one by one."""
        for k in numbers:
            task = self._task_of(names, rows[k].tolist())
            try:
                made = step_outcomes(StepRun(task.at_rest()))
            except KinetreeError as error:
                found.reasons[k] = str(error)
                continue
            for name, outcome in made.items():
                found.values[name][k] = outcome.value


def given_of_rows(
    variables: Sequence[DesignVariable], names: Sequence[str], rows: Array, run: Mapping[str, Any]
) -> RunGiven:
    """What some runs are given: arrays by name, one value per run.

    Args:
        variables: what varies.
        names: of it.
        rows: its values, one row per run.
        run: options of all runs.
    """
    columns: dict[str, Any] = dict(zip(names, rows.T, strict=True))
    options = enter_values(variables, columns, run)
    wrenches = options.get("wrenches")
    if wrenches:
        options["wrenches"] = {
            name: np.stack(np.broadcast_arrays(*six), axis=-1) for name, six in wrenches.items()
        }
    return RunGiven(**{name: options.get(name) for name in GIVEN})


def lanes_of_block(lanes: Lanes, here: Integers) -> Lanes:
    """Some of the runs."""
    p = lanes.p[:, here] if lanes.p.shape[1] > 1 else lanes.p
    q = lanes.q[here] if lanes.q.ndim > 1 else lanes.q
    return replace(lanes, x=lanes.x[:, here], p=p, batch=(len(here),), q=q)


def march_on_threads(runner: LaneRunner, lanes: Lanes, given: RunGiven) -> tuple[Array, Any]:
    """Expressions of all measures, run × time × measure; which runs are lost."""
    how, stepper = runner.how, runner.how.stepper
    start = Start(lanes.x, lanes.p, how.t, how.length, runner.steps)
    states = march_many(stepper.function, stepper.size, start, None, runner.threads)[0]
    bad = ~np.isfinite(states).all(axis=(1, 2)) | runner.restless(
        states[:, ::WATCHED], lanes, given
    )
    return runner.look(states, lanes, given), bad
