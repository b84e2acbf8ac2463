"""Plans of sweeps: values of what varies as a function of the number of the run.

| plan | runs |
|---|---|
| `grid` | every combination of given values, the last name fastest |
| `sobol` | a Sobol sequence between bounds, scrambled by its seed |
| `latin_hypercube` | one run per slice of every range |
| `saltelli` | pairs of Sobol points and mixtures of them, for indices of the variance |
| `run_list` | given rows |
| `own_plan` | rows that a function gives |

Any part of a plan can be found by itself, so that parts of a sweep do not depend on each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from kinetree.arguments import check_arguments, check_positive, is_finite, is_row, show
from kinetree.arrays import Array
from kinetree.errors import ModelError, ShapeError

SAMPLES = 200
"""Runs by whose values a plan of one's own is known again."""


@dataclass(frozen=True)
class SweepPlan:
    """Runs of a sweep.

    Attributes:
        kind: name of the row in `PLANS`.
        over: name of what varies -> its values, or its bounds.
        count: number of runs.
        seed: of plans that draw.
        own: of plans of one's own: number of a run -> its values.
    """

    kind: str
    over: Mapping[str, tuple[float, ...]]
    count: int
    seed: int = 0
    own: Callable[[int], Sequence[float]] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """What varies."""
        return tuple(self.over)

    def rows(self, first: int, end: int) -> Array:
        """Values of the runs first … end - 1, one row each."""
        found: Array = PLANS[self.kind](self, first, min(end, self.count))
        return found

    def data(self) -> dict[str, Any]:
        """All that decides its values, as plain data."""
        over = {name: list(values) for name, values in self.over.items()}
        known = {"kind": self.kind, "over": over, "count": self.count, "seed": self.seed}
        if self.own is not None:  # a function is known by some of its values
            numbers = np.unique(np.linspace(0, self.count - 1, SAMPLES).astype(int))
            known["rows"] = [self.rows(k, k + 1)[0].tolist() for k in numbers.tolist()]
        return known


def grid(over: Mapping[str, Any]) -> SweepPlan:
    """Every combination of values.

    Args:
        over: name of what varies -> its values, in SI units.
    """
    check_arguments(grid, locals())
    rows = _rows(over)
    return SweepPlan("grid", rows, prod(len(values) for values in rows.values()))


def run_list(over: Mapping[str, Any]) -> SweepPlan:
    """Given runs.

    Args:
        over: name of what varies -> one value per run, in SI units.
    """
    check_arguments(run_list, locals())
    rows = _rows(over)
    sizes = {len(values) for values in rows.values()}
    if len(sizes) > 1:
        raise ShapeError(
            f"the lists have {sorted(sizes)} values", element="plan", cure="give one value per run"
        )
    return SweepPlan("run_list", rows, sizes.pop())


def sobol(over: Mapping[str, Any], count: int, *, seed: int = 0) -> SweepPlan:
    """Runs spread evenly between bounds, by a scrambled Sobol sequence.

    Args:
        over: name of what varies -> (lowest, highest), in SI units.
        count: number of runs; more of them continue the same sequence.
        seed: of the scrambling.
    """
    check_arguments(sobol, locals())
    check_positive("a positive number of runs", count=count)
    return SweepPlan("sobol", _bounds(over), count, seed)


def latin_hypercube(over: Mapping[str, Any], count: int, *, seed: int = 0) -> SweepPlan:
    """Runs of which every slice of every range, one of `count`, has one.

    Args:
        over: name of what varies -> (lowest, highest), in SI units.
        count: number of runs.
        seed: of the draw.
    """
    check_arguments(latin_hypercube, locals())
    check_positive("a positive number of runs", count=count)
    return SweepPlan("latin_hypercube", _bounds(over), count, seed)


def saltelli(over: Mapping[str, Any], count: int, *, seed: int = 0) -> SweepPlan:
    """Runs from which `summarise` finds how much of the variance every variable causes.

    Every point is two rows A and B of a Sobol sequence, and A with one value after the other taken
    from B: a point of d variables is d + 2 runs.

    Args:
        over: name of what varies -> (lowest, highest), in SI units.
        count: number of points.
        seed: of the scrambling.
    """
    check_arguments(saltelli, locals())
    check_positive("a positive number of points", count=count)
    bounds = _bounds(over)
    return SweepPlan("saltelli", bounds, count * (len(bounds) + 2), seed)


def own_plan(names: Sequence[str], count: int, rows: Callable[[int], Sequence[float]]) -> SweepPlan:
    """Runs whose values a function gives.

    Args:
        names: what varies.
        count: number of runs.
        rows: number of a run, from 0 on -> its values in the order of the names, in SI units; the
            same whenever it is asked.
    """
    check_arguments(own_plan, locals())
    check_positive("a positive number of runs", count=count)
    if not names or len(set(names)) < len(names):
        raise ModelError(
            "its names are none, or not all different", element="plan", cure="name what varies once"
        )
    plan = SweepPlan("own_plan", dict.fromkeys(names, ()), count, own=rows)
    plan.rows(0, 1)
    return plan


def _rows(over: Mapping[str, Any]) -> dict[str, tuple[float, ...]]:
    """Values by name, checked."""
    found = {}
    for name, values in over.items():
        if not is_row(values) or not np.size(values):
            raise ShapeError(
                f"its values are {show(values)}",
                element=f"plan, over '{name}'",
                cure="give a list of finite numbers",
            )
        found[name] = tuple(float(x) for x in np.asarray(values, dtype=float))
    if not found:
        cure = 'give {"strut.damping": (500, 5000)}'
        raise ModelError("nothing varies", element="plan", cure=cure)
    return found


def _bounds(over: Mapping[str, Any]) -> dict[str, tuple[float, ...]]:
    """Bounds by name, checked."""
    for name, pair in over.items():
        good = np.shape(pair) == (2,) and all(is_finite(x) for x in pair)
        if not good or not pair[0] < pair[1]:
            raise ModelError(
                f"its bounds are {show(pair)}",
                element=f"plan, over '{name}'",
                cure="give (lowest, highest), two finite numbers in this order",
            )
    return _rows(over)


def _grid_rows(plan: SweepPlan, first: int, end: int) -> Array:
    sizes = [len(values) for values in plan.over.values()]
    places = np.unravel_index(np.arange(first, end), sizes)
    rows = zip(plan.over.values(), places, strict=True)
    return np.array([np.array(values)[place] for values, place in rows]).T


def _list_rows(plan: SweepPlan, first: int, end: int) -> Array:
    return np.array(list(plan.over.values())).T[first:end]


def _sobol_rows(plan: SweepPlan, first: int, end: int) -> Array:
    from scipy.stats import qmc

    engine = qmc.Sobol(len(plan.over), scramble=True, seed=plan.seed)
    if first:
        engine.fast_forward(first)
    return _scale(plan, quiet_points(engine, end - first))


def quiet_points(engine: Any, count: int) -> Array:
    """Points of a Sobol sequence; that their number is no power of two matters to no single run."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return np.asarray(engine.random(count))


def _latin_rows(plan: SweepPlan, first: int, end: int) -> Array:
    from scipy.stats import qmc

    points = qmc.LatinHypercube(len(plan.over), seed=plan.seed).random(plan.count)
    return _scale(plan, points[first:end])


def _scale(plan: SweepPlan, points: Array) -> Array:
    low, high = np.array(list(plan.over.values())).T
    found: Array = low + points * (high - low)
    return found


def _saltelli_rows(plan: SweepPlan, first: int, end: int) -> Array:
    from scipy.stats import qmc

    d = len(plan.over)
    low, high = first // (d + 2), -(-end // (d + 2))
    engine = qmc.Sobol(2 * d, scramble=True, seed=plan.seed)
    if low:
        engine.fast_forward(low)
    both = quiet_points(engine, high - low)
    A, B = both[:, None, :d], both[:, None, d:]
    mixed = np.where(np.eye(d, dtype=bool), B, A)
    rows = np.concatenate([A, mixed, B], axis=1).reshape(-1, d)
    skip = first - low * (d + 2)
    return _scale(plan, rows[skip : skip + end - first])


def _own_rows(plan: SweepPlan, first: int, end: int) -> Array:
    assert plan.own is not None
    rows = [plan.own(k) for k in range(first, end)]
    for number, row in enumerate(rows, first):
        if not is_row(row) or len(row) != len(plan.over):
            raise ShapeError(
                f"run {number} has {show(row)}",
                element="plan",
                cure=f"give {len(plan.over)} finite numbers",
            )
    return np.array(rows, dtype=float).reshape(-1, len(plan.over))


PLANS = {
    "grid": _grid_rows, "sobol": _sobol_rows, "latin_hypercube": _latin_rows,
    "run_list": _list_rows, "saltelli": _saltelli_rows, "own_plan": _own_rows,
}  # fmt: skip
"""Values of the runs of every kind of plan."""
