"""Sequence joint: one-axis motions one after the other, in ROBOTRAN's manner.

T1 T2 T3 are translations along x, y, z; R1 R2 R3 are rotations about x, y, z. Each acts in the
frame that the motions before it have reached; the frames in between have no mass.
Frames: the first motion acts in the frame of the parent point, the last one reaches the child.
Zero: at q = 0 the two frames coincide.
Sign: displacements along the axis, angles by the right-hand rule; tau likewise [N or N.m].
Coordinates: one per motion [m or rad], named NAME_1, NAME_2, … (NAME when there is only one).
Velocities: qd = der(q).
Example: "T1 T2 T3 R3 R2 R1" places a vehicle body by position, yaw, pitch and roll.

Refs: Docquier2013 sec. 4.1
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.arguments import show
from kinetree.errors import ModelError, suggest
from kinetree.model import REQUIRED, JointKind, Motion, Shift, Turn

STEPS: dict[str, Motion] = {
    "T1": Shift((1, 0, 0)),
    "T2": Shift((0, 1, 0)),
    "T3": Shift((0, 0, 1)),
    "R1": Turn((1, 0, 0)),
    "R2": Turn((0, 1, 0)),
    "R3": Turn((0, 0, 1)),
}


def motions(arguments: Mapping[str, Any], element: str) -> tuple[Motion, ...]:
    """The motions named by ``steps``, a string such as "T1 R3" or a list of such words."""
    given = arguments["steps"]
    if not isinstance(given, str | list | tuple):
        raise ModelError(
            f"{show(given)} names no motions",
            element=f"{element} steps",
            cure="give words such as 'T1 R3'",
        )
    steps = given.split() if isinstance(given, str) else list(given)
    if not steps:
        raise ModelError("has no motion", element=f"{element} steps", cure="use a fixed joint")
    for step in steps:
        if not isinstance(step, str) or step not in STEPS:
            raise ModelError(
                f"'{step}' is not a valid one-axis motion",
                element=f"{element} steps",
                cure=suggest(str(step), STEPS, "motion"),
            )
    return tuple(STEPS[step] for step in steps)


KIND = JointKind("sequence", motions, options={"steps": REQUIRED})
