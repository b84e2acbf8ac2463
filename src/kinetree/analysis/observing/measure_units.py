"""Units of measures, from those of their expressions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.measures import (
    EventTime,
    FunctionOf,
    Integral,
    MeanSquare,
    Measure,
    Misfit,
    Mode,
    Severity,
)
from kinetree.model import offered_units
from kinetree.units import Unit, read

if TYPE_CHECKING:
    from kinetree.model import Mechanism

NAME = re.compile(
    r"\s*-?\s*(?:(?P<plain>[A-Za-z_][\w.]*)|abs\(\s*(?P<size>[A-Za-z_][\w.]*)\s*\))\s*"
)
"""One quantity, its opposite or its size."""
OWN: dict[type[Measure], str] = {EventTime: "s", Severity: "1"}
"""Kind of measure -> unit, where it does not depend on the expression."""
OF_MODES = {"frequency": "Hz", "damping": "1", "growth": "1/s"}
"""Quantity of an eigenvalue -> its unit."""


def measure_units(model: Mechanism, measures: Mapping[str, Measure]) -> list[str]:
    """Units of measures of which the expression is one quantity; empty of others."""
    words = {name: _plain_name(row.of) for name, row in measures.items()}
    units = {row.name: row.unit for row in model.parameters.values()} | {"t": "s"}
    if not set(words.values()) <= {*units, ""}:
        units |= offered_units(model)
    return [_unit(row, units.get(words[name], "")) for name, row in measures.items()]


def _plain_name(of: Any) -> str:
    """The name that an expression is, but for its sign; empty where it is more than that."""
    text = of if isinstance(of, str) else str(getattr(of, "name", "") or "")
    found = NAME.fullmatch(text)
    return "" if found is None else found["plain"] or found["size"]


def _unit(measure: Measure, of: str) -> str:
    """The unit of a measure.

    Args:
        measure: what it is.
        of: unit of its expression; empty where that is not known.

    Returns:
        It, such as "m", or an empty text where it is not known.
    """
    if isinstance(measure, EventTime | Mode | Severity):
        return OF_MODES[measure.quantity] if isinstance(measure, Mode) else OWN[type(measure)]
    if isinstance(measure, FunctionOf) or not of:
        return ""
    if isinstance(measure, Integral):
        return _text(f"s.{of}", 1)
    if isinstance(measure, Misfit) and not np.all(measure.weights == 1.0):
        return ""  # weights may have units that nobody says
    return _text(of, 2) if isinstance(measure, MeanSquare | Misfit) else of


def _text(unit: str, power: int) -> str:
    """A power of an SI unit as a text; empty where it cannot be read."""
    found = read(unit)
    if isinstance(found, str):
        return ""
    return Unit(found.size, {name: power * n for name, n in found.parts.items()}).si
