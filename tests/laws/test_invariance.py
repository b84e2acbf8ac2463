"""Equations of motion do not depend on how the mechanism is written down."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from tests import strategies, zoo
from tests.approx import FORMALISM, IDENTITY, assert_close
from tests.laws.tools import values

import kinetree as kt

TURN = zoo.rotation_about((1.0, 2.0, -0.5), 0.8)
PIN = zoo.unit((0.3, -0.5, 1.0))


def on_a_turned_ground(links: list[zoo.Link], turn: Any, shift: Any) -> list[zoo.Link]:
    """The same mechanism on a ground frame that is turned and shifted."""
    return [
        replace(
            link,
            position=zoo.vector(turn @ np.array(link.position) + shift),
            rotation=zoo.matrix(turn @ np.array(link.rotation)),
        )
        if link.parent < 0
        else link
        for link in links
    ]


@settings(max_examples=12)
@given(strategies.trees(max_size=4), strategies.seeds, strategies.vectors)
def test_change_of_ground_frame(links: list[zoo.Link], seed: int, shift: zoo.Vector) -> None:
    g = np.array([1.0, -3.0, -9.0])
    here = zoo.build(links, gravity=zoo.vector(g))
    there = zoo.build(on_a_turned_ground(links, TURN, shift), gravity=zoo.vector(TURN @ g))
    state = zoo.state(here, seed)
    tau = values(kt.derive(here, "inverse"), **state)["tau"]
    assert_close(values(kt.derive(there, "inverse"), **state)["tau"], tau, FORMALISM, "tau")


def test_change_of_ground_frame_turns_all_motion_with_it() -> None:
    links = zoo.random_links(4, 8)
    shift = np.array([0.3, -0.4, 0.5])
    there = zoo.build(on_a_turned_ground(links, TURN, shift))
    state = zoo.state(there, 1)
    a = values(kt.derive(zoo.build(links), "kinematics", points=["b3"]), **state)
    b = values(kt.derive(there, "kinematics", points=["b3"]), **state)
    assert_close(b["b3.position"], TURN @ a["b3.position"] + shift, IDENTITY, "position")
    for name in ("velocity", "acceleration", "jacobian", "jdqd"):
        old = a[f"b3.{name}"]
        new = np.concatenate([TURN @ old[:3], TURN @ old[3:]])
        assert_close(b[f"b3.{name}"], new, FORMALISM, name, scale=float(np.abs(old).max()))


def renumbered(links: list[zoo.Link], order: list[int]) -> kt.Model:
    """The model with its joints added in another order; names stay."""
    tree = kt.Model("renumbered", gravity=(0, 0, -9.81))
    bodies = {
        i: tree.body(f"b{i}", links[i].mass, links[i].com, links[i].inertia)
        for i in sorted(order, reverse=True)
    }
    for i in order:
        link = links[i]
        parent = tree.ground if link.parent < 0 else bodies[link.parent]
        at = parent.point(f"p{i}", link.position, rotation=link.rotation)
        getattr(tree, link.kind)(f"j{i}", at, bodies[i], **zoo.joint_data(link))
    return tree


@settings(max_examples=10)
@given(strategies.trees(max_size=5), strategies.seeds)
def test_renumbering(links: list[zoo.Link], seed: int) -> None:
    order = list(np.random.default_rng(seed).permutation(len(links)))
    first, second = zoo.build(links), renumbered(links, [int(i) for i in order])
    at_q = [first.coordinates.index(name) for name in second.coordinates]
    at_v = [first.velocities.index(name) for name in second.velocities]
    state = zoo.state(first, seed)
    moved = {"q": state["q"][at_q], "qd": state["qd"][at_v], "qdd": state["qdd"][at_v]}
    tau = values(kt.derive(first, "inverse"), **state)["tau"]
    again = values(kt.derive(second, "inverse"), **moved)["tau"]
    assert_close(again, tau[at_v], FORMALISM, "tau")
    out = values(kt.derive(second, "forward"), **moved, tau=again)["qdd"]
    back = values(kt.derive(second, "inverse"), **{**moved, "qdd": out})["tau"]
    assert_close(back, again, FORMALISM, "tau of forward")


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "screw", "cylindrical"])
def test_reversed_axis_reverses_coordinate_and_force(kind: str) -> None:
    rng = np.random.default_rng(2)
    kinds = ("revolute", kind, "spherical")
    links = [zoo.random_link(rng, k, i - 1) for i, k in enumerate(kinds)]
    axis = zoo.vector(-np.array(links[1].axis))
    one, other = zoo.build(links), zoo.build([links[0], replace(links[1], axis=axis), links[2]])
    n = one.joints["j1"].nv
    signs = np.array([1.0, *([-1.0] * n), 1.0, 1.0, 1.0])
    state = zoo.state(one, 3)
    q = state["q"].copy()
    q[1 : 1 + n] *= -1
    turned = {"q": q, "qd": signs * state["qd"], "qdd": signs * state["qdd"]}
    tau = values(kt.derive(one, "inverse"), **state)["tau"]
    again = values(kt.derive(other, "inverse"), **turned)["tau"]
    assert_close(again, signs * tau, FORMALISM, "tau")


def floating_pair(first: str, axis: zoo.Vector) -> kt.Model:
    """Two bodies on one hinge, floating; `first` is the one that hangs on the ground."""
    pair = kt.Model("pair")
    a = pair.body("a", 1.5, (0.1, 0.2, -0.1), (0.3, 0.4, 0.5, 0.02, 0.01, -0.03))
    b = pair.body("b", 0.7, (-0.2, 0.1, 0.3), (0.2, 0.1, 0.25, -0.01, 0.02, 0.01))
    pin = a.point("pin", (0.4, -0.3, 0.2), rotation=zoo.rotation_about((0, 1, 1), 0.6))
    pair.free("root", pair.ground, a if first == "a" else b)
    if first == "a":
        pair.revolute("hinge", pin, b, axis=axis)
    else:
        pair.revolute("hinge", b, pin, axis=zoo.vector(-np.array(axis)))
    return pair


def quaternion(R: Any) -> Any:
    """Unit quaternion w x y z of a rotation by less than half a turn."""
    w = 0.5 * np.sqrt(1 + np.trace(R))
    v = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4 * w)
    return np.array([w, *v])


def seen_from_b(state: dict[str, Any]) -> dict[str, Any]:
    """The state of the pair that hangs on b, for that of the pair that hangs on a."""
    out = values(kt.derive(floating_pair("a", PIN), "kinematics", points=["b"]), **state)
    R, v, a = out["b.rotation"], out["b.velocity"], out["b.acceleration"]
    w_b, v_b = R.T @ v[:3], R.T @ v[3:]
    # qd is seen from the body, so its rate is that of the velocity less w × v
    vd_b = R.T @ a[3:] - np.cross(w_b, v_b)
    return {
        "q": np.array([*quaternion(R), *out["b.position"], state["q"][7]]),
        "qd": np.array([*w_b, *v_b, state["qd"][6]]),
        "qdd": np.array([*(R.T @ a[:3]), *vd_b, state["qdd"][6]]),
    }


def test_reversed_joint_leaves_energy_and_hinge_torque_as_they_are() -> None:
    one, other = floating_pair("a", PIN), floating_pair("b", PIN)
    state = zoo.state(one, 4)
    state["q"][:4] = [0.9, 0.3, -0.2, np.sqrt(1 - 0.94)]
    state["tau"][:6] = 0  # nothing but the hinge acts, so it acts the same whoever hangs on whom
    state["qdd"] = values(kt.derive(one, "forward"), **state)["qdd"]
    turned = seen_from_b(state)
    for name in ("kinetic", "potential"):
        expected = values(kt.derive(one, "energy"), **state)[name]
        assert_close(values(kt.derive(other, "energy"), **turned)[name], expected, FORMALISM, name)
    tau = values(kt.derive(other, "inverse"), **turned)["tau"]
    assert_close(tau, state["tau"], FORMALISM, "tau", scale=10.0)


def test_welded_bodies_are_one_body() -> None:
    """A body cut into two that are welded together moves as before."""
    whole = kt.Model("whole", gravity=(1, 2, -9))
    split = kt.Model("split", gravity=(1, 2, -9))
    inertia = (0.3, 0.4, 0.5, 0.02, 0.01, -0.03)
    bodies = {}
    for system in (whole, split):
        arm = system.body("arm", 1.0, (0.2, 0.1, 0.0), inertia)
        system.spherical("ball", system.ground, arm)
        bodies[system.name] = arm
    half = split.body("half", 2.0, (0.1, 0.0, -0.2), inertia)
    turn = zoo.rotation_about((1, 2, 3), 0.5)
    split.fixed("weld", bodies["split"].point("seam", (0.3, 0.2, 0.1), rotation=turn), half)
    c1, c2 = np.array([0.2, 0.1, 0.0]), turn @ [0.1, 0.0, -0.2] + [0.3, 0.2, 0.1]
    com = (c1 + 2 * c2) / 3
    I = full(inertia) + turn @ full(inertia) @ turn.T
    for m, c in ((1.0, c1), (2.0, c2)):
        I += m * ((c - com) @ (c - com) * np.eye(3) - np.outer(c - com, c - com))
    merged = kt.Model("merged", gravity=(1, 2, -9))
    six = (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
    merged.spherical("ball", merged.ground, merged.body("arm", 3.0, com, six))
    state = zoo.state(merged, 1)
    tau = values(kt.derive(merged, "inverse"), **state)["tau"]
    assert_close(values(kt.derive(split, "inverse"), **state)["tau"], tau, FORMALISM, "tau")


def full(s: Any) -> Any:
    """The tensor of six elements."""
    xx, yy, zz, xy, xz, yz = s
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
