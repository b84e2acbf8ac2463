"""Reactions of joints and closures: Newton's and Euler's laws of every body, apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests import zoo
from tests.approx import EFFORTS
from tests.closed import CLOSED

import kinetree as kt

Row = dict[str, Any]
BETWEEN_ENDS = ["ball", "rod", "solid", "universal", "line", "tyre", "curve"]


def inertia_forces(model: kt.Model, body: Any, out: Row) -> tuple[Any, Any]:
    """m (a - g), and the torque about the ground's origin, that a body's motion needs."""
    R, p = out[f"{body.name}.rotation"], out[f"{body.name}.position"]
    w, _ = np.split(out[f"{body.name}.velocity"], 2)
    wd, a = np.split(out[f"{body.name}.acceleration"], 2)
    m, c = float(body.mass), R @ np.array(body.com, dtype=float)
    xx, yy, zz, xy, xz, yz = (float(x) for x in body.inertia)
    inertia = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
    g = np.array(model.gravity, dtype=float)
    force = m * (a + np.cross(wd, c) + np.cross(w, np.cross(w, c)) - g)
    torque = inertia @ wd + np.cross(w, inertia @ w) + np.cross(p + c, force)
    return force, torque


def at_ground(out: Row, path: str, six: Any) -> Any:
    """A wrench [torque; force] of a place, as force and torque about the ground's origin."""
    R, p = out[f"{path}.rotation"], out[f"{path}.position"]
    force, torque = R @ six[3:], R @ six[:3]
    return np.concatenate([force, torque + np.cross(p, force)])


def residuals(model: kt.Model, values: Row, lam: Any) -> dict[str, Any]:
    """What is left of the laws of every body."""
    out = kt.derive(model, "kinematics").evaluate(**values)
    program = kt.derive(model, "reactions")
    loads = {"lam": lam} if model.closures else {}
    made = program.evaluate(**values, **loads)
    left = {b.name: np.concatenate(inertia_forces(model, b, out)) for b in model.bodies.values()}
    left["ground"] = np.zeros(6)
    for joint, six in zip(model.joints.values(), made["joints"], strict=True):
        wrench = at_ground(out, joint.child.path, six)
        left[joint.child.body.name] -= wrench
        left[joint.parent.body.name] += wrench
    closures = [c for c in model.closures.values() if c.ends]
    for closure, six in zip(closures, made.get("closures", ()), strict=True):
        wrench = at_ground(out, closure.ends[0].path, six)
        left[closure.ends[0].body.name] -= wrench
        left[closure.ends[1].body.name] += wrench
    del left["ground"]
    return left


def test_every_body_of_a_tree_is_in_balance() -> None:
    model = zoo.every_kind()
    state = zoo.state(model)
    values = {key: state[key] for key in ("q", "qd", "qdd")}
    for name, left in residuals(model, values, ()).items():
        np.testing.assert_allclose(left, 0, atol=EFFORTS, err_msg=name)


@pytest.mark.parametrize("name", BETWEEN_ENDS)
def test_every_body_of_a_closed_system_is_in_balance(name: str) -> None:
    model = CLOSED[name]()
    found = kt.partition(model)
    rng = np.random.default_rng(4)
    forward = kt.derive(model, "forward", partition=found)
    out = forward.evaluate(q=found.q, qd=rng.normal(size=model.nv), tau=np.zeros(model.nv))
    values = {"q": out["q_closed"], "qd": out["qd_closed"], "qdd": out["qdd"]}
    size = 1 + np.abs(out["lam"]).max()
    for body, left in residuals(model, values, out["lam"]).items():
        np.testing.assert_allclose(left, 0, atol=EFFORTS * size, err_msg=body)
    assert np.abs(out["lam"]).max() > 1e-3
