"""The configuration manifold: integrate and difference undo each other; limits, clip, random."""

from __future__ import annotations

import numpy as np
import pytest
from tests import zoo
from tests.approx import CLOSED, COARSE_RUN, IDENTITY, SUMS, assert_close
from tests.laws.tools import coordinate_rates

import kinetree as kt
from kinetree.errors import ModelError, ShapeError, UnknownNameError

NAMES = ("chain4", "spherical2", "floating3", "every_kind")


def scara() -> kt.Model:
    model = kt.Model("scara")
    arm, hand, tool = (model.body(name, 1.0, inertia=(1, 1, 1)) for name in ("arm", "hand", "tool"))
    bounds = {"lower": -1.0, "upper": 2.0, "velocity": 3.0, "effort": 40.0}
    model.revolute("shoulder", model.ground, arm, limits=bounds)
    model.prismatic("lift", arm, hand, limits={"upper": 0.5})
    follower = {"lower": 0.0, "upper": 1.0, "velocity": 1.0}
    model.prismatic("jaw", hand, tool, mimic=("shoulder", -0.5, 0.25), limits=follower)
    model.free("float", model.ground, model.body("ship", 1.0, inertia=(1, 1, 1)))
    return model


@pytest.mark.parametrize("name", NAMES)
def test_difference_undoes_integrate(name: str) -> None:
    model, rng = zoo.SMALL[name](), np.random.default_rng(5)
    q = model.random(1, 40)
    step = rng.uniform(-1, 1, (40, model.nv)) * 10.0 ** rng.uniform(-9, 0.2, (40, 1))
    there = model.integrate(q, step)
    assert_close(model.difference(q, there), step, SUMS, name, scale=1.0)
    far = model.random(2, 40)
    back = model.integrate(q, model.difference(q, far))
    assert_close(np.abs(model.difference(back, far)), np.zeros((40, model.nv)), SUMS, name)


@pytest.mark.parametrize("name", NAMES)
def test_integrate_follows_the_rates_of_the_coordinates(name: str) -> None:
    """A thousand small steps of der(q) = N(q) qd with constant qd lead to the same place."""
    model, h = zoo.SMALL[name](), 1e-3
    state = zoo.state(model, 3)
    q, qd = state["q"], state["qd"]
    for _ in range(1000):  # midpoint rule
        middle = q + h / 2 * coordinate_rates(model, q, qd)
        q = q + h * coordinate_rates(model, middle, qd)
    assert_close(model.integrate(state["q"], qd), q, COARSE_RUN, name, scale=1.0)
    assert_close(model.integrate(state["q"], np.zeros(model.nv)), state["q"], IDENTITY, name)


def test_batches_broadcast() -> None:
    model = zoo.SMALL["floating3"]()
    q, step = model.random(1), np.random.default_rng(2).normal(size=(3, 5, model.nv))
    found = model.integrate(q, step)
    assert found.shape == (3, 5, model.nq)
    assert_close(found[1, 2], model.integrate(q, step[1, 2]), IDENTITY)
    assert model.difference(found, q).shape == (3, 5, model.nv)


def test_limits_are_arrays_and_followers_bound_their_leader() -> None:
    limits = scara().limits()
    assert limits.lower[:2].tolist() == [-1.0, -np.inf]
    assert limits.upper[:2].tolist() == [0.5, 0.5]  # jaw = 0.25 - 0.5 shoulder >= 0
    assert limits.velocity[:2].tolist() == [2.0, np.inf]
    assert limits.effort[:2].tolist() == [40.0, np.inf]
    assert np.isinf(limits.lower[2:]).all()
    assert limits.velocity.shape == (8,)


def test_clip_and_random_stay_within_the_limits() -> None:
    model = scara()
    given = np.array([5.0, 0.7, 2.0, 0.0, 0.0, 0.0, 9.0, 9.0, 9.0])
    assert model.clip(given).tolist() == [0.5, 0.5, 1.0, 0.0, 0.0, 0.0, 9.0, 9.0, 9.0]
    drawn = model.random(7, (4, 100), span=0.2)
    assert drawn.shape == (4, 100, 9)
    assert_close(model.clip(drawn), drawn, IDENTITY)
    assert drawn[..., 1].min() >= 0.5 - 2 * 0.2
    assert np.abs(drawn[..., 6:]).max() <= 0.2
    assert np.abs(drawn[..., 2:6].mean(axis=(0, 1))).max() < 0.1  # no orientation is preferred
    assert_close(drawn, model.random(np.random.default_rng(7), (4, 100), span=0.2), IDENTITY)


def test_bounds_with_nothing_between_them_are_named() -> None:
    model = scara()
    body = model.body("clamp", 1.0, inertia=(1, 1, 1))
    model.prismatic("clamp", model.ground, body, mimic=("lift",), limits=(2.0, 3.0))
    with pytest.raises(ModelError, match=r"coordinate 'lift'.*2 and 0\.5"):
        model.random(1)


def test_wrong_sizes_are_named() -> None:
    with pytest.raises(ShapeError, match=r"step: its shape is .9,..*8 numbers"):
        scara().integrate(np.zeros(9), np.zeros(9))


def test_limits_become_stops() -> None:
    model = scara()
    made = model.stop_at_limits(restitution=0.5)
    assert [force.name for force in made] == ["shoulder_stop", "lift_stop"]
    run = kt.simulate(model, 0.4, qd={"lift": 3.0})
    assert float(run["q"].sel(coordinate="lift").max()) <= 0.5 + CLOSED
    with pytest.raises(UnknownNameError, match="joint with bounds"):
        scara().stop_at_limits(["float"])


def test_a_joint_whose_bounds_are_both_zero_stays_there() -> None:
    model = kt.Model("clamped")
    body = model.body("b", 1.0, inertia=(1, 1, 1))
    model.revolute("j", model.ground, body, limits=(0.0, 0.0))
    follower = model.body("f", 1.0, inertia=(1, 1, 1))
    model.revolute("k", body, follower, mimic=("j", -1.0), limits=(0.0, 0.0))
    assert model.random(1, 5).tolist() == [[0.0]] * 5
