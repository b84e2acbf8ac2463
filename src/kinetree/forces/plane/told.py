"""What a contact in the plane tells of itself: forces, distances, energies.

| output | meaning |
|---|---|
| load | sum of all normal forces [N] |
| depth, gap | of the pair that is deepest, or nearest [m] |
| pace | time within which the profiles cannot meet and part again [s] |
| stored | energy in it, ∫ F(s, 0) ds up to the depths, and in springs that stick [J] |
| loss | power that its law and friction turn into heat, never negative [W] |
| sunk | by at least so much a corner, point or disc is deeper inside than the contact sees [m] |

The power of its forces is -(d stored/dt + loss).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np

from kinetree.engine import ONE, ZERO, Node, add, as_node, call, maximum, minimum, select, sqrt
from kinetree.forces.branches import positive
from kinetree.forces.normal_laws import NormalLaw
from kinetree.forces.plane import rubbing
from kinetree.forces.plane.meeting import TINY, Meeting, PlanePose
from kinetree.forces.plane.pairing import sights
from kinetree.forces.plane.profiles import Profile
from kinetree.model import Action, Force, Vec

FAR = 1e9
"""Distance of a pair that does not hold [m]."""
BORDER = 1e-9
"""Distance from the border of a region that counts as inside [m]."""
PLACES = 4
"""Places at which a law is integrated over its depth; powers of halves up to 3 are exact."""


@dataclass(frozen=True, slots=True)
class PlaneView:
    """The first frame seen from the second, in its components: pose, velocity, turning speed."""

    pose: PlanePose
    v: tuple[Node, Node]
    w: Node

    def velocity(self, at: tuple[Node, Node]) -> tuple[Node, Node]:
        """Of the point of the first body that is there now [m/s]."""
        x, y = at[0] - self.pose.x, at[1] - self.pose.y
        return (self.v[0] - self.w * y, self.v[1] + self.w * x)


@dataclass(frozen=True, slots=True)
class PairPush:
    """One pair: depth [m] and its rate, normal force [N], sliding speed [m/s] and friction [N]."""

    depth: Node
    closing: Node
    load: Node
    sliding: Node
    friction: Node


@dataclass(frozen=True, slots=True)
class PlaneTouch:
    """A contact: its profiles, how one sees the other, all pairs and what pushes."""

    profiles: tuple[Profile, Profile]
    view: PlaneView
    found: Sequence[Meeting]
    pushes: Sequence[PairPush]


def tell(
    act: Action, force: Force, law: NormalLaw, touch: PlaneTouch, wrench: tuple[Vec, Vec]
) -> dict[str, Any]:
    """All outputs; the wrench acts on the first place and is seen from the second frame."""
    view, found = touch.view, touch.found
    depths = [pair.where_held(pair.depth, as_node(-FAR)) for pair in found if pair.pushes]
    deepest = _largest(depths)
    near = [_with_border(pair).where_held(pair.depth, as_node(-FAR)) for pair in found]
    gap = -_largest(near)
    stored, loss = _energies(act, force, law, touch.pushes)
    return {
        "load": add(*(push.load for push in touch.pushes)), "depth": positive(deepest), "gap": gap,
        "pace": pace(touch.profiles, view, gap), "stored": stored, "loss": loss,
        "sunk": sunk(touch), "force": wrench[0], "torque": wrench[1], "rate": (*view.v, ZERO),
        "angular_rate": (ZERO, ZERO, view.w),
    }  # fmt: skip


def pace(profiles: tuple[Profile, Profile], view: PlaneView, gap: Node) -> Node:
    """A time within which the profiles cannot meet and part again [s].

    No two points of them that may touch pass each other faster than v + w r, with the turning speed
    w and a distance r from the first place that reaches no further than one of the profiles.  In
    this time they come no further than across their gap and through the mean of their sizes.
    """
    first, second = profiles
    (vx, vy), p = view.v, view.pose
    arm = minimum(sqrt(p.x * p.x + p.y * p.y + TINY) + second.reach, first.reach)
    speed = sqrt(vx * vx + vy * vy + TINY) + call("abs", view.w) * arm
    apart = select(gap - FAR / 2, ZERO, positive(gap))  # no pair holds deep inside
    return (apart + (first.size + second.size) / 2) / speed


def sunk(touch: PlaneTouch) -> Node:
    """At least how deep something round is inside a closed chain where no face sees it [m]."""
    deep = [ZERO]
    for other, row in sights(*touch.profiles, touch.view.pose):
        if other.closed and other.thickness < inf:
            held = _largest([_with_border(pair).where_held(ONE, ZERO) for pair in row])
            deep.append((1 - held) * other.thickness)
    return _largest(deep)


def _with_border(pair: Meeting) -> Meeting:
    """The pair with its borders in its region, so that none falls between two regions."""
    return replace(pair, inside=tuple(condition + BORDER for condition in pair.inside))


def _energies(
    act: Action, force: Force, law: NormalLaw, pushes: Sequence[PairPush]
) -> tuple[Node, Node]:
    """Energy that is stored [J], and power that is lost [W]."""
    stored, loss = [], []
    for number, push in enumerate(pushes, 1):
        elastic = law.load(act, force, push.depth, ZERO)
        kept, grows = rubbing.spring_energy(act, force, push.friction, number)
        stored += [_energy(act, force, law, push.depth), kept]
        loss.append((push.load - elastic) * push.closing - push.friction * push.sliding - grows)
    return add(*stored), add(*loss)


def _energy(act: Action, force: Force, law: NormalLaw, depth: Node) -> Node:
    """∫ F(s, 0) ds from 0 to the depth, with s = depth σ² by Gauss' places for σ."""
    places, weights = np.polynomial.legendre.leggauss(PLACES)
    inside = positive(depth)
    terms = []
    for place, weight in zip((places + 1) / 2, weights / 2, strict=True):
        F = law.load(act, force, inside * float(place**2), ZERO)
        terms.append(F * float(2 * weight * place))
    return inside * add(*terms)


def _largest(values: Sequence[Node]) -> Node:
    largest = values[0]
    for value in values[1:]:
        largest = maximum(largest, value)
    return largest
