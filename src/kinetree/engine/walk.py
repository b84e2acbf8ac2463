"""Walks over the graph: iterative, children before parents, each Node once.

Nothing in the engine recurses on a user-sized graph; everything that visits Nodes uses these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from kinetree.engine.node import Node
from kinetree.engine.ops import SYM

T = TypeVar("T")


def topological(roots: Iterable[Node], seen: set[Node] | None = None) -> list[Node]:
    """All Nodes under the roots that are not in `seen` yet, children first; `seen` grows."""
    seen = set() if seen is None else seen
    order: list[Node] = []
    for root in roots:
        if root in seen:
            continue
        stack = [root]
        while stack:
            node = stack[-1]
            waiting = [arg for arg in node.args if arg not in seen]
            for arg in reversed(waiting):
                if arg.args:
                    stack.append(arg)
                elif arg not in seen:
                    seen.add(arg)
                    order.append(arg)
            if node is stack[-1]:
                stack.pop()
                if node not in seen:
                    seen.add(node)
                    order.append(node)
    return order


def compounds(roots: Iterable[Node]) -> list[Node]:
    """All Nodes under the roots that have operands, children first; the leaves are left out."""
    seen: set[Node] = set()
    order: list[Node] = []
    for root in roots:
        stack = [root] if root.args and root not in seen else []
        while stack:
            node = stack[-1]
            waiting = [arg for arg in node.args if arg.args and arg not in seen]
            if waiting:
                waiting.reverse()
                stack += waiting
                continue
            stack.pop()
            if node not in seen:
                seen.add(node)
                order.append(node)
    return order


def fold(root: Node, known: dict[Node, T], visit: Callable[[Node], T]) -> T:
    """known[root], after `visit` gave a value to every Node below it that has none, children first.

    `visit` may look up the values of the operands in `known`, which also serves the next root.
    """
    if root in known:
        return known[root]
    stack = [root]
    while stack:
        node = stack[-1]
        waiting = [arg for arg in node.args if arg not in known]
        if waiting:
            waiting.reverse()
            stack += waiting
            continue
        stack.pop()
        if node not in known:
            known[node] = visit(node)
    return known[root]


def symbols(roots: Iterable[Node]) -> list[Node]:
    """The symbols under the roots, in order of first visit."""
    seen: set[Node] = set()
    found: list[Node] = []
    for root in roots:
        stack = [root]
        while stack:
            node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            if node.args:
                stack += node.args[::-1]
            elif node.op is SYM:
                found.append(node)
    return found


def reach(roots: Iterable[Node], seen: set[Node]) -> None:
    """Add every Node under the roots to `seen`; what is there already is not entered again."""
    stack = [root for root in roots if root not in seen]
    seen.update(stack)
    while stack:
        for arg in stack.pop().args:
            if arg not in seen:
                seen.add(arg)
                if arg.args:
                    stack.append(arg)


def use_counts(roots: Iterable[Node]) -> dict[Node, int]:
    """How often each Node under the roots is an operand; each root counts one use."""
    uses: dict[Node, int] = {}
    stack: list[Node] = []
    for root in roots:
        if root not in uses:
            stack.append(root)
        uses[root] = uses.get(root, 0) + 1
    while stack:
        for arg in stack.pop().args:
            if arg in uses:
                uses[arg] += 1
            else:
                uses[arg] = 1
                if arg.args:
                    stack.append(arg)
    return uses
