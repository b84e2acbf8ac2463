"""The wrench on the ground is the rate of momentum less gravity."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from tests import strategies, zoo
from tests.approx import FORMALISM, assert_close
from tests.laws.tools import values

import kinetree as kt


def rate_of_momentum(system: kt.Model, state: dict[str, Any]) -> Any:
    """[torque about the ground's origin; force] that inertia and gravity ask for, body by body."""
    places = [body.point("centre", body.com).path for body in system.bodies.values()]
    out = values(kt.derive(system, "kinematics", points=places), **state)
    g = np.array([float(x) for x in system.gravity])
    total = np.zeros(6)
    for body, path in zip(system.bodies.values(), places, strict=True):
        R = out[f"{path}.rotation"]
        xx, yy, zz, xy, xz, yz = (float(x) for x in body.inertia)
        inertia = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
        w = out[f"{path}.velocity"][:3]
        wd, a = out[f"{path}.acceleration"][:3], out[f"{path}.acceleration"][3:]
        force = float(body.mass) * (a - g)
        spin = inertia @ wd + np.cross(w, inertia @ w)
        total += np.concatenate([spin + np.cross(out[f"{path}.position"], force), force])
    return total


@settings(max_examples=12)
@given(strategies.trees(max_size=4), strategies.seeds)
def test_reaction_is_rate_of_momentum_less_gravity(links: list[zoo.Link], seed: int) -> None:
    tree = zoo.build(links, gravity=(1.0, 2.0, -9.0))
    state = zoo.state(tree, seed)
    wrench = values(kt.derive(tree, "reaction"), **state)["wrench"]
    assert_close(wrench, rate_of_momentum(tree, state), FORMALISM, "wrench")


def on_a_free_base(links: list[zoo.Link]) -> kt.Model:
    """The same mechanism on a massless body that is free to move."""
    model = kt.Model("based", gravity=(0, 0, -9.81))
    base = model.body("base")
    model.free("root", model.ground, base)
    bodies: list[Any] = []
    for i, link in enumerate(links):
        body = model.body(f"b{i}", mass=link.mass, com=link.com, inertia=link.inertia)
        parent = base if link.parent < 0 else bodies[link.parent]
        zoo.join(model, i, link, parent, body)
        bodies.append(body)
    return model


@pytest.mark.parametrize("seed", range(3))
def test_reaction_is_the_force_that_holds_a_free_base(seed: int) -> None:
    links = zoo.random_links(4, seed)
    tree, based = zoo.build(links), on_a_free_base(links)
    state = zoo.state(tree, seed)
    root = based.neutral()[:7]
    held = {
        "q": np.concatenate([root, state["q"]]),
        "qd": np.concatenate([np.zeros(6), state["qd"]]),
        "qdd": np.concatenate([np.zeros(6), state["qdd"]]),
    }
    tau = values(kt.derive(based, "inverse"), **held)["tau"]
    assert_close(tau[:6], values(kt.derive(tree, "reaction"), **state)["wrench"], FORMALISM, "root")
    assert_close(tau[6:], values(kt.derive(tree, "inverse"), **state)["tau"], FORMALISM, "joints")


@settings(max_examples=10)
@given(strategies.trees(max_size=3, base="free", rotors=False), strategies.seeds)
def test_momentum_is_conserved_without_external_force(links: list[zoo.Link], seed: int) -> None:
    links = [link if i == 0 else replace(link, parent=max(link.parent, 0))
             for i, link in enumerate(links)]  # fmt: skip
    tree = zoo.build(links, gravity=(0, 0, 0))
    state = zoo.state(tree, seed)
    state["tau"][:6] = 0
    state["qdd"] = values(kt.derive(tree, "forward"), **state)["qdd"]
    rate = rate_of_momentum(tree, state)
    scale = max(1.0, float(np.abs(state["qdd"]).max()))
    assert_close(rate, np.zeros(6), FORMALISM, "rate of momentum", scale=scale)


@pytest.mark.parametrize("seed", range(2))
def test_external_wrenches_on_the_mechanism_relieve_the_ground(seed: int) -> None:
    tree = zoo.random_tree(4, seed)
    tree.wrench("pull", tree.bodies["b3"], frame="world")
    state = zoo.state(tree, seed)
    pull = np.random.default_rng(seed).uniform(-1, 1, 6)
    prog = kt.derive(tree, "reaction")
    at = values(kt.derive(tree, "kinematics", points=["b3"]), **state)["b3.position"]
    relief = np.concatenate([pull[:3] + np.cross(at, pull[3:]), pull[3:]])
    without, pulled = values(prog, **state)["wrench"], values(prog, **state, pull=pull)["wrench"]
    assert_close(without - pulled, relief, FORMALISM, "wrench", scale=float(np.abs(without).max()))
