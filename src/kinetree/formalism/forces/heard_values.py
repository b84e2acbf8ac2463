"""What stands for outputs in laws: values that force elements told, motions of points."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kinetree.engine import ONE, ZERO, Node, substitute, symbols
from kinetree.model import (
    NULL,
    Mechanism,
    Offered,
    Place,
    Point,
    Seen,
    apply_transposed,
    cross,
    matmul,
    minus,
    roll_pitch_yaw,
    transpose,
)
from kinetree.model.outputs import write_own

GROUND = Place(((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE)), NULL, NULL, NULL)
"""The ground as seen from itself."""


def bind_heard(
    model: Mechanism,
    laws: list[Node],
    heard: Sequence[Offered],
    told: Mapping[Node, Node],
    place: Callable[[Point], Place],
) -> list[Node]:
    """Laws with values in place of the outputs that they use.

    Args:
        model: that offers the outputs.
        laws: expressions.
        heard: the outputs.
        told: symbol of an output -> what a force element told.
        place: motion of a point, seen from the ground.
    """
    if not heard:
        return laws
    laws = write_own(model, laws, heard)
    used, places = set(symbols(laws)), dict[str, Place]()

    def at(point: Point) -> Place:
        if point is model.ground.origin:
            return GROUND
        if point.path not in places:
            places[point.path] = place(point)
        return places[point.path]

    values = {node: value for node, value in told.items() if node in used}
    for row in heard:
        if row.symbol not in used or row.source not in ("kinematics", "own"):
            continue
        seen = _meant_motion(model, row)
        motion = _relative(at(seen.point), at(seen.relative_to), at(seen.frame))
        values[row.symbol] = _components(motion, seen.quantity)[row.first]
    return substitute(laws, values)


def _meant_motion(model: Mechanism, row: Offered) -> Seen:
    """The point whose motion is meant, which motion, and from where it is seen."""
    if row.source == "own":
        what = model.outputs[row.key].what
        assert isinstance(what, Seen)
        return what
    path, _, quantity = row.key.rpartition(".")
    return Seen(model.point(path), quantity, model.ground.origin, model.ground.origin)


def _relative(point: Place, base: Place, frame: Place) -> Place:
    """A point seen from another that moves, by components in the frame of a third.

    v_rel = v - v_B - ω_B × (p - p_B),   ω_rel = ω - ω_B,   R_rel = R_Bᵀ R
    """
    if base is not GROUND:
        r = minus(point.p, base.p)
        v = minus(minus(point.v, base.v), cross(base.w, r))
        R = matmul(transpose(base.R), point.R)
        point = Place(R, r, v, minus(point.w, base.w))
    if frame is GROUND:
        return point
    p, v, w = (apply_transposed(frame.R, x) for x in (point.p, point.v, point.w))
    return Place(point.R, p, v, w)


def _components(place: Place, quantity: str) -> tuple[Node, ...]:
    """The components of a motion."""
    if quantity == "rotation":
        return tuple(x for row in place.R for x in row)
    if quantity == "orientation":
        return roll_pitch_yaw(place.R)
    return {"position": place.p, "velocity": place.v, "angular_velocity": place.w}[quantity]
