"""Driven mechanisms move as their geometry says."""

from __future__ import annotations

import numpy as np
import pytest
from tests import mechanisms
from tests.analysis import systems
from tests.approx import AT_STATES, IDENTITY, ITERATED, ROUNDING, assert_close

import kinetree as kt
from kinetree.engine import sin
from kinetree.errors import KinetreeError


def test_a_driven_slider_crank_has_its_closed_form() -> None:
    model = mechanisms.slider_crank(rod=2.0)
    model.drive("q1", lambda t: 0.5 + 3.0 * t)
    run = kt.kinematics(model, 2.0, step=0.02, points=["slider", "crank.tip"])
    angle, w = 0.5 + 3.0 * run.time.values, 3.0
    root = np.sqrt(4.0 - np.sin(angle) ** 2)
    place = np.cos(angle) + root
    speed = w * (-np.sin(angle) - np.sin(angle) * np.cos(angle) / root)
    assert_close(run.q.values[:, 2], place, ITERATED, "place")
    assert_close(run.qd.values[:, 2], speed, AT_STATES, "speed")
    slope = np.gradient(speed, run.time.values, edge_order=2)
    assert_close(run.qdd.values[:, 2], slope, 5e-3, "acceleration")
    assert_close(run.point_position.sel(point="slider").values[:, 0], place, ITERATED)
    tip = run.point_velocity.sel(point="crank.tip").values[:, 3:]
    assert_close(tip, w * np.array([-np.sin(angle), np.cos(angle), 0 * angle]).T, IDENTITY)
    inward = run.point_acceleration.sel(point="crank.tip").values[:, 3:]
    assert_close(inward, -(w**2) * np.array([np.cos(angle), np.sin(angle), 0 * angle]).T, IDENTITY)


def test_an_open_chain_follows_its_drives_and_the_rest_stays() -> None:
    model = systems.double_pendulum()
    model.drive("a", lambda t: 0.3 * sin(2.0 * t))
    run = kt.kinematics(model, 1.0, q={"b": 0.7})
    t = run.time.values
    assert_close(run.q.values[:, 0], 0.3 * np.sin(2 * t), ROUNDING)
    assert_close(run.qdd.values[:, 0], -1.2 * np.sin(2 * t), ROUNDING)
    assert_close(run.q.values[:, 1], np.full(len(t), 0.7), ROUNDING)
    assert list(run.point.values) == ["upper", "upper.tip", "lower"]


def test_a_loop_that_opens_on_the_way_is_named_with_its_time() -> None:
    model = mechanisms.slider_crank(rod=0.8)
    model.drive("q1", lambda t: 0.2 + t)
    with pytest.raises(KinetreeError, match=r"closure 'pin': .*, at t = 0\.7"):
        kt.kinematics(model, 1.0, step=0.05)


def test_nothing_moves_without_drives() -> None:
    with pytest.raises(KinetreeError, match="nothing drives it"):
        kt.kinematics(systems.pendulum(), 1.0)


def test_values_of_a_driven_motion_go_with_it() -> None:
    """What is found along the run afterwards is of the same mechanism."""
    model = mechanisms.slider_crank()
    model.drive("q1", lambda t: 0.5 + 3 * t)
    run = kt.kinematics(model, 0.1, step=0.05, parameters={"rod.mass": 50.0})
    found, light = (
        kt.outputs(model, one, ["energy.kinetic"])["energy.kinetic"].values
        for one in (run, kt.kinematics(model, 0.1, step=0.05))
    )
    body = kt.kinematics(model, 0.1, step=0.05, points=["rod"])
    speed = body.point_velocity.values[:, 0]
    arm, spin = np.array([1.0, 0, 0]), speed[:, :3]
    centre = speed[:, 3:] + np.cross(spin, body.point_rotation.values[:, 0] @ arm)
    assert_close(found - light, 48.0 / 2 * (centre**2).sum(axis=1), IDENTITY, "what is heavier")
