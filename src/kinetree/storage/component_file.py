"""YAML files of components: parts, values, connections, and classes with equations as texts.

A file that begins with `component: NAME` describes one whole component, as a class of its own;
`classes` and `connectors` hold those that it is made of besides the libraries.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from kinetree.acausal.components import Component, settle
from kinetree.errors import FormatError, KinetreeError, UnsupportedError, combine
from kinetree.files import read_exactly, write_file
from kinetree.formats.edits.spelling import Lines, spell
from kinetree.formats.edits.values import same
from kinetree.formats.lines import locate
from kinetree.formats.yaml_file import build_data
from kinetree.formats.yaml_plain import Plain, read_plain
from kinetree.storage.classes import Kinds, make_classes
from kinetree.storage.component_schema import ComponentDocument, validate
from kinetree.storage.describe import describe
from kinetree.storage.statements import own_statements

WRITTEN = "_written"
"""Attribute of a class that a file describes: the data of the file."""
STATEMENTS = ("connections", "equations", "initial", "events", "samples", "frictions")


def read(plain: Plain, load: Callable[[Any], Any]) -> Component:
    """The component of a file.

    Args:
        plain: its data with their lines.
        load: the model of a file name or of plain data, for settings.

    Raises:
        FormatError: with all mistakes found, each with its path and line.
    """
    try:
        document = validate(plain.data)
        kinds = Kinds(load)
        kind = make_classes(document, kinds)
        _refuse_statements(document, kinds, kind)
    except KinetreeError as error:
        raise locate(error, plain) from None
    setattr(kind, WRITTEN, plain.data)
    return kind()


def _refuse_statements(document: ComponentDocument, kinds: Kinds, whole: type[Component]) -> None:
    """Refuse statements that cannot be read in the names of their class, all at once."""
    wrong: list[KinetreeError] = []
    rows: list[tuple[Any, Any, str]] = [
        (kinds.by_name[name], data, f"classes.{name}.") for name, data in document.classes.items()
    ]
    for kind, data, where in [*rows, (whole, document, "")]:
        try:
            one = kind()
            settle(one)
            for _ in own_statements(one, data, where):
                pass
        except KinetreeError as error:
            wrong += error.parts
    if wrong:
        raise combine(wrong, FormatError)


def document_of(component: Component) -> dict[str, Any]:
    """The whole content of the file of a component as plain data."""
    data: dict[str, Any] | None = vars(type(component)).get(WRITTEN)
    if data is not None and not component.given:
        return data
    made = describe(component)
    _refuse_unreadable(made)
    return made


def _refuse_unreadable(data: dict[str, Any]) -> None:
    """Refuse what could not be read again, such as numbers that carry units in Python."""
    try:
        read(read_plain(spell(data), "the file"), build_data)
    except KinetreeError as error:
        first = error.parts[0]
        raise UnsupportedError(
            f"a file would not be read again, {first.problem}",
            element=f"component '{data['component']}', {first.element}",
            cure="use parameters with units, or keep the Python class",
        ) from None


def save(component: Component, path: Path) -> None:
    """Write a component; a file that says the same already stays as it is."""
    data = document_of(component)
    old = read_exactly(path) if path.is_file() else None
    if old is not None and _says(old, data):
        return
    write_file(path, spell(_in_lines(data)))


def _in_lines(body: dict[str, Any]) -> dict[str, Any]:
    """The same data with statements on lines of their own."""
    rows = {key: Lines(value) if key in STATEMENTS else value for key, value in body.items()}
    if "classes" in body:
        rows["classes"] = {name: _in_lines(data) for name, data in body["classes"].items()}
    return rows


def _says(text: str, data: dict[str, Any]) -> bool:
    try:
        return same(read_plain(text, "the file").data, data)
    except KinetreeError:
        return False
