"""What a sensitivity is asked of: a model, a run, measures, and what varies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.given.batches import RunGiven
from kinetree.analysis.given.initial_state import initial_state
from kinetree.analysis.given.times import output_times
from kinetree.analysis.runs.dynamics import Dynamics, dynamics
from kinetree.analysis.runs.events import Events
from kinetree.analysis.sensitivities.expressions import Expressions, read_expressions
from kinetree.analysis.sensitivities.variables import (
    DesignVariable,
    keep_starts,
    open_parameters,
    refuse_functions,
)
from kinetree.arrays import Array
from kinetree.engine import symbols
from kinetree.integrate.problem import Settings

if TYPE_CHECKING:
    from kinetree.measures import Measure
    from kinetree.model import Mechanism


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

    @classmethod
    def of(cls, model: Mechanism, given: RunGiven, **rows: Any) -> Task:
        """The task in which what varies is open, and what varies of the start stays."""
        refuse_functions(given)
        variables = rows["variables"]
        opened = open_parameters(model.with_varied(given.parameters or ()), variables)
        return cls(opened, given=keep_starts(model, given, variables), **rows)

    @property
    def directions(self) -> tuple[DesignVariable, ...]:
        """What varies but the duration."""
        return tuple(row for row in self.variables if row.kind != "duration")

    @cached_property
    def system(self) -> Dynamics:
        """The dynamics of the run."""
        given = self.given
        return dynamics(
            self.model, q=given.q, t=self.t0, **given.fixed, **self.options, events=self.events,
            runs=True,
        )  # fmt: skip

    @cached_property
    def start(self) -> Array:
        """The consistent state at the beginning."""
        given = self.given
        return initial_state(self.system, self.t0, given.q, given.qd, given.x, complete=False)

    @cached_property
    def expressions(self) -> Expressions:
        """What the measures look at."""
        return self.expressions_of(self.system)

    def expressions_of(self, system: Dynamics) -> Expressions:
        """The same in other coordinates."""
        return read_expressions(system, self.measures)

    def times(self, more: Array) -> Array:
        """Output times of the run, with more inside it [s]."""
        times = output_times(self.t0, self.duration, self.step)
        inside = more[(more > times[0]) & (more < times[-1])]
        return np.unique(np.concatenate([times, inside]))

    def with_settings(self, **rows: Any) -> Settings:
        """The tolerances, with some of them changed."""
        return replace(self.settings, **rows)

    def idle(self) -> list[str]:
        """Names of what varies that stands in no equation but perhaps those of events."""
        seen = self.expressions
        used = {*symbols(seen.forward.roots()), *symbols([*seen.nodes, *seen.integrands])}
        rows = (row for row in self.directions if not row.starts)
        return [row.name for row in rows if row.symbol(seen.forward) not in used]
