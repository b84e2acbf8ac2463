"""The closures: one file each, one row each.

A new closure is a new file with a `KIND` row and one more name in ALL.
"""

from __future__ import annotations

from kinetree.constraints import (
    ball,
    coupling,
    curve,
    cylindrical,
    law,
    line,
    planar,
    prismatic,
    rate,
    revolute,
    rod,
    roll,
    solid,
    surface,
    universal,
)
from kinetree.model import CLOSURES

ALL = (
    ball.KIND,
    rod.KIND,
    solid.KIND,
    revolute.KIND,
    universal.KIND,
    cylindrical.KIND,
    prismatic.KIND,
    planar.KIND,
    line.KIND,
    curve.KIND,
    surface.KIND,
    coupling.KIND,
    law.KIND,
    rate.KIND,
    roll.KIND,
)

CLOSURES.update((kind.name, kind) for kind in ALL)
