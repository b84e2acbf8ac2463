"""What panes get: the drawing as data, forms from the tables, scenes by difference, poses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.approx import CLOSED, COARSE_RUN, IDENTITY, assert_close
from tests.studio.conftest import MODELS

import kinetree as kt
from kinetree.constraints import ALL as CLOSURES
from kinetree.errors import KinetreeError
from kinetree.forces import ALL as FORCES
from kinetree.formats import schema_kinds
from kinetree.formats.edits.operations import OPERATIONS, rename, set_value
from kinetree.formats.yaml_file import read
from kinetree.joints import ALL as JOINTS
from kinetree.model import JointKind, Turn, retract
from kinetree.studio.messages import DragMessage, PoseMessage
from kinetree.studio.panes import catalogue as catalogues
from kinetree.studio.panes.catalogue import catalogue
from kinetree.studio.panes.checks import check
from kinetree.studio.panes.diagrams import diagram_message
from kinetree.studio.panes.posing import closed_pose
from kinetree.studio.panes.scenes import SceneMemory
from kinetree.studio.panes.values import values_message
from kinetree.view.diagram.content import diagram_of
from kinetree.view.diagram.svg import svg
from kinetree.view.poses import poses
from kinetree.view.quaternions import matrices

SHIPPED = sorted(path.stem for path in MODELS.glob("*.yaml"))


def text_of(name: str) -> str:
    return (MODELS / f"{name}.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", SHIPPED)
def test_the_drawing_is_the_whole_topology_and_the_same_bytes(name: str) -> None:
    text = text_of(name)
    made = diagram_message(text, 3)
    assert made.model_dump_json() == diagram_message(text, 3).model_dump_json()
    model = read(text)
    assert [row.name for row in made.bodies] == ["ground", *model.bodies]
    assert {row.name for row in made.joints} == set(model.joints)
    assert {r.name for r in made.ties} >= {*model.closures, *model.forces, *model.wrenches}
    for row in made.joints:
        joint = model.joints[row.name]
        assert row.points == [joint.parent.name, joint.child.name]  # type: ignore[union-attr]
        assert len(row.steps) == max(1, len(joint.motions))
    for tie in made.ties:
        if tie.section == "closures":
            assert tie.equations == len(model.closures[tie.name].conditions)
    if model.closures:
        found = kt.partition(model)
        roles = {name: made.roles[name] for name in model.velocities if name in made.roles}
        assert {n for n, role in roles.items() if role == "independent"} == set(found.independent)
        assert set(model.coordinates) <= set(made.roles)


def test_every_kind_is_in_the_palette_with_its_fields() -> None:
    found = {(row.section, row.kind): row for row in catalogue().kinds}
    for section, kinds in (("joints", JOINTS), ("closures", CLOSURES), ("forces", FORCES)):
        for kind in kinds:
            row = found[section, kind.name]
            fields = {field.name for field in row.fields}
            assert fields >= {*kind.options, *kind.labels}
            assert row.text
            assert all(field.text for field in row.fields)
    universal = found["joints", "universal"]
    assert [step.sign for step in universal.steps] == ["R1", "R2"]
    mass = next(field for field in found["bodies", ""].fields if field.name == "mass")
    assert (mass.form, mass.unit) == ("expression", "kg")
    assert set(catalogue().operations) == set(OPERATIONS)


def test_a_new_joint_appears_by_its_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row of the table of joints is all that the palette needs."""
    wobble = JointKind("wobble", lambda _, __: (Turn((1.0, 0.0, 0.0)), Turn((0.0, 0.0, 1.0))))
    section = schema_kinds.kind_section(wobble, schema_kinds.JointSection, ())
    schema = section.model_json_schema()
    monkeypatch.setitem(schema_kinds.JOINT_MODELS, "wobble", section)
    monkeypatch.setitem(schema_kinds.ROWS, section.__name__, wobble)
    whole = catalogues.json.loads(catalogues.json_schema())
    whole["$defs"][section.__name__] = schema
    monkeypatch.setattr(catalogues, "json_schema", lambda: catalogues.json.dumps(whole))
    catalogue.cache_clear()
    try:
        (row,) = (row for row in catalogue().kinds if row.kind == "wobble")
    finally:
        catalogue.cache_clear()
    assert [step.sign for step in row.steps] == ["R1", "R3"]
    assert {field.name for field in row.fields} >= {"parent", "child", "initial"}


def test_a_scene_is_told_by_its_difference(tmp_path: Path) -> None:
    memory, text = SceneMemory(), text_of("quarter_car")
    whole = memory.message(text, 0, tmp_path, None)
    model = read(text)
    assert [row.name for row in whole.bodies] == whole.names == ["ground", *model.bodies]
    assert_close(np.array(whole.poses), poses(model, [kt.partition(model).q])[0], IDENTITY)
    assert len(whole.axes) == sum(len(joint.motions) for joint in model.body_joints)
    text = set_value(text, ("bodies", "wheel", "mass"), 40)
    assert not memory.message(text, 1, tmp_path, 0).bodies
    text = set_value(text, ("bodies", "wishbone", "com", 0), 0.123)
    text = rename(text, ("bodies", "wheel"), "rim")
    changed = memory.message(text, 2, tmp_path, 1)
    assert (changed.since, [row.name for row in changed.bodies]) == (1, ["rim"])
    assert memory.message(text, 3, tmp_path, 77).since is None  # nobody knows 77: the whole


def drag(text: str, body: str, to: Any, **more: Any) -> Any:
    return closed_pose(text, 0, PoseMessage(drag=DragMessage(body=body, to=list(to), **more)))


@pytest.mark.parametrize(("name", "body"), [("four_bar", "coupler"), ("stewart", "piston6"),
                                            ("limousine", "RL_bar")])  # fmt: skip
def test_a_pulled_body_takes_the_mechanism_along_and_loops_stay_closed(
    name: str, body: str
) -> None:
    text = text_of(name)
    model = read(text)
    start = kt.partition(model).q
    at = np.array([0.05, 0.02, 0.0])
    number = list(model.bodies).index(body)
    there = _place(model, retracted(model, start), number, at)  # some place that can be reached
    found = drag(text, body, there, at=at.tolist())
    assert found.left < COARSE_RUN
    q = np.array(list(found.q.values()))
    assert_close(kt.assemble(model, q.tolist()).q, q, CLOSED)  # closed already: nothing moves
    assert_close(np.array(found.poses), poses(model, [q])[0], IDENTITY)
    for operation, *arguments in found.operations:
        text = OPERATIONS[operation](text, *arguments)
    assert_close(read(text).initial(), q, CLOSED)


def retracted(model: Any, q: Any) -> Any:
    """A closed configuration near q."""
    free = kt.partition(model).independent
    moved = retract(model, q, [0.05 if n in free else 0.0 for n in model.velocities])
    return kt.assemble(model, moved.tolist(), independent=list(free)).q


def _place(model: Any, q: Any, number: int, at: Any) -> Any:
    row = poses(model, [q])[0][number]
    return matrices(row[None, :4])[0] @ at + row[4:]


def test_a_pose_holds_what_it_is_told_and_names_what_it_does_not_know() -> None:
    text = text_of("four_bar")
    first = read(text).coordinates[0]
    found = closed_pose(text, 0, PoseMessage(start={first: 0.8}, hold=[first]))
    assert found.q[first] == 0.8
    for bad in ({"start": {"nobody": 1.0}}, {"hold": ["nobody"]},
                {"drag": {"body": "nobody", "to": [0, 0, 0]}}):  # fmt: skip
        with pytest.raises(KinetreeError, match="nobody"):
            closed_pose(text, 0, PoseMessage.model_validate(bad))


def test_expressions_have_their_values() -> None:
    found = values_message(text_of("four_bar"), 0).values
    assert found["bodies.crank.com.0"] == pytest.approx(0.05)
    text = text_of("four_bar").replace("com: [", "com: [q_crank + ", 1)
    assert "bodies.crank.com.0" not in values_message(text, 0).values


LOOSE = "name: a\ngravity: [0, 0, 0]\nbodies: {a: {mass: 1}, b: {mass: 1}, c: {mass: 1}}\njoints:\n"


@pytest.mark.parametrize(("joints", "said"), [
    ("  p: {kind: revolute, parent: a, child: ground}\n", "its child is the ground"),
    ("  p: {kind: revolute, parent: a, child: a}\n", "parent and child are the same body"),
    ("  p: {kind: revolute, parent: a, child: b}\n  q: {kind: revolute, parent: b, child: a}\n",
     "form a cycle that is not connected to the ground"),
])  # fmt: skip
def test_joints_that_go_the_wrong_way_are_drawn_and_told(joints: str, said: str) -> None:
    drawn = diagram_message(LOOSE + joints, 0)
    assert [body.name for body in drawn.bodies] == ["ground", "a", "b", "c"]
    assert len({(body.x, body.y) for body in drawn.bodies}) == 4
    assert len(drawn.joints) == joints.count("\n")
    assert svg(diagram_of(read(LOOSE + joints))).startswith("<svg")
    assert any(said in row.problem for row in check(LOOSE + joints).findings)


def test_a_kind_that_is_no_word_is_a_finding_and_no_obstacle() -> None:
    text = LOOSE + "  p: {kind: {a: 1}, parent: ground, child: a}\n"
    values_message(text, 0)
    assert any("kind" in row.element + row.problem for row in check(text).findings)
