"""The tolerance policy, in one place.

Every comparison is relative to the scale of the numbers compared: the largest magnitude among the
expected values, or a scale given by the caller where larger terms cancel.
Tolerances are never loosened where they are used: a new row here, with its reason.
"""

from __future__ import annotations

from typing import Any

import numpy as np

ULP = 1e-15  # one rounded operation
ROUNDING = 1e-14  # a few operations on given numbers
SUMS = 1e-13  # sums and products of some tens of terms
IDENTITY = 1e-12  # the same quantity computed twice in double precision
FORMALISM = 1e-11  # two formalisms of ours: different order of a few thousand operations
GOLDEN = 1e-10  # printed reference values of 13 to 15 digits
ITERATED = 1e-10  # what Newton's iterations leave of the equations that they solve
CLOSED = 1e-9  # gaps of loops along a run, and those of their velocities and accelerations
AT_STATES = 1e-9  # formulas at the states of a run, which iterations or integrators found
CROSS_ENGINE = 1e-9  # another engine: other recursion, other frames
ILL_CONDITIONED = 1e-8  # solutions of systems whose condition number exceeds 1e6
EFFORTS = 1e-8  # forces and efforts found back from a motion: loops solved in both directions
RUN = 1e-8  # a run with tight tolerances against a published or independent one
LONG_RUN = 1e-7  # the same for long or stiff runs, and for the times of events
TRAJECTORY = 1e-6  # the same motion by two integrators: 1e-9 per step, some hundred steps
COARSE_RUN = 1e-5  # runs with usual tolerances, or in equal steps, against finer ones
EQUAL_STEPS = 1e-4  # runs in equal steps, or with loose tolerances, against exact ones
SINGLE = 1e-4  # single precision
FOUR_DIGITS = 1e-4  # published values with four digits
FILTERED = 2e-3  # parameters from exact data that passed a filter
READ_OFF = 1e-3  # what is read off a curve, or printed with three digits
HALF_PERCENT = (
    5e-3  # motions through many contacts, by another integrator with other regularisations
)
PERCENT = 1e-2  # the same of whole curves, of their range


def scale_of(expected: Any, scale: float | None = None) -> float:
    """The magnitude errors are measured against: `scale` or the largest expected value."""
    if scale is not None:
        return scale
    values = np.abs(np.asarray(expected))
    largest = float(values.max()) if values.size else 0.0
    return largest if largest > 0.0 else 1.0


def relative_error(actual: Any, expected: Any, scale: float | None = None) -> float:
    """Largest deviation over the scale of the expected values."""
    a, e = np.asarray(actual), np.asarray(expected)
    if a.shape != e.shape:
        raise AssertionError(f"shape {a.shape} instead of {e.shape}")
    if not a.size:
        return 0.0
    error = float(np.max(np.abs(a - e)))
    return error / scale_of(expected, scale) if np.isfinite(error) else float("inf")


def assert_close(
    actual: Any, expected: Any, tolerance: float, what: str = "", scale: float | None = None
) -> None:
    """Fail with the worst component when the relative error exceeds the tolerance."""
    error = relative_error(actual, expected, scale)
    if error <= tolerance:
        return
    a, e = np.asarray(actual), np.asarray(expected)
    worst = np.unravel_index(int(np.argmax(np.nan_to_num(np.abs(a - e), nan=np.inf))), a.shape)
    where = ", ".join(str(int(k)) for k in worst)
    raise AssertionError(
        f"{what or 'values'}: relative error {error:.2e} > {tolerance:.0e}; "
        f"worst component [{where}]: {float(a[worst])!r} instead of {float(e[worst])!r}"
    )
