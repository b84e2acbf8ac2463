"""CVODE with native derivatives, Jacobian and events."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.approx import ROUNDING

from kinetree import engine as en
from kinetree.errors import UnsupportedError
from kinetree.integrate.loops import drive as module
from kinetree.integrate.loops.drive import Events, Options, Problem, integrate, stepper
from kinetree.integrate.sundials import library as sundials_library
from kinetree.program import Output, Program
from targets import flows

pytestmark = pytest.mark.skipif(
    sundials_library.library() is None, reason="no package carries SUNDIALS"
)
FAMILIES = ("bdf", "adams")


def van_der_pol(mu: float) -> Program:
    y = flows.state(2)
    a, b = y.symbols
    return flows.program(y, [b, mu * (1 - a * a) * b - a])


def robertson() -> Program:
    y = flows.state(3)
    a, b, c = y.symbols
    slow, fast = 0.04 * a - 1e4 * b * c, 3e7 * b * b
    return flows.program(y, [-slow, slow - fast, fast])


def by_radau(program: Program, start: Any, times: Any, atol: float) -> np.ndarray:
    function = program.derivative("ydot", "y").compile()
    found = solve_ivp(
        lambda t, y: function(y=y)["ydot"], (times[0], times[-1]), start, "Radau", times,
        rtol=1e-10, atol=atol, jac=lambda t, y: function(y=y)["dydot_dy"],
    )  # fmt: skip
    states: np.ndarray = found.y.T
    return states


def test_stiff_van_der_pol() -> None:
    program, times = van_der_pol(1000.0), np.linspace(0.0, 700.0, 15)
    run = integrate(program, [2.0, 0.0], times, Options("bdf", 1e-10, 1e-13))
    expected = by_radau(program, [2.0, 0.0], times, 1e-13)
    assert run.reason == "end"
    assert run.jacobians > 0
    assert run.states == pytest.approx(expected, abs=2e-6)
    assert run.evaluations < 10_000


def test_robertson() -> None:
    times = np.append(0.0, 4.0 * 10.0 ** np.arange(-1, 3))
    program = robertson()
    run = integrate(program, [1.0, 0.0, 0.0], times, Options("bdf", 1e-10, [1e-12, 1e-15, 1e-12]))
    expected = by_radau(program, [1.0, 0.0, 0.0], times, 1e-14)
    assert run.reason == "end"
    assert np.abs(run.states - expected).max(axis=0) == pytest.approx([0, 0, 0], abs=1e-7)
    assert run.states.sum(axis=1) == pytest.approx(np.ones(5), abs=1e-9)


@pytest.mark.parametrize("family", FAMILIES)
def test_smooth_problem(family: str) -> None:
    times = np.linspace(0.0, 2 * np.pi, 17)
    run = integrate(flows.kepler(), flows.perihelion(0.2), times, Options(family, 1e-11, 1e-12))
    explicit = integrate(
        flows.kepler(), flows.perihelion(0.2), times, Options("dop853", 1e-12, 1e-13)
    )
    assert run.states == pytest.approx(explicit.states, abs=2e-7)
    assert (run.t, run.times.size) == (times[-1], times.size)


@pytest.mark.parametrize("family", FAMILIES)
def test_backwards_in_time_dependent_system(family: str) -> None:
    times = np.linspace(2.0, -1.0, 7)
    run = integrate(flows.growth(), [np.exp(np.sin(2.0))], times, Options(family, 1e-10, 1e-12))
    assert run.states[:, 0] == pytest.approx(np.exp(np.sin(times)), rel=1e-7)


def test_without_a_jacobian_differences_serve() -> None:
    function = van_der_pol(50.0).compile()
    options = Options("bdf", 1e-9, 1e-11)
    by_differences = integrate(function, [2.0, 0.0], [0.0, 100.0], options)
    analytic = integrate(van_der_pol(50.0), [2.0, 0.0], [0.0, 100.0], options)
    assert by_differences.y == pytest.approx(analytic.y, abs=1e-5)
    assert by_differences.evaluations > analytic.evaluations


@pytest.mark.parametrize("family", FAMILIES)
def test_events_marked_and_terminal(family: str) -> None:
    options = Options(family, 1e-11, 1e-12)
    problem = Problem(flows.oscillator(), events=Events(flows.component(2, 0, 1)))
    run = integrate(problem, [0.5, np.sqrt(0.75)], [0.0, 6.0], options)
    # y = sin(t + π/6)
    assert [c.event for c in run.events] == [1, 0, 1, 0]
    expected = np.pi * np.array([1 / 3, 5 / 6, 4 / 3, 11 / 6])
    assert [c.t for c in run.events] == pytest.approx(expected, abs=1e-7)
    events = Events(flows.component(2, 0), terminal=[0], senses=[-1])
    problem = Problem(flows.falling(), events=events)
    ball = stepper(problem, [2.0, 0.0], np.linspace(0, 3, 31), options)
    first = np.sqrt(4.0 / 9.81)
    found = []
    while ball.advance(100) or ball.result().reason == "event":
        if ball.finished:
            found.append(ball.t)
            ball.restart([0.0, -0.5 * ball.y[1]])
        if len(found) == 3:
            break
    assert found == pytest.approx([first, 2 * first, 2.5 * first], abs=1e-8)


def test_slices_give_the_same_as_one_go() -> None:
    times = np.linspace(0.0, 20.0, 11)
    options = Options("bdf", natural=True)
    whole = integrate(van_der_pol(10.0), [2.0, 0.0], times, options)
    sliced = stepper(van_der_pol(10.0), [2.0, 0.0], times, options)
    while sliced.advance(1):
        pass
    found = sliced.result()
    assert (found.states == whole.states).all()
    assert found.natural is not None
    assert (found.natural == whole.natural).all()
    assert len(found.natural) == found.steps == whole.steps


@pytest.mark.parametrize("family", FAMILIES)
def test_not_a_number_ends_the_run(family: str) -> None:
    y = flows.state(2)
    program = flows.program(y, [y.symbols[1], en.log(1 - flows.T)], flows.TIME)
    run = integrate(program, [1.0, 0.0], np.linspace(0, 2, 21), Options(family))
    assert run.reason == "not finite"
    assert run.fault is not None
    assert run.fault.component == 1
    assert run.fault.t == pytest.approx(1.0, abs=1e-3)
    assert run.t == pytest.approx(1.0, abs=1e-3)
    assert 9 <= len(run.times) <= 11
    late = integrate(program, [1.0, 0.0], [1.5, 2.0], Options(family))
    assert late.reason == "not finite"


def test_number_of_steps_is_bounded() -> None:
    run = integrate(flows.oscillator(), [1.0, 0.0], [0.0, 1e4], Options("adams", max_steps=50))
    assert (run.reason, run.steps) == ("steps", 50)


def test_projection() -> None:
    y = flows.state(2)
    a, b = y.symbols
    r = en.sqrt(a * a + b * b)
    outputs = (Output("ydot", (2,), (-b, a)), Output("y_projected", (2,), (a / r, b / r)))
    circle = Program("circle", (y,), (), (), outputs)
    for family in FAMILIES:
        options = Options(family, 1e-5, 1e-5, natural=True)
        run = integrate(circle, [2.0, 0.0], np.linspace(0, 50, 51), options)
        assert np.hypot(*run.states.T) == pytest.approx(1.0, abs=ROUNDING)
        assert run.natural is not None
        radius = np.hypot(*run.natural[:, 1:].T)
        assert np.abs(radius - 1).max() < (1e-4 if family == "bdf" else 1e-1)


def test_many_runs_give_their_memory_back() -> None:
    function = flows.oscillator().compile()
    for _ in range(300):
        run = integrate(function, [1.0, 0.0], [0.0, 0.1], Options("bdf"))
        assert run.reason == "end"


def test_python_callbacks_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sksundae")
    events = Events(flows.component(2, 0), terminal=[])
    problem = Problem(van_der_pol(100.0), events=events)
    times, options = np.linspace(0.0, 150.0, 16), Options("bdf", 1e-9, 1e-11)
    native = integrate(problem, [2.0, 0.0], times, options)
    monkeypatch.setattr(module, "library", lambda: None)
    python = integrate(problem, [2.0, 0.0], times, options)
    assert python.reason == "end"
    assert python.states == pytest.approx(native.states, abs=1e-5)
    assert [c.t for c in python.events] == pytest.approx([c.t for c in native.events], abs=1e-5)
    assert len(python.events) > 0
    assert python.jacobians > 0


def test_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "library", lambda: None)
    monkeypatch.setattr(module, "python_package", lambda: False)
    monkeypatch.setattr(sundials_library, "library", lambda: None)
    with pytest.raises(UnsupportedError, match="scikit-sundae"):
        integrate(flows.oscillator(), [1.0, 0.0], [0.0, 1.0], Options("bdf"))
