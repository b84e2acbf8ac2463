"""Events of runs side by side, derived and compiled once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from kinetree.analysis.runs.dynamics import Dynamics
from kinetree.analysis.runs.events import (
    LAWS,
    SETTLING,
    Events,
    Watched,
    all_events,
    watch_rows,
)
from kinetree.analysis.runs.forms import Forms
from kinetree.analysis.runs.jumps.pace import compile_pace
from kinetree.integrate.problem import Watch
from kinetree.program import Program
from kinetree.targets.kept import DerivedProgram, remember

EVENTS = "events"
"""What derived events are kept as."""
BY_DYNAMICS = ("switches", SETTLING[-1])
"""Outputs of forward dynamics that ask for watches without any event."""


class KeptRow(NamedTuple):
    """One watch without its law: whether it has a condition, ends the run, settles; its mode."""

    watch: Watch
    conditional: bool
    final: bool
    settles: bool
    mode: int


@dataclass(frozen=True)
class KeptWatches:
    """What is derived of events: plain data and Programs."""

    rows: tuple[KeptRow, ...]
    conditions: DerivedProgram | None
    update: DerivedProgram | None

    @property
    def programs(self) -> tuple[Program | None, Program | None]:
        """Of the conditions, and of what they change."""
        g, new = self.conditions, self.update
        return None if g is None else g.program, None if new is None else new.program


def compile_events(dynamics: Dynamics, given: Events | None) -> Watched:
    """The events of a model and of a user, compiled; derived once where the user gives none."""
    events = all_events(dynamics.model, given)
    if not events and not any(dynamics.forward.gives(name) for name in BY_DYNAMICS):
        return Watched(pace=compile_pace(dynamics))

    def make() -> KeptWatches:
        usual = replace(dynamics, parameters={})  # values of one run are not kept for others
        rows, g, new = watch_rows(usual, events)
        kept = (KeptRow(row.watch, row.node is not None, row.event.stops, row.settles, row.mode)
                for row in rows)  # fmt: skip
        return KeptWatches(tuple(kept), _form(g), _form(new))

    decisions = dynamics.forms.forward.digest, *dynamics.independent
    usual = not given or given == LAWS
    kind = f"{EVENTS}, {LAWS}" if given else EVENTS
    found = remember(make, kind, dynamics.model, *decisions) if usual else make()
    rows = found.rows
    return Watched(
        tuple(row.watch for row in rows),
        found.conditions and found.conditions.function,
        tuple(events[row.watch.name] for row in rows if not row.conditional),
        found.update and found.update.function,
        frozenset(k for k, row in enumerate(rows) if row.final),
        tuple(k for k, row in enumerate(rows) if row.settles),
        tuple(row.mode for row in rows if row.conditional),
        found.programs,
        compile_pace(dynamics),
    )


def _form(program: Program | None) -> DerivedProgram | None:
    """The form of a Program that is kept, if there is one."""
    return None if program is None else DerivedProgram.of(program)


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
            made = compile_events(dynamics, self.given)
            self._known[id(forms)] = forms, _halt_at_laws(made) if self.halting else made
        return _with_values(self._known[id(forms)][1], dynamics.parameters)


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
