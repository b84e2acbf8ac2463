"""The native explicit integrators: orders, accuracy, output, events, every way a run can end."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from tests.approx import IDENTITY, ROUNDING

import kinetree as kt
from kinetree import engine as en
from kinetree.errors import KinetreeError, ShapeError, UnknownNameError
from kinetree.integrate.loops.drive import Events, Options, Problem, Run, integrate, stepper
from kinetree.integrate.loops.explicit import driver
from kinetree.integrate.loops.tableaus import TABLEAUS, Tableau
from kinetree.program import Input, Output, Program
from targets import flows

ADAPTIVE = ("dopri5", "dop853")
DENSE_ORDER = {"rk4": 3, "dopri5": 4, "dop853": 7}
GRAVITY = 9.81


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
            assert np.dot(weights, c**k) == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize(
    ("method", "order", "counts"),
    [("rk4", 4, (40, 80, 160)), ("dopri5", 5, (20, 40, 80)), ("dop853", 8, (6, 9, 13))],
)
def test_order_of_convergence(method: str, order: int, counts: tuple[int, ...]) -> None:
    errors, steps = [], []
    for count in counts:
        h = 3.0 / count
        run = integrate(flows.growth(), [1.0], [0.0, 3.0], Options(method, step=h))
        assert run.steps == count
        errors.append(abs(run.y[0] - np.exp(np.sin(3.0))))
        steps.append(h)
    assert order - 0.4 < slope(errors, steps) < order + 1.2


@pytest.mark.parametrize("method", TABLEAUS)
def test_order_of_dense_output(method: str) -> None:
    """Within a step the error falls with the order of the interpolation plus one."""
    errors, steps = [], [0.4, 0.2, 0.1]
    theta = np.array([0.0, 0.23, 0.61, 0.87, 1.0])
    for h in steps:
        run = integrate(flows.growth(), [1.0], h * theta, Options(method, step=h))
        assert run.steps == 1
        exact = np.exp(np.sin(run.times))
        errors.append(float(np.abs(run.states[1:-1, 0] - exact[1:-1]).max()))
    order = DENSE_ORDER[method] + 1
    assert order - 0.4 < slope(errors, steps) < order + 1.5


@pytest.mark.parametrize("method", ADAPTIVE)
def test_kepler_against_scipy(method: str) -> None:
    program, start = flows.kepler(), flows.perihelion(0.3)
    times = np.linspace(0.0, 4 * np.pi, 41)
    run = integrate(program, start, times, Options(method, 1e-12, 1e-13))
    function = program.compile()
    reference = solve_ivp(
        lambda t, y: function(y=y)["ydot"], (0, times[-1]), start, "DOP853", times,
        rtol=1e-13, atol=1e-14,
    )  # fmt: skip
    assert run.reason == "end"
    assert run.states == pytest.approx(reference.y.T, abs=2e-9)
    assert run.y == pytest.approx(start, abs=2e-9)
    assert run.t == times[-1]


@pytest.mark.parametrize("tolerance", [1e-4, 1e-7, 1e-10])
@pytest.mark.parametrize("method", ADAPTIVE)
def test_error_follows_tolerance(method: str, tolerance: float) -> None:
    run = integrate(
        flows.oscillator(), [1.0, 0.0], [0.0, 10.0], Options(method, tolerance, tolerance)
    )
    error = np.abs(run.y - [np.cos(10.0), -np.sin(10.0)]).max()
    assert error < 100 * tolerance
    assert run.evaluations >= TABLEAUS[method].stages * run.steps


def test_tolerance_per_component() -> None:
    """A component without weight in the error does not shorten the steps."""
    program = flows.linear([[-1.0, 0.0], [0.0, -3.0]])
    loose = integrate(program, [1.0, 1.0], [0.0, 5.0], Options(atol=[1e-9, 1e3], rtol=[1e-6, 1.0]))
    tight = integrate(program, [1.0, 1.0], [0.0, 5.0], Options(atol=1e-9, rtol=1e-6))
    assert loose.steps < tight.steps
    assert loose.y[0] == pytest.approx(np.exp(-5.0), rel=1e-4)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 8, 9])
def test_any_number_of_components(size: int) -> None:
    A = np.random.default_rng(size).normal(size=(size, size))
    start = np.arange(1.0, size + 1)
    times = [0.0, 0.4, 1.0]
    run = integrate(flows.linear(A), start, times, Options("dop853", 1e-11, 1e-12))
    for t, y in zip(run.times, run.states, strict=True):
        expected = expm(A * t) @ start
        assert y == pytest.approx(expected, rel=1e-8, abs=1e-8)


def test_pendulum_of_a_model() -> None:
    """The forward dynamics of a derived model, renamed into y."""
    model = kt.Model("pendulum", gravity=(0, 0, -9.81))
    rod = model.body("rod", mass=2.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.0))
    model.revolute("pivot", model.ground, rod, axis="y")
    forward = kt.derive(model, "forward")
    q, qd = forward.input("q"), forward.input("qd")
    y = Input("y", (2,), (*q.symbols, *qd.symbols))
    rest = tuple(row for row in forward.inputs if row.name not in {"q", "qd"})
    nodes = (*qd.symbols, *forward.output("qdd").nodes)
    rates = Program(
        "rates", (y, *rest), forward.preamble, forward.blocks, (Output("ydot", (2,), nodes),)
    )
    times = np.linspace(0.0, 5.0, 11)
    problem = Problem(rates, inputs={"tau": [0.0]})
    run = integrate(problem, [1.0, 0.0], times, Options("dop853", 1e-11, 1e-12))
    # J θ'' = -m g l sin θ about the pivot
    J = 0.1 + 2.0 * 0.25
    reference = solve_ivp(
        lambda t, s: [s[1], -2.0 * 9.81 * 0.5 / J * np.sin(s[0])], (0, 5), [1.0, 0.0], "DOP853",
        times, rtol=1e-12, atol=1e-13,
    )  # fmt: skip
    assert run.states == pytest.approx(reference.y.T, abs=1e-8)


def test_backwards() -> None:
    times = np.linspace(2.0, -1.0, 7)
    run = integrate(flows.growth(), [np.exp(np.sin(2.0))], times, Options("dop853", 1e-11, 1e-12))
    assert run.reason == "end"
    assert run.states[:, 0] == pytest.approx(np.exp(np.sin(times)), rel=1e-9)


@pytest.mark.parametrize("method", ["rk4", *ADAPTIVE])
def test_slices_give_the_same_as_one_go(method: str) -> None:
    options = Options(method, step=0.05 if method == "rk4" else 0.0)
    problem = Problem(flows.kepler(), events=Events(flows.component(4, 1)))
    times = np.linspace(0.0, 7.0, 23)
    whole = integrate(problem, flows.perihelion(0.4), times, options)
    sliced = stepper(problem, flows.perihelion(0.4), times, options)
    halfway = None
    while sliced.advance(1):
        if halfway is None and sliced.t > 3.0:
            halfway = sliced.state.copy()
    assert halfway is not None
    first = sliced.result()
    assert (first.states == whole.states).all()
    assert first.steps == whole.steps
    assert [c.t for c in first.events] == [c.t for c in whole.events]
    sliced.state[:] = halfway
    sliced.status = 0
    while sliced.advance(3):
        pass
    assert (sliced.result().y == whole.y).all()
    assert sliced.result().evaluations == whole.evaluations


@pytest.mark.parametrize("method", ADAPTIVE)
def test_zeros_are_marked(method: str) -> None:
    """Sine and cosine have their zeros at multiples of π/2."""
    problem = Problem(flows.oscillator(), events=Events(flows.component(2, 0, 1)))
    run = integrate(problem, [0.0, 1.0], [0.0, 10.0], Options(method, 1e-11, 1e-12))
    assert [c.event for c in run.events] == [1, 0, 1, 0, 1, 0]
    expected = np.pi / 2 * np.arange(1, 7)
    assert [c.t for c in run.events] == pytest.approx(expected, abs=1e-9)
    for crossing in run.events:
        assert abs(crossing.y[crossing.event]) < 1e-9
    assert run.reason == "end"


def test_sense_of_an_event() -> None:
    for sense, first in ((1, 2 * np.pi), (-1, np.pi)):
        events = Events(flows.component(2, 0), senses=[sense])
        run = integrate(Problem(flows.oscillator(), events=events), [0.0, 1.0], [0.0, 12.0])
        times = first + 2 * np.pi * np.arange(len(run.events))
        assert len(run.events) in {1, 2}
        assert [c.t for c in run.events] == pytest.approx(times, abs=1e-4)


def test_more_events_than_the_table_holds() -> None:
    problem = Problem(flows.oscillator(), events=Events(flows.component(2, 0, 1)))
    run = integrate(problem, [0.0, 1.0], [0.0, 500 * np.pi - 0.1], Options("dop853", 1e-10, 1e-11))
    assert len(run.events) == 999
    expected = np.pi / 2 * np.arange(1, 1000)
    assert [c.t for c in run.events] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("method", ADAPTIVE)
def test_bouncing_ball(method: str) -> None:
    """With restitution e the bounces are at t₀ + 2 t₀ (e + e² + …), t₀ = √(2h/g)."""
    e, h = 0.8, 2.0
    events = Events(flows.component(2, 0), terminal=[0], senses=[-1])
    times = np.linspace(0.0, 3.0, 31)
    run = stepper(Problem(flows.falling(), events=events), [h, 0.0], times, Options(method))
    first = np.sqrt(2 * h / GRAVITY)
    expected, found = [first], []
    for bounce in range(1, 4):
        expected.append(expected[-1] + 2 * first * e**bounce)
    while len(found) < 4:
        while run.advance(1000):
            pass
        if run.result().reason != "event":
            break
        found.append(run.t)
        run.restart([0.0, -e * run.y[1]])
    assert found == pytest.approx([t for t in expected if t < 3.0], abs=1e-9)
    before = run.result().times < first
    fall = h - GRAVITY / 2 * run.result().times[before] ** 2
    assert run.result().states[before, 0] == pytest.approx(fall, abs=1e-9)


def test_output_stops_at_a_terminal_event() -> None:
    events = Events(flows.component(2, 0), terminal=[0])
    problem = Problem(flows.falling(), events=events, parameters={"g": 2.0})
    run = integrate(problem, [1.0, 0.0], np.linspace(0.0, 5.0, 51))
    assert run.reason == "event"
    assert run.t == pytest.approx(1.0, abs=1e-9)
    assert run.times[-1] == pytest.approx(1.0 if run.t >= 1.0 else 0.9)
    assert run.states[:, 0] == pytest.approx(1.0 - run.times**2, abs=1e-9)


def breaking() -> Program:
    """The second derivative has no value after t = 1."""
    y = flows.state(3)
    return flows.program(y, [y.symbols[1], -y.symbols[0], en.log(1 - flows.T)], flows.TIME)


@pytest.mark.parametrize("method", ["rk4", *ADAPTIVE])
def test_not_a_number_ends_the_run(method: str) -> None:
    step = 0.03 if method == "rk4" else 0.0
    run = integrate(breaking(), [1.0, 0.0, 0.0], np.linspace(0, 2, 21), Options(method, step=step))
    assert run.reason == "not finite"
    assert run.fault is not None
    assert run.fault.component == 2
    assert 1.0 <= run.fault.t < 1.04
    assert run.t == pytest.approx(1.0, abs=0.04 if step else 1e-6)
    assert run.states[-1, 0] == pytest.approx(np.cos(run.times[-1]), abs=1e-4)
    assert len(run.times) == len(run.states) >= 10


def test_not_a_number_at_the_start() -> None:
    run = integrate(breaking(), [1.0, 0.0, 0.0], [1.5, 2.0])
    assert run.reason == "not finite"
    assert run.fault is not None
    assert (run.fault.t, run.fault.component) == (1.5, 2)
    assert run.steps == 0


def test_explosion_is_not_finite_or_too_small() -> None:
    """y' = y², y = 1/(1 - t)."""
    y = flows.state(1)
    run = integrate(flows.program(y, [y.symbols[0] ** 2]), [1.0], [0.0, 2.0])
    assert run.reason in {"not finite", "step"}
    assert run.t == pytest.approx(1.0, abs=1e-4)


def test_number_of_steps_is_bounded() -> None:
    run = integrate(flows.kepler(), flows.perihelion(0.5), [0.0, 1e6], Options(max_steps=500))
    assert run.reason == "steps"
    assert run.steps + run.rejected == 500


def test_longest_step() -> None:
    options = Options(max_step=0.01, natural=True)
    run = integrate(flows.oscillator(), [1.0, 0.0], [0.0, 1.0], options)
    assert run.natural is not None
    assert run.natural.shape == (run.steps, 3)
    gaps = np.diff(np.append(0.0, run.natural[:, 0]))
    assert gaps.max() < 0.01 * 1.011
    assert run.natural[:, 1] == pytest.approx(np.cos(run.natural[:, 0]), abs=1e-6)
    assert (run.natural[-1, 1:] == run.y).all()


def test_more_steps_than_the_table_holds() -> None:
    options = Options("rk4", step=1e-3, natural=True)
    run = integrate(flows.oscillator(), [1.0, 0.0], [0.0, 10.0], options)
    assert run.natural is not None
    assert run.natural[:, 0] == pytest.approx(1e-3 * np.arange(1, 10001), rel=IDENTITY)


def test_stiffness_is_noticed() -> None:
    stiff = integrate(flows.linear([[-1000.0]]), [1.0], [0.0, 3.0])
    assert stiff.stiff
    assert "stability" in stiff.message
    for method in ADAPTIVE:
        options = Options(method, 1e-8, 1e-9)
        assert not integrate(flows.oscillator(), [1.0, 0.0], [0.0, 30.0], options).stiff


def circle() -> Program:
    """y' = (-b, a), consistent on the circle of radius 1."""
    y = flows.state(2)
    a, b = y.symbols
    r = en.sqrt(a * a + b * b)
    outputs = (Output("ydot", (2,), (-b, a)), Output("y_projected", (2,), (a / r, b / r)))
    return Program("circle", (y,), (), (), outputs)


@pytest.mark.parametrize("method", ["rk4", *ADAPTIVE])
def test_projection(method: str) -> None:
    options = Options(method, 1e-4, 1e-4, step=0.3 if method == "rk4" else 0.0)
    events = Events(flows.component(2, 0))
    times = np.linspace(0.0, 60.0, 61)
    run = integrate(Problem(circle(), events=events), [2.0, 0.0], times, options)
    rows = [*run.states, run.y, *(crossing.y for crossing in run.events)]
    assert np.hypot(*np.array(rows).T) == pytest.approx(1.0, abs=1e-15)
    assert run.states[-1] == pytest.approx([np.cos(60.0), np.sin(60.0)], abs=0.1)


def test_ctrl_c_keeps_what_was_computed() -> None:
    def progress(t: float) -> None:
        if t > 1.0:
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    times = np.linspace(0.0, 1e5, 1000001)
    run = integrate(flows.oscillator(), [1.0, 0.0], times, progress=progress)
    assert run.reason == "interrupted"
    assert 1.0 < run.t < 1e5
    assert run.times[-1] <= run.t < run.times[-1] + 0.1 + 1e-9
    assert signal.getsignal(signal.SIGINT) is before


def test_parameters_and_constant_inputs() -> None:
    y = flows.state(1)
    u = Input("u", (2,), tuple(en.symbol(f"u_{i}", en.Rank.COORDINATE) for i in range(2)))
    program = flows.program(y, [u.symbols[0] + u.symbols[1] * flows.T], u, flows.TIME)
    run = integrate(Problem(program, inputs={"u": [2.0, 3.0]}), [1.0], [0.0, 2.0])
    assert run.y == pytest.approx(1.0 + 2.0 * 2.0 + 3.0 * 2.0)
    with pytest.raises(ShapeError, match="'u'"):
        integrate(program, [1.0], [0.0, 2.0])
    with pytest.raises(UnknownNameError, match="did you mean 'u'"):
        integrate(Problem(program, inputs={"u": [2.0, 3.0], "U": 1.0}), [1.0], [0.0, 2.0])
    with pytest.raises(UnknownNameError, match="parameter"):
        integrate(Problem(flows.falling(), parameters={"h": 1.0}), [1.0, 0.0], [0.0, 2.0])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: integrate(flows.oscillator(), [1.0], [0, 1]), "expected 2"),
        (lambda: integrate(flows.oscillator(), [1.0, np.nan], [0, 1]), "finite"),
        (lambda: integrate(flows.oscillator(), [1.0, 0.0], [0]), "two or more"),
        (lambda: integrate(flows.oscillator(), [1.0, 0.0], [0, 1, 0.5]), "all rise"),
        (lambda: integrate(flows.oscillator(), [1.0, 0.0], [0, 1], Options("rk4")), "step"),
        (lambda: integrate(flows.oscillator(), [1.0, 0.0], [0, 1], Options("euler")), "method"),
        (lambda: integrate(flows.oscillator(), [1.0, 0.0], [0, 1], Options(rtol=-1)), "negative"),
        (lambda: integrate(flows.component(2, 0), [1.0, 0.0], [0, 1]), "ydot"),
    ],
)
def test_mistakes_are_named(call: Callable[[], Run], words: str) -> None:
    with pytest.raises(KinetreeError, match=words):
        call()


def test_one_loop_serves_all_problems() -> None:
    integrate(flows.oscillator(), [1.0, 0.0], [0.0, 1.0])
    made = driver("dopri5")
    run: Run = integrate(flows.kepler(), flows.perihelion(0.1), [0.0, 1.0])
    assert run.reason == "end"
    assert driver("dopri5") is made
