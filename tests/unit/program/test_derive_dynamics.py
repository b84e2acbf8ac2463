"""The structured derivatives of dynamics against forward mode on the whole Program."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests import zoo
from tests.approx import FORMALISM, assert_close

import kinetree as kt
from kinetree.program import Solve
from kinetree.program.verify import verify

MOVING = [kind for kind in zoo.KINDS if kind != "fixed"]


def compare(model: kt.Model, seed: int = 1, **options: Any) -> None:
    """Both quantities by both ways, at a random state with random wrenches."""
    state = zoo.state(model, seed)
    rng = np.random.default_rng(seed)
    wrenches = {name: rng.normal(size=6) for name in model.wrenches}
    for base, of, third in (("inverse", "tau", "qdd"), ("forward", "qdd", "tau")):
        given = {name: state[name] for name in ("q", "qd", third)} | wrenches
        plain = kt.derive(model, base, "newton_euler", **options)
        plain = plain.derivative(of, ("q", "qd", third), tangent=True)
        ours = verify(kt.derive(model, f"{base}_derivatives", **options))
        theirs, found = plain.evaluate(**given), ours.evaluate(**given)
        assert list(found) == list(theirs)
        for name, value in theirs.items():
            assert_close(found[name], value, FORMALISM, name)


@pytest.mark.parametrize("kind", MOVING)
def test_every_kind_of_joint(kind: str) -> None:
    compare(zoo.one_joint(kind))


@pytest.mark.parametrize("seed", range(3))
def test_random_trees(seed: int) -> None:
    compare(zoo.random_tree(4, seed, base="free" if seed == 2 else ""), seed)


@pytest.mark.parametrize("options", [{"parameters": "folded"}, {"base_parameters": False}])
def test_options_do_not_change_values(options: dict[str, Any]) -> None:
    compare(zoo.tree(5), 2, **options)


@pytest.mark.parametrize("frame", ["world", "body"])
def test_wrenches(frame: str) -> None:
    model = zoo.random_tree(3, 7, ("revolute", "prismatic", "spherical"))
    for name in ("b1", "b2"):
        model.wrench(f"on_{name}", model.bodies[name].point("tip", (0.3, 0.1, -0.2)), frame=frame)
    compare(model)


def test_followers_share_the_coordinate_of_their_leader() -> None:
    model = kt.Model("gripper")
    rows = [model.body(n, 1.3, (0.3, 0.1, 0.05), (0.2, 0.3, 0.25, 0.01, 0, 0.03)) for n in "abc"]
    model.revolute("q1", model.ground, rows[0], axis="y")
    at = rows[0].point("tip", (1, 0, 0))
    model.revolute("q2", at, rows[1], axis="x", mimic=("q1", -1.5, 0.2))
    model.prismatic("q3", rows[1].point("tip", (1, 0.2, 0)), rows[2], axis=(0, 0.6, 0.8))
    compare(model)


def test_one_factorisation_serves_all() -> None:
    program = kt.derive(zoo.random_tree(4, 3, ("revolute",), base="free"), "forward_derivatives")
    first, second = (block for block in program.blocks if isinstance(block, Solve))
    assert first.matrix == second.matrix
    assert (first.k, second.k) == (1, 3 * 9 - 3), "the position of a free base has no effect"


def test_structure_saves_operations() -> None:
    """At least a third fewer operations than differentiating the recursion name by name."""
    model = zoo.chain(10)
    plain = kt.derive(model, "inverse").derivative("tau", ("q", "qd", "qdd"))
    ours = kt.derive(model, "inverse_derivatives")
    assert ours.count().total < 0.67 * plain.count().total


def test_the_mass_matrix_is_the_derivative_by_qdd() -> None:
    model = zoo.every_kind()
    state = zoo.state(model, 3)
    given = {name: state[name] for name in ("q", "qd", "qdd")}
    found = kt.derive(model, "inverse_derivatives").evaluate(**given)["dtau_dqdd"]
    M = kt.derive(model, "mass_bias").evaluate(q=state["q"], qd=state["qd"])["M"]
    assert_close(found, M, FORMALISM)
    assert_close(found, found.T, FORMALISM)
