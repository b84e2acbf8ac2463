"""Two runs side by side: how far curves are apart, and what differs in parameters and text."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinetree.arrays import Array
from kinetree.errors import FormatError, KinetreeError
from kinetree.formats.edits.entries import yaml_text
from kinetree.formats.edits.values import MISSING, differences
from kinetree.studio.merging import difference_lines
from kinetree.studio.messages import (
    ComparedSignal,
    CompareMessage,
    ComparisonMessage,
    ValueDifference,
)
from kinetree.studio.runs.curves import CurveStore, RunCurves
from kinetree.studio.runs.jobs import Job

STILL = 1e-9
"""Span below which a curve stands still, as a share of its size."""
MOST_ENTRIES = 500
"""Most entries of two texts that are listed."""


def compare(store: CurveStore, first: Job, second: Job, how: CompareMessage) -> ComparisonMessage:
    """How the second run differs from the first.

    Args:
        store: where curves are.
        first: the reference.
        second: compared with it.
        how: tolerances and signals.
    """
    a = store.get(first.file, f"run {first.number}")
    b = store.get(second.file, f"run {second.number}")
    names = [name for name in a.values if name in b.values]
    if how.signals:
        for name in how.signals:
            a.get(name), b.get(name)
        names = list(how.signals)
    start, end = _overlap(a, b, first.number, second.number)
    rows = [_signal(a, b, name, (start, end), how) for name in names]
    lines = difference_lines(first.text(), second.text())
    return ComparisonMessage(
        runs=[first.number, second.number], start=start, end=end, signals=rows,
        only_first=[n for n in a.values if n not in b.values],
        only_second=[n for n in b.values if n not in a.values],
        entries=text_differences(first.text(), second.text()),
        options=_options(first, second), lines=lines,
    )  # fmt: skip


def difference_curve(store: CurveStore, first: Job, second: Job, names: list[str]) -> RunCurves:
    """Curves of the second run minus those of the first, at the times of the coarser one."""
    a = store.get(first.file, f"run {first.number}")
    b = store.get(second.file, f"run {second.number}")
    time = _coarser(a, b, _overlap(a, b, first.number, second.number))
    values = {
        name: np.interp(time, b.time, b.get(name)) - np.interp(time, a.time, a.get(name))
        for name in names
    }
    return RunCurves(time, values, {name: a.units[name] for name in names})


def text_differences(first: str, second: str) -> list[ValueDifference]:
    """Entries of two texts that differ; null where one has none."""
    try:
        data = [yaml_text(text).plain.data for text in (first, second)]
    except KinetreeError:
        return []
    if not all(isinstance(row, dict) for row in data):
        return []
    made = []
    for path, new in list(differences(*data))[:MOST_ENTRIES]:
        old = _at(data[0], path)
        made.append(ValueDifference(
            path=".".join(map(str, path)), first=old, second=None if new is MISSING else new
        ))  # fmt: skip
    return made


def _at(data: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def _options(first: Job, second: Job) -> list[ValueDifference]:
    one, two = first.request().get("options", {}), second.request().get("options", {})
    return [
        ValueDifference(path=name, first=one.get(name), second=two.get(name))
        for name in dict.fromkeys((*one, *two))
        if one.get(name) != two.get(name)
    ]


def _overlap(a: RunCurves, b: RunCurves, first: int, second: int) -> tuple[float, float]:
    """The stretch of time that both runs have."""
    if len(a.time) and len(b.time):
        start = max(float(a.time[0]), float(b.time[0]))
        end = min(float(a.time[-1]), float(b.time[-1]))
        if start <= end:
            return start, end
    raise FormatError(
        "they have no time in common", element=f"runs {first} and {second}",
        cure="compare runs of the same stretch of time",
    )  # fmt: skip


def _coarser(a: RunCurves, b: RunCurves, stretch: tuple[float, float]) -> Array:
    """Times of the run with fewer rows there: what lies between them it does not say."""
    rows = [x.time[(x.time >= stretch[0]) & (x.time <= stretch[1])] for x in (a, b)]
    some = [row for row in rows if len(row)]
    return min(some, key=len) if some else np.array(stretch)


def _signal(
    a: RunCurves, b: RunCurves, name: str, stretch: tuple[float, float], how: CompareMessage
) -> ComparedSignal:
    """Largest difference of a curve at times of the coarser run, and whether it is allowed."""
    time = _coarser(a, b, stretch)
    one, two = np.interp(time, a.time, a.values[name]), np.interp(time, b.time, b.values[name])
    apart: Array = np.abs(two - one)
    apart = np.where(np.isfinite(apart), apart, np.inf)
    worst = int(np.argmax(apart))
    finite = one[np.isfinite(one)]
    span = float(np.ptp(finite)) if len(finite) else 0.0
    size = float(np.abs(finite).max(initial=0.0))
    # curves cross zero: a share of every single value would allow nothing there
    allowed = how.absolute + how.relative * (span if span > STILL * size else size)
    outside = np.flatnonzero(apart > allowed)
    return ComparedSignal(
        name=name, unit=a.units.get(name, ""), largest=float(apart[worst]), at=float(time[worst]),
        span=span, within=not len(outside), first_outside=(
            float(time[outside[0]]) if len(outside) else None),
    )  # fmt: skip
