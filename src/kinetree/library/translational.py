"""One-dimensional translation: position s [m] across, force f [N] through.

| what | names |
|---|---|
| connectors | Flange; partial Compliant, Sliding |
| components | Fixed, Mass, Rod, Spring, Damper, SpringDamper, ElastoGap, IdealGearR2T |
| friction, stop | SupportFriction, Brake, MassWithStop |
| sources | Force, ConstantForce, Speed, Position |
| sensors | PositionSensor, SpeedSensor, ForceSensor |

Forces are positive into the component, as all flows are.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

from kinetree.acausal import (
    Component,
    Connector,
    across,
    der,
    friction,
    mode,
    parameter,
    port,
    reset,
    setting,
    signal_in,
    signal_out,
    through,
    variable,
    when,
)
from kinetree.functions import abs as absolute
from kinetree.functions import maximum, switch
from kinetree.library import rotational
from kinetree.library.curves import interpolate


class Flange(Connector):
    """The end of a part that slides."""

    s = across("m")
    f = through("N")


class Compliant(Component):
    """Partial: a part without mass between two flanges; `law` gives its force."""

    flange_a, flange_b = port(Flange), port(Flange)
    s_rel, v_rel, f = variable("m"), variable("m/s"), variable("N")

    def equations(self) -> Iterator[Any]:
        """s_rel = b.s - a.s, f = b.f = -a.f, and the law."""
        yield self.s_rel == self.flange_b.s - self.flange_a.s
        yield self.v_rel == der(self.s_rel)
        yield self.flange_b.f == self.f
        yield self.flange_a.f == -self.f
        yield from self.law()

    @abstractmethod
    def law(self) -> Iterator[Any]:
        """What gives the force."""


# --- components ----------------------------------------------------------------------------------


class Fixed(Component):
    """A flange that does not move."""

    flange = port(Flange)
    s0 = parameter(0.0, "m")

    def equations(self) -> Iterator[Any]:
        """s = s0."""
        yield self.flange.s == self.s0


class Mass(Component):
    """A sliding mass m [kg] of length L [m]; s and v are wanted as states."""

    flange_a, flange_b = port(Flange), port(Flange)
    m, L = parameter(1.0, "kg"), parameter(0.0, "m")
    s, v = variable("m", select="prefer"), variable("m/s", select="prefer")
    a = variable("m/s2")

    def equations(self) -> Iterator[Any]:
        """m a = a.f + b.f; s is the middle."""
        yield self.flange_a.s == self.s - self.L / 2
        yield self.flange_b.s == self.s + self.L / 2
        yield self.v == der(self.s)
        yield self.a == der(self.v)
        yield self.m * self.a == self.flange_a.f + self.flange_b.f


class Rod(Component):
    """A rod without mass of length L [m]."""

    flange_a, flange_b = port(Flange), port(Flange)
    L = parameter(0.0, "m")

    def equations(self) -> Iterator[Any]:
        """b.s = a.s + L."""
        yield self.flange_b.s == self.flange_a.s + self.L
        yield self.flange_a.f + self.flange_b.f == 0


class Spring(Compliant):
    """A linear spring of c [N/m], at rest at s_rel0 [m]."""

    c, s_rel0 = parameter(1.0, "N/m"), parameter(0.0, "m")

    def law(self) -> Iterator[Any]:
        """f = c (s_rel - s_rel0)."""
        yield self.f == self.c * (self.s_rel - self.s_rel0)


class Damper(Compliant):
    """A linear damper of d [N.s/m]."""

    d = parameter(1.0, "N.s/m")

    def law(self) -> Iterator[Any]:
        """f = d v_rel."""
        yield self.f == self.d * self.v_rel


class SpringDamper(Compliant):
    """A linear spring and a damper side by side."""

    c, d = parameter(1.0, "N/m"), parameter(1.0, "N.s/m")
    s_rel0 = parameter(0.0, "m")

    def law(self) -> Iterator[Any]:
        """f = c (s_rel - s_rel0) + d v_rel."""
        yield self.f == self.c * (self.s_rel - self.s_rel0) + self.d * self.v_rel


class ElastoGap(Compliant):
    """A spring and damper that touch where s_rel < s_rel0, and push only."""

    c, d = parameter(1.0, "N/m"), parameter(1.0, "N.s/m")
    s_rel0 = parameter(0.0, "m")

    def law(self) -> Iterator[Any]:
        """f = c (s_rel - s_rel0) + d v_rel in contact; the damper never pulls."""
        f_c = self.c * (self.s_rel - self.s_rel0)
        f_d = self.d * self.v_rel
        limited = switch(f_d < f_c, f_c, switch(f_d > -f_c, -f_c, f_d))
        yield self.f == switch(self.s_rel > self.s_rel0, 0.0, f_c + limited)


class IdealGearR2T(Component):
    """A rack and pinion without loss: ratio [rad/m] of angle to way."""

    flangeR, flangeT = port(rotational.Flange), port(Flange)
    ratio = parameter(1.0, "rad/m")

    def equations(self) -> Iterator[Any]:
        """phi = ratio s, ratio tau + f = 0."""
        yield self.flangeR.phi == self.ratio * self.flangeT.s
        yield self.ratio * self.flangeR.tau + self.flangeT.f == 0


# --- friction, stop ------------------------------------------------------------------------------


class Sliding(Component):
    """Partial: a part that slides on the ground; `bounds` are forces of sliding and of sticking."""

    flange_a, flange_b = port(Flange), port(Flange)
    s, v, f = variable("m"), variable("m/s"), variable("N")
    mode = mode(0.0)

    def equations(self) -> Iterator[Any]:
        """a.f + b.f = f, which is that of dry friction along v."""
        yield self.s == self.flange_a.s
        yield self.s == self.flange_b.s
        yield self.v == der(self.s)
        yield self.flange_a.f + self.flange_b.f == self.f
        yield friction(self.mode, self.v, self.f, *self.bounds())

    @abstractmethod
    def bounds(self) -> tuple[Any, Any]:
        """Forces of sliding, and up to which it sticks [N]."""


class SupportFriction(Sliding):
    """Dry friction of a part that slides on the ground.

    Settings:
        f_pos: rows of speed [m/s] and force of sliding [N], from speed 0 on, or a function of the
            component around it that gives them.
    """

    f_pos, peak = setting(((0.0, 1.0),)), parameter(1.0)

    def bounds(self) -> tuple[Any, Any]:
        """f_pos(|v|), and peak f_pos(0)."""
        rows = self.f_pos(self.owner) if callable(self.f_pos) else self.f_pos
        return interpolate(rows, absolute(self.v)), self.peak * interpolate(rows, 0.0)


class Brake(Sliding):
    """A brake of a part that slides, pressed on by fn_max f_normalized [N].

    Settings:
        mu_pos: rows of speed [m/s] and coefficient of friction, from speed 0 on.
    """

    f_normalized = signal_in()
    mu_pos, peak, cgeo = setting(((0.0, 0.5),)), parameter(1.0), parameter(1.0)
    fn_max = parameter(1.0, "N")

    def bounds(self) -> tuple[Any, Any]:
        """cgeo mu_pos(|v|) fn, and peak times that at rest."""
        pressed = self.cgeo * self.fn_max * maximum(self.f_normalized, 0.0)
        slides, rests = (interpolate(self.mu_pos, x) for x in (absolute(self.v), 0.0))
        return slides * pressed, self.peak * rests * pressed


class MassWithStop(Component):
    """A mass m [kg] of length L [m] between stops at smin and smax [m], without rebound.

    `rests` is -1 or 1 where it lies against a stop, which pushes and does not pull.
    """

    flange_a, flange_b = port(Flange), port(Flange)
    m, L = parameter(1.0, "kg"), parameter(0.0, "m")
    smin, smax = parameter(-25.0, "m"), parameter(25.0, "m")
    s, v = variable("m", select="always"), variable("m/s", select="always")
    a, f_stop, rests = variable("m/s2"), variable("N"), mode(0.0)

    def equations(self) -> Iterator[Any]:
        """m a = a.f + b.f + f_stop; a = 0 at a stop, else f_stop = 0."""
        yield self.flange_a.s == self.s - self.L / 2
        yield self.flange_b.s == self.s + self.L / 2
        yield self.v == der(self.s)
        yield self.a == der(self.v)
        yield self.m * self.a == self.flange_a.f + self.flange_b.f + self.f_stop
        held = absolute(self.rests)
        yield held * self.m * self.a + (1 - held) * self.f_stop == 0
        for side, end in ((-1.0, self.smin), (1.0, self.smax)):
            beyond = side * (self.s - end) + self.L / 2
            yield when(beyond > 0, reset(self.v, 0.0), reset(self.rests, side))
            pull = maximum(side * self.rests, 0.0) * side * self.f_stop
            yield when(pull > 0, reset(self.rests, 0.0))


# --- sources and sensors -------------------------------------------------------------------------


class Force(Component):
    """A force given by a signal, which drives the flange [N]."""

    flange = port(Flange)
    f = signal_in("N")

    def equations(self) -> Iterator[Any]:
        """flange.f = -f."""
        yield self.flange.f == -self.f


class ConstantForce(Component):
    """A force that does not change, which drives the flange [N]."""

    flange = port(Flange)
    f_constant = parameter(1.0, "N")

    def equations(self) -> Iterator[Any]:
        """flange.f = -f_constant."""
        yield self.flange.f == -self.f_constant


class Speed(Component):
    """A motion whose speed is a signal [m/s]; its position is a state."""

    flange = port(Flange)
    v_ref = signal_in("m/s")
    s = variable("m", select="prefer")

    def equations(self) -> Iterator[Any]:
        """der(s) = v_ref."""
        yield self.s == self.flange.s
        yield der(self.s) == self.v_ref


class Position(Component):
    """A motion whose position is a signal, differentiated as often as is needed [m]."""

    flange = port(Flange)
    s_ref = signal_in("m")

    def equations(self) -> Iterator[Any]:
        """s = s_ref."""
        yield self.flange.s == self.s_ref


class PositionSensor(Component):
    """Tells the position of a flange [m]."""

    flange = port(Flange)
    s = signal_out("m")

    def equations(self) -> Iterator[Any]:
        """s = flange.s, no force."""
        yield self.flange.f == 0
        yield self.s == self.flange.s


class SpeedSensor(Component):
    """Tells the speed of a flange [m/s]."""

    flange = port(Flange)
    v = signal_out("m/s")

    def equations(self) -> Iterator[Any]:
        """v = der(flange.s), no force."""
        yield self.flange.f == 0
        yield self.v == der(self.flange.s)


class ForceSensor(Component):
    """Tells the force that goes through it from a to b [N]."""

    flange_a, flange_b = port(Flange), port(Flange)
    f = signal_out("N")

    def equations(self) -> Iterator[Any]:
        """Both ends move alike, f = a.f = -b.f."""
        yield self.flange_a.s == self.flange_b.s
        yield self.flange_a.f + self.flange_b.f == 0
        yield self.f == self.flange_a.f


ALL = (
    Fixed, Mass, Rod, Spring, Damper, SpringDamper, ElastoGap, IdealGearR2T, SupportFriction, Brake,
    MassWithStop, Force, ConstantForce, Speed, Position, PositionSensor, SpeedSensor, ForceSensor,
)  # fmt: skip
