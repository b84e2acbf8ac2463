"""Stage 8, blocks: what is solved together, in the order in which it can be.

| in | out |
|---|---|
| a page, its states | groups of rows with the columns they are solved for: block triangular form |

Refs: DuffReid1978; Tarjan1972
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from kinetree.acausal.incidence import Incidence
from kinetree.errors import ModelError
from kinetree.program.sparsity import match, strong_components


@dataclass(frozen=True, slots=True)
class SolvedTogether:
    """Rows, and the columns that they are solved for."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]


def sort_rows(
    page: Incidence, known: Collection[int], tied: Iterable[Sequence[int]] = ()
) -> list[SolvedTogether]:
    """The smallest groups, each after those that it needs.

    Args:
        page: all equations.
        known: columns that are not solved for: the states.
        tied: rows that are to be in one group.
    """
    taken = set(known)
    unknown = [column for column in range(len(page.columns)) if column not in taken]
    pattern = [[column for column in held if column not in taken] for held in page.holds]
    row_of = match(pattern)
    if not len(row_of) == len(pattern) == len(unknown):
        lacking = [page.columns[c].name for c in unknown if c not in row_of]
        raise ModelError(
            f"{len(pattern)} equations do not determine {len(unknown)} unknowns; "
            f"nothing is left for {', '.join(lacking[:6])}",
            element="the whole",
            cure="look for parts that say the same",
        )
    column_of = {row: column for column, row in row_of.items()}
    needs = [[row_of[column] for column in held] for held in pattern]
    for rows in tied:
        for row, other in zip(rows, (*rows[1:], rows[0]), strict=True):
            needs[row].append(other)
    return [
        SolvedTogether(tuple(part), tuple(column_of[row] for row in part))
        for part in strong_components(needs)
    ]
