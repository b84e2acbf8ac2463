"""Native methods behind the common face (Problem, Settings) -> Path."""

from __future__ import annotations

import numpy as np
import pytest
from tests.approx import COARSE_RUN, IDENTITY, LONG_RUN, ROUNDING, TRAJECTORY

from integrate import flows
from integrate.flows import problem
from kinetree import engine as en
from kinetree.errors import UnsupportedError
from kinetree.integrate import methods
from kinetree.integrate import problem as nouns
from kinetree.integrate.problem import Problem, Settings, Watch
from kinetree.program import Input

STEP = {"rk4": 0.01}
METHODS = {n: m.solve for n, m in methods.METHODS.items() if m.native and m.ready()}
GRAVITY = 9.81


@pytest.mark.parametrize("name", METHODS)
def test_every_method_follows_the_oscillator(name: str) -> None:
    times, told = np.linspace(0.0, 5.0, 501), []
    settings = Settings(1e-9, 1e-11, report=told.append)
    path = METHODS[name](problem(flows.oscillator(), [1.0, 0.0], times), settings)
    assert path.end == nouns.FINISHED
    assert path.y[:, 0] == pytest.approx(np.cos(times), abs=TRAJECTORY)
    assert path.t == pytest.approx(times)
    assert (path.last_t, told[-1]) == (5.0, 5.0)
    assert path.steps > 0
    assert path.evaluations >= path.steps


@pytest.mark.parametrize("name", METHODS)
def test_every_step_is_recorded(name: str) -> None:
    settings = Settings(1e-7, 1e-9, every_step=True, fixed_step=STEP.get(name))
    path = METHODS[name](problem(flows.oscillator(), [1.0, 0.0], np.array([0.0, 3.0])), settings)
    assert path.t.size == path.steps + 1
    assert (path.t[0], path.t[-1]) == (0.0, 3.0)
    assert path.y[:, 0] == pytest.approx(np.cos(path.t), abs=COARSE_RUN)


@pytest.mark.parametrize("name", METHODS)
def test_events_are_native_code(name: str) -> None:
    """Nothing of Python runs between the steps: the functions that Python would call are traps."""
    given = problem(
        flows.falling(), [1.0, 3.0], np.linspace(0, 3, 31), events=flows.component(2, 1, 0),
        watches=(Watch("top", -1), Watch("ground", -1, True)),
    )  # fmt: skip
    path = METHODS[name](given, Settings(1e-9, 1e-11, fixed_step=STEP.get(name)))
    hit = (3 + np.sqrt(9 + 2 * GRAVITY)) / GRAVITY
    assert path.end == nouns.EVENT
    assert [row.watch for row in path.hits] == [0, 1]
    assert [row.t for row in path.hits] == pytest.approx([3 / GRAVITY, hit], abs=LONG_RUN)
    assert path.last_t == pytest.approx(hit, abs=LONG_RUN)
    assert path.hits[0].y[0] == pytest.approx(1 + 4.5 / GRAVITY, abs=LONG_RUN)


@pytest.mark.parametrize("name", METHODS)
def test_not_a_number_is_placed(name: str) -> None:
    y = flows.state(2)
    program = flows.program(y, [y.symbols[1], en.sqrt(2 - y.symbols[0])])
    path = METHODS[name](
        problem(program, [0.0, 1.0], np.linspace(0, 9, 91)), Settings(fixed_step=STEP.get(name))
    )
    assert path.end == nouns.NOT_A_NUMBER
    assert path.bad_t is not None
    assert path.bad_y is not None
    assert path.bad_t == pytest.approx(path.last_t, abs=0.02)
    assert path.bad_y[0] >= 2.0
    assert path.last_y[0] <= 2.0 + IDENTITY


@pytest.mark.parametrize("name", METHODS)
def test_projection_and_constant_inputs(name: str) -> None:
    """Rotation with a given speed; states are kept on the circle."""
    y = flows.state(2)
    a, b = y.symbols
    w = Input("w", (1,), (en.symbol("w", en.Rank.PARAMETER),))
    program = flows.program(y, [-w.symbols[0] * b, w.symbols[0] * a], w)
    r = en.sqrt(a * a + b * b)
    circle = flows.program(y, [a / r, b / r], w, name="y")
    times = np.linspace(0.0, 20.0, 21)
    given = problem(program, [1.0, 0.0], times, rest=[2.0], project=circle)
    path = METHODS[name](given, Settings(1e-6, 1e-8, fixed_step=STEP.get(name)))
    assert np.hypot(*path.y.T) == pytest.approx(1.0, abs=ROUNDING)
    assert path.y[:, 0] == pytest.approx(np.cos(2.0 * times), abs=1e-2)


def test_rates_in_python_are_refused() -> None:
    given = Problem(lambda t, y: y, np.ones(1), np.array([0.0, 1.0]))
    with pytest.raises(UnsupportedError, match="Python function"):
        METHODS["dopri5"](given, Settings())
