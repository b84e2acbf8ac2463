"""Laws of the motion of points: positions, velocities and accelerations are derivatives in turn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from tests import strategies, zoo
from tests.approx import FORMALISM, IDENTITY, assert_close
from tests.laws.tools import MODELS, mat_vec, model, program, skew, time_derivative, values

import kinetree as kt
from kinetree.errors import UnknownNameError, UnsupportedError

SIZE = 10.0  # an upper bound of lengths, velocities and accelerations in the zoo, for scale


def points(prog: kt.Program) -> list[str]:
    """The points of a kinematics Program."""
    return [row.name.rpartition(".")[0] for row in prog.outputs if row.name.endswith(".position")]


def check_point(out: dict[str, Any], path: str, state: dict[str, Any]) -> None:
    """Velocity and acceleration are linear in qd and qdd, with one Jacobian."""
    J = out[f"{path}.jacobian"]
    v, a = out[f"{path}.velocity"], out[f"{path}.acceleration"]
    assert_close(mat_vec(J, state["qd"]), v, FORMALISM, f"{path} velocity", scale=SIZE)
    expected = mat_vec(J, state["qdd"]) + out[f"{path}.jdqd"]
    assert_close(expected, a, FORMALISM, f"{path} acceleration", scale=SIZE)


def check_derivatives(prog: kt.Program, system: kt.Model, path: str, state: dict[str, Any]) -> None:
    """Each level is the derivative of the one before."""
    q, qd, qdd = state["q"], state["qd"], state["qdd"]
    out = values(prog, **state)

    def rate(name: str) -> Any:
        def of(q: Any, qd: Any) -> Any:
            return values(prog, q=q, qd=qd, qdd=qdd)[f"{path}.{name}"]

        return time_derivative(of, system, q, qd, qdd)

    w, v = out[f"{path}.velocity"][:3], out[f"{path}.velocity"][3:]
    assert_close(rate("position"), v, FORMALISM, f"{path} position", scale=SIZE)
    expected = skew(w) @ out[f"{path}.rotation"]
    assert_close(rate("rotation"), expected, FORMALISM, f"{path} rotation", scale=SIZE)
    a = out[f"{path}.acceleration"]
    assert_close(rate("velocity"), a, FORMALISM, f"{path} velocity", scale=SIZE)
    jdqd = mat_vec(rate("jacobian"), qd)
    assert_close(jdqd, out[f"{path}.jdqd"], FORMALISM, f"{path} jdqd", scale=SIZE)


@pytest.mark.parametrize("name", MODELS)
def test_velocity_is_jacobian_times_qd(name: str) -> None:
    prog, state = program(name, "kinematics"), zoo.state(model(name), 1, (3,))
    out = values(prog, **state)
    for path in points(prog):
        check_point(out, path, state)


@pytest.mark.parametrize("name", MODELS)
def test_velocity_and_acceleration_are_derivatives(name: str) -> None:
    prog = program(name, "kinematics")
    state = zoo.state(model(name), 2)
    for path in points(prog)[-2:]:
        check_derivatives(prog, model(name), path, state)


@settings(max_examples=15)
@given(strategies.trees(max_size=4), strategies.seeds, strategies.rotations())
def test_motion_of_any_point_of_any_tree(
    links: list[zoo.Link], seed: int, turn: zoo.Matrix
) -> None:
    tree = zoo.build(links)
    tree.bodies[f"b{len(links) - 1}"].point("eye", (0.1, 0.2, 0.3), rotation=turn)
    path = f"b{len(links) - 1}.eye"
    prog = kt.derive(tree, "kinematics", points=[path])
    state = zoo.state(tree, seed)
    check_point(values(prog, **state), path, state)
    check_derivatives(prog, tree, path, state)


@pytest.mark.parametrize("kind", zoo.KINDS)
def test_frames_coincide_at_zero(kind: str) -> None:
    system = zoo.one_joint(kind, seed=3)
    joints = list(system.joints.values())
    places = sorted({p.path for j in joints for p in (j.parent, j.child)})
    prog = kt.derive(system, "kinematics", points=places)
    rest = np.zeros(system.nv)
    out = values(prog, q=system.neutral(), qd=rest, qdd=rest)
    for joint in joints:
        for what in ("position", "rotation"):
            child, parent = (out[f"{p.path}.{what}"] for p in (joint.child, joint.parent))
            assert_close(child, parent, IDENTITY, f"{joint.name} {what}", scale=1.0)


@pytest.mark.parametrize("kind", zoo.KINDS)
def test_child_point_lands_on_parent_point_at_zero(kind: str) -> None:
    rng = np.random.default_rng(1)
    link = zoo.random_link(rng, kind, -1)
    system = kt.Model("hung")
    body = system.body("arm", mass=1.0, inertia=(1, 1, 1))
    turn = zoo.matrix(zoo.rotation_about((1, 2, 3), 0.7))
    grip = body.point("grip", (0.1, 0.2, 0.3), rotation=turn)
    wall = system.ground.point("wall", link.position, rotation=link.rotation)
    getattr(system, kind)("hinge", wall, grip, **zoo.joint_data(link))
    system.revolute("tail", body, system.body("tail", mass=1.0, inertia=(1, 1, 1)), axis="x")
    prog = kt.derive(system, "kinematics", points=["arm.grip", "arm"])
    rest = np.zeros(system.nv)
    out = values(prog, q=system.neutral(), qd=rest, qdd=rest)
    assert_close(out["arm.grip.position"], link.position, IDENTITY, "position", scale=1.0)
    assert_close(out["arm.grip.rotation"], link.rotation, IDENTITY, "rotation", scale=1.0)


@pytest.mark.parametrize("name", MODELS)
def test_power_of_a_wrench_is_that_of_its_generalised_forces(name: str) -> None:
    system = zoo.SMALL[name]()
    body = list(system.bodies.values())[-1]
    at = body.point("at", (0.1, -0.2, 0.3), rotation=zoo.rotation_about((1, 1, 0), 0.4))
    system.wrench("pull", at, frame="world")
    system.wrench("push", at, frame="body")
    state = zoo.state(system, 5)
    rng = np.random.default_rng(6)
    pull, push = rng.uniform(-1, 1, 6), rng.uniform(-1, 1, 6)
    prog = kt.derive(system, "inverse")
    out = values(kt.derive(system, "kinematics", points=[at.path]), **state)
    J, R = out[f"{at.path}.jacobian"], out[f"{at.path}.rotation"]
    turned = np.concatenate([R @ push[:3], R @ push[3:]])
    without = values(prog, **state)["tau"]
    loaded = values(prog, **state, pull=pull, push=push)["tau"]
    scale = float(np.abs(without).max())
    assert_close(without - loaded, J.T @ (pull + turned), FORMALISM, f"{name} Jᵀ f", scale=scale)


def test_points_can_be_chosen() -> None:
    system = zoo.SMALL["chain4"]()
    prog = kt.derive(system, "kinematics", points=["b1", "b0.p1", "ground"])
    assert points(prog) == ["b1", "b0.p1", "ground"]
    out = values(prog, **zoo.state(system, 1))
    assert_close(out["b1.position"], out["b0.p1.position"], IDENTITY)
    assert not out["ground.jacobian"].any()
    assert len(points(kt.derive(system, "kinematics"))) == 4 + 3


def test_misspelled_point_gets_the_nearest_name() -> None:
    with pytest.raises(UnknownNameError, match=r"did you mean 'b0\.p1'"):
        kt.derive(zoo.SMALL["chain4"](), "kinematics", points=["b0.q1"])


def test_points_of_a_quantity_without_points_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="kinematics"):
        kt.derive(zoo.SMALL["chain4"](), "energy", points=["b0"])
