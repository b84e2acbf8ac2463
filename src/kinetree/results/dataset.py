"""A run as an `xarray.Dataset`: dimensions by name, units, a manifest.

| dimension | rows of |
|---|---|
| time | output times [s] |
| coordinate | q |
| velocity | qd, qdd, tau |
| state | x, the user states |
| equation | lam, the multipliers of the closures |
| event | the events that happened |
| wrench | the external wrenches that acted |
| run; run_1, run_2, … | the runs of a batch, one dimension per leading axis; they stand first |
| parameter | the parameters that differ from the model's, of a batch |
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arrays import Array
from kinetree.errors import ShapeError
from kinetree.results.draft import Draft, words

if TYPE_CHECKING:
    import xarray
    from numpy.typing import NDArray


DIMENSION = {
    "q": "coordinate", "qd": "velocity", "qdd": "velocity", "tau": "velocity", "x": "state",
    "lam": "equation", "hold": "velocity", "grip": "friction", "contact": "stop",
}  # fmt: skip
"""Second dimension of every variable over time."""
MEANING = {
    "q": "coordinates", "qd": "velocities", "qdd": "accelerations",
    "tau": "efforts from outside along the velocities", "x": "user states",
    "lam": "multipliers: forces of the closures along their equations",
    "hold": "forces of locks and dry friction along the velocities",
    "contact": "forces of stops that open their gaps",
    "grip": "forces of frictions along speeds that are not velocities",
}  # fmt: skip


PARTS = ("tx", "ty", "tz", "fx", "fy", "fz")
"""Components of a wrench: torque [N.m], force [N]."""


@dataclass(frozen=True)
class Dimension:
    """A dimension: names of its entries and their units."""

    names: Sequence[str]
    units: Sequence[str] = ()


def run_draft(
    time: Array,
    values: Mapping[str, Array],
    axes: Mapping[str, Dimension],
    manifest: Mapping[str, Any],
    runs: tuple[int, ...] = (),
) -> Draft:
    """The variables of a run, or of many side by side.

    Args:
        time: output times [s].
        values: variable (q, qd, qdd, tau, x, hold, grip, contact, lam) -> one row per time.
        axes: dimension -> its names and units; those of accelerations and efforts follow.
        manifest: what produced it; goes into the attributes.
        runs: leading axes of a batch, which all values have.
    """
    coords: dict[str, Any] = {"time": ("time", time, {"units": "s", "long_name": "time"})}
    for name, axis in axes.items():
        coords[name] = (name, words(axis.names))
        if axis.units:
            coords[f"unit_{name}"] = (name, words(axis.units))
    data = {}
    for name, array in values.items():
        dimension = DIMENSION[name]
        units = variable_units(name, axes[dimension].units)
        data[name] = (
            (*run_dimensions(runs), "time", dimension),
            np.asarray(array, dtype=float),
            {"long_name": MEANING[name], "units": common(units), "units_each": ", ".join(units)},
        )
    return Draft().plus(data, coords, attributes(manifest))


def run_dimensions(runs: tuple[int, ...]) -> tuple[str, ...]:
    """Names of the dimensions of a batch: run, or run_1, run_2, …; none of a single run."""
    if len(runs) == 1:
        return ("run",)
    return tuple(f"run_{number}" for number in range(1, len(runs) + 1))


def refuse_many(run: Any, element: str = "run") -> None:
    """Refuse a batch where one run is wanted."""
    found = [
        str(name) for name in getattr(run, "sizes", ()) if re.fullmatch(r"run(_\d+)?", str(name))
    ]
    if found:
        first = ", ".join(f"{name}=0" for name in found)
        raise ShapeError(
            "it holds many runs side by side", element=element, cure=f"take one: run.isel({first})"
        )


def variable_units(name: str, units: Sequence[str]) -> list[str]:
    """Units of the components of a variable from those of its dimension."""
    if name == "qdd":
        return [unit.replace("/s", "/s2") for unit in units]
    if name in ("tau", "hold"):
        return ["N.m" if unit.startswith("rad") else "N" for unit in units]
    return list(units)


def common(units: Sequence[str]) -> str:
    """The unit that all components share; "mixed" where they differ."""
    known = set(units)
    return known.pop() if len(known) == 1 else ("mixed" if known else "")


def attributes(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Rows of a manifest as attributes that NetCDF can hold: numbers and text."""
    plain: dict[str, Any] = {}
    for name, value in manifest.items():
        if isinstance(value, bool) or value is None:
            plain[name] = "" if value is None else str(value).lower()
        elif isinstance(value, int | float | str):
            plain[name] = value
        else:
            plain[name] = str(value)
    return plain


def with_events(run: Draft, names: NDArray[np.str_], times: Array, states: Array) -> Draft:
    """The run with the events that happened: event_name, event_time [s], event_y (before it)."""
    each = (*run_dimensions(times.shape[:-1]), "event")
    said = {"long_name": "state q, qd, x before the event"}
    return run.plus({
        "event_name": (each, names),
        "event_time": (each, times, {"units": "s"}),
        "event_y": ((*each, "component"), states, said),
    })  # fmt: skip


def with_wrenches(run: Draft, wrenches: Mapping[str, Array]) -> Draft:
    """The run with the external wrenches [torque; force] that acted, by name [N.m, N]."""
    coords = {"wrench": ("wrench", words([*wrenches])), "part": ("part", words(PARTS))}
    rows = np.stack(list(wrenches.values()), axis=-2)
    each = ", ".join(["N.m"] * 3 + ["N"] * 3)
    units = {"units": "N.m, N", "units_each": each, "long_name": "external wrenches"}
    lead = run_dimensions(rows.shape[:-3])
    return run.plus({"external_wrench": ((*lead, "time", "wrench", "part"), rows, units)}, coords)


def with_outputs(
    run: xarray.Dataset, names: Sequence[str], units: Sequence[str], values: Array
) -> xarray.Dataset:
    """The run with outputs as variables of their own.

    Args:
        run: the motion.
        names: of the outputs.
        units: one each; empty where unknown.
        values: one row per time, a column per output; a batch adds leading axes.
    """
    dims = run["q"].dims[:-1]
    columns = {
        name: (dims, values[..., k], {"units": units[k], "long_name": "output"})
        for k, name in enumerate(names)
    }
    return run.assign(columns)
