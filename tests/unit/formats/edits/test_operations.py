"""Edits one by one, on texts as people write them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import kinetree as kt
from kinetree.errors import FormatError
from kinetree.formats.edits import operations
from kinetree.formats.edits.operations import duplicate, enable, move, set_value, unset_value
from kinetree.formats.edits.splices import Splice
from kinetree.formats.yaml_file import read
from kinetree.formats.yaml_plain import read_plain
from kinetree.model import to_data

SHIPPED = (Path(__file__).resolve().parents[4] / "examples" / "models").glob("*.yaml")
MODELS = sorted(file for file in SHIPPED if file.stat().st_size < 25_000)
"""Without files of hundreds of elements, each of which would be renamed."""

MACHINE = """\
# a machine with a name for everything
kinetree: 1
name: machine
parameters: {k: 100, kk: 3, arm_k: 2}
tables:
  push: {knots: [0, 1], values: [0, 5]}
  pushy: {knots: [0, 1], values: [0, 5]}
ground: {points: {hook: [0, 0, 1]}}
bodies:
  arm:   # carries the tip
    mass: "k / 50"
    com: [0.5, 0, 0]
    inertia: [0, 0.1, 0.1]
    points: {tip: [1, 0, 0], tipp: [1, 0, 0.1]}
  arm_2: {mass: 1, inertia: [1, 1, 1], points: {tip: [0, "arm_k", 0]}}
joints:
  arm: {kind: revolute, parent: ground, child: arm, axis: y}
  arm_2: {kind: universal, parent: arm.tip, child: arm_2, axes: [x, z]}
states:
  heat: {rate: "k*qd_arm - x_heat + kk*x_heater"}
  heater: {held: true}
clocks: {beat: 0.1}
forces:
  spring:
    kind: link
    first: arm.tip   # the end
    second: ground.hook
    law: "k*(length - 1) + table_push(length) + table_pushy(length)"
  motor: {kind: joint_law, joint: arm_2_1, law: "-kk*q_arm_2_1 - k*q_arm"}
outputs:
  load: spring.force
  loads: "2*load + spring.rate + arm_k"
events:
  hot: {when: "x_heat - load", then: {x_heater: 1, qd_arm: "-0.5*qd_arm"}}
vary: [arm.com_x, k, arm.tip_x]
shapes:
  arm: [{kind: box, size: [1, 0.1, 0.1]}]
layout: {diagram: {arm: [1, 2], spring: [3, 4]}}
"""


RENAMED = {
    ("bodies", "arm"): [
        "  lever:   # carries the tip",
        "  arm: {kind: revolute, parent: ground, child: lever, axis: y}",
        "  arm_2: {kind: universal, parent: lever.tip, child: arm_2, axes: [x, z]}",
        "    first: lever.tip   # the end",
        "vary: [lever.com_x, k, lever.tip_x]",
        "  lever: [{kind: box, size: [1, 0.1, 0.1]}]",
        "layout: {diagram: {lever: [1, 2], spring: [3, 4]}}",
    ],
    ("bodies", "arm", "points", "tip"): [
        "    points: {lever: [1, 0, 0], tipp: [1, 0, 0.1]}",
        "  arm_2: {kind: universal, parent: arm.lever, child: arm_2, axes: [x, z]}",
        "    first: arm.lever   # the end",
        "vary: [arm.com_x, k, arm.lever_x]",
    ],
    ("joints", "arm"): [
        "  lever: {kind: revolute, parent: ground, child: arm, axis: y}",
        "  heat: {rate: k*qd_lever - x_heat + kk*x_heater}",
        "  motor: {kind: joint_law, joint: arm_2_1, law: -kk*q_arm_2_1 - k*q_lever}",
        '  hot: {when: "x_heat - load", then: {x_heater: 1, qd_lever: -0.5*qd_lever}}',
    ],
    ("joints", "arm_2"): [
        "  lever: {kind: universal, parent: arm.tip, child: arm_2, axes: [x, z]}",
        "  motor: {kind: joint_law, joint: lever_1, law: -kk*q_lever_1 - k*q_arm}",
    ],
    ("parameters", "k"): [
        "parameters: {lever: 100, kk: 3, arm_k: 2}",
        "    mass: lever / 50",
        "  heat: {rate: lever*qd_arm - x_heat + kk*x_heater}",
        "    law: lever*(length - 1) + table_push(length) + table_pushy(length)",
        "  motor: {kind: joint_law, joint: arm_2_1, law: -kk*q_arm_2_1 - lever*q_arm}",
        "vary: [arm.com_x, lever, arm.tip_x]",
    ],
    ("states", "heat"): [
        "  lever: {rate: k*qd_arm - x_lever + kk*x_heater}",
        '  hot: {when: x_lever - load, then: {x_heater: 1, qd_arm: "-0.5*qd_arm"}}',
    ],
    ("tables", "push"): [
        "  lever: {knots: [0, 1], values: [0, 5]}",
        "    law: k*(length - 1) + table_lever(length) + table_pushy(length)",
    ],
    ("forces", "spring"): [
        "  lever:",
        "  load: lever.force",
        "  loads: 2*load + lever.rate + arm_k",
        "layout: {diagram: {arm: [1, 2], lever: [3, 4]}}",
    ],
    ("outputs", "load"): [
        "  lever: spring.force",
        "  loads: 2*lever + spring.rate + arm_k",
        '  hot: {when: x_heat - lever, then: {x_heater: 1, qd_arm: "-0.5*qd_arm"}}',
    ],
}


@pytest.mark.parametrize("path", RENAMED, ids=".".join)
def test_a_new_name_reaches_every_place_and_no_other(path: tuple[str, ...]) -> None:
    made = operations.rename(MACHINE, path, "lever")
    old = set(MACHINE.splitlines())
    assert [line for line in made.splitlines() if line not in old] == RENAMED[path]
    assert len(made.splitlines()) == len(MACHINE.splitlines())
    assert read(made).nq == read(MACHINE).nq


RUNS = """\
runs:
  fall:
    analysis: simulate
    options: {q: "arm=0.02, arm_2_1=-1e-3, k=0", tau: arm=1, x: "heat=3, heater=1", set: "k=5, kk=6, arm.com_x=0.4", method: arm, output: "spring.force, load, arm.tip_x"}
  best:
    analysis: optimise
    options: {objective: "arm = rms(2*q_arm + k*loads - x_heat)", over: "k=1:2, arm_k=0:1", independent: "arm, arm_2_2"}
  gradient: {analysis: sensitivity, options: {by: "q0.arm, k, qd0.arm_2_1, spring.rate", measures: "load = peak(load); p = rms(table_push(q_arm))", joint: arm_2, bodies: "arm, arm_2", input: tau_arm}}
"""  # noqa: E501  one line each, as rename keeps them
SPOKEN = {
    ("joints", "arm"): [
        ("q", "lever=0.02, arm_2_1=-1e-3, k=0"), ("tau", "lever=1"),
        ("objective", "arm = rms(2*q_lever + k*loads - x_heat)"),
        ("independent", "lever, arm_2_2"), ("by", "q0.lever, k, qd0.arm_2_1, spring.rate"),
        ("input", "tau_lever"), ("measures", "load = peak(load); p = rms(table_push(q_lever))"),
    ],
    ("bodies", "arm"): [
        ("set", "k=5, kk=6, lever.com_x=0.4"), ("output", "spring.force, load, lever.tip_x"),
        ("bodies", "lever, arm_2"),
    ],
    ("bodies", "arm", "points", "tip"): [("output", "spring.force, load, arm.lever_x")],
    ("joints", "arm_2"): [
        ("q", "arm=0.02, lever_1=-1e-3, k=0"), ("independent", "arm, lever_2"),
        ("by", "q0.arm, k, qd0.lever_1, spring.rate"), ("joint", "lever"),
    ],
    ("parameters", "k"): [
        ("set", "lever=5, kk=6, arm.com_x=0.4"),
        ("objective", "arm = rms(2*q_arm + lever*loads - x_heat)"),
        ("over", "lever=1:2, arm_k=0:1"), ("by", "q0.arm, lever, qd0.arm_2_1, spring.rate"),
    ],
    ("states", "heat"): [
        ("x", "lever=3, heater=1"), ("objective", "arm = rms(2*q_arm + k*loads - x_lever)"),
    ],
    ("forces", "spring"): [
        ("output", "lever.force, load, arm.tip_x"),
        ("by", "q0.arm, k, qd0.arm_2_1, lever.rate"),
    ],
    ("tables", "push"): [("measures", "load = peak(load); p = rms(table_lever(q_arm))")],
    ("outputs", "load"): [
        ("output", "spring.force, lever, arm.tip_x"),
        ("measures", "load = peak(lever); p = rms(table_push(q_arm))"),
    ],
}  # fmt: skip
"""Element -> options of runs that speak of it, with its new name."""


@pytest.mark.parametrize("path", SPOKEN, ids=".".join)
def test_a_new_name_reaches_settings_of_runs(path: tuple[str, ...]) -> None:
    made = read_plain(operations.rename(MACHINE + RUNS, path, "lever"), "the text").data["runs"]
    before = read_plain(RUNS, "the text").data["runs"]
    changed = {
        (name, value)
        for run in before
        for name, value in made[run]["options"].items()
        if value != before[run]["options"][name]
    }
    assert changed == set(SPOKEN[path])
    gone = operations.remove_with_dependents(MACHINE + RUNS, path)
    assert list(read_plain(gone, "the text").data["runs"]) == list(before)


@pytest.mark.parametrize("file", MODELS, ids=lambda file: file.stem)
def test_elements_of_the_shipped_models_are_renamed_there_and_back(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    data = read_plain(text, "the text").data
    before = to_data(read(text))
    for section in ("bodies", "joints", "closures", "forces", "parameters", "states"):
        for name in list(data.get(section) or ())[:2]:
            made = operations.rename(text, (section, name), "quite_new")
            assert to_data(read(made)) != before
            back = operations.rename(made, (section, "quite_new"), name)
            assert to_data(read(back)) == before


def test_saving_changes_the_lines_of_what_changed(tmp_path: Path) -> None:
    file = tmp_path / "machine.yaml"
    file.write_bytes(MACHINE.replace("\n", "\r\n").encode())
    model = kt.load(file)
    model.bodies["arm_2"].point("end", (1, 2, 3))
    kt.save(model, file)
    lines = file.read_bytes().decode().split("\r\n")
    changed = [line for line in lines if line not in MACHINE.splitlines() and line]
    assert changed == [
        '  arm_2: {mass: 1, inertia: [1, 1, 1], points: {tip: [0, "arm_k", 0], end: [1, 2, 3]}}'
    ]
    assert len(lines) == len(MACHINE.split("\n"))


def test_a_comment_behind_a_value_stays() -> None:
    text = "a: 1  # one\nb:  # two\n  c: 3\n  d: 4\ne: {f: 5}  # three\n"
    assert set_value(text, ["a"], {"x": {"y": 1}, "z": 2}) == (
        "a:  # one\n  x: {y: 1}\n  z: 2\nb:  # two\n  c: 3\n  d: 4\ne: {f: 5}  # three\n"
    )
    assert set_value(text, ["b"], 7) == "a: 1  # one\nb: 7  # two\ne: {f: 5}  # three\n"
    assert set_value(text, ["e", "g"], "x, y") == text.replace("{f: 5}", "{f: 5, g: 'x, y'}")


def test_what_aliases_share_is_written_out_before_one_of_them_changes() -> None:
    text = "a: &A {m: 1, n: [2, 3]}\nb: *A\nc:\n  <<: *A\n  m: 5\nd: 4\n"
    data = read_plain(text, "the text").data
    for path, value in (
        (("a", "m"), 9),
        (("b", "m"), 9),
        (("c", "n"), [1]),
        (("b",), 3),
        (("d",), 5),
    ):
        made = set_value(text, path, value)
        wanted = read_plain(text, "the text").data
        holder = wanted
        for step in path[:-1]:
            holder = holder[step]
        holder[path[-1]] = value
        assert read_plain(made, "the text").data == wanted
    assert set_value(text, ["d"], 5) == text.replace("d: 4", "d: 5")
    assert data["c"] == {"m": 5, "n": [2, 3]}


def test_sections_come_in_their_usual_order() -> None:
    text = "name: m\nbodies: {a: {mass: 1}}\nforces: {}\n"
    made = operations.add(text, "joints", "j", {"kind": "weld", "parent": "ground", "child": "a"})
    assert list(read_plain(made, "m").data) == ["name", "bodies", "joints", "forces"]
    made = operations.add(made, "bodies", "b", {"mass": 2}, after="")
    assert "bodies: {b: {mass: 2}, a: {mass: 1}}" in made


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (lambda t: operations.unset_value(t, ["bodies", "amr"]), "did you mean 'arm'"),
        (lambda t: operations.rename(t, ["bodies", "arm"], "arm_2"), "there is one already"),
        (lambda t: operations.add(t, "bodies", "arm", {}), "there is one already"),
        (lambda t: operations.duplicate(t, ["joints", "arm"], "arm_2"), "there is one already"),
        (lambda t: Splice(3, "xyz", "").apply(t), "not the one that the edit was"),
    ],
)  # fmt: skip
def test_edits_that_cannot_be_made_say_why(edit: object, sentence: str) -> None:
    with pytest.raises(FormatError, match=sentence):
        edit(MACHINE)  # type: ignore[operator]


def test_a_switched_off_element_stays_in_the_file_and_every_run_says_so(tmp_path: Path) -> None:
    file = tmp_path / "machine.yaml"
    text = MACHINE.replace("outputs:\n  load: spring.force\n", "outputs:\n  load: 3*k\n")
    text = text.replace(" + spring.rate", "")
    file.write_text(operations.enable(text, ["forces", "spring"], on=False), encoding="utf-8")
    model = kt.load(file)
    assert list(model.forces) == ["motor"]
    run = kt.simulate(model, 0.01)
    assert run.attrs["switched_off"] == "forces.spring"
    before = file.read_bytes()
    kt.save(model, file)
    assert file.read_bytes() == before
    kt.save(model, tmp_path / "other.yaml")
    assert kt.load(tmp_path / "other.yaml").switched_off == model.switched_off
    file.write_text(operations.enable(file.read_text(), ["forces", "spring"], on=True))
    assert "switched_off" not in kt.simulate(kt.load(file), 0.01).attrs


def test_what_speaks_of_a_switched_off_element_is_told_so() -> None:
    text = operations.enable(MACHINE, ["bodies", "arm_2"], on=False)
    with pytest.raises(FormatError, match=r"switch bodies\.arm_2 on, or this off"):
        read(text)
    with pytest.raises(FormatError, match=r"switch outputs\.load on, or this off"):
        read(operations.enable(MACHINE, ["outputs", "load"], on=False))


ANCHORED = """\
bodies:
  a: {mass: 1, inertia: &round [0.1, 0.1, 0.1]}
  b: {mass: 2, inertia: *round}  # the same
forces:
  first: &soft
    kind: link
    stiffness: 5
  second:
    <<: *soft
    length: 2
  third: {<<: *soft, length: 3}
"""


@pytest.mark.parametrize(
    ("path", "after"),
    [(("bodies", "b"), ""), (("bodies", "a"), "b"), (("forces", "first"), "third"),
     (("forces", "second"), ""), (("forces", "third"), "")],
)  # fmt: skip
def test_no_alias_is_moved_before_its_anchor(path: tuple[str, str], after: str) -> None:
    data = read_plain(ANCHORED, "the text").data
    made = operations.move(ANCHORED, path, after)
    found = read_plain(made, "the text").data
    assert found == data
    names = list(found[path[0]])
    assert names[names.index(after) + 1 if after else 0] == path[1]


def test_a_move_behind_the_anchor_keeps_the_alias() -> None:
    assert "*soft" in operations.move(ANCHORED, ("forces", "second"), "third")


def test_new_entries_leave_what_is_shared_beside_them() -> None:
    made = operations.duplicate(ANCHORED, ("forces", "second"), "fourth")
    assert read_plain(made, "the text").data["forces"]["fourth"]["stiffness"] == 5
    lines = made.split("\n")
    assert all(line in lines for line in ANCHORED.split("\n"))


MERGED = "bodies:\n  a: &b\n    mass: 1\n    com: &c\n    - 0\n    - 1\n  d: {<<: *b, mass: 2}\n"


@pytest.mark.parametrize(
    ("edit", "wanted"),
    [
        (lambda t: unset_value(t, ["bodies", "d", "mass"]), {"com": [0, 1]}),
        (lambda t: set_value(t, ["bodies", "d"], {"mass": 3}), {"mass": 3}),
        (lambda t: set_value(t, ["bodies", "a"], {"mass": 9}), {"mass": 2, "com": [0, 1]}),
        (lambda t: set_value(t, ["bodies", "a"], 3), {"mass": 2, "com": [0, 1]}),
        (lambda t: set_value(t, ["bodies", "a", "com"], [1]), {"mass": 2, "com": [0, 1]}),
    ],
    ids=["unset", "set", "set what is merged", "a number", "a list"],
)
def test_what_is_merged_does_not_come_back(edit: Any, wanted: object) -> None:
    made = read_plain(edit(MERGED), "it").data["bodies"]
    assert made["d"] == wanted


def test_lines_of_any_end_are_edited_and_moved() -> None:
    """Returns alone, as on old machines, and a last line without an end."""
    text = "bodies:\n  a:\n    mass: 1  # kg\n  b: {mass: 2}  # last"
    for end in ("\n", "\r\n", "\r"):
        old = text.replace("\n", end)
        assert set_value(old, ["bodies", "a"], 3) == old.replace(f":{end}    mass: 1  # kg", ": 3")
        moved = move(old, ["bodies", "b"], "")
        wanted = "bodies:\n  b: {mass: 2}  # last\n  a:\n    mass: 1  # kg"
        assert moved == wanted.replace("\n", end)
        assert move(moved, ["bodies", "a"], "") == text.replace("\n", end)


def test_comments_between_brackets_are_moved() -> None:
    text = "bodies: {a: {mass: 1, # of a\n  com: [0, 0, 1]},\n  b: {mass: 2}}\n"
    moved = move(text, ["bodies", "a"], "b")
    assert "# of a\n" in moved
    assert list(read_plain(moved, "it").data["bodies"]) == ["b", "a"]


def test_an_element_without_fields_is_switched_off() -> None:
    text = "bodies:\n  a:\n  b: {mass: 1}\n"
    off = enable(text, ["bodies", "a"], False)
    assert read_plain(off, "it").data["bodies"]["a"] == {"off": True}
    assert "off" not in enable(off, ["bodies", "a"], True)


def test_entries_with_question_marks_are_not_taken_apart() -> None:
    text = "bodies:\n  ? a\n  : mass: 1\n  ? b\n  : {mass: 2}\n"
    for edit in (
        lambda: duplicate(text, ["bodies", "a"], "c"),
        lambda: move(text, ["bodies", "a"], "b"),
        lambda: unset_value(text, ["bodies", "b"]),
    ):
        with pytest.raises(FormatError, match="not written as name: value, on line"):
            edit()
