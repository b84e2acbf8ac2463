"""C, LaTeX and model files of six models against the reviewed ones, byte for byte.

Update with `pytest tests/reference/test_artefacts.py --update-golden` and review the difference.
"""

from __future__ import annotations

import difflib
import json
import re
from functools import cache
from pathlib import Path

import jsonschema
import pytest
from tests.reference.artefacts import ROWS

import kinetree as kt
from kinetree.errors import UnsupportedError
from kinetree.formats.schema import json_schema
from kinetree.formats.yaml_file import parse_yaml

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
FOLDERS = {"c": "c", "latex": "latex", "yaml": "schema"}
"""Kind of file -> its folder below tests/golden."""
NOT_SAVED = ("matrices",)
"""Models that model files do not hold."""
EVERY = pytest.mark.parametrize("name", ROWS)
pytestmark = pytest.mark.golden


@cache
def model(name: str) -> kt.Model:
    return ROWS[name].build()


def written(name: str, kind: str, folder: Path) -> dict[str, str]:
    """File name -> text, as a user would get it."""
    if kind == "yaml":
        files: tuple[Path, ...] = (folder / f"{name}.yaml",)
        kt.save(model(name), files[0])
    else:
        row = ROWS[name]
        program = kt.derive(model(name), row.quantity, parameters=row.parameters)
        files = program.write(kind, folder)
    return {path.name: path.read_text(encoding="utf-8") for path in files}


def compare(name: str, kind: str, folder: Path, update: bool) -> None:
    """Every file as it was reviewed; the first lines of the difference where it is not."""
    texts, golden = written(name, kind, folder), GOLDEN / FOLDERS[kind]
    if update:
        golden.mkdir(exist_ok=True)
        for file in golden.glob(f"{name}*"):
            file.unlink()
        for file, text in texts.items():
            (golden / file).write_text(text, encoding="utf-8", newline="\n")
    assert {path.name for path in golden.glob(f"{name}*")} == set(texts)
    for file, text in texts.items():
        known = (golden / file).read_bytes().decode()
        lines = difflib.unified_diff(known.splitlines(), text.splitlines(), file, "now", n=1)
        assert text == known, "\n".join(
            ["if that is meant, update it with --update-golden:", *list(lines)[:40]]
        )


@EVERY
@pytest.mark.parametrize("kind", ["c", "latex"])
def test_equations(name: str, kind: str, tmp_path: Path, update_golden: bool) -> None:
    compare(name, kind, tmp_path, update_golden)


@cache
def validator() -> jsonschema.Draft202012Validator:
    """Of model files; that their schema is one is tested beside it."""
    return jsonschema.Draft202012Validator(json.loads(json_schema()))


@pytest.mark.parametrize("name", [name for name in ROWS if name not in NOT_SAVED])
def test_model_files(name: str, tmp_path: Path, update_golden: bool) -> None:
    compare(name, "yaml", tmp_path, update_golden)
    stored = GOLDEN / FOLDERS["yaml"] / f"{name}.yaml"
    text = stored.read_text(encoding="utf-8")
    validator().validate(parse_yaml(text, stored.name))
    assert kt.load(stored).content_hash() == model(name).content_hash()


@pytest.mark.parametrize("name", NOT_SAVED)
def test_a_model_without_a_file_says_so(name: str, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="keep its Python script"):
        kt.save(model(name), tmp_path / "model.yaml")


def test_there_are_files_of_these_models_alone() -> None:
    files = [path.name for folder in FOLDERS.values() for path in (GOLDEN / folder).iterdir()]
    assert all(file.startswith(tuple(ROWS)) for file in files)
    assert len(files) == 3 * len(ROWS) + len(ROWS) - len(NOT_SAVED)


def test_files_say_nothing_of_version_date_or_place() -> None:
    told = re.compile(rf"{re.escape(kt.__version__)}|\b20\d\d-\d\d|/tmp|/home|{Path.home()}")
    for folder in FOLDERS.values():
        for path in (GOLDEN / folder).iterdir():
            assert not told.search(path.read_text(encoding="utf-8")), path.name
