"""Rigid parts: the world, fixed places, bars, turned frames, bodies."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinetree.acausal import port, setting
from kinetree.arrays import Array
from kinetree.errors import ModelError
from kinetree.library.multibody.connectors import Frame, Part
from kinetree.library.multibody.placement import Placement
from kinetree.library.multibody.scalars import Scalars
from kinetree.model import direction


class World(Part):
    """The world frame, and gravity: g [m/s2] along n.

    Settings:
        g: acceleration of gravity [m/s2].
        n: its direction, three numbers.
    """

    frame_b = port(Frame)
    g, n = setting(9.81), setting((0, 0, -1))


class Fixed(Part):
    """A frame that stands at r [m] in the world."""

    frame_b = port(Frame)
    r = setting((0, 0, 0))

    def placement(self, scalars: Scalars) -> Placement:
        """The frame in the world."""
        return Placement(scalars.vector(self, "r", "m"))


class FixedTranslation(Part):
    """A bar without mass: frame_b at r [m] of frame_a, parallel to it."""

    frame_a, frame_b = port(Frame), port(Frame)
    r = setting((0, 0, 0))

    def placement(self, scalars: Scalars) -> Placement:
        """frame_b in frame_a."""
        return Placement(scalars.vector(self, "r", "m"))


class FixedRotation(Part):
    """frame_b at r [m] of frame_a, turned about n of frame_a by angle [deg]."""

    frame_a, frame_b = port(Frame), port(Frame)
    r, n, angle = setting((0, 0, 0)), setting((1, 0, 0)), setting(0.0)

    def placement(self, scalars: Scalars) -> Placement:
        """frame_b in frame_a."""
        R = _rotation(direction(self.n, f"component '{self.path}' n"), float(self.angle))
        return Placement(scalars.vector(self, "r", "m"), R)


def _rotation(n: Any, degrees: float) -> Array:
    """Rotation about a unit vector; quarter turns are exact."""
    quarters, rest = divmod(degrees, 90.0)
    c, s = np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))
    if not rest:
        c, s = ((1, 0), (0, 1), (-1, 0), (0, -1))[int(quarters) % 4]
    x, y, z = n
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], dtype=float)
    turned: Array = np.eye(3) + s * K + (1 - c) * K @ K
    return turned


class Body(Part):
    """A rigid body: mass m at r_CM of frame_a, inertia about the centre of mass.

    Settings:
        m: mass [kg].
        r_CM: centre of mass from the origin of frame_a, in frame_a [m].
        I_11, I_22, I_33, I_21, I_31, I_32: elements of the inertia tensor about the centre of mass
            in axes parallel to frame_a [kg.m2].
        physical: False for an effective inertia that no real body has; it is not checked then.
        r_0, v_0, w_0: position, velocity [m, m/s] of frame_a in the world and angular velocity
            [rad/s] at the start, of a body that no joint holds.
    """

    frame_a = port(Frame)
    m, r_CM = setting(0.0), setting((0, 0, 0))
    I_11, I_22, I_33 = setting(0.0), setting(0.0), setting(0.0)
    I_21, I_31, I_32 = setting(0.0), setting(0.0), setting(0.0)
    physical = setting(True)
    r_0, v_0, w_0 = setting((0, 0, 0)), setting((0, 0, 0)), setting((0, 0, 0))

    def data(self, scalars: Scalars) -> dict[str, Any]:
        """Mass properties in the words of a model."""
        names = ("I_11", "I_22", "I_33", "I_21", "I_31", "I_32")
        inertia = [scalars.read(self, name, getattr(self, name), "kg.m2") for name in names]
        if not isinstance(self.physical, bool):
            raise ModelError(f"physical is {self.physical!r}", cure="give True or False")
        return {
            "mass": scalars.read(self, "m", self.m, "kg"),
            "com": scalars.vector(self, "r_CM", "m"),
            "inertia": inertia,
            "physical": self.physical,
        }


ALL = (World, Fixed, FixedTranslation, FixedRotation, Body)
