"""Profiles of contacts in the plane: plates of solid outlines, ribbons along others, discs, points.

A body that has shapes of its own keeps them: along its solid outlines there are ribbons, too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from math import atan2, pi

import numpy as np

from kinetree.arrays import Array
from kinetree.forces.plane.curves import SmoothCurve
from kinetree.forces.plane.profiles import Arc, Corner, Feature, Profile, Straight, profile
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
NEAR = 1e-6
"""Distance over the size of the model within which two outlines have a corner in common."""


@dataclass(frozen=True)
class Plate:
    """A solid body in a plane: its outline in the frame of the body, n × 3 [m], and its solid."""

    ring: Array
    solid: Solid


def plates(m: Measures, shaped: Collection[str]) -> dict[str, Plate]:
    """Bodies whose outline is known and solid, by name.

    Args:
        m: sizes of the model.
        shaped: names of bodies with shapes of their own, which these do not replace.
    """
    found: dict[str, Plate] = {}
    for point, shape in _profiles(m):
        ring = None if point.body.name in shaped else solid_outline(shape)
        if ring is not None:
            found.setdefault(point.body.name, _plate(m, point, ring))
    return found


def profile_parts(m: Measures, drawn: Mapping[str, Plate]) -> Iterator[tuple[str, Solid]]:
    """Where bodies may touch in a plane, by the name of the body; what plates show is left out."""
    for point, shape in _profiles(m):
        plate = drawn.get(point.body.name)
        for feature in shape.features:
            if plate is None or not _lies_on(m, point, feature, plate):
                yield from ((point.body.name, row) for row in _solids(m, point, feature))


def _profiles(m: Measures) -> Iterator[tuple[Point, Profile]]:
    """Places and profiles of all contacts in the plane."""
    for force in m.model.forces.values():
        if force.kind.startswith("plane_"):
            for point, end in zip(force.points, ("first", "second"), strict=True):
                yield point, profile(force.arguments[f"{end}_profile"], f"force '{force.name}'")


def _lies_on(m: Measures, point: Point, feature: Feature, plate: Plate) -> bool:
    """Whether the ends of a feature are corners of the plate's outline."""
    if isinstance(feature, Corner):
        return feature.before is not None or feature.after is not None
    R, line = np.array(point.rotation, dtype=float), _outline(feature)
    ends = np.column_stack([line[[0, -1]], np.zeros(2)]) @ R.T + m.place(point)
    far = np.linalg.norm(plate.ring[None] - ends[:, None], axis=2).min(axis=1)
    return bool((far < NEAR * m.size).all())


def solid_outline(found: Profile) -> Array | None:
    """The outline of a solid body, counter-clockwise, n × 2 [m]; None of what is no such thing."""
    faces = [face for face in found.features if not isinstance(face, Corner)]
    smooth = [face for face in faces if isinstance(face, SmoothCurve)]
    if any(face.chord is not None for face in smooth) or not (found.closed or smooth):
        return None
    rows = [_outline(face) for face in faces]
    hollow = [isinstance(face, Arc) and face.hollow for face in faces]
    ring = np.vstack([row[::-1][:-1] if back else row[:-1]
                      for row, back in zip(rows, hollow, strict=True)])  # fmt: skip
    return ring if _area(ring) > 0 else None


def _area(ring: Array) -> float:
    x, y = ring.T
    return 0.5 * float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))


def triangles(ring: Array) -> Array:
    """Triangles of a simple polygon drawn counter-clockwise, as rows of three corners.

    Ears are cut off: a corner that turns left, with no other one in the triangle that it makes.
    """
    left, found = list(range(len(ring))), []
    while len(left) > 3:
        P = ring[left]
        back, ahead = np.roll(P, 1, axis=0), np.roll(P, -1, axis=0)
        order = np.argsort(-_turns(back, P, ahead))  # wide ears first
        ear = next((int(k) for k in order if _is_ear(P, int(k))), int(order[0]))
        found.append([left[ear - 1], left[ear], left[(ear + 1) % len(left)]])
        del left[ear]
    return np.array([*found, left])


def _turns(a: Array, b: Array, c: Array) -> Array:
    """Twice the areas of triangles, positive where they turn left."""
    u, v = b - a, c - a
    return u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]


def _is_ear(P: Array, k: int) -> bool:
    n = len(P)
    corners = [(k - 1) % n, k, (k + 1) % n]
    a, b, c = P[corners]
    others = np.delete(P, corners, axis=0)
    inside = (_turns(a, b, others) >= 0) & (_turns(b, c, others) >= 0) & (_turns(c, a, others) >= 0)
    return bool(_turns(a, b, c) > 0 and not inside.any())


def _plate(m: Measures, point: Point, ring: Array) -> Plate:
    """A plate in the plane of its place, in the colour of its body."""
    R, at, w = np.array(point.rotation, dtype=float), m.place(point), 0.5 * WIDTH * m.radius
    low, high = (np.column_stack([ring, np.full(len(ring), z)]) @ R.T + at for z in (-w, w))
    cut, on = triangles(ring), np.roll(np.arange(len(ring)), -1)
    sides = [np.stack(row, axis=1).reshape(-1, 9)
             for row in ((low, low[on], high[on]), (low, high[on], high))]  # fmt: skip
    caps = [high[cut].reshape(-1, 9), low[cut[:, ::-1]].reshape(-1, 9)]
    solid = part("mesh", triangles=pack(np.vstack([*caps, *sides]), 1e-4 * m.size))
    return Plate((low + high) / 2, solid)


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
