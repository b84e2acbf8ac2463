"""Loops of many links: independent coordinates where their choice lasts, all of them elsewhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests import mechanisms
from tests.approx import CLOSED, EQUAL_STEPS, TRAJECTORY, assert_close

import kinetree as kt

if TYPE_CHECKING:
    import xarray


def check_motion(model: kt.Model, run: xarray.Dataset) -> None:
    """Assert that a run is finished, keeps its energy and stays on its loops."""
    assert run.attrs["termination"] == "finished"
    state = {"q": run.q.values, "qd": run.qd.values}
    found = kt.derive(model, "energy").evaluate(**state)
    total = found["kinetic"] + found["potential"]
    assert np.ptp(total) < TRAJECTORY * np.ptp(found["kinetic"])
    gaps = kt.derive(model, "constraints").evaluate(**state)
    assert np.abs(gaps["h"]).max() < CLOSED
    assert np.abs(np.einsum("tij,tj->ti", gaps["J"], state["qd"])).max() < CLOSED


def test_a_ring_of_twenty_links_swings_in_all_its_coordinates() -> None:
    model = mechanisms.ring(20)
    run = kt.simulate(model, 2.0)
    check_motion(model, run)
    assert run.attrs["loops"] == "projection"
    assert run.attrs["mobility"] == 18


def test_coordinates_that_change_often_are_all_kept() -> None:
    model = mechanisms.ring(8)
    run = kt.simulate(model, 2.0)
    check_motion(model, run)
    said = r"explicit, projection from t = 1\.\d+ s, after \d choices of independent coordinates"
    assert re.fullmatch(said, run.attrs["loops"])
    assert run.attrs["steps"] < 500  # near its singular places a choice takes thousands
    whole = kt.simulate(model, 1.0, step=0.004, loops="projection")
    assert_close(run.q.values[:251], whole.q.values, EQUAL_STEPS)


def test_what_the_user_says_of_loops_is_done() -> None:
    model = mechanisms.ring(10)
    for loops in ("explicit", "multipliers"):
        assert kt.simulate(model, 0.1, loops=loops).attrs["loops"] == loops
    kept = kt.simulate(model, 0.1, independent=[f"q{k}" for k in range(8)])
    assert kept.attrs["loops"] == "explicit"


def test_links_that_stick_keep_independent_coordinates() -> None:
    model = mechanisms.ring(10)
    model.dry_friction("rust", "q3", coulomb=0.01)
    assert kt.simulate(model, 0.02).attrs["loops"] == "explicit"


def test_short_loops_keep_independent_coordinates() -> None:
    assert kt.simulate(mechanisms.slider_crank(), 0.1).attrs["loops"] == "explicit"


def test_many_rings_side_by_side_are_those_alone() -> None:
    model = mechanisms.ring(10)
    turns = np.array([0.0, 0.5])
    both = kt.simulate(model, 0.3, qd={"q0": turns})
    alone = kt.simulate(model, 0.3, qd={"q0": 0.5})
    assert both.loops.values.tolist() == ["projection", "projection"]
    assert_close(both.q.values[1], alone.q.values, TRAJECTORY)


@pytest.mark.parametrize("method", ["dopri5", "RK45"])
def test_other_methods_swing_long_loops_too(method: str) -> None:
    model = mechanisms.ring(10)
    run = kt.simulate(model, 0.3, method=method)
    assert run.attrs["loops"] == "projection"
    reference = kt.simulate(model, 0.3)
    assert_close(run.q.values, reference.q.values, EQUAL_STEPS)
