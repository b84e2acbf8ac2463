"""Plans of sweeps: values of what varies as a function of the number of the run.

| plan | runs |
|---|---|
| `grid` | every combination of given values, the last name fastest |
| `sobol` | a Sobol sequence between bounds, scrambled by its seed |
| `latin_hypercube` | one run per slice of every range |
| `run_list` | given rows |

Any part of a plan can be found by itself, so that parts of a sweep do not depend on each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from kinetree.arguments import check_arguments, check_positive, is_finite, is_row, show
from kinetree.arrays import Array
from kinetree.errors import ModelError, ShapeError


@dataclass(frozen=True)
class SweepPlan:
    """Runs of a sweep.

    Attributes:
        kind: name of the row in `PLANS`.
        over: name of what varies -> its values, or its bounds.
        count: number of runs.
        seed: of plans that draw.
    """

    kind: str
    over: Mapping[str, tuple[float, ...]]
    count: int
    seed: int = 0

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
        return {"kind": self.kind, "over": over, "count": self.count, "seed": self.seed}


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
    return _scale(plan, _quietly(engine, end - first))


def _quietly(engine: Any, count: int) -> Array:
    """Points of a sequence; that their number is no power of two matters to no single run."""
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


PLANS = {
    "grid": _grid_rows, "sobol": _sobol_rows, "latin_hypercube": _latin_rows,
    "run_list": _list_rows,
}  # fmt: skip
"""Values of the runs of every kind of plan."""
