"""Events of components as events of the model: what passes zero, or ticks, and what it changes.

| in | out |
|---|---|
| `when(…)` of all instances | events in terms of states, modes and variables of the whole |

What an event changes is a state or a mode; what it reads may be any variable.
"""

from __future__ import annotations

from dataclasses import dataclass

from kinetree.acausal.aliases import resolve
from kinetree.acausal.hybrid.words import Reset, Ticks, When
from kinetree.acausal.physical import join_name, split_name
from kinetree.acausal.sort import SortedComponent
from kinetree.engine import Node, Rank, linear, substitute, symbol, symbols
from kinetree.errors import ModelError
from kinetree.model import Event, state_symbol


def events_of(
    found: SortedComponent, states: dict[Node, str], names: dict[str, str]
) -> dict[str, Event]:
    """The events by name.

    Args:
        found: the sorted component.
        states: symbol -> name of states and modes.
        names: path of a variable -> its name among the outputs.
    """
    made: dict[str, Event] = {}
    count: dict[str, int] = {}
    for path, row in found.flat.events:
        if not isinstance(row, When):
            continue
        stem = f"{path}.when" if path else "when"
        count[stem] = count.get(stem, 0) + 1
        told = f"{stem}{count[stem]}"
        page = Translation(found, states, names, f"event '{told}'")
        then = dict(page.change(change) for change in row.changes)
        if isinstance(row.condition, Ticks):
            made[told] = Event(
                every=row.condition.period, offset=row.condition.first, then=then, stops=row.stops
            )
        else:
            margin = page.node(row.condition.margin)
            made[told] = Event(margin, "rising", then=then, stops=row.stops)
    return made


@dataclass(frozen=True)
class Translation:
    """Expressions of one event in the words of the model."""

    found: SortedComponent
    states: dict[Node, str]
    names: dict[str, str]
    element: str

    def change(self, change: Reset) -> tuple[str, Node]:
        """Name of a state, and its new value."""
        target = resolve(change.target, self.found.reduced.meanings)
        own = next(iter(symbols((target,))), None)
        if own not in self.states:
            raise ModelError(
                f"'{join_name(*split_name(change.target))}' is not a state, so nothing resets it",
                element=self.element,
                cure="reset a state or a mode; say select='prefer' where it could be one",
            )
        sign = 1 if target is own else -1
        return f"x_{self.states[own]}", linear(0, ((self.node(change.value), sign),))

    def node(self, node: Node) -> Node:
        """An expression of variables in terms of states, modes, and outputs of the model."""
        meanings = self.found.reduced.meanings
        (node,) = substitute((node,), {s: resolve(s, meanings) for s in symbols((node,))})
        new: dict[Node, Node] = {}
        for s in symbols((node,)):
            path, order = split_name(s)
            if s in self.states:
                new[s] = state_symbol(self.states[s])
            elif order:
                raise ModelError(
                    f"it reads the derivative of '{path}'",
                    element=self.element,
                    cure="give the derivative a variable of its own",
                )
            elif path in self.names and s is state_symbol(path):
                new[s] = symbol(self.names[path], Rank.FORCE)
        return substitute((node,), new)[0]
