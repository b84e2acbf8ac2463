"""Cures that are edits: a misspelt name written as it was meant, where the cure says how."""

from __future__ import annotations

import re
from typing import Any

from kinetree.errors import KinetreeError
from kinetree.formats.edits.entries import EntryPath, yaml_text
from kinetree.formats.edits.names import tokens
from kinetree.formats.edits.operations import rename, set_value
from kinetree.formats.edits.values import existing
from kinetree.formats.lines import steps_of
from kinetree.formats.yaml_file import read
from kinetree.studio.messages import RepairMessage

MEANT = re.compile(r"did you mean '([^']+)'")
WRITTEN = re.compile(r"there is no [\w ]*?'([^']+)'")


def repair(text: str, element: str, problem: str, cure: str) -> RepairMessage | None:
    """The edit that a cure proposes; None where it is not one, or would not help."""
    meant = MEANT.search(cure)
    if meant is None:
        return None
    for operation in _operations(text, element, problem, meant[1]):
        if _helps(text, operation, problem):
            return RepairMessage(label=f"Write {meant[1]}", operations=[operation])
    return None


def _operations(text: str, element: str, problem: str, meant: str) -> list[list[Any]]:
    """Edits that might be meant, the likeliest first."""
    source = yaml_text(text)
    steps: EntryPath = tuple(steps_of(element))
    there = existing(source, steps)
    if problem == "unknown field" and there == steps:
        return [["rename", list(steps), meant]]
    written = WRITTEN.search(problem)
    if written is None:
        return []
    found = source.value(there)
    rows = found.items() if isinstance(found, dict) else [(None, found)]
    made = []
    for name, value in rows:
        path = [*there, *([] if name is None else [name])]
        if name == written[1]:
            made.append(["rename", path, meant])
        changed = _put_right(value, written[1], meant)
        if changed != value:
            made.append(["set", path, changed])
    return made


def _put_right(value: Any, written: str, meant: str) -> Any:
    """A value with a name in it put right."""
    if isinstance(value, list):
        return [_put_right(entry, written, meant) for entry in value]
    if not isinstance(value, str):
        return value
    if value == written or value.startswith(f"{written}."):
        return meant + value[len(written) :]
    return tokens(value, lambda word: meant if word == written else word)


def _helps(text: str, operation: list[Any], problem: str) -> bool:
    """Whether the mistake is gone after an edit."""
    name, path, value = operation
    try:
        read((rename if name == "rename" else set_value)(text, path, value))
    except KinetreeError as error:
        return all(part.problem != problem for part in error.parts)
    return True
