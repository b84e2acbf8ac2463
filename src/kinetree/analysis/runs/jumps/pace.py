"""How long a step may be so that it passes over nothing brief, as elements of the model say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from kinetree.analysis.observing.attach import attach_used
from kinetree.analysis.runs.dynamics import Dynamics
from kinetree.arrays import Array
from kinetree.engine import Rank, minimum, substitute, symbol
from kinetree.model import FORCES, Mechanism
from kinetree.program import Output, Program
from kinetree.program.passes import condense
from kinetree.program.state_form import consistent_state, state_inputs, state_parts

PACE = "pace"


def pace_names(model: Mechanism) -> list[str]:
    """Outputs that bound the length of steps."""
    rows = ((force.name, FORCES[force.kind].belongings.pace) for force in model.forces.values())
    return [f"{name}.{output}" for name, output in rows if output]


def compile_pace(dynamics: Dynamics) -> Any:
    """Native function of t, y, …: the longest step from there [s]; none where nothing bounds it.

    It is made once for the equations.
    """
    kept = dynamics.forms.results
    if PACE not in kept:
        usual = replace(dynamics, parameters={})  # values of one run are not kept for others
        program = pace_program(usual)
        kept[PACE] = None if program is None else program.compile()
    return kept[PACE]


def pace_program(dynamics: Dynamics) -> Program | None:
    """The Program of the least of all bounds at the consistent state."""
    marks = [symbol(name, Rank.FORCE) for name in pace_names(dynamics.model)]
    if not marks:
        return None
    forward, values = attach_used(dynamics.model, dynamics.forward, marks)
    least, *others = (values[mark] for mark in marks)
    for other in others:
        least = minimum(least, other)
    y = [s for row in state_parts(forward) for s in row.symbols]
    (node,) = substitute([least], dict(zip(y, consistent_state(forward), strict=True)))
    out = Output(PACE, (1,), (node,), ("longest",))
    return condense(replace(forward, name=PACE, inputs=state_inputs(forward), outputs=(out,)))


def pacing(dynamics: Dynamics, function: Any) -> Callable[[float, Array], float] | None:
    """(t, y) -> the longest step [s]; none without a function."""
    if function is None:
        return None

    def longest(t: float, y: Array) -> float:
        return float(dynamics.call(function, t, y)[PACE][0])

    return longest
