"""Runs that change their independent coordinates on the way, and what is seen between steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kinetree as kt
from approx import FORMALISM, assert_close

MEASURES = {
    "end": kt.final("q_b"),
    "work": kt.integral("qd_a**2"),
    "force": kt.peak("pin.reaction.fy"),
    "sample": kt.at_time("q_d", 0.3217),
}
RUNS: dict[str, dict[str, Any]] = {
    "dop853": {"integrator": "dop853"},
    "dopri5": {"integrator": "dopri5"},
    "rk4": {"integrator": "rk4", "step": 1e-3},
}


def five_bar() -> kt.Model:
    """Two freedoms; it falls past places at which one pair of its angles after the other is bad."""
    model = kt.Model("five", gravity=(0, -9.81, 0))
    a = model.body("a", mass=1.0, com=(0.5, 0, 0), inertia=(0, 0.1, 0.1))
    b = model.body("b", mass=1.5, com=(0.8, 0, 0), inertia=(0, 0.2, 0.2))
    c = model.body("c", mass=0.7, com=(0.4, 0, 0), inertia=(0, 0.1, 0.1))
    d = model.body("d", mass=1.1, com=(0.7, 0, 0), inertia=(0, 0.1, 0.1))
    model.revolute("a", model.ground, a, axis="z", initial=2.0)
    model.revolute("b", a.point("tip", (1.0, 0, 0)), b, axis="z", initial=-1.2)
    model.revolute("c", model.ground.point("right", (1.5, 0, 0)), c, axis="z", initial=1.0)
    model.revolute("d", c.point("tip", (0.9, 0, 0)), d, axis="z", initial=1.0)
    model.close_ball("pin", b.point("end", (1.6, 0, 0)), d.point("end", (1.5, 0, 0)))
    model.joint_spring("spring", "a", stiffness=30.0, damping=0.3)
    return model


@pytest.mark.parametrize("name", RUNS)
def test_both_methods_agree_where_coordinates_change(name: str) -> None:
    model, by = five_bar(), ["a.tip_x", "spring.stiffness", "qd0.c"]
    direct, adjoint = (
        kt.sensitivity(model, 1.1, MEASURES, by=by, method=method, **RUNS[name])
        for method in ("direct", "adjoint")
    )
    assert direct.attrs["partitions"] > 1
    for measure in MEASURES:
        one, two = (found.gradient.sel(measure=measure).values for found in (direct, adjoint))
        assert_close(one, two, FORMALISM)


def test_a_run_does_not_hang_on_its_output_times() -> None:
    model = five_bar()
    few, many = (kt.simulate(model, 1.1, step=1.1 / count) for count in (2, 4000))
    assert few.attrs["partitions"] == many.attrs["partitions"] > 1
    assert few.attrs["steps"] == many.attrs["steps"]
    assert np.array_equal(few["q"][-1], many["q"][-1])


def test_small_errors_take_few_steps_where_coordinates_become_bad() -> None:
    """A singular choice asks for steps without end; the run has turned away before."""
    steps = [
        kt.simulate(five_bar(), 1.3, rtol=rtol, atol=1e-2 * rtol).attrs["steps"]
        for rtol in (1e-8, 1e-12)
    ]
    assert steps[1] < 16 * steps[0]  # 10^(4/8) were the order all that counts
