"""What a step is given: its options, and the inputs that its outputs are named after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from kinetree.arguments import check_arguments, check_choice, check_positive
from kinetree.engine import ZERO, Node, Rank, symbol
from kinetree.program import Input, Program, Scheme

if TYPE_CHECKING:
    from kinetree.model import Mechanism
    from kinetree.steppers.family import Family

Nodes = Sequence[Node]


@dataclass(frozen=True)
class NewtonSettings:
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
        smooth: whether projections solve for multipliers instead of using the penalty: slower, but
            their derivatives are as exact as those of the rest of the step.
    """

    tolerance: float = 1e-6
    limit: int = 40
    penalty: float = 0.0
    projections: int = 3
    projection: str = "mass"
    tangent: str = "exact"
    update: str = "iteration"
    independent: Sequence[str] = ()
    smooth: bool = False

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


@dataclass(frozen=True)
class StepState:
    """The state before or after a step; its parts are inputs, in order, and outputs with _next.

    Attributes:
        q, qd, qdd: coordinates, velocities, accelerations.
        x, xd: user states and their rates.
        a, y: accelerations and rates of states of Newmark's formulas, where they are not those.
        lam: multipliers of the loops.
    """

    q: Nodes
    qd: Nodes
    qdd: Nodes
    x: Nodes
    xd: Nodes
    a: Nodes
    y: Nodes
    lam: Nodes


STATE = tuple(row.name for row in fields(StepState))


@dataclass(frozen=True)
class StepInputs:
    """The inputs of a step.

    Attributes:
        scheme: where they are declared.
        rows: name -> input.
        start: the state at the start of the step.
        t: the time there; ZERO where nothing depends on it [s].
        h: the step [s].
        loads: generalised forces given, one per velocity [N or Nm].
    """

    scheme: Scheme
    rows: Mapping[str, Input]
    start: StepState
    t: Node
    h: Node
    loads: tuple[Node, ...]

    def time(self, share: float = 1.0) -> Node:
        """The time after a share of the step."""
        return self.t + share * self.h if self.t is not ZERO else ZERO

    def write(self, end: StepState) -> None:
        """Declare the state at the end of the step as outputs."""
        for name in STATE:
            values, row = getattr(end, name), self.rows.get(name)
            if values and row is not None:
                self.scheme.output(f"{name}_next", values, row.shape, row.labels)


def declare_step(
    model: Mechanism,
    equations: Program,
    family: Family,
    labels: Sequence[str],
    *,
    loaded: bool = True,
) -> StepInputs:
    """Declare the inputs of a step, in their order.

    Args:
        model: names velocities and user states.
        equations: of motion; their inputs are inputs of the step.
        family: the method, with its basic parameter.
        labels: of the equations of loops, which have multipliers.
        loaded: whether generalised forces are given.
    """
    scheme = Scheme(f"{model.name}_step")
    known = {row.name: row for row in equations.inputs}
    names, states = tuple(model.velocities), tuple(model.states)
    rows: dict[str, Input] = {}

    def take(row: Input) -> tuple[Node, ...]:
        rows[row.name] = row
        return scheme.input(row)

    def own(name: str) -> tuple[Node, ...]:
        return take(known[name]) if name in known else ()

    def more(name: str, labels: Sequence[str]) -> tuple[Node, ...]:
        found = tuple(symbol(f"{name}_{label}", Rank.ACCELERATION) for label in labels)
        return take(Input(name, (len(found),), found, None, False, tuple(labels))) if found else ()

    q, qd, qdd = own("q"), own("qd"), own("qdd") or more("qdd", names)
    x, xd = own("x"), more("xd", states)
    a, y = (more("a", names), more("y", states)) if family.carries_a else (qdd, xd)
    start = StepState(q, qd, qdd, x, xd, a, y, more("lam", labels))
    t = own("t")[0] if "t" in known else ZERO
    (h,) = take(Input("h", (), (symbol("h", Rank.PARAMETER),), None, False, ("h",), ("s",)))
    loads = (ZERO,) * len(names)
    if loaded:
        loads = tuple(symbol(f"tau_{name}", Rank.FORCE) for name in names)
        take(Input("tau", (len(names),), loads, (0.0,) * len(names), False, names))
    for name in known:
        if name not in rows:
            own(name)
    if family.basic is not None:
        take(family.basic.input())
    return StepInputs(scheme, rows, start, t, h, loads)
