"""Forward dynamics and mass matrix against MuJoCo: fixed-base robots and trees it can speak."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests import zoo
from tests.crosscheck import mujoco_adapter, robots
from tests.crosscheck.compare import assert_same

import kinetree as kt

if TYPE_CHECKING:
    from tests.crosscheck.cases import Case

pytestmark = pytest.mark.crosscheck
FIXED = [name for name, robot in robots.ROBOTS.items() if not robot.floating]


def compare(model: kt.Model, twin: mujoco_adapter.Twin) -> None:
    """Forward dynamics by both formalisms, then M."""
    state, names = zoo.state(model, seed=11), model.velocities
    q, qd, tau = state["q"], state["qd"], state["tau"]
    theirs = twin.forward(q, qd, tau)
    for formalism in ("newton_euler", "order_n"):
        ours = kt.derive(model, "forward", formalism=formalism).compile()(q=q, qd=qd, tau=tau)
        assert_same(ours["qdd"], theirs, f"qdd by {formalism}", labels=names)
    ours = kt.derive(model, "mass_bias").compile()(q=q, qd=qd)
    assert_same(ours["M"], twin.mass_matrix(q), "M", labels=names)


@pytest.mark.parametrize("name", FIXED)
def test_robots(name: str, robot_cases: dict[str, Case]) -> None:
    model = robot_cases[name].model
    compare(model, mujoco_adapter.urdf_twin(model, robots.urdf_text(name)))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("base", ["", "free"])
def test_trees(base: str, seed: int) -> None:
    model = zoo.random_tree(6, 20 + seed, mujoco_adapter.KINDS, base)
    compare(model, mujoco_adapter.twin(model))
