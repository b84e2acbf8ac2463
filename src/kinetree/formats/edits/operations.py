"""Edits of a model file, each a pure function from text to text; see `OPERATIONS` for all of them.

For every edit, reading after editing equals editing what was read, and lines that are not of the
element keep their bytes: comments, quotes, line breaks, order, line ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from kinetree.arguments import check_choice
from kinetree.errors import FormatError, suggest
from kinetree.formats.edits.dependents import remove_with_dependents
from kinetree.formats.edits.entries import EntryPath, insert, move_entry, rekey, yaml_text
from kinetree.formats.edits.images import image_rows
from kinetree.formats.edits.names import renaming, uses
from kinetree.formats.edits.values import assign, existing, replace_all, unset, write_out
from kinetree.formats.pictures import OUTLINES
from kinetree.formats.schema import SHORT_FIELDS, Document
from kinetree.model.parts import check_name

SECTIONS = tuple(Document.model_fields)
"""Names of the sections of a model file, in their order."""
DIAGRAM = ("layout", "diagram")
"""Where positions in the drawing stand."""
NAMED = (
    "ground",
    "bodies",
    "joints",
    "closures",
    "forces",
    "wrenches",
    "states",
    "clocks",
    "events",
)
"""Sections in which names have no dots and blanks."""
SAME = 1e-9
"""Farthest that two points are apart that are one [m]."""
OFF = "off"
"""The field of an element that is left out of the model."""


def set_value(text: str, path: Sequence[str | int], value: Any) -> str:
    """Give the entry at a path a value; entries of mappings that are equal are not touched."""
    at = _steps(path)
    there = existing(yaml_text(text), at)
    if at and not there:
        return _new_section(text, str(at[0]), _nest(at[1:], value))
    return assign(text, at, value)


def unset_value(text: str, path: Sequence[str | int]) -> str:
    """Take the entry at a path out."""
    return unset(text, _there(text, path))


def remove(text: str, path: Sequence[str | int], whole: bool = False) -> str:
    """Take an element or a point out.

    Args:
        text: of the file.
        path: of the element.
        whole: also what cannot stay without it, see `dependents`, and its place and shapes.
    """
    at = _there(text, path)
    return remove_with_dependents(text, at) if whole else unset(text, at)


def add(text: str, section: str, name: str, value: Any, after: str | None = None) -> str:
    """Add an element to a section: behind another one, "" for none, None for the last one."""
    source = yaml_text(text)
    if not existing(source, (section,)):
        return _new_section(text, section, {name: value})
    if existing(source, (section, name)) == (section, name):
        raise FormatError(
            "there is one already", element=f"{section}.{name}", cure="choose another name"
        )
    if after:
        _there(text, (section, after))
    return insert(
        yaml_text(write_out(text, (section,), below=False)), (section,), name, value, after
    )


def rename(text: str, path: Sequence[str | int], name: str) -> str:
    """Give an element or a point a new name wherever it is spoken of."""
    at = _there(text, path)
    source = yaml_text(text)
    if existing(source, (*at[:-1], name)) == (*at[:-1], name):
        raise FormatError(
            "there is one already", element=".".join(map(str, (*at[:-1], name))),
            cure="choose another name",
        )  # fmt: skip
    _check_new_name(at, name)
    data = source.plain.data
    new_name = renaming(data, at, name)
    found = list(uses(data))
    keys = {use.path: new_name(str(use.path[-1]), use) for use in found if use.is_key} | {at: name}
    texts = {use.path: new_name(source.value(use.path), use) for use in found if not use.is_key}
    changed = [(at, new) for at, new in texts.items() if new != source.value(at)]
    text = replace_all(text, changed)
    for place, new in sorted(keys.items(), key=lambda row: len(row[0]), reverse=True):
        if new != place[-1]:
            text = rekey(yaml_text(write_out(text, place)), place, new)
    return text


def _check_new_name(path: EntryPath, name: str) -> None:
    """Refuse a name that no element can have: others would speak of it in vain.

    Raises:
        KinetreeError: with what a name is made of.
    """
    if path[0] in NAMED:
        check_name(name, ".".join(map(str, path)))
    if path[0] == "bodies" and len(path) == 2 and name == "ground":
        raise FormatError(
            "the name is taken by the ground", element=f"bodies.{path[-1]}",
            cure="choose another name",
        )  # fmt: skip


def move(text: str, path: Sequence[str | int], after: str) -> str:
    """Put an entry behind another one of its section, "" for the first place; its lines go too."""
    at = _there(text, path)
    if after:
        _there(text, (*at[:-1], after))
    names = ["", *yaml_text(text).value(at[:-1])]
    before = names[names.index(at[-1]) - 1]
    return text if after in (before, at[-1]) else _move(text, at, after)


def _move(text: str, at: EntryPath, after: str) -> str:
    """The text with an entry elsewhere; no alias comes before what carries its anchor."""
    source = yaml_text(text)
    if "&" in text:
        with suppress(FormatError):
            made = move_entry(source, at, after)
            if yaml_text(made).plain.data == source.plain.data:
                return made
        source = yaml_text(write_out(text, at, alone=True))
    return move_entry(source, at, after)


def duplicate(text: str, path: Sequence[str | int], name: str) -> str:
    """Add a copy of an element under a new name, behind it."""
    at = _there(text, path)
    section, old = at[:-1], str(at[-1])
    value = yaml_text(text).value(at)
    if existing(yaml_text(text), (*section, name)) == (*section, name):
        raise FormatError(
            "there is one already", element=".".join(map(str, (*section, name))),
            cure="choose another name",
        )  # fmt: skip
    return insert(yaml_text(write_out(text, section, below=False)), section, name, value, old)


def mirror(text: str, bodies: Sequence[str], old: str, new: str, normal: str = "y") -> str:
    """Copy bodies and all that speaks of them to the other side of a plane.

    Args:
        text: of the file.
        bodies: names of those to copy, such as the links and the wheel of a corner.
        old: the part of names that changes; a name without it gets _new behind it.
        new: what stands there on the other side.
        normal: the axis across the plane, which goes through the origins of bodies that stay.
            Points of these that are there already, where their images would be, are taken.
    """
    points, rows = image_rows(yaml_text(text).plain.data, bodies, old, new, normal)
    for path, value in points:
        source = yaml_text(text)
        if existing(source, path) != path or not _is_place(source.value(path), value):
            text = add_entry(text, path, value)
    for section, name, value in rows:
        text = add(text, section, name, value)
    return text


def _is_place(held: Any, value: Any) -> bool:
    """Whether a point is where the image of another one would be."""
    places = [row.get("position") if isinstance(row, dict) else row for row in (held, value)]
    if not all(isinstance(place, list) and len(place) == 3 for place in places):
        return False
    return all(
        a == b or (isinstance(a, int | float) and isinstance(b, int | float) and abs(a - b) < SAME)
        for a, b in zip(*places, strict=True)
    )


def add_entry(text: str, path: EntryPath, value: Any) -> str:
    """Set what is not there yet.

    Raises:
        FormatError: where it is.
    """
    if existing(yaml_text(text), path) == path:
        raise FormatError(
            "there is one already", element=".".join(map(str, path)), cure="choose another name"
        )
    return set_value(text, path, value)


def enable(text: str, path: Sequence[str | int], on: bool) -> str:
    """Switch an element off, so that it stays in the file and is left out of the model, or on."""
    element = _there(text, path)
    at = (*element, OFF)
    if not on:
        held = yaml_text(text).value(element)
        if held is None and str(element[0]) not in SHORT_FIELDS:
            return assign(text, element, {OFF: True})
        if not isinstance(held, dict):  # the short form, such as `motor: sin(t)`
            text = assign(text, element, {SHORT_FIELDS[str(element[0])]: held})
        return assign(text, at, True)
    return unset(text, at) if existing(yaml_text(text), at) == at else text


def place(text: str, name: str, x: int, y: int, outline: str | None = None) -> str:
    """Give an element its place in the drawing, in units of its grid, and perhaps its outline.

    Args:
        text: of the file.
        name: of a body.
        x: of its left side.
        y: of its middle.
        outline: word of `OUTLINES`; None keeps the one it has.
    """
    at = (*DIAGRAM, name)
    if outline is not None:
        check_choice("place", outline, OUTLINES, "outline")
    source = yaml_text(text)
    held = source.value(at) if existing(source, at) == at else None
    kept = held[2:3] if isinstance(held, list) else []
    return set_value(text, at, [int(x), int(y), *(kept if outline is None else [outline])])


def splice(text: str, start: int, end: int, put: str) -> str:
    """Replace a piece of the text."""
    return text[:start] + put + text[end:]


OPERATIONS: dict[str, Callable[..., str]] = {
    "set": set_value,
    "unset": unset_value,
    "add": add,
    "remove": remove,
    "rename": rename,
    "move": move,
    "duplicate": duplicate,
    "mirror": mirror,
    "enable": enable,
    "place": place,
    "splice": splice,
}
"""The edits by name: text and arguments to text."""


def _nest(path: EntryPath, value: Any) -> Any:
    """A value inside mappings, as a path tells."""
    for step in reversed(path):
        value = {step: value}
    return value


def _new_section(text: str, name: str, value: Any) -> str:
    """The text with one more section, in the usual order of sections."""
    source = yaml_text(text)
    there = source.plain.data or {}
    before = SECTIONS[: SECTIONS.index(name)] if name in SECTIONS else tuple(there)
    after = next((other for other in reversed(tuple(there)) if other in before), "")
    return insert(source, (), name, value, after if there else None)


def _steps(path: Sequence[str | int]) -> EntryPath:
    """A path of entries; words with points are none, names may have points."""
    if isinstance(path, str):
        raise FormatError(
            "it is a word", element=f"path '{path}'", cure=f"give its steps: {path.split('.')}"
        )
    return tuple(path)


def _there(text: str, path: Sequence[str | int]) -> EntryPath:
    """A path that is there.

    Raises:
        FormatError: with the nearest name.
    """
    at = _steps(path)
    source = yaml_text(text)
    found = existing(source, at)
    if found != at or not at:
        held = source.value(found) if source.plain.data is not None else None
        names = [str(name) for name in held] if isinstance(held, dict) else []
        missing = str(at[len(found)]) if at else ""
        raise FormatError(
            "there is no such entry",
            element=".".join(map(str, at)) or "the file",
            cure=suggest(missing, names, "entry"),
        )
    return at
