"""Force and torque on a body from outside the mechanism, by laws or constants.

The force [N] acts through the point, the torque [N.m] is free.  Components are those of the ground,
of the body, or of the point's own frame.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinetree.engine import as_node
from kinetree.errors import ModelError, suggest
from kinetree.model import (
    AT_POINT,
    AT_POINT_WORK,
    IDENTITY,
    NULL,
    Action,
    Force,
    ForceKind,
    Point,
    Told,
    Vec,
    apply_transposed,
    mat3,
    vec3,
)

FRAMES = ("ground", "body", "point")


def write(act: Action, force: Force) -> None:
    """Push at the point."""
    (point,) = force.points
    F, T = three(act, "force"), three(act, "torque")
    if force.arguments["frame"] == "ground":
        act.push(point, F, T)
        act.tell(lambda: at_point(act, point, F, T))
        return
    if force.arguments["frame"] == "body" and point.rotation != IDENTITY:
        R = mat3((as_node(x) for x in row) for row in point.rotation)
        F, T = apply_transposed(R, F), apply_transposed(R, T)
    act.push(point, F, T, "point")
    act.tell(lambda: in_its_frame(act, point, F, T))


def at_point(act: Action, point: Point, F: Vec, T: Vec) -> dict[str, Told]:
    """Wrench and motion of a point, ground components."""
    place = act.place(point)
    return {"force": F, "torque": T, "rate": place.v, "angular_rate": place.w}


def in_its_frame(act: Action, point: Point, F: Vec, T: Vec) -> dict[str, Told]:
    """The same in the frame of the point."""
    place = act.place(point)
    v, w = (apply_transposed(place.R, u) for u in (place.v, place.w))
    return {"force": F, "torque": T, "rate": v, "angular_rate": w}


def three(act: Action, name: str) -> Vec:
    """A law of three components; zero where none is given."""
    found = act.laws(name)
    return vec3(found) if found else NULL


def check(given: Mapping[str, Any], element: str) -> None:
    """Something acts, in a frame that there is."""
    if not isinstance(given["frame"], str) or given["frame"] not in FRAMES:
        raise ModelError(
            f"there is no frame '{given['frame']}'",
            element=element,
            cure=suggest(str(given["frame"]), FRAMES, "frame"),
        )
    if given["force"] is None and given["torque"] is None:
        raise ModelError("it has neither force nor torque", element=element, cure="give one")


KIND = ForceKind(
    "external",
    write,
    options={"force": None, "torque": None, "frame": "ground"},
    vector_laws=("force", "torque"),
    places=1,
    check=check,
    outputs=AT_POINT,
    work=AT_POINT_WORK,
)
