"""Values of a YAML text set and taken out: of two mappings only what differs is touched.

What is shared by anchors and aliases is written out first where an edit would change one of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from kinetree.formats.edits.entries import EntryPath, YamlText, insert, remove, replace, yaml_text
from kinetree.formats.yaml_plain import MERGE, Spot


def assign(text: str, path: EntryPath, value: Any) -> str:
    """The text with a value at a path; mappings on the way that are missing are made."""
    there = existing(yaml_text(text), path)
    for step in reversed(path[len(there) + 1 :]):
        value = {step: value}
    if len(there) < len(path):
        if not isinstance(yaml_text(text).value(there), dict):
            return assign(text, there, {path[len(there)]: value})
        return insert(
            yaml_text(write_out(text, there, below=False)), there, str(path[len(there)]), value
        )
    text = write_out(text, path)
    source = yaml_text(text)
    found = list(differences(source.value(path), value, path))
    for at, new in found:
        if new is MISSING and _is_merged(source, at):
            return assign(_write_merged(source, at[:-1]), path, value)
    there_now = [(at, new) for at, new in found if new is not MISSING and _is_there(source, at)]
    text = replace_all(text, there_now)
    for at, new in found:
        if new is MISSING:
            text = remove(yaml_text(text), at)
        elif not _is_there(source, at):
            text = insert(yaml_text(text), at[:-1], str(at[-1]), new)
    return text


def replace_all(text: str, values: Iterable[tuple[EntryPath, Any]]) -> str:
    """The text with other values at paths that are there, none of them inside another."""
    values = list(values)
    for path, _ in values:
        text = write_out(text, path)
    source = yaml_text(text)
    # from the end to the beginning: places in front of a change stay what they are
    for path, new in sorted(values, key=lambda row: source.spot(row[0]).start, reverse=True):
        text = replace(_at_places_of(source, text), path, new)
    return text


def unset(text: str, path: EntryPath) -> str:
    """The text without the entry at a path, which does not come back by a merge either."""
    source = yaml_text(write_out(text, path))
    if _is_merged(source, path):
        source = yaml_text(_write_merged(source, path[:-1]))
    return remove(source, path)


MISSING: Any = object()
"""Stands for no value."""


def differences(old: Any, new: Any, path: EntryPath = ()) -> Iterator[tuple[EntryPath, Any]]:
    """What to set, or to take out (MISSING), so that `old` becomes `new`; deepest places."""
    if same(old, new):
        return
    if isinstance(old, dict) and isinstance(new, dict) and old and new:
        for name in old:
            yield from differences(old[name], new.get(name, MISSING), (*path, name))
        for name in new:
            if name not in old:
                yield (*path, name), new[name]
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for k, (a, b) in enumerate(zip(old, new, strict=True)):
            yield from differences(a, b, (*path, k))
    else:
        yield path, new


def same(a: Any, b: Any) -> bool:
    """Whether two values are equal, kinds of numbers and the order of entries included."""
    if MISSING in (a, b):
        return a is b
    return json.dumps(a) == json.dumps(b)


def existing(source: YamlText, path: EntryPath) -> EntryPath:
    """The longest beginning of a path that is there."""
    for size in range(len(path), -1, -1):
        if _is_there(source, path[:size]):
            return path[:size]
    return ()


def _is_there(source: YamlText, path: EntryPath) -> bool:
    try:
        source.value(path)
    except KeyError:
        return False
    return True


def _is_merged(source: YamlText, path: EntryPath) -> bool:
    """Whether an entry that is taken out would be there still, by a merge."""
    own = source.spots(path[:-1])
    if MERGE not in own:
        return False
    return path[-1] not in own or _is_there(yaml_text(remove(source, path)), path)


def write_out(text: str, path: EntryPath, *, below: bool = True, alone: bool = False) -> str:
    """The text in which nothing at, above or below a path is shared by an anchor.

    Args:
        text: of the file.
        path: of the entry.
        below: whether what is below the path counts, too; a new entry leaves it as it is.
        alone: whether aliases below the path that repeat something else are written out, too.
    """
    if "&" not in text:
        return text
    while (shared := next(_aliases(yaml_text(text), path, below, alone), None)) is not None:
        source = yaml_text(text)
        if shared[-1] in source.spots(shared[:-1]):
            text = replace(source, shared, source.value(shared))
        else:
            text = _write_merged(source, shared[:-1])
    return text


def _write_merged(source: YamlText, path: EntryPath) -> str:
    """The text in which a mapping has all of its entries itself."""
    value, own = source.value(path), source.spots(path)
    text = remove(source, (*path, MERGE)) if len(own) > 1 else replace(source, path, value)
    for name in [name for name in value if name not in own]:
        if name not in yaml_text(text).value(path):
            text = insert(yaml_text(text), path, name, value[name])
    return text


def _aliases(source: YamlText, path: EntryPath, below: bool, alone: bool) -> Iterator[EntryPath]:
    """Paths of aliases that repeat what is at, above or below a path, or stand there."""
    anchors: set[str] = set()
    for size in range(1, len(path) + 1):
        at = path[:size]
        if at[-1] not in source.spots(at[:-1]):  # by a merge
            yield at
            return
        spot = source.spot(at)
        if spot.alias:
            yield at
            return
        anchors |= {spot.anchor} if spot.anchor else set()
    if below:
        anchors |= {spot.anchor for _, spot in _walk(source, path) if spot.anchor}
    for at, spot in _walk(source, ()):
        within = alone and at[: len(path)] == path
        if at[-1] == MERGE and (anchors or within):
            value, own = source.value(at[:-1]), source.spots(at[:-1])
            yield from ((*at[:-1], name) for name in value if name not in own)
        elif spot.alias and (within or spot.alias in anchors):
            yield at


def _walk(source: YamlText, path: EntryPath) -> Iterator[tuple[EntryPath, Spot]]:
    """Every entry below a path with its place; not those that an alias repeats."""
    work = [path]
    while work:
        at = work.pop()
        value = source.value(at)
        if not isinstance(value, dict | list):
            continue
        for name, spot in source.spots(at).items():
            yield (*at, name), spot
            if not spot.alias and name != MERGE:
                work.append((*at, name))


def _at_places_of(source: YamlText, text: str) -> YamlText:
    """A text that was changed behind a place only, with the places of the text before."""
    made = YamlText(text)
    made.__dict__["plain"] = source.plain
    return made
