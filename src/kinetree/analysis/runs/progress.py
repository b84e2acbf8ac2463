"""A line on the terminal that says how far a run has come."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

ProgressCall = Callable[[float], object]
"""Is told the time reached [s]; True ends the run."""
PATIENCE = 2.0
"""Time after which a run on a terminal says how far it is [s]."""


@contextmanager
def reporting(
    wanted: bool | ProgressCall | None, t0: float, t1: float
) -> Iterator[Callable[[float], None] | None]:
    """A function to call with the time reached [s]; None where nothing shall be shown.

    Args:
        wanted: show it from the beginning (True), never (False), or on a terminal when the run
            takes longer than a moment (None); or a function that is told the time reached, and
            ends the run by returning True: what was computed stays, as with Ctrl-C.
        t0: beginning of the run [s].
        t1: its end [s].
    """
    if callable(wanted):
        tell = wanted

        def report_or_stop(t: float) -> None:
            if tell(t) is True:
                raise KeyboardInterrupt

        yield report_or_stop
        return
    if wanted is False or (wanted is None and not sys.stderr.isatty()):
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("t = {task.fields[now]:.4g} s"), BarColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=sys.stderr.isatty())
    task = bar.add_task("", total=t1 - t0, now=t0)
    patience = threading.Timer(0.0 if wanted else PATIENCE, bar.start)  # while equations are made
    patience.daemon = True

    def report(t: float) -> None:
        bar.update(task, completed=t - t0, now=t)

    patience.start()
    try:
        yield report
    finally:
        patience.cancel()
        patience.join()
        bar.stop()
