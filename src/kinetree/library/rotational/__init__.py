"""One-dimensional rotation: angle phi [rad] across, torque tau [N.m] through.

| what | names |
|---|---|
| connectors | Flange; partial Compliant, Supported, Turning |
| components | Fixed, Inertia, Spring, Damper, SpringDamper, ElastoBacklash |
| friction | BearingFriction, Brake, Clutch, OneWayClutch |
| gears | IdealGear, IdealPlanetary |
| sources | Torque, ConstantTorque, QuadraticSpeedDependentTorque, ConstantSpeed, Speed, Position |
| sensors | AngleSensor, SpeedSensor, AccelerationSensor, TorqueSensor |

Torques are positive into the component, as all flows are.
"""

from __future__ import annotations

from kinetree.library.rotational.parts import (
    AccelerationSensor,
    AngleSensor,
    ConstantSpeed,
    ConstantTorque,
    Damper,
    ElastoBacklash,
    Fixed,
    IdealGear,
    IdealPlanetary,
    Inertia,
    Position,
    QuadraticSpeedDependentTorque,
    Speed,
    SpeedSensor,
    Spring,
    SpringDamper,
    Torque,
    TorqueSensor,
)
from kinetree.library.rotational.shafts import (
    BearingFriction,
    Brake,
    Clutch,
    Compliant,
    Flange,
    OneWayClutch,
    Supported,
)

ALL = (
    Fixed, Inertia, Spring, Damper, SpringDamper, ElastoBacklash, BearingFriction, Brake, Clutch,
    OneWayClutch, IdealGear, IdealPlanetary, Torque,
    ConstantTorque, QuadraticSpeedDependentTorque, ConstantSpeed, Speed, Position, AngleSensor,
    SpeedSensor, AccelerationSensor, TorqueSensor,
)  # fmt: skip

__all__ = [
    "ALL", "AccelerationSensor", "AngleSensor", "BearingFriction", "Brake", "Clutch",
    "Compliant", "ConstantSpeed", "ConstantTorque", "Damper", "ElastoBacklash", "Fixed",
    "Flange", "IdealGear", "IdealPlanetary", "Inertia", "OneWayClutch", "Position",
    "QuadraticSpeedDependentTorque", "Speed", "SpeedSensor", "Spring", "SpringDamper",
    "Supported", "Torque", "TorqueSensor",
]  # fmt: skip
