"""The search for an exciting motion: several starts, one criterion after the other, exact slopes.

Times looked at are so dense that little can happen between them; what is found is then looked at on
a finer grid, and where a limit is passed there, limits are drawn in by as much and the search goes
on from what was found.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kinetree.analysis.exciting.criteria import CRITERIA, Criterion
from kinetree.analysis.exciting.problem import ExcitingProblem, ExcitingTask
from kinetree.analysis.runs.progress import Share
from kinetree.arrays import Array
from kinetree.errors import ModelError, warn
from kinetree.integrate.problem import FINISHED, INTERRUPTED

DENSE = 20
"""Times per period of the highest harmonic at which criterion and limits are looked at."""
FEWEST = 120
"""The same over the whole motion, at least."""
FINE = 8
"""Times of the last look as a multiple of those."""
FIRST = 0.25
"""Size of the first motions, as a part of what positions and speeds allow."""
PASSES = 4
"""Times that limits are drawn in."""
HELD = 1e-9
"""By how much a limit may be passed, as a part of its range."""
SMALL = 0.02
"""By how much limits are passed at most where a smaller motion is tried, as a part of a range."""
LARGE = 0.4
"""The same where a search was ended on the way."""
STEPS = 50
"""Iterations on every criterion but the last, which has twice as many."""
SPARE = 1e-3
"""By how much the first motions hold limits, as a part of their ranges."""
MOST = 3
"""Limits that are named where no motion holds them."""
NEAR = 0.05
"""Share of its range within which a limit is at its end."""
ROOM = 2.0
"""How much larger than the largest value a free number may be."""
FOUND, LATER = 0.1, 0.3
"""Shares of a search at which the first motions are there, and that are left behind a pass."""
WORST = 1e3
"""What the criterion is taken to be where it has no value."""


@dataclass(frozen=True)
class Excitation:
    """What was found.

    Attributes:
        z: free numbers of the series.
        condition: number of the columns.
        overruns: of the limits on a fine grid, by name; negative where they are held.
        iterations: of all searches.
        end: why the search ended.
    """

    z: Array
    condition: float
    overruns: dict[str, float]
    iterations: int
    end: str = FINISHED


def search(task: ExcitingTask, criterion: str, begin: tuple[int, int], share: Share) -> Excitation:
    """The best motion that holds all limits.

    Args:
        task: what is asked.
        criterion: a row of `CRITERIA`.
        begin: number of first motions, and the seed of their draw.
        share: is told how far it is; where it ends the search, the best so far is taken.
    """
    starts, seed = begin
    random = np.random.default_rng(seed)
    with share.part(0.0, FOUND):
        draws = share.parts([*range(starts)])
        firsts = [_held_motion(task, _first_motion(task, random)) for _ in draws]
    begun: list[Excitation] = []
    with contextlib.suppress(KeyboardInterrupt), share.part(FOUND, 1.0):
        for z in share.parts(firsts):
            begun.append(_climb(task, z, criterion, share))
            if begun[-1].end != FINISHED:
                break
    held = [row for row in begun if _is_held(row)]
    if not held and (len(begun) < starts or begun[-1].end != FINISHED):
        raise KeyboardInterrupt
    if not held:
        raise _cannot(min(begun, key=lambda row: max(row.overruns.values())))
    best = min(held, key=lambda row: _judge(task, row, criterion))
    if begun[-1].end == FINISHED and len(begun) == starts:
        return best
    warn("excite: the search was interrupted; the best motion so far that holds all limits is kept")
    return replace(best, end=f"{INTERRUPTED}: the best so far")


def _is_held(found: Excitation) -> bool:
    return max(found.overruns.values(), default=-1.0) <= HELD


def _judge(task: ExcitingTask, found: Excitation, criterion: str) -> float:
    """What tells the better of two motions."""
    if criterion == "condition":
        return found.condition
    return ExcitingProblem(task, _times(task), 0.0).value(found.z, CRITERIA[criterion][-1])[0]


def _times(task: ExcitingTask, finer: int = 1) -> Array:
    count = finer * max(FEWEST, DENSE * task.series.harmonics)
    return np.arange(count) * task.series.duration / count


def _middles(task: ExcitingTask) -> Array:
    """The middle of the positions of every coordinate; where it stands if it has no range."""
    (position,) = (bounds for bounds in task.bounds if bounds.kind == "position")
    still = task.still[[at for at, _ in task.moving]]
    both = np.isfinite(position.low) & np.isfinite(position.high)
    low, high = (np.where(both, end, 0.0) for end in (position.low, position.high))
    return np.where(both, 0.5 * (low + high), np.clip(still, position.low, position.high))


def _first_motion(task: ExcitingTask, random: Any) -> Array:
    """Free numbers of a small motion about the middle of all positions."""
    kinds = {bounds.kind: bounds for bounds in task.bounds}
    position, speed, hurry = (kinds[k] for k in ("position", "speed", "acceleration"))
    tables, rows = task.series.tables(_times(task)), []
    for k, middle in enumerate(_middles(task)):
        z = random.normal(size=task.series.size)
        z[0] = 0.0
        most = [np.abs(table @ z).max() for table in tables]
        reach = min(position.high[k] - middle, middle - position.low[k])
        ends = (reach, min(-speed.low[k], speed.high[k]), min(-hurry.low[k], hurry.high[k]))
        z *= FIRST * min(end / size for end, size in zip(ends, most, strict=True))
        z[0] = middle
        rows.append(z)
    return np.concatenate(rows)


def _held_motion(task: ExcitingTask, z: Array) -> Array:
    """A motion near one that holds all limits: the sum of squares of overruns is the least.

    Raises:
        ModelError: where no motion does; it names the limit that is passed most.
    """
    from scipy.optimize import minimize

    problem = ExcitingProblem(task, _times(task), 0.0)

    def overrun(z: Array) -> tuple[float, Array]:
        c, slopes = problem.limits(z)
        missed = np.minimum(c - SPARE, 0.0)
        return 0.5 * float(missed @ missed), missed @ slopes

    if not len(problem.limits(z)[0]) or (problem.limits(z)[0] > 0).all():
        return z
    z = np.asarray(minimize(overrun, z, jac=True, method="L-BFGS-B").x)
    if (problem.limits(z)[0] < 0).any():
        raise _cannot(Excitation(z, np.inf, problem.overruns(z), 0))
    return z


def _climb(task: ExcitingTask, z: Array, criterion: str, share: Share) -> Excitation:
    """One search; limits are drawn in until they are held everywhere.

    Where it is ended on the way, the motion of the last criterion is looked at.
    """
    margin, made, end = 0.0, 0, FINISHED
    stages = CRITERIA[criterion]
    for number in range(PASSES):
        problem = ExcitingProblem(task, _times(task), margin)
        with share.part(1.0 - LATER**number, 1.0 - LATER ** (number + 1)):
            z, count, end = _pass(problem, z, stages, share)
        made += count
        fine = ExcitingProblem(task, _times(task, FINE), 0.0)
        found = Excitation(z, fine.condition(z), fine.overruns(z), made, end)
        if share.ended or end != FINISHED:
            return replace(_shrunk(task, found, LARGE), end=INTERRUPTED)
        if _is_held(found):
            return found
        margin += 1.5 * max(found.overruns.values()) + 1e-6
        stages = stages[-1:] if number else stages
    return _shrunk(task, found)


def _pass(
    problem: ExcitingProblem, z: Array, stages: Sequence[Criterion], share: Share
) -> tuple[Array, int, str]:
    """One criterion after the other; the motion, the number of iterations, why it ended."""
    made, end = 0, FINISHED
    for k, stage in enumerate(stages):
        last = k == len(stages) - 1
        with share.part(k / (len(stages) + 1), (k + 1 + last) / (len(stages) + 1)):
            steps = 2 * STEPS if last else STEPS
            z, count, end = _minimise(problem, z, (stage, steps), share)
        made += count
        if share.ended or end != FINISHED:
            break
    return z, made, end


def _shrunk(task: ExcitingTask, found: Excitation, most: float = SMALL) -> Excitation:
    """A motion that passes its limits by little, made smaller about its middles.

    Speeds and accelerations shrink by as much; what is found is looked at, whatever it holds.
    """
    over = max(found.overruns.values())
    if not 0 < over <= most:
        return found
    sizes = np.full(task.series.size, 1.0 - 2 * over - 1e-6)
    sizes[0] = 1.0  # c₀ of eq. 15
    z = found.z * np.tile(sizes, len(task.moving))
    fine = ExcitingProblem(task, _times(task, FINE), 0.0)
    return Excitation(z, fine.condition(z), fine.overruns(z), found.iterations)


def _minimise(
    problem: ExcitingProblem, z: Array, what: tuple[Criterion, int], share: Share
) -> tuple[Array, int, str]:
    """The best motion on the way to where a criterion is least within the limits.

    Args:
        problem: criterion and limits at many times.
        z: where it begins.
        what: is made least, in at most so many steps.
        share: is told how far it is.
    """
    from scipy.optimize import Bounds, minimize

    best: tuple[float, Array] = (np.inf, z)
    (criterion, steps), number = what, itertools.count(1)

    def value(z: Array) -> tuple[float, Array]:
        nonlocal best
        found, slopes = problem.value(z, criterion)
        if found < best[0] and (problem.limits(z)[0] >= -SPARE).all():
            best = found, z.copy()
        return (found, slopes) if np.isfinite(found) else (WORST, slopes)

    limits = {
        "type": "ineq", "fun": lambda z: problem.limits(z)[0], "jac": lambda z: problem.limits(z)[1]
    }  # fmt: skip
    held, most = len(problem.limits(z)[0]) > 0, _box(problem.task)
    try:
        found = minimize(
            value, z, jac=True, method="SLSQP", constraints=[limits] if held else [],
            bounds=Bounds(-most, most), options={"maxiter": steps, "ftol": 1e-7},
            callback=lambda _: share.tell(next(number) / steps),
        )  # fmt: skip
    except KeyboardInterrupt:
        return best[1], next(number) - 1, INTERRUPTED
    return best[1], int(found.nit), FINISHED


def _box(task: ExcitingTask) -> Array:
    """What no free number of a motion within its limits exceeds: of q, or of qd over ω."""
    kinds = {bounds.kind: np.maximum(np.abs(bounds.low), bounds.high) for bounds in task.bounds}
    w = 2 * np.pi / task.series.duration
    reach = np.minimum(kinds["position"], kinds["speed"] / w)
    reach = np.minimum(reach, kinds["acceleration"] / w**2)
    reach = np.where(np.isfinite(kinds["position"]), reach, reach + np.abs(_middles(task)))
    return np.repeat(ROOM * np.maximum(reach, np.abs(_middles(task))), task.series.size)


def _cannot(found: Excitation) -> ModelError:
    """The error of limits that no motion holds: those passed most, and by how much."""
    rows = sorted(found.overruns.items(), key=lambda row: -row[1])
    passed = [(name, x) for name, x in rows[:MOST] if x > HELD]
    texts = [f"{name} is passed by {_amount(name, x)}" for name, x in passed]
    texts += [f"{name} is at its end" for name, x in rows if -NEAR < x <= HELD]
    return ModelError(
        f"no motion was found that holds all of them: {', '.join(texts)}",
        element="limits",
        cure="widen them, take a longer duration or fewer harmonics",
    )


def _amount(name: str, size: float) -> str:
    if name.startswith("clearance"):
        return f"{size:.3g} m"
    return f"{100 * size:.3g} % of its range"
