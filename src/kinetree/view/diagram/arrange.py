"""Places for the bodies of a diagram: the tree from left to right, in bands.

A body is in the column of its depth, in the middle of what it carries; bodies that nothing joins
come last.  A subtree has a band of the drawing for itself, high enough for all of its bodies, and a
column is as wide as the widest of its bodies, so that no edge of the tree crosses another and no
two bodies overlap.  The places depend on the tree and its bodies' sizes alone, in the order of the
model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

SPACE = 3
"""Units of the grid between two bodies, one above the other."""
GAP = 5
"""Units between the bodies of two columns, beside what the steps of joints take."""
STEP = 3
"""Units that a step of a joint takes."""

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
    depth: dict[str, int] = {}
    middle: dict[str, int] = {}
    top = -SPACE
    for root in (name for name in names if name not in parent):
        order = _outward(root, children)
        above, below, offset = _bands(order, children, sizes)
        for name in order:
            inner = parent.get(name)
            depth[name] = 0 if inner is None else depth[inner] + 1
            middle[name] = top + above[name] if inner is None else middle[inner] + offset[name]
        top += above[root] + below[root]
    left = _columns(depth, parent, steps, sizes)
    return {name: (left[depth[name]], middle[name]) for name in depth}


def _bands(
    order: Sequence[str], children: Mapping[str, Sequence[str]], sizes: BodySizes
) -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
    """Room above and below every body for its subtree, and how far it is below its carrier."""
    above: dict[str, int] = {}
    below: dict[str, int] = {}
    offset: dict[str, int] = {}
    for name in reversed(order):
        end = 0
        for child in children[name]:
            offset[child] = end + above[child]
            end += above[child] + below[child]
        kids = children[name]
        middle = (offset[kids[0]] + offset[kids[-1]]) // 2 if kids else 0
        for child in children[name]:
            offset[child] -= middle
        half = -(-(sizes[name][1] + SPACE) // 2)
        above[name], below[name] = max(half, middle), max(half, end - middle)
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
