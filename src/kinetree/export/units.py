"""Units as exponents of the base units of the SI, for the unit definitions of FMI."""

from __future__ import annotations

import re

BASE = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")
"""Base units in the order in which FMI lists them."""
DERIVED: dict[str, dict[str, int]] = {
    "N": {"kg": 1, "m": 1, "s": -2},
    "Pa": {"kg": 1, "m": -1, "s": -2},
    "J": {"kg": 1, "m": 2, "s": -2},
    "W": {"kg": 1, "m": 2, "s": -3},
    "Hz": {"s": -1},
    "V": {"kg": 1, "m": 2, "s": -3, "A": -1},
    "C": {"s": 1, "A": 1},
    "ohm": {"kg": 1, "m": 2, "s": -3, "A": -2},
    "H": {"kg": 1, "m": 2, "s": -2, "A": -2},
}
FACTOR = re.compile(r"([A-Za-z]+)\^?(-?\d*)")


def exponents(unit: str) -> dict[str, int] | None:
    """Exponents of the base units of "N.m/rad" and the like; none where it cannot be read.

    A point or a star multiplies, everything behind a stroke divides, digits are exponents.
    """
    found: dict[str, int] = {}
    for sign, part in zip((1, *(-1,) * unit.count("/")), unit.split("/"), strict=True):
        for word in re.split(r"[.*]", part.strip("() ")):
            if word == "1":
                continue
            factor = FACTOR.fullmatch(word.strip())
            if factor is None:
                return None
            name, power = factor[1], int(factor[2] or 1)
            parts = {name: 1} if name in BASE else DERIVED.get(name)
            if parts is None:
                return None
            for base, exponent in parts.items():
                found[base] = found.get(base, 0) + sign * power * exponent
    return {base: found[base] for base in BASE if found.get(base)}


def per_second(unit: str) -> str:
    """The unit of a rate; empty where that of the value is unknown."""
    if not unit:
        return ""
    if unit.endswith("/s"):
        return f"{unit}2"
    return f"{unit}/s" if "/" not in unit else ""


__all__ = ["exponents", "per_second"]
