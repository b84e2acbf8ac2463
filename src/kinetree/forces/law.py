"""Any forces and torques on any points, by laws of their motion.

Three expressions of force [N] and of torque [N.m] per point, in ground components.  Laws may use
the place, velocity, angular velocity and rotation of every point, and q, qd, t, x.  Nothing makes
the forces balance: an interaction of two bodies needs both sides.  An energy V [J] of the positions
and rotations of the points adds -dV/dp and its torques on all of them.
"""

from __future__ import annotations

from functools import partial

from kinetree.engine import Node
from kinetree.forces.checks.energies import energy_check, point_force
from kinetree.forces.external import at_point
from kinetree.model import (
    ANY,
    AT_POINT,
    AT_POINT_WORK,
    ENERGY,
    NULL,
    Action,
    Force,
    ForceKind,
    Point,
    Told,
    Vec,
    plus,
    vec3,
)


def write(act: Action, force: Force) -> None:
    """Push at every point that a law speaks of."""
    for label, point in zip(force.labels, force.points, strict=True):
        given, energy = _law_wrench(act, label), point_force(act, label, point)
        F, T = (plus(a, b) for a, b in zip(given, energy, strict=True))
        act.push(point, F, T)
        act.tell(partial(_point_outputs, act, label, point, (F, T)))


def _law_wrench(act: Action, label: str) -> tuple[Vec, Vec]:
    """Force and torque that the laws of a point give."""
    return three(act, f"force.{label}"), three(act, f"torque.{label}")


def potential(act: Action, force: Force) -> Node:
    """V."""
    del force
    return act.law(ENERGY)


def _is_place(name: str) -> bool:
    """Whether a symbol is a component of the position or rotation of a point."""
    return name.rpartition(".")[2].startswith(("p_", "R_")) and "." in name


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
    options={"force": {}, "torque": {}, ENERGY: None},
    laws=(ENERGY,),
    check=energy_check(_is_place, "p and R of points"),
    potential=potential,
    vector_laws=("force", "torque"),
    places=ANY,
    outputs=AT_POINT,
    work=AT_POINT_WORK,
)
