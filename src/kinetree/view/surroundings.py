"""What a mechanism meets: roads under its wheels, stops of its joints."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kinetree.arrays import Array
from kinetree.engine import Node, evaluate, symbols
from kinetree.model import Force, Joint, Point, Shift, Turn, variable
from kinetree.view.dimensions import Measures, ground_places
from kinetree.view.packing import pack
from kinetree.view.quaternions import onto
from kinetree.view.solids import STEEL, Solid, along, part

LENGTH, BREADTH = 240, 4
"""Most cells of a road along the way of its wheel, and across it."""
FINEST = 1e-4
"""Steps of stored places, as a share of the radius of the wheel."""
FINE = 5
"""Cells of a road per radius of the wheel, where that is not more than `LENGTH`."""
ASPHALT = "#8a929c"


def roads(m: Measures, motion: Array) -> Iterator[Solid]:
    """Roads on the ground whose height is a law of the place alone, where wheels pass."""
    for force in m.model.forces.values():
        if force.laws.get("height") and force.points[1].body is m.model.ground:
            way = _way(m, force, motion)
            strip = _strip(m, force, way)
            if strip is not None:
                yield strip


def _way(m: Measures, force: Force, motion: Array) -> Array:
    """The places of the wheel in the frame of the road, frames × 3 [m]."""
    wheel, road = force.points
    number = (m.model.ground.name, *m.model.bodies).index(wheel.body.name)
    places = ground_places(motion, number, m.place(wheel)[None])[:, 0]
    return np.asarray((places - m.place(road)) @ np.array(road.rotation, dtype=float))


def _strip(m: Measures, force: Force, way: Array) -> Solid | None:
    """The road below a way; none where its height depends on more than the place."""
    radius = m.scalar(force, "radius") or m.radius
    spare = np.array([2.0, 0.7]) * radius
    low, high = way[:, :2].min(axis=0) - spare, way[:, :2].max(axis=0) + spare
    counts = np.clip(np.ceil((high - low) * FINE / radius), BREADTH, [LENGTH, LENGTH // 4])
    x, y = (np.linspace(low[k], high[k], int(counts[k]) + 1) for k in range(2))
    X, Y = np.meshgrid(x, y, indexing="ij")
    found = number(m, force.laws["height"][0], {variable("x"): X, variable("y"): Y})
    if found is None:
        return None
    points = np.stack([X, Y, np.broadcast_to(found, X.shape)], axis=-1)
    R = np.array(force.points[1].rotation, dtype=float)
    placed = points @ R.T + m.place(force.points[1])
    return part("mesh", triangles=pack(_triangles(placed), FINEST * radius), colour=ASPHALT)


def _triangles(grid: Array) -> Array:
    """Two triangles per cell of a grid of points, n × 9, their corners as seen from above."""
    a, b, c, d = grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]
    return np.stack([a, b, c, a, c, d], axis=2).reshape(-1, 9)


def number(m: Measures, node: Node, values: dict[Node, Array]) -> Array | None:
    """The values of an expression of parameters and `values`; none where it has others in it."""
    known = {p.symbol: np.asarray(p.value) for p in m.model.parameters.values()} | values
    if any(symbol not in known for symbol in symbols([node])):
        return None
    return np.asarray(evaluate([node], known)[0], dtype=float)


def stops(m: Measures) -> Iterator[tuple[Point, Solid]]:
    """Blocks where the stops of hinges and sliders are, on the body that carries the joint."""
    for force in m.model.forces.values():
        name = force.arguments.get("joint") if force.kind == "joint_stop" else None
        joint = next((j for j in m.model.body_joints if name in (j.name, *j.coordinates)), None)
        if joint is None or len(joint.motions) != 1:
            continue
        for side, sign in (("lower", -1.0), ("upper", 1.0)):
            laws = force.laws.get(side)
            limit = number(m, laws[0], {}) if laws else None
            if limit is not None:
                yield from ((joint.parent, row) for row in _block(m, joint, float(limit), sign))


def _block(m: Measures, joint: Joint, limit: float, sign: float) -> Iterator[Solid]:
    """The block at one end of a joint's range."""
    R, r = np.array(joint.parent.rotation, dtype=float), m.radius
    motion, at = joint.motions[0], m.place(joint.parent)
    if isinstance(motion, Shift):
        axis = R @ np.array(motion.axis, dtype=float)
        beyond = limit + sign * 3.8 * r  # half a slider, half a block
        yield along("box", at + beyond * axis, axis, size=[5.5 * r, 5.5 * r, r], colour=STEEL)
    elif isinstance(motion, Turn):
        axis = np.array(motion.axis, dtype=float)
        arm = _across(m, joint, axis)
        turned = np.cos(limit) * arm + np.sin(limit) * np.cross(axis, arm)
        beside = sign * 1.8 * r * np.cross(axis, turned)  # half a rod, half a peg
        place = at + R @ (5.0 * r * turned + beside)
        yield part("cylinder", place, onto(R @ axis), radius=0.8 * r, length=5.0 * r, colour=STEEL)


def _across(m: Measures, joint: Joint, axis: Array) -> Array:
    """Where the outer body of a hinge points at q = 0, across the axis, a unit vector."""
    places = [*m.places(joint.child.body)[1:], m.mass(joint.child.body)[1]]
    turn = np.array(joint.child.rotation, dtype=float)
    arms = [(at - m.place(joint.child)) @ turn for at in places]
    flat = [arm - (arm @ axis) * axis for arm in arms]
    longest = max(flat, key=lambda arm: float(np.linalg.norm(arm)))
    size = float(np.linalg.norm(longest))
    return longest / size if size > 0 else np.roll(axis, 1)
