"""The connector of mechanics in space: a frame, and parts that are read from where frames meet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.acausal import Component, Connector, Physical, across, through

if TYPE_CHECKING:
    from kinetree.acausal.instances import Flat

Triple = tuple[Physical, Physical, Physical]


class Frame(Connector):
    """A frame of a rigid part; all components are those of the world frame.

    Bodies, bars and joints have no equations at their frames: the graph of their connections is
    read as a tree of joints.  Components with equations of their own see r, R, v and w, and give f
    and t.
    """

    gathers = True
    r_x, r_y, r_z = across("m"), across("m"), across("m")
    R_11, R_12, R_13 = across(), across(), across()
    R_21, R_22, R_23 = across(), across(), across()
    R_31, R_32, R_33 = across(), across(), across()
    v_x, v_y, v_z = across("m/s"), across("m/s"), across("m/s")
    w_x, w_y, w_z = across("rad/s"), across("rad/s"), across("rad/s")
    f_x, f_y, f_z = through("N"), through("N"), through("N")
    t_x, t_y, t_z = through("N.m"), through("N.m"), through("N.m")

    @property
    def r(self) -> Triple:
        """Position of the origin [m]."""
        return self.r_x, self.r_y, self.r_z

    @property
    def R(self) -> tuple[Triple, Triple, Triple]:  # noqa: N802  as in the equations
        """Rows of the rotation: components in the frame to components in the world."""
        return (
            (self.R_11, self.R_12, self.R_13),
            (self.R_21, self.R_22, self.R_23),
            (self.R_31, self.R_32, self.R_33),
        )

    @property
    def v(self) -> Triple:
        """Velocity of the origin [m/s]."""
        return self.v_x, self.v_y, self.v_z

    @property
    def w(self) -> Triple:
        """Angular velocity [rad/s]."""
        return self.w_x, self.w_y, self.w_z

    @property
    def f(self) -> Triple:
        """Force on the component at the origin [N]."""
        return self.f_x, self.f_y, self.f_z

    @property
    def t(self) -> Triple:
        """Torque on the component [N.m]."""
        return self.t_x, self.t_y, self.t_z

    @classmethod
    def gather(cls, flat: Flat) -> None:
        """Read the graph of frames as mechanisms."""
        from kinetree.library.multibody.recognise import recognise  # noqa: PLC0415  knows parts

        recognise(flat)


class Part(Component):
    """Partial: a part of a mechanism, which is read from where its frames are connected."""

    gathered = True
