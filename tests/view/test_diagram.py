"""Diagrams: nothing overlaps, nothing of the tree crosses, all kinds appear, alike every time."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests import mechanisms, zoo

import kinetree as kt
from kinetree.errors import FormatError
from kinetree.joints import ALL as JOINTS
from kinetree.model import Joint
from kinetree.view.diagram.arrange import width
from kinetree.view.diagram.content import Diagram, DiagramBody, diagram_of
from kinetree.view.diagram.svg import svg

MODELS = sorted((Path(__file__).resolve().parents[2] / "examples" / "models").glob("*.*ml"))
HEIGHT = 3
"""Units of the grid that a body is high."""


@pytest.mark.parametrize("file", MODELS, ids=lambda file: file.name)
def test_bodies_do_not_overlap_and_edges_of_the_tree_do_not_cross(file: Path) -> None:
    found = diagram_of(kt.load(file))
    for a, b in itertools.combinations(found.bodies, 2):
        apart = abs(a.y - b.y) >= HEIGHT or a.x + width(a.name) <= b.x or b.x + width(b.name) <= a.x
        assert apart, (a, b)
    for one, other in itertools.combinations(edges(found), 2):
        assert not cross(one, other)
    assert {body.name for body in found.bodies} >= {row.child for row in found.joints}


Edge = tuple[DiagramBody, DiagramBody]


def drawn(model: kt.Model) -> str:
    return svg(diagram_of(model))


def edges(found: Diagram) -> list[Edge]:
    places = {body.name: body for body in found.bodies}
    return [(places[row.parent], places[row.child]) for row in found.joints]


def cross(one: Edge, other: Edge) -> bool:
    """Whether two edges, which run between columns, change sides between them."""
    (a, b), (c, d) = one, other
    if a.x + width(a.name) > d.x or c.x + width(c.name) > b.x:
        return False
    return (a.y - c.y) * (b.y - d.y) < 0


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
