"""Conversion between coordinates of a step (the model's own, or natural ones) and the model's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arrays import Array
from kinetree.formalism.natural import Chart, chart
from kinetree.steppers.step import GLOBAL

if TYPE_CHECKING:
    from kinetree.integrate.start.beginning import Beginning
    from kinetree.integrate.start.initial import Initial
    from kinetree.model import Mechanism
    from kinetree.program import Program

State = dict[str, Array]
Axis = tuple[tuple[str, ...], tuple[str, ...]]
"""Labels and units of components."""


class Coordinates:
    """A step made of the coordinates of the model."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def axis(self, name: str) -> Axis:
        """Labels and units of the components of a part of a run: "q", "qd", "x", "lam"."""
        row = self.program.input(name)
        return row.labels, row.units

    def start_state(self, initial: Initial, given: Beginning) -> tuple[State, Array]:
        """The state of the step at the start, and the coordinates of the model there."""
        rows = {row.name: row for row in self.program.inputs}
        state = initial.state(given, rows["lam"].labels if "lam" in rows else ())
        return state, state["q"]

    def read(self, parts: State, p: Any, times: Array, start: Array) -> State:
        """Parts of a run, (…, time, components), as the model has them.

        Args:
            parts: as the step has them.
            p: run-time parameters, leading axes as in the run.
            times: of the run.
            start: coordinates of the model at the first of them.
        """
        del p, times, start
        return parts


class NaturalCoordinates(Coordinates):
    """A step made of natural coordinates."""

    def __init__(self, program: Program, found: Chart) -> None:
        super().__init__(program)
        self.chart, self.model = found, found.model

    def axis(self, name: str) -> Axis:
        """As other formulations have them."""
        leaders = self.model.leaders
        if name == "lam":
            return self.chart.labels, ()
        if name == "q":
            units = tuple(unit for joint in leaders for unit in joint.q_units)
            return tuple(self.model.coordinates), units
        if name == "qd":
            units = tuple(unit for joint in leaders for unit in joint.v_units)
            return tuple(self.model.velocities), units
        return super().axis(name)

    def start_state(self, initial: Initial, given: Beginning) -> tuple[State, Array]:
        """The consistent state of the model in natural coordinates."""
        state = initial.state(given)
        others = {"t": np.asarray(given.t), **given.wrenches}
        others |= {k: v for k, v in (("tau", given.tau), ("p", given.p)) if v is not None}
        return self.chart.begin(state, others), state["q"]

    def read(self, parts: State, p: Any, times: Array, start: Array) -> State:
        """Relative coordinates, angles without jumps; multipliers of the closures."""
        parts.setdefault("lam", np.zeros((*parts["q"].shape[:-1], 0)))
        return {**parts, **self.chart.read(parts, {} if p is None else {"p": p}, times, start)}


def coordinates(model: Mechanism, program: Program) -> Coordinates:
    """The coordinates of a model beside those of a step."""
    if program.info["formulation"] != GLOBAL:
        return Coordinates(program)
    return NaturalCoordinates(program, chart(model, folded=program.info["parameters"] == "folded"))


__all__ = ["Coordinates", "coordinates"]
