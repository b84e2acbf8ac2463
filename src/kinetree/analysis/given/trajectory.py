"""Trajectories that users give: q, qd, qdd over time, completed from what is there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arrays import Array
from kinetree.errors import ShapeError, unknown
from kinetree.results.dataset import refuse_many

if TYPE_CHECKING:
    from kinetree.model import Mechanism

PARTS = ("time", "q", "qd", "qdd", "x")


@dataclass(frozen=True)
class Trajectory:
    """A motion, one row per time.

    Attributes:
        time: [s].
        q: coordinates.
        qd: velocities.
        qdd: accelerations.
        x: user states; no columns where there are none.
        named: coordinates that were given by name, where not all of them were given; the others
            stand at their initial values.
    """

    time: Array
    q: Array
    qd: Array
    qdd: Array
    x: Array
    named: tuple[str, ...] = ()


def trajectory(model: Mechanism, given: Any) -> Trajectory:
    """The motion that a user means.

    Args:
        model: the mechanism.
        given: a Dataset (a run) or a mapping with time, q and, where q does not tell them, qd and
            qdd; rates that are missing are those of a cubic spline through q.  Each of q, qd and
            qdd may be a mapping from names to values over time.
    """
    rows = _rows(given)
    if "q" not in rows:
        raise ShapeError("it has no q", element="trajectory", cure="give q, one row per time")
    named = tuple(rows["q"]) if isinstance(rows["q"], Mapping) else ()
    if named:
        rows |= _whole_tables(model, rows, named)
    q = _table(rows["q"], model.nq, "q")
    count = len(q)
    time = _floats(rows["time"], "time") if "time" in rows else np.arange(float(count))
    if time.shape != (count,) or not (np.diff(time) > 0).all():
        raise ShapeError(
            f"it must be {count} rising numbers", element="time", cure="give one time per row of q"
        )
    if "qd" not in rows or "qdd" not in rows:
        rows |= _rates(model, rows, time, q)
    qd, qdd = _table(rows["qd"], model.nv, "qd"), _table(rows["qdd"], model.nv, "qdd")
    x = _floats(rows.get("x", np.zeros((count, 0))), "x")
    for name, table in (("qd", qd), ("qdd", qdd), ("x", x)):
        if len(table) != count:
            raise ShapeError(f"it has {len(table)} rows, q has {count}", element=name)
    return Trajectory(time, q, qd, qdd, x, named)


def _whole_tables(
    model: Mechanism, rows: Mapping[str, Any], named: tuple[str, ...]
) -> dict[str, Array]:
    """Whole tables of q, qd and qdd from columns by name; the rest at initial values, at rest."""
    count = np.size(next(iter(rows["q"].values())))
    zero = np.zeros(model.nv)
    parts = (
        ("q", model.coordinates, model.initial()),
        ("qd", model.velocities, zero),
        ("qdd", model.velocities, zero),
    )
    found = {}
    for part, names, default in parts:
        if part not in rows:
            continue
        table = np.tile(default, (count, 1))
        for name, column in dict(rows[part]).items():
            if name not in names or name not in named:
                raise unknown("coordinate", str(name), named if part != "q" else names, part)
            if np.shape(column) != (count,):
                raise ShapeError(
                    f"it has shape {np.shape(column)}",
                    element=f"{part} of '{name}'",
                    cure=f"give {count} numbers, one per time",
                )
            table[:, list(names).index(name)] = column
        found[part] = table
    return found


def _rows(given: Any) -> dict[str, Any]:
    if hasattr(given, "data_vars"):
        refuse_many(given, "trajectory")
        return {name: np.asarray(given[name]) for name in PARTS if name in given.variables}
    if not isinstance(given, Mapping):
        raise ShapeError(
            f"{type(given).__name__} is not a valid trajectory",
            element="trajectory",
            cure="give a run, or a mapping with time, q, qd, qdd",
        )
    for name in given:
        if name not in PARTS:
            raise unknown("part of a trajectory", str(name), PARTS, "trajectory")
    return {name: value for name, value in given.items() if value is not None}


def _floats(value: Any, name: str) -> Array:
    """An array of numbers."""
    try:
        return np.asarray(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise ShapeError("it holds more than numbers", element=name, cure="give numbers") from error


def _table(value: Any, width: int, name: str) -> Array:
    table = np.atleast_2d(_floats(value, name))
    if table.ndim != 2 or table.shape[1] != width or not np.isfinite(table).all():
        raise ShapeError(
            f"it must be rows of {width} finite numbers, but has shape {np.shape(value)}",
            element=name,
        )
    return table


def _rates(model: Mechanism, rows: Mapping[str, Any], time: Array, q: Array) -> dict[str, Array]:
    """The missing ones of qd and qdd, by a spline."""
    if "time" not in rows or len(time) < 4:
        raise ShapeError(
            "qd and qdd cannot be found without the times of at least four rows",
            element="trajectory",
            cure="give qd and qdd, or time",
        )
    from scipy.interpolate import CubicSpline

    if "qd" in rows:
        return {"qdd": CubicSpline(time, rows["qd"])(time, 1)}
    if model.nq != model.nv:
        raise ShapeError(
            "velocities are not the rates of quaternions",
            element="trajectory",
            cure="give qd, the angular velocities in the moving frames",
        )
    spline = CubicSpline(time, q)
    return {"qd": spline(time, 1), "qdd": spline(time, 2)}
