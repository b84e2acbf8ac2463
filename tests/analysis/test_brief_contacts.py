"""Contacts that last for less than a step would: no method passes over them."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from tests.approx import COARSE_RUN

import kinetree as kt

RADIUS, REACH, TURN = 0.01, 0.2, 2 * np.pi
BALL = {"circle": (0.0, 0.0), "radius": RADIUS}


@cache
def flicked() -> kt.Model:
    """A bead that rests on a rail, and a driven arm that passes it once in a second."""
    model = kt.Model("flicked", gravity=(0, 0, 0))
    arm = model.body("arm", mass=1.0, inertia=(1, 1, 1))
    model.revolute("turn", model.ground, arm, axis="z")
    model.drive("turn", lambda t: TURN * t)
    bead = model.body("bead", mass=0.1)
    model.prismatic("x", model.ground.point("rail", (0, -REACH, 0)), bead, axis="x")
    tip = arm.point("tip", (REACH, 0, 0))
    model.plane_contact("flick", tip, bead, BALL, BALL, "linear", stiffness=1e5)
    return model


METHODS = ("auto", "dop853", "cvode_bdf", "cvode_adams", "RK45", "Radau", "BDF", "LSODA")


@pytest.mark.parametrize("method", METHODS)
def test_a_bead_at_rest_is_struck_by_what_comes_by(method: str) -> None:
    run = kt.simulate(flicked(), 1.0, method=method, rtol=1e-9, atol=1e-11, step=1.0)
    # against a wall that moves a light ball leaves with twice the speed of the wall
    assert run.qd.values[-1, 1] == pytest.approx(2 * TURN * REACH, rel=0.02)
    assert run.qd.values[-1, 1] == pytest.approx(struck(), rel=COARSE_RUN)


@cache
def struck() -> float:
    """Speed of the bead in a run of short steps."""
    run = kt.simulate(flicked(), 1.0, max_step=1e-4, rtol=1e-9, atol=1e-11, step=1.0)
    return float(run.qd.values[-1, 1])


def test_steps_are_as_long_as_bodies_are_apart() -> None:
    """Time to meet and to pass each other half; at rest, any."""
    model = kt.Model("apart", gravity=(0, 0, 0))
    model.prismatic("x", model.ground, model.body("bead", mass=0.1), axis="x")
    model.plane_contact("touch", "bead", model.ground.point("there", (1.0, 0, 0)), BALL, BALL,
                        "linear", stiffness=1e5)  # fmt: skip
    pace = kt.derive(model, "forces")
    given = {"q": np.array([[0.0], [0.5], [0.98]]), "qd": np.array([[2.0], [2.0], [0.0]])}
    found = pace.evaluate(**pace.pick_inputs(given))["touch.pace"]
    assert found[:2] == pytest.approx(np.array([0.98 + 2 * RADIUS, 0.48 + 2 * RADIUS]) / 2)
    assert found[2] > 1e9
