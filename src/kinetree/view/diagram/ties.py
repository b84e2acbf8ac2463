"""Curves of closures and forces, and where their names stand: around bodies and off each other.

Every tie between two moving bodies is a cubic curve that leaves both of them straight.  Of a few
such curves the one is taken that covers least of what is drawn already, and then of a few places
along it the one for its name; what a place costs stands in a raster of cells as large as the grid.
The order is that of the model, so that the same model has the same drawing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from kinetree.view.diagram.geometry import (
    AWAY,
    GRID,
    BodyRows,
    Box,
    anchor_of,
    between,
    body_box,
    efforts_of,
    hanging,
    joint_boxes,
    joint_ends,
    moving,
    sign_spots,
    spot,
    stub_boxes,
    tie_name_box,
)
from kinetree.view.diagram.parts import Diagram, DiagramBody, DiagramTie

BODY, SIGN, NAME, CURVE, LENGTH = 6.0, 3.0, 4.0, 1.0, 0.03
"""Costs of a cell that a line covers: of a body, a sign or name, another line, at all."""
STRANGE = 0.6
"""Costs of a curve that reaches less or more than usual, or bows by 45 px."""
REACHES = (1.0, 0.6, 1.7)
"""How far curves go straight at first, in shares of the usual."""
BOWS = (0, 45, -45, 90, -90, 150, -150)
"""How far they bow to one side [px]."""
ODDITIES = np.array([STRANGE * (abs(b) / 45 + (r != 1.0)) for b in BOWS for r in REACHES])
"""What every such curve costs beside what it covers."""
AROUND = 20
"""Cells around the drawing."""
PARTS = np.linspace(0.0, 1.0, 33)
WEIGHTS = np.array([PARTS**k * (1 - PARTS) ** (3 - k) * (1, 3, 3, 1)[k] for k in range(4)]).T
"""Of the four places that make a cubic curve, at the parts along it."""
SHARES = (16, 14, 18, 12, 20, 10, 22, 8, 24, 6, 26, 4, 28)
"""Parts along a curve at which its name may stand."""


class Raster:
    """What it costs to draw over a cell.

    Attributes:
        lines: cost of a line.
        names: cost of a name.
    """

    def __init__(self, bodies: Iterable[DiagramBody]) -> None:
        boxes = [(b.x, b.x + b.width, b.y - b.height, b.y + b.height) for b in bodies]
        left, top = min(box[0] for box in boxes), min(box[2] for box in boxes)
        self.corner = np.array([left - AROUND, top - AROUND])
        wide = max(box[1] for box in boxes) - left + 2 * AROUND
        high = max(box[3] for box in boxes) - top + 2 * AROUND
        self.lines = np.zeros((wide, high))
        self.names = np.zeros((wide, high))

    def cells(self, places: Any) -> Any:
        """Cells of places [px], those outside moved to the edge."""
        found = np.floor(np.asarray(places) / GRID).astype(int) - self.corner
        return np.clip(found, 0, np.array(self.lines.shape) - 1)

    def box(self, box: Box) -> tuple[slice, slice]:
        """Cells of a box [px]."""
        left, top, right, low = box
        (x0, y0), (x1, y1) = self.cells([(left, top), (right - 1, low - 1)])
        return slice(x0, x1 + 1), slice(y0, y1 + 1)

    def fill(self, box: tuple[slice, slice], line: float, name: float) -> None:
        """Nothing is to be drawn there, if it can be helped."""
        self.lines[box] += line
        self.names[box] += name


@lru_cache(maxsize=16)
def with_curves(drawing: Diagram) -> Diagram:
    """The drawing with the curves of its ties and the places of their names.

    It is kept, since what is drawn is the same where a number of the model changes.
    """
    if not any(map(between, drawing.ties)):
        return drawing
    places = {body.name: body for body in drawing.bodies}
    raster = Raster(drawing.bodies)
    for body in drawing.bodies:
        raster.fill(raster.box(body_box(body)), BODY, NAME)
    efforts = efforts_of(drawing.ties)
    for row in drawing.joints:
        (start, _), (end, *_) = joint_ends(row, places), sign_spots(row, places)
        raster.lines[tuple(raster.cells(np.linspace(start, end, 12)).T)] += CURVE / 2
        for box in joint_boxes(row, places, efforts.get(row.name, ())):
            raster.fill(raster.box(box), SIGN, NAME)
    for name, rows in hanging(drawing.ties).items():
        for box in stub_boxes(places[name], rows):
            raster.fill(raster.box(box), SIGN, NAME)
    made = tuple(_curve(tie, raster, places) if between(tie) else tie for tie in drawing.ties)
    return replace(drawing, ties=made)


def _curve(tie: DiagramTie, raster: Raster, places: BodyRows) -> DiagramTie:
    """The best curve of a tie and the best place for its name, drawn into the raster."""
    ends, away = [], []
    for name in moving(tie)[:2]:
        anchor = anchor_of(places[name], tie.points[tie.bodies.index(name)], "right")
        ends.append(spot(places[name], anchor))
        away.append(AWAY[anchor.side])
    handles = _handles(np.array(ends, float), np.array(away, float))
    corners = np.repeat(np.array(ends, float)[None, [0, 0, 1, 1]], len(handles), axis=0)
    corners[:, 1:3] += handles
    lines = WEIGHTS @ corners
    best = int(np.argmin(_costs(lines, raster) + ODDITIES))
    line, (leave, arrive) = lines[best], handles[best]
    raster.lines[tuple(np.unique(raster.cells(line), axis=0).T)] += CURVE
    share = _name_share(tie, line, raster)
    return replace(
        tie, leave=(int(leave[0]), int(leave[1])), arrive=(int(arrive[0]), int(arrive[1])),
        share=float(PARTS[share]),
    )  # fmt: skip


def _handles(ends: Any, away: Any) -> Any:
    """Handles of curves: how far they reach, and to which side they bow."""
    along = ends[1] - ends[0]
    far = math.hypot(*along)
    aside = np.array([-along[1], along[0]]) / max(far, 1.0)
    if aside[0] < 0:
        aside = -aside  # to the right first, where there is more room
    bows, reaches = np.array(BOWS)[:, None, None, None], np.array(REACHES)[:, None, None]
    return np.round(reaches * (30 + far / 4) * away + bows * aside).reshape(-1, 2, 2)


def _costs(lines: Any, raster: Raster) -> Any:
    """What curves cover, beside their ends at the edges of their bodies."""
    long = np.hypot(*np.moveaxis(np.diff(lines, axis=1), -1, 0)).sum(axis=1) / GRID
    cells = raster.cells(lines[:, 1:-1])
    return long * (raster.lines[cells[..., 0], cells[..., 1]].mean(axis=1) + LENGTH)


def _name_share(tie: DiagramTie, line: Any, raster: Raster) -> int:
    """The part of a curve at which its name covers least; it is drawn there."""
    boxes = [raster.box(tie_name_box(tie, x, y)) for x, y in line[[*SHARES]]]
    costs = [float(raster.names[box].sum()) + 0.1 * float(raster.lines[box].sum()) for box in boxes]
    best = int(np.argmin(costs))
    raster.fill(boxes[best], SIGN, 2 * NAME)
    return SHARES[best]
