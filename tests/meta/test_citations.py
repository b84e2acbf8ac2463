"""Every work cited exists in the bibliography, and the bibliography is cited."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

from kinetree.program import Note

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "kinetree"
SOURCES = sorted(PACKAGE.rglob("*.py"))
PAGES = sorted((ROOT / "docs").rglob("*.md"))
SUPPORT = {"__init__.py", "quantities.py", "view.py"}
"""Algorithms stand on top of the formalism room; these files beside them follow no source."""
KEY = re.compile(r"\b[A-Z][A-Za-z]+(?:19|20)\d\d\b")
NAMES = {"PAC2002"}
"""What is called like a key and is none: a tyre model."""
ENTRY = re.compile(r"^@(\w+)\{(\w+),$", re.MULTILINE)
BIBLIOGRAPHY = (PACKAGE / "refs.bib").read_text(encoding="utf-8")
KNOWN = {key for _, key in ENTRY.findall(BIBLIOGRAPHY)}


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


def cited(path: Path) -> set[str]:
    return set(KEY.findall(path.read_text(encoding="utf-8"))) - NAMES


@pytest.mark.parametrize("path", [*SOURCES, *PAGES], ids=relative)
def test_every_key_cited_is_in_the_bibliography(path: Path) -> None:
    assert cited(path) <= KNOWN, f"add to refs.bib: {sorted(cited(path) - KNOWN)}"


def test_every_entry_of_the_bibliography_is_cited() -> None:
    used = {key for path in [*SOURCES, *PAGES] for key in cited(path)}
    assert used >= KNOWN, f"nobody cites: {sorted(KNOWN - used)}"


def test_equations_of_the_house_have_one_number_each_and_code_cites_those() -> None:
    text = (ROOT / "docs" / "theory" / "sensitivities.md").read_text(encoding="utf-8")
    numbers = re.findall(r"\((S\d+)\)$", text, re.MULTILINE)
    assert len(numbers) == len(set(numbers)) > 0
    used = {
        number
        for path in SOURCES
        for number in re.findall(r"\bEqs?\. .*?\((S\d+)", path.read_text(encoding="utf-8"))
    }
    assert used
    assert used <= set(numbers)


def test_no_key_stands_twice() -> None:
    keys = [key for _, key in ENTRY.findall(BIBLIOGRAPHY)]
    assert len(keys) == len(set(keys)) > 0


@pytest.mark.parametrize(
    "path",
    [p for p in sorted((PACKAGE / "formalism").glob("*.py")) if p.name not in SUPPORT],
    ids=relative,
)
def test_every_formalism_names_its_source(path: Path) -> None:
    doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    assert "Refs:" in doc, "the module docstring needs a line 'Refs: AuthorYEAR sec. …'"


def _tables() -> dict[str, tuple[str, dict[str, Note]]]:
    """Module -> its text and its table of notes."""
    found = {}
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        if "NOTES = notes(" in text and path.parent.name != "program":
            name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
            found[name] = text, import_module(name).NOTES
    return found


@pytest.mark.parametrize("module", _tables())
def test_every_row_of_a_table_of_notes_is_used(module: str) -> None:
    text, table = _tables()[module]
    used = set(re.findall(r'"(\w+)"', text))
    assert table.keys() <= used, f"no equation has the names {sorted(table.keys() - used)}"
