"""Blocks that signals go through."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from math import pi, sqrt
from typing import Any

from kinetree.acausal import (
    Component,
    connect,
    der,
    every,
    mode,
    parameter,
    pre,
    sample,
    setting,
    signal_in,
    signal_out,
    variable,
)
from kinetree.functions import switch


class SISO(Component):
    """Partial: one signal in, one out; `law` gives y."""

    u, y = signal_in(), signal_out()

    def equations(self) -> Iterator[Any]:
        """What the law says."""
        yield from self.law()

    @abstractmethod
    def law(self) -> Iterator[Any]:
        """What y is."""


# --- algebra -------------------------------------------------------------------------------------


class Gain(SISO):
    """A factor k."""

    k = parameter(1.0)

    def law(self) -> Iterator[Any]:
        """y = k u."""
        yield self.y == self.k * self.u


class Add(Component):
    """A sum of two signals."""

    u1, u2, y = signal_in(), signal_in(), signal_out()
    k1, k2 = parameter(1.0), parameter(1.0)

    def equations(self) -> Iterator[Any]:
        """y = k1 u1 + k2 u2."""
        yield self.y == self.k1 * self.u1 + self.k2 * self.u2


class Feedback(Component):
    """The difference of two signals."""

    u1, u2, y = signal_in(), signal_in(), signal_out()

    def equations(self) -> Iterator[Any]:
        """y = u1 - u2."""
        yield self.y == self.u1 - self.u2


class Product(Component):
    """The product of two signals."""

    u1, u2, y = signal_in(), signal_in(), signal_out()

    def equations(self) -> Iterator[Any]:
        """y = u1 u2."""
        yield self.y == self.u1 * self.u2


class Limiter(SISO):
    """A signal between uMin and uMax."""

    uMax, uMin = parameter(1.0), parameter(lambda self: -self.uMax)

    def law(self) -> Iterator[Any]:
        """y = u, at most uMax, at least uMin."""
        below = switch(self.u < self.uMin, self.uMin, self.u)
        yield self.y == switch(self.u > self.uMax, self.uMax, below)


class DeadZone(SISO):
    """A signal without what is between uMin and uMax."""

    uMax, uMin = parameter(1.0), parameter(lambda self: -self.uMax)

    def law(self) -> Iterator[Any]:
        """y = u - uMax above, u - uMin below, 0 between."""
        below = switch(self.u < self.uMin, self.u - self.uMin, 0.0 * self.u)
        yield self.y == switch(self.u > self.uMax, self.u - self.uMax, below)


class Hysteresis(SISO):
    """1 from above uHigh on until below uLow, else 0."""

    uLow, uHigh = parameter(0.0), parameter(1.0)

    def law(self) -> Iterator[Any]:
        """The bound of the change follows y; at the start it is that of 0."""
        bound = self.uHigh + (self.uLow - self.uHigh) * self.y
        yield self.y == switch(self.u > bound, 1.0, 0.0)


class OnOffController(Component):
    """1 from where u is below reference by half the bandwidth until it is above by that, else 0."""

    reference, u, y = signal_in(), signal_in(), signal_out()
    bandwidth = parameter(0.1)

    def equations(self) -> Iterator[Any]:
        """The bound of the change follows y; at the start it is that of 0."""
        bound = self.reference + self.bandwidth * (self.y - 0.5)
        yield self.y == switch(self.u < bound, 1.0, 0.0)


class Switch(Component):
    """u1 where u2 is above 0.5, else u3."""

    u1, u2, u3, y = signal_in(), signal_in(), signal_in(), signal_out()

    def equations(self) -> Iterator[Any]:
        """y = u1 or u3, by u2."""
        yield self.y == switch(self.u2 > 0.5, self.u1, self.u3)


# --- dynamics ------------------------------------------------------------------------------------


class Integrator(SISO):
    """An integral with the factor k [1/s]."""

    k = parameter(1.0, "1/s")

    def law(self) -> Iterator[Any]:
        """der(y) = k u."""
        yield der(self.y) == self.k * self.u


class FirstOrder(SISO):
    """A first-order lag of T [s]."""

    k, T = parameter(1.0), parameter(1.0, "s")

    def law(self) -> Iterator[Any]:
        """T der(y) + y = k u."""
        yield self.T * der(self.y) == self.k * self.u - self.y


class SecondOrder(SISO):
    """A second-order lag of w [rad/s] and damping D."""

    k, w, D = parameter(1.0), parameter(1.0, "rad/s"), parameter(1.0)
    yd = variable("")

    def law(self) -> Iterator[Any]:
        """der(der(y)) = w (w (k u - y) - 2 D der(y))."""
        yield der(self.y) == self.w * self.yd
        yield der(self.yd) == self.w * (self.k * self.u - self.y - 2 * self.D * self.yd)


class PI(SISO):
    """A PI controller: k (1 + 1/(T s))."""

    k, T = parameter(1.0), parameter(1.0, "s")
    x = variable("")

    def law(self) -> Iterator[Any]:
        """T der(x) = u, y = k (x + u)."""
        yield self.T * der(self.x) == self.u
        yield self.y == self.k * (self.x + self.u)


class PID(SISO):
    """A PID controller: k (1 + 1/(Ti s) + Td s/(1 + Td/Nd s))."""

    k, Ti, Td = parameter(1.0), parameter(0.5, "s"), parameter(0.1, "s")
    Nd = parameter(10.0)
    I, D = variable(""), variable("")

    def law(self) -> Iterator[Any]:
        """y = k (u + I + d), Ti der(I) = u, Td/Nd der(D) = u - D, d = Nd (u - D)."""
        yield self.Ti * der(self.I) == self.u
        yield self.Td / self.Nd * der(self.D) == self.u - self.D
        yield self.y == self.k * (self.u + self.I + self.Nd * (self.u - self.D))


class LimPID(Component):
    """A PID controller with bounds yMin to yMax, anti-windup by Ni, and weights wp, wd.

    Settings:
        controllerType: "P", "PI", "PD" or "PID".
    """

    controllerType = setting("PID")
    u_s, u_m, y = signal_in(), signal_in(), signal_out()
    k, Ti, Td = parameter(1.0), parameter(0.5, "s"), parameter(0.1, "s")
    yMax, yMin = parameter(1.0), parameter(lambda self: -self.yMax)
    wp, wd, Ni, Nd = parameter(1.0), parameter(0.0), parameter(0.9), parameter(10.0)
    I, D, free = variable(""), variable(""), variable("")

    def equations(self) -> Iterator[Any]:
        """y = free within its bounds; what is cut off flows back into the integral."""
        derived = self.wd * self.u_s - self.u_m
        slope = (derived - self.D) * self.Nd
        cut = (self.y - self.free) / (self.k * self.Ni)
        integral = self.Ti * der(self.I) == self.u_s - self.u_m + cut
        yield integral if "I" in self.controllerType else self.I == 0
        lag = self.Td / self.Nd * der(self.D) == derived - self.D
        yield lag if "D" in self.controllerType else derived == self.D
        yield self.free == self.k * (self.wp * self.u_s - self.u_m + self.I + slope)
        below = switch(self.free < self.yMin, self.yMin, self.free)
        yield self.y == switch(self.free > self.yMax, self.yMax, below)


class TransferFunction(SISO):
    """y = b(s)/a(s) u, coefficients from the highest power down, in controller form."""

    b, a = setting((1.0,)), setting((1.0, 1.0))

    def setup(self) -> None:
        """One integrator per power."""
        self.states = [Chained() for _ in range(len(self.a) - 1)]

    def law(self) -> Iterator[Any]:
        """a(s) x = u, y = b(s) x."""
        n, lead = len(self.states), self.a[0]
        x = [one.x for one in self.states]  # x[0] is the highest derivative but one
        fed = (self.u - sum((c * s for c, s in zip(self.a[1:], x, strict=True)), 0.0)) / lead
        for k, one in enumerate(self.states):
            yield one.u == (fed if k == 0 else x[k - 1])
        b = [0.0] * (n + 1 - len(self.b)) + list(self.b)
        yield self.y == b[0] * fed + sum((c * s for c, s in zip(b[1:], x, strict=True)), 0.0)


class Chained(Component):
    """An integrator inside another block [1/s]."""

    u, x = signal_in(), variable("")
    rate = parameter(1.0, "1/s")

    def equations(self) -> Iterator[Any]:
        """der(x) = u."""
        yield der(self.x) == self.rate * self.u


class CriticalDamping(SISO):
    """A filter of n equal lags in a row, which lets half the power through at f [Hz]."""

    n, f = setting(2), parameter(1.0, "Hz")

    def setup(self) -> None:
        """The lags: T = sqrt(2^(1/n) - 1)/(2 pi f)."""
        half = sqrt(2 ** (1 / self.n) - 1)
        self.lags = [FirstOrder(T=lambda own: half / (2 * pi * own.f)) for _ in range(self.n)]

    def law(self) -> Iterator[Any]:
        """Each lags behind the one before it; y is the last."""
        before = self.u
        for one in self.lags:
            yield connect(before, one.u)
            before = one.y
        yield connect(self.y, before)


class StateSpace(SISO):
    """der(x) = A x + B u, y = C x + D u, with one input and one output."""

    A, B, C, D = setting(((-1.0,),)), setting((1.0,)), setting((1.0,)), setting(0.0)

    def setup(self) -> None:
        """One integrator per state."""
        self.states = [Chained() for _ in self.B]

    def law(self) -> Iterator[Any]:
        """The four matrices."""
        x = [one.x for one in self.states]
        for one, row, b in zip(self.states, self.A, self.B, strict=True):
            yield one.u == sum((c * s for c, s in zip(row, x, strict=True)), b * self.u)
        yield self.y == sum((c * s for c, s in zip(self.C, x, strict=True)), self.D * self.u)


# --- sampled -------------------------------------------------------------------------------------


class DiscretePI(SISO):
    """A PI controller at ticks: x = x before + u/Td, y = kd (x + u); Td in sample periods."""

    kd, Td, samplePeriod = parameter(1.0), parameter(1.0), setting(0.1)
    x, held = mode(0.0), mode(0.0)

    def law(self) -> Iterator[Any]:
        """Held between ticks."""
        yield self.y == self.held
        yield sample(
            every(self.samplePeriod),
            self.x == pre(self.x) + self.u / self.Td,
            self.held == self.kd * (self.x + self.u),
        )


class UnitDelay(SISO):
    """What the input was a tick ago."""

    samplePeriod = setting(0.1)
    held, last = mode(0.0), mode(0.0)

    def law(self) -> Iterator[Any]:
        """Held between ticks."""
        yield self.y == self.held
        yield sample(every(self.samplePeriod), self.held == pre(self.last), self.last == self.u)


class Sampler(SISO):
    """What the input was right before a tick, held until the next: from what is continuous."""

    samplePeriod = setting(0.1)
    held = mode(0.0)

    def law(self) -> Iterator[Any]:
        """Held between ticks."""
        yield self.y == self.held
        yield sample(every(self.samplePeriod), self.held == pre(self.u))


class ZeroOrderHold(SISO):
    """The input at a tick, held until the next."""

    samplePeriod = setting(0.1)
    held = mode(0.0)

    def law(self) -> Iterator[Any]:
        """Held between ticks."""
        yield self.y == self.held
        yield sample(every(self.samplePeriod), self.held == self.u)
