"""Small systems that fixed-step methods are tested on, and references by SciPy's DOP853."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

import kinetree as kt

Array = NDArray[np.float64]


def pendulum() -> kt.Model:
    """One bar that swings from near the top."""
    model = kt.Model("pendulum", gravity=(0, -9.81, 0))
    bar = model.body("bar", mass=1.0, com=(0.5, 0, 0), inertia=(0, 0.1, 0.1))
    model.revolute("q", model.ground, bar, axis="z", initial=0.3)
    return model


def double_pendulum() -> kt.Model:
    """Two bars in a plane."""
    model = kt.Model("double", gravity=(0, -9.81, 0))
    a = model.body("a", mass=1.1, com=(0.6, 0, 0), inertia=(0, 0.13, 0.13))
    b = model.body("b", mass=0.9, com=(0.55, 0, 0), inertia=(0, 0.1, 0.1))
    model.revolute("q1", model.ground, a, axis="z", initial=0.3)
    model.revolute("q2", a.point("tip", (1.2, 0, 0)), b, axis="z", initial=0.5)
    return model


def top() -> kt.Model:
    """A heavy top on a ball joint, by a quaternion."""
    model = kt.Model("top")
    body = model.body("top", mass=1.0, com=(0.1, 0.05, 0.4), inertia=(0.2, 0.25, 0.1))
    model.spherical("ball", model.ground, body)
    return model


def thrown() -> kt.Model:
    """A floating body that carries a swinging one."""
    model = kt.Model("thrown")
    a = model.body("a", mass=2.0, com=(0.1, 0, 0.2), inertia=(0.3, 0.4, 0.2))
    b = model.body("b", mass=1.0, com=(0.3, 0, 0), inertia=(0.1, 0.1, 0.1))
    model.free("float", model.ground, a)
    model.revolute("hinge", a.point("tip", (0, 0.5, 0)), b, axis="y", initial=0.4)
    return model


def oscillator(stiffness: float = 1.0) -> kt.Model:
    """A mass on a spring, along x, frequency sqrt(stiffness)."""
    model = kt.Model("oscillator", gravity=(0, 0, 0))
    body = model.body("mass", mass=1.0)
    model.prismatic("x", model.ground, body, axis="x", initial=1.0)
    model.joint_spring("spring", "x", stiffness=stiffness)
    return model


SPEEDS = {
    "pendulum": [0.2], "double": [0.0, 0.5], "top": [0.5, -1.0, 3.0],
    "thrown": [0.5, -1.0, 2.0, 0.3, 0.1, 4.0, 1.0],
}  # fmt: skip


@cache
def reference(build: Any, until: float = 1.0) -> Array:
    """q and qd at the end, of a tree without states."""
    model = build()
    forward = kt.derive(model, "forward").compile()
    N = kt.derive(model, "forward").input("q").tangent
    nq, tau = model.nq, np.zeros(model.nv)
    turn = _turner(kt.derive(model, "forward"), N)

    def rates(_: float, y: Array) -> Array:
        q, qd = y[:nq].copy(), y[nq:].copy()
        return np.concatenate([turn(q, qd), forward(q=q, qd=qd, tau=tau)["qdd"]])

    start = np.concatenate([model.initial(), SPEEDS[model.name]])
    found = solve_ivp(rates, (0, until), start, method="DOP853", rtol=1e-12, atol=1e-12)
    return np.asarray(found.y[:, -1])


def _turner(program: kt.Program, N: Any) -> Any:
    from kinetree.engine import evaluate

    symbols = program.input("q").symbols

    def turn(q: Array, qd: Array) -> Array:
        if not N:
            return qd
        known = dict(zip(symbols, q, strict=True))
        return np.array([np.dot(evaluate(row, known), qd) for row in N])

    return turn
