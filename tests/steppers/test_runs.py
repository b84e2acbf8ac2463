"""Runs: batches, derivatives of a step, user states, failures, storage."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests import mechanisms
from tests.approx import AT_STATES, CLOSED, IDENTITY, ITERATED, RUN
from tests.steppers import systems

import kinetree as kt
from kinetree.errors import KinetreeError
from kinetree.integrate import Stepper
from kinetree.program import Newton, Scheme
from kinetree.steppers import FAMILIES, step_program
from kinetree.steppers.formulations import structural

SLOPE = 1e-6  # difference quotients

ROOT = 1e-30


@pytest.mark.parametrize("method", FAMILIES)
def test_batch_equals_single(method: str) -> None:
    stepper = Stepper(systems.double_pendulum(), method=method)
    starts = np.random.default_rng(0).normal(size=(11, 2))
    many = stepper.run(0.5, 0.01, every=10, q=starts)
    assert many.q.shape == (11, 6, 2)
    for k in (0, 7, 10):
        one = stepper.run(0.5, 0.01, every=10, q=starts[k])
        np.testing.assert_allclose(many.q[k], one.q, rtol=ITERATED, atol=IDENTITY)


def test_batch_of_parameters() -> None:
    stepper = Stepper(mechanisms.slider_crank(), "hybrid")
    masses = np.linspace(0.5, 3, 9)
    many = stepper.run(0.3, 0.01, parameters={"rod.mass": masses})
    one = stepper.run(0.3, 0.01, parameters={"rod.mass": masses[4]})
    np.testing.assert_allclose(many.q[4], one.q, rtol=AT_STATES, atol=ITERATED)
    assert np.abs(many.q[0] - many.q[8]).max() > 1e-3


@pytest.mark.parametrize("formulation", ["hybrid", "topological", "global"])
def test_loops_close_with_the_lengths_of_each_run(formulation: str) -> None:
    model = mechanisms.slider_crank()
    stepper = Stepper(model, formulation)
    port = stepper.ports["p"]
    lengths = port.default_array[port.labels.index("rod.end_x")] * np.array([0.9, 1.0, 1.1])
    many = stepper.run(0.05, 5e-3, parameters={"rod.end_x": lengths})
    gap = kt.derive(model, "constraints")
    p = np.array(gap.input("p").default)
    for k, length in enumerate(lengths):
        alone = stepper.run(0.05, 5e-3, parameters={"rod.end_x": length})
        assert np.abs(alone.q - many.q[k]).max() < IDENTITY
        p[gap.input("p").labels.index("rod.end_x")] = length
        assert np.abs(gap.evaluate(q=alone.q[0], qd=alone.qd[0], p=p)["h"]).max() < CLOSED


@pytest.mark.parametrize("formulation", ["hybrid", "topological", "global"])
@pytest.mark.parametrize("method", ["trapezoidal", "hht"])
def test_names_inside_iterations_mean_one_thing(
    formulation: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clashes = []
    write = structural.write_newton

    def watched(outer: Scheme, inner: Scheme, *args: Any, **options: Any) -> Newton:
        clashes.append(targets(outer) & targets(inner))
        return write(outer, inner, *args, **options)

    monkeypatch.setattr(structural, "write_newton", watched)
    model = mechanisms.slider_crank()
    model.drive("q1", lambda t: 3 * t + 0.1)
    step_program(model, formulation, method)
    assert clashes == [set()]


def targets(scheme: Scheme) -> set[str]:
    """Names that the equations of a scheme define."""
    return {target.name for block in scheme.program().blocks for target in block.targets}


def test_lengths_that_close_no_loop_are_told() -> None:
    stepper = Stepper(mechanisms.four_bar(), "hybrid")
    with pytest.raises(KinetreeError, match=r"closure .* does not close"):
        stepper.run(0.05, 5e-3, parameters={"ground.foot_x": 100.0})


def test_batch_of_the_methods_parameter() -> None:
    stepper = Stepper(systems.double_pendulum(), method="generalised_alpha")
    radii = np.linspace(0, 1, 8)
    many = stepper.run(0.5, 0.01, inputs={"rho_inf": radii})
    one = stepper.run(0.5, 0.01, inputs={"rho_inf": radii[2]})
    np.testing.assert_allclose(many.q[2], one.q, rtol=ITERATED, atol=IDENTITY)


def test_kept_states_and_slices() -> None:
    stepper = Stepper(systems.pendulum())
    seen: list[int] = []
    run = stepper.run(5.0, 0.001, every=500, progress=lambda done, _: seen.append(done))
    whole = stepper.run(5.0, 0.001)
    np.testing.assert_array_equal(run.q, whole.q[::500])
    assert seen == [2000, 4000, 5000]


def test_series_of_forces() -> None:
    stepper = Stepper(systems.pendulum())
    constant = stepper.run(0.5, 0.01, inputs={"tau": [2.0]})
    rows = stepper.run(0.5, 0.01, series={"tau": np.full((50, 1), 2.0)}, inputs={"tau": [2.0]})
    np.testing.assert_array_equal(constant.q, rows.q)


@pytest.mark.parametrize("method", ["trapezoidal", "generalised_alpha", "rk4"])
@pytest.mark.parametrize("build", [systems.double_pendulum, systems.top, systems.thrown])
def test_derivative_by_the_state(build, method: str) -> None:
    model = build()
    program = step_program(model, method=method)
    state = [out.name.removesuffix("_next") for out in program.outputs if "_next" in out.name]
    made = program.derivative([f"{n}_next" for n in state], state).compile()
    rng = np.random.default_rng(2)
    given = {n: rng.normal(size=program.input(n).shape) for n in state}
    given["q"] = model.initial()
    given["h"] = np.asarray(0.01)
    found = made(**given)
    for by in state:
        for k in range(len(given[by])):
            moved = {n: v.astype(complex) for n, v in given.items()}
            moved[by][k] += 1j * ROOT
            exact = program.evaluate(**moved)
            for of in state:
                column = exact[f"{of}_next"].imag / ROOT
                got = found[f"d{of}_next_d{by}"][:, k]
                scale = max(1.0, np.abs(column).max())
                np.testing.assert_allclose(got, column, atol=RUN * scale)


@pytest.mark.parametrize(
    ("formulation", "options"),
    [("hybrid", {}), ("hybrid", {"tangent": "approximate"}), ("topological", {})],
)
def test_derivative_of_a_closed_step(formulation: str, options: dict[str, str]) -> None:
    model = mechanisms.slider_crank()
    program = step_program(model, formulation, tolerance=1e-9, **options)
    start = Stepper(model, "hybrid").run(0.05, 0.01)
    given = {"q": start.q[-1], "qd": start.qd[-1], "qdd": start.qdd[-1], "lam": start.lam[-1]}
    given["h"] = np.asarray(0.01)
    names = {row.name for row in program.inputs}
    given = {name: value for name, value in given.items() if name in names}
    derived = program.derivative("q_next", "qd")
    names = {row.name for row in derived.inputs}
    made = derived.evaluate(**{n: v for n, v in given.items() if n in names})["dq_next_dqd"]
    step = 1e-5
    for k in range(3):
        ends = []
        for sign in (1, -1):
            moved = {n: np.array(v) for n, v in given.items()}
            moved["qd"][k] += sign * step
            ends.append(program.evaluate(**moved)["q_next"])
        np.testing.assert_allclose(made[:, k], (ends[0] - ends[1]) / (2 * step), atol=SLOPE)


def filtered() -> kt.Model:
    """An oscillator whose force follows its place with a lag: m qdd = -k x, xd = (q - x)/T."""
    model = kt.Model("filtered", gravity=(0, 0, 0))
    body = model.body("mass", mass=1.0)
    model.prismatic("q", model.ground, body, axis="x", initial=1.0)
    model.state("x", initial=0.2, rate=lambda q, qd, t, x: (q["q"] - x["x"]) / 0.3)
    model.joint_law("pull", "q", lambda q, qd, t, x: -4 * x["x"] - 0.5 * qd["q"])
    return model


@pytest.mark.parametrize("method", FAMILIES)
def test_user_states(method: str) -> None:
    from scipy.linalg import expm

    A = np.array([[0, 1, 0], [0, -0.5, -4], [1 / 0.3, 0, -1 / 0.3]])
    exact = expm(A) @ [1.0, 0.0, 0.2]
    stepper = Stepper(filtered(), method=method)
    errors = []
    for h in (0.02, 0.01, 0.005):
        run = stepper.run(1.0, h)
        end = np.concatenate([run.q[-1], run.qd[-1], run.x[-1]])
        errors.append(np.abs(end - exact).max())
    order = FAMILIES[method].order
    assert np.log2(errors[1] / errors[2]) == pytest.approx(order, abs=0.2)


def test_failure_is_told_and_the_rest_is_kept() -> None:
    model = kt.Model("cliff", gravity=(0, 0, 0))
    body = model.body("mass", mass=1.0)
    model.prismatic("x", model.ground, body, axis="x", initial=1.0)
    from kinetree.engine import sqrt

    model.joint_law("pull", "x", lambda q, qd, t: -sqrt(q["x"]))
    run = Stepper(model).run(5.0, 0.01)
    assert run.report.end == "not solved"
    assert 1.0 < run.report.t < 3.0
    assert len(run.q) == run.report.steps + 1
    assert np.isfinite(run.q).all()
    assert "'x'" in run.report.message
    assert f"step {run.report.steps + 1}" in run.report.message


def test_mistakes_are_told() -> None:
    with pytest.raises(KinetreeError, match="method"):
        step_program(systems.pendulum(), method="trapezodial")
    with pytest.raises(KinetreeError, match="option"):
        step_program(systems.pendulum(), penalti=3)
    with pytest.raises(KinetreeError, match="does not fit"):
        step_program(mechanisms.slider_crank(), "tree")
    with pytest.raises(KinetreeError, match="does not fit"):
        step_program(mechanisms.slider_crank(), "hybrid", "rk4")
    with pytest.raises(KinetreeError, match="input"):
        Stepper(systems.pendulum()).run(1.0, 0.1, inputs={"force": 1})


@pytest.mark.parametrize("formulation", ["tree", "hybrid", "topological"])
@pytest.mark.parametrize("update", ["iteration", "step"])
def test_a_model_that_is_driven_altogether_follows_its_laws(formulation: str, update: str) -> None:
    model = systems.pendulum()
    model.drive("q", lambda t: 0.3 * t + 0.1)
    run = kt.simulate(model, 0.5, formulation=formulation, step=0.1, update=update)
    np.testing.assert_allclose(run.q[-1, 0], 0.25, rtol=IDENTITY)


def test_natural_coordinates_of_a_model_that_is_driven_altogether_are_refused() -> None:
    model = systems.pendulum()
    model.drive("q", lambda t: 0.3 * t + 0.1)
    with pytest.raises(KinetreeError, match=r"'pendulum': drives give the motion.*choose tree"):
        kt.simulate(model, 0.5, formulation="global", step=0.1)
