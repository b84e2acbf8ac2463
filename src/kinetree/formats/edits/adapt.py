"""A model saved over its old file: the lines of what changed are written anew, the others stay."""

from __future__ import annotations

from typing import Any

from kinetree.formats.edits.entries import EntryPath, replace, yaml_text
from kinetree.formats.edits.operations import set_value, unset_value
from kinetree.formats.edits.values import same, write_out

NAMED_SECTIONS = (
    "parameters", "bodies", "points", "joints", "wrenches", "closures", "states", "forces",
    "outputs",
)  # fmt: skip
"""Sections whose order means something: it numbers coordinates and parameters."""


def adapt(text: str, before: Any, after: Any, path: EntryPath = ()) -> str:
    """The text of a model file with the differences between two contents put in.

    Args:
        text: of the file.
        before: what it holds, with every field in its full form; the text may have short ones.
        after: what it shall hold.
        path: of both in the file.
    """
    held = yaml_text(text).value(path)
    if path and path[-1] in NAMED_SECTIONS and not _keeps_order(held, after):
        return replace(yaml_text(write_out(text, path)), path, after)
    for name in before:
        if name not in after and name in held:
            text = unset_value(text, (*path, name))
    for name, value in after.items():
        at = (*path, name)
        old = before.get(name)
        if name in before and same(old, value):
            continue
        if _are_mappings(old, value) and isinstance(held.get(name), dict):
            text = adapt(text, old, value, at)
        elif _are_mappings(held.get(name), value):
            text = replace(yaml_text(write_out(text, at)), at, value)
        else:
            text = set_value(text, at, value)
    return text


def _are_mappings(a: Any, b: Any) -> bool:
    return isinstance(a, dict) and isinstance(b, dict)


def _keeps_order(held: Any, after: dict[str, Any]) -> bool:
    """Whether what is kept and then what is new stands in the order that is wanted."""
    kept = [name for name in held if name in after]
    return [*kept, *(name for name in after if name not in held)] == list(after)
