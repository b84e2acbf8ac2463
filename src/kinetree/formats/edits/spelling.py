"""Data as YAML text: fields in their order, numbers as short as they can be read back."""

from __future__ import annotations

import io
import sys
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.scalarstring import DoubleQuotedScalarString

WIDTH = 110
"""Columns before a line is broken."""


class Lines(list[Any]):
    """A list whose entries stand on lines of their own."""


def spell(data: Any) -> str:
    """The text of a whole document."""
    return _dump({key: _style(value) for key, value in data.items()}, WIDTH)


def spell_flow(value: Any) -> str:
    """The text of a value on one line, as it may stand inside brackets and outside of them."""
    return _dump(_flow({"k": value}), sys.maxsize).strip()[len("{k:") : -1].strip()


def spell_entry(name: str, value: Any, column: int, newline: str) -> str:
    """The lines "name: value" of an entry, all but the first one indented to a column."""
    lines = _dump({name: _style(value)}, WIDTH).rstrip("\n").split("\n")
    return (newline + " " * column).join(lines)


def spell_tail(value: Any, column: int, newline: str) -> str:
    """What follows the colon of an entry whose name begins in a column: " 5", or lines below it."""
    return spell_entry("k", value, column, newline)[len("k:") :]


def _dump(data: Any, width: int) -> str:
    yaml = YAML(typ="rt", pure=True)
    yaml.width = width
    yaml.allow_unicode = True
    yaml.indent(mapping=2, sequence=4, offset=2)
    stream = io.StringIO()
    yaml.dump(data, stream)
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
        if not isinstance(value, Lines) and not any(isinstance(entry, dict) for entry in value):
            entries.fa.set_flow_style()
        return entries
    return _word(value)


def _flow(value: Any) -> Any:
    """The same data with all lists and mappings on one line."""
    if isinstance(value, dict):
        made = CommentedMap((_word(key), _flow(entry)) for key, entry in value.items())
        made.fa.set_flow_style()
        return made
    if isinstance(value, list):
        entries = CommentedSeq(map(_flow, value))
        entries.fa.set_flow_style()
        return entries
    return _word(value)


def _word(value: Any) -> Any:
    """A scalar that is read back as it is."""
    if isinstance(value, str) and (not value.isprintable() or value.startswith(("?", ":"))):
        # escapes line ends, which other styles fold, and signs that mean a key on one line
        return DoubleQuotedScalarString(value)
    return value
