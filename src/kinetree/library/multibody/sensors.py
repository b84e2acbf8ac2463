"""Sensors: what a frame does, in axes of the world."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

from kinetree.acausal import Component, port, signal_out
from kinetree.functions import sqrt
from kinetree.library.multibody.connectors import Frame


class Sensor(Component):
    """Partial: a frame without force, and what it tells."""

    frame_a = port(Frame)

    def equations(self) -> Iterator[Any]:
        """f = t = 0."""
        for flow in (*self.frame_a.f, *self.frame_a.t):
            yield flow == 0
        yield from self.signals()

    @abstractmethod
    def signals(self) -> Iterator[Any]:
        """What the outputs are."""


class AbsolutePosition(Sensor):
    """Tells the position of a frame in the world [m]."""

    r_x, r_y, r_z = signal_out("m"), signal_out("m"), signal_out("m")

    def signals(self) -> Iterator[Any]:
        """r of the frame."""
        for out, r in zip((self.r_x, self.r_y, self.r_z), self.frame_a.r, strict=True):
            yield out == r


class AbsoluteVelocity(Sensor):
    """Tells the velocity of a frame in the world [m/s]."""

    v_x, v_y, v_z = signal_out("m/s"), signal_out("m/s"), signal_out("m/s")

    def signals(self) -> Iterator[Any]:
        """v of the frame."""
        for out, v in zip((self.v_x, self.v_y, self.v_z), self.frame_a.v, strict=True):
            yield out == v


class AbsoluteAngularVelocity(Sensor):
    """Tells the angular velocity of a frame in the world [rad/s]."""

    w_x, w_y, w_z = signal_out("rad/s"), signal_out("rad/s"), signal_out("rad/s")

    def signals(self) -> Iterator[Any]:
        """w of the frame."""
        for out, w in zip((self.w_x, self.w_y, self.w_z), self.frame_a.w, strict=True):
            yield out == w


class Distance(Sensor):
    """Tells the distance of two frames [m]."""

    frame_b = port(Frame)
    distance = signal_out("m")

    def signals(self) -> Iterator[Any]:
        """|b.r - a.r|."""
        for flow in (*self.frame_b.f, *self.frame_b.t):
            yield flow == 0
        away = [b - a for a, b in zip(self.frame_a.r, self.frame_b.r, strict=True)]
        yield self.distance == sqrt(sum((d * d for d in away[1:]), away[0] * away[0]))


ALL = (AbsolutePosition, AbsoluteVelocity, AbsoluteAngularVelocity, Distance)
