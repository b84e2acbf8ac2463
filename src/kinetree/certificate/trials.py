"""A trial: a Program and states at which it is evaluated, by whatever evaluates it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from kinetree.program import Program

InputValues = Mapping[str, Any]
"""Arrays by name of the input or output."""


@dataclass(frozen=True)
class Trial:
    """A Program to try.

    Attributes:
        program: what is evaluated.
        states: values of its inputs, one mapping per evaluation; inputs with defaults may be left
            out.
    """

    program: Program
    states: tuple[InputValues, ...]

    def row(self, state: InputValues) -> list[Any]:
        """All inputs of a state in order, defaults filled in."""
        inputs = self.program.inputs
        return [np.asarray(state.get(row.name, row.default), float) for row in inputs]

    def numbers(self) -> list[float]:
        """All numbers that go in, state by state, in order."""
        return [float(x) for state in self.states for row in self.row(state) for x in np.ravel(row)]

    def stack(self) -> dict[str, Any]:
        """The states as one batch."""
        rows = [{name: np.asarray(x, float) for name, x in s.items()} for s in self.states]
        return {name: np.stack([row[name] for row in rows]) for name in rows[0]}

    def split(self, found: InputValues) -> list[dict[str, Any]]:
        """The results of a batch, by state; what is the same in all of them may come once."""
        count = len(self.states)
        whole = {
            out.name: np.broadcast_to(np.asarray(found[out.name]), (count, *out.shape))
            for out in self.program.outputs
        }
        return [{name: rows[k] for name, rows in whole.items()} for k in range(count)]

    def by_name(self, results: Iterable[Any]) -> dict[str, Any]:
        """Results in the order of the outputs, by name and in their shapes."""
        pairs = zip(self.program.outputs, results, strict=True)
        return {out.name: np.array(y, float).reshape(out.shape) for out, y in pairs}

    @property
    def sizes(self) -> tuple[list[int], list[int]]:
        """Numbers in every input and in every output."""
        rows = (self.program.inputs, self.program.outputs)
        ins, outs = ([prod(row.shape) for row in part] for part in rows)
        return ins, outs


def part_numbers(trials: Sequence[Trial], numbers: Iterable[float]) -> list[list[dict[str, Any]]]:
    """What a program in another language printed, by trial and state."""
    stream = iter(numbers)
    return [
        [
            trial.by_name([next(stream) for _ in out.nodes] for out in trial.program.outputs)
            for _ in trial.states
        ]
        for trial in trials
    ]
