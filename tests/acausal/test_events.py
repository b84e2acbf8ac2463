"""What happens in components: resets, modes, ticks and switches."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from acausal.parts import Charging, Resistor, TwoPin
from approx import COARSE_RUN, IDENTITY, LONG_RUN, RUN, assert_close
from kinetree.acausal import (
    Component,
    der,
    every,
    mode,
    parameter,
    part,
    reset,
    stop,
    variable,
    when,
)
from kinetree.errors import ModelError
from kinetree.functions import select, switch


class Ball(Component):
    h, v = variable("m", start=1.0), variable("m/s")
    e, g = parameter(0.8), parameter(9.81, "m/s2")

    def equations(self) -> Iterator[Any]:
        yield der(self.h) == self.v
        yield der(self.v) == -self.g
        yield when(self.h < 0, reset(self.v, -self.e * self.v))


def test_a_ball_bounces_by_a_reset() -> None:
    run = kt.simulate(Ball(), 1.5)
    first = (2 / 9.81) ** 0.5
    second = first * (1 + 2 * 0.8)
    assert_close(run["event_time"].values[:2], [first, second], LONG_RUN)
    assert list(run["event_name"].values[:2]) == ["when1", "when1"]


class Dropped(Ball):
    def equations(self) -> Iterator[Any]:
        yield from super().equations()
        yield when(self.v < -2.0, stop())


def test_a_run_ends_where_a_component_says_so(tmp_path: Path) -> None:
    """v = -g t is 2 m/s after 2/g; written to a file and read, it is the same."""
    kt.save(Dropped(), tmp_path / "dropped.yaml")
    for made in (Dropped(), kt.load(tmp_path / "dropped.yaml")):
        run = kt.simulate(made, 1.5)
        assert_close(run.attrs["end_time"], 2 / 9.81, LONG_RUN)
        assert_close(float(run["v"][-1]), -2.0, LONG_RUN)


class Thermostat(Component):
    T, heat = variable("K", start=18.0), variable("K/s")
    on = mode(1.0)
    k, power = parameter(0.1, "1/s"), parameter(3.0, "K/s")

    def equations(self) -> Iterator[Any]:
        yield self.heat == self.power * self.on
        yield der(self.T) == self.heat - self.k * (self.T - 10.0)
        yield when(self.T > 21.0, reset(self.on, 0.0))
        yield when(self.T < 19.0, reset(self.on, 1.0))


def test_a_mode_latches_between_two_events() -> None:
    run = kt.simulate(Thermostat(), 10.0)
    T = run["T"].values
    assert T[100:].max() <= 21 + LONG_RUN
    assert T[100:].min() >= 19 - LONG_RUN
    assert set(np.unique(run["on"].values)) == {0.0, 1.0}


class Sampled(Component):
    x = variable("m", start=0.0)
    u = mode(0.0, "m/s")
    k = parameter(2.0, "1/s")

    def equations(self) -> Iterator[Any]:
        yield der(self.x) == self.u
        yield when(every(0.1), reset(self.u, self.k * (1.0 - self.x)))


def test_a_sampler_holds_between_its_ticks() -> None:
    run = kt.simulate(Sampled(), 1.0, step=0.1)
    assert_close(run["x"].sel(state="x").values, 1 - 0.8 ** np.arange(11), RUN)


class Diode(TwoPin):
    Vk, Ron = parameter(0.7, "V"), parameter(0.01, "ohm")
    Goff = parameter(1e-5, "1/ohm")

    def equations(self) -> Iterator[Any]:
        yield from super().equations()
        on = (self.v - self.Vk) / self.Ron + self.Vk * self.Goff
        yield self.i == switch(self.v > self.Vk, on, self.v * self.Goff)


def test_a_switch_in_a_component_is_an_event() -> None:
    class Pulled(Component):
        x = variable("m", start=0.0)

        def equations(self) -> Iterator[Any]:
            yield der(self.x) == switch(self.x > 0.5, -1.0, 2.0) + select(self.x, 0.0, 0.0)

    run = kt.simulate(Pulled(), 0.2, step=0.01)
    assert_close(run["x"].sel(state="x").values, 2 * run["time"].values, IDENTITY)


def test_only_states_and_modes_are_reset() -> None:
    class Wrong(Charging):
        def equations(self) -> Iterator[Any]:
            yield from super().equations()
            yield when(self.C.v > 1.0, reset(self.R.i, 0.0))

    with pytest.raises(ModelError, match=r"event 'when1': 'R\.i' is not a state"):
        kt.simulate(Wrong(), 1.0)


def test_an_event_of_a_part_reads_any_variable() -> None:
    class Fuse(Resistor):
        blown = mode(0.0)

        def equations(self) -> Iterator[Any]:
            yield from TwoPin.equations(self)
            yield self.v == self.R * (1 + 1e6 * self.blown) * self.i
            yield when(self.p.i < 0.4, reset(self.blown, 1.0))

    class Fused(Charging):
        R = part(Fuse, R=3.0)

    run = kt.simulate(Fused(), 3.0)
    at = 3.0 * np.log(2 / 3 / 0.4)
    assert_close(run["event_time"].values[0], at, LONG_RUN)
    assert_close(run["C.v"][-1], 0.8, COARSE_RUN)
