"""The fixed-step methods: one file each, one row each.

A new method is a new file with a `FAMILY` row and one more name in ALL.
"""

from __future__ import annotations

from kinetree.steppers.families import (
    generalised_alpha,
    hht,
    newmark,
    rk4,
    semi_implicit_euler,
    trapezoidal,
)

ALL = (
    trapezoidal.FAMILY,
    newmark.FAMILY,
    hht.FAMILY,
    generalised_alpha.FAMILY,
    semi_implicit_euler.FAMILY,
    rk4.FAMILY,
)
FAMILIES = {family.name: family for family in ALL}

__all__ = ["ALL", "FAMILIES"]
