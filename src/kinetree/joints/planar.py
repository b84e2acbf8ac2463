"""Planar joint: two translations in a plane, then a rotation about its normal.

Frames: `normal` is given in the frame of the parent point. The directions of the translations are
fixed in the parent: normal z gives x, y; normal x gives y, z; normal y gives z, x; for any other
normal n the first is the cross product of the parent's axis least aligned with n and n itself,
the second completes the right-handed triad (first, second, n).
Zero: at q = 0 the two frames coincide.
Sign: displacements grow along those directions, the angle by the right-hand rule about `normal`.
Coordinates: q = [m, m, rad], named NAME_1 … NAME_3. Velocities: qd = der(q).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.model import JointKind, Motion, Shift, Turn, Vector3, across, direction


def motions(arguments: Mapping[str, Any], element: str) -> tuple[Motion, ...]:
    """Two shifts in the plane, then a turn about ``normal``."""
    normal = direction(arguments["normal"], f"{element} normal")
    first, second = plane(normal)
    return (Shift(first), Shift(second), Turn(normal))


def plane(n: Vector3) -> tuple[Vector3, Vector3]:
    """Two directions that make a right-handed orthonormal triad (first, second, n)."""
    if 1 in n and n.count(0) == 2:
        k = n.index(1)
        units: tuple[Vector3, ...] = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
        return units[(k + 1) % 3], units[(k + 2) % 3]
    return across(n)


KIND = JointKind("planar", motions, options={"normal": "z"})
