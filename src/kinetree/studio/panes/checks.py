"""What is wrong with a text as a model, told at its lines, and how its loops stand."""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kinetree.assembly import facts
from kinetree.errors import AssemblyError, KinetreeError
from kinetree.formats.edits.entries import yaml_text
from kinetree.formats.lines import line_of, steps_of
from kinetree.formats.yaml_file import read_data
from kinetree.formats.yaml_plain import Plain
from kinetree.model import Model
from kinetree.studio.messages import CheckMessage, FindingMessage, RepairMessage
from kinetree.studio.panes.doctor import LoopDoctor, LoopReport, ModelForm, form_of
from kinetree.studio.panes.repairs import repair
from kinetree.studio.shared import made_once
from kinetree.view.diagram.content import diagram_of
from kinetree.view.diagram.svg import svg
from kinetree.view.shapes import read_shapes

DOCTOR = LoopDoctor()
GAP = re.compile(r" is ([-+.\de]+) ?\S* off")
LINE = re.compile(r", line (\d+)\Z")


@dataclass(frozen=True)
class TextCheck:
    """What a text is.

    Attributes:
        model: described by it; None where it has errors.
        findings: all that is to be said.
        loops: mobility, partition and what is redundant, for a closed model whose loops close.
        gaps: closure -> how far it stays open.
        form: what its equations depend on; None where it has errors.
        report: how the model stands; None where it does not.
        time: what the check took [s].
    """

    model: Model | None
    findings: tuple[FindingMessage, ...]
    loops: dict[str, Any] = field(default_factory=dict)
    gaps: dict[str, float] = field(default_factory=dict)
    form: ModelForm | None = None
    report: LoopReport | None = None
    time: float = 0.0

    @property
    def is_only_evaluated(self) -> bool:
        """Whether no loops have to be derived for it."""
        return self.form is None or DOCTOR.knows(self.form)

    def message(self, revision: int) -> CheckMessage:
        """As it is told."""
        found = self.report
        return CheckMessage(
            revision=revision, findings=list(self.findings), loops=self.loops, gaps=self.gaps,
            bodies=[] if self.model is None else list(self.model.bodies),
            poses=[] if found is None else found.poses.tolist(), time=self.time,
        )  # fmt: skip


@made_once(8)
def quick_check(text: str) -> TextCheck:
    """Read a text as a model, and say what can be said before its loops are looked at."""
    began = time.perf_counter()
    try:
        plain = yaml_text(text).plain
        model = read_data(plain, "the file")
    except KinetreeError as error:
        return TextCheck(None, tuple(_mistake(part, text) for part in error.parts))
    rows = [
        _finding(f.severity, f.element, f.problem, f.cure, plain, text) for f in model.findings()
    ]
    rows += [*_switched_off(model, plain), *_pictures(model, plain)]
    form: ModelForm | None = None
    if not _is_wrong(rows):
        with suppress(KinetreeError):  # the doctor says what is wrong
            form = form_of(model)
    return TextCheck(model, tuple(rows), form=form, time=time.perf_counter() - began)


@made_once(8)
def check(text: str) -> TextCheck:
    """Read a text as a model, and say everything that is to be said of it."""
    began = time.perf_counter()
    first = quick_check(text)
    if first.model is None:
        return first
    model, rows, plain = first.model, list(first.findings), yaml_text(text).plain
    found: LoopReport | None = None
    gaps: dict[str, float] = {}
    if not _is_wrong(rows):
        found, problem = _report(model, first.form)
        for part in problem.parts if problem is not None else ():
            rows.append(_finding("error", part.element, part.problem, part.cure, plain))
            gaps |= _gap(part)
    loops = {} if found is None or found.partition is None else facts(found.partition)
    spent = time.perf_counter() - began
    return TextCheck(model, tuple(rows), loops, gaps, first.form, found, spent)


def _is_wrong(rows: Sequence[FindingMessage]) -> bool:
    return any(row.severity == "error" for row in rows)


def _report(model: Model, form: ModelForm | None) -> tuple[LoopReport | None, KinetreeError | None]:
    """How a model stands, and why not."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = DOCTOR.report(model, form)
    except KinetreeError as error:
        return None, error
    return found, found.problem


def picture(text: str, *, styled: bool) -> str | None:
    """The diagram of a text as SVG; None where it describes no model."""
    model = check(text).model
    return None if model is None else svg(diagram_of(model), styled=styled)


def _finding(
    severity: Any, element: str, problem: str, cure: str, plain: Plain, text: str = ""
) -> FindingMessage:
    return FindingMessage(
        severity=severity, element=element, path=steps_of(element), problem=problem, cure=cure,
        line=line_of(plain, element), repair=repair(text, element, problem, cure) if text else None,
    )  # fmt: skip


def _mistake(part: KinetreeError, text: str) -> FindingMessage:
    """A mistake of a file, whose element has its line already."""
    found = LINE.search(part.element)
    element = LINE.sub("", part.element)
    return FindingMessage(
        severity="error", element=element, path=steps_of(element), problem=part.problem,
        cure=part.cure, line=int(found[1]) if found else 0,
        repair=repair(text, element, part.problem, part.cure),
    )  # fmt: skip


def _gap(part: KinetreeError) -> dict[str, float]:
    """How far a loop stays open, by its closure."""
    found = GAP.search(part.problem) if isinstance(part, AssemblyError) else None
    steps = steps_of(part.element)
    return {steps[1]: float(found[1])} if found and len(steps) > 1 else {}


def _switched_off(model: Model, plain: Plain) -> list[FindingMessage]:
    paths = [[section, name] for section, rows in model.switched_off.items() for name in rows]
    return [
        FindingMessage(
            severity="note", element=".".join(path), path=path, problem="it is switched off",
            cure="switch it on", line=line_of(plain, ".".join(path)),
            repair=RepairMessage(label="Switch on", operations=[["enable", path, True]]),
        )
        for path in paths
    ]  # fmt: skip


def _pictures(model: Model, plain: Plain) -> list[FindingMessage]:
    """What cannot be shown; equations do not care."""
    try:
        read_shapes(model, Path())
    except KinetreeError as error:
        return [
            _finding("warning", part.element, part.problem, part.cure, plain)
            for part in error.parts
            if "file" not in part.element
        ]
    return []
