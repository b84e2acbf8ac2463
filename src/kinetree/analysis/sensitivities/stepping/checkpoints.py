"""Which states are kept where not all can be: binomial checkpoints.

With s states kept, steps made at most r times reach back over

    β(s, r) = (s + r)! / (s! r!)                                                      Eq. (S12)

steps, and no other way needs fewer.  A stretch is divided so that the part before the new state may
be made r - 1 times more with all of them, the part behind it r times with one less; the part before
is taken as long as it can be, so that the first sweep of all is the run itself.

Refs: Griewank2008 ch. 12
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import comb

import numpy as np

from kinetree.arrays import Integers
from kinetree.integrate.loops.backward_steps import ADVANCE, BACK, COLUMNS
from kinetree.targets.native.lanes.packing import LANES

MarchAction = tuple[int, int, int, int, int]


@dataclass
class BackPlan:
    """How steps are gone back over.

    Attributes:
        positions: numbers of the states that are kept on the first sweep, in their slots.
        actions: what is done then, see `backward_steps`.
        slots: places for states that it needs.
    """

    positions: list[int]
    actions: list[MarchAction] = field(default_factory=list)
    slots: int = 0

    @property
    def table(self) -> Integers:
        """The actions as rows of integers."""
        return np.array(self.actions, dtype=np.int64).reshape(-1, COLUMNS)


def keep_all(steps: int) -> BackPlan:
    """Every state is kept."""
    blocks = [(k, min(LANES, steps - k)) for k in reversed(range(0, steps, LANES))]
    actions = [(BACK, k, 0, k, count) for k, count in blocks]
    return BackPlan([*range(steps)], actions, steps)


def checkpoints(steps: int, kept: int) -> BackPlan:
    """At most that many states are kept, beside the one in hand.

    Args:
        steps: of the run.
        kept: states, two or more.
    """
    if steps <= kept:
        return keep_all(steps)
    made = BackPlan([0], slots=kept + 1)
    first, free, repeats = 0, kept, _repeats(steps, kept)
    stretches = []
    while first < steps - 1:  # the first sweep, which the run itself makes
        ahead = min(_reach(free, repeats - 1), steps - 1 - first) if free > 1 else 0
        if not ahead:
            break
        stretches.append((first, first + ahead, len(made.positions) - 1))
        first, free = first + ahead, free - 1
        made.positions.append(first)
    _reverse(made, (first, steps), len(made.positions) - 1, kept)
    for begin, end, slot in reversed(stretches):
        _reverse(made, (begin, end), slot, kept)
    return made


def _reverse(made: BackPlan, span: tuple[int, int], slot: int, kept: int) -> None:
    """Go back over steps whose first state stands in a slot; later slots are free."""
    work = [(span, slot)]
    while work:
        (first, end), slot = work.pop()
        free = kept - slot
        if end - first == 1:
            made.actions.append((BACK, slot, 0, first, 1))
        elif free == 1:
            for k in reversed(range(first, end)):
                at = slot if k == first else kept
                if k > first:
                    made.actions.append((ADVANCE, slot, at, first, k - first))
                made.actions.append((BACK, at, 0, k, 1))
        else:
            middle = first + _ahead(end - first, free)
            made.actions.append((ADVANCE, slot, slot + 1, first, middle - first))
            work += [((first, middle), slot), ((middle, end), slot + 1)]


def _reach(kept: int, repeats: int) -> int:
    """β(s, r), Eq. (S12)."""
    return comb(kept + repeats, kept)


def _repeats(steps: int, kept: int) -> int:
    """r: how often a step must be made at most."""
    found = 0
    while _reach(kept, found) < steps:
        found += 1
    return found


def _ahead(steps: int, kept: int) -> int:
    """How far ahead the next state is kept."""
    return min(_reach(kept, _repeats(steps, kept) - 1), steps - 1)
