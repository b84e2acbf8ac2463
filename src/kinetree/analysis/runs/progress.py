"""How far an analysis has come: a line on the terminal, or a function that is told and may end it.

Runs tell the time that they have reached; other analyses tell the share that is done, from 0 to 1,
whichever part of them is at work.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from kinetree.arrays import Array
from kinetree.errors import EndedError, warn
from kinetree.files import write_file
from kinetree.integrate.drive import interrupts
from kinetree.integrate.problem import FINISHED, INTERRUPTED

if TYPE_CHECKING:
    from rich.progress import ProgressColumn

    from kinetree.program import Program

ProgressCall = Callable[[float], object]
"""Is told the time reached [s], or the share done; True ends the run or the analysis."""
PATIENCE = 2.0
"""Time after which a run on a terminal says how far it is [s]."""
PAUSE = 0.1
"""Least time between two writings of a share [s]."""
EQUATIONS = 0.5
"""Share of an analysis along a run at which its equations are there."""
TOGETHER = 4096
"""Rows of a run at which equations are evaluated at once; whole lanes, so that bits stay."""

T = TypeVar("T")


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
    if not _is_shown(wanted):
        yield None
        return
    from rich.progress import TextColumn

    column = TextColumn("t = {task.fields[now]:.4g} s")
    with _bar(column, t0, t1, 0.0 if wanted else PATIENCE) as report:
        yield report


def _is_shown(wanted: bool | ProgressCall | None) -> bool:
    return wanted is True or (wanted is None and sys.stderr.isatty())


@contextmanager
def _bar(
    column: ProgressColumn, low: float, high: float, patience: float
) -> Iterator[Callable[[float], None]]:
    """A line on the terminal, and what moves it."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TimeRemainingColumn

    columns = (column, BarColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=sys.stderr.isatty())
    task = bar.add_task("", total=high - low, now=low)
    timer = threading.Timer(patience, bar.start)  # while equations are made
    timer.daemon = True

    def report(now: float) -> None:
        bar.update(task, completed=now - low, now=now)

    timer.start()
    try:
        yield report
    finally:
        timer.cancel()
        timer.join()
        bar.stop()


class Share:
    """How far an analysis is, from 0 to 1; a part of it tells of itself alone.

    Attributes:
        done: what was told last; it never falls.
        ended: whether the function that is told has said that it is enough.
    """

    def __init__(self, told: ProgressCall | None = None) -> None:
        self.done, self.ended = 0.0, False
        self._told, self._low, self._high = told, 0.0, 1.0
        self._lock = threading.RLock()

    def tell(self, share: float) -> None:
        """Tell how far the present part is.

        Raises:
            KeyboardInterrupt: where the answer is that it is enough, as Ctrl-C does.
        """
        self._note(share)
        self._refuse_more()

    def _note(self, share: float) -> None:
        """Tell how far the present part is, and hear whether it is enough."""
        if self._told is None or self.ended:
            return
        with self._lock:
            whole = self._low + (self._high - self._low) * min(max(share, 0.0), 1.0)
            self.done = max(self.done, whole)
            self.ended = self._told(self.done) is True and self.done < 1.0

    def _refuse_more(self) -> None:
        if self.ended:
            raise KeyboardInterrupt

    @contextmanager
    def part(self, low: float, high: float) -> Iterator[Share]:
        """Go from one share of the present part to another one.

        Raises:
            KeyboardInterrupt: as `tell`, before it begins; what is made by its end is not lost.
        """
        self._refuse_more()
        first, last = self._low, self._high
        width = last - first
        self._low, self._high = first + width * low, first + width * high
        try:
            yield self
            self._note(1.0)
        finally:
            self._low, self._high = first, last

    def parts(self, rows: Sequence[T]) -> Iterator[T]:
        """Rows one after the other, each of which takes as long as the others."""
        for k, row in enumerate(rows):
            with self.part(k / len(rows), (k + 1) / len(rows)):
                yield row

    def over(self, first: float, last: float) -> Callable[[float], None] | None:
        """What is told how far a run has come [s], whose ends are these; None where nobody asks."""
        if self._told is None:
            return None
        return lambda t: self.tell((t - first) / (last - first) if last != first else 1.0)

    def along(self, count: int, make: Callable[[slice], T], size: int = TOGETHER) -> list[T]:
        """What is made of the rows of a run, some after the others.

        Where it is ended on the way, or by Ctrl-C, what there is then stays.

        Args:
            count: number of rows.
            make: makes some of them.
            size: how many at once.
        """
        made = []
        with interrupts() as asked:
            for first in range(0, count, size):
                last = min(first + size, count)
                made.append(make(slice(first, last)))
                try:
                    self.tell(last / count)
                except KeyboardInterrupt:
                    break
                if asked.is_set():
                    break
        return made


@contextmanager
def sharing(wanted: bool | ProgressCall | None, name: str) -> Iterator[Share]:
    """What an analysis tells how far it is.

    Args:
        wanted: as of `reporting`; a function is told the share done, 0 to 1.
        name: of the analysis.

    Raises:
        EndedError: where the function has ended it, and nothing of it is kept.
    """
    with _listener(wanted) as told:
        share = Share(told)
        try:
            yield share
            if not share.ended and told is not None:
                told(1.0)
        except BaseException:
            if share.ended:
                raise EndedError(
                    f"it was ended at {100 * share.done:.0f} %, and has nothing to show before "
                    "its end",
                    element=name,
                ) from None
            raise


@contextmanager
def _listener(wanted: bool | ProgressCall | None) -> Iterator[ProgressCall | None]:
    """What is told the share done."""
    if callable(wanted):
        yield wanted
        return
    if not _is_shown(wanted):
        yield None
        return
    from rich.progress import TaskProgressColumn

    with _bar(TaskProgressColumn(), 0.0, 1.0, 0.0 if wanted else PATIENCE) as report:
        yield report


def telling_file(file: Path) -> ProgressCall:
    """A function that writes the share it is told into a JSON file, a few times a second."""
    due = 0.0

    def tell(share: float) -> None:
        nonlocal due
        now = time.monotonic()
        if now >= due or share >= 1.0:
            write_file(file, json.dumps({"share": share}))
            due = now + PAUSE

    return tell


def rows_of(
    program: Program, given: Mapping[str, Any], **options: Any
) -> Callable[[slice], dict[str, Array]]:
    """Outputs of a Program at some rows of a run, compiled once.

    Args:
        program: what is evaluated.
        given: values of its inputs, or more; constant, or one row per time.
        **options: of the call.
    """
    function = program.compile()
    picked = {name: np.asarray(value) for name, value in program.pick_inputs(given).items()}
    ranks = {row.name: len(row.shape) for row in program.inputs}
    varied = {name for name, value in picked.items() if value.ndim > ranks[name]}

    def make(rows: slice) -> dict[str, Array]:
        own = {name: x[rows] if name in varied else x for name, x in picked.items()}
        found, count = function(**own, **options), rows.stop - rows.start
        return {
            row.name: np.broadcast_to(found[row.name], (count, *row.shape))
            for row in program.outputs
        }

    return make


def join_rows(parts: Sequence[Mapping[str, Array]]) -> dict[str, Array]:
    """Tables of rows one after the other."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def end_word(name: str, times: Array, reached: int) -> str:
    """Why an analysis along a run ended, as its attribute `termination`; an early end is warned of.

    Args:
        name: of the analysis.
        times: of all rows [s].
        reached: how many of them there are.
    """
    if reached == len(times):
        return FINISHED
    said = f"{INTERRUPTED} at t = {times[reached - 1]:.6g} s"
    warn(f"{name}: {said}; results up to there are kept")
    return said
