"""A model in natural coordinates: its equations as a step takes them, and the maps between both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from kinetree.engine import ZERO, Node, Rank, symbol
from kinetree.formalism.natural import Chart, chart
from kinetree.program import Input, Program, Scheme
from kinetree.program.differentiate import forward
from kinetree.program.inline import inline
from kinetree.steppers.equations.increments import Space
from kinetree.steppers.equations.loops import Loops
from kinetree.steppers.equations.residual import Residual, dot, rows, state_slopes

if TYPE_CHECKING:
    from kinetree.model import Mechanism, State


@dataclass(frozen=True)
class Names:
    """Natural coordinates under the names that a step asks of a model."""

    name: str
    velocities: list[str]
    states: dict[str, State]

    @property
    def coordinates(self) -> list[str]:
        """As many as velocities."""
        return self.velocities

    @property
    def nv(self) -> int:
        """Their number."""
        return len(self.velocities)

    @property
    def drives(self) -> dict[str, Any]:
        """None: drives act on joints, not on natural coordinates."""
        return {}


@dataclass(frozen=True)
class NaturalSystem:
    """A model in natural coordinates.

    Attributes:
        chart: its equations, and the maps to and from its own coordinates.
        residual, loops: as Programs of a step.
    """

    chart: Chart
    residual: Residual
    loops: Loops

    @property
    def model(self) -> Mechanism:
        """The mechanism."""
        return self.chart.model


def natural_system(model: Mechanism, *, folded: bool = False) -> NaturalSystem:
    """The natural coordinates of a model, and its equations in them."""
    made = chart(model, folded=folded)
    found = made.found
    n = len(found.space.q)
    names = Names(model.name, list(found.space.names), dict(model.states))
    slopes = forward(found.value, "tau", ("q", "qd", "qdd"))
    space = Space(n, n, {k: k for k in range(n)})
    states = state_slopes(found.value) if model.states else None
    residual = Residual(cast("Mechanism", names), space, found.value, slopes, states, None)
    slopes_of = _slopes(found.ties, n)
    loops = Loops(found.space.system, found.labels, found.rates, found.ties, slopes_of)
    return NaturalSystem(made, residual, loops)


def _slopes(value: Program, n: int) -> Program:
    """Derivatives of Jᵀw and of J qd + ht by q."""
    scheme = Scheme(f"{value.name}_slopes")
    for row in value.inputs:
        scheme.input(row)
    labels = value.output("h").labels
    w = tuple(symbol(f"w_{label}", Rank.FORCE) for label in labels)
    scheme.input(Input("w", (len(w),), w))
    found = inline(scheme, value, {})
    J = rows(found["J"], n)
    qd = value.input("qd").symbols
    scheme.output("G", [_weighed([row[k] for row in J], w) for k in range(n)])
    scheme.output("e", [dot(row, qd) + ht for row, ht in zip(J, found["ht"], strict=True)])
    return forward(scheme.program(), ("G", "e"), "q", only=True)


def _weighed(column: list[Node], w: tuple[Node, ...]) -> Node:
    pairs = [(x, y) for x, y in zip(column, w, strict=True) if x is not ZERO]
    return dot([x for x, _ in pairs], [y for _, y in pairs])


__all__ = ["NaturalSystem", "natural_system"]
