"""The native explicit methods: orders, accuracy, output, events, every way a run can end."""

from __future__ import annotations

import os
import signal
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from tests.approx import (
    AT_STATES,
    COARSE_RUN,
    EQUAL_STEPS,
    FORMALISM,
    IDENTITY,
    ROUNDING,
    RUN,
    TRAJECTORY,
    ULP,
)

from integrate import flows
from kinetree import engine as en
from kinetree.integrate.loops.explicit import driver
from kinetree.integrate.loops.native import prepare
from kinetree.integrate.loops.tableaus import TABLEAUS, Tableau
from kinetree.integrate.problem import (
    EVENT,
    FINISHED,
    INTERRUPTED,
    NOT_A_NUMBER,
    STEP_TOO_SMALL,
    TOO_MANY_STEPS,
    Path,
    Settings,
    Watch,
)
from kinetree.program import Program

ADAPTIVE = ("dopri5", "dop853")
DENSE_ORDER = {"rk4": 3, "dopri5": 4, "dop853": 7}
GRAVITY = 9.81


def solve(rates: Program, start: Any, times: Any, method: str = "dopri5", **more: Any) -> Path:
    """A run with settings and parts of the problem by name."""
    names = {"rtol", "atol", "max_step", "max_steps", "every_step", "fixed_step", "report"}
    how = {"rtol": 1e-6, "atol": 1e-9, **{k: more.pop(k) for k in names & set(more)}}
    return flows.solve(method, rates, start, times, Settings(**how), jacobian=False, **more)


def slope(errors: list[float], steps: list[float]) -> float:
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])


@pytest.mark.parametrize("tableau", TABLEAUS.values(), ids=lambda row: row.name)
def test_weights_integrate_powers_exactly(tableau: Tableau) -> None:
    c = np.array(tableau.c)
    for k in range(tableau.order):
        assert np.dot(tableau.b, c[: tableau.stages] ** k) == pytest.approx(
            1 / (k + 1), rel=IDENTITY
        )
    for error in tableau.errors:
        assert sum(error) == pytest.approx(0.0, abs=ROUNDING)
    for theta in (0.3, 0.8):
        weights = np.zeros(tableau.rows)
        for number, row in reversed(list(enumerate(tableau.dense_rows))):
            weights = (weights + row) * ((1 - theta) if number % 2 else theta)
        for k in range(DENSE_ORDER[tableau.name]):
            expected = theta ** (k + 1) / (k + 1)
            assert np.dot(weights, c**k) == pytest.approx(expected, rel=FORMALISM)


@pytest.mark.parametrize(
    ("method", "order", "counts"),
    [("rk4", 4, (40, 80, 160)), ("dopri5", 5, (20, 40, 80)), ("dop853", 8, (6, 9, 13))],
)
def test_order_of_convergence(method: str, order: int, counts: tuple[int, ...]) -> None:
    errors, steps = [], []
    for count in counts:
        h = 3.0 / count
        path = solve(flows.growth(), [1.0], [0.0, 3.0], method, fixed_step=h)
        assert path.steps == count
        errors.append(abs(path.last_y[0] - np.exp(np.sin(3.0))))
        steps.append(h)
    assert order - 0.4 < slope(errors, steps) < order + 1.2


@pytest.mark.parametrize("method", TABLEAUS)
def test_order_of_dense_output(method: str) -> None:
    """Within a step the error falls with the order of the interpolation plus one."""
    errors, steps = [], [0.4, 0.2, 0.1]
    theta = np.array([0.0, 0.23, 0.61, 0.87, 1.0])
    for h in steps:
        path = solve(flows.growth(), [1.0], h * theta, method, fixed_step=h)
        assert path.steps == 1
        exact = np.exp(np.sin(path.t))
        errors.append(float(np.abs(path.y[1:-1, 0] - exact[1:-1]).max()))
    order = DENSE_ORDER[method] + 1
    assert order - 0.4 < slope(errors, steps) < order + 1.5


@pytest.mark.parametrize("method", ADAPTIVE)
def test_kepler_against_scipy(method: str) -> None:
    program, start = flows.kepler(), flows.perihelion(0.3)
    times = np.linspace(0.0, 4 * np.pi, 41)
    path = solve(program, start, times, method, rtol=1e-12, atol=1e-13)
    function = program.compile()
    reference = solve_ivp(
        lambda t, y: function(y=y)["ydot"], (0, times[-1]), start, "DOP853", times,
        rtol=1e-13, atol=1e-14,
    )  # fmt: skip
    assert path.end == FINISHED
    assert path.y == pytest.approx(reference.y.T, abs=2 * AT_STATES)
    assert path.last_y == pytest.approx(start, abs=2 * AT_STATES)
    assert path.last_t == times[-1]


@pytest.mark.parametrize("tolerance", [1e-4, 1e-7, 1e-10])
@pytest.mark.parametrize("method", ADAPTIVE)
def test_error_follows_tolerance(method: str, tolerance: float) -> None:
    how = {"rtol": tolerance, "atol": tolerance}
    path = solve(flows.oscillator(), [1.0, 0.0], [0.0, 10.0], method, **how)
    assert np.abs(path.last_y - [np.cos(10.0), -np.sin(10.0)]).max() < 100 * tolerance
    assert path.evaluations >= TABLEAUS[method].stages * path.steps


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 8, 9])
def test_any_number_of_components(size: int) -> None:
    A = np.random.default_rng(size).normal(size=(size, size))
    start = np.arange(1.0, size + 1)
    path = solve(flows.linear(A), start, [0.0, 0.4, 1.0], "dop853", rtol=1e-11, atol=1e-12)
    for t, y in zip(path.t, path.y, strict=True):
        assert y == pytest.approx(expm(A * t) @ start, rel=RUN, abs=RUN)


@pytest.mark.parametrize("method", ["rk4", *ADAPTIVE])
def test_slices_give_the_same_as_one_go(method: str) -> None:
    settings = Settings(1e-6, 1e-9, fixed_step=0.05 if method == "rk4" else None)
    problem = flows.problem(
        flows.kepler(), flows.perihelion(0.4), np.linspace(0.0, 7.0, 23),
        events=flows.component(4, 1), jacobian=False,
    )  # fmt: skip
    whole = prepare(method, problem, settings)
    while whole.advance(100_000):
        pass
    sliced, halfway = prepare(method, problem, settings), None
    while sliced.advance(1):
        if halfway is None and sliced.t > 3.0:
            halfway = sliced.state.copy()
    assert halfway is not None
    first, expected = sliced.path(), whole.path()
    assert (first.y == expected.y).all()
    assert first.steps == expected.steps
    assert [hit.t for hit in first.hits] == [hit.t for hit in expected.hits]
    sliced.state[:], sliced.status = halfway, 0
    while sliced.advance(3):
        pass
    assert (sliced.path().last_y == expected.last_y).all()
    assert sliced.path().evaluations == expected.evaluations


@pytest.mark.parametrize("method", ADAPTIVE)
def test_zeros_are_marked(method: str) -> None:
    """Sine and cosine have their zeros at multiples of π/2."""
    path = solve(
        flows.oscillator(), [0.0, 1.0], [0.0, 10.0], method, rtol=1e-11, atol=1e-12,
        events=flows.component(2, 0, 1),
    )  # fmt: skip
    assert [hit.watch for hit in path.hits] == [1, 0, 1, 0, 1, 0]
    expected = np.pi / 2 * np.arange(1, 7)
    assert [hit.t for hit in path.hits] == pytest.approx(expected, abs=AT_STATES)
    for hit in path.hits:
        assert abs(hit.y[hit.watch]) < AT_STATES
    assert path.end == FINISHED


def test_sense_of_an_event() -> None:
    for sense, first in ((1, 2 * np.pi), (-1, np.pi)):
        path = solve(
            flows.oscillator(), [0.0, 1.0], [0.0, 12.0], events=flows.component(2, 0),
            watches=[Watch("zero", sense)],
        )  # fmt: skip
        times = first + 2 * np.pi * np.arange(len(path.hits))
        assert len(path.hits) in {1, 2}
        assert [hit.t for hit in path.hits] == pytest.approx(times, abs=EQUAL_STEPS)


def test_more_events_than_the_table_holds() -> None:
    path = solve(
        flows.oscillator(), [0.0, 1.0], [0.0, 500 * np.pi - 0.1], "dop853", rtol=1e-10,
        atol=1e-11, events=flows.component(2, 0, 1),
    )  # fmt: skip
    assert len(path.hits) == 999
    expected = np.pi / 2 * np.arange(1, 1000)
    assert [hit.t for hit in path.hits] == pytest.approx(expected, abs=COARSE_RUN)


@pytest.mark.parametrize("method", ADAPTIVE)
def test_bouncing_ball(method: str) -> None:
    """With restitution e the bounces are at t₀ + 2 t₀ (e + e² + …), t₀ = √(2h/g).

    Every flight begins on the zero at which the one before ended.
    """
    e, h = 0.8, 2.0
    first = np.sqrt(2 * h / GRAVITY)
    expected = first + 2 * first * np.cumsum([0.0, e, e**2])
    t, state, found = 0.0, np.array([h, 0.0]), []
    for _ in expected:
        path = solve(
            flows.falling(), state, np.linspace(t, 4.0, 31), method,
            events=flows.component(2, 0), watches=[Watch("ground", -1, stops=True)],
        )  # fmt: skip
        assert path.end == EVENT
        t, state = path.last_t, np.array([0.0, -e * path.last_y[1]])
        found.append(t)
    assert found == pytest.approx(expected, abs=AT_STATES)


def test_output_stops_at_a_terminal_event() -> None:
    path = solve(
        flows.falling(), [1.0, 0.0], np.linspace(0.0, 5.0, 51), events=flows.component(2, 0),
        watches=[Watch("ground", stops=True)],
    )  # fmt: skip
    ground = np.sqrt(2 / GRAVITY)
    assert path.end == EVENT
    assert path.last_t == pytest.approx(ground, abs=AT_STATES)
    assert path.t[-1] == pytest.approx(0.4)
    assert path.y[:, 0] == pytest.approx(1.0 - GRAVITY / 2 * path.t**2, abs=AT_STATES)


def breaking() -> Program:
    """The second derivative has no value after t = 1."""
    y = flows.state(3)
    return flows.program(y, [y.symbols[1], -y.symbols[0], en.log(1 - flows.T)], flows.TIME)


@pytest.mark.parametrize("method", ["rk4", *ADAPTIVE])
def test_not_a_number_ends_the_run(method: str) -> None:
    step = 0.03 if method == "rk4" else None
    path = solve(breaking(), [1.0, 0.0, 0.0], np.linspace(0, 2, 21), method, fixed_step=step)
    assert path.end == NOT_A_NUMBER
    assert path.bad_t is not None
    assert 1.0 <= path.bad_t < 1.04
    assert path.last_t == pytest.approx(1.0, abs=0.04 if step else TRAJECTORY)
    assert path.y[-1, 0] == pytest.approx(np.cos(path.t[-1]), abs=EQUAL_STEPS)
    assert len(path.t) == len(path.y) >= 10


def test_not_a_number_at_the_start() -> None:
    path = solve(breaking(), [1.0, 0.0, 0.0], [1.5, 2.0])
    assert (path.end, path.bad_t, path.steps) == (NOT_A_NUMBER, 1.5, 0)


def test_explosion_is_not_finite_or_too_small() -> None:
    """y' = y², y = 1/(1 - t)."""
    y = flows.state(1)
    path = solve(flows.program(y, [y.symbols[0] ** 2]), [1.0], [0.0, 2.0])
    assert path.end in {NOT_A_NUMBER, STEP_TOO_SMALL}
    assert path.last_t == pytest.approx(1.0, abs=EQUAL_STEPS)


def test_number_of_steps_is_bounded() -> None:
    path = solve(flows.kepler(), flows.perihelion(0.5), [0.0, 1e6], max_steps=500)
    assert path.end == TOO_MANY_STEPS
    assert 400 < path.steps <= 500


def test_longest_step() -> None:
    path = solve(flows.oscillator(), [1.0, 0.0], [0.0, 1.0], max_step=0.01, every_step=True)
    assert path.y.shape == (path.steps + 1, 2)
    assert np.diff(path.t).max() < 0.01 * 1.011
    assert path.y[:, 0] == pytest.approx(np.cos(path.t), abs=TRAJECTORY)
    assert (path.y[-1] == path.last_y).all()


def test_equal_steps_are_as_many_as_the_longest_step_asks_for() -> None:
    for longest, steps in ((0.1, 10), (0.03, 40), (1.0, 10)):
        path = solve(flows.growth(), [1.0], np.linspace(0, 1, 11), "rk4", max_step=longest)
        assert path.steps == steps
        assert len(path.t) == 11
    exact = solve(flows.growth(), [1.0], np.linspace(0, 1, 41), "rk4")
    assert path.y[-1] != exact.y[-1]
    fine = solve(flows.growth(), [1.0], np.linspace(0, 1, 11), "rk4", max_step=0.03)
    assert fine.y[-1] == pytest.approx(exact.y[-1], rel=IDENTITY)


def test_more_steps_than_the_table_holds() -> None:
    how = {"fixed_step": 1e-3, "every_step": True}
    path = solve(flows.oscillator(), [1.0, 0.0], [0.0, 10.0], "rk4", **how)
    assert path.t == pytest.approx(1e-3 * np.arange(10001), rel=IDENTITY)


@pytest.mark.parametrize("method", ["rk4", *ADAPTIVE])
def test_projection(method: str) -> None:
    """y' = (-b, a), consistent on the circle of radius 1."""
    y = flows.state(2)
    a, b = y.symbols
    r = en.sqrt(a * a + b * b)
    times = np.linspace(0.0, 60.0, 61)
    path = solve(
        flows.program(y, [-b, a]), [2.0, 0.0], times, method, rtol=1e-4, atol=1e-4,
        fixed_step=0.3 if method == "rk4" else None, events=flows.component(2, 0),
        project=flows.program(y, [a / r, b / r]),
    )  # fmt: skip
    rows = [*path.y, path.last_y, *(hit.y for hit in path.hits)]
    assert np.hypot(*np.array(rows).T) == pytest.approx(1.0, abs=ULP)
    assert path.y[-1] == pytest.approx([np.cos(60.0), np.sin(60.0)], abs=0.1)


def test_ctrl_c_keeps_what_was_computed() -> None:
    def report(t: float) -> None:
        if t > 1.0:
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    times = np.linspace(0.0, 1e5, 1000001)
    path = solve(flows.oscillator(), [1.0, 0.0], times, report=report)
    assert path.end == INTERRUPTED
    assert 1.0 < path.last_t < 1e5
    assert path.t[-1] <= path.last_t < path.t[-1] + 0.1 + AT_STATES
    assert signal.getsignal(signal.SIGINT) is before


def test_one_loop_serves_all_problems() -> None:
    solve(flows.oscillator(), [1.0, 0.0], [0.0, 1.0])
    made = driver("dopri5")
    assert solve(flows.kepler(), flows.perihelion(0.1), [0.0, 1.0]).end == FINISHED
    assert driver("dopri5") is made
