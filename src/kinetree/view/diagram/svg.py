"""A diagram as an SVG picture, light or dark as its reader's system is."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path

from kinetree.arguments import check_arguments
from kinetree.errors import FormatError
from kinetree.files import write_file
from kinetree.model import Mechanism
from kinetree.view.diagram.anchors import Anchor
from kinetree.view.diagram.content import diagram_of
from kinetree.view.diagram.geometry import (
    GRID,
    along,
    between,
    extent,
    half_height,
    hanging,
    joint_line,
    name_middle,
    sign_spots,
    spot,
    stub_spot,
    tie_corners,
    tie_words,
)
from kinetree.view.diagram.parts import Diagram, DiagramBody, DiagramJoint, DiagramTie

MARGIN = 20
"""Pixels around the drawing."""
BESIDE = 600
"""Pixels that what has no place there may take below it."""
STYLE = """\
svg{--ink:#1f2937;--paper:#fff;--body:#e0ecf8;--line:#40618a;--loop:#b45309;--force:#15803d;\
background:var(--paper);font:12px system-ui,sans-serif}
@media(prefers-color-scheme:dark){svg{--ink:#e5e7eb;--paper:#111827;--body:#1e3a5f;--line:#93b4dc;\
--loop:#fbbf24;--force:#4ade80}}
text{fill:var(--ink);text-anchor:middle;paint-order:stroke;stroke:var(--paper);stroke-width:3px}\
.body text,.step{stroke:none}
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
    found = extent(drawing)
    left, top = (math.floor(side) - MARGIN for side in found[:2])
    right, bottom = (math.ceil(side) + MARGIN for side in found[2:])
    beside, wide, high = _beside_rows(drawing, left + MARGIN, bottom)
    right, bottom = max(right, left + wide + 2 * MARGIN), bottom + high
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


def _beside_rows(drawing: Diagram, x: int, y: int) -> tuple[list[str], int, int]:
    """States, and ties between coordinates alone, in columns below the drawing; their size."""
    named = [(f"{t.section}.{t.name}", f"{t.section.removesuffix('s')} {tie_words(t)}")
             for t in drawing.ties if not t.bodies and not t.joint]  # fmt: skip
    named += [(f"states.{name}", f"state {name}") for name in drawing.states]
    if not named:
        return [], 0, 0
    wide = 7 * max(len(words) for _, words in named) + 20
    left, _, right, _ = extent(drawing)
    columns = max(1, round(max(BESIDE, right - left) / wide))
    rows = []
    for number, (path, words) in enumerate(named):
        line, column = divmod(number, columns)
        text = _text(x + wide * column + wide // 2, y + 18 * line, words, "note")
        rows.append(_group("beside", path, words, text))
    return rows, wide * min(columns, len(named)), 18 * (line + 1)


def _group(kind: str, path: str, note: str, content: str) -> str:
    """An element of the model by its path, with what is shown when it is pointed at."""
    title = f"<title>{escape(note)}</title>"
    return f'<g class="{kind}" data-path="{escape(path)}">{title}{content}</g>'


def _body(body: DiagramBody) -> str:
    x, y, wide = body.x * GRID, body.y * GRID, body.width * GRID
    kind = "body ground" if body.name == "ground" else "body"
    box = _outline(body.shape, x, y, wide, half_height(body))
    name = _text(x + wide // 2, y + 4, body.name)
    dots = "".join(_dot(anchor, *spot(body, anchor)) for anchor in body.anchors)
    path = f"bodies.{body.name}" if body.name != "ground" else "ground"
    return _group(kind, path, body.name, f"{box}{name}{dots}")


def _dot(anchor: Anchor, x: int, y: int) -> str:
    """A small square for the body's own frame, a dot for a point; hollow where nothing ends."""
    if not anchor.point:
        return f'<rect class="anchor" x="{x - 3}" y="{y - 3}" width="6" height="6"/>'
    kind = "anchor" if anchor.used else "anchor free"
    name = f"<title>{escape(anchor.point)}</title>"
    return f'<circle class="{kind}" cx="{x}" cy="{y}" r="3">{name}</circle>'


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


def _joint(row: DiagramJoint, places: Mapping[str, DiagramBody]) -> str:
    """A line, and a sign for every step: a circle turns, a square shifts."""
    spots = sign_spots(row, places)
    mark = ' class="driven"' if row.driven else ""
    content = f'<path d="{joint_line(row, places)}"/>'
    for (x, y), sign in zip(spots, row.steps or ("=",), strict=True):
        shape = f'<circle cx="{x}" cy="{y}" r="11"{mark}/>'
        if sign[0] in "T=":
            shape = f'<rect x="{x - 11}" y="{y - 11}" width="22" height="22"{mark}/>'
        content += shape + _text(x, y + 4, sign, "step")
    name = row.name if row.name != row.child else ""
    content += _text(name_middle(row, name, places), spots[0][1] - 16, name, "note")
    return _group("joint", f"joints.{row.name}", f"{row.name} ({row.kind})", content)


def _ties(drawing: Diagram, places: Mapping[str, DiagramBody]) -> Iterator[str]:
    """Closures and forces: at joints, between bodies, or hanging at one body."""
    joints = {row.name: row for row in drawing.joints}
    count: dict[str, int] = {}
    for tie in drawing.ties:
        if tie.joint in joints:
            spots = sign_spots(joints[tie.joint], places)
            number = count[tie.joint] = count.get(tie.joint, 0) + 1
            x = name_middle(joints[tie.joint], tie.name, places)
            yield _about(tie, _text(x, spots[0][1] + 12 + 12 * number, tie.name, "note"))
        elif between(tie):
            yield _about(tie, _tie(tie, places))
    for name, rows in hanging(drawing.ties).items():
        yield from (_about(tie, _stub(tie, places[name], k)) for k, tie in enumerate(rows))


def _about(tie: DiagramTie, content: str) -> str:
    return _group(tie.section, f"{tie.section}.{tie.name}", f"{tie.name} ({tie.kind})", content)


def _tie(tie: DiagramTie, places: Mapping[str, DiagramBody]) -> str:
    """A curve between two bodies with its name, a spring where it is a force."""
    corners = tie_corners(tie, places)
    x, y = along(corners, tie.share)
    (a, b), *rest = corners
    curve = f'<path d="M{a} {b}C{" ".join(f"{c} {d}" for c, d in rest)}"/>'
    if tie.section == "closures":
        return f"{curve}{_text(x, y + 4, tie_words(tie), 'note')}"
    spring = f'<path d="M{x - 14} {y}l4 -6l6 12l6 -12l6 12l6 -6"/>'
    return f"{curve}{spring}{_text(x, y - 9, tie_words(tie), 'note')}"


def _stub(tie: DiagramTie, body: DiagramBody, number: int) -> str:
    """What ends at the ground, drawn at the lower side of a body: a line and a bar, or an arrow."""
    x, y = stub_spot(tie, body, number)
    line = f"M{x} {y}V{y + 18}m-7 0h14"
    if tie.section == "wrenches" or len(tie.bodies) == 1:
        line = f"M{x} {y + 20}V{y}m-4 6l4 -6l4 6"
    return f'<path d="{line}"/>{_text(x, y + 32 + 11 * (number % 3), tie_words(tie), "note")}'
