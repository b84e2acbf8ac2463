"""Structure of a sparse matrix: rows matched with columns, and blocks that follow one another.

With rows in the order of the columns that they are matched with, no diagonal entry is a structural
zero, and the strongly connected sets of the pattern are the diagonal blocks of a block triangular
matrix: each needs only unknowns of the blocks before it (Duff2017 chap. 6).

Refs: Duff2017 chap. 6
"""

from __future__ import annotations

Pattern = list[list[int]]
"""Per row, the columns of the entries that are not structural zeros."""


def matched(pattern: Pattern) -> list[int] | None:
    """Column -> a row of its own with an entry there; None where there are not enough.

    The diagonal is taken where it can be; every other column is reached by an augmenting path.
    """
    row_of: dict[int, int] = {i: i for i, row in enumerate(pattern) if i in row}
    left = [row for row in range(len(pattern)) if row not in row_of]
    if not all(_augmented(pattern, row, row_of) for row in left):
        return None
    return [row_of[column] for column in range(len(pattern))]


def _augmented(pattern: Pattern, start: int, row_of: dict[int, int]) -> bool:
    """Give a row a column, moving others on along a shortest path; whether there is one."""
    came: dict[
        int, tuple[int, int]
    ] = {}  # column -> (row that reaches it, column left by that row)
    queue = [(start, -1)]
    for row, left in queue:
        for column in pattern[row]:
            if column in came:
                continue
            came[column] = (row, left)
            if column not in row_of:
                _move(row_of, came, column)
                return True
            queue.append((row_of[column], column))
    return False


def _move(row_of: dict[int, int], came: dict[int, tuple[int, int]], column: int) -> None:
    while column >= 0:
        row, left = came[column]
        row_of[column] = row
        column = left


def blocks(needs: Pattern) -> list[list[int]]:
    """Sets of unknowns that need each other, each after those that it needs (Tarjan1972).

    Refs: Tarjan1972
    """
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    waiting: set[int] = set()
    found: list[list[int]] = []
    for root in range(len(needs)):
        if root in number:
            continue
        path = [(root, iter(needs[root]))]
        _enter(root, number, low, stack, waiting)
        while path:
            node, rest = path[-1]
            child = next((c for c in rest if c not in number or c in waiting), None)
            if child is None:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == number[node]:
                    found.append(_leave(node, stack, waiting))
            elif child in number:
                low[node] = min(low[node], number[child])
            else:
                _enter(child, number, low, stack, waiting)
                path.append((child, iter(needs[child])))
    return found


def _enter(
    node: int, number: dict[int, int], low: dict[int, int], stack: list[int], waiting: set[int]
) -> None:
    number[node] = low[node] = len(number)
    stack.append(node)
    waiting.add(node)


def _leave(node: int, stack: list[int], waiting: set[int]) -> list[int]:
    """The set that is complete with this node, in order of its numbers."""
    place = stack.index(node)
    members = stack[place:]
    del stack[place:]
    waiting.difference_update(members)
    return sorted(members)


def ordered(rows: Pattern) -> tuple[list[int], int]:
    """(order of elimination of a block with a full diagonal, operations that it takes).

    The next pivot is always the one that costs least (Markowitz1957).  With row pivoting every row
    that has an entry in the column may become the pivot row, so all of them fill up alike.

    Refs: Markowitz1957
    """
    pattern = {i: set(row) for i, row in enumerate(rows)}
    order: list[int] = []
    operations = 0
    while pattern:
        costs = {c: _cost(pattern, c) for c in pattern}
        best = min(costs, key=lambda c: (costs[c], c))
        operations += costs[best]
        others = [i for i, row in pattern.items() if best in row and i != best]
        full = pattern.pop(best).union(*(pattern[i] for i in others)) - {best}
        for i in others:
            pattern[i] = set(full)
        order.append(best)
    return order, operations


def _cost(pattern: dict[int, set[int]], column: int) -> int:
    """Operations with a pivot: comparisons and exchanges of rows, products and differences."""
    others = [row for i, row in pattern.items() if column in row and i != column]
    width = len(pattern[column].union(*others))
    return 1 + len(others) * (4 + 2 * width + 2 * (width - 1))


def diagonal_order(rows: Pattern, most: int) -> tuple[list[int], int] | None:
    """(order of elimination with pivots on the diagonal, products that it takes).

    None where the diagonal has a structural zero, or where it takes more than `most` products.
    Pivots that have nothing to do with each other may change places; here each stands as near as
    can be to the one that needs it next.

    Refs: Markowitz1957
    """
    across = {i: set(row) for i, row in enumerate(rows)}
    if any(i not in row for i, row in across.items()):
        return None
    down: dict[int, set[int]] = {i: set() for i in across}
    for i, row in across.items():
        for j in row:
            down[j].add(i)
    beside: dict[int, set[int]] = {}
    products = 0
    while across:
        best = min(across, key=lambda i: ((len(across[i]) - 1) * (len(down[i]) - 1), i))
        row, column = across.pop(best) - {best}, down.pop(best) - {best}
        products += (len(row) + 1) * len(column) + len(row)
        if products > most:
            return None
        for i in column:
            across[i] = (across[i] | row) - {best}
        for j in row:
            down[j] = (down[j] | column) - {best}
        beside[best] = row | column
    return _neighbours_together(beside), products


def _neighbours_together(beside: dict[int, set[int]]) -> list[int]:
    """Pivots in an order with the same fill: each right behind those that act on it.

    A pivot acts first on the one among its neighbours that follows next; that makes a tree, whose
    leaves come before their parents.
    """
    place = {pivot: number for number, pivot in enumerate(beside)}
    children: dict[int, list[int]] = {}
    roots: list[int] = []
    for pivot, others in beside.items():
        if others:
            children.setdefault(min(others, key=place.__getitem__), []).append(pivot)
        else:
            roots.append(pivot)
    order: list[int] = []
    stack = roots
    while stack:
        pivot = stack.pop()
        order.append(pivot)
        stack.extend(children.get(pivot, ()))
    return order[::-1]
