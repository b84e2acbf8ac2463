"""Assembly: coordinates that close all loops, from rough start values.

Dependent coordinates move, independent and driven ones keep their values.  Where nobody says which
are dependent, those of least worth move first (`worth`), as far as the equations are well solved
for them; if they cannot close the loops, all coordinates that are not driven may move.

Refs: Docquier2013 sec. 2.2.1, eq. 13
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace

import numpy as np

from kinetree.arguments import check_arguments, check_positive
from kinetree.arrays import Array
from kinetree.assembly.loops import Loops, loops, opposite_frames
from kinetree.assembly.overrides import Parameters
from kinetree.assembly.worth import worth
from kinetree.errors import AssemblyError, unknown
from kinetree.model import Mechanism, retract
from kinetree.solve.newton import CUTOFF, Solution, damped_newton
from kinetree.solve.pivots import eliminate_many

ROUNDED = 1e-3
"""Largest gap that may come from the rounding of data [m, m2 or 1]."""
NEAR = 1e-3
"""Largest |h| at which steering is left to the equations alone."""
STEPS = 100
"""Most steps of one attempt."""
NUDGE = 0.05
"""Deviation from a start at which no step helps, for a second attempt [rad or m]."""


@dataclass(frozen=True)
class Assembly:
    """A closed configuration.

    Attributes:
        q: the coordinates.
        gap: largest |h| that is left [m, m2 or 1].
        steps: Newton steps taken.
        moved: names of the velocities that were free to move.
    """

    q: Array
    gap: float
    steps: int
    moved: tuple[str, ...]


def assemble(  # noqa: PLR0913  one keyword per choice of the user
    model: Mechanism,
    q: Sequence[float] | None = None,
    *,
    independent: Sequence[str] | None = None,
    t: float = 0.0,
    steps: int = STEPS,
    parameters: Parameters = None,
    tolerance: float | None = None,
) -> Assembly:
    """Close the loops of a model.

    Args:
        model: the mechanism with its closures.
        q: start values; by default the model's initial ones.  Driven coordinates with a law take
            the law's value.
        independent: names of the velocities (of one-axis joints: the coordinates) that keep their
            values; by default chosen, and released where the loops need them.
        t: time at which laws and drives are taken [s].
        steps: bound on the Newton steps of an attempt.
        parameters: values by name in place of the model's.
        tolerance: largest gap that is left [m, m2 or 1]; by default `loop_tolerance` of the model.
            The gap is made as small as it gets, whatever is allowed.

    Raises:
        AssemblyError: naming the loop with the largest gap, and the gap.
    """
    check_arguments(assemble, locals())
    check_positive("a positive number of steps", steps=steps)
    if tolerance is not None:
        check_positive("a positive number", tolerance=tolerance)
        model = copy(model)
        model.loop_tolerance = tolerance
    system = loops(model, parameters)
    return close(system, system.start(q, t), independent=independent, t=t, steps=steps)


def close(
    system: Loops,
    q: Array,
    *,
    independent: Sequence[str] | None = None,
    t: float = 0.0,
    steps: int = STEPS,
    settled: bool = False,
) -> Assembly:
    """Close the loops from q; see `assemble`.

    Args:
        system: the loops.
        q: start values.
        independent: names of the velocities that keep their values.
        t: time at which laws and drives are taken [s].
        steps: bound on the Newton steps of an attempt.
        settled: besides the independent ones given, others keep their values by their worth, until
            nothing is left to choose; else all others move, as little as they can.
    """
    names = None if independent is None else tuple(independent)
    what = ("closed", names, t, steps, settled)
    found = system.once(what, q, lambda: _close(system, q, names, t, steps, settled=settled))
    return replace(found, q=found.q.copy())


def _close(
    system: Loops,
    q: Array,
    independent: Sequence[str] | None,
    t: float,
    steps: int,
    *,
    settled: bool,
) -> Assembly:
    """The same, where it is not known yet."""
    _refuse_undefined(system, q, t)
    best: Solution | None = None
    opposite = ""
    names = system.model.velocities
    free = free_columns(system, independent)
    first_moved = dependent_columns(system, q, free, t) if settled or independent is None else free
    for first, columns, guarded in _attempts(system, q, (first_moved, free)):
        found = _solve(system, first, columns, t, steps)
        if guarded:
            near = _solve(system, first, columns, t, steps, guarded=True)
            found = _solve(system, near.x, columns, t, steps)
        opposite = system.opposite(found.x, t) if found.converged else ""
        if found.converged and not opposite:
            gap = float(np.abs(found.h).max(initial=0.0))
            closed = _unwound(system, found.x, q, t)
            return Assembly(closed, gap, found.steps, tuple(names[k] for k in columns))
        if best is None or np.linalg.norm(found.h) < np.linalg.norm(best.h):
            best = found
    assert best is not None
    raise opposite_frames(f"closure '{opposite}'") if opposite else _failure(system, best)


def _refuse_undefined(system: Loops, q: Array, t: float) -> None:
    """Refuse start values at which an equation has no value."""
    h, J = system.evaluate(q, t)
    for row, label in enumerate(system.labels):
        if not (np.isfinite(h[row]) and np.isfinite(J[row]).all()):
            name, _, component = label.partition(".")
            raise AssemblyError(
                f"{component} has no value or no slope at the start values",
                element=f"closure '{name}'",
                cure="start where the law is defined, or change it",
            )


def free_columns(system: Loops, independent: Sequence[str] | None) -> list[int]:
    """Numbers of the velocities that are neither driven nor named as independent."""
    names = system.model.velocities
    for name in independent or ():
        if name not in names:
            raise unknown("coordinate", name, names, "independent")
    kept = {names.index(name) for name in independent or ()} | set(system.driven)
    return [k for k in range(len(names)) if k not in kept]


def dependent_columns(system: Loops, q: Array, free: list[int], t: float) -> list[int]:
    """Those of the free velocities that the equations between positions are solved for."""
    return solved_columns(system, system.evaluate(q, t)[1][None], free)[0]


def solved_columns(system: Loops, J: Array, free: list[int]) -> list[list[int]]:
    """The same for many configurations, the first axis of J, where it is known."""
    values = worth(system.model)
    at = [values[k] for k in free]
    blocks = J[:, system.positions()][..., free]
    found = eliminate_many(blocks, tolerance=system.share, worth=at)
    return [sorted(free[k] for k in pivots.columns) for pivots in found]


def _unwound(system: Loops, q: Array, start: Array, t: float) -> Array:
    """q with angles nearest to those at the start, where whole turns leave the loops closed."""
    units = [unit for joint in system.model.leaders for unit in joint.q_units]
    angles = np.array([unit == "rad" for unit in units])
    turns = np.where(angles, np.round((q - start) / (2 * np.pi)), 0.0)
    for whole in (turns, *(turns * (np.arange(len(q)) == k) for k in np.flatnonzero(turns))):
        found = q - 2 * np.pi * whole
        gap = np.abs(system.evaluate(found, t)[0][system.positions()]).max(initial=0.0)
        if whole.any() and gap <= system.allowance(q, t):
            q = found
            turns = turns - whole
        if not turns.any():
            break
    return q


def _attempts(
    system: Loops, q: Array, columns: tuple[list[int], list[int]]
) -> Iterator[tuple[Array, list[int], bool]]:
    """(start, velocities that move, whether to steer frames parallel first), careful ones first.

    Args:
        system: the loops.
        q: start values.
        columns: velocities that shall move, and those that may.
    """
    few, free = columns
    if few != free:
        yield q, few, False
    yield q, free, False
    nudge = np.zeros(system.model.nv)
    nudge[free] = NUDGE * np.cos(1.0 + np.arange(len(free)))
    aside = retract(system.model, q, nudge)
    yield aside, free, False
    if system.guards is not None:
        yield aside, free, True


def _solve(
    system: Loops, q: Array, columns: list[int], t: float, steps: int, *, guarded: bool = False
) -> Solution:
    rows = system.positions()

    def function(x: Array) -> tuple[Array, Array]:
        h, J = system.evaluate(x, t)
        if not guarded:
            return h[rows], J[np.ix_(rows, columns)]
        g, G = system.guard(x, t)
        return np.concatenate([h[rows], g]), np.concatenate(
            [J[np.ix_(rows, columns)], G[:, columns]]
        )

    def move(x: Array, step: Array) -> Array:
        whole = np.zeros(system.model.nv)
        whole[columns] = step
        return retract(system.model, x, whole)

    allowed = system.allowance(q, t)
    tolerance, cutoff = NEAR if guarded else allowed, max(CUTOFF, system.model.loop_tolerance)
    return damped_newton(function, q, move, tolerance=tolerance, steps=steps, cutoff=cutoff)


def _failure(system: Loops, best: Solution) -> AssemblyError:
    """The sentence for loops that stay open."""
    rows = system.positions()
    worst = int(np.argmax(np.abs(best.h)))
    name, _, component = system.labels[rows[worst]].partition(".")
    unit = system.unit(rows[worst]).replace("1", "").strip()
    gap = f"{component} is {abs(best.h[worst]):.3g}{' ' if unit else ''}{unit} off"
    when = "at the nearest configuration" if best.stalled else f"after {best.steps} steps"
    cure = "change its dimensions, or start nearer to a closed configuration"
    if abs(best.h[worst]) < ROUNDED:
        allowed = system.model.loop_tolerance
        cure += f", or raise loop_tolerance of the model ({allowed:g}) where its data are rounded"
    error = AssemblyError(
        f"the loop does not close, {gap} {when}", element=f"closure '{name}'", cure=cure
    )
    error.nearest = best.x
    return error
