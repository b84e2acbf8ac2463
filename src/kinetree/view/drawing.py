"""Default solids of a mechanism that brings none: rods, hinges, sliders, balls, wheels, springs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from kinetree.arrays import Array
from kinetree.model import (
    Ball,
    Body,
    Closure,
    Float,
    Force,
    Joint,
    Point,
    Shift,
    Turn,
    Twist,
    direction,
)
from kinetree.view.dimensions import Measures, ground_places
from kinetree.view.inertia import box, lump, principal
from kinetree.view.solids import FADED, RUBBER, STEEL, Solid, along, part, rod

HINGED = ("revolute", "cylindrical")
GUIDED = ("prismatic", "line", "planar")


def body_parts(m: Measures, body: Body) -> list[Solid]:
    """The material of a body: rods between its attachments, or a lump with its inertia."""
    places, inner = m.places(body), m.inner(body)
    free = inner is not None and roams(inner)
    far = [at for at in places[1:] if np.linalg.norm(at - places[0]) > 0.2 * m.radius]
    if not far:
        return [] if _is_shown(m, body) else lump(m, body, places[0] if places else np.zeros(3))
    com, k2, axes = principal(m, body)
    if not free or not k2.any():
        return [*(rod(places[0], at, m.radius) for at in far), *_point_mass(m, body, places[0])]
    rods = [rod(com, at, m.radius) for at in places if np.linalg.norm(at - com) > m.radius]
    return [*rods, box(m, com, k2, axes) | {"opacity": FADED}]


def _point_mass(m: Measures, body: Body, joint: Array) -> list[Solid]:
    """A ball for a mass without extent, which rods alone would not show, and the rod to it."""
    mass, com, inertia = m.mass(body)
    if mass <= 0 or inertia.any():
        return []
    ball = part("sphere", com, radius=3 * m.radius)
    return [rod(joint, com, m.radius), ball] if np.linalg.norm(com - joint) > m.radius else [ball]


def roams(joint: Joint) -> bool:
    """Whether a joint lets its child go about freely, so that nothing is seen of the joint."""
    if any(isinstance(x, Float) for x in joint.motions):
        return True
    return len(joint.motions) > 2 and sum(isinstance(x, Shift) for x in joint.motions) > 1


def joint_parts(m: Measures, joint: Joint) -> list[Solid]:
    """The joint itself, on its child: hinge, slider or ball."""
    at, r = m.place(joint.child), m.radius
    turns = [x for x in joint.motions if isinstance(x, Turn | Twist)]
    shifts = [x for x in joint.motions if isinstance(x, Shift)]
    if roams(joint):
        return []
    if any(isinstance(x, Ball) for x in joint.motions) or len(turns) > 1:
        return [part("sphere", at, radius=2.0 * r, colour=STEEL)]
    made: list[Solid] = []
    if len(shifts) == 1:
        axis = _axis(joint.child, shifts[0].axis)
        made.append(along("box", at, axis, size=[4.2 * r, 4.2 * r, 6.5 * r]))
    elif shifts:
        made.append(part("box", at, size=[4.2 * r] * 3))
    if turns:
        made.append(hinge(at, _axis(joint.child, turns[0].axis), 1.3 * r if shifts else r))
    return made


def rail(m: Measures, joint: Joint, ranges: Mapping[str, tuple[float, float]]) -> list[Solid]:
    """The guide of a sliding joint, on its parent, as long as the slider travels."""
    made = []
    starts = np.cumsum([0, *(len(x.neutral) for x in joint.motions)])
    for motion, k in zip(joint.motions, starts[:-1], strict=True):
        if not isinstance(motion, Shift) or joint.follows or roams(joint):
            continue
        low, high = ranges[joint.coordinates[int(k)]]
        if joint.parent.body is not m.model.ground:  # a telescope begins where it is held
            low, high = min(low, 0.0), max(high, 0.0)
        axis = _axis(joint.parent, motion.axis)
        at, spare = m.place(joint.parent), 4 * m.radius
        start, end = at + (low - spare) * axis, at + (high + spare) * axis
        made.append(rod(start, end, 0.6 * m.radius, colour="#9aa3ad"))
        break  # of several shifts in a row only the first starts from the parent
    return made


def closure_parts(m: Measures, closure: Closure) -> list[tuple[Point, Solid]]:
    """What closes a loop, on its first end."""
    if not closure.ends:
        return []
    end = closure.ends[0]
    at = m.place(end)
    radius = m.scalar(closure, "radius")
    if closure.kind == "roll" and radius:
        return [(end, row) for row in wheel(at, _axis_argument(end, closure.arguments), radius)]
    if closure.kind in HINGED:
        return [(end, hinge(at, _axis(end, _direction(closure.arguments["axis"])), m.radius))]
    if closure.kind in GUIDED:
        return [(end, part("box", at, size=[4.2 * m.radius] * 3, colour=STEEL))]
    return [(end, part("sphere", at, radius=1.9 * m.radius, colour=STEEL))]


def force_parts(m: Measures, force: Force) -> list[tuple[Point, Solid]]:
    """The wheel or the sphere on which a tyre or a contact acts."""
    radius = m.scalar(force, "radius")
    if radius is None or len(force.points) == 0:
        return []
    end = force.points[0]
    axis = _axis_argument(end, force.arguments)
    return [(end, row) for row in wheel(m.place(end), axis, radius)]


def ground_marks(m: Measures) -> list[Solid]:
    """Where closures and forces hold on to the ground: small balls."""
    model = m.model
    pairs = [c.ends for c in model.closures.values()] + [f.points for f in model.forces.values()]
    points = [p for pair in pairs if len(pair) == 2 for p in pair if p.body is model.ground]
    return [part("sphere", m.place(p), radius=1.5 * m.radius) for p in points if p.name]


def wheel(at: Array, axis: Array | None, radius: float) -> list[Solid]:
    """A tyre with a disc and spokes, which show that it turns; a ball where there is no axis."""
    if axis is None:
        return [part("sphere", at, radius=radius)]
    tube = 0.14 * radius
    disc = along("cylinder", at, axis, radius=0.76 * radius, length=0.1 * radius)
    spoke = {"size": [0.12 * radius, 1.5 * radius, 0.14 * radius], "colour": "#d9dee5"}
    cross = {"size": [1.5 * radius, 0.12 * radius, 0.14 * radius], "colour": "#d9dee5"}
    return [
        along("torus", at, axis, radius=radius - tube, tube=tube, colour=RUBBER),
        disc,
        along("box", at, axis, **spoke),
        along("box", at, axis, **cross),
    ]


def foot(m: Measures, joint: Joint) -> list[Solid]:
    """The mark of a joint on the ground: a cone under it, or above it where the body hangs."""
    if not joint.motions or roams(joint):
        return []
    at, body = m.place(joint.parent), joint.child.body
    number = list(m.model.bodies).index(body.name) + 1
    ends = np.array([*m.places(body), m.mass(body)[1]])
    middle = ground_places(m.first[None], number, ends)[0].mean(axis=0)
    hangs = float((middle - at) @ m.up) < -m.radius
    return [post(m, at, hangs=hangs)]


def post(m: Measures, at: Array, *, hangs: bool) -> Solid:
    """A cone on the ground whose tip is at a place, from above where something hangs on it."""
    tip = -m.up if hangs else m.up
    height = 5.5 * m.radius
    return along("cone", at - 0.5 * height * tip, tip, radius=3.6 * m.radius, length=height)


def _is_shown(m: Measures, body: Body) -> bool:
    """Whether a wheel, a sphere or a slider is drawn for the body anyway."""
    inner = m.inner(body)
    if inner is not None and inner.motions and all(isinstance(x, Shift) for x in inner.motions):
        return True
    rolls = [c for c in m.model.closures.values() if c.kind == "roll" and c.ends]
    forces = [f for f in m.model.forces.values() if f.points and m.scalar(f, "radius") is not None]
    points = [*(c.ends[0] for c in rolls), *(f.points[0] for f in forces)]
    return any(point.body is body for point in points)


def hinge(at: Array, axis: Array, r: float) -> Solid:
    """A hinge of a size in proportion to rods of radius r."""
    return along("cylinder", at, axis, radius=1.8 * r, length=4.8 * r, colour=STEEL)


def _axis(point: Point, axis: Any) -> Array:
    """A direction of a point's frame in the body frame."""
    return np.asarray(np.array(point.rotation, dtype=float) @ np.array(axis, dtype=float))


def _axis_argument(point: Point, arguments: Mapping[str, Any]) -> Array | None:
    given = arguments.get("axis")
    return None if given is None else _axis(point, _direction(given))


def _direction(given: Any) -> Any:
    return direction(given, "axis")
