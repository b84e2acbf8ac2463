"""The value of an expression at an event."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinetree.arguments import check_arguments
from kinetree.measures.measure import Expression, Gathered, Sighting
from kinetree.measures.of_event import OfEvent


@dataclass(frozen=True)
class AtEvent(OfEvent):
    """e(t, y⁻) where an event happens: before it changes anything."""

    def gather(self, seen: Sighting) -> Gathered:
        """V = e there."""
        return Gathered(float(seen.samples[0]), np.ones(1))


def at_event(of: Expression, event: str, number: int = 0) -> AtEvent:
    """The value of an expression at an event of a run, just before what it changes.

    Args:
        of: as of `final`.
        event: its name, in the model or in `events`.
        number: which one, where it happens several times, from 0 on; -1 is the last.
    """
    check_arguments(at_event, locals())
    return AtEvent(of, event, number)
