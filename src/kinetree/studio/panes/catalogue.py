"""Kinds of elements with their fields, for palette and forms, from the tables of their rooms.

A new joint, closure or force appears by its row; nothing here knows one by its name.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from inspect import signature
from typing import Any

from kinetree.errors import KinetreeError
from kinetree.formats.edits.names import PLACES
from kinetree.formats.edits.operations import OPERATIONS
from kinetree.formats.pictures import OUTLINES
from kinetree.formats.schema import json_schema
from kinetree.formats.schema_kinds import KINDED, ROWS
from kinetree.model import REQUIRED, ElementKind, JointKind
from kinetree.studio.messages import CatalogueMessage, FieldMessage, KindMessage, StepMessage
from kinetree.studio.panes.diagrams import step_messages
from kinetree.view.diagram.content import motion_sign

UNIT = re.compile(r" ?\[([^\]]+)\]\Z")
"""The unit at the end of a description."""
PLAIN_SECTIONS = ("parameters", "tables", "bodies", "wrenches", "drives", "states", "clocks",
                  "outputs", "events")  # fmt: skip
"""Sections whose elements are all of one kind."""
LEFT_OUT = ("kind", "off")
FIRST_AXES = {"axis": "z", "normal": "z", "steps": ()}
"""Directions of an element that nobody has given any."""


@lru_cache(1)
def catalogue() -> CatalogueMessage:
    """All kinds."""
    schema = json.loads(json_schema())
    kinds = [_section(schema, name) for name in PLAIN_SECTIONS]
    for section, models in KINDED.items():
        for model in models.values():
            title = model.__name__
            kinds.append(_kind(section, ROWS[title], schema["$defs"][title], schema))
    return CatalogueMessage(
        kinds=kinds, outlines=list(OUTLINES),
        operations={name: _arguments(verb) for name, verb in OPERATIONS.items()},
    )  # fmt: skip


def _arguments(verb: Callable[..., str]) -> list[str]:
    """What an operation takes, the text left out; those that may be left out end with a sign."""
    rows = list(signature(verb).parameters.values())[1:]
    return [row.name + ("?" if row.default is not row.empty else "") for row in rows]


def _section(schema: Mapping[str, Any], section: str) -> KindMessage:
    """A section without kinds."""
    row = schema["properties"][section]["additionalProperties"]
    whole = next((r for r in (row, *row.get("anyOf", ())) if "$ref" in r), row)
    data = _resolve(whole, schema)
    return KindMessage(
        section=section, kind="", text=_first_sentence(data.get("description", "")),
        places=list(PLACES.get(section, ())), steps=[],
        fields=_fields(section, None, data, schema),
    )  # fmt: skip


def _kind(
    section: str, kind: ElementKind, data: Mapping[str, Any], schema: Mapping[str, Any]
) -> KindMessage:
    return KindMessage(
        section=section, kind=kind.name, text=_about(kind), places=list(kind.labels),
        steps=_steps(kind), fields=_fields(section, kind, data, schema),
    )  # fmt: skip


def _about(kind: ElementKind) -> str:
    """The first sentence of the page of a kind: that of the module that holds its row."""
    maker = getattr(kind, "motions", None) or getattr(kind, "write", None)
    maker = maker or getattr(kind, "conditions", None)
    module = inspect.getmodule(maker) if maker is not None else None
    text = (module.__doc__ or "") if module is not None else ""
    return _first_sentence(text) or f"{kind.name} {kind.noun}"


def _first_sentence(text: str) -> str:
    return " ".join(text.strip().partition("\n\n")[0].split())


def _steps(kind: ElementKind) -> list[StepMessage]:
    """Motions of a joint with the directions that it has unless others are given."""
    if not isinstance(kind, JointKind):
        return []
    given = {
        name: FIRST_AXES.get(name, 1.0) if default is REQUIRED else default
        for name, default in kind.options.items()
    }
    try:
        motions = kind.motions(given, kind.name)
    except KinetreeError:  # the steps of a sequence are the user's
        return []
    return step_messages(tuple(map(motion_sign, motions)))


def _fields(
    section: str, kind: ElementKind | None, data: Mapping[str, Any], schema: Mapping[str, Any]
) -> list[FieldMessage]:
    needed = data.get("required", ())
    made = []
    for name, row in data.get("properties", {}).items():
        if name in LEFT_OUT:
            continue
        text = str(row.get("description", ""))
        unit = UNIT.search(text)
        units = getattr(kind, "units", {})
        spelled = str(units.get(name, unit[1] if unit else ""))
        form, choices, size = _form(section, kind, name, _plain(row, schema))
        made.append(FieldMessage.model_validate({
            "name": name, "text": UNIT.sub("", text), "unit": spelled, "form": form,
            "required": name in needed, "default": row.get("default"), "choices": choices,
            "size": size,
        }))  # fmt: skip
    return made


def _resolve(row: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = schema["$defs"][row["$ref"].rpartition("/")[2]]
    return found


def _plain(row: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """A field that may be missing as one that is there."""
    options = [r for r in row.get("anyOf", ()) if r.get("type") != "null"]
    if len(options) == 1:
        row = {**row, **options[0]}
        row.pop("anyOf", None)
        if "anyOf" in options[0]:
            return _plain(row | {"anyOf": options[0]["anyOf"]}, schema)
    if "$ref" in row:
        return {**row, "type": "object"}
    return row


WORDS = {
    frozenset({"number", "string"}): "expression",
    frozenset({"number"}): "number",
    frozenset({"integer"}): "number",
    frozenset({"boolean"}): "flag",
}
"""How a plain field is entered, by the types that it may have; all others are text."""


def _form(
    section: str, kind: ElementKind | None, name: str, row: Mapping[str, Any]
) -> tuple[str, list[str], list[int]]:
    """How a field is entered, words that it may be, and how many entries it has."""
    size = [row.get("minItems", 0), row.get("maxItems", 0)] if "maxItems" in row else []
    choices = [str(word) for word in row.get("enum", ())]
    types = frozenset(str(r.get("type")) for r in row.get("anyOf", ())) or {str(row.get("type"))}
    form = _named_form(section, kind, name)
    if not form and choices:
        form = "choice"
    elif not form and "array" in types:
        form = "vector" if size == [3, 3] else "list"
    elif not form and "object" in types:
        form = "mapping"
    return form or WORDS.get(frozenset(types), "text"), choices, size


def _named_form(section: str, kind: ElementKind | None, name: str) -> str:
    """How a field is entered whose name says it; empty for others."""
    if name in (*PLACES.get(section, ()), *(kind.labels if kind is not None else ())):
        return "place"
    if kind is not None and name in (*kind.coordinates, *kind.velocities):
        return "joint"
    return {"axis": "axis", "normal": "axis", "axes": "axes"}.get(name, "")
