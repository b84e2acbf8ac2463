"""Signals that nothing goes into."""

from __future__ import annotations

from collections.abc import Iterator
from math import pi
from typing import Any

from kinetree.acausal import (
    Component,
    Physical,
    every,
    mode,
    parameter,
    reset,
    setting,
    signal_in,
    signal_out,
    time,
    when,
)
from kinetree.functions import sin, switch


class Constant(Component):
    """A number k."""

    y, k = signal_out(), parameter(1.0)

    def equations(self) -> Iterator[Any]:
        """y = k."""
        yield self.y == self.k


class Step(Component):
    """A step of `height` at startTime [s]."""

    y = signal_out()
    height, offset, startTime = parameter(1.0), parameter(0.0), parameter(0.0, "s")

    def equations(self) -> Iterator[Any]:
        """y = offset, from startTime on offset + height."""
        yield self.y == self.offset + switch(time < self.startTime, 0.0, self.height)


class Ramp(Component):
    """A ramp of `height` over `duration`, from startTime on [s]."""

    y = signal_out()
    height, offset = parameter(1.0), parameter(0.0)
    duration, startTime = parameter(2.0, "s"), parameter(0.0, "s")

    def equations(self) -> Iterator[Any]:
        """y = offset + height (t - startTime)/duration, between 0 and height."""
        share = (time - self.startTime) / self.duration
        rise = switch(share < 0, 0.0, switch(share < 1, share, 1.0))
        yield self.y == self.offset + self.height * rise


class Sine(Component):
    """A sine of `amplitude` and frequency f [Hz], from startTime on [s]."""

    y = signal_out()
    amplitude, f, phase = parameter(1.0), parameter(1.0, "Hz"), parameter(0.0, "rad")
    offset, startTime = parameter(0.0), parameter(0.0, "s")

    def equations(self) -> Iterator[Any]:
        """y = offset + amplitude sin(2π f (t - startTime) + phase)."""
        wave = sin(2 * pi * self.f * (time - self.startTime) + self.phase)
        yield self.y == self.offset + self.amplitude * switch(time < self.startTime, 0.0, wave)


class Pulse(Component):
    """Pulses of `amplitude`, `width` percent of every `period` [s] long, from startTime on [s].

    Settings:
        period: of the pulses [s].
        startTime: of the first one [s].
    """

    y, on = signal_out(), mode(0.0)
    amplitude, offset, width = parameter(1.0), parameter(0.0), setting(50.0)
    period, startTime = setting(1.0), setting(0.0)

    def equations(self) -> Iterator[Any]:
        """y = offset + amplitude during a pulse, else offset."""
        yield self.y == self.offset + self.amplitude * self.on
        end = self.startTime + self.width / 100 * self.period
        yield when(every(self.period, self.startTime), reset(self.on, 1.0))
        yield when(every(self.period, end), reset(self.on, 0.0))


class KinematicPTP(Component):
    """The fastest motion from q_begin to q_end within bounds of speed and acceleration.

    It rests at both ends; of several motions all take as long as the slowest.

    Settings:
        q_begin, q_end, qd_max, qdd_max: a number per motion, in its unit.
        startTime: [s].
    """

    q_begin, q_end, startTime = setting((0.0,)), setting((1.0,)), setting(0.0)
    qd_max, qdd_max = setting((1.0,)), setting((1.0,))

    def setup(self) -> None:
        """One motion each."""
        self.motion = [Motion() for _ in self.q_end]

    @property
    def times(self) -> tuple[float, float, float]:
        """Lengths of speeding up, and of the motion until it slows down [s]; its end [s].

        One way s from 0 to 1 is for all of them: each bounds its speed and acceleration.
        """
        rows = zip(self.q_begin, self.q_end, self.qd_max, self.qdd_max, strict=True)
        bounds = [(v / abs(b - a), w / abs(b - a)) for a, b, v, w in rows if a != b] or [(1.0, 1.0)]
        speed, acceleration = map(min, zip(*bounds, strict=True))
        slow = speed**2 < acceleration  # it reaches its speed
        up = speed / acceleration if slow else acceleration**-0.5
        even = 1 / speed if slow else up
        return up, even, self.startTime + up + even

    @property
    def end(self) -> float:
        """The time at which the motions have come to rest [s]."""
        return self.times[2]

    def equations(self) -> Iterator[Any]:
        """q = q_begin + (q_end - q_begin) s, and two derivatives of it."""
        up, even, end = self.times
        top, a = 1 / even, 1 / (up * even)
        now = Physical(time.node, None)  # ways and speeds fit every unit
        since, left = now - self.startTime, end - now
        late = switch(left > 0, 1 - a / 2 * left**2, 1.0)
        s = switch(since > even, late, top * (since - up / 2))
        s = switch(since > up, s, switch(since > 0, a / 2 * since**2, 0.0))
        sd = switch(since > even, switch(left > 0, a * left, 0.0), top)
        sd = switch(since > up, sd, switch(since > 0, a * since, 0.0))
        sdd = switch(since > even, switch(left > 0, -a, 0.0), 0.0)
        sdd = switch(since > up, sdd, switch(since > 0, a, 0.0))
        for one, first, last in zip(self.motion, self.q_begin, self.q_end, strict=True):
            yield one.q == first + (last - first) * s
            yield one.qd == (last - first) * sd
            yield one.qdd == (last - first) * sdd


class Motion(Component):
    """A place with its speed and acceleration, as signals that others give."""

    q, qd, qdd = signal_in(), signal_in(), signal_in()
