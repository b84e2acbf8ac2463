"""What events change: the state after an event, found by repeating until nothing more happens.

At an event the changes of all events that happen there are made at once, from the state before; the
loops are closed again; conditions that passed zero by it are events of the same instant and make
their changes next, and so on until the state settles.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from kinetree.analysis.runs.dynamics import Dynamics
from kinetree.analysis.runs.events import Watched
from kinetree.analysis.runs.rivals import name_rivals
from kinetree.arrays import Array
from kinetree.integrate.crossings import crosses
from kinetree.integrate.loops.changes import CROWD, PIVOTS, ROUNDS, SAME
from kinetree.integrate.problem import Hit, Watch

AT_ONCE = 1e-13
"""Times that differ by less than this part of them are one."""
AHEAD = 1e-8
"""How far after an event a condition on zero is looked at, in shares of the time."""
INSTANT, ROUNDINGS = 1e-9, 1000
"""Events chatter where a crowd of them happens within this part of the run, of its first second
where it is longer, and that many roundings of the time."""


@dataclass(frozen=True)
class Settled:
    """The state after the events of one instant.

    Attributes:
        y: after them.
        hits: the events, each with the state before it.
        trouble: why it did not settle; empty where it did.
    """

    y: Array
    hits: tuple[Hit, ...]
    trouble: str = ""


def settle(system: Dynamics, events: Watched, t: float, y: Array, fired: Sequence[int]) -> Settled:
    """The state after the events `fired`, numbers of watches, at the time t [s]."""
    hits: list[Hit] = []
    y = system.project(t, y)
    for _ in range(ROUNDS):
        hits += [Hit(k, t, y) for k in fired]
        new, trouble = _change(system, events, t, y, fired)
        if not np.isfinite(new).all():
            names = _names(events.watches, fired)
            why = f": {trouble}" if trouble else ""
            return Settled(y, tuple(hits), f"the state after {names} has no value{why}")
        fired = _crossings(system, events, t, y, new) or _late(system, events, t, new)
        fired = [k for k in fired if not _turned(events, k, y, new)]
        y = new
        if not fired:
            return Settled(y, tuple(hits))
    names = _names(events.watches, [hit.watch for hit in hits[-ROUNDS:]])
    many = names.startswith("events")
    told = "undo each other and never settle" if many else "undoes itself and never settles"
    return Settled(y, tuple(hits), f"{names} {told}")


def _turned(events: Watched, number: int, y: Array, new: Array) -> bool:
    """Whether a watch is that of a switch that has changed: it does not change back at once.

    Where both branches meet, rounding may put its condition on the side that it left; where it is
    there for good, it passes zero again in the next step.
    """
    mode = events.modes[number] if number < len(events.modes) else -1
    return mode >= 0 and bool(y[mode] != new[mode])


def _change(
    system: Dynamics, events: Watched, t: float, y: Array, fired: Sequence[int]
) -> tuple[Array, str]:
    """The consistent state after some events, dry friction settled; what is wrong with it."""
    if events.update is None:
        return y, ""
    new = update_once(system, events, t, y, fired)
    if not np.isfinite(new).all():
        return new, name_rivals(system, t, _state_after(system, events, t, y, fired))
    return settle_friction(system, events, t, new)


def update_once(
    system: Dynamics, events: Watched, t: float, y: Array, fired: Sequence[int]
) -> Array:
    """The consistent state after one update."""
    return system.project(t, _state_after(system, events, t, y, fired))


def _state_after(
    system: Dynamics, events: Watched, t: float, y: Array, fired: Sequence[int]
) -> Array:
    """The state after one update, whatever the loops say."""
    marks = np.zeros(len(events.watches))
    marks[list(fired)] = 1.0
    found: Array = system.call(events.update, t, y, fired=marks)["y"]
    return found


def settle_friction(system: Dynamics, events: Watched, t: float, y: Array) -> tuple[Array, str]:
    """The state with the modes of dry friction as they must be: one pivot after the other.

    The number of pivots is finite; where rounding or a state without value keeps them from ending,
    the state has no value.

    Returns:
        The state, and what is wrong where it has no value.
    """
    for _ in range(PIVOTS if events.sticking else 0):
        new = update_once(system, events, t, y, events.sticking)
        if not np.isfinite(new).all():
            return new, name_rivals(system, t, y)
        if (np.abs(new - y) <= SAME * (1 + np.abs(y))).all():
            return new, ""
        y = new
    return (np.full_like(y, np.nan), "its modes never settle") if events.sticking else (y, "")


def _late(
    system: Dynamics, events: Watched, t: float, y: Array, *, everywhere: bool = False
) -> list[int]:
    """Watches of switches whose mode is not that of the side to which their condition goes.

    Args:
        system: what moves.
        events: what may happen.
        t: time [s].
        y: state.
        everywhere: whether conditions beside zero count, too, as they do at the start.
    """
    if not any(mode >= 0 for mode in events.modes):
        return []
    step = AHEAD * max(abs(t), 1.0)
    later = (t + step, y + step * system.rates(t, y))
    g, h = (system.call(events.function, *place)["g"] for place in ((t, y), later))
    side = np.where(g == 0, h, g if everywhere else 0.0)
    return [
        k
        for k, (watch, mode) in enumerate(zip(events.conditions, events.modes, strict=True))
        if mode >= 0 and side[k] * watch.direction > 0 and (y[mode] > 0.5) != (side[k] > 0)
    ]


def settle_switches(system: Dynamics, events: Watched, t: float, y: Array) -> Array:
    """The start of a run with the modes of switches on the sides of their conditions."""
    for _ in range(ROUNDS):
        late = _late(system, events, t, y, everywhere=True)
        if not late:
            break
        y = update_once(system, events, t, y, late)
    return y


def _crossings(system: Dynamics, events: Watched, t: float, y: Array, new: Array) -> list[int]:
    """Numbers of the conditions that pass zero from one state to another in their direction."""
    if events.function is None:
        return []
    g, h = (system.call(events.function, t, at)["g"] for at in (y, new))
    return [
        k
        for k, watch in enumerate(events.conditions)
        if (g[k] <= 0 < h[k] and watch.direction >= 0)
        or (g[k] >= 0 > h[k] and watch.direction <= 0)
    ]


def simultaneous(
    system: Dynamics, events: Watched, t: float, y: Array, known: Container[int]
) -> list[int]:
    """Conditions that pass zero at t within rounding of the time, beside those that are known."""
    if events.function is None:
        return []
    step = AT_ONCE * max(abs(t), 1.0)
    before = y - step * system.rates(t, y)
    g, h = (system.call(events.function, *at)["g"] for at in ((t - step, before), (t, y)))
    return [
        k
        for k, watch in enumerate(events.conditions)
        if k not in known and crosses(g[k], h[k], watch.direction)
    ]


def sides(system: Dynamics, events: Watched, t: float, before: Array, after: Array) -> Array | None:
    """Side of zero on which conditions are that reached it at t and were not changed.

    It is the one they were going to: a condition that comes back from zero passes it again.
    """
    if events.function is None:
        return None
    step = AT_ONCE * max(abs(t), 1.0)
    came = before - step * system.rates(t, before)
    places = ((t - step, came), (t, before), (t, after))
    g, reached, left = (system.call(events.function, *place)["g"] for place in places)
    found = np.where((reached == 0) & (left == 0), -np.sign(g), 0.0)
    said = known_sides(events, after)
    return np.where(said != 0, said, found)


def known_sides(events: Watched, y: Array) -> Array:
    """Side of zero on which the modes of switches say that their conditions are; 0 of others."""
    modes = np.array(events.modes, dtype=int)
    return np.where(modes < 0, 0.0, np.where(y[modes] > 0.5, 1.0, -1.0))


def _names(watches: Sequence[Watch], numbers: Iterable[int]) -> str:
    """The events by name, in words."""
    names = _spell(watches[k] for k in numbers)
    return f"event {names[0]}" if len(names) == 1 else f"events {', '.join(names)}"


def _spell(watches: Iterable[Watch]) -> list[str]:
    """Names of events with their relations, each once."""
    return list(dict.fromkeys(
        f"'{row.name}'" + (f" ({row.relation})" if row.relation else "") for row in watches
    ))  # fmt: skip


def _tally(times: Sequence[float], watches: Iterable[Watch]) -> str:
    """How often what happened, from when to when, and what keeps it from that."""
    listed = ", ".join(_spell(watches))
    span = f"within {times[-1] - times[0]:.2g} s from t = {times[0]:.9g} s on"
    return f"events happen {CROWD} times {span}: {listed}; put a band between their conditions"


@dataclass
class Crowd:
    """The last events of a run, to tell chattering.

    Attributes:
        instant: they chatter where CROWD of them happen within this time [s].
        last: number of a watch -> time of its last event [s].
        times: of the last instants with events [s].
        watches: of the last events.
    """

    instant: float
    last: dict[int, float] = field(default_factory=dict)
    times: deque[float] = field(default_factory=lambda: deque(maxlen=CROWD))
    watches: deque[Watch] = field(default_factory=lambda: deque(maxlen=CROWD))

    @classmethod
    def within(cls, times: Array) -> Crowd:
        """For a run over these times [s]."""
        length, rounding = float(times[-1] - times[0]), float(np.spacing(np.abs(times).max()))
        return cls(INSTANT * min(length, 1.0) + ROUNDINGS * rounding)

    def add(self, hits: Sequence[Hit], watches: Sequence[Watch]) -> str:
        """Note the events of one instant; what is wrong, where they follow too fast."""
        t = hits[0].t
        self.last |= dict.fromkeys((hit.watch for hit in hits), t)
        self.times.append(t)
        self.watches.extend(watches[hit.watch] for hit in hits)
        if len(self.times) < CROWD or t - self.times[0] > self.instant:
            return ""
        return _tally(self.times, self.watches)

    @staticmethod
    def sentence(hits: Sequence[Hit], watches: Sequence[Watch]) -> str:
        """What is wrong with events that follow too fast."""
        times = sorted({hit.t for hit in hits})[-CROWD:]
        return _tally(times, [watches[hit.watch] for hit in hits if hit.t >= times[0]])

    def just_before(self, t: float) -> set[int]:
        """Watches whose event was at t already, within rounding."""
        return {k for k, time in self.last.items() if time >= t - AT_ONCE * max(abs(t), 1.0)}
