"""Plain data of YAML text by the rules of YAML 1.2, with the place of every entry in the text.

A C library (libyaml) cuts the text into events; what they mean is decided here, without recursion
and in time proportional to the text: 1e-3 is a number, no is a word, a date is a word; mappings
have names for keys, each once; aliases become copies; nothing is ever run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from kinetree.errors import FormatError

MOST_COPIES = 500_000
"""Most values that aliases may copy; repeated ones multiply a small file without end."""
BYTE_ORDER = "\ufeff"
"""What some editors put in front of a text."""
DEEPEST = 200
"""Most brackets inside one another."""
WORDS = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
"""Plain words that are no text."""
INTEGER = re.compile(
    r"[-+]?(?:\d[\d_]*|0b[01][01_]*|0o[0-7][0-7_]*|0x[\da-fA-F][\da-fA-F_]*)\Z", re.ASCII
)
FLOAT = re.compile(
    r"[-+]?(?:(?:\d[\d_]*\.[\d_]*|\.\d[\d_]*)(?:[eE][-+]?\d+)?|\d[\d_]*[eE][-+]?\d+)\Z", re.ASCII
)
ENDLESS = re.compile(r"(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z")
NUMBER_STARTS = frozenset("+-.0123456789")
TAG = "tag:yaml.org,2002:"
MERGE = "<<"
"""The key whose mapping, or list of mappings, fills what the others do not say."""
EVENTS: Any = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
"""What cuts text into events; without the C library the same in Python, thirty times slower."""


@dataclass(slots=True)
class Spot:
    """Where an entry stands in the text, by positions of characters.

    Attributes:
        line: of its key or, in a list, of its value, counted from 1.
        key: beginning of the key; in a list that of the value.
        colon: end of the key; in a list the beginning of the value.
        start: beginning of the value, an anchor before it included; `end` for a value left out.
        end: behind the last character of the value.
        flow: whether the value is on one line by its style: a scalar, or in brackets.
        anchor: the name under which aliases speak of the value, if any.
        alias: the name of the anchor that the value repeats, if any.
    """

    line: int
    key: int
    colon: int
    start: int = 0
    end: int = 0
    flow: bool = True
    anchor: str | None = None
    alias: str | None = None


Spots = dict[int, dict[Any, Spot]]


@dataclass
class Plain:
    """Data of a file.

    Attributes:
        data: dicts with string keys, lists, strings, numbers, booleans, None; a tree.
        spots: by the identity of a dict or list: its key or position -> where it stands.
        root: where the data as a whole stands.
        text: that holds them.
    """

    data: Any = None
    spots: Spots = field(default_factory=dict)
    root: Spot = field(default_factory=lambda: Spot(1, 0, 0))
    text: str = ""


def read_plain(text: str, where: str) -> Plain:
    """The data that YAML text holds.

    Args:
        text: one document.
        where: names the source in errors.

    Raises:
        FormatError: with the line.
    """
    rest = text.removeprefix(BYTE_ORDER)
    reader = _EventReader(where, len(text) - len(rest))
    try:
        for event in _events(rest):
            reader.take(event)
    except yaml.YAMLError as error:
        raise _syntax_error(error, rest, where) from error
    except UnicodeEncodeError as error:
        raise FormatError(
            f"it holds an invalid character ({error.reason})", element=where, cure="leave it out"
        ) from error
    reader.plain.text = text
    return reader.plain


def _events(text: str) -> Iterator[Any]:
    parser = EVENTS(text)
    try:
        while parser.check_event():
            yield parser.get_event()
    finally:
        parser.dispose()


def _syntax_error(error: yaml.YAMLError, text: str, where: str) -> FormatError:
    """What libyaml found, in one line; what is left open ends on the last line of the text."""
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    mark = getattr(error, "problem_mark", None)
    last = max(text.rstrip().count(end) for end in "\n\r")
    return FormatError(
        f"this is not plain YAML: {' '.join(str(problem).split())}",
        element=f"{where}, line {min(mark.line, last) + 1}" if mark else where,
        cure="correct that line; a model file holds data only",
    )


@dataclass(slots=True)
class _Level:
    """A dict or list being filled.

    Attributes:
        holds: the dict or list.
        spots: of its entries.
        spot: its own.
        named: whether it is a dict.
        key: of a dict, the one that waits for its value.
        waiting: whether one does.
        merged: mappings that fill what is not said.
    """

    holds: Any
    spots: dict[Any, Spot]
    spot: Spot
    named: bool
    key: str = ""
    waiting: bool = False
    merged: list[dict[str, Any]] = field(default_factory=list)


class _EventReader:
    """Takes events one by one and builds the data of a text behind some skipped characters."""

    def __init__(self, where: str, skipped: int = 0) -> None:
        self.where, self.skipped = where, skipped
        self.plain = Plain()
        self.levels: list[_Level] = []
        self.anchors: dict[str, Any] = {}
        self.documents = 0
        self.copies = 0
        self.steps = {
            yaml.ScalarEvent: self.scalar,
            yaml.MappingStartEvent: self.begin,
            yaml.SequenceStartEvent: self.begin,
            yaml.MappingEndEvent: self.end,
            yaml.SequenceEndEvent: self.end,
            yaml.AliasEvent: self.alias,
            yaml.DocumentStartEvent: self.document,
        }

    def take(self, event: Any) -> None:
        """One event."""
        step = self.steps.get(type(event))
        if step is not None:
            step(event)

    def document(self, event: Any) -> None:
        """The beginning of a document, of which there is one."""
        self.documents += 1
        if self.documents > 1:
            raise self.wrong(event, "it holds more than one document", "keep one in a file")
        if event.version or event.tags:
            raise self.wrong(event, "it has a YAML directive", "remove the line with %")

    def scalar(self, event: Any) -> None:
        """A word or number."""
        text = event.value
        if event.tag is not None or event.anchor is not None or event.style:
            value = self.tagged_scalar(event, text)
        elif text in WORDS:
            value = WORDS[text]
        else:
            value = self.number(event, text) if text[0] in NUMBER_STARTS else text
        if event.anchor is not None:
            self.anchors[event.anchor] = value
        self.put(event, value, plain=not event.style)

    def tagged_scalar(self, event: Any, text: str) -> Any:
        """A scalar with quotes, or with a tag of YAML's own."""
        tag = (event.tag or "").removeprefix(TAG)
        if tag == "str" or event.tag == "!" or (not tag and event.style):
            return text
        value: Any = WORDS[text] if text in WORDS else self.number(event, text)
        kinds = {"int": int, "float": int | float, "bool": bool, "null": None, "": object}
        if tag not in kinds:
            raise self.unknown(event)
        kind: Any = kinds[tag]
        if value is None if kind is None else isinstance(value, kind):
            return float(value) if tag == "float" else value
        raise self.wrong(event, f"'{text}' does not fit its tag !!{tag}", "leave the tag out")

    def number(self, event: Any, text: str) -> Any:
        """The number that plain text spells, or the text."""
        if INTEGER.match(text):
            digits = text.replace("_", "")
            base = 0 if digits.lstrip("+-")[1:2] in ("b", "o", "x") else 10
            try:
                return int(digits, base)
            except ValueError:
                raise self.wrong(
                    event, f"a number has {len(text)} digits", "write it with an exponent"
                ) from None
        if FLOAT.match(text):
            return float(text.replace("_", ""))
        return float(text.replace(".", "")) if ENDLESS.match(text) else text

    def begin(self, event: Any) -> None:
        """The beginning of a mapping or list."""
        named = isinstance(event, yaml.MappingStartEvent)
        if event.tag not in (None, "!", TAG + ("map" if named else "seq")):
            raise self.unknown(event)
        if len(self.levels) >= DEEPEST:
            raise self.wrong(
                event, f"its values are nested more than {DEEPEST} deep", "write a plain model file"
            )
        holds: Any = {} if named else []
        if event.anchor is not None:
            self.anchors.pop(event.anchor, None)
        spot = self.put(event, holds, plain=False)
        spot.flow = bool(event.flow_style)
        level = _Level(holds, {}, spot, named)
        self.plain.spots[id(holds)] = level.spots
        self.levels.append(level)

    def end(self, event: Any) -> None:
        """The end of a mapping or list."""
        level = self.levels.pop()
        spot = level.spot
        if spot.flow:
            spot.end = event.end_mark.index + self.skipped
        elif level.spots:
            last = next(reversed(level.spots.values()))
            spot.end = max(last.colon, last.end)
        for other in level.merged:
            for name, value in other.items():
                if name not in level.holds:
                    level.holds[name] = self.copy_value(event, value)
                    level.spots[name] = level.spots[MERGE]
        if spot.anchor is not None:
            self.anchors[spot.anchor] = level.holds

    def alias(self, event: Any) -> None:
        """A copy of what carries the anchor."""
        if event.anchor not in self.anchors:
            known = any(level.spot.anchor == event.anchor for level in self.levels)
            if known:
                raise self.endless()
            raise self.wrong(event, f"nothing carries the anchor '{event.anchor}'", "name another")
        spot = self.put(event, self.copy_value(event, self.anchors[event.anchor]), plain=False)
        spot.anchor, spot.alias = None, event.anchor

    def put(self, event: Any, value: Any, *, plain: bool) -> Spot:
        """Give a value to what is being filled, as key or as entry; where that is."""
        start, end = self.places(event)
        if not self.levels:
            self.plain.data = value
            spot = self.plain.root
        elif not self.levels[-1].named:
            level = self.levels[-1]
            spot = Spot(event.start_mark.line + 1, start, start)
            level.spots[len(level.holds)] = spot
            level.holds.append(value)
        elif self.levels[-1].waiting:
            level = self.levels[-1]
            level.waiting = False
            spot = level.spots[level.key]
            if level.key == MERGE and MERGE not in level.holds:
                self.merge(event, level, value)
            else:
                level.holds[level.key] = value
        else:
            return self.key(event, self.levels[-1], value, plain=plain)
        spot.start, spot.end, spot.anchor = start, end, event.anchor
        return spot

    def places(self, event: Any) -> tuple[int, int]:
        """Where an event begins and ends in the whole text."""
        return event.start_mark.index + self.skipped, event.end_mark.index + self.skipped

    def key(self, event: Any, level: _Level, value: Any, *, plain: bool) -> Spot:
        """The name of the entry that follows; where it is."""
        if isinstance(value, dict | list):
            raise self.wrong(event, "a mapping or list stands for a name", "give a name")
        name = str(value)
        if name in level.spots:
            raise self.wrong(
                event,
                f"the name '{name}' stands twice in one section",
                "give every element a name of its own",
            )
        level.key, level.waiting = name, True
        level.spots[name] = Spot(event.start_mark.line + 1, *self.places(event))
        if name != MERGE or not plain:
            level.holds[name] = None
        return level.spots[name]

    def merge(self, event: Any, level: _Level, value: Any) -> None:
        """Keep the mappings of a merge key until the others are known."""
        listed = value if isinstance(value, list) else [value]
        if not all(isinstance(other, dict) for other in listed):
            raise self.wrong(event, "only mappings can be merged by <<", "name an anchor of one")
        level.merged += listed

    def copy_value(self, event: Any, value: Any) -> Any:
        """A copy of a value, with its lines; copies are counted."""
        top: list[Any] = [None]
        work: list[tuple[Any, Any, Any, int]] = [(value, top, 0, len(self.levels))]
        while work:
            old, holder, key, depth = work.pop()
            self.copies += 1
            if self.copies > MOST_COPIES or depth > DEEPEST:
                raise self.endless()
            new = old
            if isinstance(old, dict | list):
                new = dict.fromkeys(old) if isinstance(old, dict) else [None] * len(old)
                entries = old.items() if isinstance(old, dict) else enumerate(old)
                self.plain.spots[id(new)] = self.plain.spots[id(old)]
                work.extend((entry, new, name, depth + 1) for name, entry in entries)
            holder[key] = new
        return top[0]

    def endless(self) -> FormatError:
        """The error for aliases that multiply."""
        return FormatError(
            "its aliases unfold without end",
            element=self.where,
            cure="write the repeated parts out",
        )

    def unknown(self, event: Any) -> FormatError:
        """The error for a tag."""
        return self.wrong(
            event,
            f"this is not plain YAML: could not read the tag '{event.tag.removeprefix(TAG)}'",
            "leave the tag out; a model file holds data only",
        )

    def wrong(self, event: Any, problem: str, cure: str) -> FormatError:
        """A mistake on the line of an event."""
        line = event.start_mark.line + 1
        return FormatError(problem, element=f"{self.where}, line {line}", cure=cure)
