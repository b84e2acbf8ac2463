"""Diagrams: nothing overlaps, nothing of the tree crosses, all kinds appear, alike every time."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from tests import mechanisms, zoo

import kinetree as kt
from kinetree.errors import FormatError
from kinetree.joints import ALL as JOINTS
from kinetree.model import Joint
from kinetree.view.diagram.content import diagram_of
from kinetree.view.diagram.svg import svg

MODELS = sorted((Path(__file__).resolve().parents[2] / "examples" / "models").glob("*.*ml"))


@pytest.mark.parametrize("file", MODELS, ids=lambda file: file.name)
def test_bodies_do_not_overlap_and_edges_of_the_tree_do_not_cross(file: Path) -> None:
    model = kt.load(file)
    found = diagram_of(model)
    boxes = {b.name: (b.x, b.x + b.width, b.y - b.height / 2, b.y + b.height / 2)
             for b in found.bodies}  # fmt: skip
    for (one, a), (other, b) in itertools.combinations(boxes.items(), 2):
        assert a[1] <= b[0] or b[1] <= a[0] or a[3] <= b[2] or b[3] <= a[2], (one, other)
    lines = edges(drawn(model))
    assert len(lines) == len(found.joints)
    for one_line, other_line in itertools.combinations(lines, 2):
        assert not cross(one_line, other_line)
    for body in found.bodies:  # room for a name, and for what ends there
        for side in ("left", "right", "bottom"):
            room = body.width if side == "bottom" else body.height
            shares = [0.0, *(row.share for row in body.anchors if row.side == side), 1.0]
            assert room * np.diff(shares).min() >= LEAST or len(shares) == 3
        assert {row.point for row in body.anchors} == {"", *body.points}


LEAST = 1.0
"""Units between two anchors: those of the browser are so large."""
PARTS = np.linspace(0, 1, 21)


def drawn(model: kt.Model) -> str:
    return svg(diagram_of(model))


def edges(picture: str) -> list[np.ndarray]:
    """Lines of the joints as they are drawn: places along them."""
    found = []
    for group in ET.fromstring(picture).iter("{http://www.w3.org/2000/svg}g"):
        if group.get("class") == "joint":
            path = group.find("{http://www.w3.org/2000/svg}path").get("d")  # type: ignore[union-attr]
            *bezier, end = map(float, re.findall(r"-?\d+", str(path)))
            points = np.array(bezier).reshape(4, 2)
            weights = [PARTS**k * (1 - PARTS) ** (3 - k) * (1, 3, 3, 1)[k] for k in range(4)]
            found.append(np.vstack([np.transpose(weights) @ points, [end, points[-1, 1]]]))
    return found


def cross(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether one of two lines, which run to the right, is now above, now below the other."""
    left, right = max(one[0, 0], other[0, 0]), min(one[-1, 0], other[-1, 0])
    if left >= right:
        return False
    x = np.linspace(left, right, 41)
    apart = np.interp(x, *one.T) - np.interp(x, *other.T)
    return bool(apart.min() < -PIXEL and apart.max() > PIXEL)


PIXEL = 1.0
"""To which lines are drawn."""


@pytest.mark.parametrize("file", MODELS, ids=lambda file: file.name)
def test_the_picture_is_the_same_every_time_and_names_everything(file: Path) -> None:
    model = kt.load(file)
    text = drawn(model)
    assert text == drawn(kt.load(file))
    tree = ET.fromstring(text)
    named = {group.get("data-path", "").partition(".")[2] for group in tree.iter()}
    joints = {name for name, row in model.joints.items() if isinstance(row, Joint)}
    assert named >= {*model.bodies, *joints, *model.forces, *model.closures, *model.states}


@pytest.mark.parametrize("kind", JOINTS, ids=lambda kind: kind.name)
def test_every_kind_of_joint_is_drawn_by_its_motions(kind: object) -> None:
    model = zoo.one_joint(kind.name)  # type: ignore[attr-defined]
    rows = diagram_of(model).joints
    assert kind.name in {row.kind for row in rows}  # type: ignore[attr-defined]
    for row in rows:
        assert len(row.steps) == len(model.joints[row.name].motions)
        assert all(re.fullmatch(r"[RTHSF][123]?", step) for step in row.steps)


def test_bodies_stand_where_the_file_says(tmp_path: Path) -> None:
    model = mechanisms.slider_crank()
    body = next(iter(model.bodies))
    model.layout = {"diagram": {body: [40, -3], "nobody": [1, 2], "ground": "here"}}
    places = {row.name: row for row in diagram_of(model).bodies}
    assert (places[body].x, places[body].y, places[body].placed) == (40, -3, True)
    assert not places["ground"].placed
    kt.diagram(model, tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text(encoding="utf-8") == drawn(model)
    with pytest.raises(FormatError, match=r"use \.svg"):
        kt.diagram(model, tmp_path / "a.png")


def test_names_stay_text() -> None:
    model = kt.Model("<script>alert(1)</script>")
    assert "<script" not in drawn(model)


def test_the_picture_in_the_docs_is_the_present_one() -> None:
    root = MODELS[0].parents[2]
    picture = root / "docs" / "pictures" / "limousine_diagram.svg"
    text = drawn(kt.load(root / "examples" / "models" / "limousine.yaml"))
    assert picture.read_text(encoding="utf-8") == text
