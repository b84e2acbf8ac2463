"""What is measured of a run: one number, from values at some times and from an integral.

    value = V(e(t₁), …, e(tₙ), ∫ eᵏ dt, T)        e: an expression of the state; T: the end

So its derivative by anything follows from those of e at the times, of the integral and of T; each
kind of measure says how V depends on them (`gather`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from kinetree.arguments import is_finite, show
from kinetree.arrays import Array
from kinetree.errors import ShapeError

Expression = str | Callable[..., Any] | Any
"""As of an event: a text, a function of t, q, qd, x, outputs, or an expression."""
NONE = np.zeros(0)


@dataclass(frozen=True)
class Sighting:
    """What a run shows of an expression.

    Attributes:
        start, end: times [s].
        samples: its values at the times of the measure.
        integral: of its power over the run.
    """

    start: float
    end: float
    samples: Array = field(default_factory=lambda: NONE)
    integral: float = 0.0


@dataclass(frozen=True)
class Gathered:
    """The value of a measure, and its slopes.

    Attributes:
        value: V.
        by_samples: ∂V/∂e(tᵢ).
        by_integral: ∂V/∂(∫ eᵏ dt).
        by_end: ∂V/∂T where samples and integral stay.
        curved_samples: ∂²V/∂e(tᵢ)², where it is not zero.
        curved_integral: ∂²V/∂(∫ eᵏ dt)².
    """

    value: float
    by_samples: Array = field(default_factory=lambda: NONE)
    by_integral: float = 0.0
    by_end: float = 0.0
    curved_samples: Array = field(default_factory=lambda: NONE)
    curved_integral: float = 0.0


@dataclass(frozen=True)
class Measure:
    """One number of a run.

    Attributes:
        of: the expression.
        power: k of the integral; 0 without one.
        peaks: whether it is taken where the expression is largest.
        at_end: whether it is taken at the end, wherever that is.
    """

    of: Expression
    power: ClassVar[int] = 0
    peaks: ClassVar[bool] = False
    at_end: ClassVar[bool] = False

    def __post_init__(self) -> None:
        expression = isinstance(self.of, str) or callable(self.of) or hasattr(self.of, "is_number")
        if not (expression or is_finite(self.of)):
            raise ShapeError(
                f"it is {show(self.of)}",
                element="measure, of",
                cure='give a text such as "q_y**2", a function or an expression',
            )

    def times(self, end: float) -> Array:
        """Times at which it looks at the expression, where the run ends at `end` [s]."""
        raise NotImplementedError

    def gather(self, seen: Sighting) -> Gathered:
        """The value, and how it depends on what was seen."""
        raise NotImplementedError
