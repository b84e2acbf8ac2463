"""Laws of energy and power: what goes in stays in."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from tests import strategies, zoo
from tests.approx import FORMALISM, IDENTITY, assert_close
from tests.laws.tools import (
    HINGED,
    MODELS,
    STEP,
    model,
    program,
    time_derivative,
    values,
    ways,
)

import kinetree as kt


def gravity_free(name: str) -> kt.Program:
    """M and c of a model of the zoo without gravity."""
    weightless = zoo.SMALL[name]()
    weightless.gravity = (0, 0, 0)
    return kt.derive(weightless, "mass_bias")


@pytest.mark.parametrize("name", MODELS)
def test_gravity_part_of_c_is_the_gradient_of_potential_energy(name: str) -> None:
    system, state = model(name), zoo.state(model(name), 1)
    q = state["q"]
    rest = np.zeros(system.nv)
    c = values(program(name, "mass_bias"), q=q, qd=rest)["c"]
    energy = program(name, "energy")

    def potential(q: Any, _: Any) -> Any:
        return values(energy, q=q, qd=rest)["potential"]

    gradient = [time_derivative(potential, system, q, e) for e in np.eye(system.nv)]
    assert_close(gradient, c, FORMALISM, f"{name} gravity")


@pytest.mark.parametrize("name", HINGED)
def test_rate_of_m_minus_twice_c_is_skew(name: str) -> None:
    """With Christoffel's C, which is ½ ∂c/∂qd because c is quadratic in qd without gravity."""
    system, state = model(name), zoo.state(model(name), 2)
    q, qd = state["q"], state["qd"]
    prog = gravity_free(name)
    M_dot = time_derivative(lambda q, _: values(prog, q=q, qd=qd)["M"], system, q, qd)
    columns = [
        np.imag(values(prog, q=q, qd=qd + 1j * STEP * e)["c"]) / STEP for e in np.eye(system.nv)
    ]
    S = M_dot - np.array(columns).T
    assert_close(S, -S.T, FORMALISM, f"{name} M_dot - 2 C", scale=float(np.abs(M_dot).max()) or 1.0)


@pytest.mark.parametrize("name", MODELS)
def test_coriolis_forces_take_half_the_power_of_m_dot(name: str) -> None:
    system, state = model(name), zoo.state(model(name), 3)
    q, qd = state["q"], state["qd"]
    prog = gravity_free(name)
    M_dot = time_derivative(lambda q, _: values(prog, q=q, qd=qd)["M"], system, q, qd)
    c = values(prog, q=q, qd=qd)["c"]
    scale = max(float(np.abs(qd * c).max()), float(np.abs(M_dot).max()), 1.0)
    assert_close(qd @ c, 0.5 * qd @ M_dot @ qd, FORMALISM, f"{name} power of c", scale=scale)


@pytest.mark.parametrize("name", MODELS)
def test_bias_without_gravity_is_quadratic_in_velocity(name: str) -> None:
    state = zoo.state(model(name), 4)
    prog = gravity_free(name)
    once = values(prog, q=state["q"], qd=state["qd"])["c"]
    twice = values(prog, q=state["q"], qd=2 * state["qd"])["c"]
    assert_close(twice, 4 * once, IDENTITY, f"{name} c", scale=float(np.abs(twice).max()) or 1.0)


def check_power_balance(system: kt.Model, way: str, state: dict[str, Any], what: str) -> None:
    """The rate of kinetic and potential energy is the power of tau and of the wrenches."""
    rng = np.random.default_rng(5)
    wrenches = {name: rng.uniform(-1, 1, 6) for name in system.wrenches}
    energy = kt.derive(system, "energy")
    places = [wrench.point.path for wrench in system.wrenches.values()]
    q, qd, tau = state["q"], state["qd"], state["tau"]
    qdd = values(kt.derive(system, "forward", way), q=q, qd=qd, tau=tau, **wrenches)["qdd"]

    def total(q: Any, qd: Any) -> Any:
        out = values(energy, q=q, qd=qd)
        return out["kinetic"] + out["potential"]

    motion = values(kt.derive(system, "kinematics", points=places), q=q, qd=qd, qdd=qdd)
    power = qd @ tau
    for wrench in system.wrenches.values():
        path = wrench.point.path
        R = np.eye(3) if wrench.frame == "world" else motion[f"{path}.rotation"]
        torque, force = R @ wrenches[wrench.name][:3], R @ wrenches[wrench.name][3:]
        power += np.concatenate([torque, force]) @ motion[f"{path}.velocity"]
    scale = max(1.0, float(np.abs(qdd).max()))
    assert_close(time_derivative(total, system, q, qd, qdd), power, FORMALISM, what, scale=scale)


@settings(max_examples=12)
@given(strategies.trees(max_size=3), strategies.seeds, strategies.rotations())
def test_power_balance(links: list[zoo.Link], seed: int, turn: zoo.Matrix) -> None:
    tree = zoo.build(links)
    body = tree.bodies[f"b{len(links) - 1}"]
    tree.wrench("push", body.point("at", (0.3, -0.2, 0.1), rotation=turn), frame="body")
    tree.wrench("pull", body, frame="world")
    check_power_balance(tree, "order_n", zoo.state(tree, seed), "power")


@pytest.mark.parametrize("way", ways("forward", "floating3"))
def test_power_balance_of_every_forward_dynamics(way: str) -> None:
    system = zoo.SMALL["floating3"]()
    system.wrench("pull", system.bodies["b2"], frame="world")
    check_power_balance(system, way, zoo.state(system, 6), way)


@pytest.mark.parametrize("name", ["chain4", "tree7", "every_kind", "floating3", "spherical2"])
def test_scaling_all_masses_scales_all_forces(name: str) -> None:
    system = model(name)
    prog = program(name, "inverse")
    p = np.array(prog.input("p").default)
    labels = prog.input("p").labels
    heavy = np.array([3.0 if ".mass" in x or ".inertia" in x else 1.0 for x in labels])
    state = zoo.state(system, 7)
    once = values(prog, **state)["tau"]
    assert_close(values(prog, **state, p=p * heavy)["tau"], 3 * once, IDENTITY, f"{name} tau")


def test_free_fall_needs_no_force() -> None:
    links = [replace(link, kind="free") for link in zoo.chain_links(1)]
    tree = zoo.build(links)
    q = tree.neutral()
    g = np.array([0, 0, -9.81])
    tau = values(kt.derive(tree, "inverse"), q=q, qd=np.zeros(6), qdd=np.concatenate([0 * g, g]))
    assert_close(tau["tau"], np.zeros(6), IDENTITY, "tau", scale=9.81)
