"""The whole r3: library data against another tool's run, the parts of 1993 against closed forms.

Figures of the other tool are those of MAP-LIB_ReferenceResults of the Modelica Association
(example FullRobot of the Modelica Standard Library 4.0.0, Dymola 2020x, tolerance 1e-6, BSD-3).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.acausal.test_multibody import known_values, state
from tests.reference import manutec

import kinetree as kt
from approx import COARSE_RUN, GOLDEN, IDENTITY, LONG_RUN, RUN, assert_close
from kinetree.acausal import Component, connect, part, signal_in
from kinetree.library import r3
from kinetree.library import rotational as rot

MODES = [
    (6.288e-4, 2, -1), (7.486e-4, 1, -1), (0.0015455, 3, -1), (0.0019626, 5, 1), (0.0043611, 4, 1),
    (0.0046675, 6, 1), (1.3486864, 4, 0), (1.3497200, 3, 0), (1.3503804, 3, 1), (1.3527092, 4, -1),
    (1.3541765, 2, 1), (1.3549529, 1, 1), (1.3550569, 6, 0), (1.3568474, 5, -1), (1.3568474, 6, 1),
    (1.3839384, 5, 0), (1.4328743, 5, -1), (1.4449423, 4, 0), (1.4450445, 3, 0), (1.4460851, 2, 0),
    (1.4522676, 3, -1), (1.4569961, 2, -1), (1.4832018, 1, 0), (1.4867990, 2, 0), (1.4925768, 3, 0),
    (1.5164775, 2, 1), (1.5219384, 2, 0), (1.5459883, 3, -1), (1.5465925, 2, -1), (1.5987313, 3, 0),
    (1.5990308, 2, 0), (1.6181591, 1, -1), (1.6281602, 2, -1), (1.6319142, 3, -1),
]  # fmt: skip
"""Time [s] at which the friction of an axis takes a mode."""
RANGES = {
    "axis1.gear.spring.phi_rel": 0.5474, "axis2.gear.spring.phi_rel": 2.934,
    "axis3.gear.spring.phi_rel": 0.591, "axis2.motor.La.i": 25.8, "axis5.motor.La.i": 12.86,
    "axis6.motor.C.v": 525.5, "axis3.controller.PI.x": 47.95, "mechanics.r1.w": 2.151,
    "mechanics.r3.w": 2.357, "mechanics.r4.w": 0.7124, "mechanics.r5.w": 3.213,
    "mechanics.r6.w": 0.7517,
}  # fmt: skip
"""Signal -> its range over the whole run."""
VALUES = {
    0.0: (0, 0.274150862, 0.0736781805, -1.88809133, -0.724279315, 0, -7.72606045, 0, 0, 0, 0, 0),
    0.1: (0.239241936, 1.15873631, 0.260450081, -11.2016099, -4.64266523, 422.415801, -26.9918522,
          1.5044843, -1.54090052, 0.525973407, 2.65928931, 0.535896649),
    0.4: (-0.0485738428, 0.179999811, 0.0543102464, -1.83547771, -0.590582917, 115.195483,
          -7.86894465, 1.67830448, -1.76569452, 0.63960431, 3.09736852, 0.635364658),
    1.0: (0.0239567584, -0.498620409, -0.0802592874, 2.83399787, 2.91338127, -19.7855135,
          6.01138802, 1.69667564, -1.75384364, 0.634530304, 3.09763605, 0.63507613),
    1.2: (-0.00887090492, -0.558503735, -0.0691016727, 3.2400517, 3.98181843, -44.9493663,
          5.9487554, 1.69595928, -1.74445627, 0.628765033, 3.10411402, 0.630441842),
    1.3556: (-0.111621047, -0.962953283, -0.151432298, 9.07562409, -2.41813283, 139.945639,
             19.581988, -0.00735846829, 0.0740400419, -0.00714309671, 0.0324242594, 0),
    1.4: (0.0331200051, -0.161849917, -0.0019556761, 1.35233626, -1.63248796, 73.140453,
          13.1606576, -0.0483140419, 0.25247937, -0.0560187223, 0, 0.0113800498),
    1.5: (-0.000498579912, -0.437013938, -0.0517683165, 3.01945003, -1.41184215, 63.276464,
          5.93891428, -0.000362764138, 0.0259994426, 0, -0.0100204632, 0.00342211119),
    1.6: (0.00137850889, -0.441148093, -0.0538374326, 2.61743945, -1.43844877, 64.7416937,
          4.95522871, 0.000274494324, 0.00762453437, 0, -0.00571102889, 0.00102756883),
    1.8: (-0.00010558064, -0.448728909, -0.0548256376, 2.66210542, -1.42153402, 63.983916,
          4.26113495, 0.0023811587, -0.00568088853, 0, -0.00254162616, 0.000407453389),
}  # fmt: skip
"""Time [s] -> values of these signals."""


@cache
def whole_run() -> Any:
    return kt.simulate(r3.Robot(), 2.0, step=0.0004, rtol=1e-9, atol=1e-11)


pytestmark = pytest.mark.filterwarnings("ignore:stiff forces")  # motors of 5000 rad/s


# --- the whole robot of fig. 1 -------------------------------------------------------------------


def test_the_whole_robot_has_36_states_and_small_linear_blocks() -> None:
    report = r3.Robot().report()
    assert len(report.states) == 36
    assert all(linear for _, _, linear, _ in report.blocks)
    assert max(torn for _, torn, _, _ in report.blocks) <= 6
    assert not report.assumed


def test_gears_and_frictions_of_the_whole_robot_meet_the_recursion() -> None:
    """What a rotor behind a rigid gear with dry friction says of a joint is one equation."""
    report = r3.Robot().report()
    told = "mixed dynamics of 6 velocities (3 free, 3 with a rotor or the like)"
    assert report.motions == (told,)
    assert max(size for size, _, _, _ in report.blocks) == 6  # of a circuit or a rotor alone


def test_the_whole_robot_moves_as_another_tool_says() -> None:
    run = whole_run()
    assert_close(run.attrs["end_time"], 1.856045002, RUN)
    for time, row in VALUES.items():
        at = round(time / 0.0004)
        assert_close(float(run.time[at]), time, RUN)
        for (name, span), value in zip(RANGES.items(), row, strict=True):
            assert abs(float(run[name][at]) - value) <= COARSE_RUN * span, (time, name)


def test_the_frictions_of_the_whole_robot_change_when_another_tool_says() -> None:
    run = whole_run()
    stem = ".gear.bearingFriction.mode"
    rows = zip(run["event_name"].values, run["event_time"].values, strict=True)
    found = [(time, int(name[4])) for name, time in rows if name.endswith(stem)]
    assert [axis for _, axis in found] == [axis for _, axis, _ in MODES]
    times = [time for time, _ in found]
    assert_close(times, [time for time, _, _ in MODES], COARSE_RUN)
    for time, axis, mode in MODES:  # a row after the change
        soon = round(time / 0.0004 + 0.51)
        later = [t for t, other, _ in MODES if other == axis and t > time]
        if not later or later[0] > 0.0004 * soon:
            assert float(run[f"axis{axis}{stem}"][soon]) == mode


# --- the arms ------------------------------------------------------------------------------------

AXES = range(1, 7)


class Held(Component):
    """An arm whose joints are torques from outside."""

    u1, u2, u3, u4, u5, u6 = (signal_in("N.m") for _ in AXES)
    arm: Any = part(r3.OriginalArm)

    def setup(self) -> None:
        self.motor = [rot.Torque() for _ in AXES]

    def equations(self) -> Iterator[Any]:
        for k, motor in zip(AXES, self.motor, strict=True):
            yield connect(motor.flange, getattr(self.arm, f"axis{k}"))
            yield connect(motor.tau, getattr(self, f"u{k}"))


class LibraryHeld(Held):
    arm = part(r3.Arm)


CASE = manutec.golden_cases()[1]
JOINTS = [f"arm.r{k}" for k in AXES]
MOTION = dict(zip(JOINTS, zip(CASE["q"], CASE["qd"], CASE["qdd"], strict=True), strict=True))


def test_the_arm_of_1993_has_the_golden_torques_and_accelerations() -> None:
    angles, torques = [f"{name}.phi" for name in JOINTS], [f"u{k}" for k in AXES]
    inverse = kt.derive(Held(), known=angles, wanted=torques)
    out = inverse.evaluate(t=0.0, known=known_values(inverse, joints=MOTION))
    assert_close(out["wanted"], CASE["tau"], GOLDEN)
    forward = kt.derive(Held(), wanted=[f"{name}.a" for name in JOINTS])
    given = known_values(forward, **dict(zip(torques, CASE["tau"], strict=True)))
    out = forward.evaluate(t=0.0, known=given, x=state(forward, MOTION))
    assert_close(out["wanted"], CASE["qdd"], GOLDEN)


def test_the_arm_of_the_library_weighs_what_its_springs_hold() -> None:
    """Torques at the start of the reference: c phi_rel i of the axes 2 and 3, k i i of 4 and 5."""
    degrees = (-60, 20, 90, 0, -110, 0)
    rest = {n: (np.deg2rad(q), 0.0, 0.0) for n, q in zip(JOINTS, degrees, strict=True)}
    angles, torques = [f"{name}.phi" for name in JOINTS], [f"u{k}" for k in AXES]
    inverse = kt.derive(LibraryHeld(), known=angles, wanted=torques)
    out = inverse.evaluate(t=0.0, known=known_values(inverse, joints=rest))["wanted"]
    expected = [0.0, -460.573448, -256.400068, 14.058037, -14.960250, 0.0]
    assert_close(np.abs(out), np.abs(expected), LONG_RUN)


# --- the axes of 1993 ----------------------------------------------------------------------------


class Circuit(Component):
    """The motor of the first axis, its shaft held: no back-EMF."""

    i_ref, motor, wall = signal_in("A"), part(r3.Motor), part(rot.Fixed)

    def equations(self) -> Iterator[Any]:
        yield connect(self.motor.flange, self.wall.flange)
        yield connect(self.i_ref, self.motor.i_ref)


def test_the_circuit_of_a_motor_is_a_lag_of_second_order() -> None:
    """i/i_ref = 1/((s/w)² + 2 D s/w + 1): what the resistors of fig. 3 were chosen for."""
    found = kt.linearise(Circuit())
    w, D = 4590.0, 0.6
    assert_close(np.sort_complex(np.linalg.eigvals(found.A)),
                 np.sort_complex(np.roots([1 / w**2, 2 * D / w, 1])), IDENTITY)  # fmt: skip
    run = kt.simulate(Circuit(), 0.002, step=2e-5, parameters={"i_ref": 3.0}, rtol=1e-9, atol=1e-10)
    t, wd = run.time.values, w * np.sqrt(1 - D**2)
    step = 1 - np.exp(-D * w * t) * (np.cos(wd * t) + D * w / wd * np.sin(wd * t))
    assert_close(run["motor.La.i"], 3 * step, LONG_RUN)


class Loop(Component):
    """The controller of 1993 alone: what it makes of the speed of its motor."""

    speed, controller = signal_in("rad/s"), part(r3.OriginalController)

    def equations(self) -> Iterator[Any]:
        yield connect(self.speed, self.controller.speed)
        for name in ("angle", "angle_ref", "speed_ref"):
            yield getattr(self.controller, name) == 0


def test_the_controller_of_1993_is_its_filters_in_series() -> None:
    found = kt.linearise(Loop(), inputs=["speed"], outputs=["controller.i_ref"])
    for omega in (3.0, 40.0, 900.0):
        s = 1j * omega
        tacho = 0.03 / (0.0008475 * s + 1) / ((s / 2014) ** 2 + 2 * 0.294 * s / 2014 + 1)
        rate = (s / 25 + 1) / (0.0202 * s + 1) * (0.00995 * s + 1) / (0.00056 * s + 1) * 340.8 / s
        n = len(found.A)
        gain = found.C @ np.linalg.solve(s * np.eye(n) - found.A, found.B) + found.D
        assert_close(
            [gain[0, 0].real, gain[0, 0].imag], [-(tacho * rate).real, -(tacho * rate).imag], GOLDEN
        )


def test_the_robot_of_1993_follows_its_plan() -> None:
    robot = r3.OriginalRobot()
    report = robot.report()
    assert len(report.states) == 66
    assert max(torn for _, torn, _, _ in report.blocks) <= 6
    run = kt.simulate(robot, 2.0, step=0.01)
    assert_close(run.attrs["end_time"], 1.3, RUN)
    for k in AXES:
        wanted = run[f"axis{k}.angle_ref"].values
        assert np.abs(run[f"mechanics.r{k}.phi"].values - wanted).max() < 0.1  # rad
        assert_close(wanted, run[f"planning.motion[{k - 1}].q"].values, IDENTITY)
    late = run["time"].values > 0.64  # of the third joint: -21.56 until 0.6 s, then even
    even = run["planning.motion[2].qd"].values[late & (run["time"].values < 0.89)]
    assert_close(even, np.full(even.shape, 30 * 0.15 - 21.56 * 0.45), IDENTITY)
