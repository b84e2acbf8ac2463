"""What is wrong with a text as a model, told at its lines, and how its loops stand."""

from __future__ import annotations

import re
import warnings
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any

from kinetree.assembly import facts
from kinetree.assembly.partition import partition
from kinetree.errors import KinetreeError
from kinetree.formats.lines import line_of
from kinetree.formats.yaml_file import read
from kinetree.formats.yaml_plain import Plain, read_plain
from kinetree.model import Model
from kinetree.view.diagram.content import diagram_of
from kinetree.view.diagram.svg import svg

LINE = re.compile(r", line (\d+)\Z")


@dataclass(frozen=True)
class StudioFinding:
    """One sentence about an element.

    Attributes:
        severity: "error", "warning" or "note".
        element: what it speaks of.
        problem, cure: the sentence.
        line: where the element stands, counted from 1; 0 for nowhere.
    """

    severity: str
    element: str
    problem: str
    cure: str
    line: int


@dataclass(frozen=True)
class TextCheck:
    """What a text is.

    Attributes:
        model: described by it; None where it has errors.
        findings: all that is to be said.
        loops: mobility, partition and what is redundant, for a closed model whose loops close.
    """

    model: Model | None
    findings: tuple[StudioFinding, ...]
    loops: dict[str, Any] = field(default_factory=dict)

    def data(self) -> dict[str, Any]:
        """As plain data."""
        return {"findings": [asdict(row) for row in self.findings], "loops": self.loops}


@lru_cache(8)
def check(text: str) -> TextCheck:
    """Read a text as a model, and say everything that is to be said of it."""
    try:
        plain = read_plain(text, "the file")
        model = read(text)
    except KinetreeError as error:
        return TextCheck(None, tuple(_mistake(part) for part in error.parts))
    rows = [
        StudioFinding(f.severity, f.element, f.problem, f.cure, line_of(plain, f.element))
        for f in model.findings()
    ]
    rows += _switched_off(model, plain)
    loops: dict[str, Any] = {}
    if model.closures and not any(row.severity == "error" for row in rows):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                loops = facts(partition(model))
        except KinetreeError as error:
            rows += [_mistake_at(part, plain) for part in error.parts]
    return TextCheck(model, tuple(rows), loops)


def picture(text: str, *, styled: bool) -> str | None:
    """The diagram of a text as SVG; None where it describes no model."""
    model = check(text).model
    return None if model is None else svg(diagram_of(model), styled=styled)


def _mistake(part: KinetreeError) -> StudioFinding:
    """A mistake of a file, whose element has its line already."""
    found = LINE.search(part.element)
    element = LINE.sub("", part.element)
    return StudioFinding("error", element, part.problem, part.cure, int(found[1]) if found else 0)


def _mistake_at(part: KinetreeError, plain: Plain) -> StudioFinding:
    return StudioFinding(
        "error", part.element, part.problem, part.cure, line_of(plain, part.element)
    )


def _switched_off(model: Model, plain: Plain) -> list[StudioFinding]:
    names = [f"{section}.{name}" for section, rows in model.switched_off.items() for name in rows]
    return [
        StudioFinding("note", name, "it is switched off", "switch it on", line_of(plain, name))
        for name in names
    ]
