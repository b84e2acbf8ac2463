"""Rotor inertia ("armature"): what turns with a joint without being carried by its links.

A rotor behind a gear of ratio n turns n times as fast as its joint; its inertia J is seen at the
joint as A = n² J.  By definition A multiplies the joint's own acceleration alone,

    tau_k += A_k qdd_k,      M_kk += A_k,      T += ½ A_k qd_k²

so the gyroscopic effect of the rotor and what its stator turns are left out.  A joint that follows
another with some ratio counts with the square of that ratio on the velocity of its leader.

Refs: Featherstone2008 (gears)
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from kinetree.engine import ZERO, Node, number
from kinetree.model import leader_of

if TYPE_CHECKING:
    from kinetree.formalism.view import MechanismView


def rotors(system: MechanismView) -> dict[int, Node]:
    """Velocity number -> rotor inertia seen there, for the velocities that have one."""
    model, table = system.model, system.table
    found: dict[int, Node] = {}
    armed = [joint for joint in model.joints.values() if joint.armature]
    if not armed:
        return found
    names = (joint.name for joint in model.leaders)
    sizes = accumulate((joint.nv for joint in model.leaders), initial=0)
    start = dict(zip(names, sizes, strict=False))
    for joint in armed:
        leader, ratio, _ = leader_of(model, joint)
        for k, inertia in enumerate(table.armature(joint), start[leader.name]):
            found[k] = found.get(k, ZERO) + number(ratio) ** 2 * inertia
    return {k: inertia for k, inertia in found.items() if inertia is not ZERO}


def add_rotor_forces(system: MechanismView, tau: Sequence[Node], qdd: Sequence[Node]) -> list[Node]:
    """tau + A qdd."""
    A = rotors(system)
    return [x + A[k] * qdd[k] if k in A else x for k, x in enumerate(tau)]


def on_diagonal(system: MechanismView, M: list[list[Node]]) -> list[list[Node]]:
    """M + A, in place."""
    for k, inertia in rotors(system).items():
        M[k][k] = M[k][k] + inertia
    return M


def turning(system: MechanismView) -> Node:
    """qd · A qd: twice the kinetic energy of the rotors [J]."""
    terms = [inertia * system.qd[k] ** 2 for k, inertia in rotors(system).items()]
    return sum(terms, ZERO)
