"""Bushing: six springs and dampers between two frames, small rotations between them.

With everything in the frame of the first point, d from the first point to the second, S the
rotation of the second frame relative to the first,

    force on the second    F = -stiffness·d - damping·ddot
    rotation vector        θ = ½ (S32 - S23, S13 - S31, S21 - S12) = sin(φ) n
    torque on the second   T = -rotation·θ - rotation_damping·ω

ddot and ω are rates seen from the first frame.  θ is the rotation vector to third order in the
angle φ about the unit axis n: a bushing is meant for angles well below 1 rad, and beyond a right
angle its torque would fall again.  The first body feels -F and -T - d×F at its own point, so that
forces and moments balance about any point.  The energy that is counted,

    V = ½ Σ stiffness·d² + Σ c (1 - S_jj),   c_x = (rotation_y + rotation_z - rotation_x)/2, …

gives the forces, and the torques where the three rotation stiffnesses are equal; where they differ,
the torques derive from no energy, and V holds to second order in the angle.
"""

from __future__ import annotations

from kinetree.engine import Node, add
from kinetree.model import (
    AT_POINT,
    AT_POINT_WORK,
    REQUIRED,
    XYZ,
    Action,
    Force,
    ForceKind,
    Mat,
    Offer,
    Vec,
    apply,
    apply_transposed,
    cross,
    matmul,
    minus,
    negative,
    plus,
    transpose,
)


def write(act: Action, force: Force) -> None:
    """Force and torque on both bodies."""
    first, second = force.points
    seen = act.between(first, second)
    R = seen.R_first
    d = let_vector(act, "x", apply_transposed(R, seen.d))
    turned = minus(seen.rate, cross(seen.w_first, seen.d))
    rate = let_vector(act, "v", apply_transposed(R, turned))
    w = let_vector(act, "w", apply_transposed(R, minus(seen.w_second, seen.w_first)))
    F = let_vector(act, "F", resisting(act, "stiffness", d, "damping", rate))
    angle = let_vector(act, "a", rotation_vector(matmul(transpose(R), seen.R_second)))
    T = let_vector(act, "T", resisting(act, "rotation", angle, "rotation_damping", w))
    act.push(first, negative(F), negative(plus(T, cross(d, F))), "point")
    act.push(second, apply(R, F), apply(R, T), seen)
    act.tell(
        lambda: {
            "force": F, "torque": T, "rate": rate, "angular_rate": w, "deflection": d,
            "angle": angle,
        }
    )  # fmt: skip


def potential(act: Action, force: Force) -> Node:
    """V of the springs; see the module."""
    seen = act.between(*force.points)
    d, S = apply_transposed(seen.R_first, seen.d), matmul(transpose(seen.R_first), seen.R_second)
    k, r = act.vector("stiffness"), act.vector("rotation")
    total = add(*r)
    shift = add(*(k[j] * d[j] * d[j] for j in range(3)))
    turn = add(*((total - 2 * r[j]) * (1 - S[j][j]) for j in range(3)))
    return (shift + turn) / 2


def rotation_vector(S: Mat) -> Vec:
    """sin(φ) n of a rotation by φ about n."""
    return ((S[2][1] - S[1][2]) / 2, (S[0][2] - S[2][0]) / 2, (S[1][0] - S[0][1]) / 2)


def resisting(act: Action, spring: str, x: Vec, damper: str, v: Vec) -> Vec:
    """Minus spring·x minus damper·v, axis by axis."""
    k, c = act.vector(spring), act.vector(damper)
    return (-k[0] * x[0] - c[0] * v[0], -k[1] * x[1] - c[1] * v[1], -k[2] * x[2] - c[2] * v[2])


def let_vector(act: Action, stem: str, v: Vec) -> Vec:
    """The vector with its components named."""
    return (act.let(f"{stem}x", v[0]), act.let(f"{stem}y", v[1]), act.let(f"{stem}z", v[2]))


ZEROS = (0, 0, 0)
KIND = ForceKind(
    "bushing",
    write,
    options={"stiffness": REQUIRED, "rotation": ZEROS, "damping": ZEROS, "rotation_damping": ZEROS},
    vectors=("stiffness", "rotation", "damping", "rotation_damping"),
    units={
        "stiffness": "N/m",
        "rotation": "N.m/rad",
        "damping": "N.s/m",
        "rotation_damping": "N.m.s/rad",
    },
    outputs=(*AT_POINT, Offer("deflection", "m", XYZ), Offer("angle", "rad", XYZ)),
    work=AT_POINT_WORK,
    potential=potential,
)
