"""Places for the bodies of a diagram: the tree from left to right, in bands.

A body is in the column of its depth, in the middle of what it carries; bodies that nothing joins
come last.  A subtree has a band of the drawing for itself, high enough for all of its bodies, and a
column is as wide as the widest of its bodies, so that no edge of the tree crosses another and no
two bodies overlap.  What would be a thin strip is folded: a long chain, such as an arm, goes on in
further lines of its band, one below the other; many bodies on one stand in rows, and a joint that
reaches over others of its row goes along a lane below them.  The places depend on the tree and its
bodies' sizes alone, in the order of the model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

SPACE = 3
"""Units of the grid between two bodies, one above the other."""
GAP = 5
"""Units between the bodies of two columns, beside what the steps of joints take."""
STEP = 3
"""Units that a step of a joint takes."""

GUTTER = 4
"""Units between two lines of a chain, in which its joint goes back."""
BROAD = 5
"""Columns of a drawing in which no chain is folded."""
MANY = 6
"""Bodies on one that are worth rows."""
LENGTHS = (32, 24, 16, 12, 8, 6, 4, 3)
"""Bodies in a line of a chain that are tried: few, so that one body more changes little."""
BREADTHS = (2, 3, 4, 6, 8, 12, 16, 24, 32)
"""Columns of a row that are tried."""
WIDEST, NARROWEST, SQUARE = 2.2, 0.5, 0.8
"""Width over height: above the first chains are folded, below the second rows are made, until the
third."""

BodySizes = Mapping[str, tuple[int, int]]
"""Width and height of every body."""


class BodyPlace(NamedTuple):
    """Where a body is, in units of the grid.

    Attributes:
        x, y: its left side, and its middle.
        lane: height at which the line of its joint goes around other bodies, if it does.
    """

    x: int
    y: int
    lane: int | None = None


class Band(NamedTuple):
    """Room for a body and what it carries: above and below its middle, and columns."""

    above: int
    below: int
    span: int


class Seat(NamedTuple):
    """Where a body is from another one: columns to the right, and how far below; its lane."""

    base: str
    shift: int
    offset: int
    lane: int | None = None


@dataclass(frozen=True)
class BodyTree:
    """What is arranged.

    Attributes:
        orders: of every root, it and what it carries, parents first.
        parent: of the bodies that a joint carries.
        children: of every body.
        steps: number of steps of the joints, by the bodies that they carry.
        sizes: of the bodies.
        hang: units below a body that belong to it.
        origin: what of its carrier a body hangs on.
    """

    orders: Sequence[Sequence[str]]
    parent: Mapping[str, str]
    children: Mapping[str, Sequence[str]]
    steps: Mapping[str, int]
    sizes: BodySizes
    hang: Mapping[str, int] = field(default_factory=dict)
    origin: Mapping[str, str] = field(default_factory=dict)


def arrange(
    names: Sequence[str], parent: Mapping[str, str], steps: Mapping[str, int], sizes: BodySizes,
    hang: Mapping[str, int] | None = None, origin: Mapping[str, str] | None = None,
) -> dict[str, BodyPlace]:  # fmt: skip
    """Place of every body, in units of the grid.

    Args:
        names: of the bodies, the ground first.
        parent: of the bodies that a joint carries.
        steps: number of steps of these joints.
        sizes: of the bodies.
        hang: units below a body that what is drawn there takes.
        origin: point of its carrier that a body hangs on.
    """
    children: dict[str, list[str]] = {name: [] for name in names}
    for child in names:
        if child in parent:
            children[parent[child]].append(child)
    orders = [_outward(name, children) for name in names if name not in parent]
    tree = BodyTree(orders, parent, children, steps, sizes, hang or {}, origin or {})
    places, columns = _draw(tree, {}, 1)
    length = 0
    if columns > BROAD and _shape(places, sizes) > WIDEST:
        tries = ((_draw(tree, _lines(tree, long), 1)[0], long) for long in LENGTHS)
        places, length = _first(tries, lambda shape: shape <= WIDEST, sizes)
    if _shape(places, sizes) < NARROWEST:
        lines = _lines(tree, length) if length else {}
        rows = ((_draw(tree, lines, broad)[0], broad) for broad in BREADTHS)
        places, _ = _first(rows, lambda shape: shape >= SQUARE, sizes)
    return places


def _first(
    tries: Iterable[tuple[dict[str, BodyPlace], int]],
    good: Callable[[float], bool],
    sizes: BodySizes,
) -> tuple[dict[str, BodyPlace], int]:
    """The first drawing of a good shape, or the last one."""
    for found in tries:
        if good(_shape(found[0], sizes)):
            break
    return found


def _shape(places: Mapping[str, BodyPlace], sizes: BodySizes) -> float:
    """Width over height."""
    wide = max(place.x + sizes[name][0] for name, place in places.items())
    top = min(2 * place.y - sizes[name][1] for name, place in places.items())
    low = max(2 * place.y + sizes[name][1] for name, place in places.items())
    return 2 * wide / max(1, low - top)


def _draw(
    tree: BodyTree, lines: Mapping[str, str], breadth: int
) -> tuple[dict[str, BodyPlace], int]:
    """Places with these further lines of chains and rows of so many columns; number of columns."""
    blocks, seats = _seats(tree, lines, breadth)
    column: dict[str, int] = {}
    middle: dict[str, int] = {}
    lane: dict[str, int | None] = {}
    top = -SPACE
    for order in tree.orders:
        root = order[0]
        column[root], middle[root], lane[root] = 0, top + blocks[root].above, None
        for name in order[1:]:
            base, shift, offset, low = seats[name]
            column[name], middle[name] = column[base] + shift, middle[base] + offset
            lane[name] = None if low is None else middle[base] + low
        top += blocks[root].above + blocks[root].below
    left = _columns(column, tree)
    return {n: BodyPlace(left[column[n]], middle[n], lane[n]) for n in column}, len(left)


def _lines(tree: BodyTree, most: int) -> dict[str, str]:
    """Bodies at which a chain of more than so many goes on in a further line; first of the chain.

    A chain is bodies that carry one body each, and perhaps some that carry nothing.  Further lines
    begin one column after the first one, so that what leads to them crosses nothing that leads to
    others; nor does it at a body that carries another one by the same point.
    """
    heavy: dict[str, str] = {}
    for order in tree.orders:
        for name in order:
            carrying = [child for child in tree.children[name] if tree.children[child]]
            if len(carrying) == 1 or len(tree.children[name]) == 1:
                heavy[name] = (carrying or tree.children[name])[0]
    starts: dict[str, str] = {}
    chains: dict[str, list[str]] = {}
    for name in (name for order in tree.orders for name in order):
        inner = tree.parent.get(name, "")
        chain = chains[name] = chains[inner] if heavy.get(inner) == name else []
        chain.append(name)
    for chain in ({chain[0]: chain for chain in chains.values()}).values():
        last = 0
        for k in range(1, len(chain) if len(chain) > most + 1 else 0):
            same = [one for one in tree.children[chain[k - 1]]
                    if tree.origin.get(one) == tree.origin.get(chain[k])]  # fmt: skip
            if k - last >= most and len(same) == 1:
                starts[chain[k]], last = chain[0], k
    return starts


def _seats(
    tree: BodyTree, lines: Mapping[str, str], breadth: int
) -> tuple[dict[str, Band], dict[str, Seat]]:
    """Room of every body with what it carries, and where that is."""
    blocks: dict[str, Band] = {}
    seats: dict[str, Seat] = {}
    further: dict[str, list[str]] = {}
    for first, begin in lines.items():
        further.setdefault(begin, []).append(first)
    for name in (name for order in tree.orders for name in reversed(order)):
        half = -(-(tree.sizes[name][1] + SPACE) // 2)
        kids = [child for child in tree.children[name] if child not in lines]
        rows = _rows(kids, blocks, breadth if len(kids) >= MANY else 1)
        fan = _fan(name, rows, blocks, seats)
        below = max(half + tree.hang.get(name, 0), fan.below)
        block = Band(max(half, fan.above), below, fan.span)
        for first in further.get(name, ()):
            above, under, span = blocks[first]
            offset = block.below + GUTTER + above
            seats[first] = Seat(name, 1, offset, block.below + GUTTER // 2)
            block = Band(block.above, offset + under, max(block.span, 1 + span))
        blocks[name] = block
    return blocks, seats


def _rows(kids: Sequence[str], blocks: Mapping[str, Band], breadth: int) -> list[list[str]]:
    """Bodies on one, so many columns of them beside each other."""
    rows: list[list[str]] = []
    taken = 0
    for kid in kids:
        if not rows or taken + blocks[kid].span > breadth:
            rows.append([])
            taken = 0
        rows[-1].append(kid)
        taken += blocks[kid].span
    return rows


def _fan(
    name: str, rows: Sequence[Sequence[str]], blocks: Mapping[str, Band], seats: dict[str, Seat]
) -> Band:
    """Rows of bodies, one below the other; a body in their middle carries them."""
    end, span = 0, 1
    found: list[tuple[str, int, int, int | None]] = []
    for row in rows:
        above, below = (max(blocks[kid][k] for kid in row) for k in (0, 1))
        shift = 1
        for number, kid in enumerate(row):
            lane = end + above + below + number - 1 if number else None
            found.append((kid, shift, end + above, lane))
            shift += blocks[kid].span
        end += above + below + len(row) - 1
        span = max(span, shift)
    middle = (found[0][2] + found[-1][2]) // 2 if found else 0
    for kid, shift, offset, lane in found:
        low = None if lane is None else lane - middle
        seats[kid] = Seat(name, shift, offset - middle, low)
    return Band(middle, end - middle, span)


def _outward(root: str, children: Mapping[str, Sequence[str]]) -> list[str]:
    """A body and all that it carries, parents first, in the order of the model."""
    order, work = [], [root]
    while work:
        name = work.pop()
        order.append(name)
        work.extend(reversed(children[name]))
    return order


def _columns(column: Mapping[str, int], tree: BodyTree) -> list[int]:
    """Left side of every column."""
    last = max(column.values(), default=0)
    widest, longest = [0] * (last + 1), [0] * (last + 1)
    for name, at in column.items():
        widest[at] = max(widest[at], tree.sizes[name][0])
        longest[at] = max(longest[at], tree.steps.get(name, 0) if name in tree.parent else 0)
    left = [0]
    for at in range(last):
        left.append(left[-1] + widest[at] + GAP + STEP * longest[at + 1])
    return left
