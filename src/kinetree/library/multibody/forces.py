"""Forces between frames, and from the world.

Refs: Otter1996 sec. 4, eqs. 4
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

from kinetree.acausal import Component, port, setting, signal_in, variable
from kinetree.algebra import cross, dot
from kinetree.library.multibody.connectors import Frame, Part, Triple
from kinetree.library.multibody.scalars import Scalars
from kinetree.model import Model, Point


class PairForce(Part):
    """Partial: a force element of a model between two frames."""

    frame_a, frame_b = port(Frame), port(Frame)

    @abstractmethod
    def add(self, model: Model, name: str, ends: tuple[Point, Point], scalars: Scalars) -> None:
        """Add the element to a model."""


class SpringDamperParallel(PairForce):
    """A spring of c [N/m], at rest at the length s_unstretched [m], beside a damper d [N.s/m]."""

    c, d, s_unstretched = setting(1.0), setting(0.0), setting(0.0)

    def add(self, model: Model, name: str, ends: tuple[Point, Point], scalars: Scalars) -> None:
        """A spring along the line of both frames."""
        model.spring(
            name, *ends,
            stiffness=scalars.read(self, "c", self.c, "N/m"),
            length=scalars.read(self, "s_unstretched", self.s_unstretched, "m"),
            damping=scalars.read(self, "d", self.d, "N.s/m"),
        )  # fmt: skip


class Bushing(PairForce):
    """Six springs and dampers along and about the axes of frame_a.

    Settings:
        c, d: along x, y, z [N/m, N.s/m].
        c_phi, d_phi: about them [N.m/rad, N.m.s/rad].
    """

    c, d = setting((0, 0, 0)), setting((0, 0, 0))
    c_phi, d_phi = setting((0, 0, 0)), setting((0, 0, 0))

    def add(self, model: Model, name: str, ends: tuple[Point, Point], scalars: Scalars) -> None:
        """A bushing."""
        model.bushing(
            name, *ends,
            stiffness=scalars.vector(self, "c", "N/m"),
            rotation=scalars.vector(self, "c_phi", "N.m/rad"),
            damping=scalars.vector(self, "d", "N.s/m"),
            rotation_damping=scalars.vector(self, "d_phi", "N.m.s/rad"),
        )  # fmt: skip


class Interact(Component):
    """Partial: a force element of its own law between two frames, Otter1996 eqs. 4.

    Everything is in axes of frame_a: position r [m], rotation R, velocity v [m/s] and angular
    velocity w [rad/s] of frame_b as seen from frame_a, and the force f [N] and torque t [N.m] at
    frame_b on the element, which `law` gives: a spring has f = c r.
    """

    frame_a, frame_b = port(Frame), port(Frame)
    r_x, r_y, r_z = variable("m"), variable("m"), variable("m")
    v_x, v_y, v_z = variable("m/s"), variable("m/s"), variable("m/s")
    w_x, w_y, w_z = variable("rad/s"), variable("rad/s"), variable("rad/s")
    f_x, f_y, f_z = variable("N"), variable("N"), variable("N")
    t_x, t_y, t_z = variable("N.m"), variable("N.m"), variable("N.m")

    @property
    def r(self) -> Triple:
        """Position of frame_b [m]."""
        return self.r_x, self.r_y, self.r_z

    @property
    def R(self) -> tuple[Triple, Triple, Triple]:  # noqa: N802  as in the equations
        """Rows of the rotation: components in frame_b to components in frame_a."""
        a, b = zip(*self.frame_a.R, strict=True), list(zip(*self.frame_b.R, strict=True))
        rows = [tuple(dot(own, other) for other in b) for own in a]  # Ra^T Rb
        return rows[0], rows[1], rows[2]

    @property
    def v(self) -> Triple:
        """Velocity of frame_b [m/s]."""
        return self.v_x, self.v_y, self.v_z

    @property
    def w(self) -> Triple:
        """Angular velocity of frame_b [rad/s]."""
        return self.w_x, self.w_y, self.w_z

    @property
    def f(self) -> Triple:
        """Force at frame_b on the element [N]."""
        return self.f_x, self.f_y, self.f_z

    @property
    def t(self) -> Triple:
        """Torque at frame_b on the element [N.m]."""
        return self.t_x, self.t_y, self.t_z

    def equations(self) -> Iterator[Any]:
        """What is relative, the law, and the balance of forces of what has no mass."""
        a, b = self.frame_a, self.frame_b
        turned = list(zip(*a.R, strict=True))  # rows of Ra^T
        away = tuple(y - x for x, y in zip(a.r, b.r, strict=True))
        carried = cross(a.w, away)
        speed = [y - x - z for x, y, z in zip(a.v, b.v, carried, strict=True)]
        spin = [y - x for x, y in zip(a.w, b.w, strict=True)]
        for found, vector in ((self.r, away), (self.v, speed), (self.w, spin)):
            for own, row in zip(found, turned, strict=True):
                yield own == dot(row, vector)  # Eqs. (4b), (4f), Otter1996
        force = tuple(dot(row, self.f) for row in a.R)
        torque = tuple(dot(row, self.t) for row in a.R)
        for k, lever in enumerate(cross(away, force)):
            yield b.f[k] == force[k]
            yield b.t[k] == torque[k]
            yield a.f[k] == -force[k]  # Eq. (4h), Otter1996
            yield a.t[k] == -torque[k] - lever
        yield from self.law()

    @abstractmethod
    def law(self) -> Iterator[Any]:
        """Six equations that give f and t."""


class WorldForce(Component):
    """A force [N] on frame_b given by signals, in axes of the world."""

    frame_b = port(Frame)
    force_x, force_y, force_z = signal_in("N"), signal_in("N"), signal_in("N")

    def equations(self) -> Iterator[Any]:
        """f = -force, t = 0."""
        for f, force in zip(
            self.frame_b.f, (self.force_x, self.force_y, self.force_z), strict=True
        ):
            yield f == -force
        for t in self.frame_b.t:
            yield t == 0


class WorldTorque(Component):
    """A torque [N.m] on frame_b given by signals, in axes of the world."""

    frame_b = port(Frame)
    torque_x, torque_y, torque_z = signal_in("N.m"), signal_in("N.m"), signal_in("N.m")

    def equations(self) -> Iterator[Any]:
        """t = -torque, f = 0."""
        for t, torque in zip(
            self.frame_b.t, (self.torque_x, self.torque_y, self.torque_z), strict=True
        ):
            yield t == -torque
        for f in self.frame_b.f:
            yield f == 0


ALL = (SpringDamperParallel, Bushing, WorldForce, WorldTorque)
