"""J(3,1) of Docquier2013 eq. 47: its value against the printed structure, and its cost."""

from __future__ import annotations

import numpy as np
from tests.approx import IDENTITY, assert_close
from tests.reference import jacobian31
from tests.zoo import AXES, rotation_about, vector

import kinetree as kt

SLOPE = 1e-9  # difference quotients


def height(q: np.ndarray) -> float:
    """z of the end point, step by step from the ground."""
    R, p = np.eye(3), np.zeros(3)
    for i, (step, x) in enumerate(zip(jacobian31.STEPS, q, strict=True), start=1):
        axis = np.array(AXES[int(step[1]) - 1], dtype=float)
        if step[0] == "R":
            R = R @ rotation_about(vector(axis), float(x))
        else:
            p = p + R @ axis * x
        if i + 1 in jacobian31.OFFSETS:
            p = p + R @ np.array([0.1 * (i + 1), 0, 0])
    return float(p[2])


def test_value() -> None:
    q = np.random.default_rng(0).uniform(-1, 1, 8)
    out = jacobian31.element().evaluate(q=q)
    h = 1e-5
    up, down = (height(q + s * h * np.eye(8)[0]) for s in (1, -1))
    assert_close(out["b8.end.jacobian"], [(up - down) / (2 * h)], SLOPE, "J(3,1)")


def test_agrees_with_the_whole_jacobian() -> None:
    q = np.random.default_rng(1).uniform(-1, 1, 8)
    whole = kt.derive(jacobian31.chain(), "kinematics", points=["b8.end"])
    all_of_it = whole.evaluate(q=q, qd=np.zeros(8), qdd=np.zeros(8))["b8.end.jacobian"]
    alone = jacobian31.element().evaluate(q=q)["b8.end.jacobian"]
    assert_close(alone, all_of_it[5:, 0], IDENTITY, "J(3,1)")


def test_cost() -> None:
    count = jacobian31.count()
    assert count.add + count.mul <= jacobian31.LEAST, count
