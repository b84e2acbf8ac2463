"""Derivatives of runs in equal steps: both methods, complex steps, checkpoints."""

from __future__ import annotations

import runpy
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt
import lengths
import mechanisms
from analysis import systems
from approx import CLOSED, EQUAL_STEPS, FORMALISM, LONG_RUN, READ_OFF, assert_close
from kinetree.integrate import Stepper
from kinetree.integrate.start.beginning import Beginning
from kinetree.steppers import step_program

Case = tuple[Any, dict[str, Any], list[str], dict[str, Any]]
CASES: dict[str, Case] = {
    "tree": (
        systems.double_pendulum, {"end": kt.final("q_b"), "a": kt.rms("qdd_a")},
        ["upper.mass", "upper.tip_x", "q0.a", "qd0.b", "tau.a"], {"integrator": "trapezoidal"},
    ),
    "hybrid": (
        mechanisms.slider_crank, {"end": kt.final("qd_q3"), "force": kt.final("pin.reaction.fx")},
        ["crank.tip_x", "rod.end_x", "rod.mass", "q0.q1"],
        {"integrator": "hht", "formulation": "hybrid"},
    ),
    "topological": (
        lengths.four_bar, {"end": kt.final("qd_c"), "peak": kt.peak("-q_a")},
        ["crank", "coupler", "base", "q0.a"],
        {"integrator": "newmark", "formulation": "topological"},
    ),
    "global": (
        systems.pendulum, {"end": kt.final("q_swing"), "a": kt.final("qdd_swing")},
        ["bob.com_x", "bob.mass", "q0.swing", "gravity_y"],
        {"integrator": "generalised_alpha", "formulation": "global"},
    ),
    "turning": (
        systems.top, {"end": kt.final("q_ball_x"), "w": kt.final("qd_ball_wx")},
        ["top.mass", "top.com_z", "qd0.ball_wz"],
        {"integrator": "trapezoidal", "qd": {"ball_wx": 1.0, "ball_wz": 20.0}},
    ),
}  # fmt: skip
STEP, COUNT = 0.01, 12


@cache
def gradients(name: str) -> list[Any]:
    """A case by both methods."""
    make, measures, by, run = CASES[name]
    return [
        kt.sensitivity(
            make(), STEP * COUNT, measures, by=by, method=method, step=STEP, tolerance=1e-11,
            **run,
        )
        for method in ("direct", "adjoint")
    ]  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_both_methods_agree_in_every_formulation(name: str) -> None:
    direct, adjoint = gradients(name)
    for measure in CASES[name][1]:
        one, two = (row.gradient.sel(measure=measure) for row in (direct, adjoint))
        assert_close(two, one, FORMALISM, measure)
    assert direct.q_by.dims == ("time", "coordinate", "parameter")
    assert adjoint.attrs["sensitivity_method"] == "adjoint"


def test_checkpoints_give_the_same_bits() -> None:
    make, measures, by, run = CASES["hybrid"]
    steps, states = 10_000, 20

    def found(memory: float | None) -> Any:
        return kt.sensitivity(
            make(), 1e-4 * steps, measures, by=by, method="adjoint", step=1e-4, memory=memory, **run
        )

    whole = found(None)
    size = sum(whole.sizes[name] for name in ("coordinate", "velocity", "velocity", "velocity"))
    part = found(states * 8.0 * (size + whole.sizes["equation"]))
    assert part.attrs["sensitivity_checkpoints"] == states
    assert part.attrs["sensitivity_repeats"] == 4
    assert np.array_equal(whole.gradient, part.gradient)


def test_measures_are_sums_over_steps() -> None:
    model = kt.Model("oscillator", gravity=(0, 0, 0))
    body = model.body("body", mass=1.0)
    model.prismatic("y", model.ground, body, axis="x")
    model.joint_spring("spring", "y", stiffness=model.parameter("c", 1.0))
    data = kt.misfit("q_y", [0.5, 1.2345], [0.1, 0.2])
    measures = {
        "at": kt.at_time("q_y", 0.777), "work": kt.integral("qd_y**2"), "peak": kt.peak("q_y"),
        "data": data, "rms": kt.rms("qdd_y"),
    }  # fmt: skip
    run: dict[str, Any] = {"measures": measures, "by": ["c", "qd0.y", "duration"], "qd": {"y": 0.5}}
    exact = kt.sensitivity(model, 2.0, **run)
    found = kt.sensitivity(model, 2.0, integrator="trapezoidal", step=0.004, **run)
    assert_close(found.value, exact.value, EQUAL_STEPS)
    assert_close(found.gradient, exact.gradient, EQUAL_STEPS)
    assert_close(found["data_by"], exact["data_by"], EQUAL_STEPS)


@pytest.mark.parametrize("formulation", ["hybrid", "global"])
def test_derivatives_of_projections_carry_no_penalty(formulation: str) -> None:
    model = mechanisms.slider_crank()
    stepper = Stepper(model, formulation, tolerance=1e-10)
    step = step_program(model, formulation, tolerance=1e-10, smooth=True)
    ends = [row.name for row in step.outputs if row.name.endswith("_next")]
    forward = step.derivative(ends, {"p": ["rod.end_x"]}, only=True)
    reverse = step.adjoint(ends, {"p": ["rod.end_x"]}, only=True)
    lanes = stepper.lanes(Beginning(qd={"q1": 2.0}), {}, {"h": 0.01})
    given: dict[str, Any] = {
        name: lanes.x[port.start : port.stop, 0].reshape(port.shape)
        for name, port in stepper.ports.items()
        if not port.parameter
    }
    slopes = forward.evaluate(**given)
    for name in ends:
        weights = {f"{end}_bar": np.ones(step.output(end).shape) * (end == name) for end in ends}
        bars = reverse.evaluate(**given, **weights)["p_bar"]
        size = float(np.abs(slopes[f"d{name}_dp"]).max())
        assert_close(bars, slopes[f"d{name}_dp"].sum(0), FORMALISM, name, size)


def pushed(behind: Any, word: Any = kt.functions.select) -> kt.Model:
    """A mass pushed by 1 N up to x = 0.5 m, by another force behind."""
    model = kt.Model("pushed", gravity=(0, 0, 0))
    model.prismatic(
        "x", model.ground, model.body("block", mass=model.parameter("m", 1.0)), axis="x"
    )
    model.joint_law("push", "x", lambda q: word(0.5 - q["x"], 1.0, behind(q["x"])))
    return model


def test_laws_that_jump_are_refused_and_those_that_join_are_not() -> None:
    run: dict[str, Any] = {"by": ["m"], "integrator": "trapezoidal", "step": 0.002}
    measures = {"v": kt.final("qd_x")}
    with pytest.raises(kt.errors.UnsupportedError, match=r"jumps at t = .*='dop853'"):
        kt.sensitivity(pushed(lambda x: 3.0), 2.0, measures, **run)
    with pytest.raises(
        kt.errors.UnsupportedError, match=r"switch in model 'pushed'.*q_x.*='dop853'"
    ):
        kt.sensitivity(pushed(lambda x: 3.0, kt.functions.switch), 2.0, measures, **run)
    joined = pushed(lambda x: 0.5 + x)
    found = [kt.sensitivity(joined, 2.0, measures, method=m, **run) for m in ("direct", "adjoint")]
    exact = kt.sensitivity(joined, 2.0, measures, by=["m"])
    assert_close(found[0].gradient, found[1].gradient, FORMALISM)
    assert_close(found[0].gradient, exact.gradient, READ_OFF)


def test_a_jump_whose_condition_bends_is_found() -> None:
    model = kt.Model("pushed", gravity=(0, 0, 0))
    mass = model.parameter("m", 1.0)
    model.prismatic("x", model.ground, model.body("block", mass=mass), axis="x")
    model.joint_law("push", "x", lambda q: kt.functions.select(0.125 - q["x"] ** 3, 1.0, 3.0))
    with pytest.raises(kt.errors.UnsupportedError, match=r"it jumps at t = 0\.9997"):
        kt.sensitivity(model, 2.0, {"v": kt.final("qd_x")}, by=["m"], integrator="trapezoidal",
                       step=0.03)  # fmt: skip


def test_a_sharp_bend_is_no_jump() -> None:
    """A ball that meets a stiff spring: forces join, though they bend sharply inside a step."""
    model = kt.Model("dropped", gravity=(0, 0, -9.81))
    c = model.parameter("c", 2e5)
    model.prismatic("z", model.ground, model.body("ball", mass=1.0), axis="z", initial=0.1)

    def floor(q: Any) -> Any:  # a condition that is not linear between two states
        depth = -q["z"] - 50 * q["z"] ** 2
        return kt.functions.select(depth, c * depth, 0)

    model.joint_law("floor", "z", floor)
    run: dict[str, Any] = {"by": ["c", "q0.z"], "integrator": "trapezoidal", "step": 5e-4}
    measures = {"v": kt.at_time("qd_z", 0.15)}
    found = [kt.sensitivity(model, 0.2, measures, method=m, **run) for m in ("direct", "adjoint")]
    assert_close(found[0].gradient, found[1].gradient, FORMALISM)


@pytest.mark.parametrize("integrator", ["dop853", "rk4", "trapezoidal"])
def test_both_methods_agree_on_the_hydraulic_jack(integrator: str) -> None:
    """Pressures as states beside the motion, a supply that depends on time, position matrices."""
    example = Path(__file__).parents[2] / "examples" / "20_hydraulic_jack.py"
    model = runpy.run_path(str(example), run_name="example")["model"]
    measures = {"x": kt.final("q_x"), "p": kt.final("x_p1"), "work": kt.integral("x_p2*qd_x")}
    # the supply bends at 10 ms: a step up to there is read from dense output, made anew back
    run: dict[str, Any] = {"rtol": 1e-11} if integrator == "dop853" else {"step": 5e-4}
    one, two = (
        kt.sensitivity(
            model, 0.02, measures, by=["spring.stiffness", "q0.x", "x0.p1"], method=method,
            integrator=integrator, **run,
        ).gradient for method in ("direct", "adjoint")
    )  # fmt: skip
    for name in measures:
        assert_close(two.sel(measure=name), one.sel(measure=name), FORMALISM, name)


@pytest.mark.parametrize(
    ("integrator", "name", "value"),
    [("generalised_alpha", "rho_inf", 0.6), ("hht", "delta_f", 0.1), ("newmark", "xi", -0.2)],
)
def test_the_parameter_of_a_method_varies(integrator: str, name: str, value: float) -> None:
    run: dict[str, Any] = {"integrator": integrator, "step": 0.02, "tolerance": 1e-11}
    run |= {"measures": {"end": kt.final("q_b")}, "qd": {"a": 1.0}}
    model = systems.double_pendulum()
    one, two = (
        kt.sensitivity(
            model, 0.2, by=[f"method.{name}", "upper.mass"], method=method, **run, **{name: value}
        ).gradient[0]
        for method in ("direct", "adjoint")
    )
    assert_close(two, one, FORMALISM)
    high, low = (
        kt.sensitivity(model, 0.2, by=[], **run, **{name: value + h}).value[0]
        for h in (1e-5, -1e-5)
    )
    assert_close(one[0], (high - low) / 2e-5, LONG_RUN)


def test_the_damping_of_a_method_is_optimised() -> None:
    """The damping that leaves most of a fast oscillation in a coarse step: none at all."""
    model = kt.Model("oscillator", gravity=(0, 0, 0))
    model.prismatic("y", model.ground, model.body("body", mass=1.0), axis="x")
    model.joint_spring("spring", "y", stiffness=100.0)
    energy = kt.final("qd_y**2 + 100*q_y**2")
    best = kt.optimise(
        model, 1.0, kt.function_of("-e", e=energy), over={"method.rho_inf": (0.2, 1.0)},
        start={"method.rho_inf": 0.5}, integrator="generalised_alpha", step=0.05, q={"y": 1.0},
    )  # fmt: skip
    assert_close(best.parameters["method.rho_inf"], 1.0, READ_OFF)


BAD = {
    "foreign": ({"by": ["method.rho_inf"]}, "parameter of 'generalised_alpha'"),
    "unknown": ({"by": ["method.rho"]}, "'method.rho'.*method.rho_inf"),
    "range": ({"delta_f": 2.0}, "delta_f.*from 0 to 0.333"),
    "events": ({"events": {"low": kt.Event("q_b", stops=True)}}, "event 'low'"),
    "order": ({"order": 3}, "order"),
    "rtol": ({"rtol": 1e-3}, "rtol"),
    "memory": ({"memory": -1.0}, "memory"),
    "late": ({"measures": {"late": kt.at_time("q_b", 9.0)}}, "late"),
    "option": ({"toleranse": 1.0}, "toleranse"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused(name: str) -> None:
    changed, said = BAD[name]
    run: dict[str, Any] = {"measures": {"end": kt.final("q_b")}, "by": ["upper.mass"], **changed}
    with pytest.raises(kt.errors.KinetreeError, match=said):
        kt.sensitivity(systems.double_pendulum(), 0.1, integrator="hht", step=0.01, **run)


def test_the_reverse_of_a_step_is_written_and_gives_the_gradient(tmp_path: Path) -> None:
    make, _, _, _ = CASES["tree"]
    step = step_program(make().with_varied(["upper.tip_x"]), method="trapezoidal", tolerance=1e-11)
    ends = [row.name for row in step.outputs if row.name.endswith("_next")]
    state = [name.removesuffix("_next") for name in ends]
    back = step.adjoint(ends, [*state, "p"], only=True)
    written = [*back.write("c", tmp_path), *back.write("matlab", tmp_path)]
    assert {path.suffix for path in written} == {".c", ".h", ".m"}
    function = back.compile(target="python")  # as text, too, without our native code
    given = {name: np.full(step.input(name).shape, 0.1) for name in state}
    rows = [dict(given)]
    for _ in range(COUNT):
        found = step.evaluate(h=STEP, **rows[-1])
        rows.append({name: found[f"{name}_next"] for name in state})
    bars = {name: np.zeros(step.input(name).shape) for name in state}
    bars["q"][1], total = 1.0, np.zeros(step.input("p").shape)
    for row in reversed(rows[:-1]):
        ends_bar = {f"{name}_next_bar": value for name, value in bars.items()}
        found = function(h=STEP, **row, **ends_bar)
        total += found["p_bar"]
        bars = {name: found[f"{name}_bar"] for name in state}
    labels, default = step.input("p").labels, np.array(step.input("p").default, dtype=complex)
    k = labels.index("upper.tip_x")
    default[k] += 1e-30j
    moved: dict[str, Any] = dict(given)
    for _ in range(COUNT):
        found = step.evaluate(h=STEP, p=default, **moved)
        moved = {name: found[f"{name}_next"] for name in state}
    assert_close(total[k], moved["q"][1].imag / 1e-30, CLOSED)


@pytest.mark.parametrize("formulation", ["hybrid", "topological", "global"])
def test_forces_of_loops_at_the_start_move_with_it(formulation: str) -> None:
    """They are those of the closed start, whatever the steps are."""
    model, by = mechanisms.slider_crank(), ["crank.tip_x", "rod.mass", "gravity_y", "q0.q1"]
    start = {"force": kt.at_time("pin.reaction.fx", 0.0)}
    given: dict[str, Any] = {"by": by, "qd": {"q1": 1.0}}
    known = kt.sensitivity(model, STEP, start, **given)
    run = {"integrator": "trapezoidal", "formulation": formulation, "step": STEP}
    for method in ("direct", "adjoint"):
        found = kt.sensitivity(model, 3 * STEP, start, method=method, **given, **run)
        assert_close(found.gradient, known.gradient, CLOSED)


def test_forces_that_repeated_equations_share_are_refused() -> None:
    model, force = lengths.three_cranks(), {"force": kt.final("p1.reaction.fx")}
    run: dict[str, Any] = {"integrator": "trapezoidal", "formulation": "hybrid", "step": STEP}
    assert np.isfinite(kt.sensitivity(model, STEP, force, by=[], **run).value).all()
    with pytest.raises(kt.errors.UnsupportedError, match=r"measure 'force'.*repeat others"):
        kt.sensitivity(model, STEP, force, by=["gravity_y"], method="direct", **run)
