"""Places for the bodies of a diagram: the tree from left to right, in bands.

A body is in the column of its depth, in the middle of what it carries; bodies that nothing joins
come last.  A subtree has a band of the drawing for itself, high enough for all of its bodies, and a
column is as wide as the widest of its bodies, so that no edge of the tree crosses another and no
two bodies overlap.  A long chain, such as an arm, goes on in further lines of its band, one below
the other.  The places depend on the tree and its bodies' sizes alone, in the order of the model.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

SPACE = 3
"""Units of the grid between two bodies, one above the other."""
GAP = 5
"""Units between the bodies of two columns, beside what the steps of joints take."""
STEP = 3
"""Units that a step of a joint takes."""

GUTTER = 4
"""Units between two lines of a chain, in which its joint goes back."""
BROAD = 6
"""Columns of a drawing in which no chain is folded."""

BodySizes = Mapping[str, tuple[int, int]]
"""Width and height of every body."""


def arrange(
    names: Sequence[str], parent: Mapping[str, str], steps: Mapping[str, int], sizes: BodySizes
) -> dict[str, tuple[int, int]]:
    """Left side and middle of every body, in units of the grid.

    Args:
        names: of the bodies, the ground first.
        parent: of the bodies that a joint carries.
        steps: number of steps of these joints.
        sizes: of the bodies.
    """
    children: dict[str, list[str]] = {name: [] for name in names}
    for child in names:
        if child in parent:
            children[parent[child]].append(child)
    orders = [_outward(name, children) for name in names if name not in parent]
    column, folded = _fold([name for order in orders for name in order], parent, children)
    middle: dict[str, int] = {}
    top = -SPACE
    for order in orders:
        root = order[0]
        above, below, offset = _bands(order, children, folded, sizes)
        for name in order:
            inner = parent.get(name)
            middle[name] = top + above[name] if inner is None else middle[inner] + offset[name]
        top += above[root] + below[root]
    left = _columns(column, parent, steps, sizes)
    return {name: (left[column[name]], middle[name]) for name in column}


def _fold(
    order: Sequence[str], parent: Mapping[str, str], children: Mapping[str, Sequence[str]]
) -> tuple[dict[str, int], dict[str, list[str]]]:
    """Column of every body; where a chain goes on in a further line, the bodies of that before.

    A chain is bodies that carry one body each; its lines are so long that a drawing of that many
    bodies is about as high as wide.  Further lines begin one column after the first one, so that
    what leads to them crosses nothing that leads to others.
    """
    depth: dict[str, int] = {}
    run: dict[str, list[str]] = {}  # the chain of a body
    for name in order:
        inner = parent.get(name)
        depth[name] = 0 if inner is None else depth[inner] + 1
        alone = inner is not None and len(children[inner]) == 1
        run[name] = run[inner] if alone and inner is not None else []
        run[name].append(name)
    most = max(3, math.ceil(math.sqrt(len(depth) / 2)))
    if max(depth.values(), default=0) < BROAD:
        return depth, {}
    column: dict[str, int] = {}
    folded = {}
    for name in order:
        inner, chain = parent.get(name), run[name]
        column[name] = 0 if inner is None else column[inner] + 1
        number = chain.index(name) if len(chain) > most + 1 else 0
        if number and number % most == 0:
            column[name] = column[chain[0]] + 1
            folded[name] = chain[number - most : number]
    return column, folded


def _bands(
    order: Sequence[str], children: Mapping[str, Sequence[str]],
    folded: Mapping[str, Sequence[str]], sizes: BodySizes,
) -> tuple[dict[str, int], dict[str, int], dict[str, int]]:  # fmt: skip
    """Room above and below every body for its subtree, and how far it is below its carrier."""
    above: dict[str, int] = {}
    below: dict[str, int] = {}
    offset: dict[str, int] = {}
    half = {name: -(-(sizes[name][1] + SPACE) // 2) for name in order}
    for name in reversed(order):
        kids, end = children[name], 0
        if kids and kids[0] in folded:
            least = max(half[one] for one in folded[kids[0]])
            offset[kids[0]] = 2 * max(least, above[kids[0]]) + GUTTER  # its joint is in the middle
            above[name], below[name] = half[name], offset[kids[0]] + below[kids[0]]
            continue
        for child in kids:
            offset[child] = end + above[child]
            end += above[child] + below[child]
        middle = (offset[kids[0]] + offset[kids[-1]]) // 2 if kids else 0
        for child in kids:
            offset[child] -= middle
        above[name], below[name] = max(half[name], middle), max(half[name], end - middle)
    return above, below, offset


def _outward(root: str, children: Mapping[str, Sequence[str]]) -> list[str]:
    """A body and all that it carries, parents first, in the order of the model."""
    order, work = [], [root]
    while work:
        name = work.pop()
        order.append(name)
        work.extend(reversed(children[name]))
    return order


def _columns(
    depth: Mapping[str, int], parent: Mapping[str, str], steps: Mapping[str, int], sizes: BodySizes
) -> list[int]:
    """Left side of every column."""
    deepest = max(depth.values(), default=0)
    widest, longest = [0] * (deepest + 1), [0] * (deepest + 1)
    for name, column in depth.items():
        widest[column] = max(widest[column], sizes[name][0])
        longest[column] = max(longest[column], steps.get(name, 0) if name in parent else 0)
    left = [0]
    for column in range(deepest):
        left.append(left[-1] + widest[column] + GAP + STEP * longest[column + 1])
    return left
