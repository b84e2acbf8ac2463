"""Steps that follow the error: the tolerance governs it, and endings are told."""

from __future__ import annotations

import numpy as np
import pytest
from tests import mechanisms
from tests.approx import COARSE_RUN, EQUAL_STEPS, IDENTITY
from tests.steppers import systems

import kinetree as kt
from kinetree.algebra import disp, rotz
from kinetree.engine import cos, sin, sqrt
from kinetree.errors import KinetreeError
from kinetree.integrate import Control, Stepper


def test_error_follows_the_tolerance() -> None:
    exact = systems.reference(systems.double_pendulum)[:2]
    stepper = Stepper(systems.double_pendulum())
    errors, counts = [], []
    for tolerance in (1e-4, 1e-5, 1e-6):
        run = stepper.run_adaptive([0, 0.3, 1.0], Control(tolerance), qd=systems.SPEEDS["double"])
        assert run.report.end == "finished"
        errors.append(np.abs(run.q[-1] - exact).max())
        counts.append(run.report.steps)
    ratios = np.array(errors[:-1]) / errors[1:]
    assert (ratios > 5).all()
    # the rate of the error goes with the square of the step
    assert counts[2] / counts[1] == pytest.approx(np.sqrt(10), rel=0.2)
    assert errors[-1] < COARSE_RUN


def test_steps_are_noted_and_meet_the_output() -> None:
    times = np.linspace(0, 2, 21)
    run = Stepper(systems.pendulum()).run_adaptive(times, Control(1e-5, longest=0.02))
    np.testing.assert_array_equal(run.times, times)
    assert np.isin(times[1:], run.steps[:, 0]).all()
    assert run.steps[:, 1].max() <= 0.02
    np.testing.assert_allclose(np.cumsum(run.steps[:, 1]), run.steps[:, 0], atol=IDENTITY)
    # the first step is short, because nothing is known yet
    assert run.steps[0, 1] < 0.1 * run.steps[:, 1].max()


def test_loops_and_user_controls() -> None:
    model = mechanisms.slider_crank()
    run = Stepper(model, "hybrid").run_adaptive([0, 0.5, 1.0], Control(1e-5))
    exact = Stepper(model, method="rk4").run(1.0, 1e-3)
    np.testing.assert_allclose(run.q[-1], exact.q[-1], atol=EQUAL_STEPS)


def test_position_matrices_with_states() -> None:
    model = kt.FrameModel("crank", gravity=(0, -9.81, 0))
    q = model.coordinate("q", initial=1.0)
    x = cos(q) + sqrt(4 - sin(q) ** 2)
    model.frame("crank", rotz(q) @ disp(0.5, 0, 0), 1.0, (0, 1 / 12, 1 / 12))
    model.frame("slider", disp(x, 0, 0), 5.0)
    p = model.state("p", 1.0)
    model.state_rate("p", lambda qd: -2 * p + qd["q"])
    model.joint_law("drag", "q", lambda qd, x: -0.1 * qd["q"] - x["p"])
    exact = Stepper(model, method="rk4").run(1.0, 5e-4)
    run = Stepper(model).run_adaptive([0, 1.0], Control(1e-6))
    np.testing.assert_allclose(run.q[-1], exact.q[-1], atol=COARSE_RUN)
    np.testing.assert_allclose(run.x[-1], exact.x[-1], atol=COARSE_RUN)


def test_endings_are_told() -> None:
    model = kt.Model("cliff", gravity=(0, 0, 0))
    body = model.body("mass", mass=1.0)
    model.prismatic("x", model.ground, body, axis="x", initial=1.0)
    model.joint_law("pull", "x", lambda q, qd, t: -sqrt(q["x"]) - 1)
    run = Stepper(model).run_adaptive(np.linspace(0, 5, 51))
    assert run.report.end == "not solved"
    assert "'x'" in run.report.message
    assert 0.9 < run.report.t < 2.5
    assert np.isfinite(run.q).all()
    with pytest.raises(KinetreeError, match="rising"):
        Stepper(model).run_adaptive([0, 1, 1])
