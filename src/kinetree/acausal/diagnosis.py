"""Diagnosis: which equations compete, which variables lack one, in the words of components.

A maximum matching cuts a page that cannot be solved into three parts (Dulmage and Mendelsohn): rows
that are too many for their columns, columns that are too many for their rows, and the rest.

Refs: DulmageMendelsohn1958
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kinetree.errors import ModelError
from kinetree.program.sparsity import Pattern, match

if TYPE_CHECKING:
    from kinetree.acausal.incidence import Incidence

MOST = 6
"""Names that a sentence lists."""


def refuse_singular(page: Incidence) -> None:
    """Refuse equations that cannot be solved for the variables, whatever is differentiated."""
    pattern = [sorted({page.place[c][0] for c in held}) for held in page.holds]
    row_of = match(pattern)
    size = len(page.variables)
    if len(row_of) == len(pattern) == size:
        return
    many, few = excess_rows(pattern, row_of), excess_columns(pattern, row_of, size)
    sentences = []
    if many:
        parts = dict.fromkeys(str(page.origin[k]) for k in many)
        names = dict.fromkeys(page.variables[c].path for k in many for c in pattern[k])
        ending = "" if len(parts) > 1 else "s"
        told = f"compete{ending} for {_list(names)}" if names else f"follow{ending} from the others"
        sentences.append(f"{_list(parts)} {told}")
    if few:
        names = dict.fromkeys(page.variables[c].path for c in few)
        sentences.append(f"{_list(names)} {'lack' if len(names) > 1 else 'lacks'} an equation")
    raise ModelError("; ".join(sentences), element="the whole", cure=_cure(page, many, few))


def _list(names: Sequence[str] | dict[str, None]) -> str:
    listed = list(names)
    more = f" and {len(listed) - MOST} more" if len(listed) > MOST else ""
    return ", ".join(name if " " in name else f"'{name}'" for name in listed[:MOST]) + more


def _cure(page: Incidence, many: Sequence[int], few: Sequence[int]) -> str:
    """What to do: a potential without reference, sources that contradict each other."""
    roles = {page.variables[c].role for c in few}
    if "across" in roles:
        return "give one of these potentials a reference (a ground, a fixed end)"
    if many and "through" in roles:
        return "two parts prescribe the same potential: put something between them or remove one"
    return "add an equation for each, or take away those that compete"


def excess_rows(pattern: Pattern, row_of: dict[int, int]) -> list[int]:
    """Rows that are too many for the columns that they hold."""
    matched = set(row_of.values())
    rows = [k for k in range(len(pattern)) if k not in matched]
    seen = set(rows)
    for row in rows:  # grows as it is walked
        for column in pattern[row]:
            other = row_of.get(column)
            if other is not None and other not in seen:
                seen.add(other)
                rows.append(other)
    return sorted(seen)


def excess_columns(pattern: Pattern, row_of: dict[int, int], size: int) -> list[int]:
    """Columns that are too many for the rows that hold them."""
    users: list[list[int]] = [[] for _ in range(size)]
    for row, held in enumerate(pattern):
        for column in held:
            users[column].append(row)
    column_of = {row: column for column, row in row_of.items()}
    columns = [c for c in range(size) if c not in row_of]
    seen = set(columns)
    for column in columns:  # grows as it is walked
        for row in users[column]:
            other = column_of.get(row)
            if other is not None and other not in seen:
                seen.add(other)
                columns.append(other)
    return sorted(seen)
