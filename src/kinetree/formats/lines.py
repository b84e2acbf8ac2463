"""Lines of a model file: where the element of a mistake stands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from kinetree.errors import KinetreeError, combine

if TYPE_CHECKING:
    from kinetree.formats.yaml_plain import Plain

NAMED = re.compile(r"(\w+) '([^']+)'(?: (\w+))?")
"""An element by its noun, name and field, as in "joint 'elbow' child"."""
SECTIONS = {
    "parameter": "parameters",
    "body": "bodies",
    "joint": "joints",
    "wrench": "wrenches",
    "closure": "closures",
    "drive": "drives",
    "state": "states",
    "clock": "clocks",
    "force": "forces",
    "table": "tables",
    "event": "events",
    "study": "studies",
}


def locate(error: KinetreeError, plain: Plain) -> KinetreeError:
    """The same error, its elements with the lines of the file on which they stand."""
    parts = []
    for part in error.parts:
        line = line_of(plain, part.element)
        place = f"{part.element}, line {line}" if line else part.element
        parts.append(type(part)(part.problem, element=place, cure=part.cure))
    return combine(parts, type(error))


def line_of(plain: Plain, element: str) -> int:
    """Line of an element, counted from 1; that of what holds it where it is missing; 0 for none."""
    steps = steps_of(element)
    line, value = 0, plain.data
    while steps:
        found = _entry(plain, value, steps)
        if found is None:
            break
        line, value, steps = found
    return line


def steps_of(element: str) -> list[str]:
    """The path to an element: sections, names, fields, positions."""
    named = NAMED.match(element)
    if named and named[1] in SECTIONS:
        return [SECTIONS[named[1]], named[2], *([named[3]] if named[3] else [])]
    return [step for step in re.split(r"[.\[\]]+", element) if step]


def _entry(plain: Plain, value: Any, steps: list[str]) -> tuple[int, Any, list[str]] | None:
    """Line and value of the first step, and the steps that are left; names may hold dots."""
    if isinstance(value, list):
        k = int(steps[0]) if steps[0].isdecimal() else len(value)
        return (plain.spots[id(value)][k].line, value[k], steps[1:]) if k < len(value) else None
    if not isinstance(value, dict):
        return None
    for size in range(len(steps), 0, -1):
        name = ".".join(steps[:size])
        if name in value:
            return plain.spots[id(value)][name].line, value[name], steps[size:]
    return None
