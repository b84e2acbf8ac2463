"""Curves that components are given as rows of two numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from kinetree.acausal import Physical
from kinetree.acausal.physical import physical
from kinetree.engine import ZERO, Node, maximum


def interpolate(rows: Sequence[Sequence[Any]], x: Any) -> Physical:
    """Straight lines through rows (x, y), the first and the last one continued.

    Args:
        rows: with growing numbers x; y are numbers or physical expressions.
        x: where; a plain number fits the unit of the rows, and so does the outcome fit any unit.
    """
    at = physical(x).node
    points = [(float(a), physical(b).node) for a, b in rows]
    first, value = points[0]
    slope: Node = ZERO
    for (a, b), (c, d) in pairwise(points):
        turned = (d - b) / (c - a) - slope
        slope, bent = slope + turned, at - a if a == first else maximum(at - a, ZERO)
        value = value + turned * bent
    return Physical(value, None)
