"""Shafts of `rotational`: their connector, partial parts, and dry friction.

| what | names |
|---|---|
| connectors | Flange |
| partial parts | Compliant, Supported, Turning, PressedDiscs |
| friction | BearingFriction, Brake, Clutch, OneWayClutch |
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
    setting,
    signal_in,
    through,
    variable,
)
from kinetree.functions import abs as absolute
from kinetree.functions import maximum
from kinetree.library.curves import interpolate

LEAST = 1e-4
"""Share of its largest torque that a one-way clutch holds where it is not pressed."""


class Flange(Connector):
    """The end of a shaft."""

    phi = across("rad")
    tau = through("N.m")


class Compliant(Component):
    """Partial: a part without mass between two flanges; `law` gives its torque."""

    flange_a, flange_b = port(Flange), port(Flange)
    phi_rel, w_rel = variable("rad"), variable("rad/s")
    tau = variable("N.m")

    def equations(self) -> Iterator[Any]:
        """phi_rel = b.phi - a.phi, tau = b.tau = -a.tau, and the law."""
        yield self.phi_rel == self.flange_b.phi - self.flange_a.phi
        yield self.w_rel == der(self.phi_rel)
        yield self.flange_b.tau == self.tau
        yield self.flange_a.tau == -self.tau
        yield from self.law()

    @abstractmethod
    def law(self) -> Iterator[Any]:
        """What gives the torque."""


class Supported(Component):
    """Partial: a part in a housing, which stands still or is the flange `support`."""

    useSupport = setting(False)

    def setup(self) -> None:
        """The flange of the housing."""
        if self.useSupport:
            self.support = Flange()

    @property
    def phi_support(self) -> Any:
        """The angle of the housing."""
        return self.support.phi if self.useSupport else 0.0

    def hold(self, torque: Any) -> Iterator[Any]:
        """The housing takes a torque that acts on the flanges."""
        if self.useSupport:
            yield self.support.tau == -torque


# --- friction ------------------------------------------------------------------------------------


class Turning(Supported):
    """Partial: a shaft in its housing; `bounds` are torques of sliding and of sticking."""

    flange_a, flange_b = port(Flange), port(Flange)
    phi, w, tau = variable("rad"), variable("rad/s"), variable("N.m")
    mode = mode(0.0)

    def equations(self) -> Iterator[Any]:
        """a.tau + b.tau = tau, which is that of dry friction along w."""
        yield self.phi == self.flange_a.phi - self.phi_support
        yield self.flange_a.phi == self.flange_b.phi
        yield self.w == der(self.phi)
        yield self.flange_a.tau + self.flange_b.tau == self.tau
        yield friction(self.mode, self.w, self.tau, *self.bounds())
        yield from self.hold(self.tau)

    @abstractmethod
    def bounds(self) -> tuple[Any, Any]:
        """Torques of sliding, and up to which it sticks [N.m]."""


class BearingFriction(Turning):
    """Dry friction of a shaft in its housing.

    Settings:
        tau_pos: rows of speed [rad/s] and torque of sliding [N.m], from speed 0 on, or a function
            of the component around it that gives them.
    """

    tau_pos, peak = setting(((0.0, 1.0),)), parameter(1.0)

    def bounds(self) -> tuple[Any, Any]:
        """tau_pos(|w|), and peak tau_pos(0)."""
        rows = self.tau_pos(self.owner) if callable(self.tau_pos) else self.tau_pos
        return interpolate(rows, absolute(self.w)), self.peak * interpolate(rows, 0.0)


class Brake(Turning):
    """A brake of a shaft in its housing, pressed on by fn_max f_normalized [N].

    Settings:
        mu_pos: rows of speed [rad/s] and coefficient of friction, from speed 0 on.
    """

    f_normalized = signal_in()
    mu_pos, peak, cgeo = setting(((0.0, 0.5),)), parameter(1.0), parameter(1.0, "m")
    fn_max = parameter(1.0, "N")

    def bounds(self) -> tuple[Any, Any]:
        """cgeo mu_pos(|w|) fn, and peak times that at rest."""
        return _grip_bounds(self, self.w)


class PressedDiscs(Compliant):
    """Partial: discs of two shafts, pressed together by fn_max f_normalized [N].

    Settings:
        mu_pos: rows of relative speed [rad/s] and coefficient of friction, from speed 0 on.
    """

    f_normalized = signal_in()
    mu_pos, peak, cgeo = setting(((0.0, 0.5),)), parameter(1.0), parameter(1.0, "m")
    fn_max = parameter(1.0, "N")
    mode = mode(0.0)


class Clutch(PressedDiscs):
    """A clutch between two shafts."""

    def law(self) -> Iterator[Any]:
        """tau = ±cgeo mu_pos(|w_rel|) fn; where it sticks up to peak times that at rest."""
        yield friction(self.mode, self.w_rel, self.tau, *_grip_bounds(self, self.w_rel))


class OneWayClutch(PressedDiscs):
    """A clutch beside a freewheel: flange b overtakes flange a, and never the reverse."""

    def law(self) -> Iterator[Any]:
        """As a clutch where w_rel > 0; else it holds any torque."""
        slides, holds = _grip_bounds(self, self.w_rel)
        least = LEAST * interpolate(self.mu_pos, 0.0) * self.cgeo * self.fn_max
        holds = maximum(holds / least, 1.0) * least
        yield friction(self.mode, self.w_rel, self.tau, slides, holds, one_way=True)


def _grip_bounds(part: Brake | PressedDiscs, speed: Any) -> tuple[Any, Any]:
    """Torques of sliding, and up to which it sticks [N.m]."""
    pressed = part.cgeo * part.fn_max * maximum(part.f_normalized, 0.0)
    slides, rests = (interpolate(part.mu_pos, x) for x in (absolute(speed), 0.0))
    return slides * pressed, part.peak * rests * pressed
