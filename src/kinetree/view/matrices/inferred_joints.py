"""Solids for the joints that walks of position matrices imply: hinges, balls, sliders, rails."""

from __future__ import annotations

import numpy as np

from kinetree.arrays import Array
from kinetree.view.dimensions import Measures
from kinetree.view.drawing import hinge, post
from kinetree.view.matrices.matrix_motion import TURN, Knee, Walks
from kinetree.view.solids import STEEL, Solid, along, part, rod

UPRIGHT = 0.9


def knee_parts(m: Measures, found: Walks) -> list[tuple[str, Solid]]:
    """Body name and solid of everything that is seen of the knees."""
    made: list[tuple[str, Solid]] = []
    for knee in found.knees:
        made += _turning(m, found, knee) if knee.kind == TURN else _sliding(m, found, knee)
    return made


def _turning(m: Measures, found: Walks, knee: Knee) -> list[tuple[str, Solid]]:
    """A hinge or a ball on the outermost body that carries it, and its post on the ground."""
    ground, *bodies = found.frames
    holders = [(name, at) for name in bodies if (at := found.fixed_at(name, knee.at)) is not None]
    made: list[tuple[str, Solid]] = []
    if holders:
        name, at = holders[-1]
        axis = found.along(name, knee.axis)
        ball = part("sphere", at, radius=2.0 * m.radius, colour=STEEL)
        made.append((name, ball if axis is None else hinge(at, axis, m.radius)))
    at_ground = found.fixed_at(ground, knee.at)
    if at_ground is not None and holders and not _shaft(m, found, knee):
        height = float((found.frames[holders[-1][0]][1][0] - at_ground) @ m.up)
        made.append((ground, post(m, at_ground, hangs=height < -m.radius)))
    return made


def _shaft(m: Measures, found: Walks, knee: Knee) -> bool:
    """Whether a rail along the same line carries what turns, so that no post is needed."""
    if knee.axis is None:
        return False
    return any(
        other.axis is not None
        and other.kind != TURN
        and np.abs(other.at - knee.at).max() < m.radius
        and abs(float(other.axis[0] @ knee.axis[0])) > UPRIGHT
        for other in found.knees
    )


def _sliding(m: Measures, found: Walks, knee: Knee) -> list[tuple[str, Solid]]:
    """A slider on the first body that goes along, its rail on the body that carries the line."""
    made: list[tuple[str, Solid]] = []
    r = m.radius
    for name in found.frames:
        at, axis = found.fixed_at(name, knee.to), found.along(name, knee.axis)
        if at is not None and axis is not None:
            made.append((name, along("box", at, axis, size=[4.2 * r, 4.2 * r, 6.5 * r])))
            break
    for name in found.frames:
        start, axis = found.fixed_at(name, knee.at), found.along(name, knee.axis)
        if start is not None and axis is not None:
            made.append((name, _rail(m, start, axis, _reach(m, found, knee, name))))
            break
    return made


def _reach(m: Measures, found: Walks, knee: Knee, body: str) -> tuple[float, float]:
    """From where to where a rail goes: as far as the slider, from where it is held."""
    low, high = knee.travel
    ground = body == next(iter(found.frames))
    upright = knee.axis is not None and abs(float(knee.axis[0] @ m.up)) > UPRIGHT
    if not ground or upright:  # a telescope begins where it is held, a post on the floor
        low, high = min(low, 0.0), max(high, 0.0)
    return low, high


def _rail(m: Measures, start: Array, axis: Array, reach: tuple[float, float]) -> Solid:
    spare = 4 * m.radius
    a, b = start + (reach[0] - spare) * axis, start + (reach[1] + spare) * axis
    return rod(a, b, 0.6 * m.radius, colour="#9aa3ad")
