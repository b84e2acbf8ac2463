"""Index and states as theory says, and starts that follow from equations."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import scipy.integrate
from tests.approx import CLOSED, EQUAL_STEPS, IDENTITY, LONG_RUN, RUN, assert_close

import kinetree as kt
from acausal.parts import Pendulum
from kinetree.acausal import (
    Component,
    connect,
    der,
    initial,
    parameter,
    part,
    setting,
    signal_in,
    time,
    variable,
)
from kinetree.errors import UnsupportedError
from kinetree.functions import sin
from kinetree.library import electrical as el
from kinetree.library import multibody as mb
from kinetree.library import rotational as rot

G = 9.81


def turning(first: float, times: Any) -> Any:
    """The angle of a pendulum of 1 m from the vertical, by an integration of its own."""
    found = scipy.integrate.solve_ivp(
        lambda _, s: (s[1], -G * np.sin(s[0])), (0.0, times[-1]), (first, 0.0), "DOP853",
        rtol=1e-13, atol=1e-14, t_eval=times,
    )  # fmt: skip
    return found.y[0]


@pytest.mark.parametrize(("height", "close"), [(-0.8, LONG_RUN), (0.8, EQUAL_STEPS)])
def test_a_cartesian_pendulum_passes_all_quadrants(height: float, close: float) -> None:
    """From 0.8 m above it falls through the sides, where x and y take turns as states.

    Near the upright position errors grow a thousandfold; another integration at the same tolerance
    of the angle alone is off by 2e-7.
    """
    pendulum = Pendulum(y={"start": height})
    assert len(pendulum.report().states) == 2
    run = kt.simulate(pendulum, 100.0, step=0.5, rtol=1e-10, atol=1e-12)
    x, y = run["Pendulum.x"].values, run["y"].values
    assert np.abs(np.hypot(x, y) - 1.0).max() < CLOSED
    if height > 0:
        quadrants = {(a > 0, b > 0) for a, b in zip(x, y, strict=True)}
        assert len(quadrants) == 4
    phi = turning(np.arctan2(0.6, -height), run.time.values)
    assert_close(x, np.sin(phi), close)
    assert_close(y, -np.cos(phi), close)


# --- capacitors and inertias ---------------------------------------------------------------------


class Ring(Component):
    """n capacitors in a ring, a resistor across the first."""

    n = setting(3)
    R, ground = part(el.Resistor, R=2.0), part(el.Ground)

    def setup(self) -> None:
        first = {"v": 1.0}
        self.C = [el.Capacitor(C=1.0 + k, **(first if not k else {})) for k in range(self.n)]

    def equations(self) -> Iterator[Any]:
        for a, b in pairwise([*self.C, self.C[0]]):
            yield connect(a.n, b.p)
        yield connect(self.C[0].p, self.R.p)
        yield connect(self.C[0].n, self.R.n, self.ground.p)


@pytest.mark.parametrize("n", [2, 3, 6])
def test_a_ring_of_capacitors_has_one_state_less(n: int) -> None:
    assert len(Ring(n=n).report().states) == n - 1


def test_a_ring_of_capacitors_discharges_as_one() -> None:
    """Behind the first are the others in series: C = 1 + 1/(1/2 + 1/3)."""
    run = kt.simulate(Ring(n=3), 3.0, step=1.0)
    rate = 1 / (2.0 * (1 + 1 / (1 / 2 + 1 / 3)))
    assert_close(run["C[0].v"], np.exp(-rate * run.time.values), RUN)


class Trapped(Component):
    """A voltage source across a capacitor: no state, the current is its derivative."""

    C, ground = part(el.Capacitor, C=2.0), part(el.Ground)
    source = part(el.SineVoltage, V=3.0, f=0.5)

    def equations(self) -> Iterator[Any]:
        yield connect(self.source.p, self.C.p)
        yield connect(self.source.n, self.C.n, self.ground.p)


def test_a_source_across_a_capacitor_leaves_no_state() -> None:
    assert not Trapped().report().states
    run = kt.simulate(Trapped(), 1.0, step=0.25)
    assert_close(run["C.i"], 6.0 * np.pi * np.cos(np.pi * run.time.values), CLOSED)


class Train(Component):
    """Inertias behind rigid gears, on a spring."""

    n, ratio = setting(3), setting(1.5)
    spring, wall = part(rot.Spring, c=40.0), part(rot.Fixed)

    def setup(self) -> None:
        self.J = [rot.Inertia(J=0.5 + k) for k in range(self.n)]
        ratios = [(-1.0) ** k * self.ratio for k in range(self.n - 1)]
        self.gear = [rot.IdealGear(ratio=ratio) for ratio in ratios]

    def equations(self) -> Iterator[Any]:
        for gear, (a, b) in zip(self.gear, pairwise(self.J), strict=True):
            yield connect(a.flange_b, gear.flange_a)
            yield connect(gear.flange_b, b.flange_a)
        yield connect(self.J[-1].flange_b, self.spring.flange_a)
        yield connect(self.spring.flange_b, self.wall.flange)
        yield initial(self.J[-1].phi == 0.1)


@pytest.mark.parametrize(("n", "ratio"), [(2, 1.5), (5, 1.5), (160, 1.01)])
def test_rigidly_coupled_inertias_have_two_states(n: int, ratio: float) -> None:
    train = Train(n=n, ratio=ratio)
    assert len(train.report().states) == 2
    whole = sum((0.5 + k) * ratio ** (2 * (n - 1 - k)) for k in range(n))
    run = kt.simulate(train, 2.0, step=0.5)
    expected = 0.1 * np.cos(np.sqrt(40.0 / whole) * run.time.values)
    assert_close(run[f"J[{n - 1}].phi"], expected, LONG_RUN)


# --- prescribed motions --------------------------------------------------------------------------


class Driven(Component):
    """A position that the time prescribes, with sensors behind a gear."""

    drive, J, omega = part(rot.Position), part(rot.Inertia, J=2.0), parameter(3.0, "rad/s")
    gear, speed, rate = part(rot.IdealGear, ratio=2.0), part(rot.SpeedSensor), part(
        rot.AccelerationSensor
    )  # fmt: skip

    def equations(self) -> Iterator[Any]:
        yield self.drive.phi_ref == sin(self.omega * time)
        yield connect(self.drive.flange, self.gear.flange_a)
        yield connect(self.gear.flange_b, self.J.flange_a, self.speed.flange, self.rate.flange)


def test_prescribed_positions_have_no_states() -> None:
    assert not Driven().report().states
    run = kt.simulate(Driven(), 1.0, step=0.25)
    t = run.time.values
    assert_close(run["speed.w"], 1.5 * np.cos(3 * t), CLOSED)
    assert_close(run["rate.a"], -4.5 * np.sin(3 * t), CLOSED)
    assert_close(run["drive.flange.tau"], 0.5 * 2.0 * 4.5 * np.sin(3 * t), CLOSED)


# --- inverse models ------------------------------------------------------------------------------


class ElasticJoint(Component):
    """A motor, a spring and an arm that swings: tau = Jm (q'' + (J q'' + mgl sin q)''/c) + …."""

    u = signal_in("N.m")
    motor, rotor, spring = part(rot.Torque), part(rot.Inertia, J=0.2), part(rot.Spring, c=300.0)
    world, j = part(mb.World), part(mb.Revolute, n=(0.0, 1.0, 0.0))
    arm = part(mb.Body, m=2.0, r_CM=(0.0, 0.0, -0.5), I_11=0.1, I_22=0.1)

    def equations(self) -> Iterator[Any]:
        yield connect(self.u, self.motor.tau)
        yield connect(self.motor.flange, self.rotor.flange_a)
        yield connect(self.rotor.flange_b, self.spring.flange_a)
        yield connect(self.spring.flange_b, self.j.axis)
        yield connect(self.world.frame_b, self.j.frame_a)
        yield connect(self.j.frame_b, self.arm.frame_a)


def test_the_inverse_of_an_elastic_joint_asks_for_the_fourth_derivative() -> None:
    assert len(ElasticJoint().report().states) == 4
    inverse = kt.derive(ElasticJoint(), known=["j.phi"], wanted=["u"])
    names = [f"{'der(' * k}j.phi{')' * k}" for k in range(5)]
    assert sorted(inverse.input("known").labels) == sorted(names)
    assert not inverse.takes("x")  # nothing is left to integrate
    q = dict(zip(names, (0.4, 0.3, -0.7, 1.1, 2.3), strict=True))
    known = [q[name] for name in inverse.input("known").labels]
    (found,) = inverse.evaluate(t=0.0, known=known)["wanted"]
    q0, q1, q2, _, q4 = q.values()
    J, mgl = 0.1 + 2.0 * 0.25, 2.0 * G * 0.5
    load = J * q2 + mgl * np.sin(q0)
    load_dd = J * q4 + mgl * (np.cos(q0) * q2 - np.sin(q0) * q1**2)
    assert_close(found, 0.2 * (q2 + load_dd / 300.0) + load, IDENTITY)


# --- starts --------------------------------------------------------------------------------------


class Divider(Component):
    """Begins in the steady state of its source."""

    source, ground = part(el.ConstantVoltage, V=6.0), part(el.Ground)
    R1, R2, C = part(el.Resistor, R=1e3), part(el.Resistor, R=2e3), part(el.Capacitor, C=1e-6)

    def equations(self) -> Iterator[Any]:
        yield connect(self.source.p, self.R1.p)
        yield connect(self.R1.n, self.R2.p, self.C.p)
        yield connect(self.R2.n, self.C.n, self.source.n, self.ground.p)
        yield initial(der(self.C.v) == 0)


def test_starts_are_found_anew_for_other_parameters() -> None:
    for values, v in (({}, 4.0), ({"source.V": 9.0}, 6.0), ({"R2.R": 1e3}, 3.0)):
        run = kt.simulate(Divider(), 0.01, step=0.01, parameters=values)
        assert_close(run["C.v"], [v, v], IDENTITY)
    many = kt.simulate(Divider(), 0.01, step=0.01, parameters={"source.V": [3.0, 9.0]})
    assert_close(many["C.v"].values[..., -1].ravel(), [2.0, 6.0], IDENTITY)


class Curve(Component):
    """An input that decides where an equation that is not linear begins."""

    u, x = signal_in("1"), variable("1")
    z, tau = variable("1", start=1.0), parameter(1.0, "s")

    def equations(self) -> Iterator[Any]:
        yield self.z**3 + self.z == self.u + self.x
        yield self.tau * der(self.x) == -self.z
        yield initial(self.x == self.u)


def test_starts_follow_inputs() -> None:
    run = kt.simulate(Curve(), 0.1, step=0.1, parameters={"u": 5.0})
    assert_close([float(run["Curve.x"][0]), float(run["z"][0])], [5.0, 2.0], CLOSED)


def test_sensitivities_refuse_what_moves_a_solved_start() -> None:
    model, end = Divider().as_mechanism(), {"v": kt.final("x_C.v")}
    with pytest.raises(UnsupportedError, match=r"moves where 'C\.v' begins"):
        kt.sensitivity(model, 0.01, end, by=["source.V"])
