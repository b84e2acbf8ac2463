"""The adapters against each other: an error here is ours in the test bench, not in the engine."""

from __future__ import annotations

import numpy as np
import pytest
from tests import zoo
from tests.approx import ULP
from tests.crosscheck import mujoco_adapter, pinocchio_adapter
from tests.crosscheck.compare import assert_same
from tests.crosscheck.numeric import rates

pytestmark = pytest.mark.crosscheck


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("base", ["", "free"])
def test_pinocchio_and_mujoco_agree(base: str, seed: int) -> None:
    model = zoo.random_tree(6, seed, mujoco_adapter.KINDS, base)
    state = zoo.state(model, seed)
    q, qd, tau = state["q"], state["qd"], state["tau"]
    a, b = pinocchio_adapter.twin(model), mujoco_adapter.twin(model)
    assert_same(a.forward(q, qd, tau), b.forward(q, qd, tau), "qdd", labels=model.velocities)
    assert_same(a.mass_matrix(q), b.mass_matrix(q), "M", labels=model.velocities)


def test_jacobian_times_velocity_is_velocity() -> None:
    model = zoo.every_kind()
    state = zoo.state(model, 2)
    twin = pinocchio_adapter.twin(model)
    twin.move(state["q"], state["qd"], state["qdd"])
    r = np.array([0.1, -0.2, 0.3])
    for body in model.bodies:
        for jacobian, velocity in zip(twin.jacobian(body, r), twin.velocity(body, r), strict=True):
            assert_same(jacobian @ state["qd"], velocity, f"velocity of {body}", scale=1.0)


def test_rates_keep_quaternions_of_unit_length() -> None:
    model = zoo.every_kind()
    state = zoo.state(model, 4)
    dq = rates(model, state["q"]) @ state["qd"]
    for part in zoo.quaternion_slices(model):
        assert abs(state["q"][part] @ dq[part]) < ULP


def test_the_helper_names_the_worst_component() -> None:
    with pytest.raises(AssertionError, match=r"M: .*\[elbow, wrist\] is 2\.0"):
        assert_same([[0, 2.0], [0, 0]], np.zeros((2, 2)), "M", labels=["elbow", "wrist"])
