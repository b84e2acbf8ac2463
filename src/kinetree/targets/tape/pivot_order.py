"""Orders of elimination of sparse matrices, the cheapest pivot first.

Refs: Markowitz1957
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from kinetree.program.sparsity import Pattern


def elimination_order(rows: Pattern, most: float = inf) -> tuple[list[int], int]:
    """(order of elimination of a block with a full diagonal, operations that it takes).

    The next pivot is always the one that costs least (Markowitz1957).  With row pivoting every row
    that has an entry in the column may become the pivot row, so all of them fill up alike.  Above
    `most` operations the rest stands in no order, and its operations are not counted.

    Refs: Markowitz1957
    """
    across = {i: set(row) for i, row in enumerate(rows)}
    down: dict[int, set[int]] = {i: set() for i in across}
    for i, row in across.items():
        for j in row:
            down[j].add(i)
    order: list[int] = []
    operations = 0
    costs = {c: _cost(across, down[c], c) for c in across}
    while across and operations <= most:
        best = min(costs, key=lambda c: (costs[c], c))
        operations += costs.pop(best)
        others = down.pop(best) - {best}
        full = across.pop(best).union(*(across[i] for i in others)) - {best}
        for i in others:
            across[i] = set(full)
        for c in full:
            down[c] = (down[c] | others) - {best}
        costs.update({c: _cost(across, down[c], c) for c in full})
        order.append(best)
    return [*order, *across], operations


def _cost(across: Mapping[int, set[int]], holders: set[int], column: int) -> int:
    """Operations with a pivot: comparisons and exchanges of rows, products and differences."""
    others = [across[i] for i in holders if i != column]
    width = len(across[column].union(*others))
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
