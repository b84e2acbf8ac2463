"""Mechanisms of Otter, Elmqvist, Cellier 1996 as components: double pendulum, Manutec r3."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.reference import manutec

from kinetree.acausal import Component, connect, parameter, part, port, setting, signal_in
from kinetree.library import multibody as mb
from kinetree.library import rotational as rot

ROWS = manutec.read("manutec_r3")["original_1993"]["bodies"]


class DoublePendulum(Component):
    """Fig. 4: two bars under gravity along z, the end of the second held by a spring."""

    world = part(mb.World, n=(0, 0, 1))
    j1, j2 = part(mb.Revolute, n="y", phi=1.0), part(mb.Revolute, n="y", phi=0.0)
    b1, b2 = part(mb.FixedTranslation, r=(0, 0, 0.5)), part(mb.FixedTranslation, r=(0, 0, 0.4))
    b3 = part(mb.FixedTranslation, r=(0, 0, 1.3))
    m1, m2 = part(mb.Body, m=1.0, r_CM=(0, 0, 0.25)), part(mb.Body, m=1.0, r_CM=(0, 0, 0.2))
    spring = part(mb.SpringDamperParallel, c=1.0, s_unstretched=0.5)

    def equations(self) -> Iterator[Any]:
        yield connect(self.world.frame_b, self.j1.frame_a, self.b3.frame_a)
        yield connect(self.j1.frame_b, self.b1.frame_a, self.m1.frame_a)
        yield connect(self.b1.frame_b, self.j2.frame_a)
        yield connect(self.j2.frame_b, self.b2.frame_a, self.m2.frame_a)
        yield connect(self.b3.frame_b, self.spring.frame_a)
        yield connect(self.b2.frame_b, self.spring.frame_b)


def body(row: dict[str, Any]) -> dict[str, Any]:
    """Data of a body of the r3."""
    names = {"I_11": "Ixx", "I_22": "Iyy", "I_33": "Izz", "I_31": "Ixz"}
    inertia = {name: row[key] for name, key in names.items()}
    return {"m": row["m"], "r_CM": tuple(row["com"]), **inertia, "physical": False}


class Link(Component):
    """One link of the r3: a joint, the body behind it, and a bar to the next joint."""

    frame_a, frame_b, axis = port(mb.Frame), port(mb.Frame), port(rot.Flange)
    joint, body = part(mb.Revolute), part(mb.Body)
    bar = part(mb.FixedTranslation)

    def equations(self) -> Iterator[Any]:
        yield connect(self.frame_a, self.joint.frame_a)
        yield connect(self.axis, self.joint.axis)
        yield connect(self.joint.frame_b, self.body.frame_a, self.bar.frame_a)
        yield connect(self.bar.frame_b, self.frame_b)


class R3(Component):
    """The r3 of 1993 with torques in its six joints; its load is a rigid one, or a point."""

    rigid = setting(True)
    mL = parameter(15.0, "kg")
    rL_x, rL_y, rL_z = parameter(0.1, "m"), parameter(-0.1, "m"), parameter(0.25, "m")
    world = part(mb.World)
    u1, u2, u3, u4, u5, u6 = (signal_in("N.m") for _ in range(6))

    def setup(self) -> None:
        self.motor = [rot.Torque() for _ in ROWS]
        self.link = [
            Link(joint={"n": row["axis"]}, body=body(row), bar={"r": tuple(row["r_next"])})
            for row in ROWS[:-1]
        ]
        self.hand = mb.Revolute(n=ROWS[-1]["axis"])
        inertia = {"I_11": 0.1, "I_22": 0.1, "I_33": 0.1, "I_21": 0.02, "I_31": 0.03, "I_32": 0.04}
        self.load = mb.Body(
            m=lambda r3: r3.mL, r_CM=lambda r3: (r3.rL_x, r3.rL_y, r3.rL_z), physical=False,
            **(inertia if self.rigid else {}),
        )  # fmt: skip

    def equations(self) -> Iterator[Any]:
        at = self.world.frame_b
        for link in self.link:
            yield connect(at, link.frame_a)
            at = link.frame_b
        yield connect(at, self.hand.frame_a)
        yield connect(self.hand.frame_b, self.load.frame_a)
        axes = [*(link.axis for link in self.link), self.hand.axis]
        torques = (self.u1, self.u2, self.u3, self.u4, self.u5, self.u6)
        for axis, motor, u in zip(axes, self.motor, torques, strict=True):
            yield connect(motor.flange, axis)
            yield connect(u, motor.tau)


JOINTS = [*(f"link[{k}].joint" for k in range(5)), "hand"]
TORQUES = [f"u{k}" for k in range(1, 7)]
