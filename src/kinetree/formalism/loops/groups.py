"""Groups of loops: which equations have to be solved together, and in which order.

Equations and unknowns are matched one to one; an equation needs the unknowns of others that it
uses.  Equations that need each other in a circle are one group; groups stand in the order in which
they can be solved (the block triangular form of J).

Refs: DuffReid1978; Docquier2013 sec. 3.5.1
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter

from kinetree.program.sparsity import match, strong_components


@dataclass(frozen=True)
class Group:
    """Equations, by label, and the velocities that they are solved for together."""

    rows: tuple[str, ...]
    unknowns: tuple[str, ...]


def groups(uses: Mapping[str, Collection[str]], unknowns: Sequence[str]) -> list[Group]:
    """The smallest groups, in order of solution.

    Args:
        uses: equation -> the velocities that change it.
        unknowns: as many as there are equations.

    Raises:
        ValueError: where no one-to-one matching exists: J would be singular for all values.
    """
    rows = list(uses)
    at = {name: k for k, name in enumerate(unknowns)}
    pattern = [sorted(at[name] for name in uses[row] if name in at) for row in rows]
    row_of = match(pattern, last_first=True)
    if not len(rows) == len(unknowns) == len(row_of):
        message = "the equations cannot be matched with the unknowns"
        raise ValueError(message)
    needs = [[row_of[column] for column in columns] for columns in pattern]
    column_of = {row: column for column, row in row_of.items()}
    return [
        Group(tuple(rows[k] for k in part), tuple(unknowns[column_of[k]] for k in part))
        for part in _in_order(needs, strong_components(needs))
    ]


def _in_order(needs: Sequence[Sequence[int]], parts: Sequence[list[int]]) -> Iterator[list[int]]:
    """The parts so that each needs only those before it; among equals the first equation leads."""
    part_of = {k: number for number, part in enumerate(parts) for k in part}
    before = {
        number: {part_of[j] for k in part for j in needs[k]} - {number}
        for number, part in enumerate(parts)
    }
    sorter = TopologicalSorter(before)
    sorter.prepare()
    while sorter.is_active():
        ready = sorted(sorter.get_ready(), key=lambda number: parts[number][0])
        yield from (parts[number] for number in ready)
        sorter.done(*ready)


def connected_groups(uses: Mapping[str, Sequence[str]]) -> list[Group]:
    """Groups of equations that share no velocity with others; each has all its velocities."""
    found: list[tuple[list[str], dict[str, None]]] = []
    for label, names in uses.items():
        rows, used = [label], dict.fromkeys(names)
        apart = []
        for other in found:
            if used.keys().isdisjoint(other[1]):
                apart.append(other)
            else:
                rows, used = other[0] + rows, {**other[1], **used}
        found = [*apart, (rows, used)]
    return [Group(tuple(rows), tuple(used)) for rows, used in found]
