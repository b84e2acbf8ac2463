"""Loops of joints as components: cuts of their own kind, states that follow from the loops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from acausal.msl_mechanics import Fourbar1
from approx import CLOSED, RUN, assert_close
from kinetree.acausal import Component, connect, part, setting
from kinetree.errors import KinetreeError, ModelWarning
from kinetree.library import multibody as mb
from kinetree.library import rotational as rot

TIGHT = {"rtol": 1e-10, "atol": 1e-12}
CRANK = {"m": 1.0, "r_CM": (0, 0, 0.1), "I_11": 0.01, "I_22": 0.02, "I_33": 0.02}
ROD = {"m": 0.5, "r_CM": (0.3, 0, 0), "I_11": 0.001, "I_22": 0.02, "I_33": 0.02}


class SliderCrank(Component):
    """A crank about y, a slider beside its plane, a rod with two balls between them."""

    world, place = part(mb.World), part(mb.FixedTranslation, r=(0, 0.1, 0))
    crank = part(mb.Revolute, n="y", phi=0.3, w=4.0)
    slide = part(mb.Prismatic, n="x", s={"start": 0.6})
    arm, bar = part(mb.FixedTranslation, r=(0, 0, 0.2)), part(mb.FixedTranslation, r=(0.6, 0, 0))
    body, rod, block = part(mb.Body, **CRANK), part(mb.Body, **ROD), part(mb.Body, m=2.0)
    inner, outer = part(mb.Spherical), part(mb.Spherical)

    def equations(self) -> Iterator[Any]:
        yield connect(self.world.frame_b, self.crank.frame_a, self.place.frame_a)
        yield connect(self.crank.frame_b, self.arm.frame_a, self.body.frame_a)
        yield connect(self.arm.frame_b, self.inner.frame_a)
        yield connect(self.inner.frame_b, self.bar.frame_a, self.rod.frame_a)
        yield connect(self.bar.frame_b, self.outer.frame_a)
        yield connect(self.outer.frame_b, self.slide.frame_b, self.block.frame_a)
        yield connect(self.place.frame_b, self.slide.frame_a)


def slider_crank() -> kt.Model:
    """The same by hand."""
    model = kt.Model("slider crank")
    crank = model.body("crank", mass=1.0, com=(0, 0, 0.1), inertia=(0.01, 0.02, 0.02))
    rod = model.body("rod", mass=0.5, com=(0.3, 0, 0), inertia=(0.001, 0.02, 0.02))
    block = model.body("block", mass=2.0)
    model.revolute("q", model.ground, crank, axis="y", initial=0.3)
    model.spherical("inner", crank.point("pin", (0, 0, 0.2)), rod)
    place = model.ground.point("place", (0, 0.1, 0))
    model.prismatic("s", place, block, axis="x", initial=0.6)
    model.close_ball("outer", rod.point("end", (0.6, 0, 0)), block)
    return model


def test_a_rod_with_two_balls() -> None:
    run = kt.simulate(SliderCrank(), 1.0, **TIGHT)
    model = slider_crank()
    with pytest.warns(ModelWarning, match="do not satisfy the loops"):
        alone = kt.simulate(model, 1.0, qd=dict.fromkeys(model.velocities, 0.0) | {"q": 4.0},
                            independent=["q", "inner_wx"], **TIGHT)  # fmt: skip
    q = alone["q"].values[-1]
    found = [float(run[name][-1]) for name in ("crank.phi", "slide.s")]
    assert_close(found, [q[0], q[-1]], RUN)


def test_the_loop_stays_closed_as_states_are_chosen_anew() -> None:
    """The crank of the four-bar turns on; its other joints are found to rounding."""
    run = kt.simulate(Fourbar1(), 1.0, step=0.05)
    states = Fourbar1().report().states
    assert states == ("j1.phi", "j1.w")
    for k, phi in enumerate(run["j1.phi"].values):
        end = np.array(
            [0, 0.5 * np.cos(phi) - 0.1 * np.sin(phi), 0.5 * np.sin(phi) + 0.1 * np.cos(phi)]
        )
        turn, swing = float(run["rev.phi"][k]), float(run["rev1.phi"][k])
        R = _about(1, turn) @ _about(2, swing)
        other = np.array([1.2 + float(run["j2.s"][k]), 0.2, 0]) + R @ (-1, 0.3, 0.1)
        assert_close(other, end, CLOSED)


def _about(axis: int, angle: float) -> Any:
    c, s = np.cos(angle), np.sin(angle)
    R, (i, j) = np.eye(3), [k for k in range(3) if k != axis]
    sign = -1 if axis == 1 else 1
    R[i, i] = R[j, j] = c
    R[i, j], R[j, i] = -sign * s, sign * s
    return R


class Parallel(Component):
    """Two equal cranks and a rod: a planar loop of joints of space, one of them driven."""

    drive = setting(rot.ConstantTorque)
    world, side = part(mb.World), part(mb.FixedTranslation, r=(1, 0, 0))
    j1, j2 = part(mb.Revolute, n="y", phi=0.5), part(mb.Revolute, n="y")
    j3 = part(mb.Revolute, n="y", phi={"start": 0.5})
    j4 = part(mb.Revolute, n="y")
    a1, a2 = (part(mb.FixedTranslation, r=(0, 0, -0.4)) for _ in range(2))
    top = part(mb.FixedTranslation, r=(1, 0, 0))
    c1, c2 = (part(mb.Body, m=1.0, r_CM=(0, 0, -0.2), I_22=0.01, I_11=0.01) for _ in range(2))
    rod = part(mb.Body, m=2.0, r_CM=(0.5, 0, 0), I_22=0.1, I_33=0.1)

    def setup(self) -> None:
        self.motor = self.drive()

    def equations(self) -> Iterator[Any]:
        yield connect(self.world.frame_b, self.j1.frame_a, self.side.frame_a)
        yield connect(self.side.frame_b, self.j3.frame_a)
        yield connect(self.j1.frame_b, self.a1.frame_a, self.c1.frame_a)
        yield connect(self.j3.frame_b, self.a2.frame_a, self.c2.frame_a)
        yield connect(self.a1.frame_b, self.j2.frame_a)
        yield connect(self.j2.frame_b, self.top.frame_a, self.rod.frame_a)
        yield connect(self.top.frame_b, self.j4.frame_a)
        yield connect(self.j4.frame_b, self.a2.frame_b)
        yield connect(self.j1.axis, self.motor.flange)


def test_redundant_equations_of_planar_loops_are_left_out() -> None:
    """The parallel crank is a pendulum: J phi'' = tau - g (2 m l/2 + m_r l) sin phi."""
    run = kt.simulate(Parallel(), 1.0, step=0.1, **TIGHT)
    J = 2 * (0.01 + 1.0 * 0.2**2) + 2.0 * 0.4**2
    phi, w = run["j1.phi"].values, run["j1.w"].values
    weight = 9.81 * (2 * 0.2 + 2.0 * 0.4)
    work = phi - 0.5 + weight * (np.cos(phi) - np.cos(0.5))
    assert_close(J * w**2 / 2, work, RUN, scale=float(np.abs(work).max()))
    assert_close(run["j3.phi"], phi, CLOSED)


def test_torques_of_a_driven_loop() -> None:
    """The crank turns with a given speed: what drives it is the weight."""
    run = kt.simulate(Parallel(drive=rot.ConstantSpeed, j1={"phi": {"start": 0.0}}), 1.0, step=0.1)
    t = run.time.values
    weight = 9.81 * (2 * 0.2 + 2.0 * 0.4)
    assert_close(run["j1.tau"], weight * np.sin(t), RUN)


def test_a_loop_whose_joints_all_have_flanges_in_use_is_told() -> None:
    class Clamped(Parallel):
        s2, s3, s4 = (part(rot.Spring) for _ in range(3))
        fixed = part(rot.Fixed)

        def equations(self) -> Iterator[Any]:
            yield from super().equations()
            for spring, joint in ((self.s2, self.j2), (self.s3, self.j3), (self.s4, self.j4)):
                yield connect(spring.flange_b, joint.axis)
                yield connect(spring.flange_a, self.fixed.flange)

    with pytest.raises(KinetreeError, match="all joints of a loop have flanges that are connected"):
        Clamped().report()
