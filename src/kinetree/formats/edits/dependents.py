"""Elements that cannot stay without another one, so that both are removed together.

A joint, closure, force or output that stands at a body goes with it, and what speaks of that joint
goes too.  Numbers of bodies that use a parameter do not go with it: the checks tell them.
"""

from __future__ import annotations

from typing import Any

from kinetree.errors import FormatError
from kinetree.formats.edits.entries import EntryPath, yaml_text
from kinetree.formats.edits.names import Use, renaming, uses
from kinetree.formats.edits.values import assign, existing, unset
from kinetree.formats.expression import TOKEN

UNKNOWN = "\x00"
"""A name that nothing has."""
STAYING = (
    "parameters", "tables", "ground", "bodies", "gravity", "layout", "shapes", "vary", "studies",
    "runs",
)  # fmt: skip
"""Sections whose elements stay whatever their numbers speak of."""
NAMES_ONLY = ("parameters", "tables")
"""Sections whose elements are numbers that others use."""


def dependents(text: str, path: EntryPath) -> list[EntryPath]:
    """Paths of the elements that go with an element or point, in the order of the file.

    Raises:
        FormatError: where there is no such element.
    """
    if existing(yaml_text(text), path) != path:
        raise FormatError(
            "there is no such entry", element=".".join(map(str, path)), cure="check the path"
        )
    data = yaml_text(text).plain.data
    found: dict[EntryPath, None] = {}
    work = [path]
    while work:
        gone = work.pop()
        for use in _spoken_of(data, gone):
            element = use.path[:2]
            if element not in found and element != path[:2] and element[0] not in STAYING:
                found[element] = None
                work.append(element)
    order = {(s, n): k for k, (s, n) in enumerate(_elements(data))}
    return sorted(found, key=lambda row: order.get((str(row[0]), str(row[1])), 0))


def remove_with_dependents(text: str, path: EntryPath) -> str:
    """The text without an element or point, what goes with it, and their pictures."""
    for gone in (*dependents(text, path), path):
        data = yaml_text(text).plain.data
        pictures = [use for use in _spoken_of(data, gone) if use.role in ("picture", "vary")]
        for use in pictures:
            if use.role == "picture" and existing(yaml_text(text), use.path) == use.path:
                text = unset(text, use.path)
        varied = {use.path[1] for use in pictures if use.role == "vary"}
        if varied:
            rows = [row for k, row in enumerate(data["vary"]) if k not in varied]
            text = assign(text, ("vary",), rows)
        if existing(yaml_text(text), gone) == gone:
            text = unset(text, gone)
    return text


def _spoken_of(data: Any, path: EntryPath) -> list[Use]:
    """Where a document speaks of an element or point."""
    if len(path) < 2 or (len(path) > 2 and path[-2] != "points"):
        return []
    new_name = renaming(data, path, UNKNOWN)
    coordinates = _coordinates(data, path)
    found = []
    for use in uses(data):
        old = str(use.path[-1]) if use.is_key else _text_at(data, use.path)
        if path[0] in NAMES_ONLY and use.role == "expression":
            continue
        if new_name(old, use) != old or _names_coordinate(old, use, coordinates):
            found.append(use)
    return found


def _coordinates(data: Any, path: EntryPath) -> set[str]:
    """Names that a joint gives its coordinates itself."""
    if path[0] != "joints" or len(path) != 2:
        return set()
    row = data["joints"][path[1]]
    given = row.get("coordinates") if isinstance(row, dict) else None
    return {str(name) for name in given} if isinstance(given, list) else set()


def _names_coordinate(text: str, use: Use, coordinates: set[str]) -> bool:
    """Whether a text speaks of one of these coordinates."""
    if not coordinates:
        return False
    if use.role == "joint":
        return text in coordinates
    if use.role not in ("expression", "change"):
        return False
    spelled = {f"{stem}_{name}" for stem in ("q", "qd", "qdd") for name in coordinates}
    return any(match["name"] in spelled for match in TOKEN.finditer(text))


def _text_at(data: Any, path: EntryPath) -> str:
    for step in path:
        data = data[step]
    return str(data)


def _elements(data: Any) -> list[tuple[str, str]]:
    return [(s, str(n)) for s, rows in data.items() if isinstance(rows, dict) for n in rows]
