"""Python's cycle collector at rest while Nodes are made; endings that interrupts do not skip."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial


@contextmanager
def at_last(action: Callable[[], object]) -> Iterator[None]:
    """Do something at the end, come what may.

    Where an interrupt ends the action itself, it is done again; so it must be one that may be done
    twice.  Where it comes before the body is entered, Python closes this generator, which does it.
    """
    try:
        try:
            yield
        finally:
            action()
    finally:
        action()


class _Collector:
    """The cycle collector, and who wants it to rest.  It is one for all threads of the process."""

    def __init__(self) -> None:
        self._askers: set[object] = set()
        self._stopped = False

    def rest(self, asker: object) -> None:
        self._askers.add(asker)
        if gc.isenabled():
            self._stopped = True
            gc.disable()

    def wake(self, asker: object) -> None:
        self._askers.discard(asker)
        if self._stopped and not self._askers:
            gc.enable()
            self._stopped = False

    def reset_in_child(self) -> None:
        """In a child process, where the other threads are gone."""
        self._askers.clear()
        self.wake(None)


_collector = _Collector()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_collector.reset_in_child)


@contextmanager
def pause_collector() -> Iterator[None]:
    """Python's cycle collector at rest: Nodes form no cycles, and looking for some takes long."""
    asker = object()
    with at_last(partial(_collector.wake, asker)):
        _collector.rest(asker)
        yield
