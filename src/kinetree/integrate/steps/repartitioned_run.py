"""One run, with other independent coordinates where those in use become a bad choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arrays import Array
from kinetree.integrate.loops.equal_steps import March, Start
from kinetree.integrate.steps.slices import CHOICE, drive

if TYPE_CHECKING:
    from kinetree.integrate.steps.slices import Progress
    from kinetree.integrate.steps.stepper import Stepper


@dataclass(frozen=True)
class Ended:
    """How a run ended.

    Attributes:
        stepper: the one in use at the end.
        march: the last march.
        reason: "end", "newton" or "interrupted".
        states: kept states, (rows, components).
        iterations: of all steps together.
        most: iterations of one step.
        marches: how many there were.
    """

    stepper: Stepper
    march: March
    reason: str
    states: Array
    iterations: float
    most: int
    marches: int


class _Look:
    """Answers whether a march should change its independent coordinates."""

    def __init__(
        self, stepper: Stepper, march: March, start: Start, given: Mapping[str, Any]
    ) -> None:
        self.march, self.start, self.given = march, start, given
        self.watch = None if stepper.fixed else stepper.watch
        self.size = stepper.state["q"]

    def _at(self) -> tuple[Array, float]:
        t = self.start.t0 + self.march.step * self.start.h
        return self.march.last[: self.size, 0], t

    def bad(self) -> bool:
        """Whether the choice is bad and there is a better one."""
        return self.watch is not None and self.watch.bad(*self._at(), self.given)

    def better(self) -> bool:
        """Whether there is another choice."""
        return self.watch is not None and self.watch.better(*self._at(), self.given)


def relay(
    first: Stepper, start: Start, given: Mapping[str, Any], progress: Progress | None
) -> Ended:
    """March to the end; where the independent coordinates fail, continue with others.

    Args:
        first: the stepper to begin with.
        start: of the march.
        given: values of parameters by name.
        progress: called after every slice.
    """
    stepper, counts = first, np.zeros((0, 2))
    kept: list[Array] = []
    while True:
        march = March(stepper.function, stepper.size, start)
        look = _Look(stepper, march, start, given)
        reason = drive(march, start.steps, progress, look.bad if look.watch is not None else None)
        states: Array = march.states[min(len(kept), 1) : march.rows]
        kept.append(states[:, :, 0])
        counts = np.vstack([counts, march.counts[:, 0]])
        stuck = march.step == start.done and len(kept) > 1
        again = reason == CHOICE or (reason == "newton" and not stuck and look.better())
        if not again:
            break
        assert look.watch is not None
        stepper = first.chosen(look.watch.found)
        x = start.x.copy()
        x[: stepper.size] = march.last
        start = replace(start, x=x, done=march.step)
    total, most = float(counts[:, 0].sum()), int(counts[:, 1].max())
    return Ended(stepper, march, reason, np.concatenate(kept), total, most, len(kept))


__all__ = ["Ended", "relay"]
