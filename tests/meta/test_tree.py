"""The tree holds nothing of the machine it was written on, and its sizes are known."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = {".git", ".venv", "build", "dist", "node_modules", "__pycache__"}
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
    return [
        path
        for path in sorted(ROOT.rglob("*"))
        if path.is_file()
        and not SKIPPED & set(path.relative_to(ROOT).parts)
        and not any(part.endswith("_cache") for part in path.parts)
        and (path.suffix in TEXT or path.name in {"Makefile", "run"})
    ]


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
    unexplained = [
        line
        for line in size["over_budget"](size["survey"]())
        if not any(line.startswith(place) for place in size["REASONS"])
    ]
    assert not unexplained, "shorten, or give the reason in tools/size.py:\n" + "\n".join(
        unexplained
    )
