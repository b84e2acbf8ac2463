"""Order of elimination of a sparse symmetric matrix: the row with the fewest neighbours first.

Refs: Duff2017
"""

from __future__ import annotations

from collections.abc import Sequence


def minimum_degree(pattern: Sequence[set[int]]) -> list[int]:
    """Rows in the order of their elimination.

    Args:
        pattern: the columns of every row that are not zero, symmetric.
    """
    near = [set(row) - {i} for i, row in enumerate(pattern)]
    left = set(range(len(pattern)))
    found: list[int] = []
    while left:
        row = min(left, key=lambda i: (len(near[i]), i))
        left.remove(row)
        found.append(row)
        for i in near[row]:
            near[i] |= near[row]
            near[i] -= {i, row}
    return found
