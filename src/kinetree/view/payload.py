"""The data of a page: bodies with their solids, poses over time, curves."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.arrays import Array
from kinetree.model import Joint, Mechanism, Point, Shift
from kinetree.view.dimensions import Measures, ground_places, measures
from kinetree.view.drawing import (
    body_parts,
    closure_parts,
    foot,
    force_parts,
    ground_marks,
    joint_parts,
    rail,
    roams,
)
from kinetree.view.matrices.inferred_joints import knee_parts
from kinetree.view.matrices.matrix_motion import walks
from kinetree.view.packing import pack
from kinetree.view.poses import poses
from kinetree.view.profiles import plates, profile_parts
from kinetree.view.shapes import Shapes, read_shapes
from kinetree.view.solids import Solid, outlines
from kinetree.view.surroundings import roads, stops

if TYPE_CHECKING:
    from kinetree.view.clips import Footage

LOOKED_AT = 200
"""Most frames from which the room of the picture is found."""
FINEST = 1e-8
"""Steps of stored poses, as a share of the mechanism's extent and for quaternions."""
TRAVEL = 0.04
"""Length of a rail where nothing moves, as a share of the mechanism's extent."""
FAR = 2.0
"""Way of a body on the ground beyond which the camera goes along, in extents of the mechanism."""


@dataclass(frozen=True)
class Look:
    """How a page is to look.

    Attributes:
        title: heading; empty for the model's name.
        shapes: whether the model's own shapes are shown.
        folder: where mesh files are.
    """

    title: str = ""
    shapes: bool = True
    folder: Path = Path()


def payload(model: Mechanism, footage: Footage, look: Look) -> dict[str, Any]:
    """Everything a page shows, as plain data."""
    times = np.array([t for clip in footage.clips for t in clip["times"]])
    motion = poses(model, footage.q, times)
    bent = walks(model.as_frames(), footage.q, times) if model.by_matrices else None
    m = measures(model, motion[0], None if bent is None else bent.all_places())
    own = read_shapes(model, look.folder) if look.shapes else Shapes()
    solids = draw_solids(m, own, coordinate_ranges(m, footage.q))
    for name, row in knee_parts(m, bent) if bent is not None else ():
        if name not in own.parts:
            solids[name].append(row)
    if model.ground.name not in own.parts:
        solids[model.ground.name] += roads(m, motion)
    follow = _traveller(m, motion)
    low, high, floor = room_of(m, solids, motion, follow > 0)
    packed = pack(motion.reshape(len(motion), -1), FINEST * min(1.0, m.size))
    return {
        "title": look.title or model.name,
        "note": _note(model, footage),
        "warnings": own.notes[:3] + ([f"… {len(own.notes)} in all"] if len(own.notes) > 3 else []),
        "up": m.up.tolist(),
        "floor": floor,
        "size": m.size,
        "low": low.tolist(),
        "high": high.tolist(),
        "follow": follow,
        "bodies": [{"name": name, "parts": parts} for name, parts in solids.items()],
        "links": stretched_links(m),
        "poses": packed,
        "clips": footage.clips,
        "signals": [
            {
                "name": group.name,
                "names": list(group.names),
                "units": list(group.units),
                "data": pack(group.values, 1e-12 * float(np.abs(group.values).max(initial=0.0))),
            }
            for group in footage.signals
        ],
        "shown": footage.shown,
    }


def draw_solids(
    m: Measures, own: Shapes, ranges: dict[str, tuple[float, float]]
) -> dict[str, list[Solid]]:
    """Solids by body, ground first: the model's own, and drawn ones for all other bodies."""
    model = m.model
    made: dict[str, list[Solid]] = {model.ground.name: [], **{name: [] for name in model.bodies}}
    flat = plates(m, own.parts)
    for name, body in model.bodies.items():
        plate = [flat[name].solid] if name in flat else []
        made[name] += own.parts.get(name) or plate or body_parts(m, body)
    made[model.ground.name] += [flat[name].solid for name in flat if name == model.ground.name]
    made[model.ground.name] += own.parts.get(model.ground.name) or ground_marks(m)
    for joint in model.body_joints:
        inside, outside = joint.parent.body.name, joint.child.body.name
        if outside not in own.parts:
            made[outside] += joint_parts(m, joint)
        if inside not in own.parts:
            made[inside] += rail(m, joint, ranges)
        if inside == model.ground.name and inside not in own.parts and outside not in own.parts:
            made[inside] += foot(m, joint)
    for point, row in _parts_at_places(m):
        if point.body.name not in own.parts:
            made[point.body.name].append(row)
    for name, row in profile_parts(m, flat):  # what touches is seen beside the model's own shapes
        made[name].append(row)
    return made


def _parts_at_places(m: Measures) -> list[tuple[Point, Solid]]:
    """What closures, forces and stops put on their places."""
    found: list[tuple[Point, Solid]] = []
    for closure in m.model.closures.values():
        found += closure_parts(m, closure)
    for force in m.model.forces.values():
        found += force_parts(m, force)
    return [*found, *stops(m)]


def stretched_links(m: Measures) -> list[dict[str, Any]]:
    """Springs for forces along a line, rods for fixed distances."""
    model = m.model
    number = {name: k for k, name in enumerate((model.ground.name, *model.bodies))}
    pairs: list[tuple[str, str, tuple[Point, ...]]]
    pairs = [(f.name, "spring", f.points) for f in model.forces.values() if f.kind == "link"]
    pairs += [(c.name, "rod", c.ends) for c in model.closures.values() if c.kind == "rod"]
    made = []
    for name, kind, points in pairs:
        ends = [(number[point.body.name], m.place(point)) for point in points]
        a, b = (ground_places(m.first[None], body, at[None])[0, 0] for body, at in ends)
        length = float(np.linalg.norm(b - a))
        if length < m.radius:
            continue
        tips = [{"body": body, "at": at.tolist()} for body, at in ends]
        radius = min(2.2 * m.radius, 0.18 * length) if kind == "spring" else 0.8 * m.radius
        made.append(
            {"name": name, "kind": kind, "from": tips[0], "to": tips[1], "radius": radius}
            | {"length": length}
        )
    return made


def coordinate_ranges(m: Measures, q: Array) -> dict[str, tuple[float, float]]:
    """Coordinate -> lowest and highest value, with something to spare where it stands still."""
    low, high = q.min(axis=0), q.max(axis=0)
    spare = np.where(high - low < 1e-6 * m.size, TRAVEL * m.size, 0.0)
    names = m.model.coordinates
    return {n: (float(low[k] - spare[k]), float(high[k] + spare[k])) for k, n in enumerate(names)}


def _traveller(m: Measures, motion: Array) -> int:
    """Number of the first body that goes far over the ground, ground being 0; else 0."""
    way = motion[:, :, 4:] - motion[0, :, 4:]
    level = way - (way @ m.up)[..., None] * m.up
    reach = np.linalg.norm(level, axis=-1).max(axis=0, initial=0.0)
    for k, body in enumerate(m.model.bodies.values()):
        inner = m.inner(body)
        on_ground = inner is not None and inner.parent.body is m.model.ground
        if inner is not None and on_ground and _shifts(inner) and reach[k] > FAR * m.size:
            return k + 1
    return 0


def _shifts(joint: Joint) -> bool:
    """Whether a joint lets its child go about, freely or along a rail."""
    return roams(joint) or any(isinstance(motion, Shift) for motion in joint.motions)


def room_of(
    m: Measures, solids: dict[str, list[Solid]], motion: Array, travels: bool
) -> tuple[Array, Array, float]:
    """Lowest and highest corner of all that is seen, and the height of the floor [m].

    Of a mechanism that travels, the corners are those of its bodies at the first frame.
    """
    some = motion[:: max(1, len(motion) // LOOKED_AT)]
    low, high, least = np.full(3, np.inf), np.full(3, -np.inf), np.inf
    for k, parts in enumerate(solids.values()):
        if not parts:
            continue
        frames = ground_places(some, k, np.concatenate(outlines(parts)))
        least = min(least, float((frames @ m.up).min()))
        if travels and k == 0:
            continue
        cloud = frames[0] if travels else frames.reshape(-1, 3)
        low, high = np.minimum(low, cloud.min(axis=0)), np.maximum(high, cloud.max(axis=0))
    if not np.isfinite(low).all():
        return -0.5 * np.ones(3), 0.5 * np.ones(3), 0.0
    floor = 0.0 if abs(least) < 0.04 * m.size else least - 0.01 * m.size
    return low, high, floor


def _note(model: Mechanism, footage: Footage) -> str:
    """One line about model and frames."""
    facts = [
        _count(len(model.bodies), "body", "bodies"),
        _count(model.nv, "velocity", "velocities"),
    ]
    if model.closures:
        facts.append(_count(len(model.closures), "closure", "closures"))
    if len(footage.clips) == 1 and len(footage.q) > 1:
        facts.append(f"{len(footage.q)} frames")
    return " · ".join(facts)


def _count(n: int, one: str, many: str) -> str:
    return f"{n} {one if n == 1 else many}"
