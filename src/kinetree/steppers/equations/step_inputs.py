"""A step being written: its inputs declared, its options, its outputs named after them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kinetree.arguments import check_arguments, check_choice, check_positive
from kinetree.engine import ZERO, Node, Rank, symbol
from kinetree.program import Input, Scheme
from kinetree.program.inline import bound, inline
from kinetree.steppers.equations.residual import Residual

if TYPE_CHECKING:
    from kinetree.steppers.family import Family, Weights

STATE = ("q", "qd", "qdd", "x", "xd", "a", "y", "lam")
"""Inputs that make the state, in order; the outputs carry the suffix _next."""


@dataclass(frozen=True)
class Settings:
    """How Newton's method is used.

    Attributes:
        tolerance: error of the accelerations that is allowed [rad/s2 or m/s2].
        limit: iterations at most.
        penalty: of loops, in formulations that use one [N/m]; 0: from the masses and the step.
        projections: how often velocities and accelerations are projected on the loops.
        projection: "tangent" along the tangent matrix, "mass" along the masses alone.
        tangent: "exact", or "approximate" with K and C of the force elements alone.
        update: "iteration" is full Newton.  "step" is modified Newton, tangent kept for the step:
            quicker where forces are costly and steps are short; it falls back to full Newton
            after 8 iterations.
        independent: names of the independent velocities of the topological and the explicit
            formulation; empty: those that leave the loops best solvable for the others.
    """

    tolerance: float = 1e-6
    limit: int = 40
    penalty: float = 0.0
    projections: int = 3
    projection: str = "mass"
    tangent: str = "exact"
    update: str = "iteration"
    independent: Sequence[str] = ()

    def __post_init__(self) -> None:
        check_arguments(type(self), vars(self))
        check_positive("a positive number", tolerance=self.tolerance, limit=self.limit)
        for name in ("penalty", "projections"):
            if getattr(self, name):
                check_positive("0 or a positive number", **{name: getattr(self, name)})
        for name, values in CHOICES.items():
            check_choice(name, getattr(self, name), values)


CHOICES = {
    "projection": ("mass", "tangent"),
    "tangent": ("exact", "approximate"),
    "update": ("iteration", "step"),
}
"""Values of those settings that are names."""


class Page:
    """A step being written: inputs declared, weights named.

    Attributes:
        scheme: the outer scheme.
        q, qd, qdd, x, xd: the state at the start of the step.
        t: the time there; ZERO where nothing depends on it.
        h: the step.
        loads: generalised forces given.
        weights: of the family.
    """

    def __init__(self, name: str, parts: Residual, family: Family) -> None:
        self.parts, self.family = parts, family
        self.scheme = Scheme(name)
        self.known = {row.name: row for row in parts.value.inputs}
        self._rows: dict[str, Input] = {}
        self.q, self.qd, self.qdd = (self._own(n) for n in ("q", "qd", "qdd"))
        states, names = tuple(parts.model.states), tuple(parts.model.velocities)
        self.x, self.xd = self._own("x"), self._more("xd", states)
        self.weights = self._weights()
        w = self.weights
        self.weighted = w is not None and not (w.inertia is ZERO and w.force is ZERO)
        self.a, self.y = self.qdd, self.xd
        if self.weighted:
            self.a, self.y = self._more("a", names), self._more("y", states)

    def _input(self, row: Input) -> tuple[Node, ...]:
        self._rows[row.name] = row
        return self.scheme.input(row)

    def _own(self, name: str) -> tuple[Node, ...]:
        return self._input(self.known[name]) if name in self.known else ()

    def _more(self, name: str, labels: tuple[str, ...]) -> tuple[Node, ...]:
        found = tuple(symbol(f"{name}_{label}", Rank.ACCELERATION) for label in labels)
        if found:
            self._input(Input(name, (len(found),), found, None, False, labels))
        return found

    def declare(self, equations: Sequence[str] = ()) -> None:
        """Declare multipliers, then time, step, forces, basic parameter and parameters."""
        self.lam = self._more("lam", tuple(equations))
        self.t = self._own("t")[0] if "t" in self.known else ZERO
        self.h = symbol("h", Rank.PARAMETER)
        self.scheme.input(Input("h", (), (self.h,), None, False, ("h",), ("s",)))
        self.loads = self.given_loads()
        for name in self.known:
            if name not in {*STATE, "t"}:
                self._own(name)
        basic = self.family.basic
        if basic is not None:
            given = symbol(basic.name, Rank.PARAMETER)
            row = Input(basic.name, (), (given,), (basic.default,), False, (basic.name,))
            self.scheme.input(row)

    def given_loads(self) -> tuple[Node, ...]:
        """Declare the generalised forces given, one per velocity."""
        names = tuple(self.parts.model.velocities)
        loads = tuple(symbol(f"tau_{name}", Rank.FORCE) for name in names)
        zeros = (0.0,) * len(names)
        self.scheme.input(Input("tau", (len(names),), loads, zeros, False, names))
        return loads

    def _weights(self) -> Weights | None:
        basic, weights = self.family.basic, self.family.weights
        if weights is None:
            return None
        return weights(symbol(basic.name, Rank.PARAMETER) if basic is not None else ZERO)

    def end_time(self) -> Node:
        """The time at the end of the step."""
        return self.t + self.h if self.t is not ZERO else ZERO

    def drive_values(self, t: Node) -> dict[int, tuple[Node, Node, Node]]:
        """Coordinate, rate and second rate of the driven velocities, by number."""
        drives = self.parts.drives
        if drives is None:
            return {}
        found = inline(self.scheme, drives, bound(drives, t=(t,)))
        names = self.parts.model.velocities
        columns = zip(found["q"], found["qd"], found["qdd"], strict=True)
        labels = drives.output("q").labels
        return {names.index(n): row for n, row in zip(labels, columns, strict=True)}

    def output(self, name: str, values: Sequence[Node]) -> None:
        """Declare a part of the state at the end of the step."""
        if values:
            row = self._rows[name]
            self.scheme.output(f"{name}_next", values, row.shape, row.labels)


__all__ = ["CHOICES", "STATE", "Page", "Settings"]
