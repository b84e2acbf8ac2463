"""Torn blocks put to the test: does rounding stay small along their chains of unknowns?

| in | out |
|---|---|
| a torn block, numbers of the start | whether it keeps the digits of its unknowns |

The block is solved as the Program will, linear at the start, for right sides of its own, and every
row is looked at:

    |Σ aᵢⱼ xⱼ - bᵢ| <= TOLERANCE (Σ |aᵢⱼ xⱼ| + |bᵢ|)

This bounds the backward error, whatever the order of the operations was (Higham2002 sec. 7.1).

Refs: Higham2002 sec. 7.1
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from kinetree.acausal.incidence import Incidence
from kinetree.arrays import Array
from kinetree.engine import Node, evaluate

if TYPE_CHECKING:
    from kinetree.acausal.tearing import Torn

TOLERANCE = 1e-11
"""Backward error that is accepted; rounding alone leaves about 1e-15."""
SHORT = 2
"""Unknowns of a chain up to which it is not looked at."""

RowNumbers = dict[int, list[tuple[int, float]]]
"""Row -> (column, slope)."""


def keeps_digits(page: Incidence, block: Torn, values: Mapping[Node, float]) -> bool:
    """Whether the unknowns of a torn block are found well; where no number tells, they are.

    Args:
        page: whose rows they are.
        block: torn.
        values: of all symbols at the start.
    """
    if len(block.inner) <= SHORT:
        return True
    rows = _numbers(page, block, values)
    if rows is None:
        return True
    right = {row: _side(k, entries) for k, (row, entries) in enumerate(rows.items())}
    with np.errstate(all="ignore"):
        found = _solve(block, rows, right)
    if found is None:
        return True
    return all(_holds(entries, found, right[row]) for row, entries in rows.items())


def _numbers(page: Incidence, block: Torn, values: Mapping[Node, float]) -> RowNumbers | None:
    """The slopes of all rows; none where one has no value, or a pivot is zero."""
    found: RowNumbers = {}
    with np.errstate(all="ignore"):
        for row, own in block.slopes.items():
            numbers = [float(x) for x in evaluate(tuple(own.by.values()), values)]
            if not np.isfinite(numbers).all():
                return None
            columns = (page.column_of[s] for s in own.by)
            found[row] = list(zip(columns, numbers, strict=True))
    pivots = (dict(found[row])[column] for row, column in block.inner)
    return found if all(pivots) else None


def _side(k: int, entries: list[tuple[int, float]]) -> float:
    """A right side that belongs to no special case."""
    return float(np.cos(1.0 + k)) * max((abs(x) for _, x in entries), default=1.0)


def _solve(block: Torn, rows: RowNumbers, right: Mapping[int, float]) -> dict[int, float] | None:
    """The unknowns, in the order of operations of the Program; none where it is singular."""
    size = len(block.columns)
    parts: dict[int, Array] = {}  # slopes by the torn unknowns, then the constant
    for k, column in enumerate(block.columns):
        parts[column] = np.eye(1, size + 1, k)[0]
    for row, column in block.inner:
        parts[column] = _along(rows[row], column, parts, right[row], size)
    lines = np.array([_along(rows[row], None, parts, right[row], size) for row in block.rows])
    try:
        torn = np.linalg.solve(lines[:, :-1], -lines[:, -1])
    except np.linalg.LinAlgError:
        return None
    found = dict(zip(block.columns, map(float, torn), strict=True))
    for row, column in block.inner:
        rest = sum(a * found[c] for c, a in rows[row] if c != column) - right[row]
        found[column] = -rest / dict(rows[row])[column]
    return found if np.isfinite(list(found.values())).all() else None


def _along(
    entries: list[tuple[int, float]],
    column: int | None,
    parts: Mapping[int, Array],
    right: float,
    size: int,
) -> Array:
    """A row in terms of the torn unknowns, solved for a column where one is given."""
    total = np.zeros(size + 1)
    total[-1] = -right
    pivot = 1.0
    for c, a in entries:
        if c == column:
            pivot = -a
        else:
            total += a * parts[c]
    return total / pivot


def _holds(entries: list[tuple[int, float]], found: Mapping[int, float], right: float) -> bool:
    terms = [a * found[c] for c, a in entries]
    return abs(sum(terms) - right) <= TOLERANCE * (sum(map(abs, terms)) + abs(right))
