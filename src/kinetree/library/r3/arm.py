"""The arm of the r3: six joints with their bodies, and a load in the hand.

`Arm` has the lengths and masses of the example of the Modelica Standard Library 4.0.0 (y upward),
`OriginalArm` those of Otter1996 sec. 7 (z upward).  All frames are parallel where all angles are 0.

Refs: Otter1996 sec. 7
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kinetree.acausal import Component, connect, parameter, part, port
from kinetree.library import multibody, rotational

mb, rot = multibody, rotational
SMALL = {"I_11": 1e-3, "I_22": 1e-3, "I_33": 1e-3}
"""Inertias that the library assumes where none are given [kg.m2]."""


class Link(Component):
    """A body at frame_a, and the next joint at frame_b, by a bar of r [m]."""

    frame_a, frame_b = port(mb.Frame), port(mb.Frame)
    body, bar = part(mb.Body, physical=False), part(mb.FixedTranslation)

    def equations(self) -> Iterator[Any]:
        """Both at frame_a."""
        yield connect(self.frame_a, self.body.frame_a, self.bar.frame_a)
        yield connect(self.bar.frame_b, self.frame_b)


def _link(m: float, r_CM: Any, r: Any, **inertia: float) -> Any:
    """A part: mass [kg], its centre from the joint [m], the next joint [m], inertia [kg.m2]."""
    return part(Link, body={"m": m, "r_CM": r_CM, **inertia}, bar={"r": r})


def _load(**inertia: float) -> Any:
    """What the hand holds."""
    return part(
        mb.Body, m=lambda arm: arm.mLoad, physical=False,
        r_CM=lambda arm: (arm.rLoad_x, arm.rLoad_y, arm.rLoad_z), **inertia,
    )  # fmt: skip


class Arm(Component):
    """The arm with the library's data; `axis1` to `axis6` are the shafts of its joints."""

    axis1, axis2, axis3, axis4, axis5, axis6 = (port(rot.Flange) for _ in range(6))
    mLoad = parameter(15.0, "kg")
    rLoad_x, rLoad_y, rLoad_z = parameter(0.1, "m"), parameter(0.25, "m"), parameter(0.1, "m")
    world = part(mb.World, n=(0, -1, 0))
    base = part(mb.FixedTranslation, r=(0, 0.351, 0))
    r1, r2, r3, r4, r5, r6 = (part(mb.Revolute, n=n) for n in "yxxyxy")
    b1 = _link(1.0, (0, 0, 0), (0, 0.324, 0.3), I_11=1e-3, I_22=1.16, I_33=1e-3)
    b2 = _link(56.5, (0.172, 0.205, 0), (0, 0.65, 0), I_11=2.58, I_22=0.64, I_33=2.73, I_21=-0.46)
    b3 = _link(
        26.4, (0.064, -0.034, 0), (0, 0.414, -0.155),
        I_11=0.279, I_22=0.245, I_33=0.413, I_21=-0.07,
    )  # fmt: skip
    b4 = _link(28.7, (0, 0, 0), (0, 0.186, 0), I_11=1.67, I_22=0.081, I_33=1.67)
    b5 = _link(5.2, (0, 0, 0), (0, 0.125, 0), I_11=1.25, I_22=0.81, I_33=1.53)
    b6 = _link(0.5, (0.05, 0.05, 0.05), (0, 0, 0), **SMALL)
    load = _load(**SMALL)

    def equations(self) -> Iterator[Any]:
        """World, base, joint, link, joint, …, load."""
        yield connect(self.world.frame_b, self.base.frame_a)
        at = self.base.frame_b
        for k in range(1, 7):
            joint, link = getattr(self, f"r{k}"), getattr(self, f"b{k}")
            yield connect(at, joint.frame_a)
            yield connect(joint.frame_b, link.frame_a)
            yield connect(joint.axis, getattr(self, f"axis{k}"))
            at = link.frame_b
        yield connect(at, self.load.frame_a)


class OriginalArm(Arm):
    """The arm of Otter1996 sec. 7; its load is a point at rLoad of the last joint."""

    rLoad_x, rLoad_y, rLoad_z = parameter(0.1, "m"), parameter(-0.1, "m"), parameter(0.25, "m")
    world, base = part(mb.World), part(mb.FixedTranslation)
    r1, r2, r3, r4, r5, r6 = (part(mb.Revolute, n=n) for n in "zxxzxz")
    b1 = _link(0.0, (0, 0, 0), (0, 0, 0), I_33=1.16)
    b2 = _link(56.5, (0.172, 0, 0.205), (0, 0, 0.5), I_11=2.58, I_22=2.73, I_33=0.64, I_31=-0.46)
    b3 = _link(26.4, (0.064, 0, -0.034), (0, 0, 0), I_11=0.279, I_22=0.413, I_33=0.245, I_31=-0.07)
    b4 = _link(28.7, (0, 0, 0.32), (0, 0, 0.73), I_11=1.67, I_22=1.67, I_33=0.081)
    b5 = _link(5.2, (0, 0, 0.023), (0, 0, 0), I_11=1.25, I_22=1.53, I_33=0.81)
    b6 = _link(0.0, (0, 0, 0), (0, 0, 0))
    load = _load()
