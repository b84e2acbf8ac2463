"""Values by condition and bounded values, smooth where they can be."""

from __future__ import annotations

from typing import Any

from kinetree.engine import ZERO, Node, as_node, call, select


def positive(x: Node) -> Node:
    """x where x > 0, else 0."""
    return select(x, x, ZERO)


def at_least(x: Node, low: Any) -> Node:
    """The larger of x and low."""
    return select(x - as_node(low), x, low)


def speed(v: Node, slow: Node) -> Node:
    """|v| where it exceeds `slow`, below it (v²/slow + slow)/2: never zero, once differentiable."""
    size = call("abs", v)
    return select(size - slow, size, (v * v / slow + slow) / 2)


__all__ = ["at_least", "positive", "select", "speed"]
