"""CVODE with native derivatives, Jacobian and events."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.approx import (
    AT_STATES,
    COARSE_RUN,
    EQUAL_STEPS,
    LONG_RUN,
    READ_OFF,
    ROUNDING,
    RUN,
    TRAJECTORY,
)

from integrate import flows
from kinetree import engine as en
from kinetree.errors import UnsupportedError
from kinetree.integrate import methods
from kinetree.integrate.loops.native import prepare
from kinetree.integrate.problem import (
    EVENT,
    FINISHED,
    NOT_A_NUMBER,
    TOO_MANY_STEPS,
    Path,
    Settings,
    Watch,
)
from kinetree.integrate.sundials import library
from kinetree.program import Program

pytestmark = pytest.mark.skipif(not library.available(), reason="no package carries SUNDIALS")
FAMILIES = ("cvode_bdf", "cvode_adams")


def solve(method: str, rates: Program, start: Any, times: Any, *how: float, **more: Any) -> Path:
    """A run with tolerances in order and parts of the problem by name."""
    return flows.solve(method, rates, start, times, Settings(*(how or (1e-6, 1e-9))), **more)


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
    path = solve("cvode_bdf", program, [2.0, 0.0], times, 1e-10, 1e-13)
    assert path.end == FINISHED
    assert path.jacobians > 0
    assert path.y == pytest.approx(by_radau(program, [2.0, 0.0], times, 1e-13), abs=2 * TRAJECTORY)
    assert path.evaluations < 10_000


def test_robertson() -> None:
    times = np.append(0.0, 4.0 * 10.0 ** np.arange(-1, 3))
    program = robertson()
    path = solve("cvode_bdf", program, [1.0, 0.0, 0.0], times, 1e-10, 1e-15)
    expected = by_radau(program, [1.0, 0.0, 0.0], times, 1e-14)
    assert path.end == FINISHED
    assert np.abs(path.y - expected).max(axis=0) == pytest.approx([0, 0, 0], abs=LONG_RUN)
    assert path.y.sum(axis=1) == pytest.approx(np.ones(5), abs=AT_STATES)


@pytest.mark.parametrize("family", FAMILIES)
def test_smooth_problem(family: str) -> None:
    times, start = np.linspace(0.0, 2 * np.pi, 17), flows.perihelion(0.2)
    path = solve(family, flows.kepler(), start, times, 1e-11, 1e-12)
    explicit = solve("dop853", flows.kepler(), start, times, 1e-12, 1e-13)
    assert path.y == pytest.approx(explicit.y, abs=2 * LONG_RUN)
    assert (path.last_t, path.t.size) == (times[-1], times.size)


def test_without_a_jacobian_differences_serve() -> None:
    by_differences, analytic = (
        solve("cvode_bdf", van_der_pol(50.0), [2.0, 0.0], [0.0, 100.0], 1e-9, 1e-11, jacobian=given)
        for given in (False, True)
    )
    assert by_differences.last_y == pytest.approx(analytic.last_y, abs=COARSE_RUN)
    assert by_differences.evaluations > analytic.evaluations


@pytest.mark.parametrize("family", FAMILIES)
def test_events_marked_and_terminal(family: str) -> None:
    path = solve(
        family, flows.oscillator(), [0.5, np.sqrt(0.75)], [0.0, 6.0], 1e-11, 1e-12,
        events=flows.component(2, 0, 1),
    )  # fmt: skip
    # y = sin(t + π/6)
    assert [hit.watch for hit in path.hits] == [1, 0, 1, 0]
    expected = np.pi * np.array([1 / 3, 5 / 6, 4 / 3, 11 / 6])
    assert [hit.t for hit in path.hits] == pytest.approx(expected, abs=LONG_RUN)
    ball = solve(
        family, flows.falling(), [2.0, 0.0], np.linspace(0, 3, 31), 1e-11, 1e-12,
        events=flows.component(2, 0), watches=[Watch("ground", -1, stops=True)],
    )  # fmt: skip
    assert ball.end == EVENT
    assert ball.last_t == pytest.approx(np.sqrt(4.0 / 9.81), abs=RUN)


def test_slices_give_the_same_as_one_go() -> None:
    problem = flows.problem(van_der_pol(10.0), [2.0, 0.0], np.linspace(0.0, 20.0, 11))
    settings = Settings(1e-6, 1e-9, every_step=True)
    paths = []
    for budget in (1, 100_000):
        run = prepare("cvode_bdf", problem, settings)
        while run.advance(budget):
            pass
        paths.append(run.path())
    sliced, whole = paths
    assert (sliced.y == whole.y).all()
    assert len(sliced.t) - 1 == sliced.steps == whole.steps


@pytest.mark.parametrize("family", FAMILIES)
def test_not_a_number_ends_the_run(family: str) -> None:
    y = flows.state(2)
    program = flows.program(y, [y.symbols[1], en.log(1 - flows.T)], flows.TIME)
    path = solve(family, program, [1.0, 0.0], np.linspace(0, 2, 21))
    assert path.end == NOT_A_NUMBER
    assert path.bad_t == pytest.approx(1.0, abs=READ_OFF)
    assert path.last_t == pytest.approx(1.0, abs=READ_OFF)
    assert 9 <= len(path.t) <= 11
    assert solve(family, program, [1.0, 0.0], [1.5, 2.0]).end == NOT_A_NUMBER


def test_number_of_steps_is_bounded() -> None:
    path = solve("cvode_adams", flows.oscillator(), [1.0, 0.0], [0.0, 1e4], 1e-6, 1e-9, 50)
    assert (path.end, path.steps) == (TOO_MANY_STEPS, 50)


@pytest.mark.parametrize("family", FAMILIES)
def test_projection(family: str) -> None:
    y = flows.state(2)
    a, b = y.symbols
    r = en.sqrt(a * a + b * b)
    rates, circle = flows.program(y, [-b, a]), flows.program(y, [a / r, b / r])
    times = np.linspace(0, 50, 51)
    path = solve(family, rates, [2.0, 0.0], times, 1e-5, 1e-5, project=circle)
    assert np.hypot(*path.y.T) == pytest.approx(1.0, abs=ROUNDING)
    settings = Settings(1e-5, 1e-5, every_step=True)
    every = flows.solve(family, rates, [2.0, 0.0], times, settings, project=circle)
    assert np.abs(np.hypot(*every.y.T) - 1).max() < (EQUAL_STEPS if family == "cvode_bdf" else 1e-1)


def test_many_runs_give_their_memory_back() -> None:
    problem = flows.problem(flows.oscillator(), [1.0, 0.0], [0.0, 0.1])
    for _ in range(300):
        assert methods.METHODS["cvode_bdf"].solve(problem, Settings()).end == FINISHED


def test_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "library", lambda: None)
    with pytest.raises(UnsupportedError, match="scikit-sundae"):
        solve("cvode_bdf", flows.oscillator(), [1.0, 0.0], [0.0, 1.0])
    with pytest.raises(UnsupportedError, match=r"kinetree\[sundials\]"):
        methods.choose("cvode_bdf", flows.problem(flows.oscillator(), [1.0, 0.0], [0.0, 1.0]))
