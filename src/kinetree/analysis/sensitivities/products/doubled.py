"""Dynamics with one tangent along a direction that is an input: [Y, S] with S = dY/dp v.

The direction v is data of a run, not of its Programs: they are derived and compiled once for all
directions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kinetree.analysis.runs.forms import Forms
from kinetree.analysis.sensitivities.tangent import Tangent, with_states
from kinetree.analysis.sensitivities.variables import DesignVariable, symbols_of
from kinetree.engine import Node, Rank, derivation, symbol
from kinetree.program import Input, Output, Program
from kinetree.program.differentiate import forward_along
from kinetree.program.passes import condense
from kinetree.program.state_form import STATE, state_inputs
from kinetree.targets.kept import DerivedProgram, remember

if TYPE_CHECKING:
    from kinetree.arrays import Array

ALONG = "along"
"""Input of the direction: a change of every variable."""
SEEN = "e"


def with_tangent(
    plain: Tangent, variables: Sequence[DesignVariable], way: Array, key: str
) -> Tangent:
    """The dynamics of Y with its tangent along a direction.

    Args:
        plain: the dynamics of Y = [y, z], without tangents.
        variables: all that varies.
        way: the direction: a change of each.
        key: of what is measured.

    Returns:
        Them; `looks` gives e of all measures, then their changes, as one output.
    """
    system = plain.system

    def make() -> tuple[Forms, DerivedProgram]:
        return _forms(plain, variables)

    names = ", ".join(row.name for row in variables)
    forms, looks = remember(
        make, "tangents along a direction", system.model, key, names, system.forms.rates.digest,
    )  # fmt: skip
    loads = replace(system.loads, fixed={**system.loads.fixed, ALONG: way})
    return Tangent(replace(system, forms=forms, loads=loads), plain.size, plain.integrals, 1, looks)


@derivation()
def _forms(plain: Tangent, variables: Sequence[DesignVariable]) -> tuple[Forms, DerivedProgram]:
    """Forward dynamics, rates and projection, and looks."""
    old = plain.system.forms
    labels = [f"tangent_{k}" for k in range(plain.width)]
    S = tuple(symbol(name, Rank.COORDINATE) for name in labels)
    count = len(variables)
    v = tuple(symbol(f"{ALONG}_{k}", Rank.VELOCITY) for k in range(count))
    weights = Input(ALONG, (count,), v, (0.0,) * count)
    forward = with_states(old.forward.program, labels, S)
    forward = replace(forward, inputs=(*forward.inputs, weights))
    state = state_inputs(forward)[1]
    move = dict(zip(state.symbols[: plain.width], S, strict=True))
    rows = zip(symbols_of(old.forward.program, variables), v, strict=True)
    move |= {own: change for own, change in rows if own is not None}

    def join(program: Program, name: str) -> DerivedProgram:
        return DerivedProgram.of(_join(program, name, (state, weights), move))

    projection = None if old.projection is None else join(old.projection.program, STATE)
    forms = Forms(DerivedProgram.of(condense(forward)), join(old.rates.program, "yd"), projection)
    return forms, join(plain.looks.program, SEEN)


def _join(
    program: Program, name: str, more: tuple[Input, Input], move: Mapping[Node, Node]
) -> Program:
    """One output with the values and their changes along the direction.

    Args:
        program: of the shorter state.
        name: of the output.
        more: the longer state, and the direction.
        move: changes of symbols.
    """
    state, weights = more
    rows = (state if row.name == STATE else row for row in program.inputs)
    whole = replace(program, inputs=(*rows, weights), outputs=(program.output(name),))
    moved = forward_along(whole, name, [dict(move)])
    nodes = (*moved.output(name).nodes, *moved.output(f"d{name}_dalong").nodes)
    return condense(replace(moved, outputs=(Output(name, (len(nodes),), nodes),)))
