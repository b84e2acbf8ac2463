"""What is being made while there is nothing to show yet: blocks derived, functions compiled.

Rooms that derive and compile say so here; whoever waits listens.  Nobody has to: telling costs a
look at a variable, some times for every Program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class WorkCount:
    """What has been made since somebody listens.

    Attributes:
        now: what is at work: "deriving", "simplifying" or "compiling".
        blocks: equations and systems of equations that were derived.
        functions: that were compiled, or found compiled.
    """

    now: str = ""
    blocks: int = 0
    functions: int = 0

    def __str__(self) -> str:
        made = ((self.blocks, "block", "derived"), (self.functions, "function", "compiled"))
        words = (f"{n} {what}{'s' * (n > 1)} {end}" for n, what, end in made if n)
        return ", ".join([self.now, *words])


class _Listener:
    """Counts what is made and passes it on."""

    def __init__(self, told: Callable[[WorkCount], None]) -> None:
        self.work, self.told = WorkCount(), told

    def take(self, now: str, blocks: int, functions: int) -> None:
        old = self.work
        self.work = replace(
            old, now=now, blocks=old.blocks + blocks, functions=old.functions + functions
        )
        self.told(self.work)


_heard: ContextVar[_Listener | None] = ContextVar("kinetree.work", default=None)


@contextmanager
def hearing(told: Callable[[WorkCount], None]) -> Iterator[None]:
    """Tell a function what is made in this thread meanwhile; only the innermost one is told."""
    token = _heard.set(_Listener(told))
    try:
        yield
    finally:
        _heard.reset(token)


def note(now: str, *, blocks: int = 0, functions: int = 0) -> None:
    """Say what is at work, and what more has been made."""
    listener = _heard.get()
    if listener is not None:
        listener.take(now, blocks, functions)
