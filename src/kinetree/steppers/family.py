"""Families of fixed-step methods: what distinguishes one from another, as data.

A structural method takes the end of the step from Newmark's formulas and lets the equations of
motion hold there, with accelerations a that are weighed with the true ones over the step; the four
numbers follow from one basic parameter:

    q₁ = q₀ + h v₀ + h² ((½-β) a₀ + β a₁),      v₁ = v₀ + h ((1-γ) a₀ + γ a₁)
    (1-δm) a₁ + δm a₀ = (1-δf) qdd₁ + δf qdd₀

An explicit method goes forward with the accelerations at points that are known.

Refs: Cuadrado2003 eqs. 37 to 42, table 2 (in eq. 42 the factor of q and qd is 1/β, not γ/β)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from kinetree.engine import ZERO, Node, Rank, symbol
from kinetree.program import Input

COUNT = "iterations"
"""Output of a step that tells how many iterations it took."""


@dataclass(frozen=True)
class Weights:
    """The four numbers of a structural method.

    Attributes:
        inertia: δm, weight of a at the start of a step.
        force: δf, weight of the true accelerations at the start of a step.
        velocity: γ of Newmark's formulas.
        position: β of Newmark's formulas.
    """

    inertia: Node
    force: Node
    velocity: Node
    position: Node


@dataclass(frozen=True)
class Basic:
    """The basic parameter of a family.

    Attributes:
        name: under which it is given.
        default: value where none is given.
        least, most: admissible range.
    """

    name: str
    default: float
    least: float
    most: float

    def input(self) -> Input:
        """The input of a step that it is."""
        given = symbol(self.name, Rank.PARAMETER)
        return Input(self.name, (), (given,), (self.default,), False, (self.name,))


@dataclass(frozen=True)
class Family:
    """One row: a fixed-step method.

    Attributes:
        name: what the user asks for.
        basic: its parameter; None where it has none.
        weights: basic parameter -> weights of a structural method; None for an explicit one.
        stages: explicit method: rows of weights of the slopes before, the last row ends the step.
        order: of convergence at the default parameter; where that is at the edge, one less inside.
        notes: for people.
    """

    name: str
    basic: Basic | None = None
    weights: Callable[[Node], Weights] | None = None
    stages: tuple[tuple[float, ...], ...] = ()
    order: int = 2
    notes: Mapping[str, str] = field(default_factory=dict)

    def named_weights(self) -> dict[str, Node]:
        """δm, δf, γ, β of a structural method under their names, by its basic parameter."""
        if self.weights is None:
            return {}
        w = self.weights(self.basic.input().symbols[0] if self.basic is not None else ZERO)
        return {"delta_m": w.inertia, "delta_f": w.force, "gamma": w.velocity, "beta": w.position}

    @property
    def carries_a(self) -> bool:
        """Whether a differs from qdd and goes from step to step."""
        w = self.named_weights()
        return any(w.get(name, ZERO) is not ZERO for name in ("delta_m", "delta_f"))
