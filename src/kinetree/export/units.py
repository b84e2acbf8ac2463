"""Units of rates, for the variables of other programs."""

from __future__ import annotations


def per_second(unit: str) -> str:
    """The unit of a rate; empty where that of the value is unknown."""
    if not unit:
        return ""
    if unit.endswith("/s"):
        return f"{unit}2"
    return f"{unit}/s" if "/" not in unit else ""
