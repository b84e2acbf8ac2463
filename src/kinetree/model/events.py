"""Events: what may happen in a run, as data.

An event happens where a condition passes zero, or at given times.  It is recorded; it may end the
run, and it may change the state: coordinates, velocities, user states and modes, which are states
that change nowhere else.

A clock lets sampled values be found at its ticks and held in between.  The law of one may read
others.  At a tick

| written | is |
|---|---|
| x_NAME | the value of this instant: of its own clock, or of one that divides |
| previous(x_NAME) | the value before this instant: that of the tick before |
| hold(x_NAME) | the same, of any clock |

and coordinates, velocities and other states as they are right before the tick.  Clocks divide where
one period is a whole multiple of the other and all ticks of the slower are ticks of the faster one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arguments import check_arguments, check_choice, check_positive, is_row, show
from kinetree.arrays import Array
from kinetree.door import guard_methods
from kinetree.engine import (
    HOLD,
    PREVIOUS,
    Node,
    Rank,
    compounds,
    substitute,
    symbol,
    symbols,
)
from kinetree.errors import ModelError, UnsupportedError
from kinetree.model.forces import FORCES, State
from kinetree.model.laws import state_symbol

if TYPE_CHECKING:
    from kinetree.model.mechanism import Mechanism

DIRECTIONS = {"both": 0, "rising": 1, "falling": -1}
TOLD_APART = 1e-3
"""Share of a period that numbers must resolve at the first tick."""
WHOLE = 1e-9
"""Largest distance of a ratio of times from a whole number that is rounding."""


@guard_methods
@dataclass(frozen=True)
class Event:
    """Something that happens where g(t, q, qd, x) passes zero, or at given times.

    Attributes:
        when: g as an expression such as "q_knee - 0.5", or a function of any of t, q, qd, x, the
            last three mappings by name: lambda q, qd: q["knee"] - 0.5.  The word "laws" stands for
            all places where a law of the model changes its branch (select, minimum, contacts).
        direction: "rising", "falling" or "both" ways through zero.
        stops: whether the run ends there; else it goes on.
        then: what the event changes: q_NAME, qd_NAME or x_NAME -> its new value, an expression or
            function like `when`, of the state before the event; all changes happen at once.
        every: period of an event that happens again and again [s]; in place of `when`.
        offset: first time of such an event [s].
        at: times at which it happens [s]; in place of `when` and `every`.
    """

    when: str | Node | Callable[..., Any] | None = None
    direction: str = "both"
    stops: bool = False
    then: Mapping[str, Any] = field(default_factory=dict)
    every: float | None = None
    offset: float = 0.0
    at: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        check_arguments(type(self), vars(self))
        check_choice("direction", self.direction, DIRECTIONS)
        given = [self.when is not None, self.every is not None, bool(np.size(self.at))]
        if sum(given) != 1:
            raise ModelError(
                "it is not said when it happens" if not any(given) else "it is said twice when",
                element="event",
                cure="give one of when=, every= and at=",
            )
        if self.offset and self.every is None:
            raise ModelError(
                "offset is the first time of an event that comes again",
                element="event",
                cure="give every=, or leave offset= out",
            )
        if self.every is not None:
            check_positive("a positive time in seconds", every=self.every)
            check_ticks(self.every, self.offset, "event")
        if not is_row(self.at) or not np.isfinite(np.asarray(self.at, dtype=float)).all():
            raise ModelError(f"at is {show(self.at)}", element="event", cure="give times [s]")
        object.__setattr__(self, "at", tuple(sorted({float(t) for t in self.at})))

    @property
    def timed(self) -> bool:
        """Whether it happens at given times."""
        return self.when is None

    def next_time(self, t: float) -> float:
        """The first time after t at which a timed event happens [s]; infinite where there is none.

        A tick that is within rounding of t is t itself and lies behind.
        """
        near = t + 4 * np.spacing(max(abs(t), 1e-300))
        if self.every is None:
            return min((time for time in self.at if time > near), default=np.inf)
        count = max(0.0, np.floor((near - self.offset) / self.every) + 1.0)
        found = self.offset + count * self.every
        return float(found if found > near else self.offset + (count + 1.0) * self.every)

    def times(self, t0: float, end: float, most: int) -> Array:
        """The first times after t0 and up to `end` at which it happens [s]."""
        first = self.next_time(t0)
        if self.every is None:
            return np.array([t for t in self.at if first <= t <= end][:most], dtype=float)
        count = np.round((first - self.offset) / self.every) + np.arange(most)
        found: Array = self.offset + count * self.every
        return np.asarray(found[found <= end])

    def happens_at(self, t: float) -> bool:
        """Whether a timed event happens at t, within rounding."""
        before = t - 8 * np.spacing(max(abs(t), 1e-300))
        return bool(self.next_time(before) <= t + 4 * np.spacing(max(abs(t), 1e-300)))


def check_ticks(every: float, offset: float, element: str) -> None:
    """Refuse ticks that numbers do not tell apart beside the time of the first one."""
    if offset + every * TOLD_APART == offset:
        raise ModelError(
            f"ticks every {every:g} s are not told apart beside the first at {offset:g} s",
            element=element,
            cure="let it begin sooner, or give a longer period",
        )


def happenings(model: Mechanism) -> dict[str, Event]:
    """The events of a model by name, those of its clocks and force elements included."""
    return {**model.events, **clock_events(model), **element_events(model)}


def element_events(model: Mechanism) -> dict[str, Event]:
    """Events by which force elements end a run: NAME_end, where an output falls below zero."""
    rows = ((force.name, FORCES[force.kind].belongings.lasts) for force in model.forces.values())
    return {
        f"{name}_end": Event(symbol(f"{name}.{output}", Rank.FORCE), "falling", stops=True)
        for name, output in rows
        if output
    }


def memories(model: Mechanism) -> list[str]:
    """Names of the states that change at accepted steps."""
    return [row.name for row in model.states.values() if row.remembered is not None]


def refuse_happenings(model: Mechanism, element: str, cure: str) -> None:
    """Refuse events and memories where nothing can happen."""
    refuse_events(happenings(model), element, cure)
    refuse_memories(model, element, cure)


def refuse_memories(model: Mechanism, element: str, cure: str) -> None:
    """Refuse memories where nothing lets them change."""
    for name in memories(model):
        raise UnsupportedError(
            f"the memory '{name}' of the model cannot change there", element=element, cure=cure
        )


def refuse_events(events: Mapping[str, Event], element: str, cure: str) -> None:
    """Refuse events where nothing can happen."""
    if events:
        names = ", ".join(f"'{name}'" for name in events)
        raise UnsupportedError(f"the events {names} of the model cannot happen there",
                               element=element, cure=cure)  # fmt: skip


@dataclass(frozen=True)
class Clock:
    """A clock.

    Attributes:
        name: unique among clocks and events.
        every: period [s].
        offset: time of the first tick [s].
        of: name of the clock that it is made of; empty where it is one by itself.
        ratio: every so many ticks of that one it ticks.
        shift: after so many ticks of that one it begins.
    """

    name: str
    every: float
    offset: float = 0.0
    of: str = ""
    ratio: int = 1
    shift: int = 0

    def data(self) -> dict[str, Any]:
        """As in a file, without its name; what is at its default is left out."""
        own = {"of": self.of, "ratio": self.ratio} if self.of else {"every": self.every}
        first = self.shift if self.of else self.offset
        return own | ({"offset": first} if first else {})


def instant_symbol(name: str) -> Node:
    """The value of a sampled value at the instant itself, in what a clock changes."""
    return symbol(f"x_{name} now", Rank.COORDINATE)


def divide(a: Clock, b: Clock) -> bool:
    """Whether all ticks of the slower clock are ticks of the faster one, once both have begun."""
    slow, fast = (a, b) if a.every >= b.every else (b, a)
    return all(
        abs(time / fast.every - round(time / fast.every)) <= WHOLE * max(1.0, time / fast.every)
        for time in (slow.every, abs(slow.offset - fast.offset))
    )


def check_sampled(model: Mechanism, name: str, law: Node) -> None:
    """Refuse the law of a sampled value that reads what it cannot at a tick."""
    element = f"state '{name}' sampled"
    by_symbol = {state_symbol(row.name): row for row in model.states.values() if row.clock}
    for node in compounds((law,)):
        if node.op in (PREVIOUS, HOLD) and node.args[0] not in by_symbol:
            raise ModelError(
                f"{node.op.name} is asked of what is not a sampled value",
                element=element,
                cure="sample that by itself, and ask it of the result",
            )
    own = model.clocks[model.states[name].clock]
    for other in _read_now(law, by_symbol):
        clock = model.clocks[other.clock]
        if not divide(own, clock):
            raise ModelError(
                f"it reads '{other.name}', but its clock '{own.name}' ({own.every:g} s from "
                f"{own.offset:g} s on) and '{clock.name}' ({clock.every:g} s from "
                f"{clock.offset:g} s on) do not divide",
                element=element,
                cure=f"make one period a whole multiple of the other, or read hold(x_{other.name})",
            )
    _refuse_cycle(model, by_symbol, name, law)


def _read_now(law: Node | None, by_symbol: Mapping[Node, State]) -> list[State]:
    """The sampled values that a law reads at the instant itself."""
    if law is None:
        return []
    (plain,) = substitute([law], _before(law))
    return [by_symbol[s] for s in symbols((plain,)) if s in by_symbol]


def _before(law: Node) -> dict[Node, Node]:
    """previous(x) and hold(x) in a law -> a symbol for the value before the instant."""
    return {
        node: symbol(f"{node.args[0].name} before", Rank.COORDINATE)
        for node in compounds((law,))
        if node.op in (PREVIOUS, HOLD)
    }


def _refuse_cycle(model: Mechanism, by_symbol: Mapping[Node, State], name: str, law: Node) -> None:
    """Refuse values that need each other at one instant."""
    laws = {row.name: row.sampled for row in by_symbol.values()} | {name: law}
    waiting, seen = [row.name for row in _read_now(law, by_symbol)], set[str]()
    while waiting:
        one = waiting.pop()
        if one == name:
            raise ModelError(
                f"it needs its own value at the tick{_through(seen, model)}",
                element=f"state '{name}' sampled",
                cure=f"read previous(x_{name}), the value of the tick before",
            )
        if one not in seen:
            seen.add(one)
            waiting += [row.name for row in _read_now(laws[one], by_symbol)]


def _through(seen: set[str], model: Mechanism) -> str:
    """By which other values, in words."""
    names = [f"'{name}'" for name in model.states if name in seen]
    return f", by {', '.join(names)}" if names else ""


def clock_events(model: Mechanism) -> dict[str, Event]:
    """What happens at the ticks of the clocks: their sampled values are found anew."""
    found = {}
    for clock in model.clocks.values():
        rows = [row for row in model.states.values() if row.clock == clock.name]
        then = {f"x_{row.name}": _at_tick(model, _law(row)) for row in rows}
        if then:
            found[clock.name] = Event(every=clock.every, offset=clock.offset, then=then)
    return found


def _law(row: State) -> Node:
    """What a sampled value is found from."""
    if row.sampled is None:
        raise ModelError(
            "it has no law",
            element=f"state '{row.name}' sampled",
            cure=f"give it by model.sample_law('{row.name}', …)",
        )
    return row.sampled


def _at_tick(model: Mechanism, law: Node) -> Node:
    """A law with the symbols of the instant for sampled values, and plain ones for those before."""
    before = _before(law)
    (plain,) = substitute([law], before)
    rows = [row.name for row in model.states.values() if row.clock]
    (plain,) = substitute([plain], {state_symbol(name): instant_symbol(name) for name in rows})
    return substitute([plain], {own: node.args[0] for node, own in before.items()})[0]


def own_states(model: Mechanism) -> list[State]:
    """The states that are the user's; of memories that forces bring, those that begin elsewhere."""
    rows, forces = model.states.values(), model.forces.values()
    laws = [(FORCES[force.kind].belongings.memories, force.name) for force in forces]
    brought = {key for law, name in laws if law is not None for key in law(name)}
    kept = [row for row in rows if not row.owner and (row.name not in brought or row.initial)]
    return [replace(row, remembered=None) if row.name in brought else row for row in kept]
