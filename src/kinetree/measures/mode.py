"""Frequency, damping and growth of a mode of small motions about an equilibrium."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite, pi
from typing import Any

from kinetree.arguments import check_arguments, check_positive, show
from kinetree.arrays import Array
from kinetree.errors import ModelError
from kinetree.measures.measure import NONE, Gathered, Measure, Sighting

Slope = Callable[[complex, complex], tuple[float, float]]
"""(λ, dλ) -> value and its change."""


@dataclass(frozen=True)
class Mode(Measure):
    """A quantity of an eigenvalue λ; modes are numbered from 1 on, as `kt.modes` has them.

    Attributes:
        number: of the mode.
        quantity: frequency, damping or growth.
        like: shape of the mode instead, by coordinate.
    """

    number: int = 1
    quantity: str = "frequency"
    like: tuple[tuple[str, complex], ...] = ()

    def times(self, end: float) -> Array:
        """None: it belongs to a place, not to a run."""
        del end
        return NONE

    def gather(self, seen: Sighting) -> Gathered:
        """V = the value that was found."""
        return Gathered(seen.integral)

    def of_eigenvalue(self, value: complex, change: complex, name: str = "") -> tuple[float, float]:
        """The quantity and its change; `name` is that of the measure."""
        if value == 0 and self.quantity == "damping":
            raise ModelError(
                "the eigenvalue of its mode is zero, which has no damping",
                element=f"measure '{name}'",
                cure="ask for another mode; those that move freely come first",
            )
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


def frequency(number: int = 1, *, like: Any = None) -> Mode:
    """The frequency of the damped motion of a mode, |Im λ|/2π [Hz].

    Args:
        number: of the mode, in order of rising frequency, from 1 on.
        like: the mode that looks most like this shape instead, wherever it stands: a number by
            coordinate, or `found["shape"].sel(mode=1)` of another sensitivity.
    """
    return _mode(number, "frequency", like)


def damping(number: int = 1, *, like: Any = None) -> Mode:
    """The damping of a mode, -Re λ/|λ|.

    Args:
        number: of the mode, in order of rising frequency, from 1 on.
        like: the mode that looks most like this shape instead, wherever it stands: a number by
            coordinate, or `found["shape"].sel(mode=1)` of another sensitivity.
    """
    return _mode(number, "damping", like)


def growth(number: int = 1, *, like: Any = None) -> Mode:
    """The real part of the eigenvalue of a mode [1/s]: below zero it decays.

    Args:
        number: of the mode, in order of rising frequency, from 1 on.
        like: the mode that looks most like this shape instead, wherever it stands: a number by
            coordinate, or `found["shape"].sel(mode=1)` of another sensitivity.
    """
    return _mode(number, "growth", like)


def _mode(number: int, quantity: str, like: Any) -> Mode:
    check_arguments(frequency, {"number": number}, quantity)
    check_positive("a positive number", number=number)
    return Mode("t", number, quantity, () if like is None else _shape(like))


def _shape(like: Any) -> tuple[tuple[str, complex], ...]:
    """Numbers of a shape by coordinate."""
    if hasattr(like, "coords") and "coordinate" in like.coords and like.ndim == 1:
        like = dict(zip(like["coordinate"].values.tolist(), like.values.tolist(), strict=True))
    if isinstance(like, Mapping) and like:
        found = tuple((name, x) for name, x in like.items() if isinstance(x, int | float | complex))
        size = sum(abs(x) for _, x in found)
        if len(found) == len(like) and isfinite(size) and size > 0:
            return tuple((str(name), complex(x)) for name, x in found)
    raise ModelError(
        f"it is {show(like)}",
        element="like",
        cure='give numbers by coordinate, such as {"heave": 1}, or found["shape"].sel(mode=1)',
    )
