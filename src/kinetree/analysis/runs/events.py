"""Events: conditions of the state that a run marks or stops at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from kinetree.analysis.runs.dynamics import Dynamics
from kinetree.arguments import check_arguments, check_choice, shown
from kinetree.arrays import Array
from kinetree.engine import Node, as_node, substitute, symbols
from kinetree.errors import ModelError, unknown
from kinetree.formats.expression import parse
from kinetree.integrate.problem import Watch
from kinetree.model import Named, time_symbol, traced
from kinetree.program import Output
from kinetree.program.events import crossings
from kinetree.program.passes import condense
from kinetree.program.state_form import consistent_state, state_inputs, state_parts

DIRECTIONS = {"both": 0, "rising": 1, "falling": -1}


@dataclass(frozen=True)
class Event:
    """Something that happens where g(t, q, qd, x) passes zero.

    Attributes:
        when: g as an expression such as "q_knee - 0.5", or a function of any of t, q, qd, x, the
            last three mappings by name: lambda q, qd: q["knee"] - 0.5.  The word "laws" stands for
            all places where a law of the model changes its branch (select, minimum, contacts).
        direction: "rising", "falling" or "both" ways through zero.
        stops: whether the run ends there; else it is only recorded.
    """

    when: str | Node | Callable[..., Any]
    direction: str = "both"
    stops: bool = False

    def __post_init__(self) -> None:
        check_arguments(type(self), vars(self))
        check_choice("direction", self.direction, DIRECTIONS)


LAWS = "laws"
"""The event that stands for every change of branch in a law."""
Events = Mapping[str, Event | str | Callable[..., Any]] | str
"""Event by name; an expression or function alone is an event that is only recorded; "laws" alone
records where laws change their branch."""


@dataclass(frozen=True)
class Watched:
    """The events of a run.

    Attributes:
        watches: names, directions and effects.
        function: native function of t, y, … whose output g are the values of all of them at the
            consistent state.
    """

    watches: tuple[Watch, ...] = ()
    function: Any = None


def watched(dynamics: Dynamics, given: Events | None) -> Watched:
    """The events of a user, compiled for a model."""
    forward = dynamics.forward
    y = [s for row in state_parts(forward) for s in row.symbols]
    at = dict(zip(y, consistent_state(forward), strict=True))
    watches: list[Watch] = []
    nodes: list[Node] = []
    for name, event in _events(given).items():
        way = DIRECTIONS[event.direction]
        if event.when == LAWS:
            row = crossings(forward)
            nodes += row.nodes
            watches += [Watch(f"{name}: {label}", way, event.stops) for label in row.labels]
        else:
            nodes += substitute([_expression(dynamics, name, event)], at)
            watches.append(Watch(name, way, event.stops))
    if not nodes:
        return Watched()
    out = Output("g", (len(nodes),), tuple(nodes), tuple(watch.name for watch in watches))
    program = replace(forward, name="events", inputs=state_inputs(forward), outputs=(out,))
    return Watched(tuple(watches), condense(program).compile())


def watching(dynamics: Dynamics, function: Any) -> Callable[[float, Array], Array] | None:
    """(t, y) -> values of all events; none without a function."""
    if function is None:
        return None

    def values(t: float, y: Array) -> Array:
        return dynamics.call(function, t, y)["g"]

    return values


def _events(given: Events | None) -> dict[str, Event]:
    rows = ({LAWS: LAWS} if given == LAWS else _mapping(given)).items()
    return {name: row if isinstance(row, Event) else _event(name, row) for name, row in rows}


def _event(name: str, when: Any) -> Event:
    """An event that is only recorded."""
    if not isinstance(when, str | Node) and not callable(when):
        raise ModelError(
            f"'{name}' is {shown(when)}",
            element="events",
            cure="give an Event, an expression or a function of t, q, qd, x",
        )
    return Event(when)


def _mapping(given: Events | None) -> Mapping[str, Any]:
    if isinstance(given, str):
        raise ModelError(
            f"'{given}' has no name",
            element="events",
            cure=f'write {{"low": "{given}"}}, or "{LAWS}" for the branches of laws',
        )
    return given or {}


def _expression(dynamics: Dynamics, name: str, event: Event) -> Node:
    """g as an expression of the state, the time and named parameters."""
    model, element = dynamics.model, f"event '{name}'"
    parts = {
        row.name: dict(zip(row.labels, row.symbols, strict=True))
        for row in state_parts(dynamics.forward)
    }
    t = time_symbol()
    names: dict[str, Any] = {
        "q": Named("coordinate", parts["q"], element),
        "qd": Named("velocity", parts["qd"], element),
        "x": Named("state", parts.get("x", {}), element),
        "t": t,
    }
    own = {f"{part}_{label}": node for part, row in parts.items() for label, node in row.items()}
    own |= {t.name: t} | {row.name: row.symbol for row in model.parameters.values()}
    if isinstance(event.when, str):
        return parse(event.when, own, element)
    node = as_node(traced(event.when, names, element))
    known = set(own.values())
    for found in symbols([node]):
        if found not in known:
            raise unknown("name", found.name, list(own), element)
    if not set(symbols([node])):
        raise ModelError("it never changes", element=element, cure="use t, q, qd or x in it")
    return node


__all__ = ["DIRECTIONS", "LAWS", "Event", "Events", "Watched", "watched", "watching"]
