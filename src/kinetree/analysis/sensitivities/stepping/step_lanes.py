"""Gradients of many runs in equal steps: eight in the lanes of one call, blocks of them on threads.

Every run is gone back over as a single one is, Eq. (S11); what all of them share is derived once.
What a lane loses, and what would change its independent coordinates on the way, is made alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.given.batches import RunGiven
from kinetree.analysis.runs.batch_starts import each_fault
from kinetree.analysis.sensitivities.directions import bars_by_variable
from kinetree.analysis.sensitivities.start import pull_start
from kinetree.analysis.sensitivities.stepping.checkpoints import keep_all
from kinetree.analysis.sensitivities.stepping.law_jumps import refuse_law_jumps
from kinetree.analysis.sensitivities.stepping.step_run import SeenRun
from kinetree.analysis.sensitivities.stepping.step_start import start_reverse
from kinetree.analysis.sensitivities.stepping.stepped import StepOutcome, step_outcomes
from kinetree.analysis.sensitivities.task import with_given
from kinetree.analysis.sweeping.lanes import LaneRunner, lanes_of_block
from kinetree.errors import KinetreeError
from kinetree.formalism.natural.relative import NEAR
from kinetree.integrate.loops.backward_steps import LOOK, LaneKernel, StepsBack
from kinetree.integrate.loops.equal_steps import Start
from kinetree.integrate.steps.many import march_many
from kinetree.integrate.steps.repartitioned_run import WATCHED
from kinetree.targets.native.function import cores
from kinetree.targets.native.lanes.packing import LANES

if TYPE_CHECKING:
    from kinetree.analysis.runs.dynamics import Dynamics
    from kinetree.analysis.sensitivities.task import Task
    from kinetree.arrays import Array, Integers
    from kinetree.integrate.start.beginning import Lanes
    from kinetree.targets.kept import DerivedProgram


@dataclass(frozen=True)
class LaneGradients:
    """Gradients of runs that were made in lanes; not a number where a run was not.

    Attributes:
        values: run × measure.
        gradients: run × measure × direction.
        by_end: slopes by the duration: run × measure.
        errors: why runs failed, by number.
    """

    values: Array
    gradients: Array
    by_end: Array
    errors: dict[int, KinetreeError] = field(default_factory=dict)

    @classmethod
    def of(cls, task: Task, count: int) -> LaneGradients:
        """Runs of which nothing is known yet."""
        shape = count, len(task.measures), len(task.directions)
        values, by_end = np.full((2, *shape[:2]), np.nan)
        return cls(values, np.full(shape, np.nan), by_end)

    @property
    def count(self) -> int:
        """Number of runs."""
        return len(self.values)


@dataclass(frozen=True, eq=False)
class StepLanes:
    """Gradients of one task for many values.

    Attributes:
        task: what is asked; the values of its first run.
        given: what all runs are given, along one axis.
        found: is filled in.
    """

    task: Task
    given: RunGiven
    found: LaneGradients

    def make(self) -> list[int]:
        """Make them; numbers of the runs that lanes did not make."""
        numbers = range(self.found.count)
        lost: list[int] = []
        self.found.errors.update(
            each_fault(lambda some: lost.extend(self._together(some)), numbers)
        )
        return lost

    @cached_property
    def runner(self) -> LaneRunner:
        """Makes the runs themselves."""
        return LaneRunner(self.task, {}, exact=True)

    def _together(self, some: Sequence[int]) -> list[int]:
        """Make some runs, a block at a time; which of them are lost."""
        runner, numbers = self.runner, np.array(some)
        lanes = runner.begin(self.given.of((self.found.count,), numbers), len(some))
        lost: list[int] = []
        for first in self.task.share.parts(range(0, len(some), runner.block)):
            here = np.arange(first, min(first + runner.block, len(some)))
            block = _Block(self, numbers[here], lanes_of_block(lanes, here))
            lost += block.make()
        return lost

    def task_of(self, number: int) -> Task:
        """What is asked of one run."""
        given = self.given.of((self.found.count,), number)
        return replace(self.task, given=given, shared={**self.task.shared, "system": self.system})

    @cached_property
    def system(self) -> Dynamics:
        """The dynamics of the first run."""
        return self.task.system


SEEN = 0.4
"""Share of a block at which its runs are made."""


class _Block:
    """Runs that are made at once.

    Attributes:
        numbers: of the runs.
        states: run × step × component.
        tasks: of the runs.
    """

    def __init__(self, whole: StepLanes, numbers: Integers, lanes: Lanes) -> None:
        self.whole, self.numbers, self.lanes = whole, numbers, lanes
        self.runner, self.found = whole.runner, whole.found
        self.forms = self.runner.forms
        self.given = whole.given.of((self.found.count,), numbers)
        self.tasks = [whole.task_of(int(number)) for number in numbers]

    def make(self) -> list[int]:
        """Runs, measures, and the way back; numbers of the runs that are lost."""
        runner, how = self.runner, self.runner.how
        stepper = how.stepper
        start = Start(self.lanes.x, self.lanes.p, how.t, how.length, runner.steps)
        self.states = march_many(stepper.function, stepper.size, start, None, None)[0]
        finite = np.isfinite(self.states).all(axis=(1, 2))
        good = finite & ~runner.restless(self.states[:, ::WATCHED], self.lanes, self.given)
        e = runner.look(self.states, self.lanes, self.given)
        parts = stepper.parts(self.states, self.lanes, how.times)
        self.y = np.concatenate([parts[name] for name in ("q", "qd", "x")], axis=-1)
        self.whole.task.share.tell(SEEN)
        outcomes = [self._outcomes(k, e[k]) if good[k] else None for k in range(len(good))]
        self._go_back(outcomes, e.shape)
        return [int(number) for number in self.numbers[~good]]

    def _outcomes(self, k: int, e: Array) -> Mapping[str, StepOutcome] | None:
        """Measures of a run; what it is refused for, is its reason."""
        how, number = self.runner.how, int(self.numbers[k])
        seen = SeenRun(self.tasks[k], how.length, how.times, self.y[k], e)
        try:
            if seen.task.directions:
                refuse_law_jumps(seen)
            made = step_outcomes(seen)
        except KinetreeError as error:
            self.found.errors[number] = error
            return None
        self.found.values[number] = [row.value for row in made.values()]
        self.found.by_end[number] = [row.by_end for row in made.values()]
        return made

    # --- the way back ----------------------------------------------------------------------------

    def _go_back(
        self, outcomes: Sequence[Mapping[str, StepOutcome] | None], shape: tuple[int, ...]
    ) -> None:
        """Gradients of all measures of the runs that have any."""
        task, count = self.whole.task, shape[0]
        done = [k for k, row in enumerate(outcomes) if row is not None]
        if not task.directions or not done:
            return
        for m, name in enumerate(task.measures):
            weights = np.zeros(shape)
            for k in done:
                weights[k, :, m] = outcomes[k][name].weights  # type: ignore[index]
            groups = [range(first, min(first + LANES, count)) for first in range(0, count, LANES)]
            with ThreadPoolExecutor(min(len(groups), cores())) as pool:
                bars = list(pool.map(partial(self._back, weights), groups))
            lam, sums = (np.concatenate(part, axis=1) for part in zip(*bars, strict=True))
            for k, row in zip(done, self._pull(done, lam, sums), strict=True):
                self.found.gradients[self.numbers[k], m] = row
            task.share.tell(SEEN + (1 - SEEN) * (m + 1) / (1 + len(task.measures)))

    def _back(self, weights: Array, group: range) -> tuple[Array, Array]:
        """λ of the first state and sums of the other bars, one column per run of a group."""
        forms, steps = self.forms, self.runner.steps
        used = [min(group.start + k, group.stop - 1) for k in range(LANES)]
        near = self._near(used)
        kernels = {
            "reverse": self._kernel(forms.reverse_step, f"{forms.state[0]}_next_bar", used),
            "look": self._kernel(forms.reverse_looks, NEAR if near.shape[1] else "e_bar", used),
        }
        own = np.concatenate([near, np.moveaxis(weights[used], 0, -1)], axis=1)
        marks = np.any(weights[used] != 0.0, axis=(0, 2))
        slots = np.ascontiguousarray(np.moveaxis(self.states[used], 0, -1))
        bars = sum(6 if labels is None else len(labels) for labels in forms.by.values())
        lam, sums = np.zeros((forms.size, LANES)), np.zeros((bars, LANES))
        clock = np.array([self.runner.how.t, self.runner.how.length])
        back = StepsBack(kernels, slots, clock, (own, marks), (lam, sums))
        back.run(np.array([(LOOK, steps, 0, steps, 0)]))
        back.run(keep_all(steps).table)
        return lam[:, : len(group)], sums[:, : len(group)]

    def _near(self, used: Sequence[int]) -> Array:
        """Coordinates of the model at all states, where steps have others: step × q × lane."""
        names = {port.name for port in self.runner.looks.inputs}
        q = self.y[used][..., : self.whole.task.model.nq]
        return np.moveaxis(q if NEAR in names else q[..., :0], 0, -1)

    def _kernel(self, form: DerivedProgram, weights: str, used: Sequence[int]) -> LaneKernel:
        """A compiled Program with what does not change in a run, one column per lane."""
        function, stepper = form.function, self.runner.how.stepper
        x = np.zeros((function.sizes["x"], LANES))
        for port in function.inputs:
            own = stepper.ports.get(port.name)
            if own is not None and not port.parameter and port.name not in stepper.state:
                x[port.start : port.stop] = self.lanes.x[own.start : own.stop][:, used]
        return LaneKernel(function, x, self._parameters(function, used), weights)

    def _parameters(self, function: Any, used: Sequence[int]) -> Array:
        """Parameters of a function: one column, or one per lane."""
        ports = [port for port in function.inputs if port.parameter]
        labels = [label for port in ports for label in port.labels]
        base = np.concatenate([*(port.default_array.ravel() for port in ports), np.zeros(0)])
        given = dict(self.given.parameters or {})
        apart = any(np.size(value) > 1 for value in given.values())
        columns = np.repeat(base[:, None], LANES if apart else 1, axis=1)
        for name, value in given.items():
            if name in labels:
                own = np.broadcast_to(value, (len(self.numbers),))
                columns[labels.index(name)] = own[used] if apart else own[0]
        return columns

    # --- the start -------------------------------------------------------------------------------

    def _pull(self, done: Sequence[int], lam: Array, sums: Array) -> list[Array]:
        """Gradients of runs, from bars of the first state and of what varies."""
        task = self.whole.task
        reverse = start_reverse(task, self.runner.how.stepper)
        by = self.forms.by
        found = []
        for k in done:
            own = with_given(reverse.made.system, self.tasks[k].given)
            one = replace(reverse, made=replace(reverse.made, system=own))
            y = self.y[k, 0]
            bars = one.call(one.of_looks, task.t0, y, lam[:, k])
            moved = self.tasks[k].start_slopes(task.directions)
            start = pull_start(one, y, task.t0, self.tasks[k].given, bars.y, moved)
            whole = one.of_variables(bars.p) + start
            found.append(whole + bars_by_variable(by, task.directions, sums[:, k]))
        return found
