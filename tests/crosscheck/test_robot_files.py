"""Robot files: MJCF against MuJoCo, round trips by URDF and MJCF, SDF against a model by hand."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from tests import zoo
from tests.approx import CROSS_ENGINE, IDENTITY, assert_close
from tests.crosscheck import mujoco_adapter, robots

import kinetree as kt
from kinetree.errors import FormatError, ModelWarning, UnsupportedError

pytestmark = [
    pytest.mark.crosscheck,
    pytest.mark.filterwarnings("ignore:body 'base'.*triangle inequality"),  # ANYmal's own data
]
DATA = Path(__file__).parents[1] / "data" / "robots"
HINGED = ("revolute", "prismatic", "cylindrical", "universal", "planar", "fixed", "sequence")


def quiet(call: Any, *arguments: Any, **options: Any) -> Any:
    """What a call gives, whatever it warns of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return call(*arguments, **options)


def check_same_dynamics(model: kt.Model, other: kt.Model, seed: int = 1) -> None:
    """M and c of two models whose coordinates have the same names, in any order."""
    q = model.random(seed, span=0.3)
    qd = np.linspace(-1, 1, model.nv)
    places = [model.coordinates.index(name) for name in other.coordinates]
    rates = [model.velocities.index(name) for name in other.velocities]
    ours = kt.derive(model, "mass_bias").evaluate(q=q, qd=qd)
    theirs = kt.derive(other, "mass_bias").evaluate(q=q[places], qd=qd[rates])
    assert_close(theirs["M"], ours["M"][np.ix_(rates, rates)], IDENTITY, "M")
    assert_close(theirs["c"], ours["c"][rates], IDENTITY, "c")


def check_round_trip(model: kt.Model, path: Path, **options: Any) -> list[str]:
    """Written and read again, the model has the same dynamics; what was left out."""
    left = quiet(kt.save, model, path)
    check_same_dynamics(model, quiet(kt.load, path, **options))
    return left


@pytest.mark.parametrize("suffix", [".urdf", ".xml"])
@pytest.mark.parametrize("name", ["ur5", "panda", "anymal"])
def test_robots_go_round(name: str, suffix: str, tmp_path: Path) -> None:
    source = robots.package_folder() / robots.ROBOTS[name].path
    floating = robots.ROBOTS[name].floating
    model = quiet(kt.load, source, floating=floating)
    options = {"floating": True} if floating and suffix == ".urdf" else {}
    left = check_round_trip(model, tmp_path / f"again{suffix}", **options)
    told = ("damping", "floating=True", "the name of body 'world'", "shapes")
    assert all(any(word in row for word in told) for row in left)


@pytest.mark.parametrize("seed", range(2))
def test_trees_go_round(seed: int, tmp_path: Path) -> None:
    check_round_trip(zoo.random_tree(5, seed, HINGED), tmp_path / "tree.urdf")
    check_round_trip(zoo.random_tree(5, seed, HINGED), tmp_path / "tree.xml")


def test_balls_go_round_in_mjcf_and_not_in_urdf(tmp_path: Path) -> None:
    model = kt.Model("ball", gravity=(1, 2, -3))
    arm = model.body("arm", 2, (0.1, 0.2, 0.3), (1, 1.1, 1.2, 0.01, 0.02, 0.03))
    model.spherical(
        "socket",
        model.ground.point("wall", (1, 0, 2), zoo.rotation_about((1, 0, 0), 0.3)),
        arm,
        armature=0.1,
    )
    hand = model.body("hand", 1, (0, 0.1, 0), (0.1, 0.1, 0.1))
    model.revolute("wrist", arm.point("end", (0, 0, 1)), hand, axis="y", limits=(-1, 1))
    model.joint_spring("stiff", "wrist", 5.0, 0.2, 0.3)
    assert not check_round_trip(model, tmp_path / "ball.xml")
    with pytest.raises(UnsupportedError, match=r"joint 'socket'.*spherical"):
        kt.save(model, tmp_path / "ball.urdf")


def check_against_mujoco(path: Path) -> kt.Model:
    """Forward dynamics, mass matrix and start are those of MuJoCo."""
    model = quiet(kt.load, path)
    peer = mujoco.MjModel.from_xml_path(str(path))
    peer.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data, layout = mujoco.MjData(peer), kt.layout(model, "mujoco")
    assert_close(layout.q(model.initial()), peer.qpos0, IDENTITY, "start")
    state, full = zoo.state(model, 3), np.zeros((peer.nv, peer.nv))
    q, qd, tau = model.random(3), state["qd"], state["tau"]
    data.qpos, data.qvel, data.qfrc_applied = layout.q(q), layout.v(q, qd), layout.tau(q, tau)
    mujoco.mj_forward(peer, data)
    mujoco.mj_fullM(peer, data, full)
    M = kt.derive(model, "mass_bias").evaluate(q=q, qd=qd)["M"]
    assert_close(layout.mass_matrix(q, M), full, IDENTITY, "M")
    qdd = kt.derive(model, "forward").evaluate(q=q, qd=qd, tau=tau)["qdd"]
    assert_close(layout.a_from(q, qd, data.qacc), qdd, CROSS_ENGINE, "qdd")
    return model


def test_a_walker_moves_as_in_mujoco(tmp_path: Path) -> None:
    """Classes, frames, every orientation, several joints per body, springs, inertia from geoms."""
    model = check_against_mujoco(DATA / "walker.xml")
    assert "eye" in model.bodies["torso"].points
    assert model.limits().lower[model.coordinates.index("left_knee")] == pytest.approx(-1.745, 1e-3)
    assert check_round_trip(model, tmp_path / "again.xml") == ["shapes"]


@pytest.mark.parametrize("seed", [21, 24])
def test_files_of_random_trees_move_as_in_mujoco(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "tree.xml"
    path.write_text(mujoco_adapter.mjcf(zoo.random_tree(5, seed, HINGED, "")))
    check_against_mujoco(path)


def test_what_a_file_holds_besides_is_told(tmp_path: Path) -> None:
    path = tmp_path / "arm.xml"
    path.write_text(
        '<mujoco><option viscosity="0.1"/><worldbody><body name="a"><geom size="0.1"/>'
        '<joint name="j" range="0 90" frictionloss="2"/></body>'
        '</worldbody><actuator><motor joint="j"/></actuator></mujoco>'
    )
    told = r"'arm.xml': left out are fluid forces, <actuator>.*limits.*friction.*contacts"
    with pytest.warns(ModelWarning, match=told):
        kt.load(path)


def test_masses_are_scaled_to_their_total(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # MuJoCo logs a warning where it runs
    path = tmp_path / "scaled.xml"
    text = (DATA / "walker.xml").read_text()
    path.write_text(
        text.replace('<compiler angle="degree"', '<compiler settotalmass="14" angle="degree"')
    )
    model = check_against_mujoco(path)
    assert_close(
        kt.derive(model, "centroidal").evaluate(
            q=model.initial(), qd=np.zeros(model.nv), qdd=np.zeros(model.nv)
        )["mass"],
        14.0,
        IDENTITY,
    )


def test_includes_and_their_bounds(tmp_path: Path) -> None:
    (tmp_path / "part.xml").write_text(
        '<mujocoinclude><body name="a"><joint name="j"/>'
        '<inertial pos="0 0 1" mass="2" diaginertia="1 1 1"/></body></mujocoinclude>'
    )
    main = tmp_path / "main.xml"
    main.write_text('<mujoco><worldbody><include file="part.xml"/></worldbody></mujoco>')
    assert kt.load(main).velocities == ["j"]
    for name, said in (("../x.xml", "leaves the folder"), ("main.xml", "more than 100 files")):
        main.write_text(f'<mujoco><worldbody><include file="{name}"/></worldbody></mujoco>')
        with pytest.raises(FormatError, match=said):
            kt.load(main)
    main.write_text('<!DOCTYPE x [<!ENTITY a "b">]><mujoco/>')
    with pytest.raises(FormatError, match="document type"):
        kt.load(main)


def test_equalities_become_loops_and_followers(tmp_path: Path) -> None:
    path = tmp_path / "loop.xml"
    body = '<inertial pos="0.5 0 0" mass="1" diaginertia="0.1 0.1 0.1"/>'
    path.write_text(
        f"""<mujoco><compiler angle="radian"/><worldbody>
        <body name="a"><joint name="qa"/>{body}
        <body name="b" pos="1 0 0"><joint name="qb"/>{body}</body></body>
        <body name="c" pos="0 2 0"><joint name="qc" ref="0.5"/>{body}</body>
        <body name="d" pos="0 3 0"><joint name="qd"/>{body}</body></worldbody>
        <equality><connect name="pin" body1="b" body2="d" anchor="1 0 0"/>
        <joint joint1="qc" joint2="qd" polycoef="0.1 -2 0 0 0"/></equality></mujoco>"""
    )
    model = kt.load(path)
    assert model.coordinates == ["qa", "qb", "qd"]
    mimic = model.joints["qc"].mimic
    assert mimic is not None
    assert (mimic.joint, mimic.ratio, mimic.offset) == ("qd", -2.0, 0.6)
    h = kt.derive(model, "constraints").evaluate(q=np.zeros(3), qd=np.zeros(3))["h"]
    assert np.abs(h).max() < IDENTITY
    again = quiet(kt.save, model, tmp_path / "again.xml")
    assert again == []
    assert kt.load(tmp_path / "again.xml").closures["pin"].kind == "ball"


def test_sdf_is_the_model_written_by_hand() -> None:
    model = kt.Model("linkage")
    Ry, Rx, Rz = (
        zoo.rotation_about((0, 1, 0), 0.2),
        zoo.rotation_about((1, 0, 0), 0.3),
        zoo.rotation_about((0, 0, 1), 0.3),
    )
    I = Rx @ np.array([[0.1, 0.01, 0], [0.01, 0.2, 0], [0, 0, 0.25]]) @ Rx.T
    six = [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]
    crank = model.body("crank", 2, (0.1, 0, 0), six)
    rod = model.body("rod", 1.5, inertia=(0.1, 0.1, 0.1))
    slider = model.body("slider", 3, inertia=(0.3, 0.3, 0.3))
    axis = Ry.T @ np.array([0, 0, 1.0])
    model.revolute("turn", model.ground.point("o", (0, 0, 0.5), Ry), crank, axis=axis.tolist())
    reach = np.array([0.4, 0, 0]) + Rz @ np.array([0.05, 0, 0])
    pin = crank.point("pin", reach.tolist(), Rz), rod.point("pin", (0.05, 0, 0))
    model.universal("pin", *pin, axes=("z", "y"))
    model.prismatic("slide", model.ground.point("rail", (1, 0, 0.5)), slider, axis="x")
    model.joint_spring("turn_spring", "turn", 4.0, 0.1)
    found = kt.load(DATA / "linkage.sdf")
    assert found.closures["end"].kind == "ball"
    assert found.limits().upper[0] == 2.0
    found.closures.clear()
    check_same_dynamics(model, found)
