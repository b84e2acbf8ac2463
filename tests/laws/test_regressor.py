"""Inverse dynamics is linear in the mass properties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from tests import strategies, zoo
from tests.approx import FORMALISM, IDENTITY, assert_close
from tests.laws.tools import MODELS, model, program, values

import kinetree as kt
from kinetree.formalism.regressor import PARAMETERS


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("base", [True, False])
def test_regressor_times_parameters_is_inverse_dynamics(name: str, base: bool) -> None:
    prog = kt.derive(model(name), "regressor", base_parameters=base)
    state = zoo.state(model(name), 1, (3,))
    out = values(prog, **state)
    tau = values(program(name, "inverse"), **state)["tau"]
    assert_close(np.einsum("...ij,...j->...i", out["Y"], out["pi"]), tau, FORMALISM, f"{name} Y π")


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


@pytest.mark.parametrize("seed", range(3))
def test_base_parameters_of_a_general_chain_are_independent(seed: int) -> None:
    """Seven per revolute link, less on the first: no column is a combination of others."""
    rng = np.random.default_rng(seed)
    links = [zoo.random_link(rng, "revolute", i - 1) for i in range(4)]
    system = zoo.build(links)
    prog = kt.derive(system, "regressor")
    Y = values(prog, **zoo.state(system, seed, (60,)))["Y"]
    stacked = Y.reshape(-1, Y.shape[-1])
    assert np.linalg.matrix_rank(stacked, tol=1e-9) == stacked.shape[1]
    everything = values(
        kt.derive(system, "regressor", base_parameters=False), **zoo.state(system, seed, (60,))
    )["Y"]
    flat = everything.reshape(-1, everything.shape[-1])
    assert np.linalg.matrix_rank(flat, tol=1e-9) == stacked.shape[1]


@pytest.mark.parametrize("name", MODELS)
def test_base_parameters_are_not_more_than_the_standard_ones(name: str) -> None:
    base = kt.derive(model(name), "regressor").output("pi")
    standard = kt.derive(model(name), "regressor", base_parameters=False).output("pi")
    assert len(base.nodes) < len(standard.nodes)
