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
from kinetree.view.diagram.svg import GRID, svg

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
    outward = [line for line in lines if len(line) == len(bent("M0 0h0V0H0V0H0"))]
    for line, (left, right, top, low) in itertools.product(outward, boxes.values()):
        x, y = line[1:-1].T / GRID  # a folded chain goes on between bodies
        spans = zip(x[:-1], x[1:], y[:-1], y[1:], strict=True)
        assert not any(max(a, b) > left and min(a, b) < right and max(c, d) > top
                       and min(c, d) < low for a, b, c, d in spans)  # fmt: skip
    for body in found.bodies:  # room for a name, and for what ends there
        for side in ("left", "right", "bottom"):
            room = body.width if side == "bottom" else body.height
            shares = [0.0, *(row.share for row in body.anchors if row.side == side), 1.0]
            assert room * np.diff(shares).min() >= LEAST or len(shares) == 3
        assert {row.point for row in body.anchors} == {"", *body.points}


def test_long_chains_go_on_in_further_lines() -> None:
    """An arm of nine links, and two of them on one body: as high as wide, nothing crosses."""
    for arms in (1, 2):
        model = kt.Model("arms")
        base = model.body("base", mass=1)
        model.fixed("base", model.ground, base)
        for arm in range(arms):
            inner = base
            for k in range(9):
                link = model.body(f"link{arm}{k}", mass=1)
                model.revolute(f"turn{arm}{k}", inner.point(f"tip{arm}", (0, 0, 1)), link)
                inner = link
        found = diagram_of(model)
        wide = max(b.x + b.width for b in found.bodies)
        high = max(b.y for b in found.bodies) - min(b.y for b in found.bodies)
        assert 0.5 < wide / high < 3
        lines = edges(drawn(model))
        for one, other in itertools.combinations(lines, 2):
            assert not cross(one, other)


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
            path = str(group.find("{http://www.w3.org/2000/svg}path").get("d"))  # type: ignore[union-attr]
            found.append(bent(path) if "V" in path else curved(path))
    return found


def curved(path: str) -> np.ndarray:
    """A cubic curve, and a level line to its end."""
    *bezier, end = map(float, re.findall(r"-?\d+", path))
    points = np.array(bezier).reshape(4, 2)
    weights = [PARTS**k * (1 - PARTS) ** (3 - k) * (1, 3, 3, 1)[k] for k in range(4)]
    return np.vstack([np.transpose(weights) @ points, [end, points[-1, 1]]])


def bent(path: str) -> np.ndarray:
    """Level and upright lines in turn."""
    x, y, out, middle, back, low, end = map(float, re.findall(r"-?\d+", path))
    return np.array([(x, y), (x + out, y), (x + out, middle), (back, middle), (back, low),
                     (end, low)])  # fmt: skip


def cross(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two lines cross, or one of two that run to the right is now above, now below."""
    if min(len(one), len(other)) == len(bent("M0 0h0V0H0V0H0")):
        return meet(one, other)
    left, right = max(one[0, 0], other[0, 0]), min(one[-1, 0], other[-1, 0])
    if left >= right:
        return False
    x = np.linspace(left, right, 41)
    apart = np.interp(x, *one.T) - np.interp(x, *other.T)
    return bool(apart.min() < -PIXEL and apart.max() > PIXEL)


def meet(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether a piece of one line meets a piece of the other."""

    def side(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
        u, v = b - a, c - a
        return np.sign(u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0])

    a, b = one[:-1, None], one[1:, None]
    c, d = other[None, :-1], other[None, 1:]
    apart = (side(a, b, c) * side(a, b, d) >= 0) | (side(c, d, a) * side(c, d, b) >= 0)
    return not apart.all()


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
