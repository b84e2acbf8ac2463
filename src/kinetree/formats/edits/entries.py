"""One entry of a YAML text changed: everything that is not of the entry keeps its bytes.

Each function takes a text as it was read and gives the text with one entry replaced, renamed, taken
out or put in.  Comments stay: those above an entry, and one behind a value that is replaced.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from kinetree.errors import FormatError
from kinetree.formats.edits.spelling import spell_entry, spell_flow, spell_tail
from kinetree.formats.yaml_plain import BYTE_ORDER, MERGE, Plain, Spot, read_plain

PROPERTIES = re.compile(r"^(?:[ \t]+[&!][^ \t]*)+")
"""Anchor and tag between a name and a value that begins in the next line."""
EntryPath = tuple[str | int, ...]
"""Names and positions from the whole document to a value."""


@dataclass(frozen=True)
class YamlText:
    """A YAML text and what it holds."""

    text: str

    @cached_property
    def plain(self) -> Plain:
        """Its data, with the place of every entry."""
        return read_plain(self.text, "the text")

    @cached_property
    def newline(self) -> str:
        """How its lines end: those of old machines in a return alone."""
        if "\r\n" in self.text:
            return "\r\n"
        return "\n" if "\n" in self.text or "\r" not in self.text else "\r"

    def value(self, path: EntryPath) -> Any:
        """The data at a path.

        Raises:
            KeyError: where there is none.
        """
        value = self.plain.data
        for step in path:
            if not isinstance(value, dict | list):
                raise KeyError(step)
            try:
                value = value[step]  # type: ignore[index]
            except (IndexError, TypeError):
                raise KeyError(step) from None
        return value

    def spot(self, path: EntryPath) -> Spot:
        """Where the entry at a path stands."""
        if not path:
            return self.plain.root
        return self.spots(path[:-1])[path[-1]]

    def spots(self, path: EntryPath) -> dict[Any, Spot]:
        """Where the entries of the mapping or list at a path stand, merged ones left out."""
        found = self.plain.spots[id(self.value(path))]
        merge = found.get(MERGE)
        return {name: spot for name, spot in found.items() if spot is not merge or name == MERGE}

    def line_end(self, at: int) -> int:
        """The end of the line that holds a position, its line end left out."""
        found = self.text.find(self.newline[-1], at)
        end = len(self.text) if found < 0 else found
        return end - 1 if self.text[max(at, end - 1) : end] == "\r" else end

    def next_line(self, at: int) -> int:
        """The beginning of the line below that of a position."""
        end = self.line_end(at)
        for newline in ("\r\n", "\n", self.newline):  # lines of one text may end differently
            if self.text.startswith(newline, end):
                return end + len(newline)
        return end

    def column(self, at: int) -> int:
        """The column of a position, counted from 0."""
        line = self.text[self.text.rfind(self.newline[-1], 0, at) + 1 : at]
        return len(line.removeprefix(BYTE_ORDER))

    def last(self, spot: Spot) -> int:
        """Behind the last character of an entry; empty lines at the end of a value are not its."""
        held = self.text[spot.start : spot.end].rstrip()
        return max(spot.start + len(held), spot.colon) if held else spot.colon


@lru_cache(4)
def yaml_text(text: str) -> YamlText:
    """A text and what it holds; the last ones are kept, since edits ask for one several times."""
    return YamlText(text)


def replace(source: YamlText, path: EntryPath, value: Any) -> str:
    """The text with another value at a path that is there."""
    text, spot = source.text, source.spot(path)
    if not path:
        return text[: spot.start] + spell_flow(value) + text[spot.end :]
    parent = source.spot(path[:-1])
    if isinstance(path[-1], int):
        gap = "" if spot.start < spot.end else " "  # behind the dash of an empty entry
        return text[: spot.start] + gap + spell_flow(value) + text[source.last(spot) :]
    if parent.flow:
        return _replace_in_brackets(source, spot, value)
    return _replace_below(source, spot, value)


def _replace_in_brackets(source: YamlText, spot: Spot, value: Any) -> str:
    """Of an entry of a mapping in brackets."""
    text, spelled = source.text, spell_flow(value)
    if spot.start < spot.end:
        return text[: spot.start] + spelled + text[spot.end :]
    colon = text.find(":", spot.colon, spot.end)
    if colon < 0:
        return f"{text[: spot.colon]}: {spelled}{text[spot.colon :]}"
    return f"{text[: colon + 1]} {spelled}{text[colon + 1 :]}"


def _replace_below(source: YamlText, spot: Spot, value: Any) -> str:
    """Of an entry of a mapping with a line for each: the comment behind its name or value stays."""
    text = source.text
    colon = _colon(source, spot)
    old = text[spot.start : spot.end].rstrip()
    last = max(colon, spot.start + len(old) if old else 0)
    inline = bool(old) and source.newline[-1] not in text[colon : spot.start] and spot.flow
    behind = last if inline else colon
    comment = text[behind : source.line_end(behind)]
    if not inline:
        comment = PROPERTIES.sub("", comment)
    tail = spell_tail(value, source.column(spot.key), source.newline)
    made = tail + comment if tail.startswith(" ") else comment.rstrip() + tail
    return text[:colon] + made + text[source.line_end(last) :]


def _colon(source: YamlText, spot: Spot) -> int:
    """Behind the colon of an entry with a line of its own."""
    found = source.text.find(":", spot.colon)
    if found < 0 or source.text[spot.colon : found].strip(" \t"):
        raise FormatError(
            f"an entry is not written as name: value, on line {spot.line}",
            element="the text",
            cure="write it so",
        )
    return found + 1


def rekey(source: YamlText, path: EntryPath, name: str) -> str:
    """The text with another name for an entry of a mapping."""
    spot = source.spot(path)
    return source.text[: spot.key] + spell_flow(name) + source.text[spot.colon :]


def remove(source: YamlText, path: EntryPath) -> str:
    """The text without an entry of a mapping; comments above it stay."""
    text, spots, spot = source.text, source.spots(path[:-1]), source.spot(path)
    if len(spots) == 1:
        return replace(source, path[:-1], {})
    names = list(spots)
    k = names.index(path[-1])
    if source.spot(path[:-1]).flow:
        if k + 1 < len(names):
            return text[: spot.key] + text[spots[names[k + 1]].key :]
        return text[: source.last(spots[names[k - 1]])] + text[source.last(spot) :]
    _colon(source, spot)
    begin = spot.key - source.column(spot.key)
    if not text[begin : spot.key].strip():
        return text[:begin] + text[source.next_line(source.last(spot)) :]
    if k + 1 == len(names):
        raise FormatError(
            f"the entry on line {spot.line} begins in the line of another",
            element="the text",
            cure="give it a line of its own",
        )
    return text[: spot.key] + text[spots[names[k + 1]].key :]


def insert(
    source: YamlText, path: EntryPath, name: str, value: Any, after: str | None = None,
    spelled: str = "",
) -> str:  # fmt: skip
    """The text with a new entry in the mapping at a path.

    Args:
        source: the text.
        path: of the mapping.
        name: of the entry, new there.
        value: its data.
        after: the entry that it follows, "" for none; None: the last one.
        spelled: how the entry is written between brackets, where that is known.
    """
    held = source.value(path) if source.plain.data is not None else None
    if not held:
        return _fill(source, path, {name: value})
    spots, spot = source.spots(path), source.spot(path)
    first, names = next(iter(spots.values())), list(spots)
    after = str(names[-1]) if after is None else after
    text, newline = source.text, source.newline
    if spot.flow and not text[: spot.end].endswith("}"):  # a pair in a list, as in [a: 1]
        return replace(source, path, {**held, name: value} if after else {name: value, **held})
    if spot.flow:
        spelled = spelled or f"{spell_flow(name)}: {spell_flow(value)}"
        if not after:
            return f"{text[: first.key]}{spelled}, {text[first.key :]}"
        last = source.last(spots[after])
        return f"{text[:last]}, {spelled}{text[last:]}"
    _colon(source, first)
    _colon(source, spots[after] if after else first)
    column = source.column(first.key)
    spelled = spell_entry(name, value, column, newline)
    if not after:
        return text[: first.key] + spelled + newline + " " * column + text[first.key :]
    end = source.line_end(source.last(spots[after]))
    return text[:end] + newline + " " * column + spelled + text[end:]


def move_entry(source: YamlText, path: EntryPath, after: str) -> str:
    """The text with an entry of a mapping behind another one ("": first), its lines as they are."""
    text, spot, holder = source.text, source.spot(path), path[:-1]
    begin = spot.key - source.column(spot.key)
    lines = text[begin : source.next_line(source.last(spot))]
    less = yaml_text(remove(source, path))
    if source.spot(holder).flow or text[begin : spot.key].strip():
        spelled = text[spot.key : source.last(spot)]
        return insert(less, holder, str(path[-1]), source.value(path), after, spelled)
    spots = less.spots(holder)
    if after:
        at = less.next_line(less.last(spots[after]))
    else:
        first = next(iter(spots.values())).key
        at = first - less.column(first)
    end = source.newline[-1]
    if not lines.endswith(end):  # the last line of the text; another one is the last now
        made = less.text[:at] + lines + source.newline + less.text[at:]
        return made.removesuffix(source.newline)
    if at == len(less.text) and not less.text.endswith(end):
        return less.text + less.newline + lines
    return less.text[:at] + lines + less.text[at:]


def _fill(source: YamlText, path: EntryPath, value: dict[str, Any]) -> str:
    """The text with the first entry of a mapping that is empty."""
    if path or source.plain.data is not None:
        return replace(source, path, value)
    ((name, entry),) = value.items()
    head = source.text
    if head and not head.endswith(source.newline[-1]):
        head += source.newline
    return head + spell_entry(name, entry, 0, source.newline) + source.newline
