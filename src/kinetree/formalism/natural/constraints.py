"""What ties natural coordinates: equations as data, written by `constraint_rows`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kinetree.engine import ONE, ZERO, Node
from kinetree.formalism.natural.combinations import Sum


@dataclass(frozen=True)
class ProductConstraint:
    """factor·(a·b - value) = 0: lengths, square directions, points on lines."""

    label: str
    a: Sum
    b: Sum
    value: Node = ZERO
    factor: Node = ONE


@dataclass(frozen=True)
class ZeroComponent:
    """Component k of a combination is zero: two points at one place."""

    label: str
    of: Sum
    k: int


@dataclass(frozen=True)
class Measured:
    """A law of scalar products, and of coordinates of the model by their symbols, is zero."""

    label: str
    pairs: tuple[tuple[Sum, Sum], ...]
    law: Callable[..., Node]


Tie = ProductConstraint | ZeroComponent | Measured
