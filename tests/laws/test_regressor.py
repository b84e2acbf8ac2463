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


@pytest.mark.parametrize("name", MODELS)
def test_base_parameters_are_not_more_than_the_standard_ones(name: str) -> None:
    base = kt.derive(model(name), "regressor").output("pi")
    standard = kt.derive(model(name), "regressor", base_parameters=False).output("pi")
    assert len(base.nodes) < len(standard.nodes)
