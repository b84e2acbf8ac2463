"""Profiles of contacts in the plane: ribbons along outlines, discs, small balls for points."""

from __future__ import annotations

from collections.abc import Iterator
from math import atan2, pi

import numpy as np

from kinetree.arrays import Array
from kinetree.forces.plane.curves import SmoothCurve
from kinetree.forces.plane.profiles import Arc, Corner, Feature, Straight, profile
from kinetree.model import Point
from kinetree.tables import look_up
from kinetree.view.dimensions import Measures
from kinetree.view.packing import pack
from kinetree.view.solids import Solid, along, part

FINE = 0.1
"""Largest angle between two chords of an arc [rad]."""
CHORDS = 120
"""Chords of a smooth curve."""
WIDTH = 3.0
"""Width of ribbons and discs, in radii of a rod."""
FELT = "#b5654a"


def profile_parts(m: Measures) -> Iterator[tuple[str, Solid]]:
    """What bodies look like where they may touch in a plane, by the name of the body."""
    for force in m.model.forces.values():
        if not force.kind.startswith("plane_"):
            continue
        for point, end in zip(force.points, ("first", "second"), strict=True):
            found = profile(force.arguments[f"{end}_profile"], f"force '{force.name}'")
            for feature in found.features:
                yield from ((point.body.name, row) for row in _solids(m, point, feature))


def _solids(m: Measures, point: Point, feature: Feature) -> Iterator[Solid]:
    """One feature in the frame of its body."""
    R, at = np.array(point.rotation, dtype=float), m.place(point)
    if isinstance(feature, Corner):
        if feature.before is None and feature.after is None:
            yield part("sphere", at + R @ [*feature.at, 0], radius=0.8 * m.radius, colour=FELT)
    elif isinstance(feature, Arc) and feature.first is None and not feature.hollow:
        yield along("cylinder", at + R @ [*feature.centre, 0], R[:, 2], radius=feature.radius,
                    length=WIDTH * m.radius, colour=FELT)  # fmt: skip
    else:
        yield _ribbon(m, at, R, _outline(feature))


def _outline(feature: Straight | Arc | SmoothCurve) -> Array:
    """Points along a feature, n × 2 [m]."""
    if isinstance(feature, Straight):
        a, t = np.array(feature.start), np.array(feature.along)
        return np.array([a, a + feature.length * t])
    if isinstance(feature, SmoothCurve):
        s = np.linspace(*feature.ends, CHORDS + 1)
        return np.stack([look_up(feature.x, s), look_up(feature.y, s)], axis=1)
    first, span = 0.0, 2 * pi
    if feature.first is not None and feature.last is not None:
        first = atan2(feature.first[1], feature.first[0])
        span = (atan2(feature.last[1], feature.last[0]) - first) % (2 * pi)
    turn = first + np.linspace(0, span, max(2, int(span / FINE) + 2))
    return np.array(feature.centre) + feature.radius * np.stack([np.cos(turn), np.sin(turn)], 1)


def _ribbon(m: Measures, at: Array, R: Array, line: Array) -> Solid:
    """A band along a line, across the plane; seen from both sides."""
    w = 0.5 * WIDTH * m.radius
    low, high = (np.column_stack([line, np.full(len(line), z)]) @ R.T + at for z in (-w, w))
    a, b, c, d = low[:-1], low[1:], high[1:], high[:-1]
    front = np.stack([a, b, c, a, c, d], axis=1).reshape(-1, 9)
    back = np.stack([a, c, b, a, d, c], axis=1).reshape(-1, 9)
    return part("mesh", triangles=pack(np.vstack([front, back]), 1e-4 * m.size), colour=FELT)
