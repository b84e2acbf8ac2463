"""What `kinetree studio` says before it serves anything."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kinetree.cli import main

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = str(ROOT / "examples" / "models" / "slider_crank.yaml")


def told(capsys: pytest.CaptureFixture[str], file: str) -> str:
    """What it says of a file that it does not open."""
    with pytest.raises(SystemExit) as ended:
        main(["studio", file])
    assert ended.value.code == 1
    said = capsys.readouterr()
    assert said.out == ""
    return said.err


@pytest.mark.parametrize("package", ["starlette", "uvicorn", "websockets"])
def test_a_missing_extra_is_one_sentence(
    package: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    said = told(capsys, EXAMPLE)
    assert said.splitlines() == [
        f"error: studio: the package '{package}' is missing; pip install 'kinetree[studio]'."
    ]


def test_a_model_by_position_matrices_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("starlette", reason="there is no starlette: pip install 'kinetree[studio]'")
    file = tmp_path / "matrices.py"
    file.write_text("import kinetree as kt\nmodel = kt.FrameModel('m')\n", encoding="utf-8")
    (line,) = told(capsys, str(file)).splitlines()
    assert line.startswith("error: file 'matrices.py': it is a Python script")
    assert "a model by position matrices has none" in line
