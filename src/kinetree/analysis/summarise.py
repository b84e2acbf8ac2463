"""Summaries of sweeps: means, quantiles, and how much of the variance every variable causes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arguments import check_arguments
from kinetree.arrays import Array
from kinetree.errors import ModelError, ShapeError

if TYPE_CHECKING:
    import xarray

FEWEST = 8
"""Runs that a summary needs at least."""
BINS = 32
"""Most slices of a variable between which means are compared."""


def summarise(
    many: xarray.Dataset, quantiles: Sequence[float] = (0.05, 0.25, 0.5, 0.75, 0.95)
) -> xarray.Dataset:
    """Statistics of the measures of a sweep, over the runs that did not fail.

    Args:
        many: what `sweep` or `load_sweep` gives.
        quantiles: shares of the runs, between 0 and 1.

    Returns:
        The Dataset with `mean`, `std`, `lowest`, `highest`, `good` (number of runs) per measure,
        `quantile` (measure × share), and indices of the variance (measure × variable): `first`, the
        share that a variable causes alone, and of a plan by `saltelli` `total`, that with all its
        interactions.  Of a list, or a plan of one's own, there are no indices.
    """
    check_arguments(summarise, locals())
    _check(many, quantiles)
    import xarray as xr

    measures = [str(name) for name in many.data_vars if name != "reason"]
    over = [str(name) for name in many.coords if name != "run"]
    rows = {name: many[name].values for name in measures}
    good = {name: values[np.isfinite(values)] for name, values in rows.items()}
    for name, values in good.items():
        if len(values) < FEWEST:
            raise ModelError(
                f"{len(values)} runs have a value",
                element=f"measure '{name}'",
                cure=f"make at least {FEWEST} runs that do not fail; `reason` says why some do",
            )
    each: dict[str, Callable[[Array], Any]] = {
        "mean": np.mean, "std": lambda x: np.std(x, ddof=1), "lowest": np.min, "highest": np.max,
        "good": len,
    }  # fmt: skip
    data: dict[str, Any] = {
        key: ("measure", np.array([f(values) for values in good.values()]))
        for key, f in each.items()
    }
    shares = np.array([np.quantile(values, quantiles) for values in good.values()])
    data["quantile"] = (("measure", "share"), shares)
    columns = np.column_stack([many[name].values for name in over])
    for key, table in _indices(str(many.attrs.get("plan", "")), columns, rows).items():
        data[key] = (("measure", "variable"), table)
    coords = {"measure": measures, "share": list(quantiles), "variable": over}
    return xr.Dataset(data, coords, {"plan": many.attrs.get("plan", "")})


def _check(many: Any, quantiles: Sequence[float]) -> None:
    if "run" not in getattr(many, "dims", ()) or "reason" not in many:
        raise ShapeError(
            "it is not a valid sweep", element="many", cure="give what kt.sweep returns"
        )
    if not all(0 <= x <= 1 for x in quantiles):
        raise ShapeError(
            "they are shares of the runs", element="quantiles", cure="give numbers from 0 to 1"
        )


def _indices(plan: str, columns: Array, rows: dict[str, Array]) -> dict[str, Array]:
    """Indices of the variance by name: measure × variable each."""
    if plan == "saltelli":
        found = [_saltelli(values, columns.shape[1]) for values in rows.values()]
        return {"first": np.array([row[0] for row in found]),
                "total": np.array([row[1] for row in found])}  # fmt: skip
    if plan in ("sobol", "latin_hypercube", "grid"):
        meets = plan == "grid"
        table = [[_ratio(x, y, meets=meets) for x in columns.T] for y in rows.values()]
        return {"first": np.array(table)}
    return {}


def _saltelli(values: Array, count: int) -> tuple[Array, Array]:
    """First and total indices (Saltelli2010, eqs. (b) and (f) of its table 2)."""
    whole = values[: len(values) // (count + 2) * (count + 2)].reshape(-1, count + 2)
    whole = whole[np.isfinite(whole).all(axis=1)]
    a, mixed, b = whole[:, :1], whole[:, 1:-1], whole[:, -1:]
    middle = np.mean([a, b])
    variance = np.var([a, b])
    if not len(whole) or variance == 0:
        return np.full(count, np.nan), np.full(count, np.nan)
    first = ((b - middle) * (mixed - a)).mean(axis=0) / variance
    total = ((a - mixed) ** 2).mean(axis=0) / (2 * variance)
    return np.asarray(first), np.asarray(total)


def _ratio(x: Array, values: Array, *, meets: bool) -> float:
    """Variance of means over slices of a variable, less what chance gives, over the whole one.

    Args:
        x: values of the variable.
        values: of the measure.
        meets: whether every value of the variable meets all those of the others.
    """
    good = np.isfinite(values)
    x, y = x[good], values[good]
    levels = np.unique(x)
    if len(levels) > BINS or (not meets and 2 * len(levels) > len(y)):
        bins = min(BINS, max(2, int(len(y) ** (1 / 3))))
        place = np.argsort(np.argsort(x, kind="stable"), kind="stable") * bins // len(x)
    else:
        place = np.searchsorted(levels, x)
    sizes = np.bincount(place)
    means = np.bincount(place, y) / np.maximum(sizes, 1)
    whole = float(((y - y.mean()) ** 2).sum())
    if whole == 0 or len(sizes) < 2:
        return float("nan")
    between = float((sizes * (means - y.mean()) ** 2).sum())
    within = (whole - between) / max(1, len(y) - len(sizes))
    return max(0.0, between - (len(sizes) - 1) * within) / whole
