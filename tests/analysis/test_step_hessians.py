"""Second derivatives of runs in equal steps: differences of gradients, closed forms, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kinetree as kt
from analysis import systems
from analysis.test_many_gradients import value_of
from analysis.test_sensitivity import oscillator
from analysis.test_step_sensitivity import CASES, COUNT, STEP, pushed
from approx import CLOSED, COARSE_RUN, IDENTITY, LONG_RUN, READ_OFF, assert_close

SIZE = 1e-5
KINDS = {"q0": "q", "qd0": "qd", "x0": "x", "tau": "tau"}


def smooth(measures: dict[str, Any]) -> dict[str, Any]:
    """Those that have second derivatives."""
    return {name: row for name, row in measures.items() if not row.peaks}


def moved(model: kt.Model, by: list[str], way: Any, run: dict[str, Any]) -> dict[str, Any]:
    """The options of a run whose variables have moved."""
    found = {**run}
    for name, change in zip(by, way, strict=True):
        kind, _, label = name.partition(".")
        if kind in KINDS:
            own = dict(zip(model.coordinates, model.initial(), strict=True)) if kind == "q0" else {}
            own |= found.get(KINDS[kind], {})
            found[KINDS[kind]] = {**found.get(KINDS[kind], {}), label: own.get(label, 0.0) + change}
        else:
            now = value_of(model, name)
            found["parameters"] = {**found.get("parameters", {}), name: now + change}
    return found


@pytest.mark.parametrize("name", CASES)
def test_against_differences_of_gradients(name: str) -> None:
    make, all_measures, by, run = CASES[name]
    measures, model = smooth(all_measures), make()
    given = {"measures": measures, "by": by, "step": STEP, "tolerance": 1e-12}
    found = kt.sensitivity(model, STEP * COUNT, order=2, **given, **run).hessian
    sizes = np.array([max(1.0, abs(value_of(model, x))) if "0." not in x and "tau" not in x else 1.0
                      for x in by])  # fmt: skip
    way = sizes * np.random.default_rng(1).uniform(0.5, 1.5, len(by))
    high, low = (
        kt.sensitivity(
            model, STEP * COUNT, method="adjoint", **given, **moved(model, by, h * way, run)
        ).gradient
        for h in (SIZE, -SIZE)
    )
    for measure in measures:
        change = (high - low).sel(measure=measure).values / (2 * SIZE)
        rows = found.sel(measure=measure).values
        scale = float(np.abs(sizes[:, None] * rows * way).max())
        # multipliers are found by the last iteration, whose rest differences amplify
        tolerance = COARSE_RUN if measure == "force" else LONG_RUN
        assert_close(sizes * (rows @ way), sizes * change, tolerance, measure, scale)


def test_the_oscillator_with_the_order_of_the_method() -> None:
    by, exact = ["c", "m", "qd0.y"], 3 / 8 - np.pi**2 / 32
    errors = []
    for count in (100, 200):
        found = kt.sensitivity(
            oscillator(), np.pi / 2, {"end": kt.final("q_y")}, by=by, qd={"y": 0.5}, order=2,
            integrator="trapezoidal", step=np.pi / 2 / count, tolerance=1e-13,
        ).hessian[0]  # fmt: skip
        assert_close(found.values, found.values.T, IDENTITY)
        errors.append(abs(float(found[0, 0]) - exact))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)


def test_every_kind_of_measure_and_many_variables() -> None:
    model = oscillator()
    model.wrench("push", model.bodies["body"])
    by = ["c", "qd0.y", "q0.y", "m", "tau.y", "push.fx", "spring.rest", "gravity_x",
          "spring.damping"]  # fmt: skip
    parts = {"a": kt.rms("qd_y"), "b": kt.at_time("q_y", 0.777)}
    measures = {
        "square": kt.mean_square("qdd_y"), "data": kt.misfit("q_y", [0.3, 0.61], [0.1, 0.2]),
        "work": kt.integral("q_y*qd_y**2"), "both": kt.function_of("a*b + a**2", **parts),
    }  # fmt: skip
    given: dict[str, Any] = {"qd": {"y": 0.5}, "by": by, "measures": measures}
    steps = {"integrator": "trapezoidal", "step": 0.01, "tolerance": 1e-13}
    found = kt.sensitivity(model, 1.0, order=2, **given, **steps)
    high, low = (
        kt.sensitivity(model, 1.0, parameters={"spring.damping": x}, **given, **steps).gradient
        for x in (SIZE, -SIZE)
    )
    change = (high - low) / (2 * SIZE)
    for measure in measures:
        rows = found.hessian.sel(measure=measure, parameter2="spring.damping")
        assert_close(rows, change.sel(measure=measure), CLOSED, measure)
    few = ["c", "qd0.y", "spring.damping"]
    exact = kt.sensitivity(model, 1.0, order=2, **{**given, "by": few}).hessian
    assert_close(found.hessian.sel(parameter=few, parameter2=few), exact, READ_OFF)


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "peak": ({"measures": {"m": kt.peak("q_b")}}, "measure 'm': it has no second"),
    "duration": ({"by": ["upper.mass", "duration"]}, "by, 'duration': there are no second"),
    "memory": ({"memory": 1e5}, "memory"),
    "place": ({"at": "equilibrium", "duration": None}, "order"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused(name: str) -> None:
    changed, said = BAD[name]
    run: dict[str, Any] = {"measures": {"m": kt.final("q_b")}, "by": ["upper.mass"],
                           "duration": 0.1, **changed}  # fmt: skip
    with pytest.raises(kt.errors.KinetreeError, match=said):
        kt.sensitivity(
            systems.double_pendulum(), run.pop("duration"), order=2, integrator="hht", step=0.01,
            **run,
        )  # fmt: skip


def test_laws_whose_slope_jumps_are_refused() -> None:
    run: dict[str, Any] = {"by": ["m"], "integrator": "trapezoidal", "step": 0.002, "order": 2}
    measures = {"v": kt.final("qd_x")}
    with pytest.raises(kt.errors.UnsupportedError, match=r"law .*: it or its slope jumps at t = "):
        kt.sensitivity(pushed(lambda x: 0.5 + x), 2.0, measures, **run)
    found = kt.sensitivity(pushed(lambda x: 1 + (x - 0.5) ** 2), 2.0, measures, **run)
    assert np.isfinite(found.hessian).all()
