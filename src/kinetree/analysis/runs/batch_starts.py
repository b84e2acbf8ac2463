"""Where the runs of a batch begin: dynamics and consistent state of each, found together.

Equations are derived once for every choice of independent coordinates that occurs.  What a single
run is refused for, is the end of that run alone: its place has the error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from kinetree.analysis.given.batches import Axes, RunGiven
from kinetree.analysis.given.initial_state import given_states, initial_state, refuse_open
from kinetree.analysis.given.loads import loads
from kinetree.analysis.runs.dynamics import Dynamics, dynamics
from kinetree.analysis.runs.resets import all_names, resets
from kinetree.arrays import Array
from kinetree.assembly import Loops, Partition, free_columns, refuse_gimbal_lock
from kinetree.assembly.loops import loops as loops_of
from kinetree.errors import KinetreeError
from kinetree.integrate.start.beginning import Beginning
from kinetree.integrate.start.many import begin_many, parameter_rows
from kinetree.integrate.steps.fitting import refuse_parameters
from kinetree.model import Mechanism, gimbal_locks
from kinetree.solve.pivots import Pivots, eliminate_many

if TYPE_CHECKING:
    from kinetree.analysis.runs.events import Events

T = TypeVar("T")
Begun = tuple[Dynamics, Array]
"""Dynamics of a run, and its state at the start."""


@dataclass(frozen=True)
class BatchStart:
    """What the starts of a batch are made from.

    Attributes:
        made_of: the mechanism.
        given: to all runs.
        t: time at the start [s].
        options: of `dynamics`.
        events: that happen beside those of the model.
    """

    made_of: Mechanism
    given: RunGiven
    t: float
    options: Mapping[str, Any]
    events: Events | None = None

    @cached_property
    def model(self) -> Mechanism:
        """The mechanism, with all that is given as parameters."""
        return self.made_of.with_varied(self.given.parameters or ())

    @property
    def axes(self) -> Axes:
        """Of the batch."""
        return self.given.axes

    @cached_property
    def lanes(self) -> RunGiven:
        """What is given, with all runs along one axis."""
        return self.given.flat

    @cached_property
    def count(self) -> int:
        """Number of runs."""
        return int(np.prod(self.axes))

    def starts(self) -> list[Begun | KinetreeError]:
        """The start of every run, or why it has none."""
        model = self.model
        if not (model.closures or model.drives):
            return self._each(self._open_tree())
        try:
            closed = loops_of(model)
        except KinetreeError:  # the model's own values do not fit; those given may
            return self._each(self._alone)
        return self._close_loops(closed)

    def _each(self, make: Callable[[int], Begun]) -> list[Begun | KinetreeError]:
        return [_attempt(make, number) for number in range(self.count)]

    def _alone(self, number: int) -> Begun:
        """A run that begins as a single one does."""
        one, t = self.given.of(self.axes, number), self.t
        how = {**one.fixed, **self.options}
        system = dynamics(self.model, q=one.q, t=t, **how, events=self.events)
        return system, initial_state(system, t, one.q, one.qd, one.x, complete=False)

    def _open_tree(self) -> Callable[[int], Begun]:
        """Starts of a tree: equations are those of the first run."""
        first: list[Dynamics] = []

        def make(number: int) -> Begun:
            if not first:
                begun = self._alone(number)
                first.append(begun[0])
                return begun
            one = self.lanes.of((self.count,), number)
            system = self._system(first[0], one)
            return system, initial_state(system, self.t, one.q, one.qd, one.x, complete=False)

        return make

    def _system(self, like: Dynamics, one: RunGiven, **changes: Any) -> Dynamics:
        """The dynamics of one run with the equations of another."""
        return replace(
            like, loads=loads(self.model, one.tau, one.wrenches),
            parameters=like.check_parameters(one.parameters), **changes,
        )  # fmt: skip

    # --- closed systems --------------------------------------------------------------------------

    def _close_loops(self, closed: Loops) -> list[Begun | KinetreeError]:
        """Loops are closed for all runs at once."""
        found: list[Begun | KinetreeError | None] = [None] * self.count
        q, qd = np.zeros((self.count, self.model.nq)), np.zeros((self.count, self.model.nv))

        def begin(numbers: Sequence[int]) -> None:
            rows = np.array(numbers)
            given = self._beginning(rows)
            refuse_parameters(self.model, closed.whole, given.parameters, self.t)
            q[rows], qd[rows] = begin_many(closed, given)

        for number, error in each_fault(begin, range(self.count)):
            found[number] = error
        begun = [number for number in range(self.count) if found[number] is None]
        same = _Shared(self, closed, q, begun)
        for number in begun:
            found[number] = _attempt(lambda k: self._closed_one(same, k, q[k], qd[k]), number)
        return [start for start in found if start is not None]

    def _beginning(self, rows: Any) -> Beginning:
        """What some of the runs are given, with one leading axis where they differ."""
        some = self.lanes.of((self.count,), rows)
        parameters = dict(some.parameters or {})
        kept = tuple(self.options.get("independent") or ())
        return Beginning(some.q, some.qd, t=self.t, parameters=parameters, independent=kept)

    def _closed_one(self, same: _Shared, number: int, q: Array, qd: Array) -> Begun:
        one = self.lanes.of((self.count,), number)
        like, partition = same.choice(number)
        closed = same.closed.at(one.parameters)
        system = self._system(like, one, partition=partition, loops=closed)
        states = given_states(system, one.x)
        first = np.concatenate([q, qd, states])
        y = system.project(self.t, first)
        refuse_open(system, self.t, y, first)
        if same.locks:
            refuse_gimbal_lock(self.model, system.split(y)[0])
        return system, y


class _Shared:
    """Equations that runs of a batch share: one set for every choice of coordinates."""

    def __init__(self, batch: BatchStart, closed: Loops, q: Array, numbers: Sequence[int]) -> None:
        self.batch, self.closed, self.q = batch, closed, q
        self.locks = gimbal_locks(batch.model)
        self._known: dict[Pivots, tuple[Dynamics, Partition]] = {}
        self._given: Dynamics | None = None
        self._pivots = dict(
            zip(numbers, self._eliminate(np.array(numbers, dtype=int)), strict=True)
        )

    def choice(self, number: int) -> tuple[Dynamics, Partition | None]:
        """Dynamics in the coordinates that a single run would choose, and its partition."""
        options, q = self.batch.options, self.q[number]
        if options.get("partition") is not None:
            self._given = self._given or self._dynamics(number, **options)
            return self._given, self._given.partition
        pivots = self._pivots[number]
        known = self._known.get(pivots)
        if known is None:
            made = self._dynamics(number, **options)
            assert made.partition is not None
            known = made, made.partition
            if not pivots.rest:  # where none repeats another, nothing depends on the place
                self._known[pivots] = known
        return known[0], replace(known[1], q=q)

    def _dynamics(self, number: int, **options: Any) -> Dynamics:
        one = self.batch.given.of(self.batch.axes, number)
        return dynamics(
            self.batch.model, q=self.q[number], t=self.batch.t, parameters=one.parameters,
            events=self.batch.events, **options,
        )  # fmt: skip

    def _eliminate(self, numbers: Any) -> list[Pivots]:
        """How the equations are solved at the start of some runs."""
        batch, closed = self.batch, self.closed
        stay = batch.options.get("independent") or all_names(resets(batch.model, batch.events))
        some = batch.lanes.of((batch.count,), numbers)
        given = {"q": self.q[numbers], "qd": np.zeros(batch.model.nv), "t": np.asarray(batch.t)}
        p = parameter_rows(closed, some.parameters or {})
        if p is not None:
            given["p"] = p
        J = closed.program.evaluate_some(**given)["J"]
        J = np.broadcast_to(J, (len(numbers), *J.shape[-2:]))[..., free_columns(closed, stay)]
        found = eliminate_many(J, closed.rates, closed.share)
        return [replace(pivots, sizes=()) for pivots in found]


def each_fault(
    work: Callable[[Sequence[int]], None], numbers: Sequence[int]
) -> list[tuple[int, KinetreeError]]:
    """Let work be done for all runs, and for the others where some fail; which of them, and why.

    Runs are halved until those that fail stand alone.
    """
    try:
        work(numbers)
    except KinetreeError as error:
        if len(numbers) == 1:
            return [(numbers[0], error)]
        half = len(numbers) // 2
        return [*each_fault(work, numbers[:half]), *each_fault(work, numbers[half:])]
    return []


def _attempt(make: Callable[[int], T], number: int) -> T | KinetreeError:
    """What is made for a run, or why it cannot be."""
    try:
        return make(number)
    except KinetreeError as error:
        return error
