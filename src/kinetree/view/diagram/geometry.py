"""Where anchors, lines of joints and their signs are, in pixels: the same in picture and page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from kinetree.view.diagram.anchors import Anchor
from kinetree.view.diagram.arrange import STEP
from kinetree.view.diagram.parts import Diagram, DiagramBody, DiagramJoint, DiagramTie

GRID = 10
"""Pixels of a unit of the grid."""
AWAY: Mapping[str, tuple[int, int]] = {"left": (-1, 0), "right": (1, 0), "bottom": (0, 1)}
"""Direction from a body, by the side of an anchor."""
OUT = 12
"""Pixels that a line goes straight before it bends."""
LETTER = 7.5
"""Width of a letter of a name [px]."""

Pixel = tuple[int, int]
"""A place [px]."""
Box = tuple[float, float, float, float]
"""Left, top, right and lower side [px]."""
BodyRows = Mapping[str, DiagramBody]


def half_height(body: DiagramBody) -> int:
    """Half the height of a body [px]."""
    return body.height * GRID // 2


def spot(body: DiagramBody, anchor: Anchor) -> Pixel:
    """Where an anchor is [px]."""
    left, top = body.x * GRID, body.y * GRID - half_height(body)
    if anchor.side == "bottom":
        return left + round(anchor.share * body.width * GRID), top + 2 * half_height(body)
    across = body.width * GRID if anchor.side == "right" else 0
    return left + across, top + round(anchor.share * 2 * half_height(body))


def anchor_of(body: DiagramBody, point: str, side: str) -> Anchor:
    """The anchor of a point; of the body's own frame that on a side, if there is one."""
    found = [anchor for anchor in body.anchors if anchor.point == point]
    return next((anchor for anchor in found if anchor.side == side), found[0])


def joint_ends(row: DiagramJoint, places: BodyRows) -> tuple[Pixel, Pixel]:
    """From an anchor of the inner body to one of the outer body."""
    a, b = places[row.parent], places[row.child]
    first, second = anchor_of(a, row.points[0], "right"), anchor_of(b, row.points[1], "left")
    return spot(a, first), spot(b, second)


def sign_spots(row: DiagramJoint, places: BodyRows) -> list[Pixel]:
    """Where the signs of a joint are: the last one is beside the outer body."""
    _, (x, y) = joint_ends(row, places)
    count = max(len(row.steps), 1)
    return [(x - GRID * STEP * (count - k) + GRID // 2, y) for k in range(count)]


def joint_line(row: DiagramJoint, places: BodyRows) -> str:
    """The line of a joint: straight, a bend, straight; around others along a lane; or back."""
    (x0, y0), (x1, y1) = joint_ends(row, places)
    turn = x1 - GRID * STEP * max(len(row.steps), 1) - GRID - GRID // 2
    if turn + GRID < x0:  # a chain goes on in a further line
        lane = (y0 + y1) // 2 if row.lane is None else GRID * row.lane[1]
        return f"M{x0} {y0}H{x0 + GRID}V{lane}H{turn}V{y1}H{x1}"
    if row.lane is None:
        return f"{_bend(x0, y0, x1 - GRID * STEP * row.room - GRID // 2, y1)}H{x1}"
    x, lane = GRID * row.lane[0] - GRID // 2, GRID * row.lane[1]
    return f"{_bend(x0, y0, x, lane)}H{turn}V{y1}H{x1}"


def _bend(x0: int, y0: int, x1: int, y1: int) -> str:
    """Straight at both ends."""
    out = min(OUT, max(0, (x1 - x0) // 3))
    middle = (x0 + out + x1) // 2
    return f"M{x0} {y0}H{x0 + out}C{middle} {y0} {middle} {y1} {x1} {y1}"


def name_middle(row: DiagramJoint, name: str, places: BodyRows) -> int:
    """Middle of a name at a joint [px]: that of its signs, further left where its body begins."""
    spots = sign_spots(row, places)
    _, (x, _) = joint_ends(row, places)
    return min((spots[0][0] + spots[-1][0]) // 2, x - round(len(name) * LETTER / 2) - 3)


def body_box(body: DiagramBody) -> Box:
    """Room of a body."""
    x, y, half = GRID * body.x, GRID * body.y, half_height(body)
    return x, y - half, x + GRID * body.width, y + half


def joint_boxes(row: DiagramJoint, places: BodyRows, efforts: Iterable[str]) -> Iterator[Box]:
    """Room of the signs of a joint, its name above, and the names of efforts below."""
    spots = sign_spots(row, places)
    (first, y), (last, _) = spots[0], spots[-1]
    yield first - 11, y - 11, last + 11, y + 11
    names = [(row.name, y - 27)] if row.name != row.child else []
    names += [(name, y + 15 + 12 * k) for k, name in enumerate(efforts)]
    for name, top in names:
        middle, wide = name_middle(row, name, places), LETTER * len(name) / 2
        yield middle - wide, top, middle + wide, top + 12


def stub_boxes(body: DiagramBody, rows: Iterable[DiagramTie]) -> Iterator[Box]:
    """Room of what hangs below a body, and of its names."""
    low = GRID * body.y + half_height(body)
    for k, tie in enumerate(rows):
        x, _ = stub_spot(tie, body, k)
        wide, top = LETTER * len(tie_words(tie)) / 2, low + 22 + 11 * (k % 3)
        yield x - 10, low, x + 10, low + 22
        yield x - wide, top, x + wide, top + 12


def stub_spot(tie: DiagramTie, body: DiagramBody, number: int) -> Pixel:
    """Where a tie hangs at a body: at its point, or at a free place along the lower side."""
    point = tie.points[tie.bodies.index(body.name)] if body.name in tie.bodies else ""
    low = GRID * body.y + half_height(body)
    for row in body.anchors:
        if (row.point, row.side) == (point, "bottom"):
            return spot(body, row)
    return GRID * body.x + 14 + (22 * number) % max(20, GRID * body.width - 20), low


def tie_words(tie: DiagramTie) -> str:
    """What stands at a tie: its name, and the number of equations of a closure."""
    return f"{tie.name} {tie.label}".strip()


def moving(tie: DiagramTie) -> list[str]:
    """Bodies of a tie without the ground, each once."""
    return [name for name in dict.fromkeys(tie.bodies) if name != "ground"]


def between(tie: DiagramTie) -> bool:
    """Whether a tie is a curve between two bodies that move; others hang at one body."""
    return not tie.joint and len(moving(tie)) > 1


def hanging(ties: Iterable[DiagramTie]) -> dict[str, list[DiagramTie]]:
    """Ties that hang at one body, by its name."""
    found: dict[str, list[DiagramTie]] = {}
    for tie in ties:
        if tie.bodies and not tie.joint and not between(tie):
            found.setdefault((moving(tie) or ["ground"])[0], []).append(tie)
    return found


def tie_corners(tie: DiagramTie, places: BodyRows) -> tuple[Pixel, Pixel, Pixel, Pixel]:
    """Places that make the curve of a tie between two bodies."""
    (x0, y0), (x3, y3) = (
        spot(places[name], anchor_of(places[name], tie.points[tie.bodies.index(name)], "right"))
        for name in moving(tie)[:2]
    )
    (a, b), (c, d) = tie.leave, tie.arrive
    return (x0, y0), (x0 + a, y0 + b), (x3 + c, y3 + d), (x3, y3)


def along(corners: Sequence[Pixel], t: float) -> Pixel:
    """A place on a cubic curve."""
    s = 1 - t
    shares = (s**3, 3 * s * s * t, 3 * s * t * t, t**3)
    x, y = (sum(w * c[k] for w, c in zip(shares, corners, strict=True)) for k in (0, 1))
    return round(x), round(y)


def tie_name_box(tie: DiagramTie, x: float, y: float) -> Box:
    """Room of the name of a tie at a place of its curve, with the spring of a force."""
    wide = max(32.0, LETTER * len(tie_words(tie))) / 2
    above, below = (8, 8) if tie.section == "closures" else (21, 8)
    return x - wide, y - above, x + wide, y + below


def extent(drawing: Diagram) -> Box:
    """Room of all that is drawn."""
    places = {body.name: body for body in drawing.bodies}
    boxes = [body_box(body) for body in drawing.bodies]
    efforts = efforts_of(drawing.ties)
    for row in drawing.joints:
        boxes += joint_boxes(row, places, efforts.get(row.name, ()))
    for name, rows in hanging(drawing.ties).items():
        boxes += stub_boxes(places[name], rows)
    for tie in filter(between, drawing.ties):
        corners = tie_corners(tie, places)
        boxes += [(x, y, x, y) for x, y in (along(corners, k / 16) for k in range(17))]
        boxes.append(tie_name_box(tie, *along(corners, tie.share)))
    left, top, right, low = zip(*boxes, strict=True)
    return min(left), min(top), max(right), max(low)


def efforts_of(ties: Iterable[DiagramTie]) -> dict[str, list[str]]:
    """Names of the forces at joints, by the names of these."""
    found: dict[str, list[str]] = {}
    for tie in ties:
        if tie.joint:
            found.setdefault(tie.joint, []).append(tie.name)
    return found
