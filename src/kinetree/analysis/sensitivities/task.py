"""What a sensitivity is asked of: a model, a run, measures, and what varies."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.given.batches import RunGiven
from kinetree.analysis.given.initial_state import initial_state
from kinetree.analysis.given.loads import loads
from kinetree.analysis.given.times import output_times
from kinetree.analysis.runs.dynamics import Dynamics, dynamics
from kinetree.analysis.runs.events import LAWS, Events
from kinetree.analysis.runs.forms import Forms
from kinetree.analysis.runs.progress import Share
from kinetree.analysis.runs.watches import Watches
from kinetree.analysis.sensitivities.expressions import Expressions, read_expressions
from kinetree.analysis.sensitivities.variables import (
    DURATION,
    METHOD,
    DesignVariable,
    keep_starts,
    open_parameters,
    refuse_functions,
    symbols_of,
)
from kinetree.arrays import Array
from kinetree.errors import UnsupportedError
from kinetree.integrate.loops.tableaus import TABLEAUS
from kinetree.integrate.problem import Settings
from kinetree.model import parameter_table

if TYPE_CHECKING:
    from kinetree.analysis.sensitivities.places.rest_start import RestStart
    from kinetree.measures import Measure
    from kinetree.model import Mechanism


@dataclass(frozen=True)
class StepChoice:
    """What is chosen of equal steps beside the method.

    Attributes:
        formulation: how loops are treated.
        options: of `step_program`.
        basic: the value of the method's own parameter by its name, where it is given.
    """

    formulation: str | None
    options: Mapping[str, Any]
    basic: Mapping[str, float] = field(default_factory=dict)


def with_given(system: Dynamics, given: RunGiven) -> Dynamics:
    """The same dynamics with other values of parameters and other loads."""
    parameters = dict(given.parameters or {})
    return replace(
        system,
        parameters=system.check_parameters(parameters),
        loads=loads(system.model, given.tau, given.wrenches),
        loops=None if system.loops is None else system.loops.at(parameters),
    )


def with_laws(events: Events | None) -> Events:
    """The events of a user, and changes of branch in laws."""
    if events is None or isinstance(events, str):
        return LAWS if events is None else events
    return {**events, LAWS: events.get(LAWS, LAWS)}


@dataclass(frozen=True)
class Task:
    """A run, what is measured of it, and what varies.

    Attributes:
        model: the mechanism, what varies open.
        duration: of the run [s].
        measures: by name.
        variables: what varies.
        given: start values, loads, values of parameters.
        t0: time at the beginning [s].
        integrator: method of the run.
        settings: its tolerances.
        step: output interval [s].
        events: of the run.
        options: of `dynamics`.
        steps: what else is chosen of equal steps; none where rates are integrated.
        equations: which the direct method differentiates.
        rest: finds the equilibrium with which the run begins; none where it begins as is given.
        memory: for states to which the adjoint method goes back [B]; none for all of them.
        shared: what runs with other values use again: equations, steps, events.
        share: is told how far it is.
    """

    model: Mechanism
    duration: float
    measures: Mapping[str, Measure]
    variables: tuple[DesignVariable, ...]
    given: RunGiven
    t0: float = 0.0
    integrator: str = "dop853"
    settings: Settings = field(default_factory=Settings)
    step: float | None = None
    events: Events | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    steps: StepChoice | None = None
    equations: str = "explicit"
    rest: RestStart | None = None
    memory: float | None = None
    shared: dict[str, Any] = field(default_factory=dict, compare=False)
    share: Share = field(default_factory=Share, compare=False)

    @classmethod
    def of(cls, model: Mechanism, given: RunGiven, **rows: Any) -> Task:
        """The task in which what varies is open, and what varies of the start stays."""
        refuse_functions(given)
        variables = rows["variables"]
        opened = open_parameters(model.with_varied(given.parameters or ()), variables)
        return cls(opened, given=keep_starts(model, given, variables), **rows)

    def at(
        self, given: RunGiven, duration: float, basic: Mapping[str, float] | None = None
    ) -> Task:
        """The same task for other values: what was derived serves again, and it tells nobody."""
        refuse_functions(given)
        given = keep_starts(self.model, given, self.variables)
        steps = self.steps and replace(self.steps, basic=basic or {})
        made = replace(self, given=given, duration=duration, steps=steps, share=Share())
        return made.at_rest()

    def at_rest(self) -> Task:
        """The same task with the start values of the equilibrium at which it begins, if at any."""
        return self if self.rest is None else replace(self, given=self.rest.begin(self))

    @cached_property
    def _slopes_at_rest(self) -> Array:
        """How the equilibrium at the start moves with all directions, one row each."""
        assert self.rest is not None
        return self.rest.slopes(self)

    def start_slopes(self, variables: Sequence[DesignVariable]) -> Array | None:
        """How start values move with what varies, one row each; none where they stay as given."""
        if self.rest is None or not variables:
            return None
        return self._slopes_at_rest[[self.directions.index(row) for row in variables]]

    @cached_property
    def directions(self) -> tuple[DesignVariable, ...]:
        """What varies but the duration."""
        return tuple(row for row in self.variables if row.kind != "duration")

    @cached_property
    def system(self) -> Dynamics:
        """The dynamics of the run."""
        given, known = self.given, self.shared.get("system")
        if known is not None:
            return with_given(known, given)
        found = dynamics(
            self.model, q=given.q, t=self.t0, **given.fixed, **self.options, events=self.events,
            runs=True,
        )  # fmt: skip
        self.shared["system"] = found
        return found

    @cached_property
    def start(self) -> Array:
        """The consistent state at the beginning."""
        given = self.given
        self._refuse_moved_start()
        return initial_state(self.system, self.t0, given.q, given.qd, given.x, complete=False)

    def _refuse_moved_start(self) -> None:
        """Refuse parameters of components that move a start which follows from equations."""
        begin = None if self.model.equations is None else self.model.equations.begin
        if begin is None or self.given.x is not None:
            return
        changed = self.system.parameters
        for row in self.directions:
            if row.kind != "parameter":
                continue
            value = changed.get(row.label, self.model.parameters[row.label].value)
            state = begin.moved_by(row.label, float(value), changed)
            if state:
                raise UnsupportedError(
                    f"it moves where '{state}' begins, which follows from initial equations",
                    element=f"parameter '{row.label}'",
                    cure="give the start values as x={…}, or vary another one",
                )

    @cached_property
    def expressions(self) -> Expressions:
        """What the measures look at."""
        return self.expressions_of(self.system)

    def expressions_of(self, system: Dynamics) -> Expressions:
        """The same in other coordinates; read once for equal equations."""
        known: dict[int, tuple[Forms, Expressions]] = self.shared.setdefault("expressions", {})
        forms = system.forms
        if id(forms) not in known:
            known[id(forms)] = forms, read_expressions(system, self.measures)
        return known[id(forms)][1]

    @property
    def watches(self) -> Watches:
        """Events and changes of branch of the run, compiled once for equal equations."""
        found: Watches = self.shared.setdefault(
            "watches", Watches(with_laws(self.events), halting=True)
        )
        return found

    def times(self, more: Array) -> Array:
        """Output times of the run, with more inside it [s]."""
        times = output_times(self.t0, self.duration, self.step)
        inside = more[(more > times[0]) & (more < times[-1])]
        return np.unique(np.concatenate([times, inside]))

    def settings_for(
        self, width: int, *, every_step: bool = False, traced: bool = True, ends: bool = False
    ) -> Settings:
        """The tolerances of a run whose first components alone choose the steps.

        Methods whose steps are not differentiated keep the errors of all of them small.
        """
        controlled = width if self.integrator in TABLEAUS else None
        report = self.share.over(self.t0, self.t0 + self.duration)
        return replace(
            self.settings,
            controlled=controlled,
            every_step=every_step,
            traced=traced,
            ends=ends,
            report=report,
        )

    def sizes(self) -> list[float]:
        """How large what varies is, in SI units; 1 of what is zero or has no size."""
        system, table = self.system, parameter_table(self.model)
        known: dict[tuple[str, str], float] = {
            ("parameter", name): float(value)
            for name, value in {**dict(zip(table.names, table.defaults, strict=True)),
                                **system.parameters}.items()
        }  # fmt: skip
        known[DURATION, DURATION] = self.duration
        for name, value in zip(self.model.velocities, system.loads.fixed["tau"], strict=True):
            known["tau", name] = float(value)
        if any(row.starts for row in self.variables):
            for kind, values in zip(("q", "qd", "x"), system.split(self.start), strict=True):
                labels = system.forward.input(kind).labels if system.forward.takes(kind) else ()
                known |= {(kind, a): float(v) for a, v in zip(labels, values, strict=False)}
        found = [
            float(system.loads.fixed[row.label][row.part]) if row.kind == "wrench"
            else known.get((row.kind, row.label), 1.0)
            for row in self.variables
        ]  # fmt: skip
        return [abs(x) or 1.0 for x in found]

    def idle(self, names: Collection[str]) -> list[str]:
        """Those of some names whose values stand in no equation but perhaps those of events."""
        seen, rows = self.expressions, [row for row in self.directions if row.name in names]
        rows = [row for row in rows if not row.starts and row.kind != METHOD]
        own = symbols_of(seen.forward, rows)
        return [row.name for row, s in zip(rows, own, strict=True) if s not in seen.symbols]
