"""Laws that jump inside equal steps: their derivative would be wrong, so they are refused.

Where a condition of a law changes its sign between two states, the rates are continued to that
place from both sides along the straight line between the states, on which it is found by halving.
Where they meet, nothing is lost; where they do not, the time of the jump would have to be known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.analysis.runs.events import LAWS
from kinetree.analysis.runs.watches import Watches
from kinetree.analysis.sensitivities.jumps import JOINS
from kinetree.errors import UnsupportedError

if TYPE_CHECKING:
    from kinetree.analysis.sensitivities.stepping.step_run import SeenRun, StepRun
    from kinetree.arrays import Array

ASIDE = 1e-6
"""How far from the place rates are taken, as a part of the step."""
BENDS = 1e-4
"""Largest jump of slopes, as a part of them, at which branches count as smooth."""
HALVINGS = 40
"""After which the place is known to rounding."""


def refuse_law_jumps(run: SeenRun | StepRun, *, bends: bool = False) -> None:
    """Refuse a run in which the right-hand side of a law jumps, or its slope where `bends`."""
    system, Y = run.task.system, run.y
    watches: Watches = run.task.shared.setdefault("laws", Watches(LAWS))
    watched = watches.of(system)
    if watched.function is None:
        return
    g = watched.function(check=False, t=run.times, y=Y, **system.loads.fixed)["g"]
    steps, laws = np.nonzero((g[1:] > 0) != (g[:-1] > 0))
    if not len(steps):
        return
    share = _zeros(run, watched.function, (Y, g), (steps, laws))
    (f, slope), (h, other) = (_continue_rates(run, Y, steps, share, way) for way in (-1, 1))
    size = 1 + np.abs(f).max(axis=1)
    found = np.abs(f - h).max(axis=1) > JOINS * size
    if bends:
        found |= np.abs(slope - other).max(axis=1) > BENDS * (size + np.abs(slope).max(axis=1))
    if found.any():
        k = np.flatnonzero(found)[0]
        what = "it jumps" if not bends else "it or its slope jumps"
        t = run.times[steps[k]] + share[k] * run.h
        name = watched.watches[laws[k]].name.removeprefix(f"{LAWS}: ")
        raise UnsupportedError(
            f"{what} at t = {t:.6g} s, inside an equal step, whose derivative does not know when",
            element=f"law with the condition '{name}'",
            cure="take integrator='dop853', which finds the jump"
            if not bends
            else "leave order=2 out",
        )


def _zeros(
    run: SeenRun | StepRun, function: Any, known: tuple[Array, Array], crossings: tuple[Any, Any]
) -> Array:
    """Where conditions are zero along the straight lines of their steps, as parts of these.

    Args:
        run: in equal steps.
        function: of all conditions.
        known: states, and all conditions there.
        crossings: numbers of steps, and of the conditions that change their sign in them.
    """
    (Y, g), (steps, laws) = known, crossings
    low, high = np.zeros(len(steps)), np.ones(len(steps))
    above = g[steps, laws] > 0
    fixed = run.task.system.loads.fixed
    for _ in range(HALVINGS):
        share = 0.5 * (low + high)
        y = Y[steps] + share[:, None] * (Y[steps + 1] - Y[steps])
        t = run.times[steps] + share * run.h
        found = function(check=False, t=t, y=y, **fixed)["g"][np.arange(len(steps)), laws]
        same = (found > 0) == above
        low, high = np.where(same, share, low), np.where(same, high, share)
    return 0.5 * (low + high)


def _continue_rates(
    run: SeenRun | StepRun, Y: Array, steps: Any, share: Array, way: int
) -> tuple[Array, Array]:
    """Rates at places inside steps, continued from one side, and their slopes per step there."""
    system = run.task.system
    function = system.forms.rates.function.with_values(system.parameters)

    def rates(distance: int) -> Array:
        at = share + way * distance * ASIDE
        y = Y[steps] + at[:, None] * (Y[steps + 1] - Y[steps])
        t = run.times[steps] + at * run.h
        given: dict[str, Any] = {**system.loads.fixed, "t": t, "y": y}
        found: Array = function(check=False, **given)["yd"]
        return found

    near, far = rates(1), rates(2)
    return 2 * near - far, (far - near) / (way * ASIDE)
