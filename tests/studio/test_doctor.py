"""The loop doctor says what Python says, and derives anew only where the structure is another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.approx import IDENTITY, assert_close
from tests.studio.conftest import MODELS

import kinetree as kt
from kinetree.assembly import facts
from kinetree.formats.edits.operations import OPERATIONS, set_value
from kinetree.formats.yaml_file import read
from kinetree.studio.panes import doctor
from kinetree.studio.panes.checks import check
from kinetree.studio.panes.doctor import LoopDoctor, StructureEquations
from kinetree.view.poses import poses


def text_of(name: str) -> str:
    return (MODELS / f"{name}.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "bricard", "stewart", "quarter_car"])
def test_it_says_what_python_says(name: str) -> None:
    model = read(text_of(name))
    wanted = kt.partition(model)
    maker = LoopDoctor()
    for _ in range(2):  # interpreted, and by native code
        found = maker.report(model)
        assert found.partition is not None
        assert facts(found.partition) == facts(wanted)
        assert_close(found.q, wanted.q, IDENTITY)
        assert_close(found.poses, poses(model, [wanted.q])[0], IDENTITY)
        for equations in maker._kept.values():
            if not equations.is_of_one_model:
                equations._compile()


def test_a_changed_number_is_only_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    monkeypatch.setattr(
        doctor, "StructureEquations", lambda model: made.append(1) or StructureEquations(model)
    )
    maker, text = LoopDoctor(), text_of("quarter_car")
    for path, value, count in (
        (("bodies", "chassis", "mass"), 400, 1),
        (("bodies", "chassis", "points", "wishbone", 1), -0.4013, 1),
        (("parameters", "stiffness", "value"), 9e4, 1),
        (("joints", "spin", "initial"), [0.1], 1),
        (("bodies", "chassis", "points", "wishbone", 0), 0, 2),  # a zero is folded
        (("joints", "spin", "axis"), "-y", 3),
    ):
        text = set_value(text, path, value)
        model = read(text)
        found = maker.report(model)
        assert len(made) == count, path
        assert found.partition is not None
        assert_close(found.q, kt.partition(model).q, IDENTITY)
        assert np.isfinite(found.poses).all()


def test_equations_that_always_hold_are_looked_at_again() -> None:
    """The z of a planar loop: no coordinate changes it, but other numbers open it."""
    text = text_of("slider_crank").replace("tip: [1, 0, 0]", "tip: [1, 0, 0.3]")
    text = text.replace("parent: ground, child: slider", "parent: ground.rail, child: slider")
    text = text.replace("bodies:\n", "ground: {points: {rail: [0, 0, 0.3]}}\nbodies:\n", 1)
    assert check(text).loops["mobility"] == 1
    bad = check(text.replace("rail: [0, 0, 0.3]", "rail: [0, 0, 0.4]"))
    assert [row.severity for row in bad.findings] == ["error"]
    assert bad.findings[0].path[:2] == ["closures", "pin"]


def test_a_loop_that_stays_open_is_told_with_its_gap() -> None:
    text = text_of("four_bar").replace("b: {value: 0.35", "b: {value: 0.02")
    found = check(text)
    assert 0.02 < found.gaps["pin"] < 0.4
    assert found.findings[-1].path == ["closures", "pin"]
    assert text.splitlines()[found.findings[-1].line - 1].startswith("  pin:")


REPAIRS: dict[str, Callable[[str], str]] = {
    "Write rod": lambda text: text.replace("child: rod,", "child: rdo,"),
    "Write crank": lambda text: text.replace("parent: crank.tip", "parent: carnk.tip"),
    "Write mass": lambda text: text.replace("mass: 5", "masss: 5"),
    "Write prismatic": lambda text: text.replace("kind: prismatic", "kind: prismatik"),
    "Write half": lambda text: text.replace(
        "gravity:", "parameters: {half: 0.5}\ngravity:"
    ).replace("mass: 5", "mass: 2*hafl"),
    "Switch on": lambda text: text.replace("second: slider}", "second: slider, off: true}"),
}


@pytest.mark.parametrize("label", sorted(REPAIRS))
def test_a_cure_that_is_an_edit_cures(label: str) -> None:
    text = REPAIRS[label](text_of("slider_crank"))
    (found,) = (row for row in check(text).findings if row.repair is not None)
    assert found.repair is not None
    assert found.repair.label == label
    for name, *arguments in found.repair.operations:
        text = OPERATIONS[name](text, *arguments)
    assert not check(text).findings


@pytest.mark.parametrize("text", [
    "kinetree: 1\ncomponents: 3\n", "name: a\nbodis: 7\n", "name: 3\nbodies: 7\njoints: [1]\n",
    "name: a\nlayout: 5\nshapes: x\nruns: 3\nstudies: [1]\nparameters: {a: {value: [1]}}\n",
    "name: a\nbodies: {b: {points: 3}, c: {points: {p: 5}, com: 7}}\njoints: {j: {kind: 3}}\n",
])  # fmt: skip
def test_texts_of_another_form_are_findings(text: str) -> None:
    assert any(row.severity == "error" for row in check(text).findings)


def test_a_cure_that_would_not_help_is_not_offered() -> None:
    text = text_of("slider_crank").replace("child: rod,", "child: thing,")
    (found,) = (row for row in check(text).findings if "thing" in row.problem)
    assert found.repair is None
