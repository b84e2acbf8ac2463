"""Reverse mode against forward mode, and second derivatives that use both."""

from __future__ import annotations

import numpy as np
import pytest
from tests import zoo
from tests.approx import FORMALISM, IDENTITY, assert_close
from tests.unit.program.derive_tools import complex_step, linear_system, with_defaults

import kinetree as kt
from kinetree.program.derive import reverse
from kinetree.program.verify import verify

MOVING = [kind for kind in zoo.KINDS if kind != "fixed"]


def weights(n: int) -> np.ndarray:
    return np.random.default_rng(n).normal(size=n)


@pytest.mark.parametrize("kind", MOVING)
def test_bars_are_weights_times_jacobian(kind: str) -> None:
    model = zoo.one_joint(kind)
    program = kt.derive(model, "inverse")
    state = zoo.state(model, 1)
    given = with_defaults(program, {name: state[name] for name in ("q", "qd", "qdd")})
    by, w = ("q", "qd", "qdd", "p"), weights(model.nv)
    jacobian = program.derivative("tau", by).evaluate(**given)
    out = verify(reverse(program, "tau", by)).evaluate(**given, tau_bar=w)
    for name in by:
        assert_close(out[f"{name}_bar"], w @ jacobian[f"dtau_d{name}"], FORMALISM, name)


@pytest.mark.parametrize("symmetric", [True, False])
def test_a_linear_system_has_an_adjoint_system(symmetric: bool) -> None:
    program = linear_system(symmetric=symmetric)
    given = {"x": np.array([0.3, -0.5, 0.8, 0.2])}
    w = weights(6).reshape(3, 2)
    out = verify(reverse(program, "X", "x")).evaluate(**given, X_bar=w)
    jacobian = program.derivative("X", "x").evaluate(**given)["dX_dx"]
    assert_close(out["x_bar"], np.einsum("ij,ijk->k", w, jacobian), FORMALISM)


@pytest.mark.parametrize("formalism", ["newton_euler", "order_n"])
def test_forward_dynamics(formalism: str) -> None:
    model = zoo.one_joint("free")
    program = kt.derive(model, "forward", formalism)
    state = zoo.state(model, 2)
    given = {name: state[name] for name in ("q", "qd", "tau")}
    w = weights(model.nv)
    jacobian = program.derivative("qdd", tuple(given)).evaluate(**given)
    out = reverse(program, "qdd", tuple(given)).evaluate(**given, qdd_bar=w)
    for name in given:
        assert_close(out[f"{name}_bar"], w @ jacobian[f"dqdd_d{name}"], FORMALISM, name)


def test_tangent_bars() -> None:
    model = zoo.one_joint("spherical")
    program = kt.derive(model, "inverse")
    state = zoo.state(model, 3)
    given = {name: state[name] for name in ("q", "qd", "qdd")}
    w = weights(model.nv)
    jacobian = program.derivative("tau", "q", tangent=True).evaluate(**given)["dtau_dq"]
    out = reverse(program, "tau", "q", tangent=True, only=True).evaluate(**given, tau_bar=w)
    assert list(out) == ["q_bar"]
    assert_close(out["q_bar"], w @ jacobian, FORMALISM)


def test_the_gradient_of_a_scalar_needs_no_weights() -> None:
    """The gradient of the potential energy is tau at rest."""
    model = zoo.chain(4)
    q, rest = zoo.state(model, 4)["q"], np.zeros(4)
    out = reverse(kt.derive(model, "energy"), "potential", "q").evaluate(q=q, qd=rest)
    tau = kt.derive(model, "inverse").evaluate(q=q, qd=rest, qdd=rest)["tau"]
    assert_close(out["q_bar"], tau, FORMALISM)


def test_the_cost_does_not_grow_with_the_number_of_inputs() -> None:
    program = kt.derive(zoo.chain(12), "inverse")
    bars = reverse(program, "tau", ("q", "qd", "qdd"))
    assert bars.count().total < 4 * program.count().total


def test_forward_over_reverse() -> None:
    """The Hessian of the kinetic energy by qd is the mass matrix; by q it is symmetric."""
    model = zoo.chain(3)
    state = zoo.state(model, 5)
    given = {"q": state["q"], "qd": state["qd"]}
    gradient = reverse(kt.derive(model, "energy"), "kinetic", ("q", "qd"), only=True)
    hessian = gradient.derivative(("q_bar", "qd_bar"), ("q", "qd")).evaluate(**given)
    M = kt.derive(model, "mass_bias").evaluate(**given)["M"]
    assert_close(hessian["dqd_bar_dqd"], M, FORMALISM)
    assert_close(hessian["dq_bar_dq"], hessian["dq_bar_dq"].T, FORMALISM)
    assert_close(hessian["dq_bar_dqd"], hessian["dqd_bar_dq"].T, FORMALISM)


def test_reverse_over_forward_is_forward_over_reverse() -> None:
    model = zoo.one_joint("revolute")
    program = kt.derive(model, "inverse")
    state = zoo.state(model, 6)
    given = {name: state[name] for name in ("q", "qd", "qdd")}
    w = weights(model.nv)
    one = reverse(program, "tau", "q", only=True).derivative("q_bar", "q")
    first = one.evaluate(**given, tau_bar=w)["dq_bar_dq"]
    jacobian = program.derivative("tau", "q", only=True)
    other = reverse(jacobian, "dtau_dq", "q", only=True)
    for k in range(model.nv):
        along = np.outer(w, np.eye(model.nv)[k])
        bar = other.evaluate(**given, dtau_dq_bar=along)["q_bar"]
        assert_close(bar, first[k], FORMALISM)


def test_bars_against_complex_step_of_a_solve() -> None:
    program = linear_system(symmetric=True, n=4, k=1)
    bars = reverse(program, "X", "x")
    given = {"x": np.array([0.3, -0.5, 0.8, 0.2]), "X_bar": weights(4).reshape(4, 1)}
    second = bars.derivative("x_bar", "x").evaluate(**given)["dx_bar_dx"]
    assert_close(second, complex_step(bars, "x_bar", "x", given), FORMALISM)
    assert_close(second, second.T, IDENTITY, "the Hessian of a weighted sum is symmetric")
