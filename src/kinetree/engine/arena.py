"""The arena: the one table in which every live Node stands once.

Nodes are hash-consed: building an expression that exists already returns the existing object, so
equal expressions are one object and equality is identity.  Most expressions that a derivation makes
are short-lived (Docquier2013 sec. 3.4: more than 90 %), so the arena can be marked and released:
`release(mark)` drops every Node made since the mark that nobody outside the arena holds.

Refs: Docquier2013 sec. 3.4 (a linked list and locks there; order of birth and counts of references
here)
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kinetree.engine.node import Node

NODE_BYTES = 400
"""Measured mean footprint of a Node with its tuples and its table entry [byte]."""


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

    def mark(self) -> int:
        """A point in time to release back to."""
        return len(self.table)

    def release(self, mark: int = 0) -> int:
        """Drop every Node made since `mark` that nobody outside the arena holds; how many went.

        Youngest first: a parent goes before its children, which are then free to go too.
        """
        table = self.table
        self._peak = self.peak
        kept: list[tuple[Hashable, Node]] = []
        getrefcount = sys.getrefcount
        before = len(table)
        for _ in range(before - mark):
            key, node = table.popitem()
            if getrefcount(node) > 2:  # more than the local name and getrefcount's argument
                kept.append((key, node))
        table.update(reversed(kept))
        gone = before - len(table)
        self.released += gone
        return gone


@contextmanager
def collector_paused() -> Iterator[None]:
    """Python's cycle collector at rest: Nodes form no cycles, and looking for some takes long."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


_stack: list[Arena] = [Arena()]


def current() -> Arena:
    """The arena in which Nodes are being made."""
    return _stack[-1]


@contextmanager
def fresh_arena() -> Iterator[Arena]:
    """Work in an empty arena of its own, for tests and measurements; Nodes must not leave it."""
    from kinetree.engine import node as node_module  # noqa: PLC0415  the table is rebound there

    arena = Arena()
    _stack.append(arena)
    node_module.rebind(arena.table)
    try:
        yield arena
    finally:
        _stack.pop()
        node_module.rebind(_stack[-1].table)
