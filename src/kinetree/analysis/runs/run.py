"""Runs: integration from a consistent state; independent coordinates change where necessary.

A closed system is integrated in independent coordinates.  Where these no longer determine the
others well, new ones are chosen at the state reached, and the run continues from there in a new
segment.

Refs: WehageHaug1982
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kinetree.analysis.runs.coordinates.turning import (
    Better,
    Lookout,
    Repartition,
    append_final_state,
    until,
    until_instant,
)
from kinetree.analysis.runs.dynamics import Dynamics
from kinetree.analysis.runs.events import Events, Watched, refuse_ended, watching
from kinetree.analysis.runs.jumps.pace import pacing
from kinetree.analysis.runs.updates import (
    Crowd,
    Settled,
    known_sides,
    settle,
    settle_friction,
    settle_switches,
    sides,
    simultaneous,
)
from kinetree.analysis.runs.watches import Watches
from kinetree.arrays import Array
from kinetree.assembly import refuse_unset
from kinetree.errors import AssemblyError
from kinetree.integrate.methods import Method, choose, find
from kinetree.integrate.problem import (
    CHATTERING,
    EVENT,
    FAILED,
    FINISHED,
    LATE,
    Hit,
    Path,
    Problem,
    Settings,
    Watch,
)
from kinetree.results.draft import as_it_is

if TYPE_CHECKING:
    import xarray

MULTISTEP = ("cvode_adams", "cvode_bdf")
"""Multistep methods: projecting between steps corrupts their history and shrinks the steps, so
states are projected only when they are recorded."""
SEGMENTS = 1000
"""Most segments of a run."""


@dataclass(frozen=True)
class RunOptions:
    """How a run is made.

    Attributes:
        method: name of the method.
        settings: tolerances and limits.
        events: what to watch.
        again: chooses new coordinates where the old ones degrade; None keeps them.
        record: takes every part of the run, in order of time.
        flows: whether it takes parts while a method goes on, too.
        goes_on: whether the run continues another one: what happens at its start by the clock has
            happened there.
        observe: adds outputs to the Dataset of the run.
        watches: what is compiled of the events, where runs side by side share it.
        stepping: equal steps as a method for a system; none where the method is one of rates.
        jump: the state after the events of an instant, where more than `settle` belongs to it, from
            the dynamics, the events, time [s] and state before, and what settled.
        onward: the time [s] and state a rounding behind an instant, from which the run goes on, of
            the same, time and state behind the instant; there laws are on their new branch.
    """

    method: str
    settings: Settings
    events: Events | None = None
    again: Repartition | None = None
    record: Callable[[Segment], None] = lambda _: None
    flows: bool = False
    goes_on: bool = False
    observe: Callable[[xarray.Dataset], xarray.Dataset] = as_it_is
    watches: Watches | None = None
    stepping: Callable[[Dynamics], Method] | None = None
    jump: Callable[[Dynamics, Watched, float, Array, Settled], Array] | None = None
    onward: Callable[[Dynamics, Watched, float, Array], tuple[float, Array]] | None = None

    def watch(self, system: Dynamics) -> Watched:
        """The events of a run with these equations."""
        return (self.watches or Watches(self.events)).of(system)

    def choose(self, system: Dynamics, problem: Problem) -> Method:
        """The method for a problem of a system."""
        return choose(self.method, problem) if self.stepping is None else self.stepping(system)


@dataclass(frozen=True)
class Segment:
    """A part of a run in one set of coordinates.

    Attributes:
        dynamics: in those coordinates.
        path: from where the part before ended.
        watches: the events of this part; laws may name their branches otherwise in another.
        first: number of the first row of the path that is not the last one of a part before.
        begin: time at which the method began [s].
    """

    dynamics: Dynamics
    path: Path
    watches: tuple[Watch, ...] = ()
    first: int = 0
    begin: float = 0.0


@dataclass(frozen=True)
class Run:
    """A run: segments one after the other, each beginning where the one before ended.

    Attributes:
        segments: in order of time; their paths have the last row and event alone.
        settings: tolerances and limits.
        method: as chosen.
        seconds: time spent integrating [s].
        partitions: number of choices of independent coordinates.
    """

    segments: tuple[Segment, ...]
    settings: Settings
    method: Method
    seconds: float
    partitions: int = 1

    @property
    def last(self) -> Segment:
        """Where the run ended."""
        return self.segments[-1]


def integrate(system: Dynamics, start: Array, times: Array, how: RunOptions) -> Run:
    """Integrate from a consistent state over the output times [s]."""
    journey = _Journey(system, start, times, how)
    while journey.go_on():
        pass
    return journey.run()


@dataclass
class _Spent:
    """What a run has taken: time [s], choices of coordinates, steps."""

    seconds: float = 0.0
    partitions: int = 1
    steps: int = 0


class _Journey:
    """A run on its way: legs between events and changes of coordinates."""

    def __init__(self, system: Dynamics, start: Array, times: Array, how: RunOptions) -> None:
        self.how, self.times, self.start = how, times, start
        self.problem: Problem
        self.segments: list[Segment] = []
        self.spent = _Spent()
        self.crowd, self.span = Crowd.within(times), (float(times[0]), float(times[-1]))
        self.take(system)
        self.start = self.begin(start)
        self.problem = replace(self.problem, sides=known_sides(self.events, self.start))
        ticks = [] if how.goes_on else self.events.ticks(float(times[0]))
        if ticks:
            self.happen(float(times[0]), self.start, ticks)
        refuse_unset(system.states, system.split(self.start)[2])
        refuse_ended(system, self.events, float(times[0]), self.start)

    def begin(self, start: Array) -> Array:
        """The start with the modes of switches and dry friction settled."""
        t = float(self.times[0])
        start = settle_switches(self.system, self.events, t, start)
        y, trouble = settle_friction(self.system, self.events, t, start)
        if trouble:
            raise AssemblyError(trouble, element=f"model '{self.system.model.name}'")
        return y

    def take(self, system: Dynamics) -> None:
        """Go on with these equations."""
        self.system, self.events = system, self.how.watch(system)
        self.lookout = Lookout(system, self.how.again, self.span, float(self.times[0]))
        self.problem = as_problem(system, self.start, self.times, self.how, self.events)
        self.method = self.how.choose(system, self.problem)
        native = self.problem.native
        if native is not None and native.changes is not None:
            span, numbers = self.crowd.instant, np.arange(len(self.events.watches))
            final, sticking = (
                np.isin(numbers, list(some)).astype(float)
                for some in (self.events.final, self.events.sticking)
            )
            changes = replace(native.changes, final=final, instant=span, sticking=sticking,
                              modes=np.array(self.events.modes, dtype=float))  # fmt: skip
            alone = self.method.changes and self.how.jump is None
            native = replace(native, changes=changes if alone else None)
            self.problem = replace(self.problem, native=native)
        sides = known_sides(self.events, self.start)
        self.problem = replace(self.problem, sides=sides)
        with np.errstate(all="ignore"):
            self.problem.rates(float(self.times[0]), self.start)  # compiled before the clock runs

    @property
    def steps_left(self) -> int:
        """Steps that may still be made."""
        return self.how.settings.max_steps - self.spent.steps

    def run(self) -> Run:
        """What was found."""
        how = self.how.settings
        return Run(
            tuple(self.segments), how, self.method, self.spent.seconds, self.spent.partitions
        )

    def go_on(self) -> bool:
        """Integrate to the next event or change of coordinates; False where the run has ended."""
        if len(self.times) == 1:
            return False
        tick = self.prepare()
        assert self.method.solve is not None  # of rates
        began = time.perf_counter()
        sink = self.receive if self.how.flows or self.how.again is not None else None
        settings = replace(
            self.how.settings, max_steps=self.steps_left, sink=sink, judged=self.lookout.looks
        )
        path = append_final_state(self.method.solve(self.problem, settings))
        self.spent.seconds += time.perf_counter() - began
        return self.turn(path) or self.meet(path, tick)

    def prepare(self) -> float:
        """Pose the problem of the next leg; the time at which something happens behind it [s].

        Where native code sees to the events, a leg ends where its table of ticks does.
        """
        times, native, tick = self.times, self.problem.native, np.inf
        if native is not None and native.changes is not None:
            ticks, end = self.events.table(times)
            native = replace(native, changes=replace(native.changes, ticks=ticks))
        else:
            end = tick = self.events.next_time(times)
        if end < times[-1]:
            times = np.append(times[times < end], end)
        self.problem = replace(self.problem, start=self.start, times=times, native=native)
        return tick

    def turn(self, path: Path) -> bool:
        """Go on in other coordinates, where these have become bad."""
        better = self.lookout.found or self.look(path)
        if better is None:
            return False
        # what a method found on its way is recorded: its last path tells the steps alone
        done = until(path, better.t if self.lookout.found is None else -np.inf)
        asked = np.isin(done.t, self.times) | self.how.settings.every_step
        self.keep(replace(done, t=done.t[asked], y=done.y[asked]))
        self.start = better.y
        self.times = np.append(better.t, self.times[self.times > better.t])
        self.spent.partitions += 1
        self.take(better.system)
        return True

    def look(self, path: Path) -> Better | None:
        """Better coordinates from one of the rows on; none where these are good."""
        if self.spent.partitions >= SEGMENTS or self.steps_left <= path.steps:
            return None
        return self.lookout.look(path)

    def receive(self, path: Path) -> bool:
        """Record what a method has found on its way; whether it may go on."""
        began = time.perf_counter()
        better = self.lookout.found = self.look(path)
        self.give(path if better is None else until(path, better.t))
        self.spent.seconds -= time.perf_counter() - began
        return better is None

    def meet(self, path: Path, tick: float) -> bool:
        """Let happen what happens at the end of a leg; False where the run ends there."""
        fired: list[int] = []
        late: tuple[Hit, ...] = ()
        t, y = path.last_t, path.last_y
        if path.end == CHATTERING:
            said = self.crowd.sentence(path.hits, self.events.watches)
            path = replace(path, end=FAILED, message=said)
        elif path.end == EVENT:
            t, y = path.hits[-1].t, path.hits[-1].y
            fired = [hit.watch for hit in path.hits if hit.t == t]
            fired += self.events.ticks(t) if np.isfinite(tick) else []
        elif path.end == LATE:
            late = _of_last_step(path, self.events.watches)
            fired = [hit.watch for hit in late] + self.events.ticks(t)
            path = replace(path, end=EVENT)
        elif path.end == FINISHED and path.t[-1] >= tick:
            t, y = float(path.t[-1]), path.y[-1]
            fired = self.events.ticks(t)
        if fired:
            past = {*fired, *self.crowd.just_before(t)}
            fired += simultaneous(self.system, self.events, t, y, past)
        ends = bool(self.events.final.intersection(fired))
        if not fired or (ends and self.events.update is None):
            return self.rest(path)
        told = {id(hit) for hit in late}
        hits = tuple(hit for hit in path.hits if hit.t < t and id(hit) not in told)
        self.keep(until_instant(path, t, hits))
        return self.happen(t, y, fired, late)

    def rest(self, path: Path) -> bool:
        """Keep a leg at whose end nothing happens; False where the run ends there."""
        t = float(path.t[-1])
        ended = path.end != FINISHED or t >= self.times[-1]
        shown = ended or bool((self.times == t).any()) or self.how.settings.every_step
        rows = slice(None) if shown else slice(-1)
        self.keep(replace(path, t=path.t[rows], y=path.y[rows]))
        self.start, self.times = path.y[-1], np.append(t, self.times[self.times > t])
        return not ended

    def happen(self, t: float, y: Array, fired: Sequence[int], late: tuple[Hit, ...] = ()) -> bool:
        """Make the changes of some events, late ones first; False where the run ends by them."""
        after = settle(self.system, self.events, t, y, fired)
        trouble = after.trouble
        if self.how.jump is not None and not trouble:
            after = replace(after, y=self.how.jump(self.system, self.events, t, y, after))
        if not trouble:
            trouble = self.crowd.add(after.hits, self.events.watches)
        final = self.events.final.intersection(hit.watch for hit in after.hits)
        ends = bool(trouble or final) or t >= self.times[-1]
        times, rows = np.array([t]), after.y[None, :]
        begin, start = t, after.y
        if self.how.onward is not None and not ends:
            begin, start = self.how.onward(self.system, self.events, t, after.y)
            if begin > t:
                times, rows = np.array([t, begin]), np.vstack([rows, start])
        made = (times, rows) if self.how.settings.ends else None
        if not self.how.settings.every_step:
            shown = int(ends or bool((self.times == t).any()))
            times, rows = times[:shown], rows[:shown]
        end = FAILED if trouble else EVENT if final else FINISHED
        hits = (*late, *after.hits[len(late) :])
        self.keep(Path(times, rows, end, hits, t, after.y, message=trouble, ends=made), first=0)
        left = self.times[self.times > begin] if not ends else self.times[:0]
        self.start, self.times = start, np.append(begin, left)
        self.problem = replace(self.problem, sides=sides(self.system, self.events, begin, y, start))
        return not ends

    def keep(self, path: Path, first: int = 1) -> None:
        """Add a part of the run; a leg begins where the part before ended."""
        self.segments.append(self.give(path, first))
        self.spent.steps += path.steps

    def give(self, path: Path, first: int = 1) -> Segment:
        """Record rows and events; the same with the last of them alone."""
        begin = float(self.times[0])
        found = Segment(self.system, path, self.events.watches, first, begin)
        self.how.record(found)
        last = replace(path, t=path.t[-1:], y=path.y[-1:], hits=path.hits[-1:])
        return replace(found, path=last)


def as_problem(
    system: Dynamics, start: Array, times: Array, how: RunOptions, events: Watched
) -> Problem:
    """The problem that a method solves."""
    exact = find(how.method).stiff and system.exact_jacobian
    history = how.method in MULTISTEP
    native = system.native(jacobian=exact, events=events, history=history)
    return Problem(
        system.rates,
        start,
        times,
        system.jacobian_matrix if exact and system.loads.constant else None,
        system.project if system.projects else None,
        watching(system, events.function),
        events.conditions,
        native,
        memories=tuple(system.memories),
        pace=pacing(system, events.pace),
    )


def _of_last_step(path: Path, watches: Sequence[Watch]) -> tuple[Hit, ...]:
    """The events of the last step of a path that change the state or end the run."""
    return tuple(hit for hit in path.hits if watches[hit.watch].stops and hit.t > path.t[-2])
