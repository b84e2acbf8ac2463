"""The tree holds nothing of the machine it was written on, and its sizes are known."""

from __future__ import annotations

import os
import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = {"build", "dist", "node_modules", "results", "__pycache__"}
TEXT = {
    ".py",
    ".md",
    ".toml",
    ".yaml",
    ".yml",
    ".json",
    ".bib",
    ".cff",
    ".c",
    ".h",
    ".cpp",
    ".urdf",
}
HOMES = "root|home|work|Users|opt"
MACHINE_PATH = re.compile(rf"(?<![\w.])/(?:{HOMES})/\w")
REGISTRY = re.compile(
    "|".join(["index" + "-url", r"pypi\." + "org", "/simple" + r"/\w", "find" + "-links"])
)


def tracked() -> list[Path]:
    """Text files of the tree, without what is built or downloaded."""
    found = []
    for folder, inner, names in os.walk(ROOT):
        inner[:] = sorted(
            name
            for name in inner
            if name not in SKIPPED and (name == ".ci" or not name.startswith("."))
        )
        files = (Path(folder) / name for name in sorted(names))
        found += [p for p in files if p.suffix in TEXT or p.name in {"Makefile", "run"}]
    return found


@pytest.mark.parametrize("pattern", [MACHINE_PATH, REGISTRY], ids=["path", "registry"])
def test_no_text_names_this_machine(pattern: re.Pattern[str]) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:80]}"
        for path in tracked()
        if path != Path(__file__).resolve()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if pattern.search(line)
    ]
    assert not found, "\n".join(found)


def test_size_report_covers_every_room(capsys: pytest.CaptureFixture[str]) -> None:
    size = runpy.run_path(str(ROOT / "tools" / "size.py"))
    files = size["survey"]()
    print(size["table"](files))
    report = capsys.readouterr().out
    rooms = {path.parent.name for path in (ROOT / "src" / "kinetree").glob("*/__init__.py")}
    assert all(room in report for room in rooms)


def test_what_is_over_budget_carries_its_reason() -> None:
    size = runpy.run_path(str(ROOT / "tools" / "size.py"))
    wrong = size["unexplained"](size["over_budget"](size["survey"]()), size["REASONS"])
    assert not wrong, "shorten, or say why in tools/size.py:\n" + "\n".join(wrong)
