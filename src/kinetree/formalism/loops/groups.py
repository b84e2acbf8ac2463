"""Groups of loops: which equations have to be solved together, and in which order.

Equations and unknowns are matched one to one; an equation needs the unknowns of others that it
uses.  Equations that need each other in a circle are one group; groups stand in the order in which
they can be solved (the block triangular form of J).

Refs: DuffReid1978; Docquier2013 sec. 3.5.1
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter

import numpy as np


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
    from scipy.sparse import csr_matrix  # noqa: PLC0415  heavy
    from scipy.sparse.csgraph import (  # noqa: PLC0415
        connected_components,
        maximum_bipartite_matching,
    )

    rows = list(uses)
    at = {name: k for k, name in enumerate(unknowns)}
    pairs = [(i, at[name]) for i, row in enumerate(rows) for name in uses[row] if name in at]
    if not rows:
        return []
    size = (len(rows), len(unknowns))
    i, j = np.array(pairs, dtype=np.int32).reshape(-1, 2).T
    pattern = csr_matrix((np.ones(len(i)), (i, j)), shape=size)
    match = maximum_bipartite_matching(pattern, perm_type="row")  # unknown -> equation
    if len(rows) != len(unknowns) or (match < 0).any():
        message = "the equations cannot be matched with the unknowns"
        raise ValueError(message)
    needs = csr_matrix((np.ones(len(i)), (i, match[j])), shape=(len(rows), len(rows)))
    _, label = connected_components(needs, connection="strong")
    return _in_order(rows, [unknowns[k] for k in np.argsort(match)], needs, label)


def _in_order(
    rows: Sequence[str], matched: Sequence[str], needs: object, label: np.ndarray
) -> list[Group]:
    """The groups so that each needs only those before it; among equals the first equation leads."""
    members: dict[int, list[int]] = {}
    for k, group in enumerate(label):
        members.setdefault(int(group), []).append(k)
    before: dict[int, set[int]] = {group: set() for group in members}
    for i, j in zip(*needs.nonzero(), strict=True):  # type: ignore[attr-defined]
        if label[i] != label[j]:
            before[int(label[i])].add(int(label[j]))
    sorter = TopologicalSorter(before)
    sorter.prepare()
    found: list[Group] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready(), key=lambda group: members[group][0])
        for group in ready:
            at = members[group]
            found.append(Group(tuple(rows[k] for k in at), tuple(matched[k] for k in at)))
        sorter.done(*ready)
    return found


def connected(uses: Mapping[str, Sequence[str]]) -> list[Group]:
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


__all__ = ["Group", "connected", "groups"]
