"""What may happen in a run of a model: modes that are held, and events that change them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kinetree.arguments import check_arguments
from kinetree.engine import ZERO, Node, symbols
from kinetree.errors import KinetreeError, ModelError, unknown
from kinetree.model.events import Clock, Event, check_sampled, check_ticks
from kinetree.model.laws import LawLike, law_expressions, law_symbol, law_symbols, state_names
from kinetree.model.methods.outputs import OutputMethods
from kinetree.model.new_element import new_element
from kinetree.model.outputs import output_names, with_outputs

if TYPE_CHECKING:
    from kinetree.model.forces import State

PARTS = ("q", "qd", "x")
"""What an event may change: coordinates, velocities, states and modes."""


class EventMethods(OutputMethods):
    """``model.mode(name, …)``, ``model.memory(name, …)`` and ``model.event(name, …)``."""

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

    def memory(
        self, name: str, initial: float | None = 0.0, law: LawLike | None = None, unit: str = ""
    ) -> Node:
        """Add a memory: a mode that becomes what its law says at every accepted step of a run.

        Args:
            name: unique among the states; x_NAME in laws and equations, x["NAME"] in functions.
            initial: value to start from, in `unit`; None where every run gives it.
            law: expression or function of q, qd, t, x, outputs at the end of the step, the memory
                itself included.  It is asked at events and rows of output, too, so it must say
                the same where it is asked twice: maximum(x["NAME"], q["z"]), not x["NAME"] + 1.
                Without it, give it later by `memory_law`.
            unit: such as "mm", see `parameter`.
        """
        check_arguments(EventMethods.memory, {"unit": unit}, f"state '{name}'")
        node = self.mode(name, initial, unit)
        try:
            if law is not None:
                self.memory_law(name, law)
        except Exception:
            del self.states[name]
            raise
        return node

    def memory_law(self, name: str, law: LawLike) -> State:
        """Give the law of a memory, where it speaks of states that are added after it."""
        check_arguments(EventMethods.memory_law, {"name": name}, "memory")
        known = [row.name for row in self.states.values() if row.held and not row.clock]
        if name not in known:
            raise unknown("memory", name, known, "memory_law")
        element = f"state '{name}' remembered"
        if self.states[name].remembered is not None:
            raise ModelError(
                "two laws write it", element=element, cure="give one law, or a memory for each"
            )
        names = with_outputs(self, law, state_names(self, element), element)
        (expr,) = law_expressions(self, law, names, element, 1)
        self.states[name] = replace(self.states[name], remembered=expr)
        return self.states[name]

    def clock(
        self,
        name: str,
        every: float | None = None,
        offset: float = 0.0,
        *,
        of: Clock | str | None = None,
        ratio: int = 1,
    ) -> Clock:
        """Add a clock, at whose ticks sampled values are found.

        Args:
            name: unique among the clocks and events; runs record its ticks under it.
            every: period [s].
            offset: time of the first tick [s]; of a clock made of another, ticks of that one
                before its first.
            of: in place of `every`, the clock that it is made of.
            ratio: every so many ticks of that one it ticks.
        """
        element = new_element("clock", name, {**self.clocks, **self.events})
        given = {"every": every, "offset": offset, "of": of, "ratio": ratio}
        check_arguments(EventMethods.clock, given, element)
        if (every is None) == (of is None) or (of is None and ratio != 1):
            raise ModelError(
                "its period is not given, or twice",
                element=element,
                cure="give every=, or of= and ratio=",
            )
        if every is not None and not (math.isfinite(every) and every > 0):
            raise ModelError(
                f"its period is {every} s", element=element, cure="give a positive time in seconds"
            )
        made = Clock(name, float(every or 0.0), float(offset))
        if of is not None:
            base = self._clock(of, element)
            _refuse_fractions(element, ratio=ratio, offset=offset)
            every, first = ratio * base.every, base.offset + offset * base.every
            made = Clock(name, every, first, base.name, int(ratio), int(offset))
        check_ticks(made.every, made.offset, element)
        self.clocks[name] = made
        return made

    def _clock(self, clock: Clock | str, element: str) -> Clock:
        """The clock of this model that is meant."""
        word = clock.name if isinstance(clock, Clock) else clock
        if word not in self.clocks:
            raise unknown("clock", str(word), self.clocks, element)
        return self.clocks[word]

    def sample(
        self,
        name: str,
        clock: Clock | str,
        law: LawLike | None = None,
        initial: float | None = 0.0,
        unit: str = "",
    ) -> Node:
        """Add a value that is found at the ticks of a clock and held in between.

        Args:
            name: unique among the states; x_NAME in laws and equations, x["NAME"] in functions.
            clock: at whose ticks; or its name.
            law: expression or function of q, qd, t, x, outputs right before the tick; other
                sampled values in it are those of this instant, `functions.previous` gives those
                of the tick before and `functions.hold` those of any clock.  Without it, give it
                later by `sample_law`.
            initial: value up to the first tick, in `unit`; None where there is none.
            unit: such as "mm", see `parameter`.
        """
        given = {"clock": clock, "unit": unit}
        check_arguments(EventMethods.sample, given, f"state '{name}'")
        ticks = self._clock(clock, f"state '{name}'")
        node = self.mode(name, initial, unit)
        self.states[name] = replace(self.states[name], clock=ticks.name)
        try:
            if law is not None:
                self.sample_law(name, law)
        except Exception:
            del self.states[name]
            raise
        return node

    def sample_law(self, name: str, law: LawLike) -> State:
        """Give the law of a sampled value, where it speaks of values that are added after it."""
        check_arguments(EventMethods.sample_law, {"name": name}, "sampled value")
        known = [row.name for row in self.states.values() if row.clock]
        if name not in known:
            raise unknown("sampled value", name, known, "sample_law")
        element = f"state '{name}' sampled"
        names = output_names(self, element)
        (expr,) = law_expressions(self, law, names, element, 1, at_ticks=True)
        check_sampled(self, name, expr)
        self.states[name] = replace(self.states[name], sampled=expr)
        return self.states[name]

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
            when: it happens where this passes zero: an expression or function of q, qd, t, x and
                outputs, see `output`.
            then: new values: q_NAME, qd_NAME, x_NAME or the name of a state or mode -> expression
                or function of the same before the event; all change at once.
            direction: "rising" (when becomes positive), "falling" or "both".
            stops: whether the run ends there.
            every: in place of `when`, the period of an event that comes again and again [s].
            offset: first time of such an event [s].
            at: in place of `when`, a time or several [s].
        """
        element = new_element("event", name, {**self.events, **self.clocks})
        given = {"then": then, "every": every, "offset": offset}
        check_arguments(EventMethods.event, given, element)
        names = output_names(self, element)
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
        if law_symbol(names, word) is None and word in self.states:
            word = f"x_{word}"
        if law_symbol(names, word) is None:
            known = list(law_symbols(names))
            raise unknown("coordinate, velocity, state or mode", word, known, element)
        part, _, name = word.partition("_")
        driven = {c for d in self.drives for c in (d, self.velocity_of(d))}
        if part != "x" and name in driven:
            raise ModelError(
                f"'{name}' is driven, so no event can change it",
                element=element,
                cure="let the law of the drive jump, or change another coordinate",
            )
        return word


def _refuse_fractions(element: str, **given: float) -> None:
    """Refuse ratios of clocks that are not whole numbers."""
    for name, value in given.items():
        if value != int(value) or value < (name == "ratio"):
            raise ModelError(
                f"its {name} is {value}",
                element=element,
                cure="give a whole number of ticks of the other clock",
            )
