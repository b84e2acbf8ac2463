"""Gradients of runs against other engines on the same equations: CasADi's CVODES, diffrax."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.approx import TRAJECTORY, assert_close

import kinetree as kt

ARM = Path(__file__).resolve().parents[2] / "examples" / "models" / "r3.yaml"
T = 0.5


def arm() -> tuple[kt.Model, list[str], dict[str, Any]]:
    """The arm, names of some parameters, and its start."""
    model = kt.load(ARM)
    names = list(kt.derive(model, "forward").input("p").labels)[-9::2]
    return model, names, {"qd": dict.fromkeys(model.velocities, 0.5)}


def ours(method: str) -> tuple[np.ndarray[Any, Any], list[str]]:
    """The gradient of the last joint's angle by parameters and by start velocities."""
    model, names, run = arm()
    last = model.coordinates[-1]
    by = [*names, *(f"qd0.{name}" for name in model.velocities)]
    found = kt.sensitivity(
        model,
        T,
        {"end": kt.final(f"q_{last}")},
        by=by,
        method=method,
        rtol=1e-12,
        atol=1e-13,
        **run,
    )
    return found.gradient.values[0], names


@pytest.mark.crosscheck
def test_gradient_of_casadi_and_cvodes() -> None:
    ca = pytest.importorskip("casadi", reason="needs casadi")
    model, names, _ = arm()
    forward = kt.derive(model, "forward")
    function, n = forward.compile(target="casadi"), model.nv
    labels = list(forward.input("p").labels)
    free = ca.MX.sym("free", len(names))
    p = ca.MX(np.array(forward.input("p").default))
    for k, name in enumerate(names):
        p[labels.index(name)] = free[k]
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
    by_p, by_y = slopes(np.concatenate([np.zeros(n), np.full(n, 0.5)]), values)
    exact = np.concatenate([x.full().ravel() for x in (by_p, by_y[n:])])
    for method in ("direct", "adjoint"):
        found, _ = ours(method)
        assert_close(found, exact, TRAJECTORY, method)


@pytest.mark.crosscheck
def test_gradient_of_diffrax() -> None:
    diffrax = pytest.importorskip("diffrax", reason="needs diffrax")
    import jax
    import jax.numpy as jnp

    model, names, _ = arm()
    forward = kt.derive(model, "forward")
    function, n = forward.compile(target="jax"), model.nv
    labels = list(forward.input("p").labels)
    default = jnp.array(forward.input("p").default)
    places = jnp.array([labels.index(name) for name in names])

    def end(free: Any, speed: Any) -> Any:
        p = default.at[places].set(free)

        def rates(t: Any, y: Any, _: Any) -> Any:
            out = function(q=y[:n], qd=y[n:], tau=jnp.zeros(n), p=p)
            return jnp.concatenate([y[n:], out["qdd"]])

        found = diffrax.diffeqsolve(
            diffrax.ODETerm(rates), diffrax.Dopri8(), 0.0, T, 0.01,
            jnp.concatenate([jnp.zeros(n), speed]), max_steps=4096,
            stepsize_controller=diffrax.PIDController(rtol=1e-11, atol=1e-12),
        )  # fmt: skip
        return found.ys[-1, n - 1]

    values = default[places]
    by = jax.jit(jax.grad(end, argnums=(0, 1)))(values, jnp.full(n, 0.5))
    found, _ = ours("adjoint")
    assert_close(found, np.concatenate([np.ravel(x) for x in by]), TRAJECTORY)
