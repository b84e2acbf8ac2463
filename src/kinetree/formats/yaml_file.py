"""YAML model files by the rules of YAML 1.2: 1e-3 is a number, no is a word; nothing is ever run.

Saving writes fields in a fixed order and numbers as short as they can be read back, so the same
model gives the same bytes. Saving over an existing model file changes the lines of what changed and
keeps the bytes of all others.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kinetree.errors import FormatError, KinetreeError, combine
from kinetree.files import read_exactly, write_file
from kinetree.formats.build import build
from kinetree.formats.edits.adapt import adapt
from kinetree.formats.edits.spelling import spell
from kinetree.formats.edits.values import same
from kinetree.formats.lines import locate
from kinetree.formats.schema import switch_off, validate
from kinetree.formats.yaml_plain import Plain, read_plain
from kinetree.model import Mechanism, Model, to_data


def read(text: str, where: str = "the file", folder: Path | None = None) -> Model:
    """The Model described by YAML text; `where` names the source in errors.

    Files that it names are looked for below `folder`.

    Raises:
        FormatError: with all mistakes found, each with its path and line.
    """
    return read_data(read_plain(text, where), where, folder)


def read_data(plain: Plain, where: str, folder: Path | None = None) -> Model:
    """The Model described by plain data with their lines; see `read`."""
    if not isinstance(plain.data, dict):
        raise FormatError("it holds no mapping", element=where, cure="begin with 'name: …'")
    off: dict[str, dict[str, Any]] = {}
    try:
        checked = validate(plain.data)
        off = switch_off(checked, plain.data)
        model = build(checked, folder)
    except KinetreeError as error:
        raise locate(_with_switches(error, off), plain) from None
    model.switched_off = off
    model.file_text = plain.text
    return model


def build_data(data: dict[str, Any]) -> Model:
    """The Model described by plain data."""
    return build(validate(data))


def _with_switches(error: KinetreeError, off: dict[str, dict[str, Any]]) -> KinetreeError:
    """The same error; where something is missing that is switched off, that is said."""
    names = {f"'{name}'": section for section, rows in off.items() for name in rows}
    parts = []
    for part in error.parts:
        found = next((name for name in names if name in part.problem), None)
        cure = f"switch {names[found]}.{found[1:-1]} on, or this off" if found else part.cure
        parts.append(type(part)(part.problem, element=part.element, cure=cure))
    return combine(parts, type(error))


def parse_yaml(text: str, where: str) -> Any:
    """Plain data of YAML text: dicts with string keys, lists, strings, numbers, booleans, none."""
    return read_plain(text, where).data


def write(model: Mechanism, old: str | None = None, folder: Path | None = None) -> str:
    """YAML text of `model`; what did not change since the text `old` keeps its form."""
    data = document(model)
    if old is not None:
        kept = _update(old, data, folder)
        if kept is not None:
            return kept
    return spell(data)


def document(model: Mechanism) -> dict[str, Any]:
    """The whole content of the model file as plain data."""
    data = {"kinetree": 1, **to_data(model)}
    for section, rows in model.switched_off.items():
        data[section] = {**data.get(section, {}), **rows}
    if model.studies:
        data["studies"] = {name: row.data() for name, row in model.studies.items()}
    if model.runs:
        data["runs"] = model.runs
    if model.shapes is not None:
        data["shapes"] = model.shapes
    if model.layout is not None:
        data["layout"] = model.layout
    return data


def save(model: Mechanism, path: Path) -> None:
    """Write `model` to `path`; lines of the file there, or of its own one, stay where they can."""
    there = read_exactly(path) if path.is_file() else ""
    data = document(model)
    texts = (_update(old, data, path.parent) for old in (there, model.file_text) if old)
    kept = next((text for text in texts if text is not None), None)
    write_file(path, spell(data) if kept is None else kept)


def _update(old: str, data: dict[str, Any], folder: Path | None) -> str | None:
    """The old text with what changed put in; None when it cannot be kept."""
    try:
        before = document(read(old, folder=folder))
        if same(before, data):
            return old
        text = adapt(old, before, data)
        return text if same(document(read(text, folder=folder)), data) else None
    except KinetreeError:
        return None
