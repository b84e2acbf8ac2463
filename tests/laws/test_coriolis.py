"""Laws of gravity, the Coriolis matrix, centroidal momentum and the Jacobians of frames."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests import zoo
from tests.approx import FORMALISM, IDENTITY, assert_close
from tests.laws.test_followers import RATIO, arm, restricted
from tests.laws.tools import MODELS, mat_vec, model, program, skew, time_derivative, values

import kinetree as kt
from kinetree.errors import ModelError, UnsupportedError


def check_coriolis(system: kt.Model, state: dict[str, Any]) -> None:
    """c = C qd + gravity, and Ṁ = C + Cᵀ."""
    dynamics = kt.derive(system, "mass_bias")
    out, q, qd = values(dynamics, **state), state["q"], state["qd"]
    C = values(kt.derive(system, "coriolis"), **state)["C"]
    g = values(kt.derive(system, "gravity"), **state)["gravity"]
    assert_close(C @ qd + g, out["c"], FORMALISM, "c")

    def mass(q: Any, qd: Any) -> Any:
        return values(dynamics, q=q, qd=qd)["M"]

    Md = time_derivative(mass, system, q, qd)
    assert_close(C + C.T, Md, FORMALISM, "Ṁ", scale=float(np.abs(C).max()) or 1.0)


@pytest.mark.parametrize("name", MODELS)
def test_rate_of_the_mass_matrix_less_twice_the_coriolis_matrix_is_skew(name: str) -> None:
    check_coriolis(model(name), zoo.state(model(name), 5))


def test_followers_are_projected() -> None:
    state = {"q": np.array([0.4]), "qd": np.array([0.7]), "qdd": np.array([-0.3])}
    one, all_three = arm(follows=True), arm(follows=False)
    for quantity, output in (("gravity", "gravity"), ("coriolis", "C"), ("centroidal", "matrix")):
        ours = values(kt.derive(one, quantity), **state)[output]
        full = values(kt.derive(all_three, quantity), **restricted(state))[output] @ RATIO
        expected = [[RATIO @ full]] if output == "C" else full.reshape(ours.shape)
        assert_close(ours, expected, FORMALISM, output)


@pytest.mark.parametrize("name", MODELS)
def test_gravity_is_the_slope_of_the_potential_energy(name: str) -> None:
    system, state = model(name), zoo.state(model(name), 7)
    energy = program(name, "energy")

    def potential(q: Any, qd: Any) -> Any:
        return values(energy, q=q, qd=qd)["potential"]

    slopes = [time_derivative(potential, system, state["q"], e) for e in np.eye(system.nv)]
    assert_close(values(program(name, "gravity"), **state)["gravity"], slopes, FORMALISM, name)


@pytest.mark.parametrize("name", MODELS)
def test_centroidal_momentum_and_its_rates(name: str) -> None:
    system, state = model(name), zoo.state(model(name), 8)
    q, qd, qdd = state["q"], state["qd"], state["qdd"]
    out = values(program(name, "centroidal"), **state)

    def rate(output: str) -> Any:
        def of(q: Any, qd: Any) -> Any:
            return values(program(name, "centroidal"), q=q, qd=qd, qdd=qdd)[output]

        return time_derivative(of, system, q, qd, qdd)

    A, Ad = out["matrix"], out["matrix_rate"]
    size = float(np.abs(out["momentum_rate"]).max())
    assert_close(A @ qd, out["momentum"], FORMALISM, "momentum")
    assert_close(out["momentum"][3:], out["mass"] * out["com_velocity"], IDENTITY, "linear")
    assert_close(A @ qdd + Ad @ qd, out["momentum_rate"], FORMALISM, "rate")
    assert_close(rate("momentum"), out["momentum_rate"], FORMALISM, "rate", scale=size)
    assert_close(rate("matrix"), Ad, FORMALISM, "matrix", scale=size)
    assert_close(rate("com"), out["com_velocity"], FORMALISM, "com", scale=size)
    assert_close(rate("com_velocity"), out["com_acceleration"], FORMALISM, "com", scale=size)


@pytest.mark.parametrize("name", MODELS)
def test_jacobians_of_a_frame_and_their_rates(name: str) -> None:
    system, state = model(name), zoo.state(model(name), 9)
    path, q, qd = list(system.bodies)[-1], state["q"], state["qd"]
    program = kt.derive(system, "jacobians", points=[path])
    out = values(program, **state)
    point = values(kt.derive(system, "kinematics", points=[path]), **state)
    R, at, velocity = (point[f"{path}.{x}"] for x in ("rotation", "position", "velocity"))
    w, v = velocity[:3], velocity[3:]
    seen = {
        "aligned": velocity,
        "local": np.concatenate([R.T @ w, R.T @ v]),
        "world": np.concatenate([w, v - np.cross(w, at)]),
    }
    for convention, expected in seen.items():
        whole = f"{path}.{convention}"

        def jacobian(q: Any, qd: Any, whole: str = whole) -> Any:
            return values(program, q=q, qd=qd)[whole]

        assert_close(mat_vec(out[whole], qd), expected, FORMALISM, whole, scale=10.0)
        rate = time_derivative(jacobian, system, q, qd)
        assert_close(out[f"{whole}_rate"], rate, FORMALISM, f"{whole}_rate", scale=10.0)
    assert_close(out[f"{path}.aligned"], point[f"{path}.jacobian"], IDENTITY, "jacobian")
    assert_close(skew(w) @ R @ R.T, skew(w), IDENTITY, "R is a rotation")


def test_what_has_no_centre_of_mass_is_refused() -> None:
    empty = kt.Model("empty")
    empty.revolute("j", empty.ground, empty.body("b"))
    with pytest.raises(ModelError, match="nothing that moves has mass"):
        kt.derive(empty, "centroidal")


@pytest.mark.parametrize("quantity", ["gravity", "coriolis", "centroidal", "jacobians"])
def test_position_matrices_name_what_to_take_instead(quantity: str) -> None:
    with pytest.raises(UnsupportedError, match="position matrices"):
        kt.derive(kt.as_frames(model("chain4")), quantity)
