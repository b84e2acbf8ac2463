"""What comes out of a run of a fixed-step method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from kinetree.arrays import Array
from kinetree.integrate.steps.failure import Failure


@dataclass(frozen=True)
class Report:
    """How a run ended.

    Attributes:
        end: "finished", "not solved" (the equations of a step could not be) or "interrupted".
        t: time reached [s].
        steps: steps made.
        wall: duration [s].
        residual: where it did not converge: largest residual, as a multiple of what is allowed.
        worst: what it belongs to: a velocity, a user state, a closure, a law without value.
        message: one sentence.
        iterations: of Newton's method per step, mean; NaN where nothing is solved.
        most: the most iterations that a step took.
        partitions: choices of independent coordinates that were used, one after the other.
    """

    end: str
    t: float
    steps: int
    wall: float
    residual: float = 0.0
    worst: str = ""
    message: str = ""
    iterations: float = float("nan")
    most: int = 0
    partitions: int = 1

    def of(self, failure: Failure, message: str) -> Report:
        """The report with what a failure left."""
        return replace(self, residual=failure.residual, worst=failure.worst, message=message)


@dataclass(frozen=True)
class SteppedRun:
    """States at the kept times; a batch has leading axes before the time.

    Attributes:
        times: [s].
        q, qd, qdd: (time, components).
        x, xd, lam: user states, their rates, multipliers; empty where there are none.
        report: how it ended; one per run of a batch.
        steps: of a run with steps of its own choice: time at the end and length of each [s].
    """

    times: Array
    q: Array
    qd: Array
    qdd: Array
    x: Array
    xd: Array
    lam: Array
    report: Report | tuple[Report, ...]
    steps: Array = field(default_factory=lambda: np.zeros((0, 2)))

    @property
    def nbytes(self) -> int:
        """Memory that its rows take [B]."""
        return sum(getattr(self, name).nbytes for name in OVER_TIME)

    def none(self) -> SteppedRun:
        """The same without rows."""
        return replace(self, **{name: getattr(self, name)[:0] for name in OVER_TIME})


OVER_TIME = ("times", "q", "qd", "qdd", "x", "xd", "lam")
"""Fields of a run that have a row per time."""


def join_runs(runs: Sequence[SteppedRun]) -> SteppedRun:
    """Parts of one run, one after the other."""
    rows = {name: np.concatenate([getattr(run, name) for run in runs]) for name in OVER_TIME}
    return SteppedRun(**rows, report=runs[-1].report)
