"""A campaign: how one case is drawn and tried, and how many make a short and a long run."""

from __future__ import annotations

import signal
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np

from fuzz.tally import Tally

Attempt = Callable[[np.random.Generator, Tally], None]


@dataclass(frozen=True)
class Campaign:
    """One kind of attack.

    Attributes:
        name: as on the command line.
        about: what is attacked and what the outcome is compared with, one line.
        attempt: draws one case and tries it; whatever it raises is a failure of that case.
        short: cases of the run within the tests.
        long: cases of the long run.
        size: cases that one attempt draws, where many are cheaper together than one by one.
        limit: seconds that one attempt may take.
        slices: attempts that one process of a long run makes.
    """

    name: str
    about: str
    attempt: Attempt
    short: int
    long: int
    size: int = 1
    limit: float = 120.0
    slices: int = 100

    def attempts(self, cases: int) -> int:
        """How many attempts draw that many cases."""
        return -(-cases // self.size)

    def run(self, cases: int, seed: int) -> Tally:
        """Try a number of cases."""
        return self.repeat(range(self.attempts(cases)), seed)

    def repeat(self, numbers: Iterable[int], seed: int, until: float = np.inf) -> Tally:
        """Try the attempts of these numbers, each drawn from seed and number alone.

        Args:
            numbers: of the attempts.
            seed: of the campaign.
            until: time (`time.time`) after which no attempt is begun.
        """
        tally = Tally(self.name, seed)
        begin = time.perf_counter()
        for number in numbers:
            if time.time() > until:
                break
            self.one(number, tally)
        tally.seconds = time.perf_counter() - begin
        return tally

    def one(self, number: int, tally: Tally) -> None:
        """Try one attempt; an exception is a failure of it and no more."""
        tally.case = number
        checks = tally.total
        rng = np.random.default_rng([tally.seed, crc32(self.name.encode()), number])
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"), bounded(self.limit):
                warnings.simplefilter("ignore")
                self.attempt(rng, tally)
        except Exception as error:
            tally.fail(f"raised {type(error).__name__}", _where(error))
        tally.made += self.size
        tally.compared += self.size if tally.total > checks else 0


class OverdueError(Exception):
    """An attempt took longer than it may."""


@contextmanager
def bounded(seconds: float) -> Iterator[None]:
    """Raise OverdueError in what runs longer; without effect outside the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(*_: Any) -> None:
        raise OverdueError(f"took longer than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _where(error: Exception) -> str:
    """The message of an error and the last places it went through."""
    frames = traceback.extract_tb(error.__traceback__)[-4:]
    places = " < ".join(f"{f.filename.rpartition('/')[2]}:{f.lineno}" for f in reversed(frames))
    return f"{str(error)[:300]} ({places})"
