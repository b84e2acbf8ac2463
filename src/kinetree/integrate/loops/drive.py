"""Integrate a Program natively: `integrate(problem, y0, times)`.

Steps, error control, dense output and events run in compiled code.  Python comes in between slices
of about a tenth of a second: it shows progress and looks whether the user wants to stop.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from kinetree.arrays import Array
from kinetree.errors import unknown
from kinetree.integrate.loops.cvode import METHODS, Cvode
from kinetree.integrate.loops.explicit import Explicit
from kinetree.integrate.loops.fallback import CvodeByPython
from kinetree.integrate.loops.native_problem import (
    Crossing,
    Events,
    Options,
    Problem,
    Run,
    System,
    compiled,
)
from kinetree.integrate.loops.slices import Slices
from kinetree.integrate.loops.tableaus import TABLEAUS
from kinetree.integrate.sundials.library import library, python_package
from kinetree.program.program import Program
from kinetree.targets.native.function import Function

SLICE = 0.1
"""Duration of a slice [s]."""
FIRST_BUDGET, MOST_BUDGET = 64, 10_000_000

Progress = Callable[[float], None]
"""Told the time reached [s] after every slice."""


def stepper(
    problem: Problem | Program | Function, y0: Any, times: Any, options: Options | None = None
) -> Slices:
    """A run to be advanced by hand; arguments as for `integrate`."""
    chosen = options or Options()
    given = problem if isinstance(problem, Problem) else Problem(problem)
    return prepared(compiled(given, jacobian=chosen.method in METHODS), y0, times, chosen)


def prepared(system: System, y0: Any, times: Any, options: Options) -> Slices:
    """A run of native code, by the method that the options name."""
    if options.method in TABLEAUS:
        return Explicit(system, y0, times, options)
    if options.method not in METHODS:
        raise unknown("method", options.method, [*TABLEAUS, *METHODS], "options")
    if library() is None and python_package():
        return CvodeByPython(system, y0, times, options)
    return Cvode(system, y0, times, options)


def integrate(
    problem: Problem | Program | Function,
    y0: Any,
    times: Any,
    options: Options | None = None,
    progress: Progress | None = None,
) -> Run:
    """Integrate der(y) = ydot(t, y).

    Args:
        problem: the right-hand side with its constant inputs, parameters and events, or a Program
            alone (see `problem`).
        y0: state at the first time.
        times: output times [s], the first and the last being start and end.
        options: method, tolerances and limits.
        progress: told the time reached between slices.

    Returns:
        All that was computed; `reason` says why it ended.  Ctrl-C ends it too, without an error.
    """
    return drive(stepper(problem, y0, times, options), progress)


def drive(run: Slices, progress: Progress | None = None) -> Run:
    """Advance a run to its end, or until Ctrl-C."""
    budget = FIRST_BUDGET
    with _interrupts() as asked:
        while not run.finished and not asked.is_set():
            start = time.perf_counter()
            run.advance(budget)
            if progress is not None:
                progress(run.t)
            spent = max(time.perf_counter() - start, 1e-6)
            budget = int(min(max(budget * min(SLICE / spent, 8.0), 1), MOST_BUDGET))
    return run.result()


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


__all__ = [
    "Array", "Crossing", "Events", "Options", "Problem", "Run", "Slices", "System", "compiled",
    "drive", "integrate", "prepared", "stepper",
]  # fmt: skip
