"""States of rest balance the forces; locked coordinates and freed parameters take their place."""

from __future__ import annotations

import numpy as np
import pytest
from tests.analysis import systems
from tests.approx import AT_STATES, IDENTITY, assert_close

import kinetree as kt
from kinetree.errors import KinetreeError


def test_a_pendulum_hangs() -> None:
    found = kt.equilibrium(systems.pendulum(), q=[-1.0])
    assert found.q == pytest.approx([-np.pi / 2], abs=IDENTITY)
    assert found.residual < AT_STATES


def test_an_unstable_place_is_an_equilibrium_too() -> None:
    assert kt.equilibrium(systems.pendulum(), q=[1.4]).q == pytest.approx([np.pi / 2], abs=IDENTITY)


def test_a_start_where_no_small_step_helps_is_left_aside() -> None:
    assert abs(kt.equilibrium(systems.pendulum(), q=[0.0]).q[0]) == pytest.approx(np.pi / 2)


def test_a_chain_of_springs_stretches_by_the_weight_below() -> None:
    n, k = 5, 300.0
    found = kt.equilibrium(systems.oscillators(n, k))
    below = 2.0 * systems.G * np.arange(n, 0, -1)
    assert_close(found.q, below / k, IDENTITY)


def test_a_heavy_top_on_a_spring_finds_its_quaternion() -> None:
    model = systems.top()
    found = kt.equilibrium(model, q=[np.cos(0.8), np.sin(0.8), 0, 0])
    assert np.linalg.norm(found.q) == pytest.approx(1.0)
    assert abs(found.q[0]) == pytest.approx(0.0, abs=AT_STATES)  # upside down: a half turn


def test_a_locked_coordinate_is_held_by_its_effort() -> None:
    model = systems.double_pendulum()
    found = kt.equilibrium(model, q=[0.3, -1.5], locked=["a"])
    assert found.q[0] == 0.3
    assert found.q.sum() == pytest.approx(-np.pi / 2, abs=AT_STATES)  # the lower rod hangs
    weight = (1.0 + 0.5) * systems.G * np.cos(0.3)
    assert found.efforts["a"] == pytest.approx(weight, rel=AT_STATES)


def test_a_freed_parameter_makes_a_place_an_equilibrium() -> None:
    model = systems.oscillators(1, k=100.0)
    found = kt.equilibrium(model, q=[0.05], locked=["x0"], free=["s0.stiffness"])
    assert found.q == pytest.approx([0.05])
    assert found.p["s0.stiffness"] == pytest.approx(2.0 * systems.G / 0.05, rel=AT_STATES)


def test_user_states_are_at_rest_too() -> None:
    model = kt.Model("filter", gravity=(0, 0, 0))
    model.prismatic("x", model.ground, model.body("m", mass=1.0), axis="x")
    model.state("force", 0.0, rate=lambda x: 3.0 * (7.0 - x["force"]))
    model.joint_law("pull", "x", lambda x, q: x["force"] - 14.0 * q["x"])
    found = kt.equilibrium(model)
    assert found.x == pytest.approx([7.0])
    assert found.q == pytest.approx([0.5])


def test_parameters_and_efforts_act() -> None:
    model = systems.oscillators(1, k=100.0)
    found = kt.equilibrium(model, tau=[5.0], parameters={"s0.stiffness": 50.0})
    assert found.q == pytest.approx([(2.0 * systems.G + 5.0) / 50.0])


def test_nothing_holds_a_falling_body() -> None:
    model = kt.Model("falling")
    model.prismatic("z", model.ground, model.body("stone", mass=1.0), axis="z")
    with pytest.raises(KinetreeError, match=r"'z' accelerates by 9\.81"):
        kt.equilibrium(model)


MISTAKES = {
    "locked": ({"locked": ["c"]}, "coordinate 'c'"),
    "free": ({"locked": ["a"], "free": ["mas"]}, "parameter 'mas'"),
    "too many": ({"free": ["gravity_y"]}, "lock as many"),
    "law": ({"tau": lambda t, q, qd: [0, 0]}, "force of the model"),
}


@pytest.mark.parametrize(("given", "said"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_sentences(given: dict[str, object], said: str) -> None:
    with pytest.raises(KinetreeError, match=said):
        kt.equilibrium(systems.double_pendulum(), **given)  # type: ignore[arg-type]
