"""What may happen in a run of a model: modes that are held, and events that change them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kinetree.arguments import check_arguments
from kinetree.engine import ZERO, Node, symbols
from kinetree.errors import KinetreeError, ModelError, unknown
from kinetree.model.events import Event
from kinetree.model.laws import law_expressions, law_symbols, state_names
from kinetree.model.methods.outputs import OutputMethods
from kinetree.model.new_element import new_element

if TYPE_CHECKING:
    from kinetree.model.laws import LawLike

PARTS = ("q", "qd", "x")
"""What an event may change: coordinates, velocities, states and modes."""


class EventMethods(OutputMethods):
    """``model.mode(name, …)`` and ``model.event(name, …)``."""

    def mode(self, name: str, initial: float | None = 0.0, unit: str = "") -> Node:
        """Add a mode: a state that only events change; the Node returned may stand in laws.

        Args:
            name: unique among the states; x_NAME in laws and equations, x["NAME"] in functions.
            initial: value to start from, in `unit`; None: every run gives it by x=, or an event
                that happens at the start sets it.
            unit: such as "mm", see `parameter`.
        """
        node = self.state(name, 0.0 if initial is None else initial, None, unit)
        made = replace(self.states[name], rate=ZERO, held=True)
        made = replace(made, initial=math.nan, written=None) if initial is None else made
        self.states[name] = made
        return node

    def event(  # noqa: PLR0913  one keyword per fact
        self,
        name: str,
        when: LawLike | None = None,
        then: Mapping[str, LawLike] | None = None,
        *,
        direction: str = "rising",
        stops: bool = False,
        every: float | None = None,
        offset: float = 0.0,
        at: float | Sequence[float] = (),
    ) -> Event:
        """Add an event: something that happens in every run of the model.

        Args:
            name: unique among the events.
            when: it happens where this passes zero: an expression or function of q, qd, t, x.
            then: new values: q_NAME, qd_NAME, x_NAME or the name of a state or mode -> expression
                or function of q, qd, t, x before the event; all change at once.
            direction: "rising" (when becomes positive), "falling" or "both".
            stops: whether the run ends there.
            every: in place of `when`, the period of an event that comes again and again [s].
            offset: first time of such an event [s].
            at: in place of `when`, a time or several [s].
        """
        element = new_element("event", name, self.events)
        given = {"then": then, "every": every, "offset": offset}
        check_arguments(EventMethods.event, given, element)
        names = state_names(self, element)
        condition = None
        if when is not None:
            (condition,) = law_expressions(self, when, names, element, 1)
        if condition is not None and not symbols((condition,)):
            raise ModelError("it never changes", element=element, cure="use t, q, qd or x in it")
        changes = {self._target(key, element): law for key, law in (then or {}).items()}
        laws = {
            key: law_expressions(self, law, names, f"{element} {key}", 1)[0]
            for key, law in changes.items()
        }
        times = tuple(at) if isinstance(at, Sequence) else (at,)
        try:
            made = Event(condition, direction, stops, laws, every, offset, times)
        except KinetreeError as error:
            part = element if error.element == "event" else f"{element} {error.element}"
            raise ModelError(error.problem, element=part, cure=error.cure) from error
        self.events[name] = made
        return made

    def _target(self, key: Any, element: str) -> str:
        """The spelled name of what an event changes."""
        names = {part: state_names(self, element)[part] for part in PARTS}
        word = key.name if isinstance(key, Node) else str(key)
        known = law_symbols(names)
        if word not in known and word in self.states:
            word = f"x_{word}"
        if word not in known:
            raise unknown("coordinate, velocity, state or mode", word, list(known), element)
        part, _, name = word.partition("_")
        driven = {c for d in self.drives for c in (d, self.velocity_of(d))}
        if part != "x" and name in driven:
            raise ModelError(
                f"'{name}' is driven, so no event can change it",
                element=element,
                cure="let the law of the drive jump, or change another coordinate",
            )
        return word


__all__ = ["EventMethods"]
