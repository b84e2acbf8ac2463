"""Units in which recordings are given: of a kind of column, or of one column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kinetree.errors import ModelError
from kinetree.results.dataset import PARTS
from kinetree.units import are_alike, to_si

if TYPE_CHECKING:
    from kinetree.model import Mechanism

NUMBER = "1"
"""The unit of what has none, as the parts of a quaternion."""
TIME = "time"
NAMED = ("q", "qd", "qdd", "tau", "current", "wrench")
"""Kinds of columns with a name each."""


def data_labels(model: Mechanism) -> dict[str, Sequence[str]]:
    """Names of the columns of every kind."""
    velocities = dict.fromkeys(("qd", "qdd", "tau", "current"), model.velocities)
    return {"q": model.coordinates, **velocities, "wrench": PARTS}


def unit_names(model: Mechanism) -> list[str]:
    """What may have a unit: kinds of columns, and single columns."""
    columns = (f"{kind}.{label}" for kind, row in data_labels(model).items() for label in row)
    return [TIME, *NAMED, *columns]


def time_factor(units: Mapping[str, str]) -> float:
    """Seconds per unit of the times."""
    return _factor(units[TIME], "s", TIME, "ms") if TIME in units else 1.0


def column_factor(model: Mechanism, units: Mapping[str, str], kind: str, label: str) -> float:
    """SI value of one of the unit in which a column is given.

    Args:
        model: the mechanism.
        units: as the user gave them, of kinds and of single columns.
        kind: of the column.
        label: name of the coordinate, velocity or part of the wrench.
    """
    own, name = _si_unit(model, kind, label), f"{kind}.{label}"
    if name in units:
        return _factor(units[name], own, name, own)
    if kind not in units or own == NUMBER:
        return 1.0
    return _factor(units[kind], own, name, own)


def _factor(unit: str, own: str, name: str, such: str) -> float:
    factor, _ = to_si(1.0, unit, f"units of '{name}'")
    if not are_alike(unit, own):
        raise ModelError(
            f"'{unit}' is not a unit of it, which is in {own}",
            element=f"units of '{name}'",
            cure=f'give units={{"{name}": "{such}"}}',
        )
    return factor


def _si_unit(model: Mechanism, kind: str, label: str) -> str:
    """SI unit of a column."""
    if kind == "wrench":
        return "N.m" if PARTS.index(label) < 3 else "N"
    if kind == "current":
        return "A"
    rows = [(joint.coordinates, joint.q_units) if kind == "q" else (joint.velocities, joint.v_units)
            for joint in model.leaders]  # fmt: skip
    known = {n: unit for names, own in rows for n, unit in zip(names, own, strict=True)}
    if kind == "tau":
        return "N.m" if known[label].startswith("rad") else "N"
    return known[label].replace("/s", "/s2") if kind == "qdd" else known[label]
