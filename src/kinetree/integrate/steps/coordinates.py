"""Conversion between coordinates of a step (the model's own, or natural ones) and the model's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arrays import Array, StateArrays
from kinetree.formalism.natural import Chart, chart
from kinetree.steppers.step import GLOBAL

if TYPE_CHECKING:
    from kinetree.integrate.start.beginning import Beginning
    from kinetree.integrate.start.initial import Initial
    from kinetree.model import Mechanism
    from kinetree.program import Program

AxisNames = tuple[tuple[str, ...], tuple[str, ...]]
"""Labels and units of components."""


@dataclass(frozen=True)
class Coordinates:
    """How a step's coordinates are read as the model's: a row of functions.

    Attributes:
        axis: part of a run ("q", "qd", "x", "lam") -> labels and units of its components.
        start_state: (consistent start, what was given) -> the state of the step at the start, and
            the coordinates of the model there.
        read: (parts of a run as the step has them, (…, time, components); run-time parameters;
            times; coordinates of the model at the first) -> the parts as the model has them.
    """

    axis: Callable[[str], AxisNames]
    start_state: Callable[[Initial, Beginning], tuple[StateArrays, Array]]
    read: Callable[[StateArrays, Any, Array, Array], StateArrays]


def coordinates(model: Mechanism, program: Program) -> Coordinates:
    """The coordinates of a model beside those of a step."""
    if program.info["formulation"] == GLOBAL:
        return _natural(chart(model, folded=program.info["parameters"] == "folded"), program)
    lam = program.input("lam").labels if program.takes("lam") else ()

    def start_state(initial: Initial, given: Beginning) -> tuple[StateArrays, Array]:
        state = initial.state(given, lam)
        return state, state["q"]

    return Coordinates(partial(_axis, program), start_state, lambda parts, *_: parts)


def _axis(program: Program, name: str) -> AxisNames:
    """Labels and units of an input of the step."""
    row = program.input(name)
    return row.labels, row.units


def _natural(found: Chart, program: Program) -> Coordinates:
    """Natural coordinates read as relative ones, angles without jumps, multipliers of closures."""
    model = found.model
    own: dict[str, AxisNames] = {
        "q": (tuple(model.coordinates), tuple(u for j in model.leaders for u in j.q_units)),
        "qd": (tuple(model.velocities), tuple(u for j in model.leaders for u in j.v_units)),
        "lam": (found.labels, ()),
    }

    def start_state(initial: Initial, given: Beginning) -> tuple[StateArrays, Array]:
        state = initial.state(given)
        others = {"t": np.asarray(given.t), **given.wrenches}
        others |= {k: v for k, v in (("tau", given.tau), ("p", given.p)) if v is not None}
        return found.begin(state, others), state["q"]

    def read(parts: StateArrays, p: Any, times: Array, start: Array) -> StateArrays:
        parts = {"lam": np.zeros((*parts["q"].shape[:-1], 0)), **parts}
        return {**parts, **found.read(parts, {} if p is None else {"p": p}, times, start)}

    return Coordinates(
        lambda name: own[name] if name in own else _axis(program, name), start_state, read
    )
