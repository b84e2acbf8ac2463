"""How far an analysis has come: a line on the terminal, or a function that is told and may end it.

Runs tell the time that they have reached; other analyses tell the share that is done, from 0 to 1,
whichever part of them is at work.  While equations are derived and functions compiled, both say
how many there are; how many there will be nobody knows, so that each moves the share by a small
part of what is left until the stage is over.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from kinetree.errors import EndedError
from kinetree.files import write_file
from kinetree.integrate.drive import interrupts
from kinetree.work import WorkCount, hearing

if TYPE_CHECKING:
    from rich.progress import ProgressColumn

ProgressCall = Callable[[float], object]
"""Is told the time reached [s], or the share done (`ProgressNumber`); True ends run or analysis."""
PATIENCE = 2.0
"""Time after which a run on a terminal says how far it is [s]."""
PAUSE = 0.1
"""Least time between two writings of a share [s]."""
EQUATIONS = 0.5
"""Share of an analysis along a run at which its equations are there."""
MOVE = 0.02
"""Part of what is left of a stage by which the share moves when some of its equations are there."""
TOGETHER = 4096
"""Rows of a run at which equations are evaluated at once; whole lanes, so that bits stay."""

T = TypeVar("T")


class ProgressNumber(float):
    """A number that a function for progress is told.

    Attributes:
        doing: what is at work, such as "deriving, 1024 blocks derived"; empty while it goes.
    """

    doing: str = ""

    @classmethod
    def beside(cls, value: float, doing: object) -> ProgressNumber:
        """The number with what is at work beside it."""
        made = cls(value)
        made.doing = str(doing)
        return made


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
    with _teller(wanted, _time_reached, t0, t1) as tell:
        if tell is None:
            yield None
            return
        run = _Run(tell, t0)
        with hearing(run.hear):
            try:
                yield run.report
            except KeyboardInterrupt:
                if not run.ended or run.begun:
                    raise
                raise EndedError(
                    "it was ended before its first step, and has nothing to show",
                    element="simulate",
                ) from None


@contextmanager
def _teller(
    wanted: bool | ProgressCall | None,
    column: Callable[[], ProgressColumn],
    low: float,
    high: float,
) -> Iterator[ProgressCall | None]:
    """What is told how far it is: a function of the user's, or a line on a terminal."""
    if callable(wanted):
        yield wanted
    elif not _is_shown(wanted):
        yield None
    else:
        with _bar(column(), low, high, 0.0 if wanted else PATIENCE) as report:
            yield report


def _time_reached() -> ProgressColumn:
    from rich.progress import TextColumn

    return TextColumn("t = {task.fields[now]:.4g} s")


def _share_done() -> ProgressColumn:
    from rich.progress import TaskProgressColumn

    return TaskProgressColumn()


class _Run:
    """How far a run has come.

    Attributes:
        begun: whether it has told a time.
        ended: whether the function that is told has said that it is enough.
    """

    def __init__(self, tell: ProgressCall, t0: float) -> None:
        self._tell, self._now = tell, t0
        self.begun = self.ended = False

    def report(self, t: float) -> None:
        """Tell the time reached; ends the run where that is enough."""
        self._now, self.begun = t, True
        if self._tell(ProgressNumber(t)) is True or self.ended:
            self.ended = True
            raise KeyboardInterrupt

    def hear(self, work: WorkCount) -> None:
        """Tell what is being made; a run that has begun ends with its next report."""
        self.ended = self._tell(ProgressNumber.beside(self._now, work)) is True or self.ended
        if self.ended and not self.begun:
            raise KeyboardInterrupt


def _is_shown(wanted: bool | ProgressCall | None) -> bool:
    return wanted is True or (wanted is None and sys.stderr.isatty())


@contextmanager
def _bar(
    column: ProgressColumn, low: float, high: float, patience: float
) -> Iterator[Callable[[float], None]]:
    """A line on the terminal, and what moves it."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    doing = TextColumn("{task.fields[doing]}")
    columns = (column, BarColumn(), TimeRemainingColumn(), doing)
    bar = Progress(*columns, console=Console(stderr=True), transient=sys.stderr.isatty())
    task = bar.add_task("", total=high - low, now=low, doing="")
    timer = threading.Timer(patience, bar.start)  # while equations are made
    timer.daemon = True

    def report(now: float) -> None:
        bar.update(task, completed=now - low, now=now, doing=getattr(now, "doing", ""))

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
        self._told, self._high = told, 1.0
        self._from = (0.0, 0.0)  # of the present part, and what that is of the whole
        self._last = 0.0  # share of the present part that was told
        self._lock, self._in_rows = threading.RLock(), False

    def hear(self, work: WorkCount) -> None:
        """Tell what is being made for the present part, which goes on a little.

        Raises:
            KeyboardInterrupt: as `tell`, unless rows are there that would be lost.
        """
        if self._told is None or self.ended:
            return
        with self._lock:
            if not self._in_rows:
                self.done += MOVE * max(self._high - self.done, 0.0)
                self._from = (self._last, self.done)
            self.ended = self._told(ProgressNumber.beside(self.done, work)) is True
        if not self._in_rows:
            self._refuse_more()

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
            self._last = min(max(share, 0.0), 1.0)
            self.done = max(self.done, self._of_whole(self._last))
            told = ProgressNumber.beside(self.done, getattr(share, "doing", ""))
            self.ended = self._told(told) is True and self.done < 1.0

    def _of_whole(self, share: float) -> float:
        """A share of the present part as one of the whole; what is left of both ends together."""
        here, whole = self._from
        left = (share - here) / (1 - here) if here < 1.0 else 1.0
        return whole + (self._high - whole) * left

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
        before = self._from, self._high, high
        first = self._of_whole(low)
        self._from, self._high, self._last = (0.0, first), self._of_whole(high), 0.0
        try:
            yield self
            self._note(1.0)
        finally:
            self._from, self._high, self._last = before

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

    def along(
        self, count: int, make: Callable[[slice], T], size: int = TOGETHER,
        see: Callable[[Sequence[T], int], object] = lambda made, reached: None,
    ) -> list[T]:  # fmt: skip
        """What is made of the rows of a run, some after the others.

        Where it is ended on the way, or by Ctrl-C, what there is then stays.

        Args:
            count: number of rows.
            make: makes some of them.
            size: how many at once.
            see: is given what there is after each, and how many rows that has.
        """
        made: list[T] = []
        with interrupts() as asked, self._keep_rows():
            for first in range(0, count, size):
                last = min(first + size, count)
                made.append(make(slice(first, last)))
                see(made, last)
                try:
                    self.tell(last / count)
                except KeyboardInterrupt:
                    break
                if asked.is_set():
                    break
        return made

    @contextmanager
    def _keep_rows(self) -> Iterator[None]:
        """What is being made beside rows does not end them."""
        self._in_rows = True
        try:
            yield
        finally:
            self._in_rows = False


@contextmanager
def sharing(wanted: bool | ProgressCall | None, name: str) -> Iterator[Share]:
    """What an analysis tells how far it is.

    Args:
        wanted: as of `reporting`; a function is told the share done, 0 to 1.
        name: of the analysis.

    Raises:
        EndedError: where the function has ended it, and nothing of it is kept.
    """
    with _teller(wanted, _share_done, 0.0, 1.0) as told, ExitStack() as stack:
        share = Share(told)
        if told is not None:
            stack.enter_context(hearing(share.hear))
        try:
            yield share
            if not share.ended and told is not None:
                told(ProgressNumber(1.0))
        except BaseException:
            if share.ended:
                raise EndedError(
                    f"it was ended at {100 * share.done:.0f} %, and has nothing to show before "
                    "its end",
                    element=name,
                ) from None
            raise


def telling_file(file: Path) -> ProgressCall:
    """A function that writes what it is told into a JSON file, a few times a second.

    The file has the share that is done, and what is at work where something is being made.
    """
    due, last = 0.0, ""

    def tell(share: float) -> None:
        nonlocal due, last
        now, doing = time.monotonic(), getattr(share, "doing", "")
        if now >= due or share >= 1.0 or doing.partition(",")[0] != last:
            last = doing.partition(",")[0]
            write_file(file, json.dumps({"share": share} | ({"doing": doing} if doing else {})))
            due = now + PAUSE

    return tell
