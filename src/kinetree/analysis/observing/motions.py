"""Motions of points seen from moving points, from the motions of all seen from the ground.

With r = p - p_B, and ω, ω̇ of the body of the point B from which a point is seen:

    v_rel = v - v_B - ω × r
    a_rel = a - a_B - ω̇ × r - ω × (ω × r) - 2 ω × v_rel
    ω_rel = ω_P - ω,   ω̇_rel = ω̇_P - ω̇ - ω × ω_rel
    R_rel = R_Bᵀ R_P = Rz(yaw) Ry(pitch) Rx(roll)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kinetree.engine import ONE, ZERO, Node
from kinetree.model import (
    NULL,
    Mat,
    Point,
    Seen,
    Vec,
    apply_transposed,
    cross,
    mat3,
    matmul,
    minus,
    roll_pitch_yaw,
    times,
    transpose,
    vec3,
)

SymbolValues = Mapping[str, tuple[Node, ...]]
"""Outputs of the quantity "kinematics"."""
IDENTITY: Mat = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))


@dataclass(frozen=True)
class _Motion:
    """A point in ground components: rotation, position, velocities, accelerations."""

    R: Mat
    p: Vec
    w: Vec
    v: Vec
    wd: Vec
    a: Vec


GROUND = _Motion(IDENTITY, NULL, NULL, NULL, NULL, NULL)


def components(seen: Seen, values: SymbolValues) -> tuple[Node, ...]:
    """The components of a motion of a point.

    Args:
        seen: what is asked.
        values: motions of all its points but those of the ground.
    """
    point, base, frame = (_motion(at, values) for at in (seen.point, seen.relative_to, seen.frame))
    if seen.quantity == "rotation":
        return tuple(x for row in _relative_rotation(point, base) for x in row)
    if seen.quantity == "orientation":
        return roll_pitch_yaw(_relative_rotation(point, base))
    found: Callable[[_Motion, _Motion], Vec] = RELATIVE[seen.quantity]
    return apply_transposed(frame.R, found(point, base))


def paths(seen: Seen) -> list[str]:
    """The points whose motions are needed."""
    points = (seen.point, seen.relative_to, seen.frame)
    return [at.path for at in points if _moves(at)]


def _moves(point: Point) -> bool:
    return point.body.name != "ground" or bool(point.name)


def _motion(point: Point, values: SymbolValues) -> _Motion:
    """The motion of a point from outputs of "kinematics"."""
    if not _moves(point):
        return GROUND
    R, p, velocity, acceleration = (
        values[f"{point.path}.{what}"]
        for what in ("rotation", "position", "velocity", "acceleration")
    )
    return _Motion(
        mat3(vec3(R[k : k + 3]) for k in (0, 3, 6)), vec3(p), vec3(velocity[:3]),
        vec3(velocity[3:]), vec3(acceleration[:3]), vec3(acceleration[3:]),
    )  # fmt: skip


def _position(point: _Motion, base: _Motion) -> Vec:
    return minus(point.p, base.p)


def _velocity(point: _Motion, base: _Motion) -> Vec:
    return minus(minus(point.v, base.v), cross(base.w, _position(point, base)))


def _acceleration(point: _Motion, base: _Motion) -> Vec:
    r, v = _position(point, base), _velocity(point, base)
    carried = minus(minus(point.a, base.a), cross(base.wd, r))
    turning = minus(carried, cross(base.w, cross(base.w, r)))
    return minus(turning, times(2 * ONE, cross(base.w, v)))


def _angular_velocity(point: _Motion, base: _Motion) -> Vec:
    return minus(point.w, base.w)


def _angular_acceleration(point: _Motion, base: _Motion) -> Vec:
    relative = _angular_velocity(point, base)
    return minus(minus(point.wd, base.wd), cross(base.w, relative))


RELATIVE = {
    "position": _position,
    "velocity": _velocity,
    "acceleration": _acceleration,
    "angular_velocity": _angular_velocity,
    "angular_acceleration": _angular_acceleration,
}


def _relative_rotation(point: _Motion, base: _Motion) -> Mat:
    return matmul(transpose(base.R), point.R)
