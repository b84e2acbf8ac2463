"""Tangents at events: the derivative of an event's time, and what a jump does to tangents.

A condition g(t, y, p) = 0 is met at a time that moves with what varies; with f⁻ the rates before,

    τ' = -(∂g/∂y S⁻ + ∂g/∂p δp) / (∂g/∂t + ∂g/∂y f⁻)                                  Eq. (S3)

At that time the state has changed by S⁻ + f⁻ τ'; what the event makes of it, y⁺ = R(t, y⁻, p), is
differentiated along it, and with the rates f⁺ behind the tangent at a fixed time is

    S⁺ = ∂R/∂y (S⁻ + f⁻ τ') + ∂R/∂t τ' + ∂R/∂p δp - f⁺ τ'                              Eq. (S4)

A law that changes its branch is an event at which R is the identity; where the branches join, f⁺ is
f⁻ and nothing happens.  At given times τ' = 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.runs.updates import Settled, update_once
from kinetree.analysis.sensitivities.tangent import SPEED, Tangent, along_time, tangent_moves
from kinetree.arrays import Array
from kinetree.engine import Rank, symbol
from kinetree.errors import UnsupportedError
from kinetree.integrate.loops.changes import PIVOTS, SAME
from kinetree.program import Input, Output, Program
from kinetree.program.differentiate import forward_along
from kinetree.program.state_form import STATE, TIME

if TYPE_CHECKING:
    from kinetree.analysis.runs.dynamics import Dynamics
    from kinetree.analysis.runs.events import Watched
    from kinetree.analysis.sensitivities.variables import DesignVariable

ASIDE = 1e-7
"""How far from an event rates are taken on either side [s], where the time is about 1 s."""
JOINS = 1e-6
"""Largest jump of rates, as a part of them, at which branches count as joined."""
PAST = 1e-13
"""How far behind an event a run goes on [s], where the time is about 1 s."""
SAME_TIME = 1e-6
"""Part of the slopes of the times of events at one instant by which these may differ."""
SHIFT = "shift"
"""Input: the slope of the time of an event along every direction."""


class Jumps:
    """What happens to tangents at the events of one run.

    Attributes:
        made: dynamics with tangents, by the number of their system.
        variables: one per tangent.
        last: time of the last instant with events [s], and its slope along the directions.
    """

    def __init__(self, made: dict[int, Tangent], variables: Sequence[DesignVariable]) -> None:
        self.made, self.variables = made, variables
        self.last: tuple[float, Array] = (-np.inf, np.zeros(len(variables)))
        self._functions: dict[int, tuple[Any, Any]] = {}

    def __call__(
        self, system: Dynamics, events: Watched, t: float, before: Array, after: Settled
    ) -> Array:
        """Y after the events of an instant."""
        made = self.made[id(system)]
        width = made.width
        before = system.project(t, before)
        sides = ((before, -1), (after.y, 1))
        slow, fast = (rates_aside(system, t, Y, way)[:width] for Y, way in sides)
        first = [hit.watch for hit in after.hits if hit.y is after.hits[0].y]
        if events.update is None and np.array_equal(after.y, before) and joins(slow, fast):
            return after.y  # branches that join need no time
        shift = self.shift(system, events, t, before, first)
        self.last = t, shift
        S = before[width:].reshape(made.directions, width)
        S = S + np.outer(shift, slow)
        for y, fired in rounds_of(system, events, t, after):
            S[:, : made.size] = self._update(system, events, t, (y, S, shift), fired)
        S = S - np.outer(shift, fast)
        whole = np.concatenate([after.y[:width], S.ravel()])
        return system.project(t, whole)

    def shift(
        self, system: Dynamics, events: Watched, t: float, Y: Array, fired: Sequence[int]
    ) -> Array:
        """The slope of the time of events along the directions, Eq. (S3) [s]."""
        made, count = self.made[id(system)], len(events.conditions)
        if not self.variables or all(k >= count for k in fired):
            return np.zeros(len(self.variables))
        function, _ = self._event_functions(system, events)
        before = rates_aside(system, t, Y, -1)[: made.size]
        both = system.call(function, t, Y, **{SPEED: before})["dg_dalong"]
        found = []
        for k in fired:
            rate, changes = both[k, -1] if k < count else 1.0, both[min(k, count - 1), :-1]
            name = events.watches[k].name
            if abs(rate) <= 1e-12 * np.abs(changes).max(initial=0.0) or rate == 0.0:
                raise touching(name, t)
            found.append(-changes / rate if k < count else np.zeros(len(self.variables)))
        self._refuse_ties(events, t, fired, found)
        return found[0]

    @staticmethod
    def _refuse_ties(events: Watched, t: float, fired: Sequence[int], found: list[Array]) -> None:
        """Refuse events at one instant that come one after the other for other values."""
        size = max(np.abs(row).max(initial=0.0) for row in found)
        for k, row in zip(fired, found, strict=True):
            if np.abs(row - found[0]).max(initial=0.0) > SAME_TIME * size:
                names = f"'{events.watches[fired[0]].name}' and '{events.watches[k].name}'"
                raise UnsupportedError(
                    f"they happen together at t = {t:.6g} s, and one after the other for other "
                    "values: there is no derivative",
                    element=f"events {names}",
                    cure="start from values for which one of them comes first",
                )

    def _update(
        self,
        system: Dynamics,
        events: Watched,
        t: float,
        moved: tuple[Array, Array, Array],
        fired: Sequence[int],
    ) -> Array:
        """∂R/∂y s + ∂R/∂t τ' + ∂R/∂p δp for the changes s of the state at the event."""
        made, (Y, S, shift) = self.made[id(system)], moved
        _, function = self._event_functions(system, events)
        if function is None:
            return S[:, : made.size]
        marks = np.zeros(len(events.watches))
        marks[list(fired)] = 1.0
        whole = np.concatenate([Y[: made.width], S.ravel()])
        changes = system.call(function, t, whole, fired=marks, **{SHIFT: shift})["dy_dalong"]
        return np.asarray(changes.T)

    def _event_functions(self, system: Dynamics, events: Watched) -> tuple[Any, Any]:
        """Functions of g and of y⁺ with their changes along the directions."""
        key = id(system)
        if key not in self._functions:
            made = self.made[key]
            programs = events.programs
            wanted = (_conditions, _changes)
            self._functions[key] = tuple(  # type: ignore[assignment]  # two of them
                None if program is None
                else write(program, made, self.variables).compile().with_values(system.parameters)
                for program, write in zip(programs, wanted, strict=True)
            )  # fmt: skip
        return self._functions[key]


def past_branches(system: Dynamics, events: Watched, t: float, Y: Array) -> tuple[float, Array]:
    """The time [s] and state a rounding behind an instant, where laws are on their new branch.

    At the instant itself rounding decides about the branch: of rates that join it does not matter,
    but their slopes, and tangents with them, would be those of the wrong one for a stage.
    """
    later = t + PAST * max(abs(t), 1.0)
    onward = system.project(later, Y + (later - t) * rates_aside(system, t, Y, 1))
    if events.function is None:
        return t, Y
    here, there = (system.call(events.function, *place)["g"] for place in ((t, Y), (later, onward)))
    met = np.abs(here) <= 2 * np.abs(there - here)
    return (later, onward) if ((here > 0) == (there > 0))[~met].all() else (t, Y)


def joins(slow: Array, fast: Array) -> bool:
    """Whether the rates before and behind an instant are the same."""
    return bool(np.abs(slow - fast).max(initial=0.0) <= JOINS * (1 + np.abs(slow).max(initial=0.0)))


def touching(name: str, t: float) -> UnsupportedError:
    """The error that a condition does not pass zero."""
    return UnsupportedError(
        f"its condition touches zero at t = {t:.6g} s without passing it, so that its time has no "
        "derivative",
        element=f"event '{name}'",
        cure="measure before it, or start from other values",
    )


def rates_aside(system: Dynamics, t: float, Y: Array, way: int) -> Array:
    """Rates at an event, continued from before it (-1) or from behind (+1)."""
    step = way * ASIDE * max(abs(t), 1.0)
    here = system.rates(t, Y)
    first, second = (system.rates(t + k * step, Y + k * step * here) for k in (1, 2))
    return 2 * first - second


def rounds_of(
    system: Dynamics, events: Watched, t: float, after: Settled
) -> Iterator[tuple[Array, Sequence[int]]]:
    """States of an instant and the events that change them, one after the other."""
    rounds: list[tuple[Array, list[int]]] = []
    for hit in after.hits:
        if not rounds or rounds[-1][0] is not hit.y:
            rounds.append((hit.y, []))
        rounds[-1][1].append(hit.watch)
    for y, fired in rounds if events.update is not None else ():
        yield y, fired
        now = update_once(system, events, t, y, fired)
        for _ in range(PIVOTS if events.sticking else 0):
            yield now, events.sticking
            new = update_once(system, events, t, now, events.sticking)
            if (np.abs(new - now) <= SAME * (1 + np.abs(now))).all():
                break
            now = new


def _conditions(program: Program, made: Tangent, variables: Sequence[DesignVariable]) -> Program:
    """g, its changes along the directions, and its rate."""
    speed, rate = along_time(program, made.size)
    moves = tangent_moves(program, made.size, made.width, variables)
    return forward_along(replace(program, inputs=(*program.inputs, speed)), "g", [*moves, rate])


def _changes(program: Program, made: Tangent, variables: Sequence[DesignVariable]) -> Program:
    """The changes of y⁺ along the directions, where the time changes, too."""
    shifts = tuple(symbol(f"{SHIFT}_{k}", Rank.FORCE) for k in range(len(variables)))
    (time,) = program.input(TIME).symbols
    moves = tangent_moves(program, made.size, made.width, variables)
    moves = [{**row, time: shift} for row, shift in zip(moves, shifts, strict=True)]
    nodes = program.output(STATE).nodes[: made.size]
    short = replace(
        program,
        inputs=(*program.inputs, Input(SHIFT, (len(shifts),), shifts)),
        outputs=(Output(STATE, (made.size,), nodes),),
    )
    return forward_along(short, STATE, moves)
