"""Residuals that need not come from a model: Newmark's formulas with steps by their error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.approx import AT_STATES, COARSE_RUN, TRAJECTORY

import kinetree as kt
from kinetree.errors import KinetreeError, ModelWarning

DATA = Path(__file__).parents[1] / "data" / "seeds"


def pendulum(q: Any, qd: Any, qdd: Any, t: float) -> Any:
    """A damped pendulum with a moment that swings."""
    return qdd + 0.1 * qd + 9.81 * np.sin(q) - 0.5 * np.sin(3 * t)


def slopes(q: Any, qd: Any, qdd: Any, t: float) -> Any:
    """K, C, M of `pendulum`."""
    del qd, qdd, t
    return np.diag(9.81 * np.cos(q)), np.eye(1) * 0.1, np.eye(1)


def jack(q: Any, qd: Any, qdd: Any, t: float) -> Any:
    """Eqs. 23 to 28 of Verlinden2005: x [m], p1 and p2 [Pa]."""
    x, p1, p2 = q
    v, d1, d2 = qd
    supply = 1e6 + 9e6 * min(t / 0.01, 1.0)

    def flow(drop: float) -> float:
        return float(0.611 * 1e-5 * np.sqrt(2 / 860) * drop / np.sqrt(np.sqrt(drop**2 + 1.0)))

    return np.array([
        10 * qdd[0] + 1e5 * x - p1 * 1e-3 + p2 * 5e-4,
        1e4 * (1e-3 * v + (1e-4 + 1e-3 * x) / 2e8 * d1 - flow(supply - p1)),
        1e4 * (-5e-4 * v + (3e-4 - 5e-4 * x) / 2e8 * d2 - flow(1e6 - p2)),
    ])  # fmt: skip


def exact(times: Any) -> Any:
    def rates(t: float, y: Any) -> Any:
        return [y[1], -pendulum(y[0], y[1], 0.0, t)]

    return solve_ivp(rates, (0, times[-1]), [1.0, 0.0], "DOP853", times, rtol=1e-12, atol=1e-12).y


@pytest.mark.parametrize("given", [None, slopes])
def test_a_function_of_ones_own(given: Any) -> None:
    times = np.linspace(0, 3, 31)
    run = kt.integrate(pendulum, times, [1.0], slopes=given, tolerance=1e-7, names=["angle"])
    q, qd = exact(times)
    assert np.abs(run.q[:, 0] - q).max() < COARSE_RUN
    assert np.abs(run.qd[:, 0] - qd).max() < COARSE_RUN
    assert list(run.coordinate.values) == ["angle"]
    assert run.attrs["termination"] == "finished"


def test_the_error_follows_the_tolerance() -> None:
    times = np.array([0.0, 2.0])
    q, _ = exact(times)
    loose, tight = (
        abs(float(kt.integrate(pendulum, times, [1.0], tolerance=t).q[-1, 0]) - q[-1])
        for t in (1e-4, 1e-6)
    )
    assert 30 < loose / tight < 300


def test_differences_and_exact_slopes_agree() -> None:
    times = np.linspace(0, 1, 5)
    first = kt.integrate(pendulum, times, [1.0], slopes=slopes)
    other = kt.integrate(pendulum, times, [1.0])
    assert first.attrs["steps"] == other.attrs["steps"]
    assert np.abs(first.q.values - other.q.values).max() < AT_STATES


def test_first_order_equations_among_the_others() -> None:
    rows = np.genfromtxt(DATA / "easydyn_hydraulic_jack.csv", delimiter=",", names=True)
    run = kt.integrate(jack, rows["t"], [0.0, 1e6, 1e6], tolerance=5e-3, longest=5e-4)
    assert np.abs(run.q[:, 0] - rows["x"]).max() < 2 * TRAJECTORY
    assert np.abs(run.q[:, 1] - rows["p1"]).max() < 2e3
    assert np.abs(run.q[-1].values / [0.095, 1e7, 1e6] - 1).max() < 1e-2
    assert run.attrs["longest_step"] < 5.001e-4


def test_a_program_has_exact_slopes() -> None:
    model = kt.Model("double", gravity=(0, -9.81, 0))
    a = model.body("a", mass=1.1, com=(0.6, 0, 0), inertia=(0, 0.13, 0.13))
    b = model.body("b", mass=0.9, com=(0.55, 0, 0), inertia=(0, 0.1, 0.1))
    model.revolute("q1", model.ground, a, axis="z", initial=0.3)
    model.revolute("q2", a.point("tip", (1.2, 0, 0)), b, axis="z", initial=0.5)
    times = np.linspace(0, 1, 11)
    run = kt.integrate(kt.derive(model, "inverse"), times, [0.3, 0.5], tolerance=1e-6)
    check = kt.simulate(model, 1.0, step=0.1, rtol=1e-10, atol=1e-10)
    assert np.abs(run.q.values - check.q.values).max() < 2 * COARSE_RUN
    assert list(run.coordinate.values) == ["q1", "q2"]


def test_what_was_found_is_kept_where_it_fails() -> None:
    def wall(q: Any, qd: Any, qdd: Any, t: float) -> Any:
        del qd
        return np.array([qdd[0] + (np.nan if q[0] > 0.5 else 0.0) - 1.0 - 0 * t])

    with pytest.warns(ModelWarning, match="ended after t = .* in the equation of 'q1'"):
        run = kt.integrate(wall, np.linspace(0, 2, 21), [0.0], shortest=1e-6)
    assert float(run.time[-1]) == pytest.approx(0.9)
    assert np.abs(run.q[:, 0] - run.time**2 / 2).max() < AT_STATES


def test_mistakes_are_told() -> None:
    with pytest.raises(KinetreeError, match="one equation per coordinate"):
        kt.integrate(lambda q, qd, qdd, t: [0.0], [0, 1], [1.0, 2.0])
    with pytest.raises(KinetreeError, match="rising"):
        kt.integrate(pendulum, [1, 0], [1.0])
    with pytest.raises(KinetreeError, match="finite"):
        kt.integrate(pendulum, [0, 1], [np.nan])
    with pytest.raises(KinetreeError, match="tolerence"):
        kt.integrate(pendulum, [0, 1], [1.0], tolerence=1e-3)
    with pytest.raises(KinetreeError, match="tolerance: it is -1"):
        kt.integrate(pendulum, [0, 1], [1.0], tolerance=-1.0)


def test_what_a_residual_raises_comes_through() -> None:
    def broken(q: Any, qd: Any, qdd: Any, t: float) -> Any:
        if t > 0.5:
            raise ZeroDivisionError("no value beyond half a second")
        return qdd + q

    with pytest.raises(ZeroDivisionError, match="half a second"):
        kt.integrate(broken, [0.0, 1.0], [1.0])


def test_ctrl_c_keeps_what_was_found() -> None:
    def stopped(q: Any, qd: Any, qdd: Any, t: float) -> Any:
        if t > 0.5:
            raise KeyboardInterrupt
        return qdd + q

    with pytest.warns(ModelWarning, match="interrupted"):
        run = kt.integrate(stopped, np.linspace(0, 1, 11), [1.0], tolerance=1e-4)
    assert run.attrs["termination"] == "interrupted"
    assert float(run.time[-1]) == pytest.approx(0.5)


def test_first_order_equations_alone() -> None:
    times = np.linspace(0, 1, 5)
    run = kt.integrate(lambda q, qd, qdd, t: qd + q - 0 * qdd, times, [1.0])
    assert np.abs(run.q[:, 0] - np.exp(-times)).max() < COARSE_RUN
