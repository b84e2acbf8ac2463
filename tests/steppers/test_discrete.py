"""The discrete dynamics of a model: values and derivatives of x⁺ = f(x, u) as a whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests import mechanisms, zoo
from tests.approx import AT_STATES, FORMALISM, TRAJECTORY, assert_close

import kinetree as kt
from kinetree.errors import UnsupportedError
from kinetree.steppers import discrete_program, step_program

SLOPE = 1e-5  # difference quotients of a step

H = 0.01
WAYS = ("rk4", "semi_implicit_euler", "trapezoidal", "newmark")


def arm() -> tuple[kt.Model, dict[str, Any]]:
    model = zoo.chain(3)
    state = zoo.state(model, 4)
    return model, {name: state[name] for name in ("q", "qd", "tau")}


def differences(function: Any, given: dict[str, Any], of: str, by: str) -> np.ndarray:
    """∂of/∂by by central differences."""
    columns = []
    for k in range(len(given[by])):
        ends = []
        for sign in (1, -1):
            moved = given[by].copy()
            moved[k] += sign * 1e-5
            ends.append(function(**{**given, by: moved})[of])
        columns.append((ends[0] - ends[1]) / 2e-5)
    return np.stack(columns, axis=-1)


@pytest.mark.parametrize("method", WAYS)
def test_it_is_the_step_with_its_own_accelerations(method: str) -> None:
    model, given = arm()
    qdd = kt.derive(model, "forward").evaluate(**given)["qdd"]
    step = step_program(model, method=method).evaluate(**given, qdd=qdd, h=H)
    found = discrete_program(model, method).evaluate(**given, h=H)
    assert set(found) == {"q_next", "qd_next"}
    for name, value in found.items():
        assert_close(value, step[name], FORMALISM, f"{method} {name}")


def test_semi_implicit_euler_moves_velocities_by_h_over_m() -> None:
    model, given = arm()
    program = discrete_program(model, "semi_implicit_euler").derivative("qd_next", "tau")
    M = kt.derive(model, "mass_bias").evaluate(q=given["q"], qd=given["qd"])["M"]
    found = program.evaluate(**given, h=H)["dqd_next_dtau"]
    assert_close(found, H * np.linalg.inv(M), FORMALISM)


def rk4(rates: Any, q: Any, qd: Any, tau: Any) -> np.ndarray:
    """The velocities at the end of a classical Runge–Kutta step, by hand."""
    k = [(qd, rates(q=q, qd=qd, tau=tau)["qdd"])]
    for weight in (H / 2, H / 2, H):
        v = qd + weight * k[-1][1]
        k.append((v, rates(q=q + weight * k[-1][0], qd=v, tau=tau)["qdd"]))
    return qd + H / 6 * (k[0][1] + 2 * k[1][1] + 2 * k[2][1] + k[3][1])


def test_rk4_is_the_one_written_by_hand() -> None:
    model, given = arm()
    rates = kt.derive(model, "forward").compile()
    program = discrete_program(model, "rk4")
    assert_close(program.evaluate(**given, h=H)["qd_next"], rk4(rates, **given), FORMALISM)
    expected = differences(lambda **x: {"qd_next": rk4(rates, **x)}, given, "qd_next", "tau")
    found = program.derivative("qd_next", "tau").evaluate(**given, h=H)["dqd_next_dtau"]
    assert_close(found, expected, TRAJECTORY)


@pytest.mark.parametrize("way", ["hybrid", "topological", "explicit"])
def test_closed_systems(way: str) -> None:
    model = mechanisms.slider_crank()
    method = "rk4" if way == "explicit" else "trapezoidal"
    program = discrete_program(model, method, way)
    names = {row.name for row in program.inputs}
    assert names <= {"q", "qd", "tau", "h", "p"}
    run = kt.simulate(
        model, 0.01, qd={"q1": 1.0}, tau={"q1": 3.0}, formulation=way, method=method,
        step=0.01,
    )  # fmt: skip
    given = {"q": run.q.values[0], "qd": run.qd.values[0], "tau": np.array([3.0, 0, 0])}
    found = program.evaluate(**given, h=0.01)
    assert_close(found["q_next"], run.q.values[1], AT_STATES)
    assert_close(found["qd_next"], run.qd.values[1], AT_STATES)


def test_states_time_and_parameters() -> None:
    model = kt.Model("lagged", gravity=(0, 0, 0))
    mass = model.parameter("m", 2.0, unit="kg")
    model.prismatic("s", model.ground, model.body("b", mass=mass))
    model.state("lag", 0.0, lambda x, q, t: 3 * (q["s"] + t - x["lag"]))
    model.joint_law("pull", "s", lambda x: x["lag"])
    program = discrete_program(model, "semi_implicit_euler")
    given = {"q": [0.5], "qd": [1.0], "x": [0.25], "tau": [1.0], "t": 0.125, "h": 0.1}
    out = program.evaluate(**given, p=[4.0])
    assert_close(out["qd_next"], [1 + 0.1 * (1.0 + 0.25) / 4], FORMALISM)
    assert_close(out["x_next"], [0.25 + 0.1 * 3 * (0.5 + 0.125 - 0.25)], FORMALISM)


@pytest.mark.parametrize(
    ("method", "formulation", "said"),
    [
        ("generalised_alpha", None, r"method 'generalised_alpha'.*'rk4'"),
        ("hht", None, r"method 'hht'.*weighed accelerations"),
        ("trapezoidal", "global", r"formulation 'global'.*state"),
    ],
)
def test_steps_with_more_state_are_refused(method: str, formulation: Any, said: str) -> None:
    with pytest.raises(UnsupportedError, match=said):
        discrete_program(zoo.chain(2), method, formulation)


def buoy() -> kt.Model:
    """A body that turns about a point, with a slider, a lagging push and a time."""
    model = kt.Model("buoy", gravity=(0, 1.0, -9.81))
    hull = model.body("hull", 2.0, (0.1, 0.2, -0.5), (0.3, 0.4, 0.2, 0.01, 0.02, 0.03))
    model.spherical("ball", model.ground, hull)
    model.prismatic("slide", hull, model.body("weight", 0.5, inertia=(0.1, 0.1, 0.1)), axis="x")
    model.state("lag", 0.1, lambda x, q, t: 2 * (q["slide"] + t - x["lag"]))
    model.joint_law("push", "slide", lambda x, qd: x["lag"] - qd["slide"] ** 2)
    return model


@pytest.mark.parametrize("method", WAYS)
def test_a_and_b_against_differences_of_the_step(method: str) -> None:
    model, fixed = buoy(), {"h": H, "t": 0.3}
    state = zoo.state(model, 4)
    given = {**{name: state[name] for name in ("q", "qd", "tau")}, "x": np.array([0.4])}
    program = kt.discretise(model, method)
    found = program.evaluate(**given, **fixed)
    step = discrete_program(model, method)
    middle = step.evaluate(**given, **fixed)

    def end(name: str, change: np.ndarray) -> np.ndarray:
        moved = model.integrate(given["q"], change) if name == "q" else given[name] + change
        out = step.evaluate(**{**given, name: moved}, **fixed)
        turned = model.difference(middle["q_next"], out["q_next"])
        return np.concatenate([turned, out["qd_next"], out["x_next"]])

    def slopes(name: str, size: int) -> np.ndarray:
        columns = [(end(name, e) - end(name, -e)) / 2e-5 for e in 1e-5 * np.eye(size)]
        return np.stack(columns, axis=-1)

    A = np.hstack([slopes("q", model.nv), slopes("qd", model.nv), slopes("x", 1)])
    assert_close(found["q_next"], middle["q_next"], FORMALISM)
    assert_close(found["A"], A, TRAJECTORY, "A")
    assert_close(found["B"], slopes("tau", model.nv), SLOPE, "B")


def test_inputs_of_a_controller_are_chosen() -> None:
    model, given = arm()
    whole = kt.discretise(model, "semi_implicit_euler").evaluate(**given, h=H)
    chosen = [model.velocities[2], model.velocities[0]]
    some = kt.discretise(model, "semi_implicit_euler", inputs=chosen).evaluate(**given, h=H)
    assert_close(some["B"], whole["B"][:, [2, 0]], FORMALISM)
    assert_close(some["A"], whole["A"], FORMALISM)


def test_discretised_closed_system_stays_on_its_loops() -> None:
    model = mechanisms.slider_crank()
    program = kt.discretise(model, "semi_implicit_euler", inputs=["q1"])
    start = kt.simulate(model, 0.01, qd={"q1": 1.0})
    q, qd = start.q.values[0], start.qd.values[0]
    out = program.evaluate(q=q, qd=qd, tau=np.zeros(3), h=0.01)
    step = discrete_program(model, "semi_implicit_euler")
    h = kt.derive(model, "constraints").evaluate(q=out["q_next"], qd=out["qd_next"])["h"]
    assert np.abs(h).max() < AT_STATES
    ends = [
        step.evaluate(q=q, qd=qd, tau=np.array([push, 0, 0]), h=0.01)["qd_next"]
        for push in (-1e-3, 1e-3)
    ]
    assert_close(out["B"][3:, 0], (ends[1] - ends[0]) / 2e-3, TRAJECTORY)
