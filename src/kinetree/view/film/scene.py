"""A mechanism as flat shapes, for pictures and films that need no browser.

Solids are seen from far away: each is the convex hull of its outline on the screen, far ones first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.arrays import Array
from kinetree.model import Mechanism
from kinetree.view.clips import Footage
from kinetree.view.dimensions import ground_places
from kinetree.view.packing import unpack
from kinetree.view.payload import Look, payload
from kinetree.view.poses import poses
from kinetree.view.solids import outline

GROUND = "#8a929c"
COLOURS = ("#3b73d9", "#e0762b", "#2f9e78", "#8462cc", "#cf4a57", "#b5952b", "#2c9bc4")
"""Of the bodies in order."""
FINE = 6000
"""Triangles of a mesh up to which all of them are drawn, not the box around it."""


@dataclass(frozen=True)
class FlatShape:
    """What is drawn of a solid: its corners on the screen [m], or the two ends of a line."""

    depth: float
    points: Array
    colour: str
    opacity: float = 1.0
    edges: bool = True


class Scene:
    """The frames of a run, or the one of a configuration, on a screen.

    Attributes:
        data: what a page would show.
        low, high: corners of what is seen at the first frame, on the screen [m].
    """

    def __init__(self, model: Mechanism, footage: Footage, look: Look | None = None) -> None:
        self.data = payload(model, footage, look or Look())
        times = np.array([t for clip in footage.clips for t in clip["times"]])
        self._poses = poses(model, footage.q, times)
        self._screen = _screen(np.array(self.data["up"]))
        self._clouds = [_clouds(body["parts"], k) for k, body in enumerate(self.data["bodies"])]
        corners = np.array(np.meshgrid(*zip(self.data["low"], self.data["high"], strict=True)))
        flat = corners.reshape(3, -1).T @ self._screen[:2].T
        self.low, self.high = flat.min(axis=0), flat.max(axis=0)

    def shapes(self, frame: int) -> list[FlatShape]:
        """What is seen at a frame, far things first."""
        now, first = self._poses[frame][None], self._poses[0][None]
        follow = self.data["follow"]
        shift = now[0, follow - 1, 4:] - first[0, follow - 1, 4:] if follow else np.zeros(3)
        found = []
        for k, clouds in enumerate(self._clouds):
            if not clouds:
                continue
            corners = np.concatenate([cloud for cloud, _ in clouds])
            placed = (ground_places(now, k, corners)[0] - shift) @ self._screen.T
            cuts = np.cumsum([len(cloud) for cloud, _ in clouds])[:-1]
            for part, (_, looks) in zip(np.split(placed, cuts), clouds, strict=True):
                found.append(FlatShape(float(part[:, 2].mean()), _hull(part[:, :2]), *looks))
        for link in self.data["links"]:
            tips = ((tip["body"], np.array([tip["at"]])) for tip in (link["from"], link["to"]))
            ends = [(ground_places(now, k, at)[0, 0] - shift) @ self._screen.T for k, at in tips]
            line = np.array(ends)
            found.append(FlatShape(float(line[:, 2].max()), line[:, :2], "#b5952b"))
        return sorted(found, key=lambda shape: shape.depth)


def _clouds(parts: list[dict[str, Any]], body: int) -> list[tuple[Array, tuple[str, float, bool]]]:
    """Corners and looks of the solids of a body; a mesh is many."""
    found = []
    usual = COLOURS[(body - 1) % len(COLOURS)] if body else GROUND
    for row in parts:
        colour, opacity = row.get("colour", usual), float(row.get("opacity", 1.0))
        if row["kind"] == "mesh" and row["triangles"]["rows"] <= FINE:
            corners = unpack(row["triangles"]).reshape(-1, 3, 3)
            found += [(triangle, (colour, opacity, False)) for triangle in corners]
        else:
            found.append((outline(row), (colour, opacity, True)))
    return found


def _screen(up: Array) -> Array:
    """Rows: directions to the right, upwards, and towards the eye, which stands above and aside."""
    front = np.array([0.0, -1.0, 0.0]) if abs(up[2]) > 0.7 else np.array([0.0, 0.0, 1.0])
    side = np.cross(up, front)
    eye = 0.85 * front + 0.45 * side + 0.35 * up
    eye /= np.linalg.norm(eye)
    right = np.cross(up, eye)
    right /= np.linalg.norm(right)
    return np.array([right, np.cross(eye, right), eye])


def _hull(points: Array) -> Array:
    """The convex hull of points of the plane, counter-clockwise (monotone chain)."""
    if len(points) <= 3:
        return points
    rows = sorted({(x, y) for x, y in points.round(9).tolist()})
    return np.array(_half(rows) + _half(rows[::-1]) or rows)


def _half(rows: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """One side of the hull, without its last point."""
    made: list[tuple[float, float]] = []
    for x, y in rows:
        while len(made) > 1 and _turn(made[-2], made[-1], (x, y)) <= 0:
            made.pop()
        made.append((x, y))
    return made[:-1]


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
