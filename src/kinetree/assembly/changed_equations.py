"""Sorted equations of connected components with other values of their parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from kinetree.arrays import Array, Flags
from kinetree.model.mechanism import Mechanism
from kinetree.model.outputs.variables import Choosing, SolvedStart, SortedEquations

ParameterValues = Mapping[str, float]


@dataclass(frozen=True)
class ChangedChoice:
    """A choice of states under other values.

    Attributes:
        own: the choice.
        values: by name; those that a run gives go before.
        change: a mechanism, values -> the mechanism with these.
    """

    own: Choosing
    values: ParameterValues
    change: Callable[[Mechanism, ParameterValues], Mechanism]

    def bad(self, t: Array, x: Array, parameters: ParameterValues) -> Flags:
        """Where the states are a bad choice, at many moments."""
        return self.own.bad(t, x, {**self.values, **parameters})

    def better(self, t: float, x: Array, parameters: ParameterValues) -> Mechanism | None:
        """The mechanism with the best states at a moment; none where they are those at hand."""
        found = self.own.better(t, x, {**self.values, **parameters})
        return None if found is None else self.change(found, self.values)


def change_equations(
    model: Mechanism,
    values: ParameterValues,
    change: Callable[[Mechanism, ParameterValues], Mechanism],
) -> None:
    """Give a model of components other values, in its equations and where its runs begin.

    Args:
        model: whose named parameters have them already.
        values: by name, in SI units.
        change: a mechanism, values -> the mechanism with these.
    """
    old = model.equations
    if old is None or not old.program.takes("p"):
        return
    row = old.program.input("p")
    table = [model.parameters[n].value if n in model.parameters else x
             for n, x in zip(row.labels, row.default or (), strict=True)]  # fmt: skip
    inputs = tuple(replace(port, default=tuple(table)) if port is row else port
                   for port in old.program.inputs)  # fmt: skip
    made = replace(old, program=replace(old.program, inputs=inputs),
                   digest=f"{old.digest} {sorted(values.items())}")  # fmt: skip
    model.equations = _with_places(made, values, change)
    if model.equations.begin is not None:
        begun = model.equations.begin.values({})
        for name, state in model.states.items():
            model.states[name] = replace(state, initial=begun.get(name, state.initial))


def _with_places(
    old: SortedEquations,
    values: ParameterValues,
    change: Callable[[Mechanism, ParameterValues], Mechanism],
) -> SortedEquations:
    """Equations whose start, choice of states and singular places know the values."""
    begin, choice, singular = old.begin, old.choice, old.singular
    return replace(
        old,
        begin=None if begin is None else SolvedStart(
            begin.states, lambda more: begin.values({**values, **more})
        ),
        choice=None if choice is None else ChangedChoice(choice, values, change),
        singular=None if singular is None else (
            lambda t, x, more: singular(t, x, {**values, **more})
        ),
    )  # fmt: skip
