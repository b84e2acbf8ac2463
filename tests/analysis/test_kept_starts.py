"""Starts of closed mechanisms of which more is given than is free: what keeps its value."""

from __future__ import annotations

from math import asin, cos, sin
from typing import Any

import numpy as np
import pytest

import kinetree as kt
import mechanisms
from approx import CLOSED, IDENTITY, LONG_RUN, assert_close

FINE = {"rtol": 1e-11, "atol": 1e-12}
END = {"m": kt.final("qd_q1")}


def closed(angle: float = 0.5, rate: float = 1.0) -> tuple[dict[str, float], dict[str, float]]:
    """Coordinates and velocities of the slider-crank, all of them, closed."""
    turn = -asin(sin(angle) / 2) - angle
    q = {"q1": angle, "q2": turn, "q3": cos(angle) + 2 * cos(angle + turn)}
    whole = -cos(angle) * rate / (2 * cos(angle + turn))  # rate of the rod
    qd = {"q1": rate, "q2": whole - rate}
    return q, qd | {"q3": -sin(angle) * rate - 2 * sin(angle + turn) * whole}


def differences(name: str, at: float, **run: Any) -> float:
    high, low = (
        kt.sensitivity(mechanisms.slider_crank(), 0.2, END, by=[], parameters={name: at + h}, **run)
        for h in (1e-5, -1e-5)
    )
    return float(high.value[0] - low.value[0]) / 2e-5


@pytest.mark.filterwarnings("ignore:the initial values do not satisfy")
@pytest.mark.parametrize("method", ["direct", "adjoint"])
@pytest.mark.parametrize("first", ["q1", "q3"])
def test_of_a_whole_closed_start_what_is_named_first_stays(first: str, method: str) -> None:
    q, qd = closed()
    order = [first, *(name for name in q if name != first)]
    run: dict[str, Any] = {"q": {name: q[name] for name in order}, **FINE}
    run["qd"] = {name: qd[name] for name in order}
    found = kt.sensitivity(
        mechanisms.slider_crank(), 0.2, END, by=["crank.tip_x", "rod.end_x"], method=method, **run
    )
    table = [differences(name, x, **run) for name, x in (("crank.tip_x", 1.0), ("rod.end_x", 2.0))]
    assert_close(found.gradient[0], table, LONG_RUN)
    if method == "direct":
        assert_close(found.q_by[0].sel(coordinate=first), np.zeros(2), IDENTITY)
        assert_close(found.qd_by[0].sel(velocity=first), np.zeros(2), IDENTITY)


def test_equal_steps_and_second_derivatives_keep_the_same() -> None:
    q, _ = closed()
    by, crank = ["crank.tip_x", "rod.mass"], mechanisms.slider_crank()
    steps = {"integrator": "trapezoidal", "formulation": "hybrid", "step": 0.01}
    for run in ({**FINE}, steps):
        whole, alone = (
            kt.sensitivity(crank, 0.1, END, by=by, q=given, order=2, **run)
            for given in (q, {"q1": q["q1"]})
        )
        assert_close(whole.gradient, alone.gradient, CLOSED)
        assert_close(whole.hessian, alone.hessian, CLOSED)


@pytest.mark.parametrize("method", ["direct", "adjoint"])
def test_what_cannot_keep_its_value_or_cannot_move_is_told(method: str) -> None:
    crank = mechanisms.slider_crank()
    with (
        pytest.warns(kt.errors.ModelWarning, match="instead of 1.5"),
        pytest.raises(kt.errors.UnsupportedError, match="do not let 'q1' keep the value"),
    ):
        kt.sensitivity(crank, 0.1, END, by=["rod.mass"], q={"q1": 1.5}, method=method,
                       parameters={"crank.tip_x": 9.0})  # fmt: skip
    still = {"q1": 0.0, "q2": 0.0, "q3": 3.0}  # a dead centre: the slider cannot move alone
    with pytest.raises(kt.errors.UnsupportedError, match=r"by, 'q0\.q3': 'q3' follows"):
        kt.sensitivity(crank, 0.1, END, by=["q0.q3"], q=still, method=method)
