"""Gradients of runs against other engines on the same equations: CasADi's CVODES, diffrax."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.approx import TRAJECTORY, assert_close

import kinetree as kt

ARM = Path(__file__).resolve().parents[2] / "examples" / "models" / "r3.yaml"
T = 0.5


@dataclass(frozen=True)
class Tree:
    """A mechanism without loops, names of some of its parameters, and its start."""

    model: kt.Model
    names: list[str]
    q: tuple[float, ...]
    qd: tuple[float, ...]


def arm() -> Tree:
    """The shipped arm."""
    model = kt.load(ARM)
    names = list(kt.derive(model, "forward").input("p").labels)[-9::2]
    return Tree(model, names, (0.0,) * model.nv, (0.5,) * model.nv)


def cart() -> Tree:
    """A cart with a leaning pendulum, along which a damped mass slides on a spring."""
    model = kt.Model("cart", gravity=(0, -9.81, 0))
    cart, bob = model.body("cart", mass=2.0), model.body("bob", mass=0.4, com=(0.02, 0.01, 0))
    rod = model.body("rod", mass=0.6, com=(0.1, -0.4, 0), inertia=(0.03, 0.01, 0.035))
    model.prismatic("x", model.ground, cart, axis="x")
    model.revolute("lean", cart.point("hinge", (0.1, 0.2, 0)), rod, axis="z")
    model.prismatic("slide", rod.point("rail", (0.05, -0.5, 0)), bob, axis="y")
    model.joint_spring("spring", "slide", stiffness=60.0, damping=0.8)
    model.joint_law("drag", "x", lambda qd: -0.3 * qd["x"] ** 3)
    names = ["spring.stiffness", "spring.damping", "rod.com_y", "bob.mass", "rod.rail_y"]
    return Tree(model, names, (0.0, 0.4, 0.05), (1.0, -0.5, 0.2))


TREES = {"arm": arm, "cart": cart}


def ours(tree: Tree, method: str) -> np.ndarray[Any, Any]:
    """The gradient of the last coordinate by parameters and by start velocities."""
    model = tree.model
    found = kt.sensitivity(
        model, T, {"end": kt.final(f"q_{model.coordinates[-1]}")},
        by=[*tree.names, *(f"qd0.{name}" for name in model.velocities)], method=method,
        q=list(tree.q), qd=list(tree.qd), rtol=1e-12, atol=1e-13,
    )  # fmt: skip
    return found.gradient.values[0]


@pytest.mark.crosscheck
@pytest.mark.parametrize("name", TREES)
def test_gradient_of_casadi_and_cvodes(name: str) -> None:
    ca = pytest.importorskip("casadi", reason="needs casadi")
    tree = TREES[name]()
    model, names = tree.model, tree.names
    forward = kt.derive(model, "forward")
    function, n = forward.compile(target="casadi"), model.nv
    labels = list(forward.input("p").labels)
    free = ca.MX.sym("free", len(names))
    p = ca.MX(np.array(forward.input("p").default))
    for k, label in enumerate(names):
        p[labels.index(label)] = free[k]
    y = ca.MX.sym("y", 2 * n)
    qdd = function(y[:n], y[n:], np.zeros(n), p)
    rates = ca.vertcat(y[n:], qdd[0] if isinstance(qdd, tuple) else qdd)
    # one end time, and quadratures under error control: the way that is free of known mistakes
    options = {"abstol": 1e-12, "reltol": 1e-12, "quad_err_con": True, "max_num_steps": 100_000}
    run = ca.integrator("run", "cvodes", {"x": y, "p": free, "ode": rates}, 0.0, T, options)
    start = ca.MX.sym("start", 2 * n)
    end = run(x0=start, p=free)["xf"][n - 1]
    both = [ca.gradient(end, free), ca.gradient(end, start)]
    slopes = ca.Function("slopes", [start, free], both)
    values = np.array(
        [dict(zip(labels, forward.input("p").default, strict=True))[x] for x in names]
    )
    by_p, by_y = slopes(np.array([*tree.q, *tree.qd]), values)
    exact = np.concatenate([x.full().ravel() for x in (by_p, by_y[n:])])
    for method in ("direct", "adjoint"):
        assert_close(ours(tree, method), exact, TRAJECTORY, method)


@pytest.mark.crosscheck
@pytest.mark.parametrize("name", TREES)
def test_gradient_of_diffrax(name: str) -> None:
    diffrax = pytest.importorskip("diffrax", reason="needs diffrax")
    import jax
    import jax.numpy as jnp

    tree = TREES[name]()
    forward = kt.derive(tree.model, "forward")
    function, n = forward.compile(target="jax"), tree.model.nv
    labels = list(forward.input("p").labels)
    default = jnp.array(forward.input("p").default)
    places = jnp.array([labels.index(label) for label in tree.names])

    def end(free: Any, speed: Any) -> Any:
        p = default.at[places].set(free)

        def rates(t: Any, y: Any, _: Any) -> Any:
            out = function(q=y[:n], qd=y[n:], tau=jnp.zeros(n), p=p)
            return jnp.concatenate([y[n:], out["qdd"]])

        found = diffrax.diffeqsolve(
            diffrax.ODETerm(rates), diffrax.Dopri8(), 0.0, T, 0.01,
            jnp.concatenate([jnp.array(tree.q), speed]), max_steps=4096,
            stepsize_controller=diffrax.PIDController(rtol=1e-11, atol=1e-12),
        )  # fmt: skip
        return found.ys[-1, n - 1]

    values = default[places]
    by = jax.jit(jax.grad(end, argnums=(0, 1)))(values, jnp.array(tree.qd))
    assert_close(ours(tree, "adjoint"), np.concatenate([np.ravel(x) for x in by]), TRAJECTORY)
