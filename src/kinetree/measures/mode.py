"""Frequency, damping and growth of a mode of small motions about an equilibrium."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import pi

from kinetree.arguments import check_arguments, check_positive
from kinetree.arrays import Array
from kinetree.measures.measure import NONE, Gathered, Measure, Sighting

Slope = Callable[[complex, complex], tuple[float, float]]
"""(λ, dλ) -> value and its change."""


@dataclass(frozen=True)
class Mode(Measure):
    """A quantity of an eigenvalue λ; modes are numbered from 1 on, as `kt.modes` has them."""

    number: int = 1
    quantity: str = "frequency"

    def times(self, end: float) -> Array:
        """None: it belongs to a place, not to a run."""
        del end
        return NONE

    def gather(self, seen: Sighting) -> Gathered:
        """V = the value that was found."""
        return Gathered(seen.integral)

    def of_eigenvalue(self, value: complex, change: complex) -> tuple[float, float]:
        """The quantity and its change."""
        return QUANTITIES[self.quantity](value, change)


def _frequency(value: complex, change: complex) -> tuple[float, float]:
    sign = 1.0 if value.imag >= 0 else -1.0
    return abs(value.imag) / (2 * pi), sign * change.imag / (2 * pi)


def _damping(value: complex, change: complex) -> tuple[float, float]:
    size = abs(value)
    grown = (value.conjugate() * change).real / size  # d|λ|
    return -value.real / size, -change.real / size + value.real * grown / size**2


def _growth(value: complex, change: complex) -> tuple[float, float]:
    return value.real, change.real


QUANTITIES: dict[str, Slope] = {"frequency": _frequency, "damping": _damping, "growth": _growth}
"""What may be asked of an eigenvalue."""


def frequency(number: int = 1) -> Mode:
    """The frequency of the damped motion of a mode, |Im λ|/2π [Hz].

    Args:
        number: of the mode, in order of rising frequency, from 1 on.
    """
    return _mode(number, "frequency")


def damping(number: int = 1) -> Mode:
    """The damping of a mode, -Re λ/|λ|.

    Args:
        number: of the mode, in order of rising frequency, from 1 on.
    """
    return _mode(number, "damping")


def growth(number: int = 1) -> Mode:
    """The real part of the eigenvalue of a mode [1/s]: below zero it decays.

    Args:
        number: of the mode, in order of rising frequency, from 1 on.
    """
    return _mode(number, "growth")


def _mode(number: int, quantity: str) -> Mode:
    check_arguments(frequency, {"number": number}, quantity)
    check_positive("a positive number", number=number)
    return Mode("t", number, quantity)
