"""Zeros of matrices: what a factorisation fills, and what is solved together, before any number is.

With every row matched with a column of its own, the rows that need each other in a circle are the
diagonal blocks of a block triangular matrix: each needs only columns of the blocks before it.

Refs: Duff2017 chap. 6; HopcroftKarp1973; Tarjan1972; Featherstone2008 sec. 6.5
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush

Pattern = Sequence[Sequence[int]]
"""Per row, the columns of the entries that are not structural zeros."""


def fill_in(lower: Iterable[Iterable[int]]) -> list[set[int]]:
    """Columns left of the diagonal that are not zero in L of A = Lᵀ D L, fill-in included.

    Args:
        lower: per row of A, the columns left of the diagonal that are not zero.
    """
    rows = [set(row) for row in lower]
    for k in reversed(range(len(rows))):
        for i in rows[k]:
            rows[i] |= {j for j in rows[k] if j < i}
    return rows


def factor_products(rows: Iterable[set[int]]) -> int:
    """Products that Lᵀ D L takes; `rows` are those of `filled`."""
    return sum(len(row) * (len(row) + 3) // 2 for row in rows)


def minimum_degree(pattern: Sequence[Collection[int]], late: Collection[int] = ()) -> list[int]:
    """Rows in the order of their elimination: always the one with the fewest neighbours left.

    Args:
        pattern: the columns of every row that are not zero, symmetric.
        late: rows that come after all others that stand in them: their diagonal is made by these.

    Refs: Duff2017
    """
    near = [set(row) - {i} for i, row in enumerate(pattern)]
    waits = {i: set(pattern[i]) - {*late} for i in late}
    ready = [(len(row), i) for i, row in enumerate(near) if not waits.get(i)]
    heapify(ready)
    done: set[int] = set()
    found: list[int] = []
    while ready:
        degree, row = heappop(ready)
        if row in done or degree != len(near[row]):
            continue
        done.add(row)
        found.append(row)
        for i in near[row]:
            near[i] |= near[row]
            near[i] -= {i, row}
        for i in {*near[row], *waits}:
            waits.get(i, set()).discard(row)
            if i not in done and not waits.get(i):
                heappush(ready, (len(near[i]), i))
    return found


def match(
    pattern: Pattern, start: Mapping[int, int] | None = None, *, last_first: bool = False
) -> dict[int, int]:
    """Column -> row, for as many rows as can have a column of their own.

    In every round paths that are shortest, and share no row, exchange columns so that one row more
    has one each; few rounds are needed.  The outcome depends on the pattern alone.

    Args:
        pattern: the matrix; any shape.
        start: pairs column -> row to begin with.
        last_first: which of several paths is taken, that through the last columns or the first.

    Refs: HopcroftKarp1973
    """
    row_of = dict(start or {})
    column_of = {row: column for column, row in row_of.items()}
    while level := _levels(pattern, row_of, column_of):
        for row in [row for row, depth in level.items() if not depth]:
            _augment(pattern, row, level, (row_of, column_of), last_first=last_first)
    return row_of


def _levels(
    pattern: Pattern, row_of: Mapping[int, int], column_of: Mapping[int, int]
) -> dict[int, int]:
    """Row -> exchanges between it and a row without a column, up to the first that finds one."""
    layer = [row for row in range(len(pattern)) if row not in column_of]
    level = dict.fromkeys(layer, 0)
    while layer:
        columns = [column for row in layer for column in pattern[row]]
        if any(column not in row_of for column in columns):
            return level
        depth = level[layer[0]] + 1
        layer = list(dict.fromkeys(r for c in columns if (r := row_of[c]) not in level))
        level |= dict.fromkeys(layer, depth)
    return {}


def _augment(
    pattern: Pattern,
    start: int,
    level: dict[int, int],
    pairs: tuple[dict[int, int], dict[int, int]],
    *,
    last_first: bool,
) -> None:
    """Give a row a column, along a path of one level more at each step; rows seen lose theirs."""
    row_of, column_of = pairs
    stack, came = [start], {start: start}
    while stack:
        row = stack.pop()
        depth = level.pop(row, None)
        if depth is None:
            continue
        column: int | None = next((c for c in pattern[row] if c not in row_of), None)
        while column is not None:
            row_of[column] = row
            column_of[row], column = column, column_of.get(row)
            row = came[row]
        if start in column_of:
            return
        holders = [row_of[c] for c in pattern[row]]
        for holder in holders if last_first else reversed(holders):
            if level.get(holder) == depth + 1:
                came[holder] = row
                stack.append(holder)


def strong_components(needs: Pattern) -> list[list[int]]:
    """Sets of nodes that need each other, each after those that it needs, its nodes in order.

    Refs: Tarjan1972
    """
    number: dict[int, int] = {}
    low: dict[int, int] = {}  # the first node on the stack that is reached from it
    stack: list[int] = []
    found: list[list[int]] = []
    done: set[int] = set()
    for root in range(len(needs)):
        path = [] if root in number else [(root, iter(needs[root]))]
        while path:
            node, rest = path[-1]
            if node not in number:
                number[node] = low[node] = len(number)
                stack.append(node)
            child = next((c for c in rest if c not in done), None)
            if child is not None and child in number:
                low[node] = min(low[node], number[child])
            elif child is not None:
                path.append((child, iter(needs[child])))
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == number[node]:
                    found.append(_pop_through(stack, node))
                    done.update(found[-1])
    return found


def _pop_through(stack: list[int], last: int) -> list[int]:
    """Take all down to a node off a stack, in order of their numbers."""
    taken = [stack.pop()]
    while taken[-1] != last:
        taken.append(stack.pop())
    return sorted(taken)
