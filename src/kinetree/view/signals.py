"""The curves of a run: names, units and values, group by group."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arrays import Array
from kinetree.errors import FormatError, ShapeError, unknown
from kinetree.results.dataset import DIMENSION, Dimension, refuse_many, run_draft
from kinetree.results.files import over_time, tables

if TYPE_CHECKING:
    import xarray

    from kinetree.model import Mechanism

OUTPUTS = "outputs"
"""Name of the group that holds all outputs of a run."""
FIRST = 3
"""Most curves that a page shows before any is chosen."""
STILL = 1e-6
"""Change of a signal up to which it stands still, relative to its values and 1."""


@dataclass(frozen=True)
class SignalGroup:
    """One variable of a run over time.

    Attributes:
        name: q, qd, lam, …
        names: of its components.
        units: of its components; empty texts where unknown.
        values: times × components.
    """

    name: str
    names: tuple[str, ...]
    units: tuple[str, ...]
    values: Array


@dataclass(frozen=True, eq=False)
class Curve:
    """One signal over time: full name, unit and values."""

    name: str
    unit: str
    values: Array


def as_run(model: Mechanism, run: Any) -> xarray.Dataset:
    """A run as a Dataset that fits the model; a mapping with "time" and "q" will do."""
    import xarray as xr

    made: xarray.Dataset = run if isinstance(run, xr.Dataset) else _from_mapping(model, run)
    refuse_many(made)
    q = made.get("q")
    if q is None or not over_time(q) or not {"time", "coordinate"} <= set(made.coords):
        raise FormatError(
            "it holds no q over time", element="run", cure="give the result of kt.simulate"
        )
    names = [str(name) for name in made["coordinate"].values]
    if names != list(model.coordinates):
        raise ShapeError(
            f"its coordinates are {', '.join(names[:6])}, but the model has "
            f"{', '.join(model.coordinates[:6])}",
            element="run",
            cure=f"give a run of model '{model.name}'",
        )
    return made


def _from_mapping(model: Mechanism, run: Any) -> xarray.Dataset:
    """The Dataset of arrays by name: time, q, and perhaps qd, qdd, tau."""
    if not isinstance(run, Mapping) or "time" not in run or "q" not in run:
        raise FormatError(
            "it is not a valid run", element="run", cure='give a Dataset, or {"time": …, "q": …}'
        )
    units = {
        "coordinate": [u for joint in model.leaders for u in joint.q_units],
        "velocity": [u for joint in model.leaders for u in joint.v_units],
    }
    axes = {
        "coordinate": Dimension(model.coordinates, units["coordinate"]),
        "velocity": Dimension(model.velocities, units["velocity"]),
    }
    time = np.asarray(run["time"], dtype=float)
    values = {}
    for name, array in run.items():
        if DIMENSION.get(name) in axes:
            values[name] = np.asarray(array, dtype=float)
            wanted = (len(time), len(axes[DIMENSION[name]].names))
            if values[name].shape != wanted:
                raise ShapeError(
                    f"it has shape {values[name].shape}, not {wanted}", element=f"run '{name}'"
                )
    return run_draft(time, values, axes, {}).dataset()


def groups(run: xarray.Dataset) -> list[SignalGroup]:
    """All variables over time, in the order of the run; floats of a run are not copied."""
    made: list[SignalGroup] = []
    for name, listed, rows in tables(run):
        variable = run.variables[name]
        names = tuple(full.removeprefix(f"{name}.") for full in listed)
        each = tuple(str(variable.attrs.get("units_each", "")).split(", "))
        same = str(variable.attrs.get("units", ""))
        # units of the last dimension hold for all entries of those before
        fits = any(each) and len(each) in (len(names), variable.shape[-1])
        units = each * (len(names) // len(each)) if fits else (same,) * len(names)
        made.append(SignalGroup(name, names, units, np.asarray(rows, dtype=float)))
    return made


def join_outputs(table: list[SignalGroup]) -> list[SignalGroup]:
    """The groups with all variables of one component, the outputs, as one group at the end."""
    single = [group for group in table if group.names == (group.name,)]
    rest = [group for group in table if group.names != (group.name,)]
    if not single:
        return rest
    names = tuple(group.name for group in single)
    units = tuple(group.units[0] for group in single)
    values = np.concatenate([group.values for group in single], axis=1)
    return [*rest, SignalGroup(OUTPUTS, names, units, values)]


def first_curves(found: Sequence[SignalGroup], independent: Collection[str]) -> list[str]:
    """Names of the curves that a page shows first: of one unit, `FIRST` at most.

    These are outputs, joined or not, where there are any, else coordinates, the independent ones
    of a closed system; those that move, or where nothing does the first ones.
    """
    outputs = [g for g in found if g.name == OUTPUTS or g.names == (g.name,)]
    places = [(g, k) for g in outputs or found if outputs or g.name == "q"
              for k in range(len(g.names))]  # fmt: skip
    every = {_curve(g, k): g.names[k] for g, k in places}
    moving = [curve for curve in every if _moves(curve.values)] or list(every)
    wanted = [curve for curve in moving if every[curve] in independent] or moving
    return [curve.name for curve in wanted if curve.unit == wanted[0].unit][:FIRST]


def _moves(values: Array) -> bool:
    """Whether a signal changes by more than errors of a run do."""
    low, high = values.min(), values.max()
    return bool(high - low > STILL * (1.0 + max(abs(low), abs(high))))


def curves(run: xarray.Dataset, wanted: str) -> list[Curve]:
    """The curves that a name stands for: "time", "q.elbow", all of "q", or just "elbow".

    A bare name is looked for among the components of all groups, the first group first.
    """
    table = groups(run)
    everything = [_curve(group, k) for group in table for k in range(len(group.names))]
    if wanted == "time":
        return [Curve("time", "s", np.asarray(run["time"], dtype=float))]
    for group in table:
        if wanted == group.name:
            return [_curve(group, k) for k in range(len(group.names))]
    exact = [curve for curve in everything if curve.name == wanted]
    bare = [_curve(g, g.names.index(wanted)) for g in table if wanted in g.names]
    if exact or bare:
        return (exact or bare)[:1]
    known = [*(curve.name for curve in everything), *(group.name for group in table)]
    raise unknown("signal", wanted, known, "run")


def _curve(group: SignalGroup, k: int) -> Curve:
    own = group.names[k]
    name = own if group.name in (own, OUTPUTS) else f"{group.name}.{own}"
    return Curve(name, group.units[k], group.values[:, k])
