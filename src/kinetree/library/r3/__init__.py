"""The Manutec r3, a robot of six joints, with all that moves it.

| what | names |
|---|---|
| parts of an axis | Motor, Controller, OriginalController, StiffGear, ElasticGear |
| axes | Axis, OriginalAxis (4 to 6), ElasticAxis, OriginalElasticAxis (1 to 3) |
| mechanics | Arm, OriginalArm, Link |
| the whole | Robot, OriginalRobot; SteppedMotions, a plan |

Data are those of the r3 example of the Modelica Standard Library 4.0.0; those of what is called
original are printed in Otter1996 and completed by the first package of its authors
(ModelicaAdditions.MultiBody.Examples.Robots.r3).

Refs: Otter1996 sec. 2, fig. 1, fig. 3, sec. 7
"""

from __future__ import annotations

from kinetree.library.r3.arm import Arm, Link, OriginalArm
from kinetree.library.r3.axes import (
    Axis,
    Controller,
    ElasticAxis,
    ElasticGear,
    Motor,
    OriginalController,
    StiffGear,
)
from kinetree.library.r3.robot import (
    OriginalAxis,
    OriginalElasticAxis,
    OriginalRobot,
    Robot,
    SteppedMotions,
)

__all__ = [
    "Arm", "Axis", "Controller", "ElasticAxis", "ElasticGear", "Link", "Motor", "OriginalArm",
    "OriginalAxis", "OriginalController", "OriginalElasticAxis", "OriginalRobot", "Robot",
    "SteppedMotions", "StiffGear",
]  # fmt: skip
