"""A text, the text that it began with, and what others made of that: differences and both."""

from __future__ import annotations

import difflib
from typing import Any

from kinetree.errors import KinetreeError
from kinetree.formats.edits.entries import EntryPath, yaml_text
from kinetree.formats.edits.operations import set_value, unset_value
from kinetree.formats.edits.values import MISSING, differences, existing
from kinetree.studio.lines import stamp, stretches
from kinetree.studio.messages import ConflictMessage, LineConflictMessage, ThreeWayMessage


def difference_lines(old: str, new: str) -> list[str]:
    """Lines by which two texts differ, with three lines of surroundings; none where they do not."""
    found = difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=3)
    return [row for row in found if not row.startswith(("---", "+++"))]


def conflicts(base: str, mine: str, disk: str) -> list[ConflictMessage]:
    """Entries that were changed on both sides, to different values.

    Raises:
        KinetreeError: where one of the texts is not YAML.
    """
    here, there = _changes(base, mine), _changes(base, disk)
    found = []
    for path in there:
        met = next((other for other in here if _overlap(path, other)), None)
        if met is not None and not (met == path and _same(here[met], there[path])):
            at = min(met, path, key=len)
            values = {k: _at(text, at) for k, text in zip(
                ("base", "mine", "disk"), (base, mine, disk), strict=True)}  # fmt: skip
            found.append(ConflictMessage(path=list(at), **values))
    return found


def compare_three(base: str, mine: str, disk: str) -> ThreeWayMessage:
    """How two texts that came from one differ: by element where they can be read, and by line."""
    try:
        found, readable = conflicts(base, mine, disk), True
    except KinetreeError:
        found, readable = [], False
    rows = stretches(base, mine, disk)
    lines = [LineConflictMessage(line=row.line, mine=row.mine, base=row.base, disk=row.disk)
             for row in rows if row.is_conflict]  # fmt: skip
    apart = sum(not row.is_conflict and row.settlement != row.base for row in rows)
    return ThreeWayMessage(
        state="changed", mine=mine, base=base, disk=disk, conflicts=found, can_merge=readable,
        lines=lines, apart=apart, stamp=stamp(base, mine, disk),
    )  # fmt: skip


def merge(base: str, mine: str, disk: str) -> str:
    """The text with what was changed on the disk put in, but for what was changed here too.

    Raises:
        KinetreeError: where one of the texts is not YAML.
    """
    here, text = _changes(base, mine), mine
    for path, value in _changes(base, disk).items():
        if any(_overlap(path, other) for other in here):
            continue
        if value is not MISSING:
            text = set_value(text, path, value)
        elif existing(yaml_text(text), path) == path:
            text = unset_value(text, path)
    return text


def _changes(old: str, new: str) -> dict[EntryPath, Any]:
    """What to set or to take out so that one text says what another says."""
    data = [yaml_text(text).plain.data for text in (old, new)]
    for row in data:
        if not isinstance(row, dict):
            raise KinetreeError("it holds no mapping", element="the text", cure="keep one of them")
    return dict(differences(*data))


def _overlap(a: EntryPath, b: EntryPath) -> bool:
    """Whether one path is the other, or leads into it."""
    size = min(len(a), len(b))
    return a[:size] == b[:size]


def _same(a: Any, b: Any) -> bool:
    return a is b if MISSING in (a, b) else bool(a == b)


def _at(text: str, path: EntryPath) -> Any:
    try:
        return yaml_text(text).value(path)
    except KeyError:
        return None
