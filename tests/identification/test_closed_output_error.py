"""Output error of mechanisms with loops: parameters from motion, within the deviations reported."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.approx import EQUAL_STEPS, READ_OFF, assert_close

import kinetree as kt
from kinetree.errors import KinetreeError

TRUE = {"slider.mass": 5.0, "k": 30.0, "d": 1.5}
NOISE = 2e-3
ASKED: dict[str, Any] = {"bodies": ["slider"], "friction": (), "coefficients": ["k", "d"]}


def slider_crank(mass: float = 5.0, k: float = 30.0, d: float = 1.5, rod: float = 2.0) -> kt.Model:
    """A crank that a motor turns, and a slider on a spring with a damper."""
    model = kt.Model("slider_crank", gravity=(0, -9.81, 0))
    one = model.body("crank", mass=1.0, com=(0.5, 0, 0), inertia=(0.01, 0.0833, 0.0833))
    two = model.body("rod", mass=2.0, com=(1.0, 0, 0), inertia=(0.01, 0.6667, 0.6667))
    slider = model.body("slider", mass=mass, inertia=(0.1, 0.1, 0.1))
    stiffness, damping = model.parameter("k", k, "N/m"), model.parameter("d", d, "N.s/m")
    length = model.parameter("rod_length", rod, "m")
    model.revolute("q1", model.ground, one, axis="z", initial=1.0)
    model.revolute("q2", one.point("tip", (1, 0, 0)), two, axis="z", initial=-1.4)
    model.prismatic("q3", model.ground, slider, axis="x", initial=2.4)
    model.close_ball("pin", two.point("end", (length, 0, 0)), slider)
    model.joint_spring("spring", "q3", stiffness=stiffness, rest=2.0, damping=damping)
    return model


def torque(t: Any) -> Any:
    """That of the motor; the crank turns over several times."""
    return 40 * np.sin(2.1 * t) + 25 * np.cos(5.3 * t) + 5


@cache
def motion(step: float = 0.005) -> tuple[Any, Any]:
    """Times and exact coordinates."""
    run = kt.simulate(
        slider_crank(), 4.0, tau={"q1": lambda t, q, qd: torque(t)}, step=step, rtol=1e-10,
        atol=1e-12,
    )  # fmt: skip
    return run.time.values, run.q.values


def seen(names: tuple[str, ...], noise: float = NOISE, draw: int = 0, **how: float) -> Any:
    """What was recorded of some coordinates."""
    t, q = motion(**how)
    errors = noise * np.random.default_rng(draw).normal(size=q.shape)
    rows = {f"q.{name}": (q + errors)[:, int(name[1]) - 1] for name in names}
    return {"time": t, **rows, "tau.q1": torque(t)}


def test_values_are_found_within_the_deviations_that_are_reported() -> None:
    """The normalised squared error of noisy draws is 1."""
    rows = []
    for draw in range(4):
        fit = kt.identify(
            slider_crank(4.0, 25.0, 1.0), seen(("q1", "q3"), draw=draw), "output_error", **ASKED
        )
        assert fit.data.equation.values.tolist() == ["q1", "q3"]
        assert np.all(np.abs(fit.data.sigma - NOISE) < 0.1 * NOISE)
        rows.append([(fit.parameters[n] - x) / fit.deviations[n] for n, x in TRUE.items()])
    assert 0.3 < np.mean(np.square(rows)) < 2.5


def test_the_crank_alone_tells_what_the_slider_does() -> None:
    fit = kt.identify(
        slider_crank(4.0, 25.0, 1.0), seen(("q1",), 0.0, step=0.0025), "output_error", **ASKED
    )
    for name, value in TRUE.items():
        assert_close(fit.parameters[name], value, READ_OFF, name)
    run = kt.simulate(
        fit.model, 1.0, tau={"q1": lambda t, q, qd: torque(t)}, step=0.0025, rtol=1e-9
    )
    assert_close(run.q[:, 0], motion(0.0025)[1][: run.sizes["time"], 0], READ_OFF)


def test_a_length_of_the_loop_is_found() -> None:
    """It moves the closed start of every segment, and the motion."""
    fit = kt.identify(
        slider_crank(rod=2.05), seen(("q3", "q1"), 0.0, step=0.0025), "output_error", bodies=[],
        friction=(), coefficients=["rod_length"],
    )  # fmt: skip
    assert_close(fit.parameters["rod_length"], 2.0, EQUAL_STEPS)


def test_what_is_not_recorded_is_refused_by_name() -> None:
    two = slider_crank()
    arm = two.body("arm", mass=1.0, com=(0.2, 0, 0), inertia=(0.1, 0.1, 0.1))
    two.revolute("swing", two.bodies["slider"], arm, axis="z")
    with pytest.raises(KinetreeError, match="'swing' does not follow from what was recorded"):
        kt.identify(two, seen(("q1", "q3")), "output_error", **ASKED)
    with pytest.raises(KinetreeError, match="holds no coordinates of a mechanism with loops"):
        kt.identify(slider_crank(), seen(("q1",)), "output_error", locked={"q3": 1.0}, **ASKED)
