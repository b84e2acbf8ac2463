"""A model as a small drawing (SVG): the solids that pages show, seen from the side and above."""

from __future__ import annotations

import numpy as np

from kinetree.model import Mechanism
from kinetree.view.clips import standing
from kinetree.view.film.scene import FlatShape, Scene

WIDTH, HEIGHT, MARGIN = 360, 240, 12
"""Size of the drawing and of its margin [px]."""


def sketch(model: Mechanism) -> str:
    """The drawing of a model in its initial configuration."""
    shapes = Scene(model, standing(model.initial())).shapes(0)
    every = np.concatenate([shape.points for shape in shapes])
    low, high = every.min(axis=0), every.max(axis=0)
    room = np.array([WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN])
    scale = float((room / np.maximum(high - low, 1e-9)).min())
    middle = (low + high) / 2
    box = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}"'
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" {box}>']
    for shape in shapes:
        placed = (shape.points - middle) * (scale, -scale) + (WIDTH / 2, HEIGHT / 2)
        corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)
        lines.append(f'<polygon points="{corners}" {_looks(shape)} stroke-linejoin="round"/>')
    return "\n".join([*lines, "</svg>", ""])


def _looks(shape: FlatShape) -> str:
    if len(shape.points) < 3:
        return f'fill="none" stroke="{shape.colour}" stroke-width="3"'
    return f'fill="{shape.colour}" fill-opacity="{0.85 * shape.opacity:.2f}" stroke="#1f2933"'
