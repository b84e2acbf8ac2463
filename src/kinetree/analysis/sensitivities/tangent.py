"""Dynamics whose state carries integrals and tangents: Y = [y, z, S₁, S₂, …].

    der(y) = f(t, y, p)            the motion
    der(z) = e(t, y, p)            integrals of measures
    der(S) = ∂(f, e)/∂y S + ∂(f, e)/∂p δp      one tangent S = d(y, z) per direction    Eq. (S1)

A Runge-Kutta step of Y is the step of y and the derivative of that step, so that tangents belong to
the steps as they were taken.  Projections move along: P(y) goes with ∂P/∂y S + ∂P/∂p δp.

Refs: Docquier2013 sec. 3.5.2, eqs. 41, 42; Kurz2008 sec. 4
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kinetree.analysis.runs.forms import Forms
from kinetree.analysis.sensitivities.directions import inputs_by, seeds_of
from kinetree.analysis.sensitivities.equations.semi_explicit import semi_explicit
from kinetree.analysis.sensitivities.expressions import Expressions
from kinetree.analysis.sensitivities.variables import DesignVariable, symbols_of
from kinetree.engine import ONE, Node, Rank, symbol
from kinetree.integrate.loops.tangent_lanes import LaneForm
from kinetree.program import Input, Output, Program
from kinetree.program.differentiate import along, forward_along
from kinetree.program.events import SIDES
from kinetree.program.passes import condense
from kinetree.program.state_form import (
    MEMORY,
    STATE,
    TIME,
    consistent_state,
    state_inputs,
    state_labels,
    state_rates,
)
from kinetree.targets.kept import DerivedProgram, remember

if TYPE_CHECKING:
    from kinetree.analysis.runs.dynamics import Dynamics

Moves = Sequence[Mapping[Node, Node]]
"""Per direction, the change of every symbol."""
Join = Callable[[tuple[Node, ...], tuple[Node, ...]], tuple[Node, ...]]
"""Makes one output of values and changes, direction by direction."""
EXPLICIT = "explicit"
"""Which equations are differentiated usually: those solved for the accelerations."""
SPEED = "w"
"""Input of looks: der(y)."""


@dataclass(frozen=True)
class Tangent:
    """The equations of a run with integrals and tangents.

    Attributes:
        system: its dynamics, of Y.
        size: components of y.
        integrals: components of z.
        directions: number of tangents.
        looks: Program of t, Y, w = der(y), …: e of all measures, their changes de along the
            directions, one row each, and rate = de/dt.
    """

    system: Dynamics
    size: int
    integrals: int
    directions: int
    looks: DerivedProgram

    @property
    def width(self) -> int:
        """Components of y and z: of one tangent."""
        return self.size + self.integrals


def tangent(
    system: Dynamics,
    seen: Expressions,
    variables: Sequence[DesignVariable],
    *,
    lanes: bool = False,
    equations: str = EXPLICIT,
    holds: bool = False,
) -> Tangent:
    """The dynamics with integrals, and with one tangent per variable.

    Args:
        system: of the model.
        seen: what is measured.
        variables: all but the duration.
        lanes: whether tangents go side by side through one kernel, which knows nothing of their
            number; explicit methods take it.  Others need equations of every component of Y.
        equations: which are differentiated, in lanes: "explicit" or "semi-explicit".
        holds: whether laws stay on their branches between events, as far as a run says.
    """
    lanes = lanes and bool(variables)
    semi = lanes and equations != EXPLICIT
    n = len(system.forms.rates.program.output("yd").nodes)

    free = seen
    seen = seen.with_held_laws if holds else seen
    held = seen.forward.takes(SIDES)

    def make() -> tuple[Forms | None, DerivedProgram]:
        plain = tangent(system, free, (), holds=holds).system.forms if lanes else None
        writer = _Writer(seen, variables, system if semi else None, plain)
        alone = not variables and not seen.integrands and not held  # then Y is y
        return None if alone else writer.forms(), writer.looks()

    names = ", ".join(row.name for row in variables)
    what = f"tangents in lanes, {equations}" if lanes else "tangents"
    what = f"{what}, held" if holds else what
    forms, looks = remember(
        make, what, system.model, seen.key, names, system.forms.rates.digest,
        system.forms.forward.digest,
    )  # fmt: skip
    made = system if forms is None else replace(system, forms=forms)
    if held:
        sides = np.zeros(seen.forward.input(SIDES).shape)
        made = replace(made, loads=replace(made.loads, fixed={**made.loads.fixed, SIDES: sides}))
    return Tangent(made, n, len(seen.integrands), len(variables), looks)


class _Writer:
    """Writes the Programs of Y."""

    def __init__(
        self, seen: Expressions, variables: Sequence[DesignVariable], unsolved: Dynamics | None,
        plain: Forms | None,
    ) -> None:  # fmt: skip
        """`unsolved`: the dynamics, where their equations are differentiated before solving.

        `plain`: the Programs without tangents, where these go in lanes beside them.
        """
        forward, self.seen = seen.forward, seen
        self.variables, self.plain, self.unsolved = variables, plain, unsolved
        labels = state_labels(forward)
        y = state_inputs(forward)[1].symbols
        more = [f"integral_{k}" for k in range(1, len(seen.integrands) + 1)]
        self.n, self.width, self.count = len(y), len(y) + len(more), len(variables)
        tangents = [f"{label}_by_{row.name}" for row in variables for label in (*labels, *more)]
        new = tuple(symbol(name, Rank.COORDINATE) for name in (*more, *tangents))
        self.z, self.S = new[: len(more)], new[len(more) :]
        self.forward = with_states(forward, (*more, *tangents), new)
        inputs = state_inputs(self.forward)
        whole = replace(self.forward, inputs=inputs)
        self.moves = tangent_moves(whole, self.n, self.width, variables)

    def forms(self) -> Forms:
        """Forward dynamics, rates and projection of Y."""
        projected = None
        changes = any(self.forward.gives(name) for name in ("q_closed", MEMORY))
        if self.forward.input("q").quaternions or changes:
            projected = self._projection()
        rates = self._rates()
        return Forms(DerivedProgram.of(condense(self.forward)), rates, projected)

    def _program(self, name: str, *outputs: Output) -> Program:
        inputs = state_inputs(self.forward)
        whole = replace(
            self.forward, name=f"{self.forward.name}_{name}", inputs=inputs, outputs=outputs
        )
        return condense(whole)

    def _rates(self) -> DerivedProgram | LaneForm:
        nodes = (*state_rates(self.seen.forward), *self.seen.integrands)
        out = Output("yd", (len(nodes),), nodes)
        if self.plain is not None:
            return self._side_by_side("tangents", out, self.plain.rates)
        base = self._program("tangents", out)
        return DerivedProgram.of(self._join(base, "yd", lambda yd, dyd: (*yd, *dyd)))

    def _projection(self) -> DerivedProgram | LaneForm:
        nodes = tuple(consistent_state(self.seen.forward))
        out = Output(STATE, (self.n,), nodes)
        if self.plain is not None:
            return self._side_by_side("projection", out, self.plain.projection)
        base = self._program("projection", out)
        nz = self.width - self.n

        def whole(y: tuple[Node, ...], dy: tuple[Node, ...]) -> tuple[Node, ...]:
            rows = [*y, *self.z]
            for d in range(self.count):
                own = self.S[d * self.width :][: self.width]
                rows += [*dy[d * self.n :][: self.n], *own[self.width - nz :]]
            return tuple(rows)

        return DerivedProgram.of(self._join(base, STATE, whole))

    def _side_by_side(
        self, name: str, out: Output, plain: DerivedProgram | LaneForm | None
    ) -> LaneForm:
        """Values and their changes along a direction that is given; one per lane."""
        forward = self.seen.forward
        base = replace(
            forward, name=f"{forward.name}_{name}", inputs=state_inputs(forward), outputs=(out,)
        )
        by = inputs_by(base, self.variables)
        if self.unsolved is not None and out.name == "yd":
            made = semi_explicit(self.unsolved, base, by)
        else:
            made = along(condense(base), out.name, {STATE: None, **by})
        seeds = {f"{key}_dot": rows.T for key, rows in seeds_of(by, self.variables).items()}
        assert isinstance(plain, DerivedProgram)  # nothing goes in lanes without tangents
        return LaneForm(
            DerivedProgram.of(made), out.name, seeds, self.width, self.count, plain=plain
        )

    def _join(self, base: Program, name: str, join: Join) -> Program:
        """One output with the values and their changes along all directions."""
        moved = forward_along(base, name, self.moves)
        size = len(base.output(name).nodes)
        changes = moved.output(f"d{name}_dalong").nodes
        by_direction = tuple(
            changes[i * self.count + d] for d in range(self.count) for i in range(size)
        )
        nodes = join(moved.output(name).nodes, by_direction)
        labels = state_inputs(self.forward)[1].labels
        return condense(replace(moved, outputs=(Output(name, (len(nodes),), nodes, labels),)))

    def looks(self) -> DerivedProgram:
        """e, its changes along the directions, and its rate."""
        e = self.seen.nodes
        base = self._program("looks", Output("e", (len(e),), e))
        speed, rate = along_time(base, self.n)
        base = replace(base, inputs=(*base.inputs, speed))
        return DerivedProgram.of(forward_along(base, "e", [*self.moves, rate]))


def tangent_moves(
    program: Program, size: int, width: int, variables: Sequence[DesignVariable]
) -> list[dict[Node, Node]]:
    """Per tangent, the change of y and of what varies.

    Args:
        program: of t, Y and what forward dynamics take.
        size: components of y.
        width: of y and the integrals: of one tangent.
        variables: one per tangent.
    """
    Y = program.input(STATE).symbols
    rows = (Y[k : k + size] for k in range(width, width * (1 + len(variables)), width))
    moves = [dict(zip(Y, row, strict=False)) for row in rows]
    for move, own in zip(moves, symbols_of(program, variables), strict=True):
        if own is not None:
            move[own] = ONE
    return moves


def along_time(program: Program, size: int) -> tuple[Input, dict[Node, Node]]:
    """An input for der(y), and the change of t and y as time goes on."""
    speeds = tuple(symbol(f"{SPEED}_{k}", Rank.VELOCITY) for k in range(size))
    y, (t,) = program.input(STATE).symbols[:size], program.input(TIME).symbols
    return Input(SPEED, (size,), speeds), {**dict(zip(y, speeds, strict=True)), t: ONE}


def with_states(forward: Program, labels: Sequence[str], new: Sequence[Node]) -> Program:
    """Forward dynamics with more states behind those of the user."""
    rows = {row.name: row for row in forward.inputs}
    x = rows.get("x", Input("x", (0,), ()))
    rows["x"] = replace(
        x,
        shape=(len(x.symbols) + len(new),),
        symbols=(*x.symbols, *new),
        default=None if x.default is None else (*x.default, *(0.0,) * len(new)),
        labels=(*x.labels, *labels),
        units=(*(x.units or ("",) * len(x.symbols)), *("",) * len(new)),
    )
    return replace(forward, inputs=tuple(rows.values()))
