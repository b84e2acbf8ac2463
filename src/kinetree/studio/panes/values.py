"""Present values of the expressions of a text."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from kinetree.engine import Node, as_node
from kinetree.errors import KinetreeError
from kinetree.formats.edits.entries import yaml_text
from kinetree.formats.edits.names import uses
from kinetree.formats.expression import parse
from kinetree.studio.messages import ValuesMessage
from kinetree.units import to_si


def values_message(text: str, revision: int) -> ValuesMessage:
    """Path of every expression of parameters alone -> its value in SI units."""
    return ValuesMessage(revision=revision, values=dict(_values(text)))


@lru_cache(4)
def _values(text: str) -> tuple[tuple[str, float], ...]:
    try:
        source = yaml_text(text)
        data = source.plain.data
    except KinetreeError:
        return ()
    if not isinstance(data, dict):
        return ()
    names = _parameters(data.get("parameters"))
    found = []
    for use in uses(data):
        written = source.value(use.path) if use.role == "expression" and not use.is_key else None
        value = _value(written, names) if isinstance(written, str) else None
        if value is not None:
            found.append((".".join(map(str, use.path)), value))
    return tuple(found)


def _parameters(rows: Any) -> dict[str, Node]:
    """Parameters with their values; those that have none are passed over."""
    made: dict[str, Node] = {}
    for name, row in rows.items() if isinstance(rows, dict) else ():
        value = row.get("value") if isinstance(row, dict) else row
        unit = row.get("unit", "") if isinstance(row, dict) else ""
        if isinstance(value, int | float) and not isinstance(value, bool):
            try:
                made[str(name)] = as_node(to_si(float(value), str(unit), str(name))[0])
            except KinetreeError:
                continue
    return made


def _value(written: str, names: dict[str, Node]) -> float | None:
    """The value of an expression; None for one of states or time, or one that cannot be read."""
    try:
        node = parse(written, names, "expression")
    except KinetreeError:
        return None
    return float(node.value) if node.is_number else None
