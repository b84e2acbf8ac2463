"""Inverse dynamics is linear in the mass properties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from tests import strategies, zoo
from tests.approx import FORMALISM, IDENTITY, assert_close
from tests.laws.tools import MODELS, model, program, regressor_rank, values

import kinetree as kt
from kinetree.errors import ModelWarning
from kinetree.formalism import PARAMETERS
from kinetree.formalism.base_columns import dependencies


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("base", [True, False])
def test_regressor_times_parameters_is_inverse_dynamics(name: str, base: bool) -> None:
    state = zoo.state(model(name), 1, (3,))
    tau = values(program(name, "inverse"), **state)["tau"]
    for parameters in ("run-time", "folded"):
        prog = kt.derive(model(name), "regressor", parameters=parameters, base_parameters=base)
        out = values(prog, **state)
        found = np.einsum("...ij,...j->...i", out["Y"], out["pi"])
        assert_close(found, tau, FORMALISM, f"{name} Y π {parameters}")


@settings(max_examples=15)
@given(strategies.trees(max_size=4), strategies.seeds)
def test_regressor_of_any_tree(links: list[zoo.Link], seed: int) -> None:
    tree = zoo.build(links)
    state = zoo.state(tree, seed)
    tau = values(kt.derive(tree, "inverse"), **state)["tau"]
    for base in (True, False):
        out = values(kt.derive(tree, "regressor", base_parameters=base), **state)
        assert_close(out["Y"] @ out["pi"], tau, FORMALISM, f"Y π, base parameters {base}")


def test_standard_parameters_are_ten_per_body_about_its_origin() -> None:
    system = zoo.one_joint("spherical", 1)
    prog = kt.derive(system, "regressor", base_parameters=False)
    labels = prog.output("pi").labels
    assert labels == tuple(f"b{i}.{end}" for i in range(3) for end in PARAMETERS)
    pi = dict(zip(labels, values(prog, **zoo.state(system))["pi"], strict=True))
    body = system.bodies["b1"]
    m, com = float(body.mass), np.array([float(x) for x in body.com])
    xx, xy = (float(body.inertia[k]) for k in (0, 3))
    assert_close(pi["b1.mass"], m, IDENTITY)
    assert_close([pi[f"b1.h_{axis}"] for axis in "xyz"], m * com, IDENTITY)
    assert_close(pi["b1.I_xx"], xx + m * (com[1] ** 2 + com[2] ** 2), IDENTITY)
    assert_close(pi["b1.I_xy"], xy - m * com[0] * com[1], IDENTITY)


@pytest.mark.parametrize("name", ["chain4", "every_kind"])
@pytest.mark.parametrize("base", [True, False])
def test_regressor_holds_no_mass(name: str, base: bool) -> None:
    prog = kt.derive(model(name), "regressor", base_parameters=base)
    row = prog.input("p")
    heavy = np.array([1 + (".mass" in x or ".inertia" in x or ".com" in x) for x in row.labels])
    state = zoo.state(model(name), 2)
    changed = values(prog, **state, p=np.array(row.default) * heavy)["Y"]
    assert_close(changed, values(prog, **state)["Y"], IDENTITY, f"{name} Y")


@pytest.mark.parametrize("kind", zoo.KINDS)
def test_base_parameters_are_independent_and_span_the_standard_ones(kind: str) -> None:
    system = zoo.one_joint(kind, 2)
    state = zoo.state(system, 3, (60,))
    ranks = []
    for base in (True, False):
        Y = values(kt.derive(system, "regressor", base_parameters=base), **state)["Y"]
        ranks.append(np.linalg.matrix_rank(Y.reshape(-1, Y.shape[-1]), tol=1e-9))
    count = len(kt.derive(system, "regressor").output("pi").nodes)
    assert ranks == [count, count]


def rank(prog: kt.Program, state: dict[str, np.ndarray]) -> int:
    return regressor_rank(values(prog, **state)["Y"])


def clear(rotation: tuple[tuple[float, ...], ...]) -> bool:
    """Whether a rotation is none, or one whose square is seen in doubles."""
    return all(x == 0 or abs(x) > 1e-4 for row in rotation for x in row)


@settings(max_examples=20)
@given(strategies.trees(max_size=4))
@example([zoo.Link("screw", -1, (1, 0, 0))])
def test_as_many_base_parameters_as_the_rank_of_the_standard_regressor(links) -> None:
    assume(all(clear(link.rotation) and clear(link.child_rotation) for link in links))
    tree = zoo.build(links)
    state = zoo.state(tree, 3, (60,))
    count = len(kt.derive(tree, "regressor").output("pi").nodes)
    assert count == rank(kt.derive(tree, "regressor", base_parameters=False), state)


def arm(*, bare: bool) -> kt.Model:
    """Three links, with all mass properties or with a mass alone."""
    model, before = kt.Model("arm"), None
    for k, axis in enumerate("zyx"):
        com, inertia = (0.1, 0.2, 0.3), (0.5, 0.6, 0.7, 0.01, 0.02, 0.03)
        body = model.body(f"b{k}", 2.0, *(() if bare else (com, inertia)))
        base = model.ground if before is None else before.point("tip", (0.4, 0.0, 0.1))
        model.revolute(f"q{k}", base, body, axis=axis)
        before = body
    return model


def test_base_parameters_do_not_depend_on_values_that_are_zero() -> None:
    full, bare = (kt.derive(arm(bare=bare), "regressor") for bare in (False, True))
    assert full.output("pi").labels == bare.output("pi").labels
    state = zoo.state(arm(bare=True), 2)
    same = {key: state[key] for key in ("q", "qd", "qdd")}
    assert_close(values(full, **same)["Y"], values(bare, **same)["Y"], IDENTITY, "Y")


def gripper() -> kt.Model:
    """Two fingers on a turning hand; the second follows the first."""
    model = kt.Model("gripper")
    hand = model.body("hand", 1.1, (0.1, 0, 0.2), (0.3, 0.2, 0.1))
    model.spherical("wrist", model.ground, hand)
    for name, axis, mimic in (("a", "y", None), ("b", (0, -1, 0), ("a", 1.0, 0.0))):
        finger = model.body(name, 0.2, (0.01, 0.02, 0.03), (0.01, 0.02, 0.015))
        model.prismatic(name, hand.point(name, (0.05, 0.02, 0.1)), finger, axis=axis, mimic=mimic)
    return model


def test_dependent_columns_of_followers_go_and_lengths_are_then_numbers() -> None:
    model = gripper()
    state = zoo.state(model, 4, (60,))
    base = kt.derive(model, "regressor")
    standard = kt.derive(model, "regressor", base_parameters=False)
    assert len(base.output("pi").nodes) == rank(base, state) == rank(standard, state)
    assert not [name for name in base.input("p").labels if name.startswith("hand.a")]
    assert "b.mass" in base.input("p").labels
    out, tau = values(base, **state), values(kt.derive(model, "inverse"), **state)["tau"]
    assert_close(np.einsum("...ij,...j->...i", out["Y"], out["pi"]), tau, FORMALISM, "Y π")


@pytest.mark.parametrize("name", MODELS)
def test_base_parameters_are_not_more_than_the_standard_ones(name: str) -> None:
    base = kt.derive(model(name), "regressor").output("pi")
    standard = kt.derive(model(name), "regressor", base_parameters=False).output("pi")
    assert len(base.nodes) < len(standard.nodes)


def test_columns_that_nearly_depend_on_others_do_not_hide_those_that_do() -> None:
    random = np.random.default_rng(3)
    u, v, w = np.linalg.qr(random.normal(size=(200, 3)))[0].T
    Y = np.column_stack([u, u + 1.2e-8 * v, v, u - 1.5e-8 * w, w, u + v + w])
    kept, left, beta = dependencies(Y)
    assert (len(kept), len(left)) == (3, 3)
    assert_close(Y[:, kept] @ beta, Y[:, left], FORMALISM, "columns")


def test_a_robot_without_joints_has_no_base_parameters() -> None:
    model = kt.Model("stand")
    model.fixed("foot", model.ground, model.body("stand", 3.0, (0, 0, 1), (1, 1, 1)))
    with pytest.warns(ModelWarning, match="nothing can move"):
        program = kt.derive(model, "regressor")
    assert program.output("Y").shape == (0, 0)


@pytest.mark.parametrize("name", ["pendulum", "chain4", "tree7"])
@pytest.mark.parametrize("base", [True, False])
def test_the_wrench_on_the_ground_is_linear_too(name: str, base: bool) -> None:
    state = zoo.state(model(name), 1, (3,))
    wrench = values(program(name, "reaction"), **state)["wrench"]
    prog = kt.derive(model(name), "reaction_regressor", base_parameters=base)
    out = values(prog, **state)
    assert out["Y"].shape[-2] == 6
    found = np.einsum("...ij,...j->...i", out["Y"], out["pi"])
    assert_close(found, wrench, FORMALISM, f"{name} Y π")
    if base:
        many = zoo.state(model(name), 3, (60,))
        assert rank(prog, many) == len(prog.output("pi").nodes)
