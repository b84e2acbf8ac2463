"""Events: what may happen in a run, as data.

An event happens where a condition passes zero, or at given times.  It is recorded; it may end the
run, and it may change the state: coordinates, velocities, user states and modes, which are states
that change nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kinetree.arguments import check_arguments, check_choice, check_positive, is_row, show
from kinetree.arrays import Array
from kinetree.engine import Node
from kinetree.errors import ModelError, UnsupportedError

DIRECTIONS = {"both": 0, "rising": 1, "falling": -1}


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


def refuse_events(events: Mapping[str, Event], element: str, cure: str) -> None:
    """Refuse events where nothing can happen."""
    if events:
        names = ", ".join(f"'{name}'" for name in events)
        raise UnsupportedError(f"the events {names} of the model cannot happen there",
                               element=element, cure=cure)  # fmt: skip


__all__ = ["DIRECTIONS", "Event", "refuse_events"]
