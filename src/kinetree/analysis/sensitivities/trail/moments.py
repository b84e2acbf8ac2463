"""Which moments of a run are kept where nobody knows how many steps it will have.

Every step offers the moment before it.  While there is room it is kept, with level 0.  Where there
is none, a moment goes that stands before one of a higher level; where there is none of these, the
new one takes the place of the last, one level higher.  With s moments beside the start, steps are
made at most r times, the run included, where they are not more than

    β(s, r) = (s + r)! / (s! r!)                                                      Eq. (S12)

so that r is the least that is possible.  On the way back moments become free behind the
one that is asked for, and steps that are made again offer theirs.

Refs: Wang2009
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from kinetree.arrays import Array

StepNumber = tuple[int, int]
"""A moment by the number of its stretch and of the steps made there."""


class Moment(NamedTuple):
    """A moment that is kept: its level, and all that the steps behind it depend on."""

    level: int
    state: Array


class Moments:
    """At most so many moments of a run, beside its start."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._rows: dict[StepNumber, Moment] = {}  # in order of time
        self._idle: list[StepNumber] = []  # those before one of a higher level, the last one last

    def offer(self, place: StepNumber, state: Callable[[], Array]) -> None:
        """Perhaps keep a moment, which lies behind all that are kept."""
        level = 0
        if len(self._rows) >= self.most:
            if self._idle:
                del self._rows[self._idle.pop()]
            else:
                level = self._rows.popitem()[1].level + 1
        self._rows[place] = Moment(level, state())
        if level:
            self._note_idle()

    def before(self, place: StepNumber) -> tuple[StepNumber, Array] | None:
        """The last moment at a place or before it; those behind the place go."""
        while self._rows:
            last = next(reversed(self._rows))
            if last <= place:
                self._note_idle()
                return last, self._rows[last].state
            del self._rows[last]
        self._idle.clear()
        return None

    def _note_idle(self) -> None:
        """Find those that stand before one of a higher level."""
        self._idle.clear()
        highest = -1
        for place, row in reversed(self._rows.items()):
            if row.level < highest:
                self._idle.append(place)
            highest = max(highest, row.level)
        self._idle.reverse()
