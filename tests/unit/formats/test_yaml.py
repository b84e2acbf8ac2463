"""YAML model files: rules of YAML 1.2, all mistakes at once, stable text, no code."""

from __future__ import annotations

import pytest

import kinetree as kt
from kinetree.errors import FormatError
from kinetree.formats import yaml_file
from kinetree.formats.yaml_file import parse_yaml, read, write


def said(text):
    with pytest.raises(FormatError) as caught:
        read(text)
    return str(caught.value).splitlines()


def test_a_sound_file(arm):
    model = read(arm)
    assert model.coordinates == ["shoulder", "elbow"]
    assert model.findings() == ()
    assert model.bodies["upper"].com[2] is -model.parameters["L"].symbol / 2
    assert model.gravity == (0, 0, -9.81)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 1e-3),
        ("1E+3", 1e3),
        ("no", "no"),
        ("on", "on"),
        ("12:30", "12:30"),
        ("2001-12-14", "2001-12-14"),
        ("2001-12-14t21:59:43.10-05:00", "2001-12-14t21:59:43.10-05:00"),
        ("0o17", 15),
        ("017", 17),
        ("true", True),
        ("~", None),
        ("1.", 1.0),
    ],
)
def test_rules_of_yaml_1_2(text, value):
    found = parse_yaml(f"a: {text}", "t")["a"]
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: !!python/object/apply:os.system [id]", "t, line 1: this is not plain YAML: could not"),
        ("a: !thing 3", "t, line 1: this is not plain YAML"),
        ("a: [1, 2", "t, line 1: this is not plain YAML"),
        ("a: 1\n---\nb: 2", "t"),
        ("a: 1\na: 2", "t, line 2: the name 'a' stands twice in one section; give every"),
        ("1: a\n'1': b", "t, line 2: the name '1' stands twice in one section"),
        ("%YAML 1.1\n---\na: no", "t, line 1: it has a YAML directive; remove the line with %."),
        ("a: &x [1, *x]", "t: its aliases unfold without end; write the repeated parts out."),
        ("[" * 1500, "t, line 1: its values are nested more than 200 deep"),
    ],
)
def test_what_is_no_plain_yaml(text, words):
    with pytest.raises(FormatError) as caught:
        parse_yaml(text, "t")
    assert str(caught.value).startswith(words)
    assert "\n" not in str(caught.value)


def test_aliases_that_multiply_without_end():
    levels = "\n".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12))
    with pytest.raises(FormatError, match="its aliases unfold without end"):
        parse_yaml(f"a0: &a0 [1]\n{levels}", "t")


def test_aliases_may_share_plain_parts(arm):
    text = arm.replace("inertia: [0.1, 0.1, 0.02]", "inertia: &i [0.1, 0.1, 0.02]")
    text = text.replace("inertia: [0.08, 0.08, 0.01]", "inertia: *i")
    model = read(text)
    assert model.bodies["lower"].inertia == model.bodies["upper"].inertia


def test_all_unknown_fields_at_once_with_their_paths(arm):
    text = arm.replace("mass: 1.5", "masss: 1.5").replace("axis: y}", "axes: y}")
    text += "gravty: [0, 0, -9.81]\n"
    assert sorted(said(text)) == [
        "bodies.upper.masss, line 7: unknown field; did you mean 'mass'?",
        "gravty, line 19: unknown field; did you mean 'gravity'?",
        "joints.elbow.axes, line 18: unknown field; did you mean 'axis'?",
        "joints.shoulder.axes, line 17: unknown field; did you mean 'axis'?",
    ]


SENTENCES = {
    "unknown kind": (
        ("kind: revolute, parent: ground", "kind: revolut, parent: ground"),
        "joints.shoulder: there is no joint kind 'revolut'; did you mean 'revolute'?",
    ),
    "no kind": (
        ("kind: revolute, parent: ground", "parent: ground"),
        "joints.shoulder: the joint has no kind; ",
    ),
    "missing child": (
        ("child: upper, ", ""),
        "joints.shoulder.child: the field is missing; add it.",
    ),
    "misspelled body": (
        ("child: upper", "child: uper"),
        "joint 'shoulder' child: there is no body 'uper'; did you mean 'upper'?",
    ),
    "misspelled point": (
        ("parent: upper.tip", "parent: upper.top"),
        "joint 'elbow' parent: there is no point 'upper.top'; did you mean 'upper.tip'?",
    ),
    "misspelled parameter": (
        ("-L/2", "-Len/2"),
        "bodies.upper.com[2]: in '-Len/2', there is no parameter 'Len'; ",
    ),
    "unknown function": (
        ("-L/2", "-sinus(L)"),
        "bodies.upper.com[2]: in '-sinus(L)', the engine does not know the function 'sinus'; did",
    ),
    "not finite": (
        ("mass: 1.5", "mass: .nan"),
        "bodies.upper.mass: nan is not accepted; should be a finite number.",
    ),
    "no number": (
        ("mass: 1.5", "mass: true"),
        "bodies.upper.mass: True is not accepted; should be a number or an expression.",
    ),
    "short vector": (
        ("com: [0, 0, -0.5]", "com: [0, 0]"),
        "bodies.lower.com: [0, 0] is not accepted; list should have at least 3 items",
    ),
    "four inertias": (
        ("inertia: [0.1, 0.1, 0.02]", "inertia: [0.1, 0.1, 0.02, 0]"),
        "body 'upper' inertia: has 4 values; give 3 or 6 values.",
    ),
    "zero axis": (
        ("child: lower, axis: y", "child: lower, axis: [0, 0, 0]"),
        "joint 'elbow' axis: the axis has zero length; ",
    ),
    "odd axis": (
        ("child: lower, axis: y", "child: lower, axis: 3"),
        "joints.elbow.axis: 3 is not accepted; should be 'x', 'y', 'z' or a list of three numbers.",
    ),
    "text for a number": (
        ("{value: 0.8, unit: m}", "{value: big}"),
        "parameters.L.value: 'big' is not accepted; should be a number.",
    ),
    "unknown limit": (
        ("child: lower, axis: y", "child: lower, limits: {uper: 2}"),
        "joints.elbow.limits.uper: unknown field; did you mean 'upper'?",
    ),
    "unknown point field": (
        ("tip: [0, 0, -L]", "tip: {position: [0, 0, -L], rotatoin: 3}"),
        "bodies.upper.points.tip.rotatoin: unknown field; did you mean 'rotation'?",
    ),
    "two rotations": (
        ("tip: [0, 0, -L]", "tip: {rotation: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], rpy: [0, 0, 1]}"),
        "bodies.upper.points.tip: it has both rotation and rpy; keep one of them.",
    ),
    "later version": (
        ("name: arm", "name: arm\nkinetree: 2"),
        "kinetree: 2 is not accepted; should be 1.",
    ),
    "duplicate body": (
        ("  lower:\n", "  upper:\n"),
        "the file, line 12: the name 'upper' stands twice in one section",
    ),
}


@pytest.mark.parametrize("case", SENTENCES)
def test_bad_files(arm, case):
    (before, after), words = SENTENCES[case]
    assert before in arm
    lines = said(arm.replace(before, after, 1))
    if "line" not in words.partition(": ")[0]:
        at = arm[: arm.index(before)].count("\n") + 1 + after.count("\n")
        words = words.replace(": ", f", line {at}: ", 1)
    assert any(line.startswith(words) for line in lines), lines


def test_mistakes_of_several_elements_come_together(arm):
    text = arm.replace("-L/2", "-M/2").replace("child: lower", "child: lowr")
    lines = said(text)
    assert len(lines) == 2
    assert lines[0].startswith("bodies.upper.com[2], line 8: in '-M/2', there is no parameter 'M'")
    assert lines[1].startswith("joint 'elbow' child, line 18: there is no body 'lowr'")


@pytest.mark.parametrize(
    ("body", "cure"),
    [
        ("{mass: 1,5}", "if a decimal is meant, write it with a point, as in 1.5"),
        ("{mass: '1,5'}", "write 1.5"),
        ("\n    mass: -0,25", "write -0.25"),
    ],
)
def test_decimal_commas_are_recognised(body, cure):
    (line,) = said(f"kinetree: 1\nname: a\nbodies:\n  a: {body}\n")
    assert line.endswith(f"; {cure}.")


@pytest.mark.parametrize("text", ["", "3", "[1, 2]", "just words"])
def test_files_without_a_mapping(text):
    assert said(text) == ["the file: it holds no mapping; begin with 'name: …'."]


def test_saving_twice_gives_the_same_bytes(arm):
    once = write(read(arm))
    assert write(read(once)) == once
    assert read(once).content_hash() == read(arm).content_hash()


def test_expressions_keep_their_text(arm):
    assert "com: [0, 0, -L/2]" in write(read(arm))


def test_an_unchanged_model_leaves_the_text_alone(arm):
    assert write(read(arm), arm) == arm


def test_a_change_keeps_comments_and_the_rest(arm):
    model = read(arm)
    model.revolute("wrist", "lower", model.body("hand", 0.4, (0.1, 0, 0), (0.01, 0.01, 0.01)))
    changed = write(model, arm)
    assert "# a comment at the top" in changed
    assert "# measured" in changed
    lines = changed.splitlines()
    kept = [line for line in arm.splitlines() if line in lines]
    assert len(kept) >= len(arm.splitlines()) - 2
    assert read(changed).content_hash() == model.content_hash()


def test_a_removed_field_goes(arm):
    old = arm.replace("axis: y}", "axis: y, damping: 2}", 1)
    assert "damping" not in write(read(arm), old)
    assert write(read(old), old) == old


def test_another_order_of_joints_is_written_out(arm):
    lines = arm.splitlines(keepends=True)
    swapped = "".join([*lines[:-2], lines[-1], lines[-2]])
    model = read(swapped)
    assert model.coordinates == ["elbow", "shoulder"]
    assert read(write(model, arm)).coordinates == ["elbow", "shoulder"]


def test_rubbish_in_the_old_file_is_replaced(arm):
    assert write(read(arm), "][") == write(read(arm))


def test_shapes_and_layout_are_kept_verbatim(arm):
    extra = {"upper": [{"mesh": "package://a/b.stl", "scale": [1, 1, 0.001]}], "when": "2020-01-01"}
    model = read(arm)
    model.shapes, model.layout = extra, {"zoom": 1.5, "open": True, "note": "no"}
    again = read(write(model))
    assert again.shapes == extra
    assert again.layout == {"zoom": 1.5, "open": True, "note": "no"}


def test_settings_of_runs_are_kept(arm):
    kept = "runs:\n  fall: {analysis: simulate, options: {duration: 2, q: a=1, locate: true}}\n"
    model = read(arm + kept)
    assert model.runs["fall"]["options"] == {"duration": 2, "q": "a=1", "locate": True}
    assert write(model, arm + kept) == arm + kept
    assert read(write(model)).runs == model.runs
    with pytest.raises(FormatError, match="a number, a word or true"):
        read(arm + kept.replace("a=1", "[1]"))


def test_points_by_angles(arm):
    text = arm.replace(
        "tip: [0, 0, -L]", "tip: {position: [0, 0, -L], rpy: [1.5707963267948966, 0, 0]}"
    )
    assert read(text).point("upper.tip").rotation == ((1, 0, 0), (0, 0, -1), (0, 1, 0))
    assert read(write(read(text))).content_hash() == read(text).content_hash()


def test_fields_of_every_section(arm):
    text = (
        arm.replace("axis: y}", "axis: y, limits: {lower: -1}, initial: [0.2], friction: 1}", 1)
        .replace("child: lower, axis: y", "child: lower, mimic: {joint: shoulder, ratio: -1}")
        .replace("mass: 1.0", "mass: 1.0\n    physical: false")
    )
    text += "ground: {points: {wall: [1, 0, 0]}}\nwrenches: {push: {at: upper.tip, frame: world}}\n"
    model = read(text)
    assert model.joints["elbow"].mimic.ratio == -1
    assert model.joints["shoulder"].limits.lower == -1
    assert model.joints["shoulder"].initial == (0.2,)
    assert not model.bodies["lower"].physical
    assert model.point("ground.wall").position == (1, 0, 0)
    assert model.wrenches["push"].frame == "world"
    assert write(read(write(model))) == write(model)


def test_number_keys_are_names(arm):
    model = read(arm.replace("lower", "7"))
    assert "7" in model.bodies
    assert read(write(model)).content_hash() == model.content_hash()


def test_the_document_is_ordered(arm):
    assert list(yaml_file.document(read(arm)))[:3] == ["kinetree", "name", "gravity"]


def test_texts_of_a_file_are_written_only_while_they_mean_what_they_did(tmp_path):
    text = """
name: arm
parameters: {L: 0.4}
bodies:
  upper: {mass: 3/2 * 2, com: [L/2, 0, 0], inertia: [0.01, 0.04, 0.04]}
joints:
  shoulder: {kind: revolute, parent: ground, child: upper, axis: y}
forces:
  spring: {kind: joint_law, joint: shoulder, law: -5*(q_shoulder - L)}
"""
    (tmp_path / "arm.yaml").write_text(text)
    model = kt.load(tmp_path / "arm.yaml")
    kt.save(model, tmp_path / "same.yaml")
    assert "3/2 * 2" in (tmp_path / "same.yaml").read_text()
    assert "-5*(q_shoulder - L)" in (tmp_path / "same.yaml").read_text()
    del model.forces["spring"]
    model.joint_law("spring", "shoulder", lambda q: -7 * q["shoulder"])
    object.__setattr__(model.bodies["upper"], "mass", 3.5)
    kt.save(model, tmp_path / "new.yaml")
    again = kt.load(tmp_path / "new.yaml")
    assert again.bodies["upper"].mass == 3.5
    assert "L/2" in (tmp_path / "new.yaml").read_text()
    assert again.content_hash() == model.content_hash()
