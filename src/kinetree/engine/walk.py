"""Walks over the graph: iterative, children before parents, each Node once.

Nothing in the engine recurses on a user-sized graph; everything that visits Nodes uses these.
"""

from __future__ import annotations

from collections.abc import Iterable

from kinetree.engine.node import Node
from kinetree.engine.ops import SYM


def topological(roots: Iterable[Node], seen: set[Node] | None = None) -> list[Node]:
    """All Nodes under the roots that are not in `seen` yet, children first; `seen` grows."""
    seen = set() if seen is None else seen
    order: list[Node] = []
    stack: list[tuple[Node, bool]] = []
    for root in roots:
        if root in seen:
            continue
        stack.append((root, False))
        while stack:
            node, done = stack.pop()
            if done:
                order.append(node)
                continue
            if node in seen:
                continue
            seen.add(node)
            if not node.args:
                order.append(node)
                continue
            stack.append((node, True))
            stack.extend([(arg, False) for arg in reversed(node.args) if arg not in seen])
    return order


def symbols(roots: Iterable[Node]) -> list[Node]:
    """The symbols under the roots, in order of first visit."""
    return [node for node in topological(roots) if node.op is SYM]


def use_counts(roots: Iterable[Node]) -> dict[Node, int]:
    """How often each Node under the roots is an operand; each root counts one use."""
    roots = tuple(roots)
    uses: dict[Node, int] = dict.fromkeys(roots, 0)
    for root in roots:
        uses[root] += 1
    for node in topological(roots):
        for arg in node.args:
            uses[arg] = uses.get(arg, 0) + 1
    return uses
