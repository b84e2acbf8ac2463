"""Mechanics in space: bodies, bars and joints at frames, and whole models as components.

| what | names |
|---|---|
| connectors | Frame |
| components | World, Fixed, FixedTranslation, FixedRotation, Body, Mechanism |
| joints | Revolute, Prismatic, Cylindrical, Universal, Planar, Spherical, FreeMotion |
| forces | SpringDamperParallel, Bushing, WorldForce, WorldTorque; partial Interact |
| sensors | AbsolutePosition, AbsoluteVelocity, AbsoluteAngularVelocity, Distance |

The equations of motion are those that formalisms derive for the tree of joints that the connections
of frames make, not equations of single bodies: one row per joint takes part in sorting.
"""

from kinetree.library.multibody import forces, joints, parts, sensors
from kinetree.library.multibody.connectors import Frame
from kinetree.library.multibody.forces import (
    Bushing,
    Interact,
    SpringDamperParallel,
    WorldForce,
    WorldTorque,
)
from kinetree.library.multibody.joints import (
    Cylindrical,
    FreeMotion,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from kinetree.library.multibody.mechanism import Mechanism
from kinetree.library.multibody.parts import (
    Body,
    Fixed,
    FixedRotation,
    FixedTranslation,
    World,
)
from kinetree.library.multibody.sensors import (
    AbsoluteAngularVelocity,
    AbsolutePosition,
    AbsoluteVelocity,
    Distance,
)

ALL = (*parts.ALL, Mechanism, *joints.ALL, *forces.ALL, *sensors.ALL)

__all__ = [
    "ALL", "AbsoluteAngularVelocity", "AbsolutePosition", "AbsoluteVelocity", "Body", "Bushing",
    "Cylindrical", "Distance", "Fixed", "FixedRotation", "FixedTranslation", "Frame", "FreeMotion",
    "Interact", "Mechanism", "Planar", "Prismatic", "Revolute", "Spherical", "SpringDamperParallel",
    "Universal", "World", "WorldForce", "WorldTorque",
]  # fmt: skip
