"""Gimbal lock: angles at which three successive turns of one joint turn its child two ways only.

With axes a1, a2, a3, each in the frame before its turn, the child turns about a1, a2 and
R(a2, q2) a3, all seen after the first turn.  The frames in between have no mass, so M is singular
where these three lie in one plane: where R(a2, q2) carries the part of a3 across a2 along that of
a1, twice in every turn of q2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import atan2, hypot, pi
from typing import TYPE_CHECKING, Any

from kinetree.algebra import Vector, cross, dot
from kinetree.engine import Node, symbols
from kinetree.model.closures import Condition, Coupled, Law, RateLaw
from kinetree.model.parts import CoordinateGroup, Shift, Turn

if TYPE_CHECKING:
    from kinetree.model.mechanism import Mechanism
    from kinetree.program.locks import Locks

ALONG = 1e-9
"""Sine or cosine below which two axes are parallel or at right angles."""


def gimbal_locks(model: Mechanism) -> Locks:
    """(number of a coordinate, angle): it is at gimbal lock there and every half turn on [rad].

    Left out are turns that a rotor inertia, a drive or an equation between coordinates keeps from
    running against each other: M, or what the constraints leave of it, is regular there.
    """
    bound = set(model.drives)
    for closure in model.closures.values():
        bound.update(name for row in closure.conditions for name in _coordinate_names(row, model))
    found, start = [], 0
    for joint in model.leaders:
        found += [(start + k, angle) for k, angle in _locks(joint, bound)]
        start += joint.nq
    return tuple(found)


def _coordinate_names(row: Condition, model: Mechanism) -> Iterator[str]:
    """Coordinates that an equation names, be it by their velocities."""
    if isinstance(row, Coupled):
        yield from (row.first, row.second)
    elif isinstance(row, Law | RateLaw):
        used = {s.name for s in symbols([row.expr])}
        yield from (n for n in model.coordinates if not used.isdisjoint((f"q_{n}", f"qd_{n}")))


def _locks(joint: CoordinateGroup, bound: set[str]) -> Iterator[tuple[int, float]]:
    """Middle turns of a joint that can lock, by their number in the joint, and the angles."""
    motions = joint.motions
    if not all(motion.nv == len(motion.neutral) == 1 for motion in motions):
        return  # a joint with a quaternion has no turns beside it
    held = [name in bound for name in joint.coordinates]
    for k, rotor in enumerate(joint.armature):
        held[k] = held[k] or isinstance(rotor, Node) or rotor != 0
    turns = {
        k: Vector(*motion.axis) for k, motion in enumerate(motions) if isinstance(motion, Turn)
    }
    places = list(turns)
    for i, j, k in zip(places, places[1:], places[2:], strict=False):
        axes = [turns[i], turns[j], turns[k]]
        angle = _lock(axes)
        if angle is None or held[i] or held[k] or not _meet(motions[i : k + 1], j - i):
            continue
        square = all(abs(dot(axes[1], axis)) < ALONG for axis in (axes[0], axes[2]))
        if square or not held[j]:  # else the middle turn runs along with the others
            yield j, angle


def _meet(motions: Sequence[Any], middle: int) -> bool:
    """Whether all axes pass through one point: shifts in between go along the outer axes only."""
    first, last = motions[0].axis, motions[-1].axis
    ways = [first] * middle + [last] * (len(motions) - middle)
    between = [k for k in range(1, len(motions) - 1) if k != middle]
    return all(
        isinstance(motions[k], Shift) and hypot(*cross(motions[k].axis, ways[k])) < ALONG
        for k in between
    )


def _lock(axes: Sequence[Vector]) -> float | None:
    """q2 at which the axes lie in one plane, from 0 to π; none where they do for all q2."""
    first, middle, last = axes
    a, b = (axis - dot(middle, axis) * middle for axis in (first, last))
    if min(hypot(*a), hypot(*b)) < ALONG:
        return None
    return float(atan2(dot(middle, cross(b, a)), dot(b, a)) % pi)
