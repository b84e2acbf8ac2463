"""Runs in equal steps through `simulate`: formulations and methods by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests import mechanisms, zoo
from tests.approx import AT_STATES, EQUAL_STEPS

import kinetree as kt
from kinetree.errors import KinetreeError, ModelWarning


@pytest.mark.parametrize("method", ["trapezoidal", "hht", "rk4"])
def test_a_tree_moves_as_with_variable_steps(method: str) -> None:
    model = zoo.planar_pendulum(2)
    start = {model.coordinates[0]: 0.4}
    run = kt.simulate(model, 0.5, q=start, method=method, step=1e-3)
    fine = kt.simulate(model, 0.5, q=start, rtol=1e-10)
    assert run.attrs["termination"] == "finished"
    assert run.sizes["time"] == 501
    assert float(run.time[-1]) == pytest.approx(0.5)
    np.testing.assert_allclose(run.q[-1], fine.q[-1], atol=2 * EQUAL_STEPS)


def test_a_closed_system_by_the_hybrid_formulation() -> None:
    model = mechanisms.slider_crank()
    how = {"formulation": "hybrid", "method": "trapezoidal", "step": 1e-3}
    run = kt.simulate(model, 0.5, **how)
    fine = kt.simulate(model, 0.5, rtol=1e-10)
    np.testing.assert_allclose(run.q[-1], fine.q[-1], atol=EQUAL_STEPS)
    assert list(run.equation.values) == list(fine.equation.values)
    assert run.attrs["formulation"] == "hybrid"


def test_constant_efforts_and_no_others() -> None:
    model = zoo.planar_pendulum(1)
    name = model.velocities[0]
    run = kt.simulate(model, 0.2, tau={name: 3.0}, method="newmark", step=1e-3)
    free = kt.simulate(model, 0.2, method="newmark", step=1e-3)
    assert float(run.qd[-1, 0]) > float(free.qd[-1, 0])
    with pytest.raises(KinetreeError, match="constant efforts"):
        kt.simulate(model, 0.2, tau=lambda t, q, qd: q, method="newmark")


def test_a_failed_step_keeps_what_was_before() -> None:
    model = mechanisms.slider_crank()
    with pytest.warns(ModelWarning, match="take a smaller step"):
        run = kt.simulate(
            model, 40.0, qd={"q1": 30.0}, formulation="hybrid", method="trapezoidal", step=4.0
        )
    assert run.sizes["time"] >= 1
    assert np.isfinite(run.q.values).all()


def test_constant_wrenches_and_no_others() -> None:
    model = kt.Model("pushed", gravity=(0, 0, 0))
    body = model.body("block", mass=2.0)
    model.prismatic("x", model.ground, body, axis="x")
    model.wrench("push", body.point("at", (0, 0, 0)), frame="world")
    push = [0, 0, 0, 3.0, 0, 0]
    for way in ("tree", "hybrid", "global"):
        run = kt.simulate(model, 1.0, formulation=way, step=0.1, wrenches={"push": push})
        assert float(run.q[-1, 0]) == pytest.approx(0.75, abs=AT_STATES), way
    with pytest.raises(KinetreeError, match=r"wrench 'push'.*constant"):
        kt.simulate(model, 1.0, method="hht", wrenches={"push": lambda t, q, qd: push})
    with pytest.raises(KinetreeError, match="pull"):
        kt.simulate(model, 1.0, method="hht", wrenches={"pull": push})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"method": "hht", "max_step": 0.1}, r"max_step: method 'hht' has no"),
        ({"method": "rk4", "formulation": "explicit", "max_steps": 9}, r"max_steps: method 'rk4'"),
        ({"method": "rk4", "rtol": 1e-3}, r"rtol: method 'rk4' has no use for it"),
        ({"method": "hht", "loops": "projection"}, r"simulate by method 'hht'.*'loops'"),
        ({"method": "dop853", "formulation": "hybrid"}, r"'dop853'.*leave formulation= out"),
        ({"method": "dop853", "tangent": "exact"}, r"tangent.*such as 'hht'"),
        ({"method": "hth"}, "did you mean 'hht'"),
        ({"integrator": "hht"}, r"integrator: .*write method='hht'"),
        ({"method": "hht", "step": 0.0}, "equal steps need a length"),
    ],
)
def test_options_that_a_method_does_not_know_are_refused(options: Any, said: str) -> None:
    with pytest.raises(KinetreeError, match=said):
        kt.simulate(mechanisms.slider_crank(), 1.0, **options)


def test_a_formulation_alone_is_the_trapezoidal_rule() -> None:
    model = mechanisms.slider_crank()
    alone, named = (
        kt.simulate(model, 0.1, formulation="hybrid", step=1e-3, **how)
        for how in ({}, {"method": "trapezoidal"})
    )
    assert alone.attrs["method"] == "trapezoidal"
    assert (alone.q.values == named.q.values).all()


@pytest.mark.parametrize("given", [{}, {"formulation": "tree", "step": 0.01},
                                   {"method": "hht", "step": 0.01}])  # fmt: skip
def test_a_body_without_inertia_is_named(given: dict[str, Any]) -> None:
    model = zoo.planar_pendulum(2)
    tip = model.body("tip")
    model.revolute("loose", next(reversed([*model.bodies.values()][:-1])), tip, axis="z")
    with pytest.raises(KinetreeError, match="joint 'loose': the mass matrix is singular"):
        kt.simulate(model, 0.1, **given)
