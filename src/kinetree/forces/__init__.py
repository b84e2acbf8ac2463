"""The forces: one file each, one row each.

A new force is a new file with a `KIND` row and one more name in ROWS; the signs that its numbers
may have stand in `checks.signs`.
"""

from __future__ import annotations

from kinetree.forces import (
    bushing,
    contact_sphere,
    contact_wheel,
    external,
    fluid,
    joint_friction,
    joint_law,
    joint_lock,
    joint_spring,
    law,
    plane,
    stop,
)
from kinetree.forces.between import crushable, link
from kinetree.forces.checks.signs import with_signs
from kinetree.forces.frictions import (
    brake,
    clutch,
    contact_stick,
    dry_friction,
    friction_law,
    link_friction,
)
from kinetree.forces.tyres import tyre_calspan, tyre_linear, tyre_pac2002, tyre_pacejka
from kinetree.model import FORCES

ROWS = (
    link.KIND,
    crushable.KIND,
    joint_spring.KIND,
    joint_friction.KIND,
    joint_law.KIND,
    dry_friction.KIND,
    brake.KIND,
    clutch.KIND,
    link_friction.KIND,
    friction_law.KIND,
    contact_stick.KIND,
    joint_lock.KIND,
    *stop.KINDS,
    bushing.KIND,
    external.KIND,
    law.KIND,
    contact_sphere.KIND,
    contact_wheel.KIND,
    *plane.KINDS,
    tyre_linear.KIND,
    tyre_calspan.KIND,
    tyre_pacejka.KIND,
    tyre_pac2002.KIND,
    *fluid.KINDS,
)

ALL = tuple(map(with_signs, ROWS))

FORCES.update((kind.name, kind) for kind in ALL)

__all__ = ["ALL", "FORCES"]
