"""Stage 6, Pantelides: which equations have to be differentiated before all can be solved.

| in | out |
|---|---|
| a page | the same page with derivatives of rows; a matching of rows and highest derivatives |

Rows are matched with the highest derivatives in them.  Where a row finds none that is free, it and
all the rows that hold what it could have are too many for their highest derivatives: they limit
lower ones, which is why they are differentiated.

Refs: Pantelides1988
"""

from __future__ import annotations

from kinetree.acausal.connections import Joined
from kinetree.acausal.diagnosis import refuse_singular
from kinetree.acausal.incidence import Incidence
from kinetree.program.sparsity import match

Matching = dict[int, int]
"""Column -> row."""


def reduce_index(page: Incidence, joined: Joined | None = None) -> Matching:
    """Differentiate rows until every one that is not differentiated has a highest derivative.

    Args:
        page: all equations.
        joined: what connections say, for the cure where equations cannot be solved.

    Returns:
        Column of a highest derivative -> its row.

    Raises:
        ModelError: where no number of derivatives would help.
    """
    refuse_singular(page, joined)
    last = [k for k, grown in enumerate(page.grown) if grown < 0]
    row_of = {c: last[k] for c, k in match([page.highest(row) for row in last]).items()}
    column_of = {row: column for column, row in row_of.items()}
    for first in last:
        row = first
        while row not in column_of:
            reached = _augment(page, row, row_of, column_of)
            if reached is not None:
                row = _differentiate(page, reached, row, (row_of, column_of))
    return row_of


def _augment(
    page: Incidence, start: int, row_of: Matching, column_of: Matching
) -> tuple[list[int], list[int]] | None:
    """Give a row a column of its own; else the rows and columns that stand in each other's way."""
    rows, came = [start], dict[int, int]()
    for row in rows:  # grows as it is walked
        for column in page.highest(row):
            if column in came:
                continue
            came[column] = row
            if column in row_of:
                rows.append(row_of[column])
                continue
            free: int | None = column
            while free is not None:
                row_of[free] = came[free]
                column_of[came[free]], free = free, column_of.get(came[free])
            return None
    return rows, list(came)


def _differentiate(
    page: Incidence,
    reached: tuple[list[int], list[int]],
    row: int,
    pairs: tuple[Matching, Matching],
) -> int:
    """Differentiate rows and columns; pairs go on with their derivatives."""
    row_of, column_of = pairs
    rows, columns = reached
    for one in rows:
        page.differentiate_row(one)
    for column in columns:
        old, new = row_of.pop(column), page.differentiate_column(column)
        del column_of[old]
        row_of[new], column_of[page.grown[old]] = page.grown[old], new
    return page.grown[row]
