"""The trail of a run: of some of its moments all is kept that its steps depend on.

A state that is asked for is made again from the moment before it, by the same loop of machine code
with the same control of its steps, so that it has the same bits.  The states up to it are at hand
then, as many as go back at once in lanes.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from kinetree.analysis.sensitivities.trail.moments import Moments
from kinetree.analysis.sensitivities.trail.rows import PlainRows, TrailRows
from kinetree.arrays import Array
from kinetree.integrate.drive import drive
from kinetree.integrate.loops.explicit import ExplicitLoop
from kinetree.integrate.loops.tableaus import TABLEAUS
from kinetree.integrate.methods import METHODS, Method
from kinetree.targets.native.lanes.packing import LANES

if TYPE_CHECKING:
    from kinetree.analysis.runs.dynamics import Dynamics
    from kinetree.integrate.problem import Path, Problem, Settings

FEW = 2
"""Rows that are kept as they are: those of an instant with events."""
CHUNK = 64
"""Steps whose states are handed over at once."""


@dataclass(eq=False)
class TrailLeg:
    """One call of the method.

    Attributes:
        problem, settings: what it integrated.
        made: how often it made every step.
        last: the state behind the last one.
    """

    problem: Problem
    settings: Settings
    made: list[int] = field(default_factory=list)
    last: Array = field(default_factory=lambda: np.zeros(0))

    def count(self, step: int) -> None:
        """Count a step that was made."""
        if step == len(self.made):
            self.made.append(0)
        self.made[step] += 1


class Trail:
    """A run by an explicit method of which some moments are kept.

    Attributes:
        memory: that these may take [B].
        stretches: calls of the method so far.
        handed: number of the first of the states that are being handed over, in the last stretch.
        room: how many moments may be kept; none before the run began.
    """

    def __init__(self, integrator: str, memory: float) -> None:
        self.tableau, self.memory = TABLEAUS[integrator], memory
        self.method: Method = replace(METHODS[integrator], solve=self._solve)
        self.stretches: list[TrailLeg] = []
        self.handed = 0
        self._moments = Moments(0)
        self._loop: tuple[int, ExplicitLoop, Array] | None = None
        self._near: tuple[int, int, Array] = (-1, 0, np.zeros((0, 0)))

    @property
    def room(self) -> int:
        """How many moments may be kept, the start not counted."""
        return self._moments.most

    @property
    def repeats(self) -> int:
        """How often a step was made at most."""
        return max((max(row.made, default=0) for row in self.stretches), default=0)

    def restart_count(self) -> None:
        """Count from here on how often steps are made."""
        for row in self.stretches:
            row.made = [0] * len(row.made)

    def _solve(self, problem: Problem, settings: Settings) -> Path:
        """Integrate as the method does, and keep moments on the way."""
        self.stretches.append(TrailLeg(problem, replace(settings, every_step=False, sink=None)))
        run = self._begin(problem, settings)
        if not self._moments.most:
            self._moments.most = max(1, int(self.memory // run.snapshot().nbytes))
        number, self.handed = len(self.stretches) - 1, 0

        def give() -> bool:
            if run.finished or settings.sink is None:
                return False
            path = run.read_new()
            wanted = settings.sink(path)
            self.handed += len(path.t) - 1
            return not wanted

        drive(_Steps(self, number, run), settings.report, steps=CHUNK, pause=give)
        self.stretches[-1].last = run.y.copy()
        return run.path()

    def _begin(self, problem: Problem, settings: Settings) -> ExplicitLoop:
        assert problem.native is not None  # explicit methods are refused without
        return ExplicitLoop(self.tableau, problem, problem.native, settings)

    def rows(self, system: Dynamics, t: Array, Y: Array, skipped: int) -> TrailRows | PlainRows:
        """What stands for some rows that a run records.

        Args:
            system: makes them consistent.
            t: their times [s].
            Y: the rows.
            skipped: how many rows were handed over before them at once.
        """
        if len(t) <= FEW:
            return PlainRows(system.project_each(t, Y))
        return TrailRows(self, system, len(self.stretches) - 1, self.handed + skipped, t)

    def make_step(self, number: int, run: ExplicitLoop, known: int = 0) -> None:
        """Make one step of a stretch; the moment before it is offered, if it is behind a known one.

        Args:
            number: of the stretch.
            run: its loop.
            known: steps made up to the moment from which it went on.
        """
        done = int(run["steps"])
        if done > known:
            self._moments.offer((number, done), run.snapshot)
        while int(run["steps"]) == done and run.advance(1):
            pass
        if int(run["steps"]) > done:
            self.stretches[number].count(done)

    def states(self, number: int, step: int) -> tuple[int, Array]:
        """States of a stretch up to that behind so many steps, and the number of the first."""
        row = self.stretches[number]
        if step == len(row.made):
            return step, row.last[None]
        near, first, rows = self._near
        if near != number or not first <= step < first + len(rows):
            self._near = (number, *self._make(number, step))
            near, first, rows = self._near
        return first, rows[: step - first + 1]

    def _make(self, number: int, step: int) -> tuple[int, Array]:
        """The last states up to one, made again."""
        found = self._moments.before((number, step))
        run = self._loop_of(number)
        at = 0
        if found is not None and found[0][0] == number:
            at = found[0][1]
            run.resume(found[1])
        rows = deque([run.y.copy()], maxlen=LANES)
        for _ in range(at, step):
            self.make_step(number, run, at)
            rows.append(run.y.copy())
        return step - len(rows) + 1, np.array(rows)

    def _loop_of(self, number: int) -> ExplicitLoop:
        """The loop of a stretch at its start."""
        if self._loop is None or self._loop[0] != number:
            run = self._begin(self.stretches[number].problem, self.stretches[number].settings)
            self._loop = number, run, run.snapshot()
        _, run, start = self._loop
        run.resume(start)
        return run


@dataclass(eq=False)
class _Steps:
    """A stretch step by step, as it is driven."""

    trail: Trail
    number: int
    run: ExplicitLoop

    @property
    def t(self) -> float:
        """Time reached [s]."""
        return self.run.t

    @property
    def finished(self) -> bool:
        """Whether the run has ended."""
        return self.run.finished

    def advance(self, budget: int) -> bool:
        """Make at most that many steps; whether the run goes on."""
        for _ in range(budget):
            if self.run.finished:
                break
            self.trail.make_step(self.number, self.run)
        return not self.run.finished
