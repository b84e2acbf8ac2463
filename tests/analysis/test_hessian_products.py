"""Second derivatives along a direction: the whole Hessian times it, differences, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import kinetree as kt
import lengths
import mechanisms
from analysis import systems
from analysis.test_many_gradients import value_of
from analysis.test_sensitivity import oscillator
from analysis.test_step_sensitivity import pushed
from approx import CLOSED, FORMALISM, ITERATED, LONG_RUN, assert_close

FINE = {"rtol": 1e-12, "atol": 1e-13}
OF_OSCILLATOR = {
    "end": kt.final("q_y"), "work": kt.integral("qd_y**2*q_y"), "rms": kt.rms("qdd_y"),
    "between": kt.at_time("q_y", 0.777), "data": kt.misfit("q_y", [0.3, 0.61], [0.1, 0.2]),
    "both": kt.function_of("a*b + a**2", a=kt.rms("qd_y"), b=kt.at_time("q_y", 0.777)),
}  # fmt: skip
OF_CRANK = {"end": kt.final("q_q3"), "force": kt.mean_square("pin.reaction.fx")}
BY_CRANK = ["crank.tip_x", "rod.end_x", "rod.mass", "q0.q1", "tau.q1"]
EQUAL = {"step": 0.01, "tolerance": 1e-12}
CASES: dict[str, tuple[Any, dict[str, Any], list[str], dict[str, Any]]] = {
    "oscillator": (
        oscillator, OF_OSCILLATOR, ["c", "m", "qd0.y", "spring.damping"],
        {"qd": {"y": 0.5}, **FINE},
    ),
    "oscillator in equal steps": (
        oscillator, OF_OSCILLATOR, ["c", "m", "qd0.y", "spring.damping"],
        {"qd": {"y": 0.5}, "integrator": "hht", **EQUAL},
    ),
    "crank": (mechanisms.slider_crank, OF_CRANK, BY_CRANK, FINE),
    "crank by rk4": (
        mechanisms.slider_crank, OF_CRANK, BY_CRANK, {"integrator": "rk4", "step": 0.01}
    ),
    "crank in hybrid steps": (
        mechanisms.slider_crank, OF_CRANK, BY_CRANK,
        {"integrator": "trapezoidal", "formulation": "hybrid", **EQUAL},
    ),
    "top": (
        systems.top, {"end": kt.final("q_ball_x")}, ["top.mass", "top.com_z", "qd0.ball_wz"],
        {"qd": {"ball_wx": 1.0, "ball_wz": 20.0}, **FINE},
    ),
    "top in global steps": (
        systems.top, {"end": kt.final("qd_ball_wx")}, ["top.mass", "top.com_z", "qd0.ball_wz"],
        {"qd": {"ball_wx": 1.0, "ball_wz": 20.0}, "integrator": "trapezoidal",
         "formulation": "global", **EQUAL},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_products_are_the_hessian_times_the_direction(name: str) -> None:
    make, measures, by, run = CASES[name]
    way = np.random.default_rng(3).uniform(-1, 1, len(by))
    way[1] = 0.0
    along = {x: float(v) for x, v in zip(by, way, strict=True) if v}
    whole = kt.sensitivity(make(), 0.9, measures, by=by, order=2, **run).hessian
    found = kt.sensitivity(make(), 0.9, measures, by=by, order=2, along=along, **run)
    assert found.hessian_product.dims == ("measure", "parameter")
    assert np.array_equal(found.along, way)
    assert "hessian" not in found
    for measure in measures:
        rows = whole.sel(measure=measure).values
        assert_close(
            found.hessian_product.sel(measure=measure), rows @ way, ITERATED, measure,
            float(np.abs(rows * way).max()),
        )  # fmt: skip


def test_the_oscillator_in_closed_form() -> None:
    found = kt.sensitivity(
        oscillator(), np.pi / 2, {"end": kt.final("q_y")}, by=["c", "qd0.y"], order=2,
        along={"c": 2.0, "qd0.y": -1.0}, qd={"y": 0.5}, rtol=1e-13, atol=1e-15,
    )  # fmt: skip
    exact = [2 * (3 / 8 - np.pi**2 / 32) + 0.5, -2 * 0.5]
    assert_close(found.hessian_product[0], exact, FORMALISM)


@pytest.mark.parametrize("integrator", ["cvode_adams", "cvode_bdf", "DOP853", "Radau"])
def test_second_derivatives_by_methods_that_keep_no_steps(integrator: str) -> None:
    """Tangents of tangents are integrated with the run; the direction contracts their table."""
    run: dict[str, Any] = {"by": ["c", "qd0.y"], "qd": {"y": 0.5}, "integrator": integrator}
    run |= {"order": 2, "rtol": 1e-10, "atol": 1e-12}
    end, c = {"end": kt.final("q_y")}, 3 / 8 - np.pi**2 / 32
    whole = kt.sensitivity(oscillator(), np.pi / 2, end, **run)
    assert_close(whole.hessian[0], [[c, -0.5], [-0.5, 0.0]], CLOSED)
    found = kt.sensitivity(oscillator(), np.pi / 2, end, along={"c": 2.0, "qd0.y": -1.0}, **run)
    assert_close(found.hessian_product[0], [2 * c + 0.5, -1.0], CLOSED)


def test_many_variables_against_differences_of_gradients() -> None:
    """More than the Hessian takes in one run, with equations that repeat others."""
    model, by = lengths.three_cranks(), ["first.mass", "top.mass", "gravity_y", "top.com_x", "q0.a",
        "qd0.a", "first.com_x", "second.mass", "third.mass", "tau.a"]  # fmt: skip
    measures, run = {"end": kt.final("q_a"), "work": kt.integral("qd_a**2")}, {**FINE}
    along = {"top.mass": 1.0, "top.com_x": 0.5, "gravity_y": -2.0}
    found = kt.sensitivity(model, 0.5, measures, by=by, order=2, along=along, **run)
    base = {name: float(value_of(model, name)) for name in along}
    high, low = (
        kt.sensitivity(
            model, 0.5, measures, by=by, method="direct",
            parameters={name: base[name] + h * change for name, change in along.items()}, **run,
        ).gradient for h in (1e-5, -1e-5)
    )  # fmt: skip
    assert_close(found.hessian_product, (high - low) / 2e-5, LONG_RUN)


def test_the_programs_do_not_depend_on_the_direction() -> None:
    """Products along unit vectors are the columns of a symmetric table."""
    by, end = ["c", "m", "qd0.y"], {"end": kt.final("q_y")}
    rows = [
        kt.sensitivity(oscillator(), 1.0, end, by=by, order=2, along={name: 1}, qd={"y": 0.5},
                       **FINE).hessian_product[0] for name in by
    ]  # fmt: skip
    assert_close(np.array(rows), np.array(rows).T, FORMALISM)


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "foreign": ({"along": {"m": 1.0}}, "along: there is no variable 'm'"),
    "near": ({"along": {"cc": 1.0}}, "along.*'cc'.*'c'"),
    "first order": ({"along": {"c": 1.0}, "order": 1}, "along: .*not asked for; give order=2"),
    "nothing": ({"along": {}}, "along: all changes are zero"),
    "zero": ({"along": {"c": 0.0}}, "along: all changes are zero"),
    "text": ({"along": {"c": "much"}}, "along: it is .*much.*finite numbers"),
    "no number": ({"along": {"c": float("nan")}}, "along: it is .*nan.*finite numbers"),
    "list": ({"along": [1.0]}, "along: .*mapping from names"),
    "peak": ({"along": {"c": 1.0}, "measures": {"m": kt.peak("q_y")}}, "measure 'm': it has no"),
    "duration": ({"along": {"c": 1.0}, "by": ["c", "duration"]}, "by, 'duration': there are no"),
    "place": ({"along": {"c": 1.0}, "at": "equilibrium", "duration": None}, "order"),
    "ending": (
        {"along": {"c": 1.0}, "qd": {"y": 0.5}, "events": {"e": kt.Event("q_y-0.2", stops=True)}},
        "an event ends the run",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_directions_are_refused(name: str) -> None:
    changed, said = BAD[name]
    given: dict[str, Any] = {"measures": {"m": kt.final("q_y")}, "by": ["c"], "order": 2,
                             "duration": 1.0, **changed}  # fmt: skip
    with pytest.raises(kt.errors.KinetreeError, match=said):
        kt.sensitivity(oscillator(), **given)


def speed(m: float) -> float:
    """The speed at t = 2 s of a mass that reaches x = 0.5 m at t = √m, v = 1/√m."""
    run = solve_ivp(
        lambda t, y: [y[1], (1 + (y[0] - 0.5) ** 3) / m], [np.sqrt(m), 2.0], [0.5, m**-0.5],
        rtol=3e-14, atol=1e-15, method="DOP853",
    )  # fmt: skip
    return float(run.y[1, -1])


def test_branches_that_join_are_passed_and_slopes_that_jump_are_refused() -> None:
    """A push that grows behind x = 0.5 m with a power of the way."""
    given: dict[str, Any] = {"measures": {"v": kt.final("qd_x")}, "by": ["m"], "order": 2,
                             "along": {"m": 1.0}, **FINE}  # fmt: skip
    model = pushed(lambda x: 1 + (x - 0.5) ** 3)
    found = kt.sensitivity(model, 2.0, **given).hessian_product
    h = 3e-3
    v = [speed(1 + k * h) for k in (-2, -1, 0, 1, 2)]
    assert_close(found[0, 0], np.dot([-1, 16, -30, 16, -1], v) / (12 * h * h), LONG_RUN)
    said = r"law .*: the motion or its slopes jump there at t = 1 s, .*; leave order=2 out"
    for way in ({"m": 1.0}, None):
        for power in (0, 1, 2):
            bad = pushed(lambda x, k=power: 1.0 + 0.5 * (x - 0.5) ** k)
            with pytest.raises(kt.errors.UnsupportedError, match=said):
                kt.sensitivity(bad, 2.0, **{**given, "along": way})
