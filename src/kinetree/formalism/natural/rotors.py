"""Rotor inertia in natural coordinates: A qdd on the coordinate that the joint moves.

An angle with a rotor is a coordinate here too, and takes A times its second rate.  A way is not:
with d = s·a along the unit axis a,   s̈ = a·d̈ + 2 ȧ·ḋ + ä·d,   and A s̈ acts on d along a.

Refs: GarciaDeJalon1994 (mixed coordinates)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.engine import ZERO, Node
from kinetree.errors import UnsupportedError
from kinetree.formalism.links.motion import AxisMotion
from kinetree.formalism.links.rotors import rotors
from kinetree.formalism.links.vectors import dot

if TYPE_CHECKING:
    from kinetree.formalism.links.linkage import Linkage
    from kinetree.formalism.natural.bodies import Bodies, NaturalLoads


def turning_rotors(system: Linkage) -> set[str]:
    """Names of the angles that have a rotor.

    Raises:
        UnsupportedError: for a rotor on a quaternion joint, whose velocities are no coordinates.
    """
    found: set[str] = set()
    for k in rotors(system):
        for link in system.links[1:]:
            motion = link.motion
            if k not in motion.dofs:
                continue
            if not isinstance(motion, AxisMotion):
                raise UnsupportedError(
                    "the global formulation takes no armature on a joint with a quaternion",
                    element=f"joint '{link.joint}'",
                    cure="use formulation='hybrid', 'topological' or 'explicit'",
                )
            if motion.turn is not ZERO and motion.q in system.q:
                found.add(system.model.velocities[k])
    return found


def rotor_efforts(bodies: Bodies) -> dict[int, Node]:
    """Number of a coordinate -> A times its second rate, for angles."""
    space = bodies.space
    names = space.system.model.velocities
    return {
        space.angles[names[k]]: inertia * space.qdd[space.angles[names[k]]]
        for k, inertia in rotors(space.system).items()
        if names[k] in space.angles
    }


def push_slid(bodies: Bodies, loads: NaturalLoads) -> None:
    """Add what rotors on ways exert, -A s̈."""
    space = bodies.space
    names = space.system.model.velocities
    for k, inertia in rotors(space.system).items():
        if names[k] in space.angles or names[k] in space.laws:
            continue
        frame = space.mover(k)
        motion = frame.link.motion
        assert isinstance(motion, AxisMotion)
        a = frame.parent.direction(frame.link.R0[:, motion.k])
        d = frame.origin.minus(frame.parent.point(frame.link.r))
        second = dot(a.value, d.second) + 2 * dot(a.rate, d.rate) + dot(a.second, d.value)
        bodies.effort(loads, k, -inertia * motion.slide * second)
