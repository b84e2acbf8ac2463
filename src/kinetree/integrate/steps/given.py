"""What is given for runs of a step: checked, counted, spread."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arguments import check_arrays, check_positive, is_row
from kinetree.arrays import Array
from kinetree.errors import ShapeError, unknown

if TYPE_CHECKING:
    from kinetree.integrate.steps.stepper import Stepper

Progress = Callable[[int, int], None]
"""Called after every slice with the steps made and the steps wanted."""
HALF, TWO = 0.5, 2


def whole_steps(duration: float, step: float, every: int) -> int:
    """How many steps a run makes."""
    if not 0 < step < np.inf:
        raise ShapeError(
            f"{step} s is not a valid length of a step", element="step", cure="give it above 0"
        )
    if not np.isfinite(duration) or duration < HALF * step:
        raise ShapeError(f"{duration} s hold no step of {step} s", element="duration")
    if every < 1:
        raise ShapeError(
            f"one in {every} steps cannot be kept", element="every", cure="give 1 or more"
        )
    return round(duration / step)


def refuse_numbers(threads: int | None = None, **start: Any) -> None:
    """Refuse what is not a state or a number of threads."""
    for element, values in start.items():
        if isinstance(values, Mapping):
            check_arrays(**{f"{element} of '{name}'": value for name, value in values.items()})
        else:
            check_arrays(**{element: values})
    if threads is not None:
        check_positive("a positive number", threads=threads)


def rising_times(times: Any) -> Array:
    """Start, times of output and end [s] as an array."""
    if not is_row(times) or np.size(times) < TWO or not (np.diff(times) > 0).all():
        raise ShapeError("they must be two or more rising numbers", element="times")
    return np.asarray(times, dtype=float)


def series_of(
    stepper: Stepper, series: Mapping[str, Any] | None, steps: int
) -> tuple[Array | None, int]:
    """Rows of the one input that changes from step to step, and its place; none without it."""
    if not series:
        return None, 0
    if len(series) != 1:
        raise ShapeError(
            f"it has {len(series)} inputs", element="series", cure="give one input by name"
        )
    ((name, value),) = series.items()
    check_arrays(series=value)
    if name not in stepper.ports or name in stepper.state:
        raise unknown("input", name, stepper.ports, stepper.program.name)
    port, rows = stepper.ports[name], np.asarray(value, dtype=float)
    rows = rows.reshape(rows.shape[0], -1) if rows.ndim else rows
    if rows.shape != (steps, port.size):
        raise ShapeError(f"expected {steps} rows of {port.size}", element=f"series '{name}'")
    return rows, port.start
