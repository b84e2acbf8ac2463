"""What goes wrong is told with time, step and place; what was computed before is kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests import mechanisms
from tests.approx import CLOSED, COARSE_RUN, EQUAL_STEPS, LONG_RUN, TRAJECTORY
from tests.steppers import systems
from tests.steppers.test_hybrid import gaps

import kinetree as kt
from kinetree.engine import sqrt
from kinetree.errors import KinetreeError
from kinetree.integrate import Control, Stepper
from kinetree.steppers import step_program

WAYS = {
    "tree": (systems.double_pendulum, "tree", "trapezoidal"),
    "hybrid": (mechanisms.slider_crank, "hybrid", "trapezoidal"),
    "topological": (mechanisms.slider_crank, "topological", "trapezoidal"),
    "explicit": (mechanisms.slider_crank, "explicit", "rk4"),
}


def stepper(way: str, **options: Any) -> Stepper:
    build, formulation, method = WAYS[way]
    return Stepper(build(), formulation, method, **options)


@pytest.mark.parametrize("way", WAYS)
def test_arguments_that_make_no_run(way: str) -> None:
    made = stepper(way)
    for step in (0.0, -0.01, float("nan"), float("inf")):
        with pytest.raises(KinetreeError, match="step"):
            made.run(1.0, step)
    for duration in (0.0, -1.0, 1e-4, float("nan")):
        with pytest.raises(KinetreeError, match="duration"):
            made.run(duration, 0.01)
    with pytest.raises(KinetreeError, match="every"):
        made.run(1.0, 0.01, every=0)
    with pytest.raises(KinetreeError, match="parameter"):
        made.run(1.0, 0.01, parameters={"mas": 1.0})
    with pytest.raises(KinetreeError, match="input"):
        made.run(1.0, 0.01, inputs={"q": 1.0})
    nothing = np.full(made.model.nq, np.nan)
    with pytest.raises(KinetreeError):
        made.run(1.0, 0.01, q=nothing)
    with pytest.raises(KinetreeError, match="finite numbers"):
        made.run(1.0, 0.01, qd=np.full(made.model.nv, np.nan))


@pytest.mark.parametrize("way", WAYS)
def test_the_nearest_number_of_steps_is_made(way: str) -> None:
    run = stepper(way).run(0.1, 0.03)
    assert run.report.end == "finished"
    np.testing.assert_allclose(run.times, [0, 0.03, 0.06, 0.09])


@pytest.mark.parametrize("way", ["tree", "hybrid", "topological"])
def test_a_step_without_solution(way: str) -> None:
    build, formulation, method = WAYS[way]
    model = build()
    name = model.velocities[0]
    model.joint_law("cliff", name, lambda q, qd, t: sqrt(0.55 - t))
    run = Stepper(model, formulation, method).run(2.0, 0.01)
    report = run.report
    assert report.end == "not solved"
    assert report.t == pytest.approx(0.55, abs=0.011)
    assert len(run.q) == report.steps + 1
    assert np.isfinite(run.q).all()
    assert f"step {report.steps + 1}" in report.message
    assert f"t = {report.t:.6g} s" in report.message
    assert report.worst in report.message
    assert report.worst.startswith("force 'cliff' in joint")


def test_a_step_too_large_names_the_loop() -> None:
    run = Stepper(mechanisms.slider_crank(), "hybrid", limit=3).run(30.0, 1.5, qd={"q1": 2.5})
    assert run.report.end == "not solved"
    assert run.report.residual > 1
    assert "closure '" in run.report.worst or "of body '" in run.report.worst
    assert "smaller step" in run.report.message


def test_explicit_methods_tell_where_loops_do_not_close() -> None:
    run = stepper("explicit").run(50.0, 0.5, qd={"q1": 9.0})
    assert run.report.end == "not solved"
    assert run.report.message
    assert np.isfinite(run.q).all()


@pytest.mark.parametrize("way", ["hybrid", "topological", "explicit"])
def test_a_start_that_cannot_be_closed(way: str) -> None:
    made = stepper(way)
    with pytest.raises(KinetreeError) as told:
        made.run(1.0, 0.01, q=[0.1, 0.2, 1e7])
    assert "closure" in str(told.value) or "loop" in str(told.value) or "gap" in str(told.value)


@pytest.mark.parametrize("way", WAYS)
def test_interrupts_keep_what_was_made(way: str) -> None:
    made = stepper(way)

    def stop(done: int, wanted: int) -> None:
        if done >= 2000:
            raise KeyboardInterrupt

    run = made.run(10.0, 0.001, progress=stop)
    whole = made.run(2.0, 0.001)
    assert run.report.end == "interrupted"
    assert run.report.steps == 2000
    np.testing.assert_array_equal(run.q, whole.q)


def test_interrupts_of_batches_and_of_steps_of_their_own_choice() -> None:
    def stop(done: int, wanted: int) -> None:
        raise KeyboardInterrupt

    made = stepper("tree")
    starts = np.random.default_rng(0).normal(size=(3, 2))
    many = made.run(10.0, 0.001, q=starts, progress=stop, threads=1)
    assert {report.end for report in many.report} == {"interrupted"}
    assert np.isfinite(many.q[:, : many.report[0].steps + 1]).all()
    assert many.report[0].steps == 2000
    run = made.run_adaptive(np.linspace(0, 10, 1001), Control(1e-8), progress=stop)
    assert run.report.end == "interrupted"
    assert len(run.q) > 1
    assert np.isfinite(run.q).all()


def test_iterations_are_counted() -> None:
    # a linear system takes one, and a smooth motion in short steps few
    run = Stepper(systems.oscillator(3.0)).run(1.0, 0.01)
    assert run.report.iterations == 1
    assert run.report.most == 1
    made = stepper("hybrid")
    masses = np.linspace(0.5, 3, 9)
    many = made.run(0.3, 0.01, parameters={"rod.mass": masses})
    one = made.run(0.3, 0.01, parameters={"rod.mass": masses[8]})
    assert 1 < one.report.iterations < 4
    assert one.report.most >= one.report.iterations
    assert many.report[8].iterations == pytest.approx(one.report.iterations)
    assert many.report[8].most == one.report.most
    assert np.isnan(stepper("explicit").run(0.1, 0.01).report.iterations)


def test_independent_coordinates_are_chosen_anew() -> None:
    # the slider cannot tell where the crank is when it stands still
    model = mechanisms.slider_crank()
    made = Stepper(model, "topological")
    speed, h = {"q1": 1.7}, 0.002
    run = made.with_independent(("q3",)).run(3.0, h, qd=speed)
    assert run.report.end == "finished"
    assert run.report.partitions > 1
    assert len(run.q) == 1501
    good = made.run(3.0, h, qd=speed)
    assert good.report.partitions == 1
    np.testing.assert_allclose(run.q, good.q, atol=5e-3)
    assert max(gaps(model, run)) < CLOSED
    kept = made.with_independent(("q3",)).run(3.0, h, qd=speed, every=7)
    np.testing.assert_array_equal(kept.q, run.q[::7])


def test_a_choice_that_is_given_is_kept_and_told() -> None:
    made = Stepper(mechanisms.slider_crank(), "topological", independent=["q3"])
    run = made.run(3.0, 0.002, qd={"q3": -1.2})
    assert run.report.end == "not solved"
    assert "independent coordinates q3" in run.report.message


def lagging() -> kt.Model:
    """A slider-crank pulled by a state that follows it."""
    model = mechanisms.slider_crank()
    model.state("x", 0.2, lambda q, qd, t, x: (q["q1"] - x["x"]) / 0.1 + 0.2 * qd["q2"])
    model.joint_law("pull", "q1", lambda q, qd, t, x: -4 * x["x"] - 0.5 * qd["q1"])
    return model


@pytest.mark.parametrize("update", ["iteration", "step"])
@pytest.mark.parametrize("method", ["trapezoidal", "generalised_alpha"])
def test_topological_with_user_states(method: str, update: str) -> None:
    model = lagging()
    exact = Stepper(model, method="rk4").run(0.5, 1e-3)
    made = Stepper(model, "topological", method, update=update)
    errors = []
    for h in (0.01, 0.005):
        run = made.run(0.5, h)
        both = np.concatenate([run.q[-1] - exact.q[-1], run.x[-1] - exact.x[-1]])
        errors.append(np.abs(both).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.2)
    assert max(gaps(model, run)) < CLOSED


@pytest.mark.parametrize("method", ["trapezoidal", "hht"])
def test_topological_rolls(method: str) -> None:
    model = mechanisms.rolling_ball()
    speed = dict(zip(("float_wx", "float_wy", "float_wz"), (0.26, -0.09, 0.64), strict=True))
    exact = Stepper(model, method="rk4").run(1.0, 2e-3, qd=speed)
    made = Stepper(model, "topological", method)
    errors = [np.abs(made.run(1.0, h, qd=speed).q[-1] - exact.q[-1]).max() for h in (0.02, 0.01)]
    assert errors[-1] < EQUAL_STEPS
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.3)


@pytest.mark.parametrize("update", ["iteration", "step"])
@pytest.mark.parametrize("build", [lagging, mechanisms.rolling_ball])
def test_derivatives_of_a_topological_step(build: Any, update: str) -> None:
    model = build()
    program = step_program(model, "topological", tolerance=1e-9, update=update)
    rates = np.random.default_rng(1).normal(size=model.nv // 2)
    speed = dict(zip(model.velocities[: len(rates)], rates, strict=True))
    begun = Stepper(model, "topological").run(0.05, 0.01, qd=speed)
    names = {row.name for row in program.inputs}
    state = {n: getattr(begun, n)[-1] for n in ("q", "qd", "qdd", "x", "xd", "lam") if n in names}
    given = {**state, "h": np.asarray(0.01)}
    of = [f"{name}_next" for name in ("q", "x") if name in state]
    derived = program.derivative(of, "qd")
    known = {row.name for row in derived.inputs}
    found = derived.evaluate(**{n: v for n, v in given.items() if n in known})
    small = 3e-4
    for k in range(model.nv):
        ends = []
        for sign in (1, -1):
            moved = given | {"qd": given["qd"] + sign * small * np.eye(model.nv)[k]}
            ends.append(program.evaluate(**moved))
        for name in of:
            slope = (ends[0][name] - ends[1][name]) / (2 * small)
            np.testing.assert_allclose(found[f"d{name}_dqd"][:, k], slope, atol=2 * TRAJECTORY)


@pytest.mark.parametrize("step", [0.001, 0.0025, 0.005, 0.008])
def test_five_four_bars_pass_singular_positions(step: float) -> None:
    model = mechanisms.n_four_bar(5)
    qd = [-1.0 if name.startswith("u") else 1.0 for name in model.velocities]
    made = Stepper(model, "hybrid")
    run = made.run(10.0, step, qd=qd)
    assert run.report.end == "finished", run.report.message
    energy = kt.derive(model, "energy").evaluate(q=run.q, qd=run.qd)
    total = energy["kinetic"] + energy["potential"]
    assert np.abs(total - total[0]).max() < 5 * EQUAL_STEPS * np.abs(energy["kinetic"]).max()
    # parallelograms: all cranks turn alike, none flips
    names = [k for k, name in enumerate(model.velocities) if name.startswith("u")]
    assert np.ptp(run.q[:, names], axis=1).max() < TRAJECTORY


def test_tight_tolerances_of_chosen_steps_finish() -> None:
    exact = systems.reference(systems.double_pendulum)[:2]
    run = Stepper(systems.double_pendulum()).run_adaptive(
        [0, 1.0], Control(1e-9), qd=systems.SPEEDS["double"]
    )
    assert run.report.end == "finished"
    assert run.report.steps < 300_000
    assert np.abs(run.q[-1] - exact).max() < LONG_RUN


def test_errors_of_user_states_choose_steps() -> None:
    # the coordinate rests, the state swings: d2x/dt2 = -100 x by two states
    model = kt.Model("rest", gravity=(0, 0, 0))
    model.prismatic("q", model.ground, model.body("mass", mass=1.0), axis="x")
    model.state("a", 1.0)
    model.state("b", 0.0)
    model.state_rate("a", lambda x: 10 * x["b"])
    model.state_rate("b", lambda x: -10 * x["a"])
    for tolerance in (1e-3, 1e-4, 1e-6):
        run = Stepper(model).run_adaptive([0, 1.0], Control(tolerance))
        assert run.report.end == "finished"
        assert np.abs(run.x[-1] - [np.cos(10), -np.sin(10)]).max() < 10 * tolerance


@pytest.mark.parametrize("formulation", ["hybrid", "topological"])
def test_a_kept_tangent_is_made_anew_where_it_fails(formulation: str) -> None:
    model = mechanisms.slider_crank()
    kept = Stepper(model, formulation, update="step").run(2.0, 0.05, qd={"q1": 3.5})
    anew = Stepper(model, formulation).run(2.0, 0.05, qd={"q1": 3.5})
    assert kept.report.most > 8
    np.testing.assert_allclose(kept.q, anew.q, atol=COARSE_RUN)
