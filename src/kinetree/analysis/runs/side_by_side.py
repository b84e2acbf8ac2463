"""Many runs of rates at once: each goes its own way, native code of several on threads.

Every run is the one that it would be alone: its own steps, events, changes of coordinates.  What
one of them fails at, ends that run.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property

from kinetree.analysis.runs.batch_starts import Begun
from kinetree.analysis.runs.coordinates.turning import Repartition
from kinetree.analysis.runs.record import Found, Recording
from kinetree.analysis.runs.run import RunOptions, integrate
from kinetree.arrays import Array
from kinetree.errors import KinetreeError
from kinetree.integrate.problem import INTERRUPTED
from kinetree.targets.native.function import cores

Result = Found | KinetreeError
"""What was found of a run, or why it could not begin."""
Again = Callable[[int, Begun], Repartition | None]
"""(number, start) -> how the run of that number chooses coordinates anew."""
NEVER_BEGAN = KinetreeError(INTERRUPTED, element="run", cure="make it again")


@dataclass(frozen=True)
class SideBySide:
    """Runs to be made.

    Attributes:
        starts: of every run; an error where it cannot begin.
        times: output times [s].
        how: they are made; `again` is each one's own.
        again: gives it.
        tell: called with the number of runs that have ended.
    """

    starts: Sequence[Begun | KinetreeError]
    times: Array
    how: RunOptions
    again: Again
    tell: Callable[[int], None]

    def run(self) -> list[Result]:
        """Make all of them; Ctrl-C ends those under way and leaves the others out."""
        stop, numbers = threading.Event(), range(len(self.starts))
        found: list[Result] = []
        if self._threads == 1:
            for number in numbers:
                found.append(self._attempt(number, stop))
                self.tell(number + 1)
            return found
        with ThreadPoolExecutor(self._threads) as pool:
            waiting = [pool.submit(self._attempt, number, stop) for number in numbers]
            while len(found) < len(waiting):
                try:
                    found.append(waiting[len(found)].result())
                    self.tell(len(found))
                except KeyboardInterrupt:
                    stop.set()
                except BaseException:
                    stop.set()
                    raise
        return found

    def _attempt(self, number: int, stop: threading.Event) -> Result:
        """One run, or why it could not be made."""
        start = self.starts[number]
        if isinstance(start, KinetreeError):
            return start
        if stop.is_set():
            return NEVER_BEGAN
        try:
            made = self._one(number, start, stop)
        except KinetreeError as error:
            return error
        if made.ended.startswith(INTERRUPTED):
            stop.set()
        return made

    @property
    def _threads(self) -> int:
        """How many threads share the runs; Python functions are called from one."""
        begun = [start for start in self.starts if isinstance(start, tuple)]
        native = all(system.loads.constant for system, _ in begun)
        return max(1, min(len(begun), cores())) if native else 1

    def _one(self, number: int, start: Begun, stop: threading.Event) -> Found:
        system, y = start

        def report(_: float) -> None:
            if stop.is_set():
                raise KeyboardInterrupt  # a method ends its run by that, and keeps what it has

        settings = replace(self.how.settings, report=report)
        how = replace(self.how, settings=settings, again=self.again(number, start))
        record = Recording(how)
        run = integrate(system, y, self.times, replace(how, record=record.add))
        found = record.result(run, self._mobility.get("first"))
        self._mobility.setdefault("first", found.counts.get("mobility"))
        return found

    @cached_property
    def _mobility(self) -> dict[str, int | None]:
        """Degrees of freedom of the first run that has ended, which is that of all."""
        return {}
