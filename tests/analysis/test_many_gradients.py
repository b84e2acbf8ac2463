"""Gradients of many runs side by side are those of every run alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kinetree as kt
from analysis import systems
from analysis.test_step_sensitivity import CASES, COUNT, STEP
from approx import FORMALISM, assert_close
from kinetree.errors import ModelError, UnsupportedError
from kinetree.model.parameters import parameter_table

RUNS = 11
"""More than the lanes of one call, and no multiple of them."""


def value_of(model: Any, name: str) -> float:
    """The model's own value of a parameter."""
    if name in model.parameters:
        return float(model.parameters[name].value)
    return float(parameter_table(model.with_varied([name])).values[name])


def refuse_single(*given: Any) -> Any:
    """Stands in for runs that are made alone where all must go in lanes."""
    raise AssertionError(given)


@pytest.mark.parametrize("name", CASES)
def test_gradients_in_lanes_are_those_of_single_runs(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, measures, by, run = CASES[name]
    model, own = make(), by[0]
    values = np.linspace(0.98, 1.02, RUNS) * value_of(model, own)
    given = {**run, "by": by, "step": STEP, "tolerance": 1e-11, "method": "adjoint"}
    with monkeypatch.context() as patched:
        patched.setattr("kinetree.analysis.sensitivity.run_task", refuse_single)
        found = kt.sensitivity(model, STEP * COUNT, measures, parameters={own: values}, **given)
    assert found.gradient.dims == ("run", "measure", "parameter")
    assert not "".join(found.reason.values)
    for k in (0, RUNS - 1):
        one = kt.sensitivity(
            model, STEP * COUNT, measures, parameters={own: float(values[k])}, **given
        )
        assert_close(found.value[k].values, one.value.values, FORMALISM)
        for measure in measures:
            rows = [row.gradient.sel(measure=measure) for row in (found.isel(run=k), one)]
            assert_close(*rows, FORMALISM, measure)


@pytest.mark.parametrize("integrator", ["rk4", "dop853", "cvode_adams"])
def test_runs_with_error_control_are_those_of_single_ones(integrator: str) -> None:
    model, by = systems.double_pendulum(), ["upper.mass", "q0.a", "duration"]
    ratio = kt.function_of("b/a", a=kt.rms("qd_a"), b=kt.final("q_b"))
    measures = {"end": kt.final("q_b"), "ratio": ratio}
    step = {"step": 0.01} if integrator == "rk4" else {}
    q = {"a": np.linspace(0.5, 1.0, 6).reshape(3, 2)}
    found = kt.sensitivity(model, 0.2, measures, by=by, q=q, integrator=integrator, **step)
    assert found.gradient.dims == ("run_1", "run_2", "measure", "parameter")
    one = kt.sensitivity(
        model, 0.2, measures, by=by, q={"a": float(q["a"][2, 1])}, integrator=integrator, **step
    )
    assert_close(found.gradient[2, 1].values, one.gradient.values, FORMALISM)


def test_start_values_loads_and_the_duration_vary_in_lanes() -> None:
    model, by = systems.double_pendulum(), ["duration", "qd0.a", "tau.b", "upper.mass"]
    given = {"by": by, "step": 0.01, "integrator": "trapezoidal", "method": "adjoint"}
    measures = {"end": kt.final("q_b"), "work": kt.integral("qd_a**2")}
    qd, tau = {"a": np.linspace(0, 1, 9)}, {"b": np.linspace(-1, 1, 9)}
    found = kt.sensitivity(model, 0.2, measures, qd=qd, tau=tau, **given)
    last = {"qd": {"a": 1.0}, "tau": {"b": 1.0}}
    one = kt.sensitivity(model, 0.2, measures, **last, **given)
    assert_close(found.gradient[8].values, one.gradient.values, FORMALISM)


def test_a_run_that_fails_is_a_row_with_its_reason() -> None:
    make, measures, by, run = CASES["topological"]
    lengths = np.array([1.0, 1.02, 50.0]) * value_of(make(), by[0])
    given = {**run, "by": by, "step": STEP, "method": "adjoint"}
    with pytest.warns(UserWarning, match=r"of run \(2\)"):
        found = kt.sensitivity(make(), STEP * COUNT, measures, parameters={by[0]: lengths}, **given)
    assert [bool(reason) for reason in found.reason.values] == [False, False, True]
    assert np.isfinite(found.gradient[:2]).all()
    assert np.isnan(found.gradient[2]).all()
    with pytest.raises(ModelError):
        kt.sensitivity(make(), STEP * COUNT, measures, parameters={by[0]: lengths[2:]}, **given)


@pytest.mark.parametrize("name", ["trapezoidal", "rk4"])
def test_a_measure_without_value_or_derivative_is_a_row_with_its_reason(name: str) -> None:
    root = kt.function_of("sqrt(s)", s=kt.at_time("q_a", 0.0))
    measures = {"good": kt.final("qd_b"), "start": root}
    q = {"a": np.array([0.25, 0.0, -0.25])}  # its root; one without slope; none
    given = {"by": ["q0.a"], "integrator": name, "step": 0.01, "method": "adjoint"}
    model = systems.double_pendulum()
    with pytest.warns(UserWarning, match=r"measure 'start'"):
        found = kt.sensitivity(model, 0.1, measures, q=q, **given)
    assert_close(found.value[0, 1].values, 0.5, FORMALISM)
    assert_close(found.gradient[0, 1, 0].values, 1.0, FORMALISM)
    assert found.reason[0] == ""
    assert "'start': it has no derivative by 'q0.a'" in str(found.reason[1].values)
    assert "'start': it has no finite value" in str(found.reason[2].values)
    assert np.isnan(found.value[1:]).all()
    assert np.isnan(found.gradient[1:]).all()
    with pytest.raises(ModelError, match="measure 'start': it has no derivative"):
        kt.sensitivity(model, 0.1, measures, q={"a": q["a"][1:]}, **given)


def test_what_is_not_made_of_many_runs_is_refused() -> None:
    model = systems.double_pendulum()
    q = {"a": np.array([0.1, 0.2])}
    with pytest.raises(UnsupportedError, match="order=2"):
        kt.sensitivity(model, 0.1, {"e": kt.final("q_b")}, by=["q0.a"], q=q, order=2)
    with pytest.raises(UnsupportedError, match="equilibrium"):
        kt.sensitivity(model, measures={"e": kt.final("q_b")}, by=["upper.mass"], q=q,
                       at="equilibrium")  # fmt: skip
