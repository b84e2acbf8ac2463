"""D'Alembert's principle on position matrices gives the equations that trees of joints give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from tests import forced, strategies, zoo
from tests.approx import FORMALISM, assert_close
from tests.laws.tools import MODELS, model, program, values

import kinetree as kt
from kinetree.formalism.matrices import PLACED

WAY = "dalembert"
SAME = ("inverse", "mass_bias", "energy", "kinematics")


def agree(tree: kt.Model, quantity: str, state: dict[str, Any], **options: Any) -> None:
    """Compare a quantity of a tree with that of its position matrices."""
    first = values(kt.derive(tree, quantity), **state)
    other = values(kt.derive(tree, quantity, WAY, **options), **state)
    assert other.keys() == first.keys()
    for output, expected in first.items():
        size = max(1.0, float(np.abs(expected).max()))
        assert_close(other[output], expected, FORMALISM, f"{quantity} {output}", scale=size)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("quantity", ["inverse", "mass_bias", "energy"])
def test_matrices_of_the_zoo(name: str, quantity: str) -> None:
    agree(model(name), quantity, zoo.state(model(name), 1, (3,)))


@pytest.mark.parametrize("name", MODELS)
def test_inverse_undoes_forward(name: str) -> None:
    state = zoo.state(model(name), 2, (3,))
    qdd = values(kt.derive(model(name), "forward", WAY), **state)["qdd"]
    tau = values(program(name, "inverse"), **{**state, "qdd": qdd})["tau"]
    c = values(program(name, "mass_bias"), **state)["c"]
    assert_close(tau, state["tau"], FORMALISM, name, scale=float(np.abs(c).max()) + 1)


@settings(max_examples=8)
@given(strategies.trees(max_size=4), strategies.seeds)
def test_matrices_of_any_tree(links: list[zoo.Link], seed: int) -> None:
    tree = zoo.build(links, gravity=(0.5, -9.81, 2.0))
    body = tree.bodies[f"b{len(links) - 1}"]
    tree.wrench("push", body.point("at", (0.3, -0.2, 0.1)), frame="body")
    tree.wrench("pull", body.point("on", (0.1, 0.2, -0.3)), frame="world")
    rng = np.random.default_rng(seed)
    state = {**zoo.state(tree, seed), **{name: rng.uniform(-1, 1, 6) for name in tree.wrenches}}
    agree(tree, "mass_bias", state)
    agree(tree, "inverse", state, parameters="folded")
    agree(tree, "energy", state)
    agree(tree, "kinematics", state)


def test_bodies_that_cannot_move_have_no_energy() -> None:
    tree = kt.Model("post")
    bar = tree.body("bar", mass=1.0, com=(0.5, 0, 0), inertia=(0, 0.1, 0.1))
    tree.revolute("q", tree.ground, bar, axis="y")
    tree.fixed("weld", tree.ground, tree.body("post", mass=2.0, com=(0, 0, 1)))
    agree(tree, "energy", {"q": np.array([0.3]), "qd": np.array([0.2])})


@settings(max_examples=4)
@given(strategies.trees(max_size=3), strategies.seeds)
def test_forces_on_matrices(links: list[zoo.Link], seed: int) -> None:
    tree = forced.forced(links)
    state = forced.inputs(tree, seed)
    agree(tree, "mass_bias", state)
    agree(tree, "energy", state)
    first = values(kt.derive(tree, "forward", "newton_euler"), **state)
    other = values(kt.derive(tree, "forward", WAY), **state)
    assert_close(other["xd"], first["xd"], FORMALISM, "xd")
    tau = values(kt.derive(tree, "inverse"), **{**state, "qdd": other["qdd"]})["tau"]
    c = values(kt.derive(tree, "mass_bias"), **state)["c"]
    size = max(1.0, float(np.abs(c).max()))
    assert_close(tau, state["tau"], 10 * FORMALISM, "forward", scale=size)


def test_joints_that_follow() -> None:
    tree = kt.Model("gripper")
    for k, parent in enumerate(("ground", "b0", "b1")):
        body = tree.body(f"b{k}", mass=1.0 + k, com=(0.1, 0.2, 0.3), inertia=(1, 1, 1))
        follows = ("j0", 0.7, 0.2) if k == 2 else None
        tree.revolute(f"j{k}", parent, body, axis="xyz"[k], mimic=follows)
    for quantity in SAME:
        agree(tree, quantity, zoo.state(tree, 4))


def test_gaps_of_stops() -> None:
    tree = zoo.build(zoo.random_links(3, 5))
    first, last = tree.bodies["b0"], tree.bodies["b2"]
    places = {"foot": last.point("foot", (0.1, 0.2, -0.4)), "toe": first.point("toe", (0, 0.3, 0))}
    tree.stop("floor", points=places, gap=lambda points: points["foot"].p[2] - points["toe"].p[0])
    one = next(joint.name for joint in tree.joints.values() if joint.nq == 1)
    tree.stop("bounds", one, lower=-0.5, upper=0.7, restitution=0.3)
    agree(tree, "gaps", zoo.state(tree, 3, (4,)))


def test_every_quantity_is_compared() -> None:
    elsewhere = {"forward", "mixed", "friction", "forces"}  # above, test_mixed, test_outputs
    assert set(PLACED) == {*SAME, "gaps", *elsewhere}


def test_run_time_parameters_are_shared() -> None:
    tree = zoo.build(zoo.random_links(3, 5))
    first, other = kt.derive(tree, "inverse"), kt.derive(tree, "inverse", WAY)
    p = np.array(first.input("p").default) * 1.1
    assert other.input("p").labels == first.input("p").labels
    state = zoo.state(tree, 7)
    tau = values(first, **state, p=p)["tau"]
    assert_close(values(other, **state, p=p)["tau"], tau, FORMALISM, "tau")
