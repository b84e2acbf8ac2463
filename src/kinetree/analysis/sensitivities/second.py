"""Second derivatives of measures: tangents of tangents.

The dynamics with tangents, Y = [y, z, S₁, S₂, …], are dynamics like others; their own tangents
Tⱼ = dY/dpⱼ = [Sⱼ, zⱼ, d²y/dp₁dpⱼ, …] obey der(T) = ∂F/∂Y T + ∂F/∂p δp, and belong to the steps as
they were taken.  Of a measure V(e, z)

    d²V = Σ ∂V/∂e d²e + ∂²V/∂e² de deᵀ + ∂V/∂z d²z + ∂²V/∂z² dz dzᵀ                     Eq. (S9)

A run takes a few variables; of more, every two of them meet in one of several runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.runs.forms import Forms
from kinetree.analysis.runs.run import RunOptions
from kinetree.analysis.sensitivities.demands import refuse_jumps
from kinetree.analysis.sensitivities.direct import TOGETHER, Tracker
from kinetree.analysis.sensitivities.expressions import Expressions
from kinetree.analysis.sensitivities.jumps import past_branches
from kinetree.analysis.sensitivities.looks import Looks
from kinetree.analysis.sensitivities.start import solve_seconds, tangent_start
from kinetree.analysis.sensitivities.tangent import Tangent, tangent, tangent_moves, with_states
from kinetree.analysis.sensitivities.task import Task
from kinetree.analysis.sensitivities.variables import DesignVariable
from kinetree.arrays import Array
from kinetree.engine import Node, Rank, symbol
from kinetree.errors import UnsupportedError
from kinetree.measures import OfEvent, Sighting
from kinetree.program import Output, Program
from kinetree.program.differentiate import forward_along
from kinetree.program.passes import condense
from kinetree.program.state_form import STATE, state_inputs
from kinetree.targets.kept import DerivedProgram, remember

if TYPE_CHECKING:
    from kinetree.analysis.runs.dynamics import Dynamics
    from kinetree.analysis.runs.events import Watched
    from kinetree.analysis.runs.updates import Settled

SECOND = "de_dalong"
"""Output of looks: changes of expressions along the directions, and their rates."""


def hessians(task: Task, times: Array) -> Array:
    """Second derivatives of all measures: measure × variable × variable.

    Args:
        task: what runs; nothing that it measures may be a peak or the time of an event.
        times: output times [s].
    """
    refuse_second(task)
    rows, count = task.directions, len(task.directions)
    found = np.zeros((len(task.measures), count, count))
    for block in task.share.parts(blocks_of(count)):
        part = replace(task, variables=tuple(rows[k] for k in block))
        places = np.array(block, dtype=np.int64)
        found[:, places[:, None], places] = _block(part, times)
    return found


def blocks_of(count: int) -> list[list[int]]:
    """Numbers of variables that one run takes; every two of all variables meet in one of them."""
    if count <= TOGETHER:
        return [[*range(count)]]
    half = TOGETHER // 2
    groups = [[*range(k, min(k + half, count))] for k in range(0, count, half)]
    return [one + two for one, two in combinations(groups, 2)]


def _block(task: Task, times: Array) -> Array:
    """Second derivatives by all that varies, by one run."""
    first = tangent(task.system, task.expressions, task.directions)
    made = _nest(first, task.directions, task.expressions.key)
    start = _start(task, first, made)
    how = RunOptions(
        task.integrator, task.settings_for(first.width),
        watches=task.watches, jump=refuse_jumps_twice, onward=past_branches,
    )  # fmt: skip
    looks, _ = Tracker(task).track(made, start, times, how)
    refuse_ending(looks)
    return _assemble(task, first, looks)


def refuse_jumps_twice(
    system: Dynamics, events: Watched, t: float, before: Array, after: Settled
) -> Array:
    """Refuse events that change the motion or its tangents: second ones do not pass them here."""
    try:
        return refuse_jumps(system, events, t, before, after)
    except UnsupportedError as error:
        raise jump_refusal(error.element, t) from error


def jump_refusal(element: str, t: float) -> UnsupportedError:
    """The error that second derivatives do not pass a place."""
    return UnsupportedError(
        f"the motion or its slopes jump there at t = {t:.6g} s, behind which there are no second "
        "derivatives here",
        element=element,
        cure="leave order=2 out",
    )


def refuse_ending(looks: Looks) -> None:
    """Refuse a run that an event ends: its end moves."""
    if looks.end_slope is not None:
        raise UnsupportedError(
            "an event ends the run, whose time has no second derivative here",
            element="order",
            cure="leave order=2 out",
        )


def refuse_second(task: Task) -> None:
    """Refuse what has no second derivative here."""
    for name, measure in task.measures.items():
        if measure.peaks or isinstance(measure, OfEvent):
            raise UnsupportedError(
                "it has no second derivative here",
                element=f"measure '{name}'",
                cure="leave order=2 out, or measure something else",
            )
    if len(task.directions) < len(task.variables):
        raise UnsupportedError(
            "there are no second derivatives by it here",
            element="by, 'duration'",
            cure="leave it out, or leave order=2 out",
        )


def _nest(made: Tangent, variables: Sequence[DesignVariable], key: str) -> Tangent:
    """The dynamics of Y and of one tangent of it per variable."""
    forms, system = made.system.forms, made.system
    size = len(forms.rates.program.output("yd").nodes)

    def make() -> tuple[Forms, DerivedProgram]:
        return _Nested(forms, made.looks.program, variables, size).forms()

    names = ", ".join(row.name for row in variables)
    new, looks = remember(make, "second tangents", system.model, key, names, forms.rates.digest)
    return Tangent(replace(system, forms=new), size, 0, len(variables), looks)


class _Nested:
    """Writes the Programs of Y with its tangents."""

    def __init__(
        self, forms: Forms, looks: Program, variables: Sequence[DesignVariable], size: int
    ) -> None:
        self.old, self.looks, self.size, self.count = forms, looks, size, len(variables)
        forward = forms.forward.program
        labels = [f"tangent_{d}_{k}" for d in range(self.count) for k in range(size)]
        new = tuple(symbol(name, Rank.COORDINATE) for name in labels)
        self.forward = with_states(forward, labels, new)
        self.state = state_inputs(self.forward)[1]
        whole = replace(self.forward, inputs=state_inputs(self.forward))
        self.moves = tangent_moves(whole, size, size, variables)

    def forms(self) -> tuple[Forms, DerivedProgram]:
        """Forward dynamics, rates and projection, and looks."""
        old, projection = self.old, self.old.projection
        moved = None if projection is None else self._join(projection.program, STATE)
        made = Forms(
            DerivedProgram.of(condense(self.forward)),
            DerivedProgram.of(self._join(old.rates.program, "yd")),
            None if moved is None else DerivedProgram.of(moved),
        )
        looks = forward_along(self._widen(self.looks), SECOND, self.moves)
        return made, DerivedProgram.of(looks)

    def _widen(self, program: Program) -> Program:
        """The same Program of the longer state."""
        rows = (self.state if row.name == STATE else row for row in program.inputs)
        return replace(program, inputs=tuple(rows))

    def _join(self, program: Program, name: str) -> Program:
        """One output with the values and their changes along all directions."""
        moved = forward_along(self._widen(program), name, self.moves)
        changes: Sequence[Node] = moved.output(f"d{name}_dalong").nodes
        rows = [changes[i * self.count + d] for d in range(self.count) for i in range(self.size)]
        nodes = (*moved.output(name).nodes, *rows)
        return condense(replace(moved, outputs=(Output(name, (len(nodes),), nodes),)))


def _start(task: Task, first: Tangent, made: Tangent) -> Array:
    """Y at the start with its tangents."""
    variables, count = task.directions, len(task.directions)
    Y = tangent_start(first, variables, task.start, task.t0, task.given)
    S = Y[first.width :].reshape(count, first.width)
    T = np.zeros((count, 1 + count, first.width))
    T[:, 0] = S
    if made.system.projects:
        whole = np.concatenate([Y, T.ravel()])
        found = made.system.project(task.t0, whole)[made.size :].reshape(T.shape)
        T[:, 1:] = solve_seconds(first, variables, (task.start, found[:, 1:]), task.t0, task.given)
    return np.concatenate([Y, T.ravel()])


def second_start(task: Task, seen: Expressions) -> Array:
    """Second derivatives of expressions of the start: expression × variable × variable."""
    first = tangent(task.system, seen, task.directions)
    made = _nest(first, task.directions, seen.key)
    found = _call_looks(made, task.t0, _start(task, first, made))
    changes: Array = found[f"d{SECOND}_dalong"][:, :-1]
    return changes


def _assemble(task: Task, first: Tangent, looks: Looks) -> Array:
    """Hessians from second changes of expressions and integrals, Eq. (S9)."""
    count, row, found = len(task.directions), looks.row(looks.end), []
    S = row[first.width :][: count * first.width].reshape(count, first.width)
    T = row[(1 + count) * first.width :].reshape(count, 1 + count, first.width)
    for number, (measure, place) in enumerate(
        zip(task.measures.values(), task.expressions.integrated, strict=True)
    ):
        times = measure.times(looks.end)
        samples = [_changes(looks, float(t), number) for t in times]
        integral = 0.0 if place is None else float(row[first.size + place])
        values = np.array([e for e, _, _ in samples])
        seen = measure.gather(Sighting(looks.start, looks.end, values, integral))
        H = np.zeros((count, count))
        curved = seen.curved_samples if len(seen.curved_samples) else np.zeros(len(times))
        for (_, de, dde), weight, bend in zip(samples, seen.by_samples, curved, strict=True):
            H += weight * dde + bend * np.outer(de, de)
        if place is not None:
            dz = S[:, first.size + place]
            H += seen.by_integral * T[:, 1:, first.size + place]
            H += seen.curved_integral * np.outer(dz, dz)
        found.append(0.5 * (H + H.T))
    return np.array(found)


def _changes(looks: Looks, t: float, number: int) -> tuple[float, Array, Array]:
    """An expression at the time of a row, its first and second changes."""
    found = _call_looks(looks.tangent(t), t, looks.row(t))
    return (
        float(found["e"][number]),
        found[SECOND][number, :-1],
        found[f"d{SECOND}_dalong"][number, :-1],
    )


def _call_looks(made: Tangent, t: float, row: Array) -> dict[str, Array]:
    """Expressions at a row, their first and second changes."""
    function = made.looks.function.with_values(made.system.parameters)
    shapes = {port.name: port.shape for port in function.inputs}
    given: dict[str, Any] = {"w": np.zeros(shapes["w"])}  # no value depends on the rate of time
    found: dict[str, Array] = made.system.call(function, t, row, **given)
    return found
