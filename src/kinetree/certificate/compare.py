"""How far two evaluations of the same Program, or of two Programs of one quantity, lie apart.

Errors are relative to the scale of an output: its largest value or, where that is more, what it
changes by per relative change of the inputs in their last digits.  So a result counts as known as
well as numbers of this length can determine it: accelerations near a singular position, and what is
solved from stiff equations, are known less well than others.
What is small at one state by cancellation is measured by its usual size, the median of all states.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.certificate.runners import reference
from kinetree.certificate.trials import InputValues, Trial
from kinetree.steppers.family import COUNT

SMALL = 1e-14
"""Relative change of the inputs by which scales are found: their last two digits, so that the
rounding of operations in between shows, too."""
CHANGES = 2
"""Number of such changes."""
FIXED = ("h",)
"""Inputs that are known exactly."""


@dataclass(frozen=True)
class Expected:
    """Reference values at every state of a trial.

    Attributes:
        trial: what was evaluated.
        values: of every output, by state.
        scales: what errors of every output are measured by, by state.
    """

    trial: Trial
    values: list[dict[str, Any]]
    scales: list[dict[str, float]]


@dataclass(frozen=True)
class Deviation:
    """The largest deviation.

    Attributes:
        size: relative to the scale of the output; infinite where a number is missing.
        output: in which it is.
        state: number of the state at which it is.
    """

    size: float
    output: str
    state: int


def expect(trial: Trial, seed: int) -> Expected:
    """Reference values of a trial, and what errors are measured by."""
    rng = np.random.default_rng(seed)
    count = len(trial.states)
    moved = [_change(state, rng) for _ in range(CHANGES) for state in trial.states]
    found = reference(Trial(trial.program, (*trial.states, *moved)))
    values = found[:count]
    rows = [
        {name: _scale(y, [other[name] for other in found[k + count :: count]])
         for name, y in row.items()}
        for k, row in enumerate(values)
    ]  # fmt: skip
    usual = {name: float(np.median([row[name] for row in rows])) for name in values[0]}
    scales = [{name: max(size, usual[name]) or 1.0 for name, size in row.items()} for row in rows]
    return Expected(trial, values, scales)


def _change(state: InputValues, rng: np.random.Generator) -> dict[str, Any]:
    """A state with every number changed a little."""
    return {
        name: x if name in FIXED else x * (1 + SMALL * rng.choice((-1.0, 1.0), np.shape(x)))
        for name, x in state.items()
    }


def _scale(values: Any, moved: Sequence[Any]) -> float:
    change = np.abs(np.array(moved) - values)
    rate = float(np.max(change[np.isfinite(change)], initial=0.0)) / SMALL
    return max(float(np.max(np.abs(values), initial=0.0)), rate)


def deviate(expected: Expected, found: Sequence[InputValues]) -> Deviation:
    """The largest deviation of results from the reference; a count of iterations is left aside."""
    worst = Deviation(0.0, "", 0)
    for k, (row, scales) in enumerate(zip(expected.values, expected.scales, strict=True)):
        for name, y in row.items():
            if name == COUNT or name not in found[k] or not y.size:
                continue
            error = np.max(np.abs(np.asarray(found[k][name], float).reshape(y.shape) - y))
            size = float(error) / scales[name] if np.isfinite(error) else float("inf")
            if size > worst.size or not worst.output:
                worst = Deviation(size, name, k)
    return worst
