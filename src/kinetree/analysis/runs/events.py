"""Events: conditions of the state that a run marks or stops at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from kinetree.analysis.observing.attach import attach_used
from kinetree.analysis.runs.dynamics import Dynamics
from kinetree.analysis.runs.event_laws import EventLaw
from kinetree.arguments import show
from kinetree.arrays import Array
from kinetree.engine import ZERO, Node, Rank, as_node, select, substitute, symbol, symbols, text
from kinetree.errors import ModelError
from kinetree.integrate.problem import Watch
from kinetree.model import (
    DIRECTIONS,
    Event,
    Mechanism,
    element_events,
    happenings,
    instant_symbol,
)
from kinetree.program import Input, Output, Program
from kinetree.program.events import LABEL, SIDES, crossings
from kinetree.program.passes import condense, dead
from kinetree.program.state_form import (
    STATE,
    consistent_state,
    state_inputs,
    state_labels,
    state_parts,
)

MOST_TICKS = 100_000
"""Rows of a table of ticks; a run makes a new one where they are used up."""
SETTLING = ("modes", "rest", "slip")
"""Outputs of forward dynamics by which dry friction and stops settle: the next modes, velocities,
and what is above zero where something is to change."""
LAWS = "laws"
"""The event that stands for every change of branch in a law."""
Events = Mapping[str, Event | str | Callable[..., Any]] | str
"""Event by name; an expression or function alone is an event that is only recorded; "laws" alone
records where laws change their branch."""


@dataclass(frozen=True)
class Watched:
    """What may happen in a run.

    Attributes:
        watches: names, directions and effects: first of the events that are conditions, then of
            those at given times.
        function: native function of t, y, … whose output g are the values of all conditions at the
            consistent state; none where there are none.
        timed: the events at given times, in order.
        update: native function of t, y, fired, … that gives the state after the events whose entry
            in `fired` is 1, before its projection; none where there is nothing to see to.
        final: numbers of the watches that end the run.
        sticking: numbers of the watches of dry friction: its modes settle at every event.
        modes: of every condition, the component of y that is 1 above its zero and 0 below where it
            is that of a switch, else -1.
        programs: behind `function` and `update`.
        pace: native function of t, y, … that gives the longest step; none where nothing bounds it.
    """

    watches: tuple[Watch, ...] = ()
    function: Any = None
    timed: tuple[Event, ...] = ()
    update: Any = None
    final: frozenset[int] = frozenset()
    sticking: tuple[int, ...] = ()
    modes: tuple[int, ...] = ()
    programs: tuple[Program | None, Program | None] = (None, None)
    pace: Any = None

    @property
    def conditions(self) -> tuple[Watch, ...]:
        """Those of the watches that are conditions."""
        return self.watches[: len(self.watches) - len(self.timed)]

    def next_time(self, times: Array) -> float:
        """The next time after the first one at which something happens by the clock [s]."""
        ticks = [event.next_time(float(times[0])) for event in self.timed]
        return float(_snap(np.array([min(ticks, default=np.inf)]), times)[0])

    def table(self, times: Array) -> tuple[Array, float]:
        """Ticks within a run, as rows of a time and a mark per event at given times.

        Args:
            times: output times of the run, the first excluded; ticks within rounding of one are
                that one.

        Returns:
            The rows, and the time up to which they are all [s]: the end, or before it where there
            are more than MOST_TICKS.
        """
        start, end = float(times[0]), float(times[-1])
        rows = [event.times(start, end, MOST_TICKS) for event in self.timed]
        full = [float(row[-1]) for row in rows if len(row) == MOST_TICKS]
        marks = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
        ticks = _snap(np.concatenate([np.zeros(0), *rows]), times)
        order = np.argsort(ticks, kind="stable")
        ticks, marks = ticks[order], marks[order]
        reach = min([end, *full, *ticks[MOST_TICKS : MOST_TICKS + 1].tolist()])
        kept = ticks <= reach + _near(ticks)
        ticks, marks = ticks[kept], marks[kept]
        new = np.diff(ticks, prepend=-np.inf) > _near(ticks)
        table = np.zeros((int(new.sum()), 1 + len(self.timed)))
        table[:, 0] = ticks[new]
        table[np.cumsum(new) - 1, 1 + marks] = 1.0
        return table, reach

    def ticks(self, t: float) -> list[int]:
        """Numbers of the watches of the events that happen at t by the clock."""
        first = len(self.conditions)
        return [first + k for k, event in enumerate(self.timed) if event.happens_at(t)]


def _near(t: Array) -> Array:
    """Distance within which times are one [s]."""
    return 8 * np.spacing(np.abs(t))


def _snap(ticks: Array, times: Array) -> Array:
    """Times that are within rounding of an output time as that one."""
    place = np.clip(np.searchsorted(times, ticks), 1, len(times) - 1)
    low, high = times[place - 1], times[place]
    nearest = np.where(ticks - low < high - ticks, low, high)
    return np.where(np.abs(ticks - nearest) <= _near(ticks), nearest, ticks)


class WatchRow(NamedTuple):
    """One watch: its condition at the consistent state, none at given times; what it changes.

    Of two that change the same at one instant, that of the higher rank does: that added later.
    What settles, dry friction and stops, is repeated at every instant until nothing changes.
    The watches of a switch have the number of its mode in y.
    """

    watch: Watch
    node: Node | None
    event: Event
    then: Mapping[str, Node]
    rank: int = 0
    settles: bool = False
    mode: int = -1


def all_events(model: Mechanism, given: Events | None) -> dict[str, Event]:
    """The events of a model, those of its clocks included, and of a user, by name."""
    own = happenings(model)
    return {**own, **_events(given, own)}


def end_advice(model: Mechanism, ended: str) -> str:
    """What to do about a run that a force element ended; empty where none did."""
    for name in element_events(model):
        if ended.startswith(f"event '{name}'"):
            force = name.removesuffix("_end")
            return f"results are kept up to there, where the stroke of '{force}' is used up"
    return ""


def refuse_ended(dynamics: Dynamics, watched: Watched, t: float, y: Array) -> None:
    """Refuse a start at which a force element has ended already, such as a cylinder's stroke."""
    ends = element_events(dynamics.model)
    values = watching(dynamics, watched.function)
    if not ends or values is None:
        return
    for watch, left in zip(watched.conditions, values(t, y), strict=True):
        if watch.name in ends and left < 0:
            raise ModelError(
                f"it starts {-left:.4g} m beyond the end of its stroke",
                element=f"force '{watch.name.removesuffix('_end')}'",
                cure="start it within its stroke, or give it a longer one or another length",
            )


def watch_rows(
    dynamics: Dynamics, events: Mapping[str, Event]
) -> tuple[Sequence[WatchRow], Program | None, Program | None]:
    """The watches of events and of what the dynamics see to, conditions first; g(t, y), y⁺(t, y).

    Args:
        dynamics: that they happen in.
        events: those of the model and of a user.
    """
    made = [*_all_rows(dynamics, events), *_switches(dynamics), *_settling(dynamics)]
    forward, rows = _find_outputs(dynamics, _conditions_first(made))
    changing = any(row.then for row in rows)
    conditions = sum(row.node is not None for row in rows)
    watched = conditions_program(forward, rows) if conditions else None
    update = update_program(forward, rows) if changing or len(rows) > conditions else None
    return rows, watched, update


def effects(dynamics: Dynamics) -> tuple[Program, tuple[WatchRow, ...]]:
    """Forward dynamics, and the events of a model that change the state or end a run in its terms.

    Conditions come first; the equations of outputs that events use are in the dynamics.
    """
    own = _all_rows(dynamics, happenings(dynamics.model))
    rows = [*own, *_switches(dynamics), *_settling(dynamics)]
    kept = _conditions_first([row for row in rows if row.then or row.event.stops])
    forward, found = _find_outputs(dynamics, kept)
    return forward, tuple(found)


def _find_outputs(dynamics: Dynamics, rows: list[WatchRow]) -> tuple[Program, list[WatchRow]]:
    """Forward dynamics with the outputs that events use, and the events in its terms."""
    nodes = [node for row in rows for node in (row.node, *row.then.values()) if node is not None]
    forward, values = attach_used(dynamics.model, dynamics.forward, nodes)

    found = []
    for row in rows if values else ():
        *then, node = substitute(
            [*row.then.values(), ZERO if row.node is None else row.node], values
        )
        changed = dict(zip(row.then, then, strict=True))
        found.append(row._replace(node=None if row.node is None else node, then=changed))
    return forward, found or rows


def _all_rows(dynamics: Dynamics, events: Mapping[str, Event]) -> list[WatchRow]:
    """The watches of events, in order."""
    return [row for name, event in events.items() for row in _rows(dynamics, name, event)]


def _conditions_first(rows: list[WatchRow]) -> list[WatchRow]:
    """The watches in the order of their numbers, ranked by the order in which they were added."""
    ranked = [row._replace(rank=k) for k, row in enumerate(rows)]
    return sorted(ranked, key=lambda row: row.node is None)


def _switches(dynamics: Dynamics) -> list[WatchRow]:
    """The watches of switches: one that goes up, one that goes down through zero, of each."""
    forward = dynamics.forward
    if not forward.gives("switches"):
        return []
    found = forward.output("switches")
    inside = 0 if dynamics.model.equations is None else len(found.nodes)  # modes are states there
    own, first = len(dynamics.model.states) - inside, dynamics.own_size - inside
    names = dynamics.states[own : own + len(found.nodes)]
    return [
        WatchRow(Watch(name, way, True, label), node, Event(node, word),
                 {f"x_{name}": as_node(new)}, mode=first + k)
        for k, (name, label, node) in enumerate(zip(names, found.labels, found.nodes, strict=True))
        for way, word, new in ((1, "rising", 1), (-1, "falling", 0))
    ]  # fmt: skip


def _settling(dynamics: Dynamics) -> list[WatchRow]:
    """The watches of dry friction and stops: a joint breaks away or comes to rest, a gap closes.

    Each of them changes the modes of all by one pivot, and velocities that stop or jump.
    """
    forward = dynamics.forward
    if not forward.gives(SETTLING[-1]):
        return []
    modes, rest, slip = (forward.output(name) for name in SETTLING)
    then = {f"x_{name}": node for name, node in zip(modes.labels, modes.nodes, strict=True)}
    then |= {f"qd_{name}": node for name, node in zip(rest.labels, rest.nodes, strict=True)}
    return [
        WatchRow(Watch(name, 1, True), node, Event(node, "rising"), then, settles=True)
        for name, node in zip(slip.labels, slip.nodes, strict=True)
    ]


def _rows(dynamics: Dynamics, name: str, event: Event) -> Iterator[WatchRow]:
    """The watches of one event: one, or one per branch of all laws."""
    law = EventLaw(dynamics, f"event '{name}'")
    then = {law.target(key): law.node(new) for key, new in event.then.items()}
    way, ends = DIRECTIONS[event.direction], event.stops or bool(then)
    if event.when == LAWS:
        row = branches(dynamics.forward)
        for label, node in zip(row.labels, row.nodes, strict=True):
            watch = Watch(f"{name}: {label}", way, ends, law=name == LAWS)
            yield WatchRow(watch, node, event, then)
        return
    condition, relation = None, ""
    if not event.timed:
        node = law.condition(event.when)
        (condition,), relation = _consistently(dynamics.forward, [node]), text(node, LABEL)
    yield WatchRow(Watch(name, way, ends, relation), condition, event, then)


def branches(forward: Program) -> Output:
    """Conditions of the branches of laws, without those by which friction and contacts settle."""
    if forward.gives(SIDES):
        return forward.output(SIDES)
    moving = tuple(out for out in forward.outputs if out.name not in SETTLING)
    return crossings(dead(replace(forward, outputs=moving)))


def conditions_program(forward: Program, rows: Sequence[WatchRow]) -> Program:
    """The Program g(t, y, …) of all conditions."""
    nodes = tuple(row.node for row in rows if row.node is not None)
    labels = tuple(row.watch.name for row in rows)[: len(nodes)]
    out = Output("g", (len(nodes),), nodes, labels)
    program = replace(forward, name="events", inputs=state_inputs(forward), outputs=(out,))
    return condense(program)


def update_program(forward: Program, rows: Sequence[WatchRow]) -> Program:
    """The Program y⁺(t, y, fired, …)."""
    fired, out = changes(forward, rows)
    inputs = (*state_inputs(forward), fired)
    return condense(replace(forward, name="update", inputs=inputs, outputs=(out,)))


def changes(forward: Program, rows: Sequence[WatchRow]) -> tuple[Input, Output]:
    """A mark per watch, 1 where it happens, and the state y after those that do.

    Where two events change the same, that added later does.
    """
    fired = tuple(symbol(f"fired[{k}]", Rank.FORCE) for k in range(len(rows)))
    y = state_labels(forward)
    new = dict(zip(y, consistent_state(forward), strict=True))
    instants = {instant_symbol(key.removeprefix("x_")): key for key in y if key.startswith("x_")}
    for mark, key, law in _in_order(fired, rows, instants):
        now = {s: new[instants[s]] for s in symbols((law,)) if s in instants}
        (value,) = substitute(_consistently(forward, [law]), now)
        new[key] = select(mark, value, new[key])
    out = Output(STATE, (len(y),), tuple(new.values()), y)
    return Input("fired", (len(rows),), fired), out


def _in_order(
    fired: Sequence[Node], rows: Sequence[WatchRow], instants: Mapping[Node, str]
) -> Iterator[tuple[Node, str, Node]]:
    """Mark, name and law of all changes; those that read a value of the instant come after it."""
    ranked = sorted(zip(fired, rows, strict=True), key=lambda pair: pair[1].rank)
    waiting = [(mark, key, law) for mark, row in ranked for key, law in row.then.items()]
    reads = [{instants[s] for s in symbols((law,)) if s in instants} for _, _, law in waiting]
    left = list(range(len(waiting)))
    while left:
        changed = {waiting[k][1] for k in left}
        ready = next(k for k in left if not reads[k] & changed)  # the model has no cycles
        left.remove(ready)
        yield waiting[ready]


def _consistently(forward: Program, nodes: list[Node]) -> tuple[Node, ...]:
    """Expressions of the state as those of the consistent state."""
    y = [s for row in state_parts(forward) for s in row.symbols]
    return tuple(substitute(nodes, dict(zip(y, consistent_state(forward), strict=True))))


def watching(dynamics: Dynamics, function: Any) -> Callable[[float, Array], Array] | None:
    """(t, y) -> values of all events; none without a function."""
    if function is None:
        return None

    def values(t: float, y: Array) -> Array:
        return dynamics.call(function, t, y)["g"]

    return values


def _events(given: Events | None, taken: Mapping[str, Event]) -> dict[str, Event]:
    """The events of a user by name, none of which the model has."""
    rows = ({LAWS: LAWS} if given == LAWS else _mapping(given)).items()
    for name in taken.keys() & dict(rows).keys():
        raise ModelError(
            "the model has an event of this name",
            element=f"event '{name}'",
            cure="give it another name",
        )
    return {name: row if isinstance(row, Event) else _event(name, row) for name, row in rows}


def _event(name: str, when: Any) -> Event:
    """An event that is only recorded."""
    if not isinstance(when, str | Node) and not callable(when):
        raise ModelError(
            f"'{name}' is {show(when)}",
            element="events",
            cure="give an Event, an expression or a function of t, q, qd, x",
        )
    return Event(when)


def _mapping(given: Events | None) -> Mapping[str, Any]:
    if isinstance(given, str):
        raise ModelError(
            f"'{given}' has no name",
            element="events",
            cure=f'write {{"low": "{given}"}}, or "{LAWS}" for the branches of laws',
        )
    return given or {}


__all__ = [
    "DIRECTIONS", "LAWS", "Event", "Events", "WatchRow", "Watched", "all_events", "changes",
    "effects", "refuse_ended", "watch_rows", "watching",
]  # fmt: skip
