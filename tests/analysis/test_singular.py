"""Runs through singular positions: they pass, stay on their branch, or say what happened."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import scipy.integrate
from tests import mechanisms

import kinetree as kt
from kinetree.errors import ModelWarning


@cache
def by_hand(duration: float) -> float:
    """Angle of the parallelogram of `mechanisms` from 1 rad and 6 rad/s, by its own equation."""
    inertia, moment = 0.5 + 1.0 + 4.0, 9.81 * (0.75 + 4.0 + 1.5)  # kg.m2, N.m
    found = scipy.integrate.solve_ivp(
        lambda _, y: [y[1], -moment / inertia * np.cos(y[0])],
        (0, duration), (1.0, 6.0), "DOP853", rtol=1e-11, atol=1e-11,
    )  # fmt: skip
    return float(found.y[0, -1])


@pytest.mark.parametrize("step", [5e-3, 1e-3, 5e-4, 2e-4, 1e-4])
def test_hybrid_steps_of_any_length_pass_a_singular_position(step: float) -> None:
    model = mechanisms.parallelogram()
    given = {"formulation": "hybrid", "qd": [6.0, -6.0, 6.0], "step": step}
    run = kt.simulate(model, 3.0, **given)
    assert run.attrs["termination"] == "finished"
    assert float(run.q[-1, 0]) == pytest.approx(by_hand(3.0), abs=20 * step**2)


@pytest.mark.parametrize("step", [1e-3, 5e-4, 1e-4])
def test_hybrid_steps_pass_the_four_bar_of_equal_bars(step: float) -> None:
    qd = [-1.0, -1.0, 1.0]
    run = kt.simulate(mechanisms.n_four_bar(1), 5.0, qd=qd, formulation="hybrid", step=step)
    assert run.attrs["termination"] == "finished"
    assert run.q.values[-1] == pytest.approx([-15.374481, -15.374481, 15.374481], abs=3 * step)


@pytest.mark.parametrize("formulation", ["hybrid", "topological", "global"])
def test_a_step_that_fails_at_a_singular_position_names_it(formulation: str) -> None:
    model = mechanisms.parallelogram()
    limit = 2 if formulation == "global" else 1
    given = {"formulation": formulation, "qd": [6.0, -6.0, 6.0], "limit": limit}
    with pytest.warns(ModelWarning, match=r"nearly singular, equation pin\.x") as told:
        kt.simulate(model, 3.0, step=1e-3, **given)
    text = str(told[0].message)
    assert "smaller step" not in text
    assert "body ''" not in text
