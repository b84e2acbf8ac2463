"""The whole r3: path planning, controllers, motors with their circuits, gears, friction, arm.

Refs: Otter1996 fig. 1
"""

from __future__ import annotations

from collections.abc import Iterator
from math import radians
from typing import Any

from kinetree.acausal import (
    Component,
    Physical,
    connect,
    initial,
    part,
    setting,
    stop,
    time,
    when,
)
from kinetree.functions import switch
from kinetree.library import blocks
from kinetree.library.blocks.sources import Motion
from kinetree.library.r3.arm import Arm, OriginalArm
from kinetree.library.r3.axes import Axis, ElasticAxis, OriginalController

AXES: tuple[dict[str, Any], ...] = (
    {"ratio": -105.0, "motor": {"w": 4590.0},
     "gear": {"c": 43.0, "d": 0.005, "Rv0": 0.4, "Rv1": 0.13 / 160}},
    {"ratio": 210.0, "motor": {"w": 5500.0},
     "gear": {"c": 8.0, "d": 0.01, "Rv0": 0.5, "Rv1": 0.1 / 130}},
    {"ratio": 60.0, "motor": {"w": 5500.0},
     "gear": {"c": 58.0, "d": 0.04, "Rv0": 0.7, "Rv1": 0.2 / 130}},
    {"ratio": -99.0, "motor": {"k": 0.2365, "w": 6250.0, "D": 0.55, "J": 1.6e-4},
     "gear": {"Rv0": 21.8, "Rv1": 9.8, "peak": 26.7 / 21.8}},
    {"ratio": 79.2, "motor": {"k": 0.2608, "w": 6250.0, "D": 0.55, "J": 1.8e-4},
     "gear": {"Rv0": 30.1, "Rv1": 0.03, "peak": 39.6 / 30.1}},
    {"ratio": -99.0, "motor": {"k": 0.0842, "w": 7400.0, "D": 0.27, "J": 4.3e-5},
     "gear": {"Rv0": 10.9, "Rv1": 3.92, "peak": 16.8 / 10.9}},
)  # fmt: skip
"""Gear ratio, motor and gear of every axis; measured by Tuerk 1990, the same in both data sets."""
CASCADE = {"kp": 5.0, "ks": 0.5, "Ts": 0.05}
"""Gains of the library's controllers."""


class SteppedMotions(Component):
    """Motions whose accelerations are constant between given times.

    Settings:
        q_begin: a first place per motion.
        qdd: rows of (time [s], acceleration from there on) per motion; before the first 0.
    """

    q_begin, qdd = setting((0.0,)), setting((((0.0, 1.0),),))

    def setup(self) -> None:
        """One motion each."""
        self.motion = [Motion() for _ in self.q_begin]

    @property
    def end(self) -> float:
        """The last time at which an acceleration changes [s]."""
        return float(max(rows[-1][0] for rows in self.qdd))

    def equations(self) -> Iterator[Any]:
        """q = q_begin + sum of jumps (t - t_k)²/2 over the times that have passed."""
        now = Physical(time.node, None)  # ways and speeds fit every unit
        for one, first, rows in zip(self.motion, self.q_begin, self.qdd, strict=True):
            q, qd, qdd, before = first, 0.0, 0.0, 0.0
            for start, new in rows:
                since = switch(now > start, now - start, 0.0)
                q, qd = q + (new - before) / 2 * since**2, qd + (new - before) * since
                qdd, before = switch(now > start, new, qdd), new
            yield one.q == q
            yield one.qd == qd
            yield one.qdd == qdd


class Robot(Component):
    """Six axes that let the arm follow a plan; it begins at rest, and stops after the plan.

    The data are those of the example FullRobot of the Modelica Standard Library 4.0.0.

    Settings:
        swingTime: from the end of the plan to that of the run [s].
    """

    swingTime = setting(0.5)
    planning: Any = part(
        blocks.KinematicPTP,
        q_begin=tuple(map(radians, (-60, 20, 90, 0, -110, 0))),
        q_end=tuple(map(radians, (60, -70, -35, 45, 110, 45))),
        qd_max=(3.0, 1.5, 5.0, 3.1, 3.1, 4.1),
        qdd_max=(15.0, 15.0, 15.0, 60.0, 60.0, 60.0),
    )
    axis1, axis2, axis3 = (part(ElasticAxis, **row, controller=CASCADE) for row in AXES[:3])
    axis4, axis5, axis6 = (part(Axis, **row, controller=CASCADE) for row in AXES[3:])
    mechanics: Any = part(Arm)

    def equations(self) -> Iterator[Any]:
        """Plan to axis to joint; the start, the end."""
        for k, motion in enumerate(self.planning.motion, 1):
            axis, joint = getattr(self, f"axis{k}"), getattr(self.mechanics, f"r{k}")
            yield connect(motion.q, axis.angle_ref)
            yield connect(motion.qd, axis.speed_ref)
            yield connect(axis.flange, getattr(self.mechanics, f"axis{k}"))
            yield initial(joint.phi == self.planning.q_begin[k - 1])
            yield initial(joint.w == 0)
        yield when(time > self.planning.end + self.swingTime, stop())


class OriginalAxis(Axis):
    """One of the axes 4 to 6 with the controller of 1993."""

    controller = part(OriginalController, ratio=lambda self: self.ratio)


class OriginalElasticAxis(ElasticAxis):
    """One of the axes 1 to 3 with the controller of 1993."""

    controller = part(OriginalController, ratio=lambda self: self.ratio)


class OriginalRobot(Robot):
    """The robot of Otter1996 fig. 1, with the motion of the first package of its authors."""

    swingTime = setting(0.1)
    planning = part(
        SteppedMotions,
        q_begin=(-1.0, 0.43, 1.57, 0.0, -2.0, 0.0),
        qdd=(
            ((0.0, 30.0), (0.1, 0.0), (0.74, -13.96), (1.12, 28.75), (1.2, 0.0)),
            ((0.0, -15.0), (0.1, 0.0), (1.1, 15.0), (1.2, 0.0)),
            ((0.0, 30.0), (0.15, -21.56), (0.6, 0.0), (0.9, 17.33), (1.2, 0.0)),
            ((0.0, -80.0), (0.04, 0.0), (0.54, 71.11), (0.63, 0.0), (1.14, -53.33), (1.2, 0.0)),
            ((0.0, 105.0), (0.04, 0.0), (1.02, -68.33), (1.14, 66.67), (1.2, 0.0)),
            ((0.0, -95.0), (0.04, 0.0), (0.54, 84.44), (0.63, 0.0), (1.14, -63.33), (1.2, 0.0)),
        ),
    )
    axis1, axis2, axis3 = (part(OriginalElasticAxis, **row) for row in AXES[:3])
    axis4, axis5, axis6 = (part(OriginalAxis, **row) for row in AXES[3:])
    mechanics = part(OriginalArm)
