"""Diagrams: nothing overlaps, nothing of the tree crosses, all kinds appear, alike every time."""

from __future__ import annotations

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
from kinetree.view.diagram.geometry import (
    GRID,
    along,
    between,
    body_box,
    extent,
    tie_corners,
    tie_name_box,
)
from kinetree.view.diagram.svg import svg

MODELS = sorted((Path(__file__).resolve().parents[2] / "examples" / "models").glob("*.*ml"))


@pytest.mark.parametrize("file", MODELS, ids=lambda file: file.name)
def test_bodies_do_not_overlap_and_edges_of_the_tree_do_not_cross(file: Path) -> None:
    model = kt.load(file)
    is_plain(model)
    for body in diagram_of(model).bodies:  # room for a name, and for what ends there
        for side in ("left", "right", "bottom"):
            room = body.width if side == "bottom" else body.height
            shares = [0.0, *(row.share for row in body.anchors if row.side == side), 1.0]
            assert room * np.diff(shares).min() >= LEAST or len(shares) == 3
        assert {row.point for row in body.anchors} == {"", *body.points}


def is_plain(model: kt.Model) -> None:
    """No two bodies overlap; lines of joints cross nothing of the tree."""
    found = diagram_of(model)
    left, top, right, low = np.array([body_box(body) for body in found.bodies]).T
    apart = (right[:, None] <= left) | (low[:, None] <= top)
    assert (apart | apart.T | np.eye(len(apart), dtype=bool)).all()
    lines = edges(drawn(model))
    assert len(lines) == len(found.joints)
    for line in lines:  # between bodies: what is inside of one does not count
        a, b = line[1:-2], line[2:-1]
        for x0, y0, x1, y1 in np.hstack([np.minimum(a, b), np.maximum(a, b)]):
            assert not ((x1 > left) & (x0 < right) & (y1 > top) & (y0 < low)).any()
    boxes = [(*line.min(axis=0), *line.max(axis=0)) for line in lines]
    near = [np.array(side) for side in zip(*boxes, strict=True)]
    for k, (x0, y0, x1, y1) in enumerate(boxes):
        others = (near[2] >= x0) & (near[0] <= x1) & (near[3] >= y0) & (near[1] <= y1)
        for other in np.flatnonzero(others):
            assert other <= k or not cross(lines[k], lines[other])


def carrying(shape: str, count: int) -> kt.Model:
    """A chain, one with a body at every fifth, or a body that carries all others."""
    model = kt.Model(shape)
    inner = base = model.body("base", mass=1)
    model.fixed("base", model.ground, base)
    for k in range(count):
        link = model.body(f"link{k}", mass=1)
        where = base.point(f"at{k}", (k, 0, 0)) if shape == "fan" else inner.point("tip", (0, 0, 1))
        model.revolute(f"turn{k}", where, link)
        inner = link
        if shape == "caterpillar" and k % 5 == 4:
            model.prismatic(f"side{k}", link.point("side", (1, 0, 0)), model.body(f"s{k}", mass=1))
    return model


@pytest.mark.parametrize("shape", ["chain", "caterpillar", "fan"])
@pytest.mark.parametrize("count", [9, 40, 300])
def test_what_would_be_a_strip_is_folded(shape: str, count: int) -> None:
    """A long chain goes on in further lines, many bodies on one stand in rows: as high as wide."""
    model = carrying(shape, count)
    left, top, right, low = extent(diagram_of(model))
    assert 0.5 < (right - left) / (low - top) < 2.5
    is_plain(model)


@pytest.mark.parametrize("shape", ["chain", "caterpillar", "fan"])
def test_one_body_more_moves_no_other(shape: str) -> None:
    before, after = (diagram_of(carrying(shape, count)).bodies for count in (201, 202))
    places = {body.name: body for body in after}
    moved = [(body.x - places[body.name].x, body.y - places[body.name].y) for body in before]
    assert {x for x, _ in moved} == {0}
    assert max(abs(y) for _, y in moved) <= 2  # what carries stays in the middle


def test_two_arms_on_one_body_are_folded() -> None:
    model = kt.Model("arms")
    base = model.body("base", mass=1)
    model.fixed("base", model.ground, base)
    for arm in range(2):
        inner = base
        for k in range(9):
            link = model.body(f"link{arm}{k}", mass=1)
            model.revolute(f"turn{arm}{k}", inner.point(f"tip{arm}", (0, 0, 1)), link)
            inner = link
    left, top, right, low = extent(diagram_of(model))
    assert 0.5 < (right - left) / (low - top) < 3
    is_plain(model)


NAMED = ("andrews", "bricard", "four_bar", "piano_action", "quarter_car", "slider_crank", "stewart")


@pytest.mark.parametrize("name", NAMED)
def test_names_of_ties_stand_beside_bodies_and_each_other(name: str) -> None:
    """Lines of several closures between the same bodies keep apart, and nothing hides a name."""
    found = diagram_of(kt.load(MODELS[0].parent / f"{name}.yaml"))
    places = {body.name: body for body in found.bodies}
    ties = [tie for tie in found.ties if between(tie)]
    boxes = [tie_name_box(t, *along(tie_corners(t, places), t.share)) for t in ties]
    boxes += map(body_box, found.bodies)
    for k, box in enumerate(boxes[: len(ties)]):
        for other in boxes[k + 1 :]:
            assert min(box[2], other[2]) - max(box[0], other[0]) <= GRID or (
                min(box[3], other[3]) - max(box[1], other[1]) <= GRID
            )
    middles = [along(tie_corners(tie, places), 0.5) for tie in ties]
    assert len(set(middles)) == len(middles)


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
            found.append(walked(path))
    return found


def walked(path: str) -> np.ndarray:
    """Places along a line of level and upright pieces and a cubic curve."""
    places: list[np.ndarray] = []
    for letter, said in re.findall(r"([MHVC])([^MHVC]*)", path):
        numbers = np.array(said.split(), float)
        if letter == "C":
            corners = np.vstack([places[-1], numbers.reshape(3, 2)])
            weights = [PARTS**k * (1 - PARTS) ** (3 - k) * (1, 3, 3, 1)[k] for k in range(4)]
            places += list((np.transpose(weights) @ corners)[1:])
        else:
            at = places[-1].copy() if places else np.zeros(2)
            at[{"M": slice(None), "H": 0, "V": 1}[letter]] = (
                numbers if letter == "M" else numbers[0]
            )
            places.append(at)
    return np.array(places)


def cross(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two lines cross, or one of two that run to the right is now above, now below."""
    if (np.diff(one[:, 0]) < 0).any() or (np.diff(other[:, 0]) < 0).any():
        return meet(one, other)
    if (np.diff(one[:, 0]) == 0).any() or (np.diff(other[:, 0]) == 0).any():
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


def test_lines_go_along_their_lanes_when_another_body_is_moved() -> None:
    """Of many bodies on one, the first of a row is put elsewhere: the others stay as they were."""
    model = carrying("fan", 40)
    before = {row.name: row for row in diagram_of(model).joints}
    moved = next(row for row in before.values() if row.parent == "base").child
    model.layout = {"diagram": {moved: [200, 0]}}
    after = {row.name: row for row in diagram_of(model).joints}
    assert any(row.lane for row in before.values())
    for name, row in after.items():
        assert row.lane == before[name].lane or row.child == moved
