"""States at which Programs are compared: random ones around a start, and corners.

Random states vary coordinates, rates, efforts and parameters.  Where loops do not close so far from
the start, the draw is repeated nearer to it.  Corners are rest, rest with other parameters, the
neutral configuration, limits of joints, and great speeds.

Parameters with which alone nothing has a value any more, such as lengths that loops with redundant
equations need to be equal, keep their values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.certificate.trials import InputValues, Trial
from kinetree.program import Input, Program

REACH = 1.0
"""Largest deviation of a coordinate from the start [rad or m]."""
SPREAD = 0.1
"""Largest relative change of a parameter."""
EFFORT = 10.0
"""Largest effort [N or N.m]."""
FAST = 100.0
"""Speeds of a corner, in those of random states."""
NEARER = (1.0, 0.3, 0.1, 0.03, 0.01, 1e-3)
"""Parts of the reach that are tried in order."""
DRAWN = ("q", "qd", "qdd", "tau", "gamma", "x", "y", "u", "seed", "fired")
"""Inputs that are drawn even where they have defaults, beside wrenches."""


@dataclass(frozen=True)
class DrawnStates:
    """States of a trial.

    Attributes:
        trial: the Program with the states that have values.
        labels: what each state is: "random 3 (reach 0.1)", "rest".
        without: labels of states that have no values, which are left out.
        kept: names of parameters that keep their values.
    """

    trial: Trial
    labels: tuple[str, ...]
    without: tuple[str, ...]
    kept: tuple[str, ...]


def draw_states(
    program: Program,
    start: InputValues,
    limits: Mapping[str, Any] | None = None,
    *,
    count: int,
    seed: int,
) -> DrawnStates:
    """States around a start.

    Args:
        program: what will be evaluated.
        start: where random states lie around, by name of the input; others lie around zero.
        limits: corners besides the usual ones: label -> q.
        count: number of random states.
        seed: of the random numbers; the same seed draws the same states.
    """
    draw = _Draw(program, start, np.random.default_rng(seed))
    rows: list[tuple[str, InputValues]] = [draw.random(k) for k in range(1, count + 1)]
    rows += list(draw.corners(limits or {}).items())
    good = [draw.has_values(state) for _, state in rows]
    kept = [row for row, fits in zip(rows, good, strict=True) if fits]
    lost = tuple(label for (label, _), fits in zip(rows, good, strict=True) if not fits)
    trial = Trial(program, tuple(state for _, state in kept))
    return DrawnStates(trial, tuple(label for label, _ in kept), lost, draw.kept_labels())


class _Draw:
    """Random values of the inputs of a Program around a start."""

    def __init__(self, program: Program, start: InputValues, rng: np.random.Generator) -> None:
        self.program, self.start, self.rng = program, start, rng
        self.function = program.compile()  # quick, where the reference would iterate for long
        self.varied: dict[str, Any] = {row.name: np.ones(row.shape) for row in program.inputs}
        rest = self.values(NEARER[-1], moved=False)
        if self.has_values(rest | self._defaults()) and not self.has_values(rest):
            self._keep(rest)

    def has_values(self, state: InputValues) -> bool:
        """Whether all outputs are numbers."""
        found = self.function(**state, check=False)
        return all(bool(np.isfinite(y).all()) for y in found.values())

    def _defaults(self) -> dict[str, Any]:
        """Parameters as they are."""
        return {row.name: self.center(row) for row in self.program.inputs if row.parameter}

    def _keep(self, rest: InputValues) -> None:
        """Find the parameters that may not change alone, and let them keep their values."""
        state = {**rest, **self._defaults()}
        for row in (row for row in self.program.inputs if row.parameter):
            given = state[row.name]
            for k in range(len(row.symbols)):
                moved = given.copy()
                moved.flat[k] *= 1 + SPREAD * NEARER[-1]
                if not self.has_values(state | {row.name: moved}):
                    self.varied[row.name].flat[k] = 0.0

    def kept_labels(self) -> tuple[str, ...]:
        """Names of the parameters that keep their values."""
        return tuple(
            label
            for row in self.program.inputs
            for label, mark in zip(row.labels, self.varied[row.name].flat, strict=False)
            if row.parameter and not mark
        )

    def center(self, row: Input) -> Any:
        """The value of an input around which others lie."""
        if row.name in self.start:
            return np.asarray(self.start[row.name], float)
        if row.default is not None:
            return np.asarray(row.default, float).reshape(row.shape)
        return _zero(row)

    def values(self, reach: float, *, moved: bool = True, changed: bool = True) -> dict[str, Any]:
        """All inputs; coordinates within a reach, others moved and parameters changed or not."""
        return {
            row.name: self._value(row, reach, moved=moved, changed=changed)
            for row in self.program.inputs
        }

    def _value(self, row: Input, reach: float, *, moved: bool, changed: bool) -> Any:
        center, noise = self.center(row), self.rng.uniform(-1, 1, row.shape)
        if row.parameter:
            return center * (1 + SPREAD * reach * noise * changed * self.varied[row.name])
        if not moved or not _is_drawn(row):
            return center
        if row.name in ("q", "x", "y"):
            return self._normalise(row, center + REACH * reach * noise)
        return center + (EFFORT if row.name not in ("qd", "qdd") else 1.0) * noise

    @staticmethod
    def _normalise(row: Input, values: Any) -> Any:
        """The values with quaternions of length 1."""
        for k in row.quaternions:
            values[k : k + 4] /= np.linalg.norm(values[k : k + 4])
        return values

    def random(self, number: int) -> tuple[str, InputValues]:
        """A random state that has values, as far from the start as one is found."""
        for reach in NEARER:
            state = self.values(reach)
            if self.has_values(state):
                break
        return f"random {number}" + (f" (reach {reach:g})" if reach < 1 else ""), state

    def corners(self, limits: Mapping[str, Any]) -> dict[str, InputValues]:
        """States where things vanish, end or grow."""
        rest = self.values(0, moved=False, changed=False)
        moving = self.values(0)
        found: dict[str, InputValues] = {"start at rest": rest}
        found["start at rest, other parameters"] = self.values(0.1, moved=False)
        if self.program.takes("q"):
            found["zero coordinates"] = moving | {"q": _zero(self.program.input("q"))}
        found |= {label: moving | {"q": np.asarray(q, float)} for label, q in limits.items()}
        if self.program.takes("qd"):
            found["great speeds"] = moving | {"qd": FAST * np.asarray(moving["qd"])}
        return found


def _zero(row: Input) -> Any:
    """Zeros, and quaternions 1 0 0 0."""
    found = np.zeros(row.shape)
    found.flat[list(row.quaternions)] = 1.0
    return found


def _is_drawn(row: Input) -> bool:
    """Whether an input is drawn: rates, efforts and wrenches, not settings of a method."""
    return row.name in DRAWN or row.shape == (6,)
