"""Places for the bodies of a diagram: the tree from left to right, one line per leaf.

A body is in the column of its depth, in the middle of what it carries; bodies that nothing joins
come last.  Subtrees lie between lines of their own, so that no edge of the tree crosses another and
no two bodies overlap.  The places depend on the tree alone, in the order of the model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

ROW = 6
"""Units of the grid between two lines."""
GAP = 5
"""Units between the bodies of two columns, beside what the steps of joints take."""
STEP = 3
"""Units that a step of a joint takes."""


def width(name: str) -> int:
    """Units that a body takes, by its name."""
    return max(8, len(name) + 2)


def arrange(
    names: Sequence[str], parent: Mapping[str, str], steps: Mapping[str, int]
) -> dict[str, tuple[int, int]]:
    """Left side and middle of every body, in units of the grid.

    Args:
        names: of the bodies, the ground first.
        parent: of the bodies that a joint carries.
        steps: number of steps of these joints.
    """
    children: dict[str, list[str]] = {name: [] for name in names}
    for child in names:
        if child in parent:
            children[parent[child]].append(child)
    roots = [name for name in names if name not in parent]
    depth: dict[str, int] = {}
    lines: dict[str, int] = {}
    leaves = 0
    for root in roots:
        order = _outward(root, children)
        for name in order:
            depth[name] = depth[parent[name]] + 1 if name in parent else 0
        for name in order:
            if not children[name]:
                lines[name] = leaves * ROW
                leaves += 1
        for name in reversed(order):
            if children[name]:
                first, last = children[name][0], children[name][-1]
                lines[name] = (lines[first] + lines[last]) // 2
    left = _columns(depth, parent, steps)
    return {name: (left[depth[name]], lines[name]) for name in depth}


def _outward(root: str, children: Mapping[str, Sequence[str]]) -> list[str]:
    """A body and all that it carries, parents first, in the order of the model."""
    order, work = [], [root]
    while work:
        name = work.pop()
        order.append(name)
        work.extend(reversed(children[name]))
    return order


def _columns(
    depth: Mapping[str, int], parent: Mapping[str, str], steps: Mapping[str, int]
) -> list[int]:
    """Left side of every column."""
    deepest = max(depth.values(), default=0)
    widest, longest = [0] * (deepest + 1), [0] * (deepest + 1)
    for name, column in depth.items():
        widest[column] = max(widest[column], width(name))
        longest[column] = max(longest[column], steps.get(name, 0) if name in parent else 0)
    left = [0]
    for column in range(deepest):
        left.append(left[-1] + widest[column] + GAP + STEP * longest[column + 1])
    return left
