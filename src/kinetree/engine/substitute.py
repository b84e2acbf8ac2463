"""Substitution: the same expression with symbols replaced, simplified anew as it is rebuilt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kinetree.engine import node as n
from kinetree.engine.node import Node
from kinetree.engine.ops import ADD, MUL
from kinetree.engine.walk import topological


def substitute(roots: Iterable[Node], replacement: Mapping[Node, Node]) -> list[Node]:
    """The roots with every key of `replacement` (any Node) replaced by its value."""
    roots = tuple(roots)
    new: dict[Node, Node] = {}
    for node in topological(roots):
        found = replacement.get(node)
        new[node] = found if found is not None else rebuild(node, [new[a] for a in node.args])
    return [new[root] for root in roots]


def rebuild(node: Node, args: list[Node]) -> Node:
    """A Node of the same kind on other operands; the Node itself where nothing changed."""
    if all(a is b for a, b in zip(node.args, args, strict=True)):
        return node
    if node.op is ADD:
        return n.linear(node.value, tuple(zip(args, node.coefs, strict=True)))
    if node.op is MUL:
        return n.monomial(1, tuple(zip(args, node.coefs, strict=True)))
    return n.apply(node.op, tuple(args))
