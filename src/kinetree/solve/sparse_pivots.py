"""Pivots of large sparse matrices: the best columns to solve for, without a full matrix.

Rows are scaled to a largest entry of 1.  Columns are taken by their worth, the least first; of
equal ones that with the fewest entries, which fills least.  A pivot must not be small beside the
largest entry of its row; a column that has none waits until others have given way.

Refs: Markowitz1957
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush

SHARES = (0.1, 1e-3, 1e-8)
"""Least share of the largest entry of its row that a pivot has, lowered in turn."""
ROUNDING = 1e-13
"""Entries below this are what rounding leaves of zero."""


def sparse_columns(rows: Sequence[Mapping[int, float]], worth: Sequence[int]) -> list[int]:
    """Columns with pivots, as many as there are independent rows.

    Args:
        rows: column -> entry of every row.
        worth: of every column; those of most worth are left without a pivot.
    """
    found: list[int] = []
    matrix = _SparseRows(rows)
    for share in SHARES:
        found += matrix.take(worth, share)
        if not matrix.rows:
            break
    return found


class _SparseRows:
    """The rows that have no pivot yet, by number, and who holds which column."""

    def __init__(self, rows: Sequence[Mapping[int, float]]) -> None:
        self.rows: dict[int, dict[int, float]] = {}
        self.holders: dict[int, set[int]] = {}
        for i, row in enumerate(rows):
            largest = max((abs(x) for x in row.values()), default=0.0)
            if largest > 0.0:
                self.rows[i] = {j: x / largest for j, x in row.items() if x}
            for j in self.rows.get(i, ()):
                self.holders.setdefault(j, set()).add(i)

    def take(self, worth: Sequence[int], share: float) -> list[int]:
        """Take pivots of at least that share of their rows, as long as there are any."""
        queue = [(worth[j], len(held), j) for j, held in self.holders.items()]
        heapify(queue)
        found: list[int] = []
        while queue and self.rows:
            _, count, j = heappop(queue)
            held = self.holders.get(j)
            if not held or count != len(held):
                continue
            pivot = self._row(j, share)
            if pivot is None:
                continue  # it comes again where its rows change, or with a lower share
            found.append(j)
            for c in self._eliminate(pivot, j):
                heappush(queue, (worth[c], len(self.holders[c]), c))
        return found

    def _row(self, j: int, share: float) -> int | None:
        """The shortest row with a good entry in a column."""
        good = [
            (len(self.rows[i]), i) for i in self.holders[j]
            if abs(self.rows[i][j]) >= share * max(map(abs, self.rows[i].values()))
        ]  # fmt: skip
        return min(good)[1] if good else None

    def _eliminate(self, pivot: int, j: int) -> set[int]:
        """Take a column out of all other rows; the columns whose holders changed."""
        source = self.rows.pop(pivot)
        held = self.holders.pop(j) - {pivot}
        entry = source.pop(j)
        for c in source:
            self.holders[c].discard(pivot)
        for i in sorted(held):
            row = self.rows[i]
            ratio = row.pop(j) / entry
            for c, x in source.items():
                row[c] = row.get(c, 0.0) - ratio * x
                self.holders[c].add(i)
            for c in [c for c, x in row.items() if abs(x) <= ROUNDING]:
                del row[c]
                self.holders[c].discard(i)
            if not row:
                del self.rows[i]  # it depends on others
        return set(source)
