"""The gradient of a run of the Panda by other engines on the same equations.

All parameters of the equations and the start velocities; the angle of the last joint after a
second.  Errors are against our gradient at a tight tolerance, relative to its largest entry.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import kinetree as kt
from benchmarks import report
from benchmarks.gradient_times import least
from benchmarks.models import urdf_path

T, SPEED = 1.0, 0.3
REPEATS = 3
SHORT = 50
"""Calls of the one that takes milliseconds: together they take as long as the others."""


def best(call: Callable[[], Any], repeats: int = REPEATS) -> tuple[float, Any]:
    """Least processor time of some calls, and their result."""
    found = call()
    spent = []
    for _ in range(repeats):
        began = time.process_time()
        found = call()
        spent.append(time.process_time() - began)
    return min(spent), found


def ours(model: kt.Model, names: list[str], rtol: float) -> Callable[[], Any]:
    """The gradient by going back over the steps of dop853."""
    by = [*names, *(f"qd0.{name}" for name in model.velocities)]
    end = {"end": kt.final(f"q_{model.coordinates[-1]}")}
    start = dict.fromkeys(model.velocities, SPEED)

    def call() -> Any:
        run = kt.sensitivity(
            model, T, end, by=by, method="adjoint", qd=start, rtol=rtol, atol=rtol, step=T
        )
        return run.gradient.values[0]

    return call


def casadi_gradient(
    forward: kt.Program, rtol: float
) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """A run and its gradient by CVODES, one end time, quadratures under error control."""
    import casadi as ca

    function, n = forward.compile(target="casadi"), len(forward.input("q").symbols)
    p0 = np.array(forward.input("p").default)
    y, p = ca.MX.sym("y", 2 * n), ca.MX.sym("p", len(p0))
    found = function(y[:n], y[n:], np.zeros(n), p)
    rates = ca.vertcat(y[n:], found[0] if isinstance(found, tuple) else found)
    adams = {"linear_multistep_method": "adams", "nonlinear_solver_iteration": "functional"}
    options = {"abstol": rtol, "reltol": rtol, "quad_err_con": True, "max_num_steps": 100_000}
    run = ca.integrator(
        "run", "cvodes", {"x": y, "p": p, "ode": rates}, 0.0, T, {**options, **adams}
    )
    start = ca.MX.sym("start", 2 * n)
    end = run(x0=start, p=p)["xf"][n - 1]
    plain = ca.Function("plain", [start, p], [end])
    slopes = ca.Function("slopes", [start, p], [ca.gradient(end, p), ca.gradient(end, start)])
    at = np.concatenate([np.zeros(n), np.full(n, SPEED)])

    def gradient() -> Any:
        by_p, by_y = slopes(at, p0)
        return np.concatenate([by_p.full().ravel(), by_y.full().ravel()[n:]])

    return lambda: plain(at, p0), gradient


def diffrax_gradient(
    forward: kt.Program, rtol: float
) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """A run and its gradient by diffrax on the JAX target, with its recommended adjoint."""
    import diffrax
    import jax
    import jax.numpy as jnp

    function, n = forward.compile(target="jax"), len(forward.input("q").symbols)
    p0 = jnp.array(forward.input("p").default)

    def end(p: Any, speed: Any) -> Any:
        def rates(_: Any, y: Any, __: Any) -> Any:
            out = function(q=y[:n], qd=y[n:], tau=jnp.zeros(n), p=p)
            return jnp.concatenate([y[n:], out["qdd"]])

        run = diffrax.diffeqsolve(
            diffrax.ODETerm(rates), diffrax.Dopri8(), 0.0, T, 0.01,
            jnp.concatenate([jnp.zeros(n), speed]), max_steps=512,
            stepsize_controller=diffrax.PIDController(rtol=rtol, atol=rtol),
        )  # fmt: skip
        return run.ys[-1, n - 1]

    speed = jnp.full(n, SPEED)
    plain, slopes = jax.jit(end), jax.jit(jax.grad(end, argnums=(0, 1)))

    def gradient() -> Any:
        found = slopes(p0, speed)
        return np.concatenate([np.ravel(part.block_until_ready()) for part in found])

    return lambda: plain(p0, speed).block_until_ready(), gradient


def engines() -> list[list[Any]]:
    """Times and errors of all."""
    model = kt.load(urdf_path("panda"))
    forward = kt.derive(model, "forward")
    names = list(forward.input("p").labels)
    _, exact = best(ours(model, names, 1e-13))
    rows: list[list[Any]] = []

    def add(name: str, tolerance: float, spent: float, run: float | None, found: Any) -> None:
        error = float(np.abs(found - exact).max() / np.abs(exact).max())
        times = spent / rows[0][3] if rows else 1.0
        rows.append([name, tolerance, error, spent, None if run is None else spent / run, times])

    whole, found = best(ours(model, names, 1e-8), SHORT)
    _, native, _ = least(ours(model, names, 1e-8))
    add("kinetree, native loops", 1e-8, sum(native.values()), native["forward"], found)
    add("kinetree, whole call", 1e-8, whole, None, found)
    for name, make, tolerance in (("CasADi, CVODES", casadi_gradient, 1e-10),
                                  ("diffrax, Dopri8", diffrax_gradient, 1e-8)):  # fmt: skip
        run, gradient = make(forward, tolerance)
        plain, _ = best(run)
        spent, found = best(gradient)
        add(name, tolerance, spent, plain, found)
    columns = ["engine", "tolerance", "error", "gradient s", "own runs", "times ours"]
    report.show(f"Gradient by {len(names) + model.nv} variables, Panda", columns, rows)
    return rows
