"""Events of runs side by side, compiled once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kinetree.analysis.runs.dynamics import Dynamics
from kinetree.analysis.runs.events import LAWS, Events, Watched, compile_events
from kinetree.analysis.runs.forms import Forms

EVENTS = "events"
"""What compiled events of components are kept as, beside their equations."""


class Watches:
    """The events of a model and of a user, compiled once for every set of equations.

    Attributes:
        given: those of the user.
        halting: whether a run halts where laws change their branch, to begin anew behind it.
    """

    def __init__(self, given: Events | None, *, halting: bool = False) -> None:
        self.given, self.halting = given, halting
        self._known: dict[int, tuple[Forms, Watched]] = {}

    def of(self, dynamics: Dynamics) -> Watched:
        """What may happen with these equations, and these values of parameters."""
        forms = dynamics.forms
        if id(forms) not in self._known:
            made = self._compile(dynamics)
            self._known[id(forms)] = forms, _halt_at_laws(made) if self.halting else made
        return _with_values(self._known[id(forms)][1], dynamics.parameters)

    def _compile(self, dynamics: Dynamics) -> Watched:
        """The events, compiled; those of components alone once with their equations."""
        if self.given or dynamics.model.equations is None:
            return compile_events(dynamics, self.given)
        kept = dynamics.forms.results
        if EVENTS not in kept:
            kept[EVENTS] = compile_events(dynamics, None)
        found: Watched = kept[EVENTS]
        return found


def _halt_at_laws(watched: Watched) -> Watched:
    """The same events, at all of which runs halt that are changes of branch."""
    rows = (
        replace(row, stops=True) if row.name.startswith(f"{LAWS}: ") else row
        for row in watched.watches
    )
    return replace(watched, watches=tuple(rows))


def _with_values(watched: Watched, parameters: Mapping[str, float]) -> Watched:
    """The same events with other values of parameters."""
    function, update, pace = (
        None if found is None else found.with_values(parameters)
        for found in (watched.function, watched.update, watched.pace)
    )
    return replace(watched, function=function, update=update, pace=pace)
