"""The time of an event."""

from __future__ import annotations

from dataclasses import dataclass

from kinetree.arguments import check_arguments
from kinetree.measures.measure import Gathered, Sighting
from kinetree.measures.of_event import OfEvent


@dataclass(frozen=True)
class EventTime(OfEvent):
    """The time at which an event happens [s]."""

    def gather(self, seen: Sighting) -> Gathered:
        """V = t of the event, which the run has found."""
        return Gathered(seen.end)


def event_time(event: str, number: int = 0) -> EventTime:
    """The time of an event of a run [s].

    Args:
        event: its name, in the model or in `events`.
        number: which one, where it happens several times, from 0 on; -1 is the last.
    """
    check_arguments(event_time, locals())
    return EventTime("t", event, number)
