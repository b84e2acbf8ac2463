"""A model in natural coordinates: its equations as a step takes them, and the maps between both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from kinetree.errors import UnsupportedError
from kinetree.formalism.natural import Chart, chart
from kinetree.model import Mechanism, State
from kinetree.program.differentiate import forward
from kinetree.steppers.equations.increments import IncrementSpace
from kinetree.steppers.equations.loops import StepLoops, loop_slopes
from kinetree.steppers.equations.residual import Residual, state_slopes


@dataclass(frozen=True)
class NaturalNames:
    """Natural coordinates under the names that a step asks of a model; no drive acts on them."""

    name: str
    velocities: list[str]
    states: dict[str, State]
    body_joints: tuple[Any, ...] = ()
    drives: Mapping[str, Any] = field(default_factory=dict)

    @property
    def coordinates(self) -> list[str]:
        """As many as velocities."""
        return self.velocities

    @property
    def nv(self) -> int:
        """Their number."""
        return len(self.velocities)


@dataclass(frozen=True)
class NaturalSystem:
    """A model in natural coordinates.

    Attributes:
        chart: its equations, and the maps to and from its own coordinates.
        residual, loops: as Programs of a step.
    """

    chart: Chart
    residual: Residual
    loops: StepLoops

    @property
    def model(self) -> Mechanism:
        """The mechanism."""
        return self.chart.model


def natural_system(model: Mechanism, *, folded: bool = False) -> NaturalSystem:
    """The natural coordinates of a model, and its equations in them."""
    made = chart(model, folded=folded)
    found = made.found
    n = len(found.space.q)
    if not n:
        raise UnsupportedError(
            "drives give the motion of all its bodies, so no natural coordinate is left",
            element=f"formulation 'global' of model '{model.name}'",
            cure="choose tree",
        )
    names = NaturalNames(model.name, list(found.space.names), dict(model.states))
    slopes = forward(found.value, "tau", ("q", "qd", "qdd"))
    space = IncrementSpace(n, n, {k: k for k in range(n)})
    states = state_slopes(found.value) if model.states else None
    residual = Residual(cast("Mechanism", names), space, found.value, slopes, slopes, states, None)
    bend = loop_slopes(found.ties, n, natural=True)
    loops = StepLoops(found.space.system, found.labels, found.rates, found.ties, bend)
    return NaturalSystem(made, residual, loops)
