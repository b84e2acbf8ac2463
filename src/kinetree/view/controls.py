"""Sliders of a live page: coordinates, velocities, efforts, parameters, each with its range."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.errors import unknown
from kinetree.model import Ball, CoordinateGroup, Float, Mechanism, parameter_table

if TYPE_CHECKING:
    import xarray

    from kinetree.assembly import Partition

MOST = 10
"""Parameters offered where none are asked for."""
SPEED = {"rad": 10.0, "m": 2.0}
"""Range of velocities: [rad/s], and per extent of the mechanism and second."""
GRAVITY = 9.81

Wishes = tuple["Partition | None", Sequence[str] | None, float]
"""Partition of a closed system, names of parameters wished for, extent of the mechanism [m]."""


def controls(model: Mechanism, data: dict[str, Any], wishes: Wishes) -> list[dict[str, Any]]:
    """Every slider: what it changes, number or name, label, unit, least, greatest and start value.

    Args:
        model: the mechanism.
        data: start values of the page.
        wishes: see `Wishes`.
    """
    found, sliders, size = wishes
    return [
        *_coordinates(model, data["q"], found, size),
        *_velocities(model, data["qd"], found, size),
        *_efforts(model, size),
        *_parameters(model, data["parameters"], sliders),
    ]


def widen(rows: list[dict[str, Any]], run: xarray.Dataset | None) -> list[dict[str, Any]]:
    """The sliders with room for what the coordinates [m] do in a run; angles go round anyway."""
    if run is None:
        return rows
    q = np.asarray(run["q"], dtype=float)
    for row in rows:
        if row["kind"] == "q" and row["unit"] != "rad" and np.isfinite(q[:, row["key"]]).all():
            column = q[:, row["key"]]
            row["low"] = min(row["low"], float(column.min()))
            row["high"] = max(row["high"], float(column.max()))
    return rows


def _coordinates(
    model: Mechanism, q: list[float], found: Partition | None, size: float
) -> list[dict[str, Any]]:
    """Coordinates that may be chosen; quaternions are not posed one by one."""
    chosen = None if found is None else set(found.independent)
    rows, k = [], 0
    for joint in model.leaders:
        plain = not any(isinstance(motion, Ball | Float) for motion in joint.motions)
        for name, unit in zip(joint.coordinates, joint.q_units, strict=True):
            if plain and name not in model.drives and (chosen is None or name in chosen):
                low, high = _range(joint, q[k], unit, size)
                rows.append(_row("q", k, (name, unit), (low, high, q[k])))
            k += 1
    return rows


def _range(joint: CoordinateGroup, value: float, unit: str, size: float) -> tuple[float, float]:
    """Limits of a joint, or a turn or the mechanism's extent to either side."""
    reach = math.pi if unit == "rad" else size
    low, high = value - reach, value + reach
    limits = joint.limits
    if limits is not None and len(joint.coordinates) == 1:
        a, b = limits.lower, limits.upper
        if a is not None and b is not None and math.isfinite(b - a) and a < b:
            low, high = min(a, value), max(b, value)
    return low, high


def _velocities(
    model: Mechanism, qd: list[float], found: Partition | None, size: float
) -> list[dict[str, Any]]:
    chosen = set(model.velocities)
    if found is not None:
        chosen = set(found.independent) - set(found.rate_dependent)
    units = [u for joint in model.leaders for u in joint.v_units]
    rows = []
    for k, name in enumerate(model.velocities):
        if name in chosen and name not in model.drives:
            reach = SPEED["rad"] if units[k].startswith("rad") else SPEED["m"] * size
            reach = max(reach, 2 * abs(qd[k]))
            rows.append(_row("qd", k, (name, units[k]), (-reach, reach, qd[k])))
    return rows


def _efforts(model: Mechanism, size: float) -> list[dict[str, Any]]:
    """Efforts up to the weight of everything, at an arm of half the extent."""
    values = parameter_table(model).values
    weight = GRAVITY * sum(values[f"{name}.mass"] for name in model.bodies) or 1.0
    units = [u for joint in model.leaders for u in joint.v_units]
    rows = []
    for k, name in enumerate(model.velocities):
        if name not in model.drives:
            turns = units[k].startswith("rad")
            reach = _round_up(0.5 * weight * size if turns else weight)
            rows.append(_row("tau", k, (name, "N.m" if turns else "N"), (-reach, reach, 0.0)))
    return rows


def _parameters(
    model: Mechanism, taken: dict[str, float], sliders: Sequence[str] | None
) -> list[dict[str, Any]]:
    units = {row.name: row.unit for row in parameter_table(model).rows}
    names = _usual(model, taken)[:MOST] if sliders is None else list(sliders)
    rows = []
    for name in names:
        if name not in taken:
            raise unknown("parameter", name, list(taken), "live sliders")
        value = taken[name]
        bounds = (min(0.0, 2 * value), max(0.0, 2 * value)) if value else (-1.0, 1.0)
        rows.append(_row("p", name, (name, units.get(name, "")), (*bounds, value)))
    return rows


def _usual(model: Mechanism, taken: dict[str, float]) -> list[str]:
    """Declared parameters, then those of forces, gravity and masses."""
    declared = [name for name in taken if name in model.parameters]
    forces = [name for name in taken if name.partition(".")[0] in model.forces]
    weight = [name for name in taken if name.startswith("gravity_") and taken[name] != 0]
    masses = [name for name in taken if name.endswith(".mass")]
    return list(dict.fromkeys([*declared, *forces, *weight, *masses]))


def _row(
    kind: str, key: int | str, label: tuple[str, str], values: tuple[float, float, float]
) -> dict[str, Any]:
    name, unit = label
    low, high, value = values
    return {"kind": kind, "key": key, "name": name, "unit": unit} | {
        "low": low, "high": high, "value": value,
    }  # fmt: skip


def _round_up(x: float) -> float:
    """The next of 1, 2, 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(x))
    return next(k * power for k in (1, 2, 5, 10) if k * power >= x * (1 - 1e-9))
