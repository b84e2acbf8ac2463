"""A combustion engine of six cylinders in two rows, as in the Modelica Standard Library 4.0.0.

Every cylinder is a loop: crank, rod, piston, cylinder.  Its gas pushes the piston by a force that
follows from place and direction of the stroke.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import pi
from typing import Any

from kinetree.acausal import Component, connect, parameter, part, port, setting
from kinetree.functions import switch
from kinetree.library import multibody as mb
from kinetree.library import rotational as rot
from kinetree.library import translational as tr

PIN, ROD, PISTON, TOP = 0.05, 0.175, 0.1, 0.42
"""Offset of the crank pin, lengths of rod and piston, top of the cylinder above the shaft [m]."""
PITCH, MIDDLE = 0.14, 0.09
"""Length of shaft that a cylinder takes, and where along it the cylinder stands [m]."""
COMPRESSION = (177.4132, -287.2189, 151.8252, -24.9973, 2.4)
EXPANSION = (145.930, -131.707, 17.3438, 17.9272, 2.4)
"""Pressure [bar] by powers of the stroke, the highest first; the piston moves up, and down."""
LATE_COMPRESSION = (2836360.0, -10569296.0, 14761814.0, -9158505.0, 2129670.0)
EARLY_EXPANSION = (-3929704.0, 14748765.0, -20747000.0, 12964477.0, -3036495.0)
"""The same near the end of the volume."""


class GasForce(tr.Compliant):
    """The force of the gas in a cylinder of length L and diameter d [m]; s_rel is its free length.

    A rough cycle: pressure by the stroke x = 1 - s_rel/L, one curve up and one down.
    """

    L, d = parameter(0.195, "m"), parameter(0.1, "m")
    bar = parameter(1e5, "N/m2")

    def law(self) -> Iterator[Any]:
        """f = -p pi d²/4."""
        x = 1 - self.s_rel / self.L
        up = switch(x < 0.986061, _power(COMPRESSION, x), _power(LATE_COMPRESSION, x))
        down = switch(x > 0.933, _power(EARLY_EXPANSION, x), _power(EXPANSION, x))
        p = self.bar * switch(self.v_rel < 0, up, down)
        yield self.f == -p * (pi / 4) * self.d**2


def _power(coefficients: tuple[float, ...], x: Any) -> Any:
    """A polynomial by Horner's rule."""
    value = coefficients[0] * x + coefficients[1]
    for c in coefficients[2:]:
        value = value * x + c
    return value


class Cylinder(Component):
    """One cylinder on a shaft along x: crank, rod and piston, and the gas above.

    Settings:
        crankAngleOffset, cylinderInclinationAngle: of pin and cylinder about the shaft [deg].
    """

    crankAngleOffset, cylinderInclinationAngle = setting(0.0), setting(0.0)
    cylinder_a, cylinder_b = port(mb.Frame), port(mb.Frame)
    crank_a, crank_b = port(mb.Frame), port(mb.Frame)
    crank, mounting = (part(mb.FixedTranslation, r=(PITCH, 0, 0)) for _ in range(2))
    pin = part(mb.FixedTranslation, r=(MIDDLE, PIN, 0))
    top = part(mb.FixedTranslation, r=(0, TOP, 0))
    b2 = part(mb.Revolute, n="x")
    slide = part(mb.Prismatic, n=(0, -1, 0), s={"start": TOP - PISTON - ROD})
    rod, up = part(mb.FixedTranslation, r=(0, ROD, 0)), part(mb.FixedTranslation, r=(0, PISTON, 0))
    rodBody = part(mb.Body, m=1.0, r_CM=(0, ROD / 2, 0), I_11=0.006, I_22=0.0005, I_33=0.006)
    piston = part(mb.Body, m=6.0, r_CM=(0, PISTON / 2, 0), I_11=0.0088, I_22=0.0076, I_33=0.0088)
    gas, head = part(GasForce, L=TOP - (PISTON + ROD - PIN)), part(tr.Fixed)

    def setup(self) -> None:
        """Both turned frames, and the bearing of the rod: that points to the cylinder at first."""
        inclined, offset = self.cylinderInclinationAngle, self.crankAngleOffset
        self.inclination = mb.FixedRotation(r=(MIDDLE, 0, 0), n=(1, 0, 0), angle=inclined)
        self.crankAngle = mb.FixedRotation(n=(1, 0, 0), angle=offset)
        self.b1 = mb.Revolute(n="x", phi={"start": (inclined - offset) * pi / 180})

    def equations(self) -> Iterator[Any]:
        """The loop from the shaft through rod, piston and cylinder."""
        yield connect(self.crank_a, self.crank.frame_a, self.crankAngle.frame_a)
        yield connect(self.crank_b, self.crank.frame_b)
        yield connect(self.cylinder_a, self.mounting.frame_a, self.inclination.frame_a)
        yield connect(self.cylinder_b, self.mounting.frame_b)
        yield connect(self.crankAngle.frame_b, self.pin.frame_a)
        yield connect(self.pin.frame_b, self.b1.frame_a)
        yield connect(self.b1.frame_b, self.rod.frame_a, self.rodBody.frame_a)
        yield connect(self.rod.frame_b, self.b2.frame_b)
        yield connect(self.b2.frame_a, self.up.frame_a, self.piston.frame_a)
        yield connect(self.up.frame_b, self.slide.frame_b)
        yield connect(self.slide.frame_a, self.top.frame_b)
        yield connect(self.top.frame_a, self.inclination.frame_b)
        yield connect(self.head.flange, self.gas.flange_a)
        yield connect(self.gas.flange_b, self.slide.axis)


CRANKS = (-30.0, 90.0, 210.0, 210.0, 90.0, -30.0)
"""Angles of the crank pins [deg]; the cylinders lean by -30 and 30 deg in turn."""


class EngineV6(Component):
    """Six cylinders along a shaft with a flange; `frame_a` holds the block."""

    frame_a, flange_b = port(mb.Frame), port(rot.Flange)
    bearing = part(mb.Revolute, n="x")
    crank = part(mb.Body, m=180.0, r_CM=(0.3, 0, 0), I_11=0.1, I_22=1e-5, I_33=1e-5, physical=False)

    def setup(self) -> None:
        """The cylinders."""
        self.cylinder = [
            Cylinder(crankAngleOffset=angle, cylinderInclinationAngle=(-30.0, 30.0)[k % 2])
            for k, angle in enumerate(CRANKS)
        ]

    def equations(self) -> Iterator[Any]:
        """One after the other."""
        first, rest = self.cylinder[0], self.cylinder[1:]
        yield connect(self.frame_a, self.bearing.frame_a, first.cylinder_a)
        yield connect(self.bearing.frame_b, self.crank.frame_a, first.crank_a)
        yield connect(self.bearing.axis, self.flange_b)
        for before, after in zip(self.cylinder, rest, strict=False):
            yield connect(before.crank_b, after.crank_a)
            yield connect(before.cylinder_b, after.cylinder_a)


ALL = (GasForce, Cylinder, EngineV6)
