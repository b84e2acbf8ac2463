"""Runs that begin at the equilibrium of their own parameters, and their derivatives."""

from __future__ import annotations

from cmath import sin, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt
import lengths
from approx import CLOSED, GOLDEN, LONG_RUN, TRAJECTORY, assert_close
from kinetree.errors import KinetreeError, ModelWarning

WEIGHT = {"k": 200.0, "b.mass": 2.0, "rate": 3.0, "qd0.z": 0.4}
G, T = 9.81, 0.7


def hung() -> kt.Model:
    """A mass on a spring, pulled by a force that grows with time."""
    model = kt.Model("hung", gravity=(0, 0, -G))
    model.prismatic("z", model.ground, model.body("b", mass=2.0), axis="z")
    k, rate = model.parameter("k", 200.0, "N/m"), model.parameter("rate", 3.0, "N/s")
    model.joint_spring("spring", "z", stiffness=k)
    model.joint_law("pull", "z", lambda t: rate * t)
    return model


def height(k: complex, m: complex, a: complex, v: complex) -> complex:
    """Where it is: it begins at rest, at -m g/k, with the speed v."""
    w = sqrt(k / m)
    return -m * G / k + a / k * (T - sin(w * T) / w) + v / w * sin(w * T)


def slope(number: int) -> float:
    """Derivative of the height by one of its arguments."""
    values = [complex(x) for x in WEIGHT.values()]
    values[number] += 1e-30j
    return height(*values).imag / 1e-30


def quarter_car() -> kt.Model:
    """A wheel on a tyre and a body on a spring, over a bump that comes later."""
    model = kt.Model("quarter", gravity=(0, 0, -G))
    k, d = model.parameter("k", 2e4, "N/m"), model.parameter("d", 1500.0, "N.s/m")
    wheel, body = model.body("wheel", mass=40.0), model.body("body", mass=300.0)
    model.prismatic("wheel", model.ground, wheel, axis="z")
    model.prismatic("body", wheel, body, axis="z")
    model.joint_spring("strut", "body", stiffness=k, rest=0.5, damping=d)
    model.joint_law(
        "tyre", "wheel",
        lambda q, t: -2e5 * (q["wheel"] - 0.05 * kt.functions.exp(-((t - 0.3) ** 2) / 0.005)),
    )  # fmt: skip
    return model


@pytest.mark.parametrize("method", ["direct", "adjoint"])
def test_a_hung_mass_against_its_closed_form(method: str) -> None:
    found = kt.sensitivity(
        hung(), T, {"end": kt.final("q_z")}, by=list(WEIGHT), begin="equilibrium", qd={"z": 0.4},
        method=method, rtol=1e-12, atol=1e-14,
    )  # fmt: skip
    assert_close(found.value, [height(*WEIGHT.values()).real], TRAJECTORY)
    assert_close(found.gradient, [[slope(k) for k in range(4)]], TRAJECTORY)


STEPPED = {"formulation": "tree", "integrator": "trapezoidal", "step": 0.01}
CASES: dict[str, tuple[Any, Any, dict[str, float], dict[str, Any]]] = {
    "quarter car": (quarter_car, "q_body", {"k": 2e4, "d": 1500.0, "body.mass": 300.0}, {}),
    "in equal steps": (
        quarter_car, "q_body", {"k": 2e4, "d": 1500.0, "gravity_z": -G}, STEPPED),
    "loop": (lengths.four_bar, "q_c", {"crank": 1.0, "base": 2.0}, {"q": {"a": -1.5}}),
}  # fmt: skip


def from_rest(model: kt.Model, seen: str, value: dict[str, float], run: dict[str, Any]) -> float:
    """The end of a run from the equilibrium, found and run by other functions."""
    rest = kt.equilibrium(model, q=run.get("q"), parameters=value)
    how = {"method": run["integrator"], "step": run["step"]} if "step" in run else {
        "rtol": 1e-11, "atol": 1e-13
    }  # fmt: skip
    more = {"formulation": run["formulation"]} if "step" in run else {}
    speed = {model.velocities[0]: 0.2}
    made = kt.simulate(model, 0.5, at=rest, qd=speed, **how, **more)
    return float(made.q.sel(coordinate=seen.removeprefix("q_")).isel(time=-1))


@pytest.mark.parametrize("name", CASES)
def test_against_differences_of_runs_from_equilibria(name: str) -> None:
    make, seen, values, run = CASES[name]
    model = make()
    tight = {} if "step" in run else {"rtol": 1e-11, "atol": 1e-13}
    given = {"by": [*values], "begin": "equilibrium", "qd": {model.velocities[0]: 0.2}, **run}
    measures = {"end": kt.final(seen)}
    one = kt.sensitivity(model, 0.5, measures, method="direct", **given, **tight)
    two = kt.sensitivity(model, 0.5, measures, method="adjoint", **given, **tight)
    assert_close(one.gradient, two.gradient, GOLDEN)
    assert_close(one.value, [from_rest(model, seen, {}, run)], TRAJECTORY)
    for label, x in values.items():
        h = 1e-4 * abs(x)
        high, low = (from_rest(model, seen, {label: x + step}, run) for step in (h, -h))
        assert_close(one.gradient.sel(parameter=label), [(high - low) / (2 * h)], LONG_RUN, label)


def test_what_is_locked_is_let_go() -> None:
    """Held at 0 while the other rests, it falls as soon as the run begins."""
    model = hung()
    load = model.body("load", mass=0.5)
    model.prismatic("hook", model.bodies["b"], load, axis="x")
    model.joint_law("push", "hook", lambda t: 2.0 + 0 * t)
    found = kt.sensitivity(
        model, 0.3, {"x": kt.final("q_hook"), "z": kt.final("q_z")}, by=["load.mass"],
        begin="equilibrium", locked=["hook"], parameters={"rate": 0.0},
    )  # fmt: skip
    m, t = 0.5, 0.3
    assert_close(found.value, [2.0 / m * t**2 / 2, -(2.0 + m) * G / 200.0], CLOSED)
    assert_close(found.gradient[:, 0], [-2.0 / m**2 * t**2 / 2, -G / 200.0], CLOSED)


@pytest.mark.parametrize("run", [{}, STEPPED], ids=["rates", "lanes"])
def test_every_run_of_a_sweep_begins_at_its_own_rest(run: dict[str, Any]) -> None:
    model, values = quarter_car(), [1.5e4, 2e4, 3e4]
    given = {"begin": "equilibrium", **run}
    many = kt.sweep(model, 0.5, kt.run_list({"k": values}), {"end": kt.final("q_body")}, **given)
    for k, value in zip(values, many["end"].values, strict=True):
        one = kt.sensitivity(
            model, 0.5, {"end": kt.final("q_body")}, by=[], parameters={"k": k}, **given
        )
        assert_close(one.value, [value], CLOSED)


@pytest.mark.parametrize("run", [{}, STEPPED], ids=["rates", "lanes"])
def test_a_run_without_a_rest_is_a_row_with_its_reason(run: dict[str, Any]) -> None:
    model, plan = quarter_car(), kt.run_list({"k": [0.0, 2e4]})
    many = kt.sweep(model, 0.1, plan, {"end": kt.final("q_body")}, begin="equilibrium", **run)
    assert "nothing holds 'body'" in str(many.reason[0].values)
    assert np.isfinite(many["end"][1])


@pytest.mark.parametrize("method", ["direct", "adjoint"])
def test_gradients_of_many_runs_are_those_of_single_ones(method: str) -> None:
    """Adjoints in lanes, others on threads; a run that has no rest is a row of NaN."""
    model, k = quarter_car(), [1.5e4, 0.0, 2e4]
    given = {"by": ["k", "d"], "begin": "equilibrium", **STEPPED, "method": method}
    measures = {"end": kt.final("q_body")}
    with pytest.warns(ModelWarning, match="nothing holds .body."):
        many = kt.sensitivity(model, 0.2, measures, parameters={"k": k}, **given)
    assert "nothing holds 'body'" in str(many.reason[1].values)
    assert np.isnan(many.gradient[1]).all()
    for number, value in {0: k[0], 2: k[2]}.items():
        one = kt.sensitivity(model, 0.2, measures, parameters={"k": value}, **given)
        assert_close(many.gradient[number], one.gradient, CLOSED)


def test_an_optimum_does_not_pay_for_a_first_fall() -> None:
    """Begun at rest, a flat road shakes nobody; begun as drawn, all springs do."""
    flat = quarter_car()
    flat.forces.pop("tyre")
    flat.joint_law("tyre", "wheel", lambda q: -2e5 * q["wheel"])
    seat, over = kt.rms("qdd_body"), {"k": (1e4, 4e4)}
    run = {"over": over, "evaluations": 5, "start": {"k": 2e4}}
    drawn = kt.optimise(flat, 0.5, seat, **run)
    rested = kt.optimise(flat, 0.5, seat, **run, begin="equilibrium")
    assert rested.value < TRAJECTORY * drawn.value
    bumpy = kt.optimise(quarter_car(), 0.6, seat, **run, begin="equilibrium")
    assert bumpy.gradient_error < TRAJECTORY


def test_a_study_of_a_file_says_so(tmp_path: Path) -> None:
    model = quarter_car()
    model.study(
        "soft", 0.4, {"k": (1e4, 4e4)}, {"seat": "rms(qdd_body)"}, minimise=["seat"],
        run={"begin": "equilibrium", "locked": []}, plan={"kind": "grid", "runs": 3},
    )  # fmt: skip
    kt.save(model, tmp_path / "car.yaml")
    again = kt.load(tmp_path / "car.yaml")
    found = kt.sweep(again, study="soft")
    asked = kt.sweep(
        model, 0.4, kt.grid({"k": [1e4, 2.5e4, 4e4]}), {"seat": kt.rms("qdd_body")},
        begin="equilibrium",
    )  # fmt: skip
    assert_close(found.seat, asked.seat, CLOSED)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"begin": "rest"}, "begin"),
        ({"by": ["q0.body"]}, "follows from the equilibrium"),
        ({"order": 2}, "no second derivatives"),
        ({"at": "equilibrium"}, "has no beginning"),
        ({"begin": "given", "locked": ["body"]}, "begin=\"equilibrium\""),
        ({"locked": ["bodi"]}, "there is no coordinate 'bodi'"),
        ({"parameters": {"k": 0.0}}, "nothing holds 'body'"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_by_name(options: dict[str, Any], said: str) -> None:
    given = {"by": ["d"], "begin": "equilibrium", **options}
    length = None if "at" in options else 0.2
    with pytest.raises(KinetreeError, match=said):
        kt.sensitivity(quarter_car(), length, {"end": kt.final("q_body")}, **given)


def test_a_sweep_varies_of_the_start_what_is_held() -> None:
    """The carriage is held anywhere while the rest settles; what settles cannot be given."""
    model, measures = quarter_car(), {"end": kt.final("q_body")}
    places = kt.run_list({"q0.wheel": [0.0, 0.02]})
    given = {"begin": "equilibrium", "locked": ["wheel"]}
    many = kt.sweep(model, 0.1, places, {"start": kt.at_time("q_wheel", 0.0)}, **given)
    assert_close(many.start, [0.0, 0.02], CLOSED)
    with pytest.raises(KinetreeError, match=r"'q0\.body': it follows from the equilibrium"):
        kt.sweep(model, 0.1, kt.run_list({"q0.body": [0.5]}), measures, **given)
