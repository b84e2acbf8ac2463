"""What is saved of a model that came from a file: its text, but for the lines of what changed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kinetree as kt

MODELS = Path(__file__).parents[3] / "examples" / "models"
LARGEST = 200_000
"""Files with more characters are left out: there is nothing in them that others have not [1]."""
FILES = [file for file in sorted(MODELS.glob("*.yaml")) if file.stat().st_size < LARGEST]

ARM = """\
# an arm of the workshop
kinetree: 1
name: 'arm'
parameters:
  L: {value: 800, unit: mm}       # measured twice
  c:   {unit: 'N.m.s/deg', value: 0.05}
bodies:
  upper: {mass: 2.5, com: [0, 0, -L/2],   # the tube
          inertia: [0.1, 0.1, 0.02]}
joints:
  shoulder: {parent: ground, child: upper, kind: "revolute", axis: y}
forces:

  bearing: {kind: "joint_law", joint: shoulder, law: "-c*qd_shoulder"}
"""


def lines_changed(old: str, new: str) -> list[str]:
    """Lines of a new text that the old one has not; both have as many, else this fails."""
    pairs = zip(old.splitlines(keepends=True), new.splitlines(keepends=True), strict=True)
    return [b for a, b in pairs if a != b]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_shipped_models_keep_their_lines_in_another_file(file: Path, tmp_path: Path) -> None:
    old, new = file.read_bytes().decode(), tmp_path / "new.yaml"
    model = kt.load(file)
    kt.save(model, new)
    assert new.read_bytes().decode() == old
    heavy = [body for body in model.bodies.values() if isinstance(body.mass, int | float)]
    for body in [body for body in heavy if body.mass][:1]:
        new.unlink()
        model.bodies[body.name] = replace(body, mass=1.0625 * body.mass)
        kt.save(model, new)
        assert len(lines_changed(old, new.read_bytes().decode())) == 1
        assert kt.load(new).bodies[body.name].mass == 1.0625 * body.mass


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_marks_stay(tmp_path: Path, end: str, mark: str) -> None:
    for lines in (ARM, ARM.split("\n", 1)[1]):  # with a comment first, and with a name
        text, new = mark + lines.replace("\n", end), tmp_path / "new.yaml"
        (tmp_path / "arm.yaml").write_bytes(text.encode())
        model = kt.load(tmp_path / "arm.yaml")
        model.bodies["upper"] = replace(model.bodies["upper"], mass=2.625)
        kt.save(model, new)
        assert new.read_bytes().decode() == text.replace("2.5,", "2.625,")
        model.bodies["upper"] = replace(model.bodies["upper"], mass=2.5)
        model.body("hand", 0.2, (0, 0, 0), (0.01, 0.01, 0.01))
        kt.save(model, new)
        assert all(line in new.read_bytes().decode() for line in text.splitlines(keepends=True))
        new.unlink()


def test_values_found_change_their_lines_alone(tmp_path: Path) -> None:
    (tmp_path / "arm.yaml").write_text(ARM)
    best = kt.optimise(
        kt.load(tmp_path / "arm.yaml"), 0.2, kt.final("q_shoulder"), q={"shoulder": 0.5},
        over={"L": (0.5, 0.7), "upper.mass": (2.0, 3.0)}, evaluations=20,
    )  # fmt: skip
    kt.save(best.model, tmp_path / "better.yaml")
    changed = lines_changed(ARM, (tmp_path / "better.yaml").read_text())
    assert [line.split(":")[0].strip() for line in changed] == ["L", "upper"]
    assert "unit: mm}       # measured twice" in changed[0]
    assert "# the tube" in changed[1]
    again = kt.load(tmp_path / "better.yaml")
    assert again.parameters["L"].value == best.parameters["L"]
    assert again.bodies["upper"].mass == best.parameters["upper.mass"]


@pytest.mark.filterwarnings("ignore:nothing can have the values")
def test_what_is_identified_changes_its_lines_alone(tmp_path: Path) -> None:
    t, w, size = np.linspace(0, 4, 201)[:, None], np.array([1.5, 2.2, 2.9, 3.6]), 0.5
    moved = {
        "time": t[:, 0], "q": size * np.sin(w * t), "qd": size * w * np.cos(w * t),
        "qdd": -size * w**2 * np.sin(w * t),
    }  # fmt: skip
    model, truth = kt.load(MODELS / "scara.yaml"), kt.load(MODELS / "scara.yaml")
    truth.bodies["gripper"] = replace(truth.bodies["gripper"], mass=1.4, com=(0.02, 0.01, -0.05))
    tau = kt.inverse(truth, moved).tau.values
    fit = kt.identify(model, {**moved, "tau": tau}, bodies=["gripper"], friction=(), cutoff=0)
    kt.save(fit.model, tmp_path / "new.yaml")
    old, new = (MODELS / "scara.yaml").read_text(), (tmp_path / "new.yaml").read_text()
    gone = [line.split(":")[0].strip() for line in old.splitlines() if line not in new]
    assert gone == ["mass", "com", "inertia"]
    assert kt.load(tmp_path / "new.yaml").bodies["gripper"].com == fit.model.bodies["gripper"].com


def test_a_file_that_is_there_keeps_its_own_comments(tmp_path: Path) -> None:
    (tmp_path / "arm.yaml").write_text(ARM)
    mine = tmp_path / "mine.yaml"
    mine.write_text(ARM.replace("# measured twice", "# by me"))
    kt.save(kt.load(tmp_path / "arm.yaml"), mine)
    assert "# by me" in mine.read_text()
    mine.write_text("][")
    kt.save(kt.load(tmp_path / "arm.yaml"), mine)
    assert mine.read_text() == ARM
