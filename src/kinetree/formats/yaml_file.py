"""YAML model files by the rules of YAML 1.2: 1e-3 is a number, no is a word; nothing is ever run.

Saving writes fields in a fixed order and numbers as short as they can be read back, so the same
model gives the same bytes. Saving over an existing model file keeps its comments, and changes only
what has changed.
"""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import AliasEvent
from ruamel.yaml.scalarstring import DoubleQuotedScalarString

from kinetree.errors import FormatError, KinetreeError
from kinetree.files import read_text, write_file
from kinetree.formats.build import build
from kinetree.formats.lines import locate
from kinetree.formats.schema import validate
from kinetree.formats.yaml_plain import read_plain
from kinetree.model import to_data

if TYPE_CHECKING:
    from pathlib import Path

    from kinetree.model import Mechanism, Model

NAMED_SECTIONS = (
    "parameters", "bodies", "points", "joints", "wrenches", "closures", "states", "forces",
)  # fmt: skip
"""Sections whose order means something."""
WIDTH = 110
"""Columns before a line is broken."""


def read(text: str, where: str = "the file") -> Model:
    """The Model described by YAML text; `where` names the source in errors.

    Raises:
        FormatError: with all mistakes found, each with its path and line.
    """
    plain = read_plain(text, where)
    if not isinstance(plain.data, dict):
        raise FormatError("it holds no mapping", element=where, cure="begin with 'name: …'")
    try:
        return build(validate(plain.data))
    except KinetreeError as error:
        raise locate(error, plain) from None


def parse_yaml(text: str, where: str) -> Any:
    """Plain data of YAML text: dicts with string keys, lists, strings, numbers, booleans, none."""
    return read_plain(text, where).data


def write(model: Mechanism, old: str | None = None) -> str:
    """YAML text of `model`; what did not change since the text `old` keeps its form."""
    data = document(model)
    if old is not None:
        kept = _update(old, data)
        if kept is not None:
            return kept
    return _dump({key: _style(value) for key, value in data.items()})


def document(model: Mechanism) -> dict[str, Any]:
    """The whole content of the model file as plain data."""
    data = {"kinetree": 1, **to_data(model)}
    if model.shapes is not None:
        data["shapes"] = model.shapes
    if model.layout is not None:
        data["layout"] = model.layout
    return data


def save(model: Mechanism, path: Path) -> None:
    """Write `model` to `path`, keeping the comments of a model file that is there."""
    old = read_text(path) if path.is_file() else None
    write_file(path, write(model, old))


def _round_trip() -> YAML:
    yaml = YAML(typ="rt", pure=True)
    yaml.width = WIDTH
    yaml.allow_unicode = True
    yaml.indent(mapping=2, sequence=4, offset=2)
    return yaml


def _dump(data: Any) -> str:
    stream = io.StringIO()
    _round_trip().dump(data, stream)
    return stream.getvalue()


def _style(value: Any) -> Any:
    """The same data with short lists, and short mappings of plain values, on one line."""
    if isinstance(value, dict):
        made = CommentedMap((_style(key), _style(entry)) for key, entry in value.items())
        nested = any(isinstance(entry, dict | list) for entry in value.values())
        if 0 < len(value) <= 2 and not nested:
            made.fa.set_flow_style()
        return made
    if isinstance(value, list):
        entries = CommentedSeq(_style(entry) for entry in value)
        if not any(isinstance(entry, dict) for entry in value):
            entries.fa.set_flow_style()
        return entries
    if isinstance(value, str) and (not value.isprintable() or value.startswith(("?", ":"))):
        # escapes line ends, which other styles fold, and signs that mean a key on one line
        return DoubleQuotedScalarString(value)
    return value


def _update(old: str, data: dict[str, Any]) -> str | None:
    """The old text with what changed put in; None when it cannot be kept."""
    try:
        before = document(read(old))
        if _same(before, data):
            return old
        tree = _round_trip().load(old)
    except (KinetreeError, YAMLError, ValueError):
        return None
    if "*" in old and _has_alias(old):
        return None
    return _dump(tree) if _merge(tree, before, data) else None


def _same(a: Any, b: Any) -> bool:
    """Whether two documents are equal, the order of their entries included."""
    return json.dumps(a) == json.dumps(b)


def _has_alias(text: str) -> bool:
    return any(isinstance(event, AliasEvent) for event in YAML(pure=True).parse(io.StringIO(text)))


def _merge(
    tree: CommentedMap, before: dict[str, Any], after: dict[str, Any], *, named: bool = False
) -> bool:
    """Put the differences between two documents into `tree`.

    False when the entries of a section of named elements would stand in another order, which would
    renumber coordinates or parameters.
    """
    order = [key for key in tree if key in after] + [key for key in after if key not in tree]
    if (named and order != list(after)) or not all(isinstance(key, str) for key in tree):
        return False
    for key in [key for key in tree if key not in after and key in before]:
        del tree[key]
    for key, value in after.items():
        old = before.get(key)
        if key in before and _same(old, value):
            continue
        held = tree.get(key)
        if not (
            isinstance(value, dict) and isinstance(old, dict) and isinstance(held, CommentedMap)
        ):
            tree[key] = _style(value)
        elif not _merge(held, old, value, named=key in NAMED_SECTIONS):
            return False
    return True
