"""Force elements in natural coordinates: everything is seen from the ground.

Refs: GarciaDeJalon1994
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from kinetree.engine import Node, substitute, symbols
from kinetree.formalism.forces.force_writer import ForceWriter
from kinetree.formalism.forces.heard import state_rate_expressions, write_elements
from kinetree.formalism.links.linkage import rotate
from kinetree.formalism.links.passage import wrench_symbols
from kinetree.formalism.links.vectors import NULL, Mat, Vec, apply, is_null, vec3
from kinetree.formalism.natural.bodies import Bodies, NaturalLoads
from kinetree.model import Between, Force, Frame, Place, Point


def applied_loads(bodies: Bodies, tau: Sequence[Node]) -> NaturalLoads:
    """Force elements, run-time wrenches and generalised forces given, all summed."""
    total = NaturalLoads()
    system = bodies.space.system
    write_elements(system.model, lambda force: NaturalForceWriter(bodies, force, total), total)
    for wrench in system.model.wrenches.values():
        six = wrench_symbols(wrench.name)
        frame: Frame = "ground" if wrench.frame == "world" else "point"
        push(bodies, total, wrench.point, (vec3(six[3:]), vec3(six[:3])), frame)
    for k, given in enumerate(tau):
        bodies.effort(total, k, given + total.efforts.get(k, 0))
    return total


def state_rates(bodies: Bodies, loads: NaturalLoads) -> list[Node]:
    """der(x) of every user state, in model order."""
    rows = state_rate_expressions(bodies.space.system, loads, partial(point_place, bodies))
    return [substitute_coordinates(bodies, [rate])[0] for _, rate in rows]


def substitute_coordinates(bodies: Bodies, exprs: Sequence[Node]) -> list[Node]:
    """Expressions with natural coordinates in place of those of the model."""
    used = {s: bodies.value_of(s) for s in symbols(exprs)}
    return substitute(exprs, {s: x for s, x in used.items() if x is not s})


class NaturalForceWriter(ForceWriter):
    """One force element being written; see `Action` for what each method means."""

    def __init__(self, bodies: Bodies, force: Force, total: NaturalLoads) -> None:
        super().__init__(
            bodies.scheme, bodies.space.system, force, total,
            lambda _, exprs: substitute_coordinates(bodies, exprs),
        )  # fmt: skip
        self.bodies, self.total = bodies, total

    def between(self, first: Point, second: Point) -> Between:
        """Two points seen from the ground."""
        a, b = (at(self.bodies, point) for point in (first, second))
        span = b[0].minus(a[0])
        d = self.scheme.vector(f"{self.force.name}_d", span.value)
        rate = self.scheme.vector(f"{self.force.name}_dd", span.rate)
        (R_a, w_a), (R_b, w_b) = (point_rotation(self.bodies, point) for point in (first, second))
        return Between(first, second, d, rate, R_a, R_b, w_a, w_b, 0, self.let)

    def place(self, point: Point) -> Place:
        """A point seen from the ground."""
        return point_place(self.bodies, point)

    def push(self, point: Point, force: Vec, torque: Vec = NULL, frame: Frame = "ground") -> None:
        """Add a wrench to the link of the point."""
        where: Frame = "point" if frame == "point" else "ground"
        push(self.bodies, self.total, point, (force, torque), where)


def at(bodies: Bodies, point: Point):  # type: ignore[no-untyped-def]
    """The place of a point as a combination, and its link."""
    pose = bodies.space.system.pose(point)
    frame = bodies.space.frames[pose.link]
    return frame.point(pose.p), frame


def point_place(bodies: Bodies, point: Point) -> Place:
    """A point seen from the ground."""
    where, _ = at(bodies, point)
    R, w = point_rotation(bodies, point)
    p = bodies.scheme.vector(f"{point.path}_p", where.value)
    v = bodies.scheme.vector(f"{point.path}_v", where.rate)
    return Place(R, p, v, w)


def point_rotation(bodies: Bodies, point: Point) -> tuple[Mat, Vec]:
    """Rotation from the frame of a point to the ground's, and its angular velocity there."""
    pose = bodies.space.system.pose(point)
    frame = bodies.space.frames[pose.link]
    x, y, z = (rotate(pose.R.T, row) for row in bodies.rotation(frame))
    return (x, y, z), bodies.angular(frame)


def push(
    bodies: Bodies, total: NaturalLoads, point: Point, wrench: tuple[Vec, Vec], frame: Frame
) -> None:
    """A force through a point and a torque on its link."""
    pose = bodies.space.system.pose(point)
    link = bodies.space.frames[pose.link]
    if link.grounded:
        return
    F, T = wrench
    if frame == "point":
        F, T = rotate(pose.R, F), rotate(pose.R, T)
        F = F if is_null(F) else apply(bodies.rotation(link), F)
    elif not is_null(T):
        T = bodies.in_link(link, T)
    if not is_null(F):
        total.push(link.point(pose.p), bodies.scheme.vector(f"{point.path}_F", F))
    bodies.twist(total, link, T)
