"""Small systems with known motions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import kinetree as kt

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

G = 9.81


def pendulum(mass: float = 1.0, length: float = 1.0) -> kt.Model:
    """A point mass on a massless rod along x of the turning body, gravity along -y."""
    model = kt.Model("pendulum", gravity=(0, -G, 0))
    bob = model.body("bob", mass=mass, com=(length, 0, 0))
    model.revolute("swing", model.ground, bob, axis="z")
    return model


def double_pendulum() -> kt.Model:
    """Two point masses on massless rods of 1 m and 0.7 m, masses 1 kg and 0.5 kg."""
    model = kt.Model("double_pendulum", gravity=(0, -G, 0))
    upper = model.body("upper", mass=1.0, com=(1.0, 0, 0))
    lower = model.body("lower", mass=0.5, com=(0.7, 0, 0))
    model.revolute("a", model.ground, upper, axis="z")
    model.revolute("b", upper.point("tip", (1.0, 0, 0)), lower, axis="z")
    return model


def double_pendulum_rates(t: float, y: Array) -> Array:
    """The textbook equations of that double pendulum, absolute angles, point masses."""
    del t
    m1, m2, l1, l2 = 1.0, 0.5, 1.0, 0.7
    a, b, wa, wb = y[0], y[0] + y[1], y[2], y[2] + y[3]
    M = np.array(
        [
            [(m1 + m2) * l1**2, m2 * l1 * l2 * np.cos(a - b)],
            [m2 * l1 * l2 * np.cos(a - b), m2 * l2**2],
        ]
    )
    f = np.array(
        [
            -m2 * l1 * l2 * wb**2 * np.sin(a - b) - (m1 + m2) * G * l1 * np.cos(a),
            m2 * l1 * l2 * wa**2 * np.sin(a - b) - m2 * G * l2 * np.cos(b),
        ]
    )
    acceleration = np.linalg.solve(M, f)
    return np.array([y[2], y[3], acceleration[0], acceleration[1] - acceleration[0]])


def top() -> kt.Model:
    """A spinning top on a spherical joint, its mass centre 0.3 m along z of the body."""
    model = kt.Model("top", gravity=(0, 0, -G))
    body = model.body("top", mass=2.0, com=(0, 0, 0.3), inertia=(0.05, 0.05, 0.02))
    model.spherical("ball", model.ground, body)
    return model


def thrown() -> kt.Model:
    """A free body with three different moments of inertia, no gravity."""
    model = kt.Model("thrown", gravity=(0, 0, 0))
    body = model.body("box", mass=1.5, com=(0.1, -0.2, 0.05), inertia=(0.1, 0.25, 0.3))
    model.free("fly", model.ground, body)
    return model


def oscillators(n: int = 2, k: float = 100.0, d: float = 0.6) -> kt.Model:
    """n masses of 2 kg on a line, each on a spring and a damper from its neighbour."""
    model = kt.Model("oscillators", gravity=(G, 0, 0))
    before: Any = model.ground
    for i in range(n):
        body = model.body(f"m{i}", mass=2.0)
        model.prismatic(f"x{i}", before, body, axis="x")
        model.joint_spring(f"s{i}", f"x{i}", stiffness=k, damping=d)
        before = body
    return model
