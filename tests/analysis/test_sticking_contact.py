"""Contacts whose friction sticks: what slides comes to rest, and stays or rolls."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.approx import AT_STATES, IDENTITY, ITERATED, RUN, TRAJECTORY

import kinetree as kt
from kinetree.errors import KinetreeError

GRAVITY, MASS, RADIUS, STIFF = 9.81, 2.0, 0.1, 1e5


def box(friction: float, slope: float = 0.0, static: float = 1.0) -> kt.Model:
    """A box on a foot that slides down a slope along x; it begins at rest on it."""
    down = GRAVITY * np.cos(slope)
    model = kt.Model("box", gravity=(GRAVITY * np.sin(slope), 0, -down))
    body = model.body("box", mass=MASS)
    start = (0, RADIUS - MASS * down / STIFF)
    model.sequence("at", model.ground, body, "T1 T3", initial=start, coordinates=["x", "z"])
    model.sticking_contact(
        "foot", body, model.ground, RADIUS, friction, STIFF, exponent=1, damping=200.0,
        static=static,
    )  # fmt: skip
    return model


def test_a_box_slides_and_stops_and_stays() -> None:
    friction, speed = 0.3, 2.0
    run = kt.simulate(box(friction), 10.0, qd={"x": speed}, step=0.05)
    (stop,) = run["event_time"].values
    assert stop == pytest.approx(speed / (friction * GRAVITY), abs=ITERATED)
    after = run["q"].values[run["time"].values > stop, 0]
    assert after == pytest.approx(speed**2 / (2 * friction * GRAVITY), abs=AT_STATES)
    assert np.ptp(after) < IDENTITY
    assert run["grip"].values[0] == pytest.approx(-friction * MASS * GRAVITY, rel=AT_STATES)


@pytest.mark.parametrize("static", [1.0, 1.5])
def test_a_box_on_a_slope_stays_where_its_friction_bears_it(static: float) -> None:
    slope, friction = 0.35, 0.3
    run = kt.simulate(box(friction, slope, static), 2.0, step=0.1)
    if static * friction > np.tan(slope):
        assert np.ptp(run["q"].values[:, 0]) < IDENTITY
        held = -MASS * GRAVITY * np.sin(slope)
        assert run["grip"].values[:, 0] == pytest.approx(held, rel=AT_STATES)
        return
    pull = GRAVITY * (np.sin(slope) - friction * np.cos(slope))
    expected = 0.5 * pull * run["time"].values ** 2
    assert run["q"].values[:, 0] == pytest.approx(expected, abs=RUN)


def test_a_ball_slides_then_rolls() -> None:
    """From v to 5/7 v about the centre; the lane gives way, so that the arm is shorter."""
    friction, speed, mass, stiffness = 0.2, 5.0, 5.0, 1e7
    model = kt.Model("lane", gravity=(0, 0, -GRAVITY))
    ball = model.body("ball", mass=mass, inertia=(0.4 * mass * RADIUS**2,) * 3)
    arm = RADIUS - mass * GRAVITY / stiffness
    names = ["x", "z", "turn"]
    start = (0, arm, 0)
    model.sequence("at", model.ground, ball, "T1 T3 R2", initial=start, coordinates=names)
    model.sticking_contact(
        "lane", ball, model.ground, RADIUS, friction, stiffness, exponent=1, damping=1e4
    )
    run = kt.simulate(model, 2.0, qd={"x": speed}, step=0.05, method="cvode_bdf", rtol=1e-10)
    share = 1 + arm**2 / (0.4 * RADIUS**2)
    end = speed * (1 - 1 / share)
    assert run["event_time"].values == pytest.approx(
        [speed / (share * friction * GRAVITY)], abs=RUN
    )
    late = run["time"].values > run["event_time"].values[0]
    assert run["qd"].sel(velocity="x").values[late] == pytest.approx(end, abs=TRAJECTORY)
    assert run["qd"].sel(velocity="turn").values[late] == pytest.approx(end / arm, rel=TRAJECTORY)


def test_files_keep_it_and_what_it_cannot_be_is_refused(tmp_path: Path) -> None:
    model = box(0.3)
    kt.save(model, tmp_path / "box.yaml")
    again = kt.load(tmp_path / "box.yaml")
    assert again.content_hash() == model.content_hash()
    with pytest.raises(KinetreeError, match=r"force 'up'.*stands upright on the road"):
        model.sticking_contact("up", "box", "ground", RADIUS, 0.3, STIFF, along="z")
    with pytest.raises(KinetreeError, match=r"force 'less'.*static is 0.5"):
        model.sticking_contact("less", "box", "ground", RADIUS, 0.3, STIFF, static=0.5)
