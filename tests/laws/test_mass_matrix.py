"""Laws of the mass matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from tests import strategies, zoo
from tests.approx import FORMALISM, IDENTITY, assert_close
from tests.laws.tools import MODELS, mat_vec, model, program, time_derivative, values, ways

import kinetree as kt

CASES = [(name, way) for name in MODELS for way in ways("mass_bias", name)]


def check_symmetric_positive_definite(M: Any, what: str) -> None:
    assert_close(M, np.swapaxes(M, -1, -2), IDENTITY, f"{what} M symmetric")
    assert np.linalg.eigvalsh(M).min() > 0, f"{what}: M is not positive definite"


@pytest.mark.parametrize(("name", "way"), CASES)
def test_mass_matrix_is_symmetric_positive_definite(name: str, way: str) -> None:
    state = zoo.state(model(name), 1, (4,))
    M = values(program(name, "mass_bias", way), **state)["M"]
    check_symmetric_positive_definite(M, f"{name} {way}")


@pytest.mark.parametrize("name", MODELS)
def test_symmetric_entries_are_one_expression(name: str) -> None:
    out = program(name, "mass_bias").output("M")
    n = out.shape[0]
    assert all(out.nodes[i * n + j] is out.nodes[j * n + i] for i in range(n) for j in range(i))


@pytest.mark.parametrize(("name", "way"), CASES)
def test_kinetic_energy_is_half_the_square_of_velocity_in_the_metric_of_m(
    name: str, way: str
) -> None:
    state = zoo.state(model(name), 2, (4,))
    M = values(program(name, "mass_bias", way), **state)["M"]
    T = values(program(name, "energy"), **state)["kinetic"]
    qd = state["qd"]
    assert_close(0.5 * np.sum(qd * mat_vec(M, qd), axis=-1), T, FORMALISM, f"{name} {way} T")


@pytest.mark.parametrize("name", MODELS)
def test_kinetic_energy_is_positive(name: str) -> None:
    T = values(program(name, "energy"), **zoo.state(model(name), 3, (16,)))["kinetic"]
    assert T.min() > 0


@settings(max_examples=15)
@given(strategies.trees(max_size=4), strategies.seeds)
def test_mass_matrix_of_any_tree(links: list[zoo.Link], seed: int) -> None:
    tree = zoo.build(links)
    state = zoo.state(tree, seed)
    out = values(kt.derive(tree, "mass_bias"), **state)
    check_symmetric_positive_definite(out["M"], "tree")
    T = values(kt.derive(tree, "energy"), **state)["kinetic"]
    qd = state["qd"]
    assert_close(0.5 * qd @ out["M"] @ qd, T, FORMALISM, "T")


@pytest.mark.parametrize("name", MODELS)
def test_momentum_is_the_derivative_of_kinetic_energy_by_velocity(name: str) -> None:
    system, state = model(name), zoo.state(model(name), 4)
    M = values(program(name, "mass_bias"), **state)["M"]
    energy = program(name, "energy")

    def kinetic(q: Any, qd: Any) -> Any:
        return values(energy, q=q, qd=qd)["kinetic"]

    still = np.zeros_like(state["qd"])
    y = [
        time_derivative(lambda _, qd: kinetic(state["q"], qd), system, state["q"], state["qd"], e)
        for e in np.eye(system.nv)
    ]
    assert_close(y, M @ state["qd"], FORMALISM, f"{name} momentum")
    assert kinetic(state["q"], still) == 0
