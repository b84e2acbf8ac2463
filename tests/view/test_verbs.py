"""The verbs view and plot."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import kinetree as kt
from kinetree.cli import main

if TYPE_CHECKING:
    from pathlib import Path

MODEL = "examples/models/double_pendulum.yaml"


@pytest.fixture(scope="module")
def run_file(run: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return kt.save_run(run, tmp_path_factory.mktemp("run") / "run.nc")


def call(*arguments: str) -> int:
    try:
        main(arguments)
    except SystemExit as end:
        return int(end.code or 0)
    return 0


@pytest.mark.usefixtures("viewer")
def test_view_writes_a_page_that_simulates(tmp_path: Path) -> None:
    page = tmp_path / "live.html"
    assert call("view", MODEL, "--live", "-o", str(page)) == 0
    assert "kinetreeLive" in page.read_text(encoding="utf-8")


@pytest.mark.usefixtures("viewer")
def test_view_writes_a_page_of_a_run(
    run_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "p.html"
    assert call("view", MODEL, str(run_file), "-o", str(page), "--title", "Swing", "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert said == {"file": str(page), "bytes": page.stat().st_size}
    assert "<title>Swing</title>" in page.read_text(encoding="utf-8")


@pytest.mark.usefixtures("viewer")
def test_view_opens_the_page_when_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert call("view", MODEL, "-o", str(tmp_path / "p.html"), "--open") == 0
    assert opened == [(tmp_path / "p.html").resolve().as_uri()]


def test_plot_writes_a_picture(run_file: Path, tmp_path: Path) -> None:
    picture = tmp_path / "p.png"
    assert call("plot", str(run_file), "q", "qd.elbow", "-o", str(picture), "--x", "q.elbow") == 0
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_plot_of_an_unknown_signal_is_one_sentence(
    run_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("plot", str(run_file), "q.elbw", "-o", str(tmp_path / "p.png")) == 1
    said = capsys.readouterr().err
    assert "did you mean 'q.elbow'" in " ".join(said.split())
