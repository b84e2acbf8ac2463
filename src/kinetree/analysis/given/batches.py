"""Runs side by side: leading axes of what is given are a batch.

| given | to one run | to a batch |
|---|---|---|
| q, qd, x | all values in order, or some by name | axes before the values; arrays by name |
| tau | likewise, or functions | likewise; a function acts in every run |
| wrenches | six numbers by name, or functions | axes before the six; likewise |
| parameters | numbers by name | arrays by name |

All axes broadcast against each other; together they are the axes of the batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.arrays import Array
from kinetree.errors import ShapeError, UnsupportedError
from kinetree.integrate.start.beginning import lanes_of

Axes = tuple[int, ...]
BatchValues = Sequence[Any] | Mapping[str, Any] | Array | None
"""All values in order, or some by name, with leading axes of a batch."""
BatchParameters = Mapping[str, Any] | None
"""Values by name in place of the model's, single ones or those of a batch."""
Numbers = int | NDArray[np.intp]


@dataclass(frozen=True)
class RunGiven:
    """What runs begin with and what acts in them; see the table above."""

    q: Any = None
    qd: Any = None
    x: Any = None
    tau: Any = None
    wrenches: Any = None
    parameters: Any = None

    @property
    def fixed(self) -> dict[str, Any]:
        """What acts during a run, and its parameters: arguments of `dynamics`."""
        return {"tau": self.tau, "wrenches": self.wrenches, "parameters": self.parameters}

    @cached_property
    def axes(self) -> Axes:
        """Axes of the batch; none of a single run."""
        parts = {name: lead for name, _, lead in self._arrays()}
        try:
            axes = np.broadcast_shapes(*parts.values())
        except ValueError:
            listed = ", ".join(f"{name} {lead}" for name, lead in parts.items() if lead)
            raise ShapeError(
                f"the leading axes of {listed} do not fit together",
                element="batch",
                cure="give all of them the same leading axes, or none",
            ) from None
        if 0 in axes:
            raise ShapeError("it has no run", element="batch", cure="give one run or more")
        return axes

    @property
    def flat(self) -> RunGiven:
        """The same runs along one axis."""
        return self.of(self.axes, np.arange(int(np.prod(self.axes))))

    def of(self, axes: Axes, numbers: Numbers) -> RunGiven:
        """What one run of a batch is given, or some of them; these have one leading axis then."""
        return RunGiven(
            **{
                row.name: _part(getattr(self, row.name), _tail(row.name), axes, numbers)
                for row in fields(self)
            }
        )

    def _arrays(self) -> Iterator[tuple[str, Any, Axes]]:
        """Name, values and leading axes of everything that has numbers."""
        for row in fields(self):
            value, tail = getattr(self, row.name), _tail(row.name)
            if isinstance(value, Mapping):
                for name, entry in value.items():
                    if not callable(entry):
                        yield f"{row.name} '{name}'", entry, _lead(entry, tail)
            elif value is not None and not callable(value):
                yield row.name, value, _lead(value, 1)


def _tail(name: str) -> int:
    """Number of axes that one value by name has: a wrench is a row of six."""
    return 1 if name == "wrenches" else 0


def _lead(value: Any, tail: int) -> Axes:
    """Axes before those of one run."""
    shape: Axes = np.shape(value)
    return shape[: max(0, len(shape) - tail)]


def _part(value: Any, tail: int, axes: Axes, numbers: Numbers) -> Any:
    """What some runs are given of an argument."""
    if value is None or callable(value):
        return value
    if isinstance(value, Mapping):
        return {name: lanes_of(entry, tail, axes, numbers) for name, entry in value.items()}
    return lanes_of(value, 1, axes, numbers)


def refuse_in_batches(*, every_step: bool) -> None:
    """Refuse what runs side by side cannot obey: rows at every step of the method."""
    if every_step:
        raise UnsupportedError(
            "every run of a batch would have times of its own",
            element="step 0",
            cure="give an output interval, or make the runs one by one",
        )
