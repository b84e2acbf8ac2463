"""Coordinates of the model that laws speak of, tied to natural ones.

Refs: GarciaDeJalon1994 (mixed coordinates)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kinetree.engine import ONE, ZERO, Node, add, cos, number, sin
from kinetree.formalism.links.motion import AxisMotion, FreeMotion
from kinetree.formalism.links.vectors import cross, dot, vec3
from kinetree.formalism.natural.combinations import constant
from kinetree.formalism.natural.constraints import Measured
from kinetree.formalism.natural.coordinates import AXES, NaturalSpace

if TYPE_CHECKING:
    from kinetree.formalism.natural.links import FreeLink, LinkFrame, Turning

HALF = number(0.5)


def tie_angle(frame: Turning) -> None:
    """The angle as a coordinate, and a screw's way along its axis."""
    space, motion = frame.space, frame.motion
    name = space.system.model.velocities[motion.dofs[0]]
    leader = _coordinate_symbol(space, name)
    q = leader if motion.q in space.system.q else motion.q
    a, _ = frame.axis_pair()
    before = [frame.parent.direction(frame.link.R0[:, k]) for k in (frame.i, frame.j)]
    # own axis a in the joint frame: i at (cos, sin), j at (-sin, cos)
    own = frame.axis(a)
    pair = (before[0], before[1]) if a == frame.i else (before[1], before[0].times(constant(-ONE)))
    angle = motion.turn * q

    def law(c: Node, s: Node) -> Node:
        return c * sin(angle) - s * cos(angle)

    parts = ((own, pair[0]), (own, pair[1]))
    space.tie(Measured(f"{frame.label}.turn", parts, law))
    if motion.slide is not ZERO:
        tie_slide(frame, motion)


def tie_slide(frame: LinkFrame, motion: AxisMotion) -> None:
    """The way along the axis follows a coordinate."""
    space = frame.space
    name = space.system.model.velocities[motion.dofs[0]]
    _coordinate_symbol(space, name)
    along = frame.parent.direction(frame.link.R0[:, motion.k])
    d = frame.origin.minus(frame.parent.point(frame.link.r))
    way = motion.slide * motion.q

    def law(s: Node) -> Node:
        return s - way

    space.tie(Measured(f"{frame.label}.slide", ((along, d),), law))


def tie_quaternion(frame: FreeLink, motion: FreeMotion) -> None:
    """The quaternion e as coordinates: (0, m)∘e = e∘(0, k) turns axis k into its place m.

    Two axes determine e but for its sign; the equations repeat each other and do no harm.
    """
    space = frame.space
    names = dict(zip(space.system.q, space.system.model.coordinates, strict=True))
    for e in motion.e:
        space.angle(names[e])
    before = [frame.parent.direction(frame.link.R0[:, l]) for l in range(3)]
    made = [k for k, axis in enumerate(frame.axes) if axis is not None][:2]
    for k in made:
        own = frame.axis(k)
        pairs = tuple((own, axis) for axis in before)
        for part in range(4):
            law = _turning_law(motion.e, k, part)
            space.tie(Measured(f"{frame.label}.e_{AXES[k]}{part}", pairs, law))
    half = HALF * (add(*[e * e for e in motion.e]) - 1)
    space.tie(Measured(f"{frame.label}.e", (), lambda: half))


def _turning_law(e: tuple[Node, ...], k: int, part: int) -> Callable[..., Node]:
    """Element `part` of (0, m)∘e - e∘(0, k)."""
    w, v = e[0], vec3(e[1:])

    def law(*m: Node) -> Node:
        a = vec3(m)
        b = vec3(ONE if i == k else ZERO for i in range(3))
        if part == 0:
            return dot(v, b) - dot(a, v)
        i = part - 1
        return w * (a[i] - b[i]) + cross(a, v)[i] - cross(v, b)[i]

    return law


def _coordinate_symbol(space: NaturalSpace, name: str) -> Node:
    """The symbol of a coordinate of the model; an angle becomes a coordinate here."""
    at = space.system.model.coordinates.index(name)
    own = space.system.q[at]
    for link in space.system.links:
        motion = link.motion
        if isinstance(motion, AxisMotion) and motion.q is own and motion.turn is not ZERO:
            space.angle(name)
    return own
