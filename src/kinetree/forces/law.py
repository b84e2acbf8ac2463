"""Any forces and torques on any points, by laws of their motion.

Three expressions of force [N] and of torque [N.m] per point, in ground components.  Laws may use
the place, velocity, angular velocity and rotation of every point, and q, qd, t, x.  Nothing makes
the forces balance: an interaction of two bodies needs both sides.
"""

from __future__ import annotations

from functools import partial

from kinetree.forces.external import at_point
from kinetree.model import (
    ANY,
    AT_POINT,
    AT_POINT_WORK,
    NULL,
    Action,
    Force,
    ForceKind,
    Point,
    Told,
    Vec,
    vec3,
)


def write(act: Action, force: Force) -> None:
    """Push at every point that a law speaks of."""
    for label, point in zip(force.labels, force.points, strict=True):
        F, T = (three(act, f"{name}.{label}") for name in ("force", "torque"))
        act.push(point, F, T)
        act.tell(partial(_point_outputs, act, label, point, (F, T)))


def _point_outputs(
    act: Action, label: str, point: Point, wrench: tuple[Vec, Vec]
) -> dict[str, Told]:
    """Wrench and motion of one point, under its label."""
    return {f"{label}.{name}": v for name, v in at_point(act, point, *wrench).items()}


def three(act: Action, name: str) -> Vec:
    """The components of a law, named; zero where there is none."""
    found = act.laws(name)
    stem = name.replace(".", "_")
    if not found:
        return NULL
    return vec3(act.let(f"{stem}_{a}", x) for a, x in zip("xyz", found, strict=True))


KIND = ForceKind(
    "law",
    write,
    options={"force": {}, "torque": {}},
    vector_laws=("force", "torque"),
    places=ANY,
    outputs=AT_POINT,
    work=AT_POINT_WORK,
)
