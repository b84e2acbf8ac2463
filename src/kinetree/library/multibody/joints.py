"""Joints: what lets frame_b move in frame_a, with flanges at their axes.

Coordinates are wanted as states.  A joint may stand in either direction of the tree; one that
closes a loop is an equation between its frames, and has no coordinate.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from kinetree.acausal import der, port, setting, variable
from kinetree.library import rotational, translational
from kinetree.library.multibody.connectors import Frame, Part
from kinetree.model import direction

Freedom = tuple[str, str, str, str, str]
"""Names of coordinate, velocity, acceleration, force and flange."""


class Joint(Part):
    """Partial: frame_b moves in frame_a.

    Attributes:
        kind: of joints of a model.
        cut: kind of the closure that it is where it closes a loop; empty where it closes none.
    """

    frame_a, frame_b = port(Frame), port(Frame)
    kind: ClassVar[str] = ""
    cut: ClassVar[str] = ""

    @property
    @abstractmethod
    def weight(self) -> int:
        """How little the joint is wanted in the tree."""

    @abstractmethod
    def arguments(self, *, outward: bool) -> Mapping[str, Any]:
        """What the kind takes; seen from frame_b where the tree goes from there to frame_a."""


class AxisJoint(Joint):
    """Partial: motions about and along axes, each with a flange.

    Attributes:
        freedoms: in the order of the model's coordinates from frame_a to frame_b.
        back: -1 where their order is the other one from frame_b to frame_a.
    """

    freedoms: ClassVar[tuple[Freedom, ...]] = ()
    back: ClassVar[int] = 1

    @property
    def weight(self) -> int:
        """The number of freedoms."""
        return len(self.freedoms)

    def equations(self) -> Iterator[Any]:
        """Velocities and accelerations are derivatives; forces are those of the flanges."""
        for names in self.freedoms:
            q, v, a, force, axis = (getattr(self, name) for name in names)
            yield q == (axis.phi if isinstance(axis, rotational.Flange) else axis.s)
            yield v == der(q)
            yield a == der(v)
            yield force == (axis.tau if isinstance(axis, rotational.Flange) else axis.f)

    def coordinates(self, *, outward: bool) -> tuple[Freedom, ...]:
        """The freedoms in the order of the model's coordinates."""
        return self.freedoms[:: 1 if outward else self.back]

    def axis_of(self, name: str, *, outward: bool) -> tuple[float, ...]:
        """An axis as numbers; the other way round where the joint is reversed."""
        axis = direction(getattr(self, name), f"component '{self.path}' {name}")
        return tuple(x if outward or not x else -x for x in axis)


class OneAxisJoint(AxisJoint):
    """Partial: a joint about or along one axis n of both frames."""

    n = setting((0, 0, 1))

    def arguments(self, *, outward: bool) -> Mapping[str, Any]:
        """The axis."""
        return {"axis": self.axis_of("n", outward=outward)}


class Revolute(OneAxisJoint):
    """Turns by phi [rad] about n of both frames; `axis` is its shaft, with the torque tau."""

    axis = port(rotational.Flange)
    phi, w = variable("rad", select="prefer"), variable("rad/s", select="prefer")
    a, tau = variable("rad/s2"), variable("N.m")
    kind, cut, freedoms = "revolute", "revolute", (("phi", "w", "a", "tau", "axis"),)


class Prismatic(OneAxisJoint):
    """Slides by s [m] along n of both frames; `axis` is its rod, with the force f."""

    n = setting((1, 0, 0))
    axis = port(translational.Flange)
    s, v = variable("m", select="prefer"), variable("m/s", select="prefer")
    a, f = variable("m/s2"), variable("N")
    kind, cut, freedoms = "prismatic", "prismatic", (("s", "v", "a", "f", "axis"),)


class Cylindrical(OneAxisJoint):
    """Slides by s [m] along n and turns by phi [rad] about it."""

    n = setting((1, 0, 0))
    axis_s, axis_phi = port(translational.Flange), port(rotational.Flange)
    s, v = variable("m", select="prefer"), variable("m/s", select="prefer")
    phi, w = variable("rad", select="prefer"), variable("rad/s", select="prefer")
    a, wd, f, tau = variable("m/s2"), variable("rad/s2"), variable("N"), variable("N.m")
    kind, cut = "cylindrical", "cylindrical"
    freedoms = (("s", "v", "a", "f", "axis_s"), ("phi", "w", "wd", "tau", "axis_phi"))


class Universal(AxisJoint):
    """Turns by phi_a [rad] about n_a of frame_a, then by phi_b about n_b of frame_b."""

    n_a, n_b = setting((1, 0, 0)), setting((0, 1, 0))
    axis_a, axis_b = port(rotational.Flange), port(rotational.Flange)
    phi_a, w_a = variable("rad", select="prefer"), variable("rad/s", select="prefer")
    phi_b, w_b = variable("rad", select="prefer"), variable("rad/s", select="prefer")
    a_a, a_b = variable("rad/s2"), variable("rad/s2")
    tau_a, tau_b = variable("N.m"), variable("N.m")
    kind, cut, back = "universal", "universal", -1
    freedoms = (
        ("phi_a", "w_a", "a_a", "tau_a", "axis_a"), ("phi_b", "w_b", "a_b", "tau_b", "axis_b"),
    )  # fmt: skip

    def arguments(self, *, outward: bool) -> Mapping[str, Any]:
        """Both axes; the second one first where the joint is reversed."""
        axes = [self.axis_of(name, outward=outward) for name in ("n_a", "n_b")]
        return {"axes": axes if outward else axes[::-1]}


class Planar(AxisJoint):
    """Slides in the plane with normal n, then turns by phi [rad] about it.

    s_x and s_y [m] are along x, y of frame_a for n = z, along y, z for x, along z, x for y.
    """

    n = setting((0, 0, 1))
    axis_x, axis_y = port(translational.Flange), port(translational.Flange)
    axis_phi = port(rotational.Flange)
    s_x, v_x = variable("m", select="prefer"), variable("m/s", select="prefer")
    s_y, v_y = variable("m", select="prefer"), variable("m/s", select="prefer")
    phi, w = variable("rad", select="prefer"), variable("rad/s", select="prefer")
    a_x, a_y, wd = variable("m/s2"), variable("m/s2"), variable("rad/s2")
    f_x, f_y, tau = variable("N"), variable("N"), variable("N.m")
    kind, cut = "planar", "planar"
    freedoms = (
        ("s_x", "v_x", "a_x", "f_x", "axis_x"), ("s_y", "v_y", "a_y", "f_y", "axis_y"),
        ("phi", "w", "wd", "tau", "axis_phi"),
    )  # fmt: skip

    def arguments(self, *, outward: bool) -> Mapping[str, Any]:
        """The normal."""
        return {"normal": self.axis_of("n", outward=outward)}


class Spherical(Joint):
    """Any rotation: unit quaternion Q of the outer frame in the inner one, away from the world.

    w_x, w_y, w_z [rad/s]: angular velocity of the outer frame in the inner one, in its own axes.
    """

    Q_w, Q_x = variable(start=1.0, select="prefer"), variable(start=0.0, select="prefer")
    Q_y, Q_z = variable(start=0.0, select="prefer"), variable(start=0.0, select="prefer")
    w_x, w_y, w_z = (variable("rad/s", select="prefer") for _ in range(3))
    wd_x, wd_y, wd_z = (variable("rad/s2") for _ in range(3))
    kind, cut = "spherical", "ball"
    quaternion: ClassVar[tuple[str, ...]] = ("Q_w", "Q_x", "Q_y", "Q_z")
    position: ClassVar[tuple[str, ...]] = ()
    rates: ClassVar[tuple[str, ...]] = ("w_x", "w_y", "w_z")
    seconds: ClassVar[tuple[str, ...]] = ("wd_x", "wd_y", "wd_z")

    @property
    def weight(self) -> int:
        """More than that of joints with axes."""
        return 2 * len(self.rates)

    def equations(self) -> Iterator[Any]:
        """Accelerations are derivatives of velocities."""
        for rate, second in zip(self.rates, self.seconds, strict=True):
            yield getattr(self, second) == der(getattr(self, rate))

    def arguments(self, *, outward: bool) -> Mapping[str, Any]:
        """Nothing."""
        return {}


class FreeMotion(Spherical):
    """No joint at all: position r [m] of the outer frame in the inner one, and its rotation.

    v_x, v_y, v_z [m/s]: velocity of the outer frame in the inner one, in axes of the outer frame.
    """

    r_x, r_y, r_z = (variable("m", select="prefer") for _ in range(3))
    v_x, v_y, v_z = (variable("m/s", select="prefer") for _ in range(3))
    a_x, a_y, a_z = (variable("m/s2") for _ in range(3))
    kind, cut = "free", ""
    position = ("r_x", "r_y", "r_z")
    rates = ("w_x", "w_y", "w_z", "v_x", "v_y", "v_z")
    seconds = ("wd_x", "wd_y", "wd_z", "a_x", "a_y", "a_z")


ALL = (Revolute, Prismatic, Cylindrical, Universal, Planar, Spherical, FreeMotion)
