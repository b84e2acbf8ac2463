"""Sampled parts of components: partitions of clocks, in runs, files and FMUs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from approx import COARSE_RUN, IDENTITY, RUN, assert_close
from kinetree.acausal import (
    Component,
    connect,
    every,
    mode,
    parameter,
    part,
    pre,
    reset,
    sample,
    setting,
    signal_in,
    signal_out,
    variable,
    when,
)
from kinetree.errors import ModelError
from kinetree.library import blocks
from kinetree.library import electrical as el
from kinetree.library import rotational as rot

FAST, SLOW, REF, J = 0.01, 0.02, 1.0, 0.5


class Sampled(Component):
    """Proportional, at ticks."""

    u, y, held = signal_in(), signal_out(), mode(0.0)
    k, period = parameter(1.0), setting(SLOW)

    def equations(self) -> Iterator[Any]:
        yield self.y == self.held
        yield sample(every(self.period), self.held == self.k * self.u)


class Servo(Component):
    """A cascade at two rates, with a sum and a gain between its sampled parts."""

    speed = part(blocks.DiscretePI, kd=0.8, Td=20.0, samplePeriod=FAST)
    place, gain = part(Sampled, k=3.0), part(blocks.Gain, k=2.0)
    error, aim = part(blocks.Feedback), part(blocks.Feedback)
    ref, motor = part(blocks.Constant, k=REF), part(rot.Torque)
    load, angle = part(rot.Inertia, J=J, phi=0.0, w=0.0), part(rot.AngleSensor)
    turning = part(rot.SpeedSensor)

    def equations(self) -> Iterator[Any]:
        yield connect(self.ref.y, self.aim.u1)
        yield connect(self.angle.phi, self.aim.u2)
        yield connect(self.aim.y, self.place.u)
        yield connect(self.place.y, self.gain.u)
        yield connect(self.gain.y, self.error.u1)
        yield connect(self.turning.w, self.error.u2)
        yield connect(self.error.y, self.speed.u)
        yield connect(self.speed.y, self.motor.tau)
        yield connect(self.motor.flange, self.load.flange_a)
        yield connect(self.load.flange_b, self.angle.flange, self.turning.flange)


def recursion(count: int) -> Any:
    """The same by numbers: angle and torque after every tick of the fast clock."""
    phi = w = x = aim = 0.0
    rows = []
    for k in range(count):
        if k % 2 == 0:
            aim = 3.0 * (REF - phi)
        e = 2.0 * aim - w
        x += e / 20.0
        tau = 0.8 * (x + e)
        rows.append((phi, tau))
        phi, w = phi + FAST * w + FAST**2 / (2 * J) * tau, w + FAST / J * tau
    return np.array(rows).T


def test_a_cascade_at_two_rates_has_no_delay_between_its_parts() -> None:
    run = kt.simulate(Servo(), 1.0, step=FAST, rtol=1e-10, atol=1e-12)
    phi, tau = recursion(100)
    assert_close(run["load.phi"].values[:100], phi, RUN)
    assert_close(run["motor.tau"].values[1:100], tau[1:], RUN)


def test_values_before_the_tick() -> None:
    class Counted(Component):
        a, b, c = mode(1.0), mode(1.0), mode(0.0)

        def equations(self) -> Iterator[Any]:
            yield sample(every(0.1, 0.1), self.c == self.a - pre(self.a))  # b before it
            yield sample(every(0.1, 0.1), self.a == pre(self.a) + pre(self.b), self.b == self.a)

    run = kt.simulate(Counted(), 0.55, step=0.05)
    assert_close(run["a"].values[1::2], [1, 2, 4, 8, 16, 32], IDENTITY)
    assert_close(run["c"].values[3::2], [1, 2, 4, 8, 16], IDENTITY)


# --- what is refused -----------------------------------------------------------------------------


class Uneven(Servo):
    """Clocks of 0.007 s and 0.02 s."""

    speed = part(blocks.DiscretePI, samplePeriod=0.007)


class Resistive(Component):
    """A voltage that is found from the current that it makes."""

    source, R, sensor = part(el.SignalVoltage), part(el.Resistor), part(el.CurrentSensor)
    ground, control = part(el.Ground), part(Sampled)

    def equations(self) -> Iterator[Any]:
        yield connect(self.source.p, self.R.p)
        yield connect(self.R.n, self.sensor.p)
        yield connect(self.sensor.n, self.source.n, self.ground.p)
        yield self.control.u == self.sensor.i
        yield self.source.v == self.control.y


class Measured(Resistive):
    """The same, with a sampler that sees what was before the tick."""

    sampler = part(blocks.Sampler, samplePeriod=SLOW)

    def equations(self) -> Iterator[Any]:
        yield from list(super().equations())[:3]
        yield self.sampler.u == self.sensor.i
        yield connect(self.sampler.y, self.control.u)
        yield self.source.v == 1 - 0.5 * self.control.y


class Twice(Component):
    x = mode(0.0)

    def equations(self) -> Iterator[Any]:
        yield sample(every(0.1), self.x == 1)
        yield when(every(0.2), reset(self.x, 2))


class Plain(Component):
    x = variable()

    def equations(self) -> Iterator[Any]:
        yield self.x == 1
        yield sample(every(0.1), self.x == 2)


BAD = {
    "clocks that do not divide": (
        Uneven,
        r"'speed.x' of 'speed': it reads 'place.held', .*0.007 s .*\(0.02 s .*not divide; make",
    ),
    "its own value": (
        Resistive,
        r"sampled value 'control.held' of 'control': it needs its own value at the same tick; read",
    ),
    "twice": (Twice, "sampled value 'x' of 'the whole': it is found twice, by sample"),
    "no mode": (Plain, "sampled value 'x' of 'the whole': it is not a mode; declare it"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_told_in_one_sentence(name: str) -> None:
    kind, sentence = BAD[name]
    with pytest.raises(ModelError, match=sentence) as caught:
        kt.simulate(kind(), 1.0)
    assert "\n" not in str(caught.value)


def test_a_sampler_reads_what_was_before_the_tick() -> None:
    """i = 1 - i before/2 at every tick."""
    run = kt.simulate(Measured(), 0.11, step=0.01)
    exact, i = [], 1.0
    for _ in range(6):
        exact.append(i)
        i = 1 - 0.5 * i
    assert_close(run["sensor.i"].values[1::2], [1 - 0.5 * x for x in exact][: len(exact)], IDENTITY)


# --- files and FMUs ------------------------------------------------------------------------------


def test_sampled_parts_go_into_files(tmp_path: Path) -> None:
    file, again = tmp_path / "a.yaml", tmp_path / "b.yaml"
    kt.save(Servo(), file)
    back = kt.load(file)
    phi, _ = recursion(50)
    run = kt.simulate(back, 0.5, step=FAST, rtol=1e-10, atol=1e-12)
    assert_close(run["load.phi"].values[:50], phi, RUN)
    kt.save(back, again)
    assert again.read_bytes() == file.read_bytes()


@pytest.mark.crosscheck
@pytest.mark.parametrize("kind", ["ModelExchange", "CoSimulation"])
def test_an_fmu_of_sampled_parts_moves_alike(kind: str, tmp_path: Path) -> None:
    fmpy = pytest.importorskip("fmpy", reason="needs the package fmpy to load FMUs")
    path = kt.export_fmu(Servo(), tmp_path / "servo.fmu", outputs=["load.phi", "motor.tau"])
    found = fmpy.simulate_fmu(
        str(path), fmi_type=kind, stop_time=0.5, output_interval=FAST, relative_tolerance=1e-8,
        output=["load.phi"],
    )  # fmt: skip
    phi, _ = recursion(50)
    t = np.round(np.asarray(found["time"]) / FAST, 6)
    rows = {int(k): row for k, row in zip(t, found["load.phi"], strict=True) if k == int(k)}
    assert_close([rows[k] for k in range(50)], phi, COARSE_RUN)
