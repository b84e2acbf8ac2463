"""Runs side by side as one Dataset: a common grid of times, one dimension per leading axis.

A run that ended early has NaN from there on; `termination` and `end_time` say why and when.  Events
are as many as the run with the most of them has: the others have "" and NaN after `event_count`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.given.batches import Axes
from kinetree.analysis.runs.manifest import changes
from kinetree.analysis.runs.record import Found, variable_axes
from kinetree.analysis.runs.side_by_side import Result
from kinetree.arrays import Array
from kinetree.errors import warn
from kinetree.results.dataset import run_dimensions, run_draft, with_events, with_wrenches
from kinetree.results.draft import Draft, words

if TYPE_CHECKING:
    import xarray

EACH = ("parameters", "redundant_equations")
"""Rows of the manifest that may differ from run to run."""
UNITS = {"end_time": {"units": "s"}}
"""What there is to say of what is told of every run."""


@dataclass(frozen=True)
class Batch:
    """Axes of a batch, output times [s], values of parameters by name as they were given."""

    axes: Axes
    times: Array
    parameters: Mapping[str, Any]


def batch_dataset(batch: Batch, results: Sequence[Result]) -> xarray.Dataset:
    """The Dataset of many runs; what a run could not do is its `termination`.

    Raises:
        KinetreeError: where no run could begin, that of the first.
    """
    good = [result for result in results if isinstance(result, Found)]
    if not good:
        error = results[0]
        assert not isinstance(error, Found)
        raise error
    equations = tuple(dict.fromkeys(name for found in good for name in found.equations))
    values = _values(batch, results, equations)
    manifest = {k: v for k, v in good[0].manifest.items() if k not in EACH}
    manifest |= {k: v for k, v in good[0].counts.items() if k == "mobility"}
    manifest |= changes(batch.parameters)
    manifest["wall_time_s"] = round(sum(found.counts["wall_time_s"] for found in good), 6)
    axes = variable_axes(good[0].dynamics, equations)
    made = run_draft(batch.times, values, axes, manifest, batch.axes)
    if pushed := _wrenches(batch, results):
        made = with_wrenches(made, pushed)
    if any(found.events is not None for found in good):
        made = _with_all_events(made, batch, results)
    _warn(batch, results)
    return with_outcomes(made, batch, [_outcome(batch, row) for row in results]).dataset()


def with_outcomes(made: Draft, batch: Batch, outcomes: Sequence[Mapping[str, Any]]) -> Draft:
    """The runs with what there is to say of every run, and with its parameters."""
    lead = run_dimensions(batch.axes)
    made = made.plus({
        name: (lead, _column(name, outcomes).reshape(batch.axes), UNITS.get(name, {}))
        for name in dict.fromkeys(name for row in outcomes for name in row)
    })  # fmt: skip
    if not batch.parameters:
        return made
    each = [np.broadcast_to(x, batch.axes) for x in batch.parameters.values()]
    values = np.stack(each, axis=-1).astype(float)
    names = {"parameter": ("parameter", words([*batch.parameters]))}
    return made.plus({"parameters": ((*lead, "parameter"), values)}, names)


def _column(name: str, outcomes: Sequence[Mapping[str, Any]]) -> Any:
    """One fact of all runs; where a run has none, what stands for nothing in its kind."""
    known = [row[name] for row in outcomes if name in row]
    nothing = {str: "", int: 0}.get(type(known[0]), np.nan)
    return np.array([row.get(name, nothing) for row in outcomes])


def _outcome(batch: Batch, result: Result) -> dict[str, Any]:
    """What there is to say of a run."""
    if not isinstance(result, Found):
        return {"termination": str(result), "end_time": float(batch.times[0])}
    counts = {k: v for k, v in result.counts.items() if k not in ("wall_time_s", "mobility")}
    reached = float(result.rows[-1].t[-1])
    return {"termination": result.ended, "end_time": reached, **counts}


def _values(batch: Batch, results: Sequence[Result], equations: Sequence[str]) -> dict[str, Array]:
    """Variables on the grid, with the axes of the batch."""
    first = next(result for result in results if isinstance(result, Found))
    widths = {name: rows.shape[1] for name, rows in first.rows[0].values.items()}
    if equations:
        widths["lam"] = len(equations)
    out = {name: _nothing(batch, results, width) for name, width in widths.items()}
    for number, found in _runs_that_began(results):
        at = [equations.index(name) for name in found.equations]
        for part in found.rows:
            here, there = _on_grid(batch.times, part.t)
            for name, table in out.items():
                rows = part.values[name][here]
                if name != "lam":
                    table[number, there] = rows
                    continue
                table[number, there] = 0.0  # of equations that this run does not use
                table[number][np.ix_(there, at[: rows.shape[1]])] = rows
    return {name: table.reshape(*batch.axes, *table.shape[1:]) for name, table in out.items()}


def _nothing(batch: Batch, results: Sequence[Result], width: int) -> Array:
    return np.full((len(results), len(batch.times), width), np.nan)


def _runs_that_began(results: Sequence[Result]) -> list[tuple[int, Found]]:
    """Numbers of the runs that began, and what was found of them."""
    return [(k, result) for k, result in enumerate(results) if isinstance(result, Found)]


def _on_grid(times: Array, t: Array) -> tuple[Any, Any]:
    """Rows whose times are on the grid, and their places there."""
    places = np.searchsorted(times, t)
    on = (places < len(times)) & (times[np.minimum(places, len(times) - 1)] == t)
    return np.flatnonzero(on), places[on]


def _wrenches(batch: Batch, results: Sequence[Result]) -> dict[str, Array]:
    """External wrenches that act in some run, on the grid; 0 in runs in which they do not."""
    parts = [(k, part) for k, found in _runs_that_began(results) for part in found.rows]
    out = {name: _nothing(batch, results, 6) for _, part in parts for name in part.wrenches}
    for number, part in parts:
        here, there = _on_grid(batch.times, part.t)
        for name, table in out.items():
            table[number, there] = part.wrenches[name][here] if name in part.wrenches else 0.0
    return {name: table.reshape(*batch.axes, *table.shape[1:]) for name, table in out.items()}


def _with_all_events(made: Draft, batch: Batch, results: Sequence[Result]) -> Draft:
    """The runs with the events of all runs, side by side."""
    each = {k: found.events for k, found in _runs_that_began(results) if found.events is not None}
    counts = np.zeros(len(results), dtype=int)
    counts[list(each)] = [len(times) for _, times, _ in each.values()]
    most, size = int(counts.max()), next(iter(each.values()))[2].shape[1]
    length = max([1, *(len(name) for names, _, _ in each.values() for name in names)])
    names = np.full((len(results), most), "", dtype=f"<U{length}")
    times, states = np.full(names.shape, np.nan), np.full((*names.shape, size), np.nan)
    for number, (word, t, y) in each.items():
        place = slice(counts[number])
        names[number, place], times[number, place], states[number, place] = word, t, y
    shaped = (table.reshape(*batch.axes, *table.shape[1:]) for table in (names, times, states))
    made = with_events(made, *shaped)
    lead = run_dimensions(batch.axes)
    return made.plus({"event_count": (lead, counts.reshape(batch.axes))})


def _warn(batch: Batch, results: Sequence[Result]) -> None:
    """One warning for all runs of which something is doubtful."""
    said = {k: found.doubts[0] for k, found in _runs_that_began(results) if found.doubts}
    said |= {k: str(error) for k, error in enumerate(results) if not isinstance(error, Found)}
    warn_of(batch.axes, dict(sorted(said.items())), len(results))


def warn_of(axes: Axes, said: Mapping[int, str], count: int) -> None:
    """Warn of what there is to say of some runs, by their numbers."""
    if said:
        number, text = next(iter(said.items()))
        place = ", ".join(str(k) for k in np.unravel_index(number, axes))
        others = f", and of {len(said) - 1} others" if len(said) > 1 else ""
        where = f"of run ({place}){others} of {count}"
        warn(f"{where}: {text}")
