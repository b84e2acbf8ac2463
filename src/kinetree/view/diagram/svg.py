"""A diagram as an SVG picture, light or dark as its reader's system is."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from pathlib import Path

from kinetree.arguments import check_arguments
from kinetree.errors import FormatError
from kinetree.files import write_file
from kinetree.model import Mechanism
from kinetree.view.diagram.anchors import Anchor
from kinetree.view.diagram.arrange import STEP
from kinetree.view.diagram.content import Diagram, DiagramBody, DiagramJoint, DiagramTie, diagram_of

GRID = 10
"""Pixels of a unit of the grid."""
AWAY: Mapping[str, tuple[int, int]] = {"left": (-1, 0), "right": (1, 0), "bottom": (0, 1)}
"""Direction from a body, by the side of an anchor."""
MARGIN = 60
"""Pixels around the drawing; what is tied to the ground is drawn in it."""
STYLE = """\
svg{--ink:#1f2937;--paper:#fff;--body:#e0ecf8;--line:#40618a;--loop:#b45309;--force:#15803d;\
background:var(--paper);font:12px system-ui,sans-serif}
@media(prefers-color-scheme:dark){svg{--ink:#e5e7eb;--paper:#111827;--body:#1e3a5f;--line:#93b4dc;\
--loop:#fbbf24;--force:#4ade80}}
text{fill:var(--ink);text-anchor:middle}
.body rect,.body ellipse,.body path{fill:var(--body);stroke:var(--line);stroke-width:1.5}
.ground>rect:first-of-type{fill:none;stroke-dasharray:2 2}
.body .anchor{fill:var(--line);stroke:none}.body .free{fill:var(--paper);stroke:var(--line)}
.joint path,.joint circle,.joint rect{fill:var(--paper);stroke:var(--line);stroke-width:1.5}
.joint path{fill:none}.joint .driven{stroke-width:3}
.closures path{fill:none;stroke:var(--loop);stroke-width:1.5;stroke-dasharray:6 4}
.closures text{fill:var(--loop)}
.forces path,.wrenches path{fill:none;stroke:var(--force);stroke-width:1.5}
.forces text,.wrenches text{fill:var(--force)}
.step{font-size:10px}.note{font-size:11px}"""


def diagram(model: Mechanism, path: str | os.PathLike[str]) -> Path:
    """Draw the topology of a mechanism: bodies, joints step by step, closures, forces.

    Bodies are in boxes, those of the layout of the model file where it says; joints are lines from
    the inner to the outer body with a circle for every rotation (R), a square for every translation
    (T) and the number of its axis; closures are dashed, with the number of their equations; forces
    between points are springs; what is tied to the ground ends there.

    Args:
        model: the mechanism.
        path: an .svg file to write.

    Returns:
        The path written.
    """
    check_arguments(diagram, locals())
    file = Path(path)
    if file.suffix != ".svg":
        raise FormatError(
            f"the suffix '{file.suffix}' is not known", element=f"file '{file.name}'",
            cure="use .svg",
        )  # fmt: skip
    return write_file(file, svg(diagram_of(model)))


def svg(drawing: Diagram, *, styled: bool = True) -> str:
    """The text of the picture; without its style for a page that has that as a file."""
    places = {body.name: body for body in drawing.bodies}
    right = max((body.x + body.width) * GRID for body in drawing.bodies) + MARGIN + 2 * GRID
    left = min(body.x * GRID for body in drawing.bodies) - MARGIN
    top = min(body.y * GRID - _half(body) for body in drawing.bodies) - MARGIN
    bottom = max(body.y * GRID + _half(body) for body in drawing.bodies) + MARGIN
    beside, high = _beside_rows(drawing, left + MARGIN, right - left - MARGIN, bottom)
    bottom += high
    box = f"{left} {top} {right - left} {bottom - top}"
    size = f'viewBox="{box}" width="{right - left}" height="{bottom - top}"'
    rows = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
        f"<title>{escape(drawing.title)}</title>",
        f"<style>{STYLE}</style>" if styled else "",
        *_ties(drawing, places),
        *(_joint(row, places) for row in drawing.joints),
        *map(_body, drawing.bodies),
        *beside,
        "</svg>",
    ]
    return "\n".join(rows) + "\n"


def _beside_rows(drawing: Diagram, x: int, wide: int, y: int) -> tuple[list[str], int]:
    """States, and ties between coordinates alone, in lines below the drawing; height of these."""
    named = [(f"{t.section}.{t.name}", f"{t.section.removesuffix('s')} {t.name} {t.label}".strip())
             for t in drawing.ties if not t.bodies and not t.joint]  # fmt: skip
    named += [(f"states.{name}", f"state {name}") for name in drawing.states]
    rows, at, line = [], 0, 0
    for path, said in named:
        long = 7 * len(said) + 20
        if at and at + long > wide:
            at, line = 0, line + 1
        text = _text(x + at + long // 2, y + 18 * line, said, "note")
        rows.append(_group("beside", path, said, text))
        at += long
    return rows, 18 * (line + 1) if rows else 0


def _group(kind: str, path: str, note: str, content: str) -> str:
    """An element of the model by its path, with what is shown when it is pointed at."""
    title = f"<title>{escape(note)}</title>"
    return f'<g class="{kind}" data-path="{escape(path)}">{title}{content}</g>'


def _half(body: DiagramBody) -> int:
    """Half the height of a body [px]."""
    return body.height * GRID // 2


def _body(body: DiagramBody) -> str:
    x, y, wide = body.x * GRID, body.y * GRID, body.width * GRID
    kind = "body ground" if body.name == "ground" else "body"
    box = _outline(body.shape, x, y, wide, _half(body))
    name = _text(x + wide // 2, y + 4, body.name)
    dots = "".join(_dot(anchor, *_spot(body, anchor)) for anchor in body.anchors)
    path = f"bodies.{body.name}" if body.name != "ground" else "ground"
    return _group(kind, path, body.name, f"{box}{name}{dots}")


def _spot(body: DiagramBody, anchor: Anchor) -> tuple[int, int]:
    """Where an anchor is [px]."""
    left, top = body.x * GRID, body.y * GRID - _half(body)
    if anchor.side == "bottom":
        return left + round(anchor.share * body.width * GRID), top + 2 * _half(body)
    across = body.width * GRID if anchor.side == "right" else 0
    return left + across, top + round(anchor.share * 2 * _half(body))


def _dot(anchor: Anchor, x: int, y: int) -> str:
    """A small square for the body's own frame, a dot for a point; hollow where nothing ends."""
    if not anchor.point:
        return f'<rect class="anchor" x="{x - 3}" y="{y - 3}" width="6" height="6"/>'
    kind = "anchor" if anchor.used else "anchor free"
    name = f"<title>{escape(anchor.point)}</title>"
    return f'<circle class="{kind}" cx="{x}" cy="{y}" r="3">{name}</circle>'


def _anchor(body: DiagramBody, point: str, side: str) -> Anchor:
    """The anchor of a point; of the body's own frame that on a side, if there is one."""
    found = [anchor for anchor in body.anchors if anchor.point == point]
    return next((anchor for anchor in found if anchor.side == side), found[0])


def _outline(shape: str, x: int, y: int, wide: int, half: int) -> str:
    """The edge of a body: a box, one with round ends, an ellipse, or a triangle."""
    if shape == "ellipse":
        return f'<ellipse cx="{x + wide // 2}" cy="{y}" rx="{wide // 2}" ry="{half + 4}"/>'
    if shape == "triangle":
        low, high = y + half, y - 2 * half
        return f'<path d="M{x} {low}H{x + wide}L{x + wide // 2} {high}Z"/>'
    round_by = half if shape == "round" else 6
    return f'<rect x="{x}" y="{y - half}" width="{wide}" height="{2 * half}" rx="{round_by}"/>'


def _text(x: int, y: int, text: str, kind: str = "") -> str:
    mark = f' class="{kind}"' if kind else ""
    return f'<text x="{x}" y="{y}"{mark}>{escape(text)}</text>'


def _ends(row: DiagramJoint, places: Mapping[str, DiagramBody]) -> tuple[int, int, int, int]:
    """From an anchor of the inner body to one of the outer body [px]."""
    a, b = places[row.parent], places[row.child]
    first, second = _anchor(a, row.points[0], "right"), _anchor(b, row.points[1], "left")
    return *_spot(a, first), *_spot(b, second)


def _signs(row: DiagramJoint, places: Mapping[str, DiagramBody]) -> tuple[int, int]:
    """Where the first sign of a joint is [px]: its last one is beside the outer body."""
    _, _, x, y = _ends(row, places)
    return x - GRID * (STEP * max(len(row.steps), 1)) + GRID // 2, y


def _joint(row: DiagramJoint, places: Mapping[str, DiagramBody]) -> str:
    """A line, and a sign for every step: a circle turns, a square shifts."""
    x0, y0, x1, y1 = _ends(row, places)
    x, y = _signs(row, places)
    bend = x1 - GRID * STEP * row.room - GRID // 2
    middle = (x0 + bend) // 2
    line = f'<path d="M{x0} {y0}C{middle} {y0} {middle} {y1} {bend} {y1}H{x1}"/>'
    if bend < x0:  # a chain goes on in a further line: between the two
        line = f'<path d="M{x0} {y0}h{GRID}V{(y0 + y1) // 2}H{bend - GRID}V{y1}H{x1}"/>'
    mark = ' class="driven"' if row.driven else ""
    content = line
    for k, sign in enumerate(row.steps or ("=",)):
        at = x + k * STEP * GRID
        shape = f'<circle cx="{at}" cy="{y}" r="11"{mark}/>'
        if sign[0] in "T=":
            shape = f'<rect x="{at - 11}" y="{y - 11}" width="22" height="22"{mark}/>'
        content += shape + _text(at, y + 4, sign, "step")
    center = x + (max(len(row.steps), 1) - 1) * STEP * GRID // 2
    name = row.name if row.name != row.child else ""
    content += _text(center, y - 16, name, "note")
    return _group("joint", f"joints.{row.name}", f"{row.name} ({row.kind})", content)


def _ties(drawing: Diagram, places: Mapping[str, DiagramBody]) -> Iterator[str]:
    """Closures and forces; several at one body get lines of their own."""
    joints = {row.name: row for row in drawing.joints}
    count: dict[str, int] = {}
    for tie in drawing.ties:
        about = (tie.section, f"{tie.section}.{tie.name}", f"{tie.name} ({tie.kind})")
        if tie.joint in joints:
            x, y = _signs(joints[tie.joint], places)
            number = count[tie.joint] = count.get(tie.joint, 0) + 1
            yield _group(*about, _text(x, y + 12 + 12 * number, tie.name, "note"))
        elif tie.bodies:
            yield _group(*about, _tie(tie, places, joints.values(), count))


def _tie(
    tie: DiagramTie, places: Mapping[str, DiagramBody], joints: Iterable[DiagramJoint],
    count: dict[str, int],
) -> str:  # fmt: skip
    """A curve between two bodies; an arrow or a short line at the one that is not the ground."""
    moving = [name for name in dict.fromkeys(tie.bodies) if name != "ground"]
    label = tie.label or tie.name
    if len(moving) < 2:
        return _stub(tie, places[moving[0] if moving else "ground"], label, count)
    ends = []
    for name in moving[:2]:
        body, point = places[name], tie.points[tie.bodies.index(name)]
        anchor = _anchor(body, point, "right")
        ends.append((*_spot(body, anchor), *AWAY[anchor.side]))
    curve, middle = _arc(ends[0], ends[1], count)
    sign = "" if tie.section == "closures" else f'<path d="{_spring(*middle)}"/>'
    return f'<path d="{curve}"/>{sign}{_text(middle[0], middle[1] - 8, label, "note")}'


def _stub(tie: DiagramTie, body: DiagramBody, label: str, count: dict[str, int]) -> str:
    """What ends at the ground, drawn at the lower side of a body."""
    point = tie.points[tie.bodies.index(body.name)] if body.name in tie.bodies else ""
    below = [row for row in body.anchors if (row.point, row.side) == (point, "bottom")]
    x, y = _spot(body, below[0]) if below else (_port(body, count), body.y * GRID + _half(body))
    return f'<path d="{_end(tie, x, y)}"/>{_text(x, y + 32, label, "note")}'


def _port(body: DiagramBody, count: dict[str, int]) -> int:
    """A free place along the lower side of a body [px]."""
    number = count[body.name] = count.get(body.name, 0) + 1
    return body.x * GRID + (15 + 20 * (number - 1)) % (body.width * GRID - 10)


TieEnd = tuple[int, int, int, int]
"""A place and the direction away from its body."""


def _arc(a: TieEnd, b: TieEnd, count: dict[str, int]) -> tuple[str, tuple[int, int]]:
    """A curve that leaves both bodies straight, and a place on it for a name."""
    reach = 30 + math.hypot(b[0] - a[0], b[1] - a[1]) / 4
    (x1, y1), (x2, y2) = ((x + round(reach * dx), y + round(reach * dy)) for x, y, dx, dy in (a, b))
    curve = f"M{a[0]} {a[1]}C{x1} {y1} {x2} {y2} {b[0]} {b[1]}"
    ends = str(sorted((a[:2], b[:2])))
    number = count[ends] = count.get(ends, 0) + 1
    share = max(0.2, 0.62 - 0.12 * number)  # names of several ties keep apart
    xs, ys = (a[0], x1, x2, b[0]), (a[1], y1, y2, b[1])
    return curve, (_bezier(share, *xs), _bezier(share, *ys))


def _bezier(t: float, a: int, b: int, c: int, d: int) -> int:
    """A place on a cubic curve [px]."""
    s = 1 - t
    return round(s**3 * a + 3 * s * s * t * b + 3 * s * t * t * c + t**3 * d)


def _end(tie: DiagramTie, x: int, y: int) -> str:
    """What ties a body to the ground: a line and a bar, or an arrow that points at the body."""
    if tie.section == "wrenches" or len(tie.bodies) == 1:
        return f"M{x} {y + 20}V{y}m-4 6l4 -6l4 6"
    return f"M{x} {y}V{y + 18}m-7 0h14"


def _spring(x: int, y: int) -> str:
    """A zigzag around a place."""
    return f"M{x - 12} {y}l4 -6l6 12l6 -12l6 12l4 -6"
