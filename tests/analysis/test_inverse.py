"""Efforts along a motion are those that made it."""

from __future__ import annotations

import numpy as np
import pytest
from tests import zoo
from tests.analysis import systems
from tests.approx import AT_STATES, EQUAL_STEPS, READ_OFF, ROUNDING, assert_close

import kinetree as kt
from kinetree.errors import KinetreeError


@pytest.mark.parametrize("name", ["chain4", "floating3", "spherical2"])
def test_a_run_gives_its_efforts_back(name: str) -> None:
    model = zoo.SMALL[name]()
    run = kt.simulate(model, 0.2, tau=lambda t, q, qd: np.sin(5 * t) - 0.1 * qd, step=0.02)
    found = kt.inverse(model, run)
    assert_close(found.tau.values, run.tau.values, AT_STATES, scale=10.0)
    assert found.tau.dims == ("time", "velocity")


def test_rates_are_those_of_a_spline_where_none_are_given() -> None:
    model = systems.double_pendulum()
    run = kt.simulate(model, 1.0, step=0.002)
    whole = kt.inverse(model, {"time": run.time.values, "q": run.q.values})
    middle = np.abs(whole.tau.values[20:-20]).max()
    assert middle < READ_OFF
    half = kt.inverse(model, {"time": run.time.values, "q": run.q.values, "qd": run.qd.values})
    assert np.abs(half.tau.values[20:-20]).max() < EQUAL_STEPS


def test_wrenches_and_parameters_act() -> None:
    model = kt.Model("cart", gravity=(0, 0, 0))
    cart = model.body("cart", mass=4.0)
    model.prismatic("x", model.ground, cart, axis="x")
    model.wrench("push", cart, frame="world")
    motion = {"q": [[0.0], [0.0]], "qd": [[0.0], [0.0]], "qdd": [[1.0], [2.0]]}
    assert_close(kt.inverse(model, motion).tau.values, [[4.0], [8.0]], ROUNDING)
    heavy = kt.inverse(model, motion, parameters={"cart.mass": 5.0})
    assert_close(heavy.tau.values, [[5.0], [10.0]], ROUNDING)
    pushed = kt.inverse(model, motion, wrenches={"push": [0, 0, 0, 3.0, 0, 0]})
    assert_close(pushed.tau.values, [[1.0], [5.0]], ROUNDING)


MISTAKES = {
    "no q": ({"qd": [[0.0]]}, "no q"),
    "width": ({"q": [[0.0, 1.0]], "qd": [[0.0]], "qdd": [[0.0]]}, "rows of 1"),
    "rows": ({"q": [[0.0]], "qd": [[0.0], [0.0]], "qdd": [[0.0]]}, "2 rows"),
    "times": ({"time": [1.0, 0.0], "q": [[0.0], [1.0]]}, "rising"),
    "too short": ({"q": [[0.0], [1.0]]}, "give qd and qdd"),
    "name": ({"q": [[0.0]], "qqd": [[0.0]]}, "qqd"),
    "kind": (3, "not a valid trajectory"),
}


@pytest.mark.parametrize(("given", "said"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_sentences(given: object, said: str) -> None:
    with pytest.raises(KinetreeError, match=said):
        kt.inverse(systems.pendulum(), given)


def test_quaternions_need_their_velocities() -> None:
    rows = {"time": np.arange(5.0), "q": np.tile([1.0, 0, 0, 0], (5, 1))}
    with pytest.raises(KinetreeError, match="angular velocities"):
        kt.inverse(systems.top(), rows)
