"""Parts of `rotational`: shafts, springs, gears, sources and sensors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kinetree.acausal import (
    Component,
    der,
    parameter,
    port,
    signal_in,
    signal_out,
    time,
    variable,
)
from kinetree.functions import abs as absolute
from kinetree.functions import maximum, minimum, switch
from kinetree.library.rotational.shafts import Compliant, Flange, Supported

# --- components ----------------------------------------------------------------------------------


class Fixed(Component):
    """A flange that does not turn."""

    flange = port(Flange)
    phi0 = parameter(0.0, "rad")

    def equations(self) -> Iterator[Any]:
        """phi = phi0."""
        yield self.flange.phi == self.phi0


class Inertia(Component):
    """A shaft with inertia J [kg.m2]; phi and w are wanted as states."""

    flange_a, flange_b = port(Flange), port(Flange)
    J = parameter(1.0, "kg.m2")
    phi = variable("rad", select="prefer")
    w = variable("rad/s", select="prefer")
    a = variable("rad/s2")

    def equations(self) -> Iterator[Any]:
        """J a = a.tau + b.tau."""
        yield self.phi == self.flange_a.phi
        yield self.phi == self.flange_b.phi
        yield self.w == der(self.phi)
        yield self.a == der(self.w)
        yield self.J * self.a == self.flange_a.tau + self.flange_b.tau


class Spring(Compliant):
    """A linear spring of c [N.m/rad], at rest at phi_rel0 [rad]."""

    c, phi_rel0 = parameter(1.0, "N.m/rad"), parameter(0.0, "rad")

    def law(self) -> Iterator[Any]:
        """tau = c (phi_rel - phi_rel0)."""
        yield self.tau == self.c * (self.phi_rel - self.phi_rel0)


class Damper(Compliant):
    """A linear damper of d [N.m.s/rad]."""

    d = parameter(1.0, "N.m.s/rad")

    def law(self) -> Iterator[Any]:
        """tau = d w_rel."""
        yield self.tau == self.d * self.w_rel


class SpringDamper(Compliant):
    """A linear spring and a damper side by side."""

    c, d = parameter(1.0, "N.m/rad"), parameter(0.0, "N.m.s/rad")
    phi_rel0 = parameter(0.0, "rad")

    def law(self) -> Iterator[Any]:
        """tau = c (phi_rel - phi_rel0) + d w_rel."""
        yield self.tau == self.c * (self.phi_rel - self.phi_rel0) + self.d * self.w_rel


class ElastoBacklash(Compliant):
    """A spring and damper with a backlash of b [rad] in all; it pushes and does not pull."""

    c, d = parameter(1e5, "N.m/rad"), parameter(0.0, "N.m.s/rad")
    b, phi_rel0 = parameter(0.0, "rad"), parameter(0.0, "rad")

    def law(self) -> Iterator[Any]:
        """tau = c (x ∓ b/2) + d w_rel outside of the backlash.

        The damper takes no more than the spring gives, and never makes the part pull.
        """
        x = self.phi_rel - self.phi_rel0
        above, below = x - self.b / 2, x + self.b / 2
        damping = self.d * self.w_rel
        up = maximum(self.c * above + minimum(self.c * above, damping), 0.0)
        down = minimum(self.c * below + maximum(self.c * below, damping), 0.0)
        yield self.tau == switch(above > 0, up, switch(below < 0, down, 0.0))


# --- gears ---------------------------------------------------------------------------------------


class IdealGear(Supported):
    """A gear without inertia or loss in its housing: ratio = a.phi / b.phi seen from there."""

    flange_a, flange_b = port(Flange), port(Flange)
    ratio = parameter(1.0)

    def equations(self) -> Iterator[Any]:
        """a.phi = ratio b.phi, ratio a.tau + b.tau = 0."""
        housing = self.phi_support
        yield self.flange_a.phi - housing == self.ratio * (self.flange_b.phi - housing)
        yield self.ratio * self.flange_a.tau + self.flange_b.tau == 0
        yield from self.hold(self.flange_a.tau + self.flange_b.tau)


class IdealPlanetary(Component):
    """A planetary gear without inertia or loss; ratio = teeth of the ring / teeth of the sun."""

    sun, carrier, ring = port(Flange), port(Flange), port(Flange)
    ratio = parameter(2.0)

    def equations(self) -> Iterator[Any]:
        """(1 + ratio) carrier.phi = sun.phi + ratio ring.phi."""
        yield (1 + self.ratio) * self.carrier.phi == self.sun.phi + self.ratio * self.ring.phi
        yield self.ring.tau == self.ratio * self.sun.tau
        yield self.carrier.tau == -(1 + self.ratio) * self.sun.tau


# --- sources -------------------------------------------------------------------------------------


class Torque(Supported):
    """A torque given by a signal, which drives the flange against its housing [N.m]."""

    flange = port(Flange)
    tau = signal_in("N.m")

    def equations(self) -> Iterator[Any]:
        """flange.tau = -tau."""
        yield self.flange.tau == -self.tau
        yield from self.hold(-self.tau)


class ConstantTorque(Component):
    """A torque that does not change, which drives the flange [N.m]."""

    flange = port(Flange)
    tau_constant = parameter(1.0, "N.m")

    def equations(self) -> Iterator[Any]:
        """flange.tau = -tau_constant."""
        yield self.flange.tau == -self.tau_constant


class QuadraticSpeedDependentTorque(Component):
    """A torque that grows with the square of the speed: tau_nominal [N.m] at w_nominal [rad/s].

    It turns with the speed's sign: a negative tau_nominal brakes in both directions.
    """

    flange = port(Flange)
    tau_nominal, w_nominal = parameter(-1.0, "N.m"), parameter(1.0, "rad/s")
    w = variable("rad/s")

    def equations(self) -> Iterator[Any]:
        """flange.tau = -tau_nominal (w/w_nominal)|w/w_nominal|."""
        yield self.w == der(self.flange.phi)
        share = self.w / self.w_nominal
        yield self.flange.tau == -self.tau_nominal * share * absolute(share)


class ConstantSpeed(Component):
    """A motion with a speed that does not change [rad/s]."""

    flange = port(Flange)
    w_fixed = parameter(1.0, "rad/s")

    def equations(self) -> Iterator[Any]:
        """phi = w_fixed t."""
        yield self.flange.phi == self.w_fixed * time


class Speed(Component):
    """A motion whose speed is a signal [rad/s]; its angle is a state."""

    flange = port(Flange)
    w_ref = signal_in("rad/s")
    phi = variable("rad", select="prefer")

    def equations(self) -> Iterator[Any]:
        """der(phi) = w_ref."""
        yield self.phi == self.flange.phi
        yield der(self.phi) == self.w_ref


class Position(Component):
    """A motion whose angle is a signal, differentiated as often as is needed [rad]."""

    flange = port(Flange)
    phi_ref = signal_in("rad")

    def equations(self) -> Iterator[Any]:
        """phi = phi_ref."""
        yield self.flange.phi == self.phi_ref


# --- sensors -------------------------------------------------------------------------------------


class AngleSensor(Component):
    """Tells the angle of a flange [rad]."""

    flange = port(Flange)
    phi = signal_out("rad")

    def equations(self) -> Iterator[Any]:
        """phi = flange.phi, no torque."""
        yield self.flange.tau == 0
        yield self.phi == self.flange.phi


class SpeedSensor(Component):
    """Tells the speed of a flange [rad/s]."""

    flange = port(Flange)
    w = signal_out("rad/s")

    def equations(self) -> Iterator[Any]:
        """w = der(flange.phi), no torque."""
        yield self.flange.tau == 0
        yield self.w == der(self.flange.phi)


class AccelerationSensor(Component):
    """Tells the acceleration of a flange [rad/s2]."""

    flange = port(Flange)
    w, a = variable("rad/s"), signal_out("rad/s2")

    def equations(self) -> Iterator[Any]:
        """a = der(der(flange.phi)), no torque."""
        yield self.flange.tau == 0
        yield self.w == der(self.flange.phi)
        yield self.a == der(self.w)


class TorqueSensor(Component):
    """Tells the torque that goes through it from a to b [N.m]."""

    flange_a, flange_b = port(Flange), port(Flange)
    tau = signal_out("N.m")

    def equations(self) -> Iterator[Any]:
        """Both ends turn alike, tau = a.tau = -b.tau."""
        yield self.flange_a.phi == self.flange_b.phi
        yield self.flange_a.tau + self.flange_b.tau == 0
        yield self.tau == self.flange_a.tau
