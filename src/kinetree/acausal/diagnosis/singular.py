"""Blocks that turn singular during a run, in the words of components.

| in | out |
|---|---|
| sorted equations, values of the states at a moment | a phrase for the block that fails |

The blocks are solved in order at the moment, with what is known before them.  A block is singular
where its slopes have no value, or leave an unknown undetermined that they determine at the start.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.acausal.diagnosis import list_names, say_equation
from kinetree.acausal.start import StartValues
from kinetree.acausal.tearing import Torn
from kinetree.arrays import Array
from kinetree.engine import evaluate
from kinetree.model import time_symbol

if TYPE_CHECKING:
    from kinetree.acausal.sort import SortedComponent

LARGEST = 200
"""Unknowns of a block up to which it is looked at."""
LOST, TURNED = 1e-6, 1e-3
"""Share of the least singular value at the start below which a block is singular; of one that is
not linear, whose solution ends as a square root does, and whose iteration ends before."""


def values_at(found: SortedComponent, t: Array, x: Array, parameters: Mapping[str, float]) -> Any:
    """Values of symbols at one or many moments of a run."""
    values: Any = StartValues(found.beginning.values)
    rows = found.flat.parameters
    values.update({rows[k].symbol: v for k, v in parameters.items() if k in rows})
    values[time_symbol()] = t
    for k, column in enumerate(found.run_columns):
        values[found.page.columns[column]] = x[..., k]
    for k, mode in enumerate(reversed(found.modes), 1):
        values[mode] = x[..., -k]
    return values


def name_singular(
    found: SortedComponent, t: float, x: Array, parameters: Mapping[str, float]
) -> str:
    """A phrase for the block that is nearest to singular at a moment; empty where none is."""
    values = values_at(found, np.array(t), x, parameters)
    first = StartValues(found.beginning.values)
    worst: tuple[float, Torn | None] = (1.0, None)
    for block in found.blocks:
        if not isinstance(block, Torn):  # what follows from a motion is not known here
            break
        if len(block.columns) + len(block.inner) > LARGEST:
            continue
        _advance(found, block, first)
        _advance(found, block, values)
        least, before = (_least_slope(found, block, at) for at in (values, first))
        if not np.isfinite(least) or not before:
            return _phrase(found, block, values)
        share = least / (before * (LOST if block.linear else TURNED))
        if share < worst[0]:
            worst = (share, block)
    return "" if worst[1] is None else _phrase(found, worst[1], values)


def _rows(found: SortedComponent, block: Torn) -> tuple[list[int], list[int]]:
    """Rows and columns of a block."""
    pairs = block.inner
    rows = [*(row for row, _ in pairs), *block.rows]
    return rows, [*(column for _, column in pairs), *block.columns]


def _slopes(found: SortedComponent, block: Torn, values: StartValues) -> Array:
    """The matrix of slopes of a block."""
    rows, columns = _rows(found, block)
    place = {found.page.columns[c]: k for k, c in enumerate(columns)}
    A = np.zeros((len(rows), len(columns)))
    with np.errstate(all="ignore"):
        for i, row in enumerate(rows):
            by = block.slopes[row].by
            for s, value in zip(by, evaluate(tuple(by.values()), values), strict=True):
                A[i, place[s]] = value
    return A


def _least_slope(found: SortedComponent, block: Torn, values: StartValues) -> float:
    """The least singular value of a block; not a number where a slope is none."""
    A = _slopes(found, block, values)
    return float(np.linalg.svd(A, compute_uv=False)[-1]) if np.isfinite(A).all() else np.nan


def _advance(found: SortedComponent, block: Torn, values: StartValues) -> None:
    """Solve a block for its unknowns, from the values that there are."""
    rows, columns = _rows(found, block)
    nodes = [found.page.columns[c] for c in columns]
    for _ in range(1 if block.linear else 30):
        with np.errstate(all="ignore"):
            h = np.array([float(v) for v in evaluate([found.page.rows[r] for r in rows], values)])
        A = _slopes(found, block, values)
        if not (np.isfinite(h).all() and np.isfinite(A).all()):
            return
        step = np.linalg.lstsq(A, -h, rcond=None)[0]
        for node, dx in zip(nodes, step, strict=True):
            values[node] = float(values[node] + dx)


def _phrase(found: SortedComponent, block: Torn, values: StartValues) -> str:
    """Which equations cannot be solved for which unknowns."""
    rows, columns = _rows(found, block)
    told = list_names([say_equation(found.page.origin[row]) for row in rows])
    names = list_names([found.column_name(c) for c in columns])
    if len(rows) > 1:
        return f"{told} are singular there: they do not determine {names}"
    (slope,) = block.slopes[rows[0]].by.values()
    (value,) = evaluate((slope,), values)
    return f"{told} does not determine {names} there: its factor is {float(value):.2g}"
