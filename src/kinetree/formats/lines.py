"""Lines of a model file: where the element of a mistake stands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, SequenceNode

from kinetree.errors import combine

if TYPE_CHECKING:
    from kinetree.errors import KinetreeError

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
    "force": "forces",
    "table": "tables",
}


def located(error: KinetreeError, text: str) -> KinetreeError:
    """The same error, its elements with the lines of the file on which they stand."""
    try:
        root = YAML(typ="rt", pure=True).compose(text)
    except YAMLError:
        return error
    parts = []
    for part in error.parts:
        line = line_of(root, part.element)
        place = f"{part.element}, line {line}" if line else part.element
        parts.append(type(part)(part.problem, element=place, cure=part.cure))
    return combine(parts, type(error))


def line_of(root: Any, element: str) -> int:
    """Line of an element, counted from 1; that of what holds it where it is missing; 0 for none."""
    steps = steps_of(element)
    line, node = 0, root
    while steps:
        found = _entry(node, steps)
        if found is None:
            break
        line, node, steps = found
    return line


def steps_of(element: str) -> list[str]:
    """The path to an element: sections, names, fields, positions."""
    named = NAMED.match(element)
    if named and named[1] in SECTIONS:
        return [SECTIONS[named[1]], named[2], *([named[3]] if named[3] else [])]
    return [step for step in re.split(r"[.\[\]]+", element) if step]


def _entry(node: Any, steps: list[str]) -> tuple[int, Any, list[str]] | None:
    """Line and node of the first step, and the steps that are left; names may hold dots."""
    if isinstance(node, SequenceNode):
        k = int(steps[0]) if steps[0].isdigit() else len(node.value)
        if k >= len(node.value):
            return None
        return node.value[k].start_mark.line + 1, node.value[k], steps[1:]
    if not isinstance(node, MappingNode):
        return None
    entries = {str(key.value): (key, value) for key, value in node.value}
    for size in range(len(steps), 0, -1):
        name = ".".join(steps[:size])
        if name in entries:
            key, value = entries[name]
            return key.start_mark.line + 1, value, steps[size:]
    return None


__all__ = ["line_of", "located"]
