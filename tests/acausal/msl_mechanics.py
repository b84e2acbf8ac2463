"""Examples of the multibody part of the Modelica Standard Library 4.0.0 as components."""

from __future__ import annotations

from collections.abc import Iterator
from math import pi
from typing import Any

import numpy as np

from kinetree.acausal import Component, connect, der, initial, part, port
from kinetree.arrays import Array
from kinetree.library import blocks, engine
from kinetree.library import multibody as mb
from kinetree.library import rotational as rot

STEEL = 7700.0
"""Density of boxes and cylinders [kg/m3]."""
DOWN = {"g": 9.80665, "n": (0, -1, 0)}


class Rod(Component):
    """A body with a bar from its frame_a to its frame_b."""

    frame_a, frame_b = port(mb.Frame), port(mb.Frame)
    bar, body = part(mb.FixedTranslation), part(mb.Body)

    def equations(self) -> Iterator[Any]:
        yield connect(self.frame_a, self.bar.frame_a, self.body.frame_a)
        yield connect(self.bar.frame_b, self.frame_b)


def rod(r: tuple[float, ...], mass: float, inertia: Array) -> Any:
    """A body along r, its centre of mass in the middle."""
    names = {"I_11": (0, 0), "I_22": (1, 1), "I_33": (2, 2), "I_21": (1, 0), "I_31": (2, 0),
             "I_32": (2, 1)}  # fmt: skip
    own = {name: float(inertia[place]) for name, place in names.items()}
    middle = tuple(x / 2 for x in r)
    return part(Rod, bar={"r": r}, body={"m": mass, "r_CM": middle, **own})


def cylinder(r: tuple[float, ...], diameter: float) -> Any:
    """A cylinder of steel along r."""
    length = float(np.linalg.norm(r))
    mass = STEEL * pi / 4 * diameter**2 * length
    axial, radial = mass * diameter**2 / 8, mass * (diameter**2 + 4 / 3 * length**2) / 16
    e = np.array(r) / length
    return rod(r, mass, radial * np.eye(3) + (axial - radial) * np.outer(e, e))


def box(r: tuple[float, ...], width: float, height: float, across: tuple[float, ...]) -> Any:
    """A box of steel along r, `width` along the direction `across`."""
    length = float(np.linalg.norm(r))
    mass = STEEL * length * width * height
    x, y = np.array(r) / length, np.array(across)
    T = np.array([x, y, np.cross(x, y)]).T
    a, b, c = length**2, width**2, height**2
    return rod(r, mass, T @ np.diag([b + c, a + c, a + b]) @ T.T * mass / 12)


class DoublePendulum(Component):
    """Elementary.DoublePendulum: two boxes, a damper in the first joint."""

    world = part(mb.World, **DOWN)
    revolute1, revolute2 = part(mb.Revolute, phi=0.0, w=0.0), part(mb.Revolute, phi=0.0, w=0.0)
    box1, box2 = (box((0.5, 0, 0), 0.06, 0.06, (0, 1, 0)) for _ in range(2))
    damper, support = part(rot.Damper, d=0.1), part(rot.Fixed)

    def equations(self) -> Iterator[Any]:
        yield connect(self.world.frame_b, self.revolute1.frame_a)
        yield connect(self.revolute1.frame_b, self.box1.frame_a)
        yield connect(self.box1.frame_b, self.revolute2.frame_a)
        yield connect(self.revolute2.frame_b, self.box2.frame_a)
        yield connect(self.revolute1.axis, self.damper.flange_b)
        yield connect(self.damper.flange_a, self.support.flange)


TEN = 0.174532925199433
"""Ten degrees."""


def quaternion(angle: float) -> dict[str, float]:
    """Turns by one angle about x, then y, then z carried along."""
    c, s = np.cos(angle / 2), np.sin(angle / 2)
    turns = [np.array([c, *(s * np.eye(3)[k])]) for k in range(3)]
    w, x, y, z = turns[0]
    for a, b, d, e in turns[1:]:
        w, x, y, z = (
            w * a - x * b - y * d - z * e, w * b + x * a + y * e - z * d,
            w * d - x * e + y * a + z * b, w * e + x * d - y * b + z * a,
        )  # fmt: skip
    return {"Q_w": float(w), "Q_x": float(x), "Q_y": float(y), "Q_z": float(z)}


class FreeBody(Component):
    """Elementary.FreeBody: a body between two springs."""

    world = part(mb.World, **DOWN)
    free = part(mb.FreeMotion, r_x=0.2, r_y=-0.5, r_z=0.1, **quaternion(TEN))
    body = part(mb.Body, m=1, I_11=1, I_22=1, I_33=1, r_CM=(0.2, 0, 0))
    side, arm = part(mb.FixedTranslation, r=(0.8, 0, 0)), part(mb.FixedTranslation, r=(0.4, 0, 0))
    spring1, spring2 = (part(mb.SpringDamperParallel, c=20) for _ in range(2))
    speed = part(mb.AbsoluteVelocity)

    def equations(self) -> Iterator[Any]:
        yield connect(self.world.frame_b, self.free.frame_a, self.side.frame_a)
        yield connect(self.free.frame_b, self.body.frame_a, self.arm.frame_a, self.speed.frame_a)
        yield connect(self.world.frame_b, self.spring1.frame_a)
        yield connect(self.body.frame_a, self.spring1.frame_b)
        yield connect(self.side.frame_b, self.spring2.frame_a)
        yield connect(self.arm.frame_b, self.spring2.frame_b)


FREE_BODY = {f"body.body.frame_a.r_0[{k}]": f"free.r_{end}" for k, end in enumerate("xyz", 1)}
FREE_BODY |= {f"body.body.w_a[{k}]": f"free.w_{end}" for k, end in enumerate("xyz", 1)}
FREE_BODY |= {f"body.v_0[{k}]": f"speed.v_{end}" for k, end in enumerate("xyz", 1)}


class Fourbar1(Component):
    """Loops.Fourbar1: six turning joints and a sliding one in a loop through space."""

    world, b0 = part(mb.World, **DOWN), part(mb.FixedTranslation, r=(1.2, 0, 0))
    j1 = part(mb.Revolute, n="x", phi=0.0, w=300 * pi / 180)
    j2 = part(mb.Prismatic, n="x", s={"start": -0.2})
    b1, b2 = cylinder((0, 0.5, 0.1), 0.05), cylinder((0, 0.2, 0), 0.05)
    b3 = cylinder((-1, 0.3, 0.1), 0.05)
    rev, rev1 = part(mb.Revolute, n="y"), part(mb.Revolute)
    j3, j4, j5 = part(mb.Revolute, n="x"), part(mb.Revolute, n="y"), part(mb.Revolute, n="z")

    def equations(self) -> Iterator[Any]:
        yield connect(self.world.frame_b, self.j1.frame_a, self.b0.frame_a)
        yield connect(self.j1.frame_b, self.b1.frame_a)
        yield connect(self.b1.frame_b, self.j3.frame_a)
        yield connect(self.j3.frame_b, self.j4.frame_a)
        yield connect(self.j4.frame_b, self.j5.frame_a)
        yield connect(self.j5.frame_b, self.b3.frame_b)
        yield connect(self.b0.frame_b, self.j2.frame_a)
        yield connect(self.j2.frame_b, self.b2.frame_a)
        yield connect(self.b2.frame_b, self.rev.frame_a)
        yield connect(self.rev.frame_b, self.rev1.frame_a)
        yield connect(self.rev1.frame_b, self.b3.frame_a)


class Engine1a(Component):
    """Loops.Engine1a: crank, rod and piston in a plane, with joints of space."""

    world, mid = part(mb.World, **DOWN), part(mb.FixedTranslation, r=(0.05, 0, 0))
    place = part(mb.FixedTranslation, r=(0.15, 0.45, 0))
    bearing, inertia = part(mb.Revolute, n="x"), part(rot.Inertia, J=1.0, phi=0.0, w=10.0)
    crank1, crank3 = cylinder((0.1, 0, 0), 0.05), cylinder((0.1, 0, 0), 0.03)
    crank2, crank4 = (box((0, y, 0), 0.02, 0.05, (1, 0, 0)) for y in (0.1, -0.1))
    b1, b2 = part(mb.Revolute, n="x"), part(mb.Revolute, n="x")
    slide = part(mb.Prismatic, n=(0, -1, 0), s={"start": 0.15})
    piston, rod = cylinder((0, -0.1, 0), 0.1), box((0, -0.2, 0), 0.02, 0.06, (1, 0, 0))

    def equations(self) -> Iterator[Any]:
        yield connect(self.world.frame_b, self.bearing.frame_a, self.place.frame_a)
        yield connect(self.bearing.axis, self.inertia.flange_b)
        yield connect(self.bearing.frame_b, self.crank1.frame_a)
        yield connect(self.crank1.frame_b, self.crank2.frame_a)
        yield connect(self.crank2.frame_b, self.crank3.frame_a, self.mid.frame_a)
        yield connect(self.crank3.frame_b, self.crank4.frame_a)
        yield connect(self.mid.frame_b, self.b1.frame_a)
        yield connect(self.b1.frame_b, self.rod.frame_b)
        yield connect(self.rod.frame_a, self.b2.frame_b)
        yield connect(self.b2.frame_a, self.piston.frame_b)
        yield connect(self.piston.frame_a, self.slide.frame_b)
        yield connect(self.place.frame_b, self.slide.frame_a)


BOB = {"r_CM": (0, -0.2, 0), "I_11": 0.1, "I_22": 0.1, "I_33": 0.1}


class SpringDamperSystem(Component):
    """Elementary.SpringDamperSystem: a body that hangs, and one that slides."""

    world = part(mb.World, **DOWN)
    bar1, bar2 = part(mb.FixedTranslation, r=(0.3, 0, 0)), part(mb.FixedTranslation, r=(0.6, 0, 0))
    body1 = part(mb.Body, m=1, r_0=(0.3, -0.2, 0), w_0=(0, 0, 2 * pi / 180), **BOB)
    body2, p2 = part(mb.Body, m=1), part(mb.Prismatic, n=(0, -1, 0), s=0.1, v=0.0)
    spring1, spring2 = (part(mb.SpringDamperParallel, c=30, s_unstretched=0.1) for _ in range(2))
    damper1, speed = part(mb.SpringDamperParallel, c=0, d=2), part(mb.AbsoluteVelocity)

    def equations(self) -> Iterator[Any]:
        yield connect(self.world.frame_b, self.bar1.frame_a)
        yield connect(self.bar1.frame_b, self.bar2.frame_a)
        yield connect(self.bar2.frame_b, self.p2.frame_a, self.spring2.frame_a)
        yield connect(self.p2.frame_b, self.body2.frame_a, self.spring2.frame_b)
        yield connect(self.bar1.frame_b, self.spring1.frame_a, self.damper1.frame_a)
        yield connect(self.body1.frame_a, self.spring1.frame_b, self.damper1.frame_b)
        yield connect(self.body1.frame_a, self.speed.frame_a)


class ThreeSprings(Component):
    """Elementary.ThreeSprings: springs in series, without a mass where they meet."""

    world = part(mb.World, **DOWN)
    bar1, bar2 = part(mb.FixedTranslation, r=(0.3, 0, 0)), part(mb.FixedTranslation, r=(0, 0, 0.3))
    body1 = part(mb.Body, m=0.8, r_0=(0.5, -0.3, 0), **BOB)
    spring1, spring2, spring3 = (
        part(mb.SpringDamperParallel, c=c, s_unstretched=0.1) for c in (20, 40, 20)
    )
    speed = part(mb.AbsoluteVelocity)

    def equations(self) -> Iterator[Any]:
        yield connect(self.world.frame_b, self.bar1.frame_a, self.bar2.frame_a)
        yield connect(self.bar1.frame_b, self.spring1.frame_a)
        yield connect(self.bar2.frame_b, self.spring3.frame_a)
        yield connect(self.spring1.frame_b, self.spring3.frame_b, self.spring2.frame_a)
        yield connect(self.spring2.frame_b, self.body1.frame_a, self.speed.frame_a)


BODY1 = {f"body1.frame_a.r_0[{k}]": f"body1.free.r_{end}" for k, end in enumerate("xyz", 1)}
BODY1 |= {f"body1.w_a[{k}]": f"body1.free.w_{end}" for k, end in enumerate("xyz", 1)}
BODY1 |= {f"body1.v_0[{k}]": f"speed.v_{end}" for k, end in enumerate("xyz", 1)}


class EngineV6(Component):
    """Loops.EngineV6_analytic: six cylinders turn a load."""

    world, engine = part(mb.World, **DOWN), part(engine.EngineV6)
    load = part(rot.Inertia, J=1.0, phi=0.0, w=10.0)
    load2 = part(rot.QuadraticSpeedDependentTorque, tau_nominal=-100.0, w_nominal=200.0)
    torqueSensor, filter = part(rot.TorqueSensor), part(blocks.CriticalDamping, n=2, f=5.0)

    def equations(self) -> Iterator[Any]:
        yield connect(self.world.frame_b, self.engine.frame_a)
        yield connect(self.engine.flange_b, self.torqueSensor.flange_a)
        yield connect(self.torqueSensor.flange_b, self.load.flange_a)
        yield connect(self.load.flange_b, self.load2.flange)
        yield connect(self.torqueSensor.tau, self.filter.u)
        for lag in self.filter.lags:
            yield initial(der(lag.y) == 0)


FILTER = {f"filter.x[{k + 1}]": f"filter.lags[{k}].y" for k in range(2)}
