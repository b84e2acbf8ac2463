"""A trial end of a step: what Newton's method evaluates the equations at."""

from __future__ import annotations

from dataclasses import dataclass, field

from kinetree.engine import Node
from kinetree.program import Scheme

Matrix = list[list[Node]]


@dataclass
class Point:
    """A trial end of the step, in one of the schemes.

    Attributes:
        scheme: where its values stand.
        by: increments of all velocities; those of driven ones are not needed.
        q, qd, qdd, a: motion there.
        x, xd, y: user states there.
        K, C, M: slopes of the residual.
        mixed: slopes that user states add.
        T: how increments move the coordinates, where not by themselves.
    """

    scheme: Scheme
    by: list[Node]
    q: list[Node]
    qd: list[Node]
    qdd: list[Node]
    a: list[Node]
    x: list[Node]
    xd: list[Node]
    y: list[Node]
    at: dict[str, list[Node]]
    K: Matrix = field(default_factory=list)
    C: Matrix = field(default_factory=list)
    M: Matrix = field(default_factory=list)
    mixed: dict[str, tuple[Node, ...]] = field(default_factory=dict)
    T: dict[int, dict[int, Node]] = field(default_factory=dict)


__all__ = ["Matrix", "Point"]
