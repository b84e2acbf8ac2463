"""Verbs take files of connected components."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.test_spoken import run

DRIVE = str(Path(__file__).parents[2] / "examples" / "components" / "motor_drive.yaml")
Capture = pytest.CaptureFixture[str]


def test_check_prints_stages_states_blocks_and_findings(tmp_path: Path, capsys: Capture) -> None:
    assert run("check", DRIVE) == 0
    told = capsys.readouterr().out
    for word in ("is fine", "pantelides", "2 rows differentiated", "states: ", "assumed at the"):
        assert word in told
    assert run("check", DRIVE, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["states"]) == 7
    assert {"name", "found", "seconds"} == set(found["stages"][0])
    file = tmp_path / "open.yaml"
    file.write_text("component: A\nparts: {J: rotational.Inertia}", encoding="utf-8")
    assert run("check", str(file)) == 0
    told = capsys.readouterr()
    assert "port 'J.flange_a' is open" in " ".join((told.out + told.err).split())


def test_simulate_count_generate_and_convert(tmp_path: Path, capsys: Capture) -> None:
    assert run("simulate", DRIVE, "-t", "0.2", "--json") == 0
    assert json.loads(capsys.readouterr().out)["termination"] == "finished"
    assert run("count", DRIVE, "--json") == 0
    (row,) = json.loads(capsys.readouterr().out)["counts"]
    assert row["formalism"] == "sorted"
    assert 0 < row["total"] < 200
    for target, file in (("c", "motor_drive_forward.c"), ("fmu", "motor_drive.fmu")):
        assert run("generate", DRIVE, "--target", target, "-o", str(tmp_path / target)) == 0
        assert (tmp_path / target / file).is_file()
    assert run("convert", DRIVE, str(tmp_path / "again.yaml")) == 0
    assert run("check", str(tmp_path / "again.yaml")) == 0
