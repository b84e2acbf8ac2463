"""Universal cut: the two ends stay at one place; two directions keep their angle.

Equations: x, y, z as for the ball cut [m]; angle [1]: axes[0], fixed in the first frame, and
axes[1], fixed in the second, keep the angle they have when the frames coincide.

Refs: Docquier2013 sec. 2.2
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.constraints.directions import together
from kinetree.errors import ModelError
from kinetree.model import Angle, ClosureKind, Condition, directions, snap


def conditions(arguments: Mapping[str, Any], element: str) -> tuple[Condition, ...]:
    """Three of place, one of direction."""
    a, b = directions(arguments["axes"], f"{element} axes", 2)
    cosine = snap(sum(x * y for x, y in zip(a, b, strict=True)))
    if abs(cosine) == 1:
        raise ModelError(
            "the two axes are parallel",
            element=f"{element} axes",
            cure="give two different directions, or close a revolute joint",
        )
    return (*together(), Angle("angle", a, b, cosine, guarded=False))


KIND = ClosureKind("universal", conditions, options={"axes": ("x", "y")})
