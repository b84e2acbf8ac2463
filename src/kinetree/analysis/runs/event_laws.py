"""Expressions of events, from texts, functions and expressions, in the symbols of the dynamics."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from kinetree.analysis.runs.dynamics import Dynamics
from kinetree.engine import HOLD, PREVIOUS, Node, as_node, substitute, symbols
from kinetree.errors import ModelError, unknown
from kinetree.formats.expression import parse
from kinetree.model import (
    Named,
    Offers,
    instant_symbol,
    refuse_words,
    state_names,
    time_symbol,
    trace,
)
from kinetree.program.state_form import state_parts


class EventLaw:
    """Expressions of one event: of the state, the time, named parameters and outputs."""

    def __init__(self, dynamics: Dynamics, element: str) -> None:
        self.element, self.model = element, dynamics.model
        hidden = dynamics.states[len(dynamics.model.states) :]
        parts = {
            row.name: {
                a: s for a, s in zip(row.labels, row.symbols, strict=True) if a not in hidden
            }
            for row in state_parts(dynamics.forward)
        }
        # closed systems have other symbols for what is a start value of their loops
        names = state_names(dynamics.model)
        self.symbols = {
            names[part][label]: own for part, row in parts.items() for label, own in row.items()
        }
        t = time_symbol()
        self.names: dict[str, Any] = {
            "q": Named("coordinate", parts["q"], element),
            "qd": Named("velocity", parts["qd"], element),
            "x": Named("state", parts.get("x", {}), element),
            "t": t,
        }
        self.state = {f"{p}_{name}": s for p, row in parts.items() for name, s in row.items()}
        named = {row.name: row.symbol for row in dynamics.model.parameters.values()}
        self.own = self.state | {t.name: t} | named
        self.instants = {instant_symbol(name) for name in parts.get("x", {})}

    def target(self, key: Any) -> str:
        """The name of what an event changes."""
        word = key.name if isinstance(key, Node) else str(key)
        if word not in self.state and f"x_{word}" in self.state:
            word = f"x_{word}"
        if word not in self.state:
            raise unknown("coordinate, velocity, state or mode", word, self.state, self.element)
        return word

    def node(self, law: Any) -> Node:
        """An expression from a text, a function, a number or an expression."""
        if isinstance(law, str):
            offered = ChainMap(self.own, self.outputs)  # type: ignore[arg-type]  # is only read
            node = parse(law, offered, self.element)
            refuse_words((node,), (PREVIOUS, HOLD), self.element)
            return node
        names = self.names
        if callable(law):
            names = {**names, "outputs": Named("output", self.outputs, self.element)}
        node = as_node(trace(law, names, self.element))
        refuse_words((node,), (PREVIOUS, HOLD), self.element)
        (node,) = substitute([node], self.symbols)
        known = {*self.own.values(), *self.instants}
        for found in symbols([node]):
            if found not in known and self.outputs.get(found.name) is not found:
                raise unknown("name", found.name, [*self.own, *self.outputs], self.element)
        return node

    @cached_property
    def outputs(self) -> Mapping[str, Node]:
        """The outputs that the model offers, by name; thousands, made where they are asked for."""
        return Offers(self.model)

    def condition(self, law: Any) -> Node:
        """A condition, which must be able to change."""
        node = self.node(law)
        if not set(symbols([node])):
            raise ModelError(
                "it never changes", element=self.element, cure="use t, q, qd or x in it"
            )
        return node
