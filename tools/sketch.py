"""A model as a small drawing (SVG): the solids that pages show, seen from the side and above."""

from __future__ import annotations

import numpy as np

from kinetree.arrays import Array
from kinetree.model import Mechanism
from kinetree.view.clips import standing
from kinetree.view.dimensions import ground_places
from kinetree.view.payload import Look, payload
from kinetree.view.poses import poses
from kinetree.view.solids import outline

WIDTH, HEIGHT, MARGIN = 360, 240, 12
"""Size of the drawing and of its margin [px]."""
LOOK = np.array([0.45, -0.85, 0.35]) / np.linalg.norm([0.45, -0.85, 0.35])
"""Direction from the mechanism to the eye."""
COLOURS = ("#9aa5b1", "#3b73d9", "#e0762b", "#2f9e78", "#8462cc")
"""Of the ground and of the bodies in order."""


def sketch(model: Mechanism) -> str:
    """The drawing of a model in its initial configuration."""
    q = model.initial()
    data = payload(model, standing(q), Look())
    frames = poses(model, q[None])
    across, up = _screen(np.array(data["up"]))
    shapes = []
    for k, body in enumerate(data["bodies"]):
        for part in body["parts"]:
            cloud = ground_places(frames, k, outline(part))[0]
            flat = np.stack([cloud @ across, cloud @ up], axis=1)
            shapes.append((float((cloud @ LOOK).mean()), COLOURS[k % len(COLOURS)], _hull(flat)))
    for link in data["links"]:
        ends = [
            ground_places(frames, tip["body"], np.array([tip["at"]]))[0, 0]
            for tip in (link["from"], link["to"])
        ]
        line = np.array([[end @ across, end @ up] for end in ends])
        shapes.append((np.inf, COLOURS[-1], line))
    return _svg(sorted(shapes, key=lambda row: row[0]))


def _screen(up: Array) -> tuple[Array, Array]:
    """Directions to the right and upwards on the screen."""
    right = np.cross(up, LOOK)
    right /= np.linalg.norm(right)
    return right, np.cross(LOOK, right)


def _hull(points: Array) -> Array:
    """The convex hull of points of the plane, counter-clockwise (monotone chain)."""
    rows = sorted(map(tuple, np.unique(points.round(9), axis=0).tolist()))

    def half(sequence: list[tuple[float, ...]]) -> list[tuple[float, ...]]:
        made: list[tuple[float, ...]] = []
        for p in sequence:
            while len(made) > 1 and _turn(made[-2], made[-1], p) <= 0:
                made.pop()
            made.append(p)
        return made[:-1]

    return np.array(half(rows) + half(rows[::-1]) or rows)


def _turn(a: tuple[float, ...], b: tuple[float, ...], c: tuple[float, ...]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _svg(shapes: list[tuple[float, str, Array]]) -> str:
    every = np.concatenate([points for _, _, points in shapes])
    low, high = every.min(axis=0), every.max(axis=0)
    span = np.maximum(high - low, 1e-9)
    scale = float(min((WIDTH - 2 * MARGIN) / span[0], (HEIGHT - 2 * MARGIN) / span[1]))
    middle = (low + high) / 2
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}">'
    ]
    for _, colour, points in shapes:
        placed = (points - middle) * (scale, -scale) + (WIDTH / 2, HEIGHT / 2)
        text = " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)
        solid = f'fill="{colour}" fill-opacity="0.85" stroke="#1f2933"'
        looks = solid if len(points) > 2 else f'fill="none" stroke="{colour}" stroke-width="3"'
        lines.append(f'<polygon points="{text}" {looks} stroke-linejoin="round"/>')
    return "\n".join([*lines, "</svg>", ""])
