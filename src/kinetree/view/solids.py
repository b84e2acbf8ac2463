"""Solids of a picture: small tables in the frame of their body, as the viewer draws them.

| kind | dimensions [m] | where |
|---|---|---|
| box | size (x, y, z) | centred |
| cylinder, cone | radius, length | centred, axis z; the tip of a cone at +z |
| frustum | radius at −z, top (radius at +z), length | centred, axis z |
| capsule | radius, length of the straight part | centred, axis z |
| sphere | radius | centred |
| torus | radius of the middle circle, tube | centred, axis z |
| mesh | triangles, packed | as they are |
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from kinetree.arrays import Array
from kinetree.view.packing import unpack
from kinetree.view.quaternions import NONE, matrices, onto

Solid = dict[str, Any]
STEEL = "#59626e"
RUBBER = "#30353d"
FADED = 0.25
ROUND = np.linspace(0, 2 * np.pi, 12, endpoint=False)
CIRCLE = np.stack([np.cos(ROUND), np.sin(ROUND), 0 * ROUND], axis=1)
CHOICE = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
"""Low or high, for the corners of a box."""


def part(kind: str, at: Any = (0, 0, 0), turn: Any = NONE, **rest: Any) -> Solid:
    """A solid of a kind at a place, turned by a quaternion; `rest` are dimensions and looks."""
    return {
        "kind": kind,
        "at": [float(x) for x in at],
        "turn": [float(x) for x in turn],
        **{name: value for name, value in rest.items() if value is not None},
    }


def rod(start: Any, end: Any, radius: float, **looks: Any) -> Solid:
    """A round rod between two places."""
    a, b = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    length = float(np.linalg.norm(b - a))
    return part("capsule", (a + b) / 2, onto(b - a), radius=radius, length=length, **looks)


def chain(points: Any, radius: float, at: Any, turn: Any, **looks: Any) -> list[Solid]:
    """Rods from point to point of a frame at a place, turned by a quaternion."""
    places = np.array(points, dtype=float) @ matrices(np.array(turn)).T + np.asarray(at)
    return [rod(*ends, radius, **looks) for ends in pairwise(places)]


def along(kind: str, at: Any, axis: Any, **rest: Any) -> Solid:
    """A solid whose z axis lies along `axis`."""
    return part(kind, at, onto(axis), **rest)


def outlines(solids: Sequence[Solid]) -> list[Array]:
    """Points of the body frame that tell how far each solid reaches, n × 3 [m]."""
    turns = matrices(np.array([solid["turn"] for solid in solids], dtype=float).reshape(-1, 4))
    return [_outline(solid) @ R.T + np.array(solid["at"])
            for solid, R in zip(solids, turns, strict=True)]  # fmt: skip


def outline(solid: Solid) -> Array:
    """The same of one."""
    return outlines([solid])[0]


def _outline(solid: Solid) -> Array:
    """The same in the frame of the solid."""
    if solid["kind"] == "mesh":
        corners = unpack(solid["triangles"]).reshape(-1, 3)
        return _corners(corners.min(axis=0), corners.max(axis=0))
    if solid["kind"] == "box":
        half = 0.5 * np.array(solid["size"], dtype=float)
        return _corners(-half, half)
    reach = solid["radius"] + solid.get("tube", 0.0)
    circle = CIRCLE * reach
    if solid["kind"] == "sphere":
        return np.concatenate([np.roll(circle, k, axis=1) for k in range(3)])
    ends = 0.5 * solid.get("length", 0.0) + (reach if solid["kind"] == "capsule" else 0.0)
    lift = np.array([0.0, 0.0, ends])
    return np.concatenate([CIRCLE * solid.get("top", reach) + lift, circle - lift])


def _corners(low: Array, high: Array) -> Array:
    """The eight corners of a box."""
    return np.where(CHOICE == 0, low, high)
