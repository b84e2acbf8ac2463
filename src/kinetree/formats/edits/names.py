"""Names in a model file: where elements are spoken of, so that a new name reaches all of them.

| where | how an element is spoken of |
|---|---|
| places (parent, child, at, …) | BODY, BODY.POINT |
| expressions | PARAMETER, q_NAME, qd_NAME of coordinates, x_STATE, table_TABLE, ELEMENT.QUANTITY |
| joints and velocities (joint, first, …; drives) | JOINT, or one of its coordinates JOINT_1 |
| changes of events | q_NAME, qd_NAME, x_STATE |
| vary | PARAMETER, ELEMENT.QUANTITY |
| ports and fluids (first, second, fluid) | FORCE, or one of its ports FORCE_cap |
| options of runs | words of lists, NAME=… and expressions: see `SETTINGS` |
| shapes, layout | BODY, ELEMENT |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from kinetree.formats.edits.entries import EntryPath
from kinetree.formats.expression import TOKEN
from kinetree.formats.schema_kinds import KINDED
from kinetree.model import ANY, CLOSURES, FLUID, FORCES, JOINTS, ElementKind, ForceKind

ROWS: dict[str, Any] = {"joints": JOINTS, "closures": CLOSURES, "forces": FORCES}
"""Tables of kinds by section."""
PLACES = {
    "joints": ("parent", "child"),
    "wrenches": ("at",),
    "outputs": ("point", "relative_to", "frame"),
}
"""Fields that name a body or one of its points."""
EXPRESSIONS = {
    "bodies": ("mass", "com", "inertia", "points"),
    "joints": ("armature",),
    "drives": ("law",),
    "states": ("rate", "sampled", "remembered"),
    "outputs": ("expression",),
    "events": ("when", "then"),
}
"""Fields that hold expressions, at any depth."""
CLOCKS = {"states": "clock", "clocks": "of"}
SETTINGS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("q", "qd", "tau", "independent", "lock", "actuator"), ("joints",)),
    **dict.fromkeys(("set", "over", "by"), ("parameters",)),
    **dict.fromkeys(("output", "measures", "objective"), ("parameters", "outputs")),
    "free": ("parameters", "joints"),
    "input": ("parameters", "wrenches"),
    "joint": ("joints", "closures"),
    "x": ("states", "forces"),
    "bodies": ("bodies",),
}
"""Options of runs that speak of elements -> sections whose names may stand there alone."""
LABELLED = ("measures", "objective")
"""Options in which NAME= gives a name of its own, and NAME( is a function
or a table."""
SETTING_WORD = re.compile(r"(?<![\w.])[^\W\d][\w.]*(?P<mark>\s*[=(])?")
SETTING_STEMS = ("q0.", "qd0.", "tau_")
"""What coordinates begin with in options alone."""
STEMS = {
    "q_": ("joints", "_"),
    "qd_": ("joints", "_"),
    "qdd_": ("joints", "_"),
    "x_": ("states", "."),
    "table_": ("tables", "."),
}
"""What names in expressions begin with -> the section of the element, what may follow its name."""


@dataclass(frozen=True)
class Use:
    """A text in which elements are spoken of.

    Attributes:
        path: of the text, or of the entry whose name it is.
        role: "place", "expression", "joint", "port", "change", "clock", "vary",
            "setting" or "picture".
        is_key: whether it is the name of an entry.
        labels: names that mean something else here, such as the points of a law.
    """

    path: EntryPath
    role: str
    is_key: bool = False
    labels: tuple[str, ...] = ()


def uses(data: Any) -> Iterator[Use]:
    """All texts of a document in which elements are spoken of."""
    yield from _texts(("gravity",), data.get("gravity"), "expression")
    ground = data.get("ground")
    yield from _texts(("ground",), ground, "expression")
    for section in (*EXPRESSIONS, "wrenches", "closures", "forces", "clocks"):
        rows = data.get(section)
        for name, row in rows.items() if isinstance(rows, dict) else ():
            path = (section, name)
            if isinstance(row, dict):
                yield from _fields(section, path, row)
            else:  # the short form: an expression, a number, a clock's period
                yield from _texts(path, row, "expression")
            if section == "drives":
                yield Use(path, "joint", is_key=True)
    yield from _texts(("vary",), data.get("vary"), "vary")
    yield from _settings(data.get("runs"))
    for section, deep in (("shapes", 1), ("layout", 2)):
        yield from _keys((section,), data.get(section), deep)


def _fields(section: str, path: EntryPath, row: dict[str, Any]) -> Iterator[Use]:
    """Uses in one element."""
    kind = _kind(section, row)
    roles = dict.fromkeys(PLACES.get(section, ()), "place")
    roles |= dict.fromkeys(EXPRESSIONS.get(section, ()), "expression")
    labels: tuple[str, ...] = ()
    if section in CLOCKS:
        roles[CLOCKS[section]] = "clock"
    if kind is not None:
        named = row.get("points") if kind.places == ANY else None
        labels = tuple(named) if isinstance(named, dict) else kind.labels
        roles |= dict.fromkeys((*kind.labels, *(("points",) if named else ())), "place")
        spelled = (*kind.scalars, *kind.vectors, *kind.laws, *kind.vector_laws)
        roles |= dict.fromkeys(spelled, "expression")
        roles |= dict.fromkeys((*kind.coordinates, *kind.velocities), "joint")
    if isinstance(kind, ForceKind):
        roles |= dict.fromkeys((*kind.belongings.joins, FLUID), "port")
    for name, value in row.items():
        if name in roles:
            yield from _texts((*path, name), value, roles[name], labels)
    if section == "joints" and isinstance(row.get("mimic"), dict):
        yield from _texts((*path, "mimic", "joint"), row["mimic"].get("joint"), "joint")
    if section == "events":
        changed = row.get("then")
        for name in changed if isinstance(changed, dict) else ():
            yield Use((*path, "then", name), "change", is_key=True)


def _kind(section: str, row: dict[str, Any]) -> ElementKind | None:
    """The row of the table of kinds that an element follows."""
    kind = row.get("kind")
    if section not in ROWS or not isinstance(kind, str):
        return None
    return ROWS[section][kind] if kind in KINDED[section] else None


def _texts(path: EntryPath, value: Any, role: str, labels: tuple[str, ...] = ()) -> Iterator[Use]:
    """Every text in a value."""
    if isinstance(value, str):
        yield Use(path, role, labels=labels)
    elif isinstance(value, dict | list):
        for name, entry in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _texts((*path, name), entry, role, labels)


def _settings(runs: Any) -> Iterator[Use]:
    """Options of runs that speak of elements."""
    for name, row in runs.items() if isinstance(runs, dict) else ():
        options = row.get("options") if isinstance(row, dict) else None
        for option, value in options.items() if isinstance(options, dict) else ():
            if option in SETTINGS:
                yield from _texts(("runs", name, "options", option), value, "setting")


def _keys(path: EntryPath, value: Any, deep: int) -> Iterator[Use]:
    """Names of the entries at a depth of a value."""
    for name, entry in value.items() if isinstance(value, dict) else ():
        if deep == 1:
            yield Use((*path, name), "picture", is_key=True)
        else:
            yield from _keys((*path, name), entry, deep - 1)


def renaming(data: Any, path: EntryPath, new: str) -> Callable[[str, Use], str]:
    """From a text and where it is to the text after an element has got a new name.

    Args:
        data: the document.
        path: of the element, such as ("joints", "elbow") or ("bodies", "rod", "points", "tip").
        new: its name.
    """
    section, old = str(path[0]), str(path[-1])
    if len(path) > 2:
        owner = "ground" if section == "ground" else str(path[1])
        return lambda text, use: _moved_point(text, use, f"{owner}.{old}", f"{owner}.{new}")
    return _Renaming(data, section, old, new)


def _moved_point(text: str, use: Use, old: str, new: str) -> str:
    """The text after a point BODY.POINT has got a new name."""
    if use.role == "place":
        return new if text == old else text
    if use.role not in ("expression", "vary", "setting"):
        return text
    words = _setting_words if use.role == "setting" else tokens
    return words(text, lambda word: new + word[len(old) :] if _of(word, old, "_") else word)


class _Renaming:
    """A new name for an element of a section."""

    def __init__(self, data: Any, section: str, old: str, new: str) -> None:
        self.section, self.old, self.new = section, old, new
        sections = {name: rows for name, rows in data.items() if isinstance(rows, dict)}
        named = [str(name) for rows in sections.values() for name in rows]
        self.longer = [name for name in named if name.startswith(old) and name != old]
        row = sections.get(section, {}).get(old)
        self.row: dict[str, Any] = row if isinstance(row, dict) else {}
        self.states = sections.get("states", {})
        self.body = sections.get("bodies", {}).get(old)
        self.alone = sum(old in rows for rows in sections.values()) == 1

    def __call__(self, text: str, use: Use) -> str:
        """The text with the new name, if it speaks of the element."""
        mine = {"place": "bodies", "joint": "joints", "clock": "clocks"}
        if use.role == "port":
            return self.port(text) if self.section == "forces" else text
        if use.role in mine:
            end = "_" if use.role == "joint" else "."
            return self.swap(text, end) if mine[use.role] == self.section else text
        if use.role == "picture":
            return self.new if text == self.old and self.is_pictured() else text
        if use.role == "expression":
            return tokens(text, lambda word: self.token(word, use.labels))
        if use.role == "setting":
            option = str(use.path[-1])
            return _setting_words(
                text, lambda word: self.setting(word, option), labelled=option in LABELLED
            )
        return self.token(text)

    def swap(self, word: str, end: str) -> str:
        """A word that is the old name, or begins with it and with no longer name of another."""
        mine = word == self.old or _of(word, self.old, end)
        other = any(word == name or _of(word, name, end) for name in self.longer)
        return self.new + word[len(self.old) :] if mine and not other else word

    def port(self, word: str) -> str:
        """A fluid, a port or a state of a force: its name, or that with an ending of its kind."""
        kind = _kind("forces", self.row)
        ends = kind.belongings.ports if isinstance(kind, ForceKind) else ()
        mine = word == self.old or word in [self.old + end for end in ends]
        return self.new + word[len(self.old) :] if mine else word

    def setting(self, word: str, option: str) -> str:
        """A name in an option of a run."""
        stem = next((stem for stem in SETTING_STEMS if word.startswith(stem)), "")
        if stem and self.section == "joints":
            return stem + self.swap(word[len(stem) :], "_")
        if self.section not in SETTINGS[option]:
            return word if word == self.old else self.token(word)
        if self.section in ("parameters", "outputs"):
            return self.token(word)
        if self.section == "forces":
            return self.port(word) if self.brings(word) else word
        return self.swap(word, "_" if self.section in ("joints", "wrenches") else ".")

    def token(self, word: str, labels: tuple[str, ...] = ()) -> str:
        """A name in an expression."""
        for stem, (section, end) in STEMS.items():
            if word.startswith(stem):
                rest = word[len(stem) :]
                if stem == "x_" and self.brings(rest):
                    return stem + self.port(rest)
                return stem + self.swap(rest, end) if section == self.section else word
        if word.partition(".")[0] in labels:
            return word
        if word == self.old:
            return self.new if self.section in ("parameters", "outputs") else word
        return self.swap(word, ".") if self.owns(word[len(self.old) + 1 :]) else word

    def brings(self, state: str) -> bool:
        """Whether a state is one that a force element brings: the file does not list it."""
        return self.section == "forces" and state not in self.states

    def owns(self, quantity: str) -> bool:
        """Whether ELEMENT.quantity is of this element, and not of one with the same name."""
        if self.body is None or self.alone:
            return True
        points = self.body.get("points") if isinstance(self.body, dict) else None
        stems = ("mass", "com_", "inertia_", *(f"{name}_" for name in points or ()))
        return quantity.startswith(stems) == (self.section == "bodies")

    def is_pictured(self) -> bool:
        """Whether pictures mean this element by the name, not a body that has it too."""
        return self.section == "bodies" or self.body is None


def _setting_words(text: str, change: Callable[[str], str], *, labelled: bool = False) -> str:
    """An option of a run with other names."""

    def exchange(match: re.Match[str]) -> str:
        mark = match["mark"] or ""
        if labelled and mark and not match[0].startswith("table_"):
            return match[0]
        return change(match[0].removesuffix(mark)) + mark

    return SETTING_WORD.sub(exchange, text)


def _of(word: str, name: str, end: str) -> bool:
    """Whether a word is a name with something behind it."""
    return word.startswith(name + end)


def tokens(text: str, change: Callable[[str], str]) -> str:
    """An expression with other names; what is no expression stays as it is."""
    made, at = [], 0
    while (match := TOKEN.match(text, at)) is not None:
        name = match["name"]
        begin = match.start("name") if name else match.end()
        made.append(text[at:begin] + (change(name) if name else ""))
        at = match.end()
    return "".join(made) + text[at:]
