"""One run, with other independent coordinates where those in use become a bad choice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arrays import Array
from kinetree.integrate.drive import PAUSED, drive
from kinetree.integrate.loops.equal_steps import LOST, March, Start
from kinetree.integrate.partition_health import LEAST, Judge, better, judge, shares, sizes
from kinetree.integrate.problem import FINISHED, NOT_SOLVED

if TYPE_CHECKING:
    from kinetree.integrate.steps.given import Progress
    from kinetree.integrate.steps.stepper import Stepper
    from kinetree.model import Mechanism
    from kinetree.program import Program
    from kinetree.targets.native.function import Function


SLICE = 2000
"""Steps between two looks for Ctrl-C and two reports of progress."""
WATCHED = 100
"""Steps between two looks at the partition."""
PART = 100 * WATCHED
"""Steps whose states are given away at once."""


@dataclass(frozen=True)
class Ended:
    """How a run ended.

    Attributes:
        stepper: the one in use at the end.
        march: the last march.
        end: "finished", "not solved" or "interrupted".
        states: kept states, (rows, components).
        iterations: of all steps together.
        most: iterations of one step.
        marches: how many there were.
        legs: the steppers in use, each with the number of steps made before.
    """

    stepper: Stepper
    march: March
    end: str
    states: Array
    iterations: float
    most: int
    marches: int
    legs: tuple[tuple[Stepper, int], ...] = ()


class Independent:
    """The independent velocities of a step.

    Attributes:
        names: of them, but for those that follow from rolling and the like.
        rows: numbers of the equations that are used.
    """

    def __init__(self, model: Mechanism, info: Mapping[str, str], loops: Program) -> None:
        self.model, self._loops = model, loops
        labels = list(loops.output("h").labels)
        self.names = set(filter(None, info["independent"].split(", ")))
        self.rows = [labels.index(x) for x in filter(None, info["equations"].split(", "))]

    @cached_property
    def _function(self) -> Function:
        made: Function = self._loops.compile()
        return made

    def judge(self, q: Array, t: float, parameters: Mapping[str, float]) -> Judge:
        """The judge of this choice in a run that begins at q."""
        function = self._function
        given: dict[str, Any] = {"qd": np.zeros(self.model.nv)}
        port = next((p for p in function.inputs if p.name == "p"), None)
        if port is not None:
            given["p"] = port.default_array.copy()
            for name, value in parameters.items():
                if name in port.labels:
                    given["p"][port.labels.index(name)] = value

        def jacobians(t: Array, q: Array) -> Array:
            places = zip(t, q, strict=True)
            found = [
                function(**self._loops.pick_inputs({**given, "q": b, "t": a})) for a, b in places
            ]
            return np.array([row["J"][self.rows] for row in found])

        return judge(jacobians, *self._columns, t, q)

    def bad_lanes(self, t: Array, q: Array, p: Array | None) -> Array:
        """Which runs of a batch, (run, time, component), have rows at which the choice is bad.

        Args:
            t: times of the rows [s]; at the first the choice was made.
            q: coordinates.
            p: run-time parameters, one row per run; none where these are the model's.
        """
        lanes, rows = q.shape[:2]
        given: dict[str, Any] = {
            "q": q.reshape(lanes * rows, -1), "t": np.tile(t, lanes), "qd": np.zeros(self.model.nv),
        }  # fmt: skip
        if p is not None:
            given["p"] = np.repeat(p, rows, axis=0)
        found = self._function(**self._loops.pick_inputs(given), check=False)["J"]
        J = np.nan_to_num(np.broadcast_to(found, (lanes * rows, *found.shape[-2:]))[:, self.rows])
        J = J.reshape(lanes, rows, *J.shape[1:])
        found = shares(J, *self._columns, sizes(J[:, :1]))
        return np.asarray((found < LEAST * found[:, :1])[:, 1:].any(axis=1))

    @property
    def _columns(self) -> tuple[list[int], list[int]]:
        """Numbers of the dependent velocities, and of all that are not driven."""
        names = list(self.model.velocities)
        free = [k for k, name in enumerate(names) if name not in self.model.drives]
        return [k for k in free if names[k] not in self.names], free

    def other(self, q: Array, t: float, parameters: Mapping[str, float]) -> tuple[str, ...]:
        """Names of a better choice; none where there is none."""
        found = better(self.model, q, t, parameters, len(self.rows))
        if found is None:
            return ()
        names = tuple(name for name in found.independent if name not in found.rate_dependent)
        return () if set(names) == self.names else names


class _Look:
    """Answers whether a march should change its independent coordinates.

    Attributes:
        found: the better choice of the last look.
    """

    def __init__(
        self, stepper: Stepper, march: March, start: Start, given: Mapping[str, Any]
    ) -> None:
        self.march, self.start, self.given = march, start, given
        self.choice = None if stepper.fixed else stepper.independent
        self.size = stepper.state["q"]
        self.found: tuple[str, ...] = ()

    @cached_property
    def _judge(self) -> Judge:
        assert self.choice is not None
        begin = self.start.t0 + self.start.done * self.start.h
        return self.choice.judge(self.start.x[: self.size, 0], begin, self.given)

    def _at(self) -> tuple[Array, float]:
        t = self.start.t0 + self.march.step * self.start.h
        return self.march.last[: self.size, 0], t

    def bad(self) -> bool:
        """Whether the choice is bad and there is a better one."""
        if self.march.finished:
            return False
        q, t = self._at()
        return bool(self._judge.bad(np.array([t]), q[None])[0]) and self.better()

    def better(self) -> bool:
        """Whether there is another choice."""
        if self.choice is not None:
            self.found = self.choice.other(*self._at(), self.given)
        return bool(self.found)


def drive_march(
    march: March, steps: int, progress: Progress | None, bad: Callable[[], bool] | None = None
) -> str:
    """Run a march in slices; why it ended.

    Args:
        march: the march.
        steps: how many are wanted.
        progress: called after every slice.
        bad: whether the march should pause for other independent coordinates.
    """
    told = march.step

    def report(_: float) -> None:
        nonlocal told
        if progress is not None and (march.finished or march.step - told >= SLICE):
            told = march.step
            progress(told, steps)

    end = drive(march, report, steps=SLICE if bad is None else WATCHED, pause=bad)
    return NOT_SOLVED if march.status == LOST else end


def relay(
    first: Stepper,
    start: Start,
    given: Mapping[str, Any],
    progress: Progress | None,
    sink: Callable[[Array], None] | None = None,
) -> Ended:
    """March to the end; where the independent coordinates fail, continue with others.

    Args:
        first: the stepper to begin with.
        start: of the march.
        given: values of parameters by name.
        progress: called after every slice.
        sink: takes the states part by part; what is returned has none then.
    """
    stepper, counts, begin, marches = first, np.zeros((0, 2)), start, 1
    kept: list[Array] = []
    legs = [(first, start.done)]
    take = sink or kept.append
    while True:
        last = start.steps if sink is None else min(start.steps, start.done + PART)
        march = March(stepper.function, stepper.size, replace(start, steps=last))
        look = _Look(stepper, march, begin, given)
        end = drive_march(march, start.steps, progress, look.bad if look.choice else None)
        states: Array = march.states[min(len(counts), 1) : march.rows]
        take(states[:, :, 0])
        counts = np.vstack([counts, march.counts[:, 0]])
        stuck = march.step == start.done and len(counts) > 1
        again = end == PAUSED or (end == NOT_SOLVED and not stuck and look.better())
        if not again and (end != FINISHED or last == start.steps):
            break
        x = start.x.copy()
        x[: stepper.size] = march.last
        start = replace(start, x=x, done=march.step)
        if again:
            stepper, begin, marches = first.with_independent(look.found), start, marches + 1
            legs.append((stepper, march.step))
    total, most = float(counts[:, 0].sum()), int(counts[:, 1].max())
    states = np.concatenate(kept or [march.states[:0, :, 0]])
    return Ended(stepper, march, end, states, total, most, marches, tuple(legs))
