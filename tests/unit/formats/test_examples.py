"""The shipped models load without a finding and keep their text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kinetree.formats.yaml_file import read, write
from kinetree.model import parameter_table
from kinetree.storage.load import load

FOLDER = Path(__file__).resolve().parents[3] / "examples" / "models"
FILES = sorted(path for path in FOLDER.iterdir() if path.suffix in (".yaml", ".urdf"))


def test_the_models_are_there():
    names = {path.name for path in FILES}
    assert {
        "double_pendulum.yaml",
        "slider_arm.yaml",
        "scara.yaml",
        "r3.yaml",
        "arm7.urdf",
    } <= names


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_sound(path):
    model = load(path)
    assert [f for f in model.check() if f.severity != "note"] == []
    assert read(write(model)).content_hash() == model.content_hash()


@pytest.mark.parametrize("path", [p for p in FILES if p.suffix == ".yaml"], ids=lambda p: p.name)
def test_saving_changes_nothing(path):
    text = path.read_text(encoding="utf-8")
    assert write(load(path), text) == text


def test_r3_is_the_robot_of_1993():
    model = load(FOLDER / "r3.yaml")
    values = parameter_table(model).values
    assert model.coordinates == ["q1", "q2", "q3", "q4", "q5", "q6"]
    axes = [joint.motions[0].axis.index(1) for joint in model.joints.values()]
    assert "".join("xyz"[k] for k in axes) == "zxxzxz"
    assert sum(values[f"b{i}.mass"] for i in range(1, 6)) == pytest.approx(116.8)
    assert values["b2.inertia_xz"] == -0.46
    assert np.isclose(values["b4.wrist_z"], 0.73)
