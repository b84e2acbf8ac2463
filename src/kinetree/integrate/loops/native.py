"""Methods in machine code: steps, error control, dense output and events without Python between.

Python comes in between slices of about a tenth of a second: it shows progress and looks whether the
user wants to stop.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from kinetree.errors import UnsupportedError
from kinetree.integrate.loops.cvode import Cvode
from kinetree.integrate.loops.explicit import Explicit
from kinetree.integrate.loops.slices import Slices
from kinetree.integrate.loops.tableaus import TABLEAUS
from kinetree.integrate.problem import Path, Problem, Settings

SLICE = 0.1
"""Duration of a slice [s]."""
FIRST_BUDGET, MOST_BUDGET = 64, 10_000_000
FAMILIES = {"cvode_adams": "adams", "cvode_bdf": "bdf"}
"""Method -> CVODE's family of multistep methods."""


def native_method(name: str, problem: Problem, settings: Settings) -> Path:
    """Integrate a problem whose rates are machine code; Ctrl-C ends it without an error."""
    return drive(prepare(name, problem, settings), settings.report)


def prepare(name: str, problem: Problem, settings: Settings) -> Slices:
    """A run that has not begun."""
    if problem.native is None:
        raise UnsupportedError("its rates are a Python function", element=f"method '{name}'")
    if name in FAMILIES:
        return Cvode(FAMILIES[name], problem, problem.native, settings)
    return Explicit(TABLEAUS[name], problem, problem.native, settings)


def drive(run: Slices, report: Callable[[float], None] | None = None) -> Path:
    """Advance a run to its end, or until Ctrl-C; the time reached [s] is told after every slice."""
    budget = FIRST_BUDGET
    with _interrupts() as asked:
        while not run.finished and not asked.is_set():
            start = time.perf_counter()
            run.advance(budget)
            if report is not None:
                report(run.t)
            spent = max(time.perf_counter() - start, 1e-6)
            budget = int(min(max(budget * min(SLICE / spent, 8.0), 1), MOST_BUDGET))
    return run.path()


@contextmanager
def _interrupts() -> Iterator[threading.Event]:
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


__all__ = ["drive", "native_method", "prepare"]
