"""Numbers in the layouts of Pinocchio and MuJoCo, both ways, against these engines themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from tests import zoo
from tests.approx import IDENTITY, assert_close
from tests.crosscheck.compare import assert_same

import kinetree as kt
from kinetree.errors import UnknownNameError, UnsupportedError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.crosscheck.cases import Case

pytestmark = [
    pytest.mark.crosscheck,
    pytest.mark.filterwarnings("ignore:body 'base'.*triangle inequality"),
]
LINK = (
    '<link name="{}"><inertial><origin xyz="0.1 0.2 0.3"/><mass value="2"/>'
    '<inertia ixx="1" iyy="1.2" izz="1.4" ixy="0.1" ixz="0" iyz="0"/></inertial></link>'
)
JOINT = (
    '<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/>'
    '<origin xyz="0.1 0 0.4" rpy="0.3 0.1 0"/><axis xyz="0 0 1"/>'
    '<limit lower="-1" upper="1" velocity="1" effort="1"/>{4}</joint>'
)
FOLLOW = '<mimic joint="z" multiplier="-0.5" offset="0.2"/>'
ROWS = (
    ("z", "revolute", "base", "right", ""),
    ("y", "prismatic", "base", "left", ""),
    ("x", "continuous", "right", "hand", ""),
    ("w", "planar", "left", "table", ""),
    ("v", "revolute", "table", "jaw", FOLLOW),
)
BRANCHED = (
    '<robot name="branched">'
    + "".join(LINK.format(name) for name in ("base", "right", "left", "hand", "table", "jaw"))
    + "".join(JOINT.format(*row) for row in ROWS)
    + "</robot>"
)
FLOATING = """<mujoco><compiler angle="radian"/><option gravity="0 1 -9"/><worldbody>
<body name="hull" pos="1 2 3"><freejoint name="pose"/>
<inertial pos="0.1 0.2 0.3" mass="2" fullinertia="1 1.2 1.4 0.1 0 0"/>
<body name="mast" pos="0 0 1"><joint name="hinge" axis="0 1 0"/>
<inertial pos="0 0.1 0.3" mass="1" diaginertia="0.1 0.2 0.25"/>
<body name="flag" pos="0 0.2 0.5"><joint name="ball" type="ball"/>
<inertial pos="0.1 0 0" mass="0.5" diaginertia="0.1 0.2 0.25"/></body></body>
<body name="anchor" pos="0 0 -1"><joint name="slide" type="slide" axis="1 0 0"/>
<inertial pos="0 0.1 0.3" mass="1" diaginertia="0.1 0.2 0.25"/></body>
</body></worldbody></mujoco>"""


def check_pinocchio(model: kt.Model, peer: Any, state: dict[str, Any]) -> kt.EngineLayout:
    """Inverse dynamics and the mass matrix of both engines are the same numbers."""
    layout, data = kt.layout(model, "pinocchio"), peer.createData()
    q, qd, qdd = state["q"], state["qd"], state["qdd"]
    assert layout.joints == tuple(name.replace("root_joint", "root") for name in peer.names[1:])
    assert (layout.nq, layout.nv) == (peer.nq, peer.nv)
    x = layout.q(q), layout.v(q, qd), layout.a(q, qd, qdd)
    theirs = pin.rnea(peer, data, *x)
    ours = kt.derive(model, "inverse").compile()(q=q, qd=qd, qdd=qdd)["tau"]
    assert_same(ours, layout.tau_from(q, theirs), "tau")
    upper = np.triu(pin.crba(peer, data, x[0]))
    M = kt.derive(model, "mass_bias").compile()(q=q, qd=qd)["M"]
    assert_same(M, layout.mass_matrix_from(q, upper + np.triu(upper, 1).T), "M")
    return layout


def check_there_and_back(layout: kt.EngineLayout, model: kt.Model, state: dict[str, Any]) -> None:
    """What goes there comes back."""
    q, qd, qdd, tau = (state[name] for name in ("q", "qd", "qdd", "tau"))
    assert_close(model.difference(layout.q_from(layout.q(q)), q), np.zeros_like(qd), IDENTITY)
    assert_close(layout.v_from(q, layout.v(q, qd)), qd, IDENTITY, "v")
    assert_close(layout.a_from(q, qd, layout.a(q, qd, qdd)), qdd, IDENTITY, "a")
    assert_close(layout.tau_from(q, layout.tau(q, tau)), tau, IDENTITY, "tau")
    power = np.sum(layout.v(q, qd) * layout.tau(q, tau), axis=-1)
    assert_close(power, np.sum(qd * tau, axis=-1), IDENTITY, "power")


@pytest.mark.parametrize("name", ["ur5", "panda", "anymal"])
def test_robots_in_pinocchio(name: str, robot_cases: dict[str, Case]) -> None:
    case = robot_cases[name]
    layout = check_pinocchio(case.model, case.twin.peer, case.state)
    check_there_and_back(layout, case.model, case.state)
    M = kt.derive(case.model, "mass_bias").compile()(**case.given("q", "qd"))["M"]
    again = layout.mass_matrix_from(case.state["q"], layout.mass_matrix(case.state["q"], M))
    assert_close(again, M, IDENTITY, "M")


def test_branches_circles_planes_and_followers_in_pinocchio(tmp_path: Path) -> None:
    path = tmp_path / "branched.urdf"
    path.write_text(BRANCHED)
    model, peer = kt.load(path), pin.buildModelFromUrdf(str(path))
    state = zoo.state(model, 4)
    layout = check_pinocchio(model, peer, state)
    check_there_and_back(layout, model, zoo.state(model, 5, (3,)))
    with pytest.raises(UnsupportedError, match="joints that follow"):
        layout.mass_matrix(state["q"], np.eye(model.nv))
    plain = kt.layout(model, "pinocchio", continuous=[], joints=["y", "w", "v", "z", "x"])
    assert plain.nq == layout.nq - 1


def test_mujoco() -> None:
    peer = mujoco.MjModel.from_xml_string(FLOATING)
    data = mujoco.MjData(peer)
    model = kt.Model("floating", gravity=(0, 1, -9))
    flat = (0.1, 0.2, 0.25)
    hull = model.body("hull", 2, (0.1, 0.2, 0.3), (1, 1.2, 1.4, 0.1, 0, 0))
    mast, anchor = (model.body(name, 1, (0, 0.1, 0.3), flat) for name in ("mast", "anchor"))
    flag = model.body("flag", 0.5, (0.1, 0, 0), flat)
    model.free("pose", model.ground, hull)
    model.prismatic("slide", hull.point("keel", (0, 0, -1)), anchor, axis="x")
    model.revolute("hinge", hull.point("deck", (0, 0, 1)), mast, axis="y")
    model.spherical("ball", mast.point("top", (0, 0.2, 0.5)), flag)
    layout, state = kt.layout(model, "mujoco", joints=["pose", "hinge", "ball", "slide"]), {}
    state = zoo.state(model, 7)
    check_there_and_back(layout, model, zoo.state(model, 8, (2, 3)))
    q, qd, tau = state["q"], state["qd"], state["tau"]
    data.qpos, data.qvel = layout.q(q), layout.v(q, qd)
    data.qfrc_applied = layout.tau(q, tau)
    mujoco.mj_forward(peer, data)
    out = kt.derive(model, "forward").compile()(q=q, qd=qd, tau=tau)
    assert_same(layout.a_from(q, qd, data.qacc), out["qdd"], "qdd")
    full = np.zeros((peer.nv, peer.nv))
    mujoco.mj_fullM(peer, data, full)
    M = kt.derive(model, "mass_bias").compile()(q=q, qd=qd)["M"]
    assert_same(layout.mass_matrix(q, M), full, "M")


def test_what_does_not_fit_is_named() -> None:
    model = zoo.SMALL["chain4"]()
    with pytest.raises(UnknownNameError, match="engine"):
        kt.layout(model, "drake")
    with pytest.raises(UnknownNameError, match="joints"):
        kt.layout(model, "mujoco", joints=list(model.joints)[:-1])
    ship = kt.Model("ship")
    place = ship.ground.point("dock", (1, 0, 0))
    ship.free("pose", place, ship.body("hull", 1, inertia=(1, 1, 1)))
    with pytest.raises(UnsupportedError, match="joint 'pose'"):
        kt.layout(ship, "mujoco")
