"""The hybrid formulation: loops at all levels, agreement with the explicit model, singularities."""

from __future__ import annotations

import numpy as np
import pytest
from tests import closed, mechanisms
from tests.approx import CLOSED, COARSE_RUN, EQUAL_STEPS, READ_OFF, ROUNDING, TRAJECTORY

import kinetree as kt
from kinetree.integrate import Stepper

STRUCTURAL = ["trapezoidal", "newmark", "hht", "generalised_alpha"]


def gaps(model: kt.Model, run) -> tuple[float, float, float]:
    """Largest violation of positions, velocities and accelerations."""
    program = kt.derive(model, "constraints")
    names = {row.name for row in program.inputs}
    given = {"q": run.q, "qd": run.qd, "t": run.times}
    found = program.evaluate(**{k: v for k, v in given.items() if k in names})
    velocity = np.einsum("...ij,...j->...i", found["J"], run.qd) + found["ht"]
    acceleration = np.einsum("...ij,...j->...i", found["J"], run.qdd) + found["Jdqd"]
    return tuple(float(np.abs(x).max()) for x in (found["h"], velocity, acceleration))


@pytest.mark.parametrize("method", STRUCTURAL)
@pytest.mark.parametrize("tangent", ["exact", "approximate"])
@pytest.mark.parametrize("projection", ["mass", "tangent"])
def test_slider_crank_stays_closed(method: str, tangent: str, projection: str) -> None:
    model = mechanisms.slider_crank()
    stepper = Stepper(model, "hybrid", method, tangent=tangent, projection=projection)
    run = stepper.run(1.0, 0.01)
    assert run.report.end == "finished"
    assert max(gaps(model, run)) < CLOSED


def test_slider_crank_equals_the_explicit_model() -> None:
    model = mechanisms.slider_crank()
    explicit = Stepper(model, method="rk4").run(1.0, 1e-3)
    hybrid = Stepper(model, "hybrid")
    errors = [np.abs(hybrid.run(1.0, h).q[-1] - explicit.q[-1]).max() for h in (4e-3, 2e-3, 1e-3)]
    assert errors[-1] < EQUAL_STEPS
    assert np.log2(errors[1] / errors[2]) == pytest.approx(2, abs=0.2)
    run = hybrid.run(1.0, 1e-3)
    np.testing.assert_allclose(run.lam[-1], explicit.lam[-1], rtol=READ_OFF, atol=1e-2)
    np.testing.assert_allclose(run.qdd[-1], explicit.qdd[-1], rtol=READ_OFF, atol=1e-2)


@pytest.mark.parametrize("kind", ["revolute_skew", "rod", "sphere"])
def test_spatial_loops_with_quaternions(kind: str) -> None:
    model = closed.CLOSED[kind]()
    stepper = Stepper(model, "hybrid")
    run = stepper.run(0.2, 0.01)
    assert run.report.end == "finished", run.report.message
    position, velocity, acceleration = gaps(model, run)
    assert max(velocity, acceleration) < CLOSED
    assert position < CLOSED
    fine = stepper.run(0.2, 0.0025)
    assert np.abs(fine.q[-1] - run.q[-1]).max() < 0.02


def test_redundant_equations_do_no_harm() -> None:
    model = mechanisms.bricard()
    run = Stepper(model, "hybrid").run(1.0, 0.01)
    assert run.report.end == "finished"
    assert max(gaps(model, run)) < CLOSED


@pytest.mark.parametrize("method", STRUCTURAL)
def test_topological_equals_hybrid(method: str) -> None:
    model = mechanisms.slider_crank()
    one = Stepper(model, "topological", method).run(0.5, 5e-4)
    two = Stepper(model, "hybrid", method).run(0.5, 5e-4)
    assert max(gaps(model, one)) < CLOSED
    order = {"newmark": 1e-3}
    for name in ("q", "qd"):
        a, b = getattr(one, name), getattr(two, name)
        np.testing.assert_allclose(a, b, atol=order.get(method, COARSE_RUN) * np.abs(b).max())
    np.testing.assert_allclose(one.lam[-1], two.lam[-1], rtol=1e-2, atol=0.05)


def test_topological_is_of_second_order() -> None:
    model = mechanisms.slider_crank()
    exact = Stepper(model, method="rk4").run(1.0, 1e-3).q[-1]
    stepper = Stepper(model, "topological")
    errors = [np.abs(stepper.run(1.0, h).q[-1] - exact).max() for h in (0.01, 0.005, 0.0025)]
    assert np.log2(errors[1] / errors[2]) == pytest.approx(2, abs=0.2)


def test_a_kept_tangent_gives_the_same_step() -> None:
    model = mechanisms.slider_crank()
    kept = Stepper(model, "hybrid", update="step").run(1.0, 2e-3)
    anew = Stepper(model, "hybrid").run(1.0, 2e-3)
    np.testing.assert_allclose(kept.q, anew.q, atol=TRAJECTORY)
    assert max(gaps(model, kept)) < CLOSED


@pytest.mark.parametrize("step", [0.01, 0.007, 0.004])
def test_four_bars_pass_singular_positions(step: float) -> None:
    model = mechanisms.n_four_bar(3)
    qd = [-1.0 if name.startswith("u") else 1.0 for name in model.velocities]
    run = Stepper(model, "hybrid").run(step * round(5 / step), step, qd=qd)
    assert run.report.end == "finished"
    energy = kt.derive(model, "energy").evaluate(q=run.q, qd=run.qd)
    total = energy["kinetic"] + energy["potential"]
    assert np.abs(total - total[0]).max() < 2e-2 * np.abs(energy["kinetic"]).max()


@pytest.mark.parametrize("formulation", ["hybrid", "topological"])
def test_driven_crank(formulation: str) -> None:
    model = mechanisms.slider_crank()
    model.drive("q1", lambda t: 0.5 + 3 * t)
    run = Stepper(model, formulation).run(1.0, 0.01)
    assert run.report.end == "finished"
    np.testing.assert_allclose(run.q[:, 0], 0.5 + 3 * run.times, atol=ROUNDING)
    np.testing.assert_allclose(run.qd[:, 0], 3, atol=ROUNDING)
    assert max(gaps(model, run)) < CLOSED
