"""The arena: the one table in which every live Node stands once.

Nodes are hash-consed: building an expression that exists already returns the existing object, so
equal expressions are one object and equality is identity.  Most expressions that a derivation makes
are short-lived (Docquier2013 sec. 3.4: more than 90 %), so the arena can be marked and released:
`release(mark)` drops every Node made since the mark that nobody outside the arena holds.

There is no lock.  Between two steps of the interpreter another thread may look a Node up, or an
interrupt may end what is under way, so the table is right at every such moment (decision 0004):

* a Node that anybody holds is found: in the table, or as the one that is just leaving it;
* what must not be torn apart is one call of C code, which nothing comes between;
* all else (marks, counts) says where to look for Nodes to drop, and may be out of date.

Refs: Docquier2013 sec. 3.4 (a linked list and locks there; order of birth and counts of references
here)
"""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from operator import call
from sys import getrefcount
from typing import TYPE_CHECKING

from kinetree.engine.collector import at_last, pause_collector

if TYPE_CHECKING:
    from kinetree.engine.node import Node

NODE_BYTES = 400
"""Measured mean footprint of a Node with its tuples and its table entry [byte]."""

SHRINK = 4
"""The table is made anew when it has become this many times shorter."""

PRICE = 8
"""Nodes made for each old one that is looked at again: less than 1 % of the time of making them."""

if hasattr(sys, "_is_gil_enabled") and not sys._is_gil_enabled():
    raise ImportError(
        "kinetree tells by reference counts which expressions are in use, and needs Python's "
        "global lock for it: start Python with PYTHON_GIL=1, or use a build that has the lock"
    )


def _count_unheld() -> int:
    """References to a Node that only the table, an entry of it and a local name know."""
    table = {"": object()}
    entries = list(table.items())
    entry = entries.pop()
    node = entry[1]
    return getrefcount(node)


UNHELD = _count_unheld()


class Arena:
    """A table of Nodes in order of birth, with what it cost at its fullest.

    Attributes:
        table: intern key -> Node, oldest first.
        released: number of Nodes dropped so far.
    """

    def __init__(self) -> None:
        self.table: dict[Hashable, Node] = {}
        self.released = 0
        self._peak = 0
        self._turn: dict[str, object] = {}  # who releases, if anybody
        self._leaving: tuple[Hashable, Node] | None = None  # the entry that is taken out
        self._moved: dict[Hashable, Node] = {}  # what comes back into a table made anew
        self._open: set[_Visit] = set()  # derivations under way
        self._settled = 0  # what stands before has outlived the derivation that made it
        self._looked = 0  # Nodes born when all were last looked at

    def __len__(self) -> int:
        return len(self.table)

    @property
    def born(self) -> int:
        """Number of Nodes ever made in this arena."""
        return len(self.table) + self.released

    @property
    def peak(self) -> int:
        """Largest number of Nodes ever held."""
        return max(self._peak, len(self.table))

    @property
    def peak_bytes(self) -> int:
        """Memory at the fullest moment, estimated [byte]."""
        return self.peak * NODE_BYTES

    def enter(self, key: Hashable, node: Node) -> Node:
        """The Node of a key that is not in the table: this one, or one that was quicker."""
        if self._turn:
            return self._called_back(key, node)
        return self.table.setdefault(key, node)

    def _called_back(self, key: Hashable, node: Node) -> Node:
        """The same during a release: the Node that is leaving stays, if it is the one."""
        node = self._moved.get(key, node)
        seen = None
        while (entry := self._leaving) is not seen:
            seen = entry
            if entry is not None and entry[0] == key:
                node = entry[1]
        return self.table.setdefault(key, node)  # at once: no other Node has begun to leave

    def mark(self) -> int:
        """A point in time to release back to."""
        return len(self.table)

    def release(self, mark: int = 0) -> int:
        """Drop every Node made since `mark` that nobody outside the arena holds; how many went.

        Youngest first: a parent goes before its children, which are then free to go too.
        """
        turn = object()
        with pause_collector(), at_last(partial(self._end, turn)):
            if self._turn.setdefault("", turn) is not turn:
                return 0  # another thread is at it
            self._peak, before = self.peak, len(self.table)
            gone = self._drop(self._youngest(before - mark))
            self.released += gone
            if len(self.table) < before // SHRINK and threading.active_count() == 1:
                self._shrink()
        return gone

    def _drop(self, entries: list[tuple[Hashable, Node]]) -> int:
        table, pop, references, unheld, gone = self.table, entries.pop, getrefcount, UNHELD, 0
        while entries:
            entry = pop()
            node = entry[1]
            if references(node) == unheld:
                self._leaving = entry
                del table[entry[0]]
                if references(node) < unheld:
                    gone += 1
                else:  # another thread has found it meanwhile
                    table.setdefault(entry[0], node)
                self._leaving = None
        return gone

    def _youngest(self, number: int) -> list[tuple[Hashable, Node]]:
        """The last entries, youngest last; none where a finalizer makes Nodes just then."""
        entries: list[tuple[Hashable, Node]] = []
        with suppress(RuntimeError):
            entries = list(islice(reversed(self.table.items()), max(0, number)))
        entries.reverse()
        return entries

    def _shrink(self) -> None:
        """Make the table anew: a dictionary gives its memory back when it is emptied."""
        steps: tuple[Callable[[], None], ...] = (
            partial(self._moved.update, self.table),
            self.table.clear,
        )
        deque(map(call, steps), maxlen=0)  # one call of C code: no Node is made between them

    def _end(self, turn: object) -> None:
        """End a release: what has not left stays."""
        if self._turn.get("") is turn:
            if self._leaving is not None:
                self.table.setdefault(*self._leaving)
            self.table.update(self._moved)
            self._leaving, self._moved = None, {}
            self._turn.clear()

    def reset_in_child(self) -> None:
        """In a child process, where the other threads are gone."""
        self._end(self._turn.get(""))
        self._open.clear()


class _Visit:
    """A derivation that makes Nodes in an arena."""

    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        self._mark = arena.mark()
        self.done = False

    def begin(self) -> None:
        self._arena._open.add(self)

    def end(self) -> None:
        """Release what is not part of the result.

        The last of all derivations under way also takes what others left: Nodes that a traceback
        held, or that stood before a mark when another thread released.  Once in a while all Nodes
        are looked at, for those of models and Programs that are no more.
        """
        arena, start = self._arena, self._mark
        if self not in arena._open:
            return
        last = len(arena._open) == 1
        if last:
            start = min(start, arena._settled)
        if arena.born - arena._looked > PRICE * len(arena):
            start, arena._looked = 0, arena.born
        arena.release(start)
        arena._settled = len(arena) if last and self.done else min(start, arena._settled)
        arena._open.discard(self)


@contextmanager
def derivation() -> Iterator[Arena]:
    """Make Nodes for a result; at the end, what is not part of it goes.

    Any number of threads may do so at once, and a derivation may stand inside another.  After an
    exception the Nodes go that its traceback does not hold, and those with the next derivation.
    """
    visit = _Visit(current())
    with pause_collector(), at_last(visit.end):
        visit.begin()
        yield current()
        visit.done = True


_stack: list[Arena] = [Arena()]


def current() -> Arena:
    """The arena in which Nodes are being made."""
    return _stack[-1]


def _reset_in_child() -> None:
    for arena in _stack:
        arena.reset_in_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_in_child)


@contextmanager
def fresh_arena() -> Iterator[Arena]:
    """Work in an empty arena of its own, for tests and measurements; Nodes must not leave it.

    All threads work in it.
    """
    from kinetree.engine import node as node_module  # noqa: PLC0415  the table is rebound there

    arena = Arena()
    _stack.append(arena)
    node_module.rebind(arena)
    try:
        yield arena
    finally:
        _stack.pop()
        node_module.rebind(_stack[-1])
