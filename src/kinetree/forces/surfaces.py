"""What touches what: a body seen from a road, and the road under it.

The road stands in the frame of the second place of the force, its height z = f(x, y, t) given by
the law `height` (metres, z of that frame pointing to the side of the body); without the law it is
the plane z = 0.  All vectors of this file are in the road's frame and relative to the road.

    foot      (x, y, f) with the unit normal n = (-f_x, -f_y, 1)/√(1 + f_x² + f_y²)
    rise      f_t [m/s], the speed of the surface itself along z

The foot is taken under the centre; each of `corrections` steps moves it towards the point of the
surface that is nearest to the centre, x ← x_c + (z_c - f) f_x (the same for y), which converges
where the surface is less curved than the body.

Refs: own derivation
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kinetree.engine import ONE, ZERO, Node, Rank, derivative, number, sqrt, substitute, symbol
from kinetree.errors import ModelError
from kinetree.model import (
    Action,
    Force,
    Told,
    Vec,
    apply,
    apply_transposed,
    cross,
    direction,
    dot,
    minus,
    negative,
    plus,
)

UP: Vec = (ZERO, ZERO, ONE)


@dataclass(frozen=True, slots=True)
class RoadView:
    """A place of a body relative to the road, in the road's frame: p [m], v [m/s], w [rad/s].

    `axis` is a direction fixed in the place, of unit length; None where none was asked for.
    """

    p: Vec
    v: Vec
    w: Vec
    axis: Vec | None = None


@dataclass(frozen=True, slots=True)
class Foot:
    """The point of the road that counts: place [m], unit normal, rise of the surface [m/s]."""

    p: Vec
    n: Vec
    rise: Node

    def height(self, centre: Vec) -> Node:
        """Distance of a point from the tangent plane [m], positive on the side of the body."""
        return dot(self.n, minus(centre, self.p))


def see(act: Action, force: Force, axis: Vec | None = None) -> RoadView:
    """The first place of the force as the second one sees it."""
    body, road = act.place(force.points[0]), act.place(force.points[1])
    d = minus(body.p, road.p)
    v = minus(minus(body.v, road.v), cross(road.w, d))
    there = None if axis is None else apply_transposed(road.R, apply(body.R, axis))
    return RoadView(
        let_vector(act, "p", apply_transposed(road.R, d)),
        let_vector(act, "v", apply_transposed(road.R, v)),
        let_vector(act, "w", apply_transposed(road.R, minus(body.w, road.w))),
        None if there is None else let_vector(act, "a", there),
    )


def foot(act: Action, force: Force, centre: Vec) -> Foot:
    """The road under a centre, or nearest to it after the corrections."""
    if force.arguments["height"] is None:
        return Foot((centre[0], centre[1], ZERO), UP, ZERO)
    x, y = symbol("x_road", Rank.LOCAL), symbol("y_road", Rank.LOCAL)
    f = act.profile("height", x=x, y=y)
    slopes = [derivative(f, s) for s in (x, y, act.t)]
    at = {x: centre[0], y: centre[1]}
    for _ in range(force.arguments["corrections"]):
        z, fx, fy = substitute([f, *slopes[:2]], at)
        rest = centre[2] - z
        at = {
            x: act.let("foot_x", centre[0] + rest * fx),
            y: act.let("foot_y", centre[1] + rest * fy),
        }
    z, fx, fy, rise = substitute([f, *slopes], at)
    z, fx, fy = act.let("f", z), act.let("fx", fx), act.let("fy", fy)
    c = act.let("cos_slope", 1 / sqrt(1 + fx * fx + fy * fy))
    return Foot((at[x], at[y], z), let_vector(act, "n", (-(fx * c), -(fy * c), c)), rise)


def push(act: Action, force: Force, where: Vec, F: Vec, T: Vec) -> None:
    """Load both bodies: F [N] on the first at its place, torque T [N.m] about that place.

    Args:
        act: of the force.
        force: whose places they are.
        where: first place in the road's frame [m].
        F: in the road's frame.
        T: in the road's frame.
    """
    first, second = force.points
    R = act.place(second).R
    act.push(first, apply(R, F), apply(R, T))
    back = plus(cross(where, F), T)
    act.push(second, apply(R, negative(F)), apply(R, negative(back)))


def contact_outputs(body: RoadView, F: Vec, T: Vec) -> dict[str, Told]:
    """What every contact tells: wrench on the first place and its motion, in the road's frame."""
    return {"force": F, "torque": T, "rate": body.v, "angular_rate": body.w}


def let_vector(act: Action, stem: str, v: Vec) -> Vec:
    """A vector whose components have names."""
    x, y, z = (act.let(f"{stem}_{k}", c) for k, c in zip("xyz", v, strict=True))
    return (x, y, z)


def unit(axis: Any, element: str) -> Vec:
    """A direction given by the user, as Nodes."""
    x, y, z = (number(c) for c in direction(axis, element))
    return (x, y, z)


def check_road(arguments: Mapping[str, Any], element: str) -> None:
    """Refuse a number of corrections that is none."""
    corrections = arguments["corrections"]
    if not isinstance(corrections, int) or isinstance(corrections, bool) or corrections < 0:
        raise ModelError(
            f"corrections is {corrections!r}",
            element=element,
            cure="give a whole number, 0 or more",
        )


ROAD: dict[str, Any] = {"height": None, "corrections": 0}
"""Arguments by which every contact describes its road."""
VARIABLES = ("x", "y")
"""What the law of the height may use: place in the frame of the road [m]."""
