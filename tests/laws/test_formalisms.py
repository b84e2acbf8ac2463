"""All formalisms give the same equations, and forward undoes inverse dynamics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from tests import strategies, zoo
from tests.approx import FORMALISM, assert_close
from tests.laws.tools import MODELS, WAYS, model, program, values, ways

import kinetree as kt
from kinetree.errors import KinetreeError

EQUAL = ("inverse", "mass_bias")
CASES = [(name, q, way) for name in MODELS for q in EQUAL for way in ways(q, name)[1:]]


@pytest.mark.parametrize(("name", "quantity", "way"), CASES)
def test_formalisms_agree(name: str, quantity: str, way: str) -> None:
    state = zoo.state(model(name), 1, (3,))
    first = values(program(name, quantity), **state)
    other = values(program(name, quantity, way), **state)
    for output, expected in first.items():
        assert_close(other[output], expected, FORMALISM, f"{name} {way} {output}")


@pytest.mark.parametrize(("name", "way"), [(n, w) for n in MODELS for w in ways("forward", n)])
def test_inverse_undoes_forward_dynamics(name: str, way: str) -> None:
    state = zoo.state(model(name), 2, (3,))
    qdd = values(program(name, "forward", way), **state)["qdd"]
    tau = values(program(name, "inverse"), **{**state, "qdd": qdd})["tau"]
    c = values(program(name, "mass_bias"), **state)["c"]
    assert_close(tau, state["tau"], FORMALISM, f"{name} {way}", scale=float(np.abs(c).max()) + 1)


@pytest.mark.parametrize("name", MODELS)
def test_inverse_dynamics_is_m_qdd_plus_c(name: str) -> None:
    state = zoo.state(model(name), 3, (3,))
    out = values(program(name, "mass_bias"), **state)
    tau = values(program(name, "inverse"), **state)["tau"]
    expected = np.einsum("...ij,...j->...i", out["M"], state["qdd"]) + out["c"]
    assert_close(tau, expected, FORMALISM, f"{name} tau")


def loaded(links: list[zoo.Link]) -> tuple[kt.Model, dict[str, Any]]:
    """A tree with a wrench of each frame on its last body, and their values."""
    tree = zoo.build(links, gravity=(0.5, -9.81, 2.0))
    body = tree.bodies[f"b{len(links) - 1}"]
    tree.wrench("push", body.point("at", (0.3, -0.2, 0.1)), frame="body")
    tree.wrench("pull", body.point("on", (0.1, 0.2, -0.3)), frame="world")
    rng = np.random.default_rng(len(links))
    return tree, {name: rng.uniform(-1, 1, 6) for name in tree.wrenches}


@settings(max_examples=10)
@given(strategies.trees(max_size=3), strategies.seeds)
def test_formalisms_agree_on_any_tree(links: list[zoo.Link], seed: int) -> None:
    tree, wrenches = loaded(links)
    state = {**zoo.state(tree, seed), **wrenches}
    first = values(kt.derive(tree, "mass_bias"), **state)
    for way in WAYS["mass_bias"][1:]:
        other = values(kt.derive(tree, "mass_bias", way), **state)
        for output, expected in first.items():
            assert_close(other[output], expected, FORMALISM, f"{way} {output}")


@settings(max_examples=12)
@given(strategies.trees(max_size=4), strategies.seeds)
def test_order_n_undoes_newton_euler_on_any_tree(links: list[zoo.Link], seed: int) -> None:
    tree, wrenches = loaded(links)
    state = {**zoo.state(tree, seed), **wrenches}
    tau = values(kt.derive(tree, "inverse"), **state)["tau"]
    qdd = values(kt.derive(tree, "forward", "order_n"), **{**state, "tau": tau})["qdd"]
    back = values(kt.derive(tree, "inverse"), **{**state, "qdd": qdd})["tau"]
    assert_close(back, tau, FORMALISM, "tau")


@settings(max_examples=10)
@given(strategies.trees(max_size=4), strategies.seeds)
def test_base_parameters_change_no_equation(links: list[zoo.Link], seed: int) -> None:
    tree, wrenches = loaded(links)
    state = {**zoo.state(tree, seed), **wrenches}
    given_ones = values(kt.derive(tree, "inverse", base_parameters=False), **state)["tau"]
    regrouped = values(kt.derive(tree, "inverse"), **state)["tau"]
    folded = values(kt.derive(tree, "inverse", parameters="folded"), **state)["tau"]
    assert_close(regrouped, given_ones, FORMALISM, "regrouped tau")
    assert_close(folded, given_ones, FORMALISM, "folded tau")


def test_mass_and_length_at_run_time_are_those_of_a_new_model() -> None:
    links = zoo.random_links(4, 3)
    tree, other = zoo.build(links), zoo.build(zoo.random_links(4, 3))
    prog = kt.derive(tree, "inverse")
    rows = prog.input("p")
    changed = np.array(rows.default) * 1.25
    names = dict(zip(rows.labels, changed, strict=True))
    scaled = kt.Model("scaled", gravity=(0, 0, names["gravity_z"]))
    for body in other.bodies.values():
        made = scaled.body(body.name, *_scaled(body, names))
        for point in body.points.values():
            path = [names.get(f"{point.path}_{axis}", 0.0) for axis in "xyz"]
            made.point(point.name, path, rotation=point.rotation)
    for at in tree.ground.points.values():
        path = [names.get(f"ground.{at.name}_{axis}", 0.0) for axis in "xyz"]
        scaled.ground.point(at.name, path, rotation=at.rotation)
    for joint in other.joints.values():
        arguments = dict(joint.arguments)
        if "pitch" in arguments:
            arguments["pitch"] = names[f"{joint.name}.pitch"]
        scaled.joint(joint.kind, joint.name, joint.parent.path, joint.child.path, arguments)
    state = zoo.state(tree, 4)
    expected = values(kt.derive(scaled, "inverse"), **state)["tau"]
    assert_close(values(prog, **state, p=changed)["tau"], expected, FORMALISM, "tau")


def _scaled(body: Any, names: dict[str, float]) -> tuple[Any, ...]:
    com = [names.get(f"{body.name}.com_{axis}", 0.0) for axis in "xyz"]
    ends = ("xx", "yy", "zz", "xy", "xz", "yz")
    inertia = [names.get(f"{body.name}.inertia_{end}", 0.0) for end in ends]
    return names[f"{body.name}.mass"], com, inertia


def test_equations_of_motion_are_three_quantities() -> None:
    with pytest.raises(KinetreeError, match=r"take 'forward' \(qdd\), 'inverse' \(tau\) or"):
        kt.derive(zoo.chain(2), "equations")
