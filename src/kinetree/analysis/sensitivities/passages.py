"""Events on the way back: the transpose of what a jump does to tangents.

Forward, a tangent at an event is (see `jumps`), with the shift τ' of its time,

    τ' = -(∂g/∂y S⁻ + ∂g/∂p δp) / ġ⁻,    S⁺ = ∂R/∂y (S⁻ + f⁻ τ') + ∂R/∂t τ' + ∂R/∂p δp - f⁺ τ'

so a bar λ⁺ behind it is, before it,

    τ̄ = (∂R/∂yᵀ λ⁺)ᵀ f⁻ + ∂R/∂tᵀ λ⁺ - λ⁺ᵀ f⁺                                          Eq. (S18)
    λ⁻ = ∂R/∂yᵀ λ⁺ - τ̄/ġ⁻ ∂g/∂yᵀ,    p̄ ← p̄ + ∂R/∂pᵀ λ⁺ - τ̄/ġ⁻ ∂g/∂pᵀ

one round of changes after the other, the last first.  A measure of the time itself, or of the end
that an event decides, adds its slope to τ̄.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.sensitivities.demands import joined, refusal
from kinetree.analysis.sensitivities.directions import bars_by_variable, inputs_by
from kinetree.analysis.sensitivities.jumps import SAME_TIME, rates_aside, rounds_of, touching
from kinetree.arrays import Array
from kinetree.program.state_form import STATE, TIME

if TYPE_CHECKING:
    from kinetree.analysis.runs.dynamics import Dynamics
    from kinetree.analysis.runs.events import Watched
    from kinetree.analysis.runs.updates import Settled
    from kinetree.analysis.sensitivities.looks import Instant
    from kinetree.analysis.sensitivities.reverse import Reverse
    from kinetree.program import Program


@dataclass(frozen=True, eq=False)
class Passage:
    """An instant of a run at which events changed the motion.

    Attributes:
        system: the dynamics.
        events: what may happen.
        t: time [s].
        before: the consistent state before.
        after: the state behind, and what happened.
        rounds: states and the events that changed them, one after the other.
    """

    system: Dynamics
    events: Watched
    t: float
    before: Array
    after: Settled
    rounds: tuple[tuple[Array, Sequence[int]], ...]

    @property
    def first(self) -> list[int]:
        """Events that happened by themselves, not by what others changed."""
        hits = self.after.hits
        return [hit.watch for hit in hits if hit.y is hits[0].y]


class Passages:
    """Notes the events of a run that change its motion."""

    def __init__(self) -> None:
        self.rows: list[Passage] = []

    def __call__(
        self, system: Dynamics, events: Watched, t: float, before: Array, after: Settled
    ) -> Array:
        """The state after the events of an instant."""
        before = system.project(t, before)
        same = events.update is None and np.array_equal(after.y, before)
        if not (same and joined(system, t, before, after.y)):
            rounds = tuple(rounds_of(system, events, t, after))
            self.rows.append(Passage(system, events, t, before, after, rounds))
        return after.y


@dataclass(frozen=True)
class _Bars:
    """Bars of the state, of the time, and of every variable."""

    y: Array
    t: float
    p: Array


class EventsBack:
    """Bars through the events of one set of equations."""

    def __init__(self, reverse: Reverse, events: Watched) -> None:
        self.reverse, self.events = reverse, events
        self._functions: dict[str, tuple[Any, Any]] = {}

    def pass_back(self, row: Passage, lam: Array, found: Array) -> Array:
        """The bar of the state before an instant, Eq. (S18); bars of the variables are added."""
        width = self.reverse.made.width
        lam = self._project(row.t, row.after.y, lam, found)
        sides = ((row.before, -1), (row.after.y, 1))
        slow, fast = (rates_aside(row.system, row.t, y, way)[:width] for y, way in sides)
        time_bar = -float(fast @ lam)
        for y, fired in reversed(row.rounds):
            bars = self._of_update(row.t, y, fired, lam)
            lam, time_bar = bars.y, time_bar + bars.t
            found += bars.p
        time_bar += float(slow @ lam)
        if any(k < len(self.events.conditions) for k in row.first):
            lam = lam + self.of_time(row.t, row.before, row.first, time_bar, found)
        return self._project(row.t, row.before, lam, found)

    def of_instant(self, row: Instant, weight: float, found: Array) -> Array:
        """The bar of the state before an event from that of its time."""
        return self.of_time(row.t, row.before, row.fired, weight, found)

    def of_time(
        self, t: float, Y: Array, fired: Sequence[int], time_bar: float, found: Array
    ) -> Array:
        """What the bar of the time of some events says of the state before them."""
        if all(k >= len(self.events.conditions) for k in fired):
            return np.zeros(self.reverse.made.width)  # at a given time
        rows = [self._slope(t, Y, k) for k in fired]
        self._refuse_ties(t, fired, rows)
        found -= time_bar * rows[0].p
        shift: Array = -time_bar * rows[0].y
        return shift

    def _slope(self, t: float, Y: Array, k: int) -> _Bars:
        """∂g/∂y and ∂g/∂p over ġ of one event; none of one at a given time."""
        width = self.reverse.made.width
        if k >= len(self.events.conditions):
            return _Bars(np.zeros(width), 0.0, np.zeros(len(self.reverse.variables)))
        weights = np.zeros(len(self.events.conditions))
        weights[k] = 1.0
        bars = self._call("g", t, Y, g_bar=weights)
        system = self.reverse.made.system
        rate = bars.t + float(bars.y @ rates_aside(system, t, Y, -1)[:width])
        if rate == 0.0 or abs(rate) <= 1e-12 * np.abs(bars.y).max(initial=0.0):
            raise touching(self.events.watches[k].name, t)
        return _Bars(bars.y / rate, 1.0, bars.p / rate)

    def _refuse_ties(self, t: float, fired: Sequence[int], rows: Sequence[_Bars]) -> None:
        """Refuse events at one instant whose times may change one against the other."""
        first = np.append(rows[0].y, rows[0].p)
        size = SAME_TIME * np.abs(first).max(initial=0.0)
        for k, row in zip(fired, rows, strict=True):
            if np.abs(np.append(row.y, row.p) - first).max(initial=0.0) > size:
                other = self.events.watches[fired[0]].name
                raise refusal(self.events.watches[k].name, f"it happens together with '{other}'")

    def _of_update(self, t: float, y: Array, fired: Sequence[int], lam: Array) -> _Bars:
        marks = np.zeros(len(self.events.watches))
        marks[list(fired)] = 1.0
        return self._call(STATE, t, y, fired=marks, y_bar=lam)

    def _project(self, t: float, Y: Array, lam: Array, found: Array) -> Array:
        """The bar before a projection."""
        reverse = self.reverse
        if reverse.of_projection is None:
            return lam
        bars = reverse.call(reverse.of_projection, t, Y, lam)
        found += reverse.of_variables(bars.p)
        return bars.y

    def _call(self, of: str, t: float, Y: Array, **given: Array) -> _Bars:
        """Bars from weights of conditions or of the state behind events."""
        system, variables = self.reverse.made.system, self.reverse.variables
        if of not in self._functions:
            program = self.events.programs[0 if of == "g" else 1]
            assert program is not None
            by = inputs_by(program, variables)
            self._functions[of] = by, self._compile(program, of, by)
        by, function = self._functions[of]
        bars = system.call(function, t, Y, **given)
        rest = np.concatenate([np.zeros(0), *(np.ravel(bars[f"{name}_bar"]) for name in by)])
        return _Bars(bars["y_bar"], float(bars["t_bar"]), bars_by_variable(by, variables, rest))

    def _compile(self, program: Program, of: str, by: Any) -> Any:
        made = program.adjoint(of, {STATE: None, TIME: None, **by}, only=True)
        return made.compile().with_values(self.reverse.made.system.parameters)
