"""The joints: one file each, one row each.

A new joint is a new file with a `KIND` row and one more name in ALL.
"""

from __future__ import annotations

from kinetree.joints import (
    cylindrical,
    fixed,
    free,
    planar,
    prismatic,
    revolute,
    screw,
    sequence,
    spherical,
    universal,
)
from kinetree.model import JOINTS

ALL = (
    revolute.KIND,
    prismatic.KIND,
    screw.KIND,
    cylindrical.KIND,
    universal.KIND,
    planar.KIND,
    spherical.KIND,
    free.KIND,
    fixed.KIND,
    sequence.KIND,
)

JOINTS.update((kind.name, kind) for kind in ALL)
