"""Advance a native loop slice by slice: progress, a look at its state, Ctrl-C in between."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Protocol

from kinetree.integrate.problem import FINISHED, INTERRUPTED

SLICE = 0.1
"""Duration of a slice [s]."""
FIRST_BUDGET, MOST_BUDGET = 64, 10_000_000
PAUSED = "paused"
"""The end of a run that shall go on in another way."""


class Sliced(Protocol):
    """A run in slices: the time reached [s], whether it has ended, a slice of some steps."""

    @property
    def t(self) -> float:
        """Time reached [s]."""

    @property
    def finished(self) -> bool:
        """Whether the run has ended."""

    def advance(self, budget: int) -> bool:
        """Make at most that many steps; whether the run goes on."""


def drive(
    run: Sliced,
    report: Callable[[float], None] | None = None,
    *,
    steps: int = 0,
    most: int = MOST_BUDGET,
    pause: Callable[[], bool] | None = None,
) -> str:
    """Advance a run until it ends by itself (FINISHED), by Ctrl-C or by `pause`; which of them.

    Args:
        run: what is advanced.
        report: told the time reached [s] after every slice.
        steps: of a slice; 0: as many as take a tenth of a second.
        most: steps of a slice at most.
        pause: asked after every slice whether to stop there.
    """
    budget = steps or min(FIRST_BUDGET, most)
    try:
        with interrupts() as asked:
            while not run.finished and not asked.is_set():
                start = time.perf_counter()
                run.advance(budget)
                if report is not None:
                    report(run.t)
                if not steps:
                    spent = max(time.perf_counter() - start, 1e-6)
                    budget = int(min(max(budget * min(SLICE / spent, 8.0), 1), most))
                if pause is not None and pause():
                    return PAUSED
    except KeyboardInterrupt:  # of what is told
        return INTERRUPTED
    return FINISHED if run.finished else INTERRUPTED


@contextmanager
def interrupts() -> Iterator[threading.Event]:
    """Ctrl-C sets a flag instead of raising, so that a run ends between two slices."""
    asked = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return

    def ask(number: int, frame: FrameType | None) -> None:
        del number, frame
        asked.set()

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)
