"""Shapes of a model file and of a URDF become solids; mistakes are told by their place."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.approx import COARSE_RUN, EQUAL_STEPS

import kinetree as kt
from kinetree.errors import KinetreeError
from kinetree.formats.meshes import triangles
from kinetree.view.clips import standing
from kinetree.view.packing import unpack
from kinetree.view.payload import Look, payload
from kinetree.view.quaternions import matrices
from kinetree.view.shapes import read_shapes
from kinetree.view.solids import outline

if TYPE_CHECKING:
    from pathlib import Path

CORNERS = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 0, 1], [0.5, 0, 2], [0, 1, 1]]])


def model_with(shapes: Any) -> kt.Model:
    model = kt.Model("m")
    model.revolute("j", model.ground, model.body("arm", mass=1, com=(1, 0, 0)))
    model.shapes = shapes
    return model


def only(shapes: Any, folder: Path) -> dict[str, Any]:
    (solid,) = read_shapes(model_with({"arm": shapes}), folder).parts["arm"]
    return solid


def binary(path: Path) -> Path:
    rows = b"".join(struct.pack("<12fH", 0, 0, 1, *c.ravel(), 0) for c in CORNERS)
    path.write_bytes(b"solid in name only".ljust(80) + struct.pack("<I", len(CORNERS)) + rows)
    return path


def text(path: Path) -> Path:
    facets = "".join(
        "facet normal 0 0 1\nouter loop\n"
        + "".join(f"vertex {x} {y} {z}\n" for x, y, z in c)
        + "endloop\nendfacet\n"
        for c in CORNERS
    )
    path.write_text(f"solid s\n{facets}endsolid s\n", encoding="ascii")
    return path


def test_a_shape_keeps_its_sizes_place_turn_and_colour(tmp_path: Path) -> None:
    given = {"kind": "cylinder", "radius": 0.1, "length": 2, "position": [1, 2, 3], "axis": "x"}
    solid = only([given | {"colour": [1, 0, 0.5], "opacity": 0.5}], tmp_path)
    assert (solid["radius"], solid["length"], solid["at"]) == (0.1, 2, [1, 2, 3])
    assert matrices(solid["turn"])[:, 2] == pytest.approx([1, 0, 0])
    assert (solid["colour"], solid["opacity"]) == ("#ff0080", 0.5)


def test_rotation_and_rpy_mean_the_same(tmp_path: Path) -> None:
    box = {"kind": "box", "size": [1, 2, 3]}
    by_angles = only(box | {"rpy": [0, 0, np.pi / 2]}, tmp_path)
    by_matrix = only(box | {"rotation": [[0, -1, 0], [1, 0, 0], [0, 0, 1]]}, tmp_path)
    assert by_angles["turn"] == pytest.approx(by_matrix["turn"])


def test_frusta_and_lines_are_in_what_the_page_gets() -> None:
    corners = [[0, 0, 0], [0.5, 0, 0], [0.5, 0, 2]]
    frustum = {"kind": "frustum", "radius": 0.3, "top": 0.1, "length": 0.8}
    line = {"kind": "line", "points": corners, "radius": 0.01, "position": [0, 0, 1]}
    model = model_with({"arm": [frustum, line | {"axis": "x", "colour": "#c95d63"}]})
    drawn = payload(model, standing(model.initial()), Look())
    solid, *rods = next(row for row in drawn["bodies"] if row["name"] == "arm")["parts"]
    assert {name: solid[name] for name in frustum} == frustum
    widths = {z: np.hypot(x, y) for x, y, z in outline(solid)}
    assert widths == pytest.approx({-0.4: 0.3, 0.4: 0.1})
    turned = np.array(corners) @ [[0, 0, -1], [0, 1, 0], [1, 0, 0]] + [0, 0, 1]
    for rod, start, end in zip(rods, turned, turned[1:], strict=False):
        assert (rod["kind"], rod["radius"], rod["colour"]) == ("capsule", 0.01, "#c95d63")
        arm = 0.5 * rod["length"] * matrices(rod["turn"])[:, 2]
        assert rod["at"] - arm == pytest.approx(start)
        assert rod["at"] + arm == pytest.approx(end)
    assert len(rods) == 2


@pytest.mark.parametrize("write", [binary, text])
def test_a_mesh_is_carried_along_scaled(write: Any, tmp_path: Path) -> None:
    path = write(tmp_path / "part.stl")
    assert triangles(path) == pytest.approx(CORNERS)
    solid = only({"kind": "mesh", "file": "part.stl", "scale": [1, 2, 0.001]}, tmp_path)
    carried = unpack(solid["triangles"]).reshape(-1, 3, 3)
    assert carried == pytest.approx(CORNERS * [1, 2, 0.001], abs=COARSE_RUN)


SQUARE = [[0, 0, 0], [1, 0, 0], [1, 2, 0], [0, 2, 0]]
"""A face of four corners; the fan of its triangles is FAN."""
FAN = np.array([[SQUARE[0], SQUARE[1], SQUARE[2]], [SQUARE[0], SQUARE[2], SQUARE[3]]], dtype=float)
DAE = """<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema">
<asset><unit meter="0.01"/></asset><library_geometries><geometry id="g"><mesh>
<source id="s"><float_array count="12">{}</float_array><technique_common>
<accessor stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
{}</mesh></geometry></library_geometries>
<library_nodes><node id="n"><translate>0 0 5</translate><instance_geometry url="#g"/></node>
</library_nodes><library_visual_scenes><visual_scene><node><rotate>0 0 1 90</rotate>
<node><scale>2 2 2</scale><instance_node url="#n"/></node></node></visual_scene>
</library_visual_scenes></COLLADA>"""
FACES = {
    "polylist": "<vcount>4</vcount><p>0 9 1 9 2 9 3 9</p>",
    "polygons": "<p>0 9 1 9 2 9 3 9</p>",
    "triangles": "<p>0 9 1 9 2 9 0 9 2 9 3 9</p>",
}


@pytest.mark.parametrize("faces", ["f 1/1/1 2//3 3 4", "f -4 -3 -2 -1", "f 1 2 3\nf 1 3 4"])
def test_obj_meshes_are_shown(faces: str, tmp_path: Path) -> None:
    rows = "\n".join(f"v {x} {y} {z}" for x, y, z in SQUARE)
    (tmp_path / "part.obj").write_text(f"# square\no s\n{rows}\nvn 0 0 1\n{faces}\n")
    assert triangles(tmp_path / "part.obj") == pytest.approx(FAN)
    (solid,) = read_shapes(
        model_with({"arm": {"visual": [{"mesh": {"filename": "part.obj"}}]}}), tmp_path
    ).parts["arm"]
    assert len(unpack(solid["triangles"]).reshape(-1, 3, 3)) == 2


@pytest.mark.parametrize("kind", FACES)
def test_dae_meshes_stand_where_their_scene_puts_them(kind: str, tmp_path: Path) -> None:
    numbers = " ".join(str(x) for row in SQUARE for x in row)
    inputs = '<input semantic="VERTEX" source="#v" offset="0"/><input semantic="N" offset="1"/>'
    text = DAE.format(numbers, f"<{kind}>{inputs}{FACES[kind]}</{kind}>")
    (tmp_path / "part.dae").write_text(text)
    turned = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    raised = FAN + np.array([0, 0, 5])
    expected = 0.01 * 2 * raised @ turned.T
    assert triangles(tmp_path / "part.dae") == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("part.obj", "v 0 0 0\nf 1 2 3", "there is no vertex 2"),
        ("part.obj", "v 0 zero 0", "cannot be read"),
        ("part.obj", "# nothing", "no triangles"),
        ("part.dae", "<!DOCTYPE x><COLLADA/>", "document type"),
        ("part.dae", "<COLLADA/>", "no triangles"),
    ],
)
def test_meshes_that_cannot_be_read_are_told(
    name: str, content: str, said: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(KinetreeError, match=said):
        triangles(tmp_path / name)


@pytest.mark.parametrize(
    ("shapes", "said"),
    [
        ({"arn": {"kind": "sphere", "radius": 1}}, "there is no body 'arn'; did you mean 'arm'"),
        ({"arm": {"kind": "ball", "radius": 1}}, "there is no kind of shape 'ball'"),
        ({"arm": [{"kind": "box"}]}, r"shapes.arm\[0\]: a box needs its size"),
        ({"arm": {"kind": "sphere", "radius": -1}}, r"radius: -1 is not a valid length"),
        ({"arm": {"kind": "sphere", "radius": "big"}}, "'big' is not a number"),
        ({"arm": {"kind": "sphere", "radius": 1, "color": "#fff"}}, "'colour'"),
        ({"arm": {"kind": "sphere", "radius": 1, "colour": "red"}}, "'red' is not a valid colour"),
        ({"arm": {"kind": "sphere", "radius": 1, "rpy": [0, 0, 0], "axis": "x"}}, "keep one"),
        ({"arm": {"kind": "mesh", "file": "gone.stl"}}, "there is no such file"),
        ({"arm": {"kind": "mesh", "file": "part.fbx"}}, "convert it to STL"),
        ({"arm": {"kind": "frustum", "radius": 1, "length": 1}}, "a frustum needs its top"),
        ({"arm": {"kind": "line", "radius": 1, "points": [[0, 0, 0]]}}, "not two or more points"),
        (
            {"arm": {"kind": "line", "radius": 1, "points": [[0, 0, 0], [1, 0]]}},
            r"points\[1\]: \[1, 0\] is not 3 numbers",
        ),
        ({"arm": 3}, "not a list of shapes"),
        ([1, 2], "not a table of bodies"),
    ],
)
def test_a_mistake_is_one_sentence_with_its_place(shapes: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(KinetreeError, match=said):
        read_shapes(model_with(shapes), tmp_path)


def test_visuals_of_a_urdf_are_shown() -> None:
    from pathlib import Path

    model = kt.load("examples/models/arm7.urdf")
    found = read_shapes(model, Path())
    drawn = {name for name, row in model.shapes.items() if row.get("visual")}
    assert set(found.parts) == drawn
    assert found.notes == []


def test_a_mesh_of_a_urdf_that_is_not_there_is_noted_and_the_collision_shown(
    tmp_path: Path,
) -> None:
    mesh = {"mesh": {"filename": "package://robot/arm.dae"}, "origin": {"xyz": [0, 0, 1]}}
    sphere = {"sphere": {"radius": 0.5}, "origin": {"xyz": [0, 0, 1]}}
    lost = read_shapes(model_with({"arm": {"visual": [mesh]}}), tmp_path)
    assert lost.parts == {}
    assert "arm.dae" in lost.notes[0]
    found = read_shapes(model_with({"arm": {"visual": [mesh], "collision": [sphere]}}), tmp_path)
    assert found.parts["arm"][0]["at"] == [0, 0, 1]


def test_a_package_is_found_among_the_folders_around(tmp_path: Path) -> None:
    inner = tmp_path / "robot" / "urdf"
    inner.mkdir(parents=True)
    binary(tmp_path / "robot" / "arm.stl")
    mesh = {"mesh": {"filename": "package://robot/arm.stl", "scale": [2, 2, 2]}}
    (solid,) = read_shapes(model_with({"arm": {"visual": [mesh]}}), inner).parts["arm"]
    assert unpack(solid["triangles"]).max() == pytest.approx(4, abs=EQUAL_STEPS)
