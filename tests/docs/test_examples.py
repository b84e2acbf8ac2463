"""Every example script and every Python block of the documentation runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tools.pages import blocks, run

from kinetree.view.page import BUNDLE

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "examples/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.name)
def test_example_runs(script: Path, tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONWARNINGS": "error", "COLUMNS": "120"}
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    shows = script.name[:1] in "12" and BUNDLE.is_file()
    result = subprocess.run(
        [sys.executable, str(script), *([str(pictures)] if shows else [])],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip(), "an example shows something"
    kinds = {file.suffix for file in pictures.iterdir() if file.stat().st_size > 10_000}
    assert kinds == ({".html", ".png"} if shows else set())


def test_every_example_is_listed_and_short() -> None:
    listed = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    gallery = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    for script in EXAMPLES:
        assert f"({script.name})" in listed, "list it in examples/README.md"
        if script.name[:1] in "12":
            assert f"examples/{script.name}" in gallery
            most = 64 if script.name[:1] == "1" else 100
            assert len(script.read_text(encoding="utf-8").splitlines()) <= most, script.name


def test_pictures_are_small() -> None:
    for picture in (ROOT / "docs" / "pictures").iterdir():
        assert picture.stat().st_size < 120_000, picture.name


@pytest.mark.parametrize(
    "page", [page for page in PAGES if blocks(page).strip()], ids=lambda path: path.name
)
def test_blocks_of_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "kt.animate(" in blocks(page) and not BUNDLE.is_file():
        pytest.skip("the viewer is not built")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    run(page)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_of_page_lead_somewhere(page: Path) -> None:
    dead = [
        link
        for link in LINK.findall(page.read_text(encoding="utf-8"))
        if not (page.parent / link).exists()
    ]
    assert not dead
