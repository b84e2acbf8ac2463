"""What measures that are taken at an event share."""

from __future__ import annotations

from dataclasses import dataclass

from kinetree.arrays import Array
from kinetree.measures.measure import NONE, Measure


@dataclass(frozen=True)
class OfEvent(Measure):
    """Taken where an event happens, which the run tells, and how its time moves.

    Attributes:
        event: its name.
        number: which one of several.
    """

    event: str = ""
    number: int = 0

    def times(self, end: float) -> Array:
        """None that is known before the run."""
        del end
        return NONE
