"""What equations() says of events: when, reset, every, stop, sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kinetree.acausal.physical import Physical, PhysicalEquation, Relation, physical
from kinetree.arguments import check_arguments, check_positive
from kinetree.engine import Node
from kinetree.errors import ModelError
from kinetree.model import check_ticks


@dataclass(frozen=True, eq=False)
class Reset:
    """A state that takes a new value at an event."""

    target: Node
    value: Node


@dataclass(frozen=True)
class Ticks:
    """Times that come again and again: period and first time [s]."""

    period: float
    first: float = 0.0


@dataclass(frozen=True)
class RunEnd:
    """The end of a run."""


@dataclass(frozen=True, eq=False)
class When:
    """Changes that happen where a relation becomes true, or at ticks; a run may end there."""

    condition: Relation | Ticks
    changes: tuple[Reset, ...]
    stops: bool = False


@dataclass(frozen=True, eq=False)
class SampledEquations:
    """Values that are found at the ticks of a clock: (mode, what it becomes)."""

    ticks: Ticks
    rows: tuple[tuple[Node, Node], ...]


def reset(target: Physical, value: Any) -> Reset:
    """In `when`: the state takes a new value, an expression of the values before."""
    new = physical(value)
    _ = target == new  # units agree
    return Reset(target.node, new.node)


def every(period: float, first: float = 0.0) -> Ticks:
    """In `when`: times that come again and again [s]."""
    check_arguments(every, locals())
    check_positive("a positive time in seconds", period=period)
    check_ticks(period, first, "every")
    return Ticks(float(period), float(first))


def stop() -> RunEnd:
    """In `when`: the run ends there."""
    return RunEnd()


def when(condition: Relation | Ticks, *changes: Reset | RunEnd) -> When:
    """Where a condition becomes true, or at ticks, let changes happen, or the run end."""
    fits = isinstance(condition, Relation | Ticks)
    if not (fits and all(isinstance(row, Reset | RunEnd) for row in changes)):
        raise ModelError(
            "when needs a relation and changes", cure="write when(self.h < 0, reset(self.v, …))"
        )
    rows = tuple(row for row in changes if isinstance(row, Reset))
    return When(condition, rows, len(rows) < len(changes))


def sample(ticks: Ticks, *equations: PhysicalEquation) -> SampledEquations:
    """Let modes be found at ticks: `sample(every(0.1), self.y == pre(self.y) + self.u)`.

    Every equation says what a mode of the component becomes.  Values of the same tick are those of
    the instant, in an order that is found; `pre(x)` is what x was before it.
    """
    if not isinstance(ticks, Ticks):
        raise ModelError("sample needs ticks", cure="write sample(every(0.1), self.y == …)")
    rows = []
    for made in equations:
        sides = getattr(made, "sides", None)
        if sides is None or not sides[0].is_symbol:
            raise ModelError(
                "sample needs equations that begin with a mode",
                cure="write sample(every(0.1), self.y == …), with y = mode(0.0)",
            )
        rows.append((sides[0], sides[1]))
    return SampledEquations(ticks, tuple(rows))
