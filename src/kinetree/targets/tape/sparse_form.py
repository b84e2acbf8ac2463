"""Large sparse systems: the order of their elimination and what it fills, before any number is.

Pivots stand on the diagonal, in an order of minimum degree; whether they were good enough, the
solution tells (see `native.systems.sparse`).

Refs: Duff2017
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kinetree.program.sparsity import minimum_degree
from kinetree.targets.tape.solve_steps import ZERO, SparseForm

LEAST = 50
"""Rows from which a system may be sparse."""
MOST_FILLED = 0.3
"""Share of all entries that may be filled."""
WRITTEN = 6000
"""Products up to which an elimination is written out instead, for one or two right sides."""


@dataclass(frozen=True, slots=True)
class _Filled:
    """Columns of every place that are not zero, fill included, and the products that it takes."""

    rows: list[list[int]]
    products: int


def sparse_form(rows: Sequence[Sequence[int]], order: Sequence[int], k: int) -> SparseForm | None:
    """The form of a sparse elimination; none where a dense or a written one is better.

    Args:
        rows: entries of the matrix, ZERO for structural zeros.
        order: the row that stands at each place, so that no diagonal entry is zero.
        k: number of right-hand sides.
    """
    n = len(rows)
    if n < LEAST:
        return None
    held = [[j for j, entry in enumerate(rows[row]) if entry != ZERO] for row in order]
    both = [set(row) for row in held]
    for i, row in enumerate(held):
        for j in row:
            both[j].add(i)
    if sum(map(len, both)) > MOST_FILLED * n * n:
        return None
    columns = minimum_degree(both)
    filled = _fill(both, columns)
    if sum(map(len, filled.rows)) > MOST_FILLED * n * n or (k <= 2 and filled.products <= WRITTEN):
        return None
    place = {column: number for number, column in enumerate(columns)}
    given = tuple((number, place[j]) for number, column in enumerate(columns) for j in held[column])
    ordered = tuple(order[column] for column in columns)
    return SparseForm(ordered, tuple(columns), given, tuple(map(tuple, filled.rows)))


def _fill(pattern: Sequence[set[int]], columns: Sequence[int]) -> _Filled:
    """The symmetric pattern of both factors, in places."""
    place = {column: number for number, column in enumerate(columns)}
    after = [{place[j] for j in pattern[column]} for column in columns]
    after = [{j for j in row if j > i} for i, row in enumerate(after)]
    rows: list[list[int]] = [[i] for i in range(len(columns))]
    products = 0
    for i, row in enumerate(after):
        if row:
            first = min(row)
            after[first] |= row - {first}
        for j in row:
            rows[j].append(i)
        rows[i] += row
        products += (len(row) + 1) * len(row) + len(row)
    return _Filled([sorted(row) for row in rows], products)
