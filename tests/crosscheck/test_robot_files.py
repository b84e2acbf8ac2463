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
from kinetree.errors import FormatError, KinetreeError, ModelWarning, UnsupportedError

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


def test_a_humanoid_with_point_masses_moves_as_in_mujoco(tmp_path: Path) -> None:
    """Frames of sensors are point masses, whose inertia MuJoCo takes as diagonal alone."""
    model = quiet(kt.load, robots.package_folder() / robots.ROBOTS["talos"].path)
    quiet(kt.save, model, tmp_path / "talos.xml")
    check_against_mujoco(tmp_path / "talos.xml")


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


# a prism over an L, so that no point sees all its faces; MuJoCo keeps points in single precision
CORNERS = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 3), (0, 3)]
POINTS = 0.125 * np.array([(x, y, z) for z in (0, 1) for x, y in CORNERS], dtype=float)
LIDS = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
SIDES = [(i, (i + 1) % 6, (i + 1) % 6 + 6) for i in range(6)]
FACES = np.array([
    *((a, c, b) for a, b, c in LIDS), *((a + 6, b + 6, c + 6) for a, b, c in LIDS), *SIDES,
    *((i, j, i + 6) for i, _, j in SIDES),
])  # fmt: skip
MESH = """<mujoco><compiler meshdir="meshes"/><asset><mesh name="l" {mesh}/></asset><worldbody>
<body name="a" pos="0 0 1"><joint name="j" axis="1 2 3"/><geom type="mesh" mesh="l" pos="0.3 0 0"
 euler="10 20 30" {geom}/></body></worldbody></mujoco>"""


def words(rows: Any) -> str:
    return " ".join(f"{x:g}" for x in np.ravel(rows))


def mesh_file(folder: Path, suffix: str) -> str:
    """The prism as a file in `meshes`."""
    (folder / "meshes").mkdir(exist_ok=True)
    path = folder / "meshes" / f"l{suffix}"
    if suffix == ".obj":
        rows = [f"v {words(row)}" for row in POINTS] + [f"f {words(row + 1)}" for row in FACES]
        path.write_text("\n".join(rows))
    elif suffix == ".stl":
        records = np.zeros(len(FACES), np.dtype([("n", "<f4", 3), ("v", "<f4", 9), ("a", "<u2")]))
        records["v"] = POINTS[FACES].reshape(-1, 9)
        path.write_bytes(bytes(80) + len(FACES).to_bytes(4, "little") + records.tobytes())
    else:
        counts = np.array([len(POINTS), 0, 0, len(FACES)], "<i4")
        path.write_bytes(counts.tobytes() + POINTS.astype("<f4").tobytes()
                         + FACES.astype("<i4").tobytes())  # fmt: skip
    return f'file="{path.name}"'


@pytest.mark.parametrize(
    ("mesh", "geom"),
    [
        ("", ""),
        ('inertia="exact" scale="1 2 -1" refpos="0.25 0.5 1" refquat="1 1 1 1"', ""),
        ('inertia="convex"', 'density="700"'),
        ('inertia="shell"', 'mass="3"'),
        (".obj", 'mass="3"'),
        (".stl", ""),
        (".msh", ""),
    ],
)
def test_meshes_weigh_what_they_do_in_mujoco(mesh: str, geom: str, tmp_path: Path) -> None:
    given = f'vertex="{words(POINTS)}" face="{words(FACES)}" {mesh}'
    path = tmp_path / "mesh.xml"
    given = mesh_file(tmp_path, mesh) if mesh.startswith(".") else given
    path.write_text(MESH.format(mesh=given, geom=geom))
    model = check_against_mujoco(path)
    assert bool(model.shapes) == mesh.startswith(".")


def test_points_without_faces_are_their_hull(tmp_path: Path) -> None:
    path = tmp_path / "hull.xml"
    path.write_text(MESH.format(mesh=f'vertex="{words(POINTS)}"', geom=""))
    check_against_mujoco(path)


@pytest.mark.parametrize(
    ("mesh", "geom", "said"),
    [
        ('file="../../l.stl"', "", "mesh 'l': it leaves the folder"),
        ('file="l.stl"', "", "no such file|there is no file|not be read|does not exist"),
        ('builtin="sphere"', "", "mesh 'l': it has neither a file nor vertices"),
        ('vertex="0 0 0 1 0 0 0 1 0" face="0 1 3"', "", "mesh 'l': a face has no vertex"),
        ('vertex="0 0 0 1 0 0 0 1 0 0 0 1" inertia="some"', "", "there is no way to find inertia"),
        ('vertex="0 0 0 1 0 0 0 1 0" face="0 1 2" inertia="exact"', "", "its volume is 0"),
        ('vertex="0 0 0 1 0 0 0 1 0 0 0 1"', 'mesh="m"', "there is no mesh 'm'"),
        ('vertex="0 0 0 1 0 0 0 1 0 0 0 1"', 'type="box"', "it is a box fitted to a mesh"),
    ],
)
def test_meshes_that_have_no_volume_are_told(
    mesh: str, geom: str, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "mesh.xml"
    text = MESH.format(mesh=mesh, geom="")
    for name in ("mesh", "type"):
        if geom.startswith(name):
            text = text.replace('mesh="l"' if name == "mesh" else 'type="mesh"', geom)
    path.write_text(text)
    with pytest.raises(KinetreeError, match=said):
        kt.load(path)


REPLICAS = """<mujoco><worldbody>
<replicate count="10" offset="0.3 0.1 0" euler="5 10 20" sep="-"><body name="a" pos="0 0 1">
  <joint name="j" axis="0 1 0"/><geom size=".1" pos="0 0 -.3"/>
  <replicate count="2" euler="0 0 120"><body name="leg" pos=".2 0 0"><joint name="k" axis="1 0 0"/>
    <geom type="capsule" size=".02" fromto="0 0 0 .3 0 .1"/></body></replicate></body></replicate>
</worldbody></mujoco>"""


def test_replicas_are_those_of_mujoco(tmp_path: Path) -> None:
    path = tmp_path / "replicas.xml"
    path.write_text(REPLICAS)
    model = check_against_mujoco(path)
    assert model.velocities[:4] == ["j-00", "k0-00", "k1-00", "j-01"]
    path.write_text(
        '<mujoco><worldbody><replicate count="3"><body><joint name="j"/><geom size=".1"/><body>'
        '<joint name="k"/><geom size=".1" pos="1 0 0"/></body></body></replicate></worldbody>'
        '<equality><joint joint1="k" joint2="j"/></equality></mujoco>'
    )
    assert quiet(kt.load, path).velocities == ["j0", "j1", "j2"]
    path.write_text(REPLICAS.replace('count="10"', 'count="ten"'))
    with pytest.raises(FormatError, match="'ten' is not a valid count"):
        kt.load(path)


def test_composites_are_left_out_by_name(tmp_path: Path) -> None:
    path = tmp_path / "cable.xml"
    path.write_text(
        '<mujoco><worldbody><body><joint/><geom size=".1"/><composite type="cable" count="9 1 1"/>'
        '</body><flexcomp type="grid" name="f"/></worldbody></mujoco>'
    )
    with pytest.warns(ModelWarning, match=r"left out are <flexcomp>, <composite>"):
        kt.load(path)


SOLIDS = """<robot name="solids"><link name="base"/>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
<link name="arm"><visual><geometry><sphere radius="9"/></geometry></visual>
<collision><origin xyz="0 0 1" rpy="0.1 0.2 0.3"/><geometry><box size="1 2 3"/></geometry>
</collision>
<collision><geometry><cylinder radius="0.2" length="2"/></geometry></collision></link>
<joint name="k" type="revolute"><parent link="arm"/><child link="hand"/><axis xyz="1 0 0"/></joint>
<link name="hand"><visual><origin xyz="0.5 0 0"/><geometry><sphere radius="0.4"/></geometry>
</visual>
<visual><geometry><mesh filename="package://robot/meshes/l.stl" scale="2 2 -2"/></geometry></visual>
</link></robot>"""


def test_links_without_inertia_weigh_what_their_solids_do(tmp_path: Path) -> None:
    path = tmp_path / "solids.urdf"
    path.write_text(SOLIDS)
    mesh_file(tmp_path, ".stl")
    model = kt.load(path, density=800.0)
    scene = tmp_path / "solids.xml"
    scene.write_text(
        '<mujoco><compiler angle="radian" eulerseq="XYZ"/><asset><mesh name="l" '
        'file="meshes/l.stl" scale="2 2 -2" inertia="exact"/></asset><default>'
        '<geom density="800"/></default><worldbody><body><joint name="j" axis="0 1 0"/>'
        '<geom type="box" size=".5 1 1.5" pos="0 0 1" euler="0.1 0.2 0.3"/>'
        '<geom type="cylinder" size="0.2 1"/><body><joint name="k" axis="1 0 0"/>'
        '<geom size="0.4" pos="0.5 0 0"/><geom type="mesh" mesh="l"/></body></body></worldbody>'
        "</mujoco>"
    )
    check_same_dynamics(model, check_against_mujoco(scene))
    assert kt.load(path).bodies["arm"].mass == 0
    with pytest.raises(FormatError, match="it says itself what its bodies weigh"):
        kt.load(scene, density=800.0)


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
