"""The site: every kind has its page, every field its text; MkDocs builds it without complaint."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tools import reference

import kinetree as kt
from kinetree.formats.schema import SCHEMA_FILE
from kinetree.model import ElementKind
from kinetree.studio.runs.analyses import ANALYSES

ROOT = Path(__file__).resolve().parents[2]
KINDS = [(room, kind) for room, module in reference.ROOMS.items() for kind in module.ALL]
NEEDED = ("mkdocs", "material", "mkdocstrings")


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return reference.pages()


@pytest.mark.parametrize(("room", "kind"), KINDS, ids=lambda x: getattr(x, "name", x))
def test_every_kind_has_a_page_with_fields_picture_and_file(
    room: str, kind: ElementKind, pages: dict[str, str]
) -> None:
    text = pages[f"reference/{room}/{kind.name}.md"]
    assert all(f"| `{name}` |" in text for name in (*kind.labels, *kind.options))
    assert f"kind: {kind.name}" in text
    assert len(text.partition("## Fields")[0]) > 100, "the docstring of its module says what it is"
    drawing = ET.fromstring(pages[f"reference/{room}/{kind.name}.svg"])
    assert len(drawing) > 0
    assert f"({room}/{kind.name}.md)" in pages["reference/index.md"]


def test_every_analysis_of_the_studio_is_on_its_page(pages: dict[str, str]) -> None:
    sections = pages["reference/studio_analyses.md"].split("\n## ")[1:]
    assert [text.partition("\n")[0] for text in sections] == list(ANALYSES)
    for text, row in zip(sections, ANALYSES.values(), strict=True):
        assert all(f"| `{name}` |" in text for name in row.options.model_fields)


def test_every_export_has_a_page(pages: dict[str, str]) -> None:
    assert all(f"api/{name}.md" in pages for name in kt.__all__)


def test_every_field_of_the_schema_has_a_text() -> None:
    schema = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    sections = [schema, *schema["$defs"].values()]
    fields = [field for section in sections for field in section.get("properties", {}).values()]
    assert all(field["description"] for field in fields)


def test_mkdocs_builds_the_site(tmp_path: Path) -> None:
    if any(importlib.util.find_spec(name) is None for name in NEEDED):
        pytest.skip("there is no mkdocs with its theme on this machine")
    around = os.environ | {"PYTHONPATH": str(ROOT / "src"), "NO_MKDOCS_2_WARNING": "1"}
    place = tmp_path / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-d", str(place)]
    done = subprocess.run(
        command, cwd=ROOT, env=around, text=True, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (place / "reference" / "forces" / "bushing.html").is_file()
