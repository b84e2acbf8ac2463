"""What a diagram shows, as data: bodies in their places, joints with their steps, ties.

A joint is drawn by the motions that its kind is made of, a closure by the number of its equations,
a force by the places that it acts at: a kind that is new in its room's table needs nothing here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kinetree.formats.pictures import OUTLINES
from kinetree.model import FORCES, Joint, Mechanism
from kinetree.model.parts import Ball, Float, Motion, Shift, Turn, Twist
from kinetree.view.diagram.anchors import sides_of
from kinetree.view.diagram.arrange import STEP, BodyPlace, arrange
from kinetree.view.diagram.geometry import hanging
from kinetree.view.diagram.parts import Diagram, DiagramBody, DiagramJoint, DiagramTie
from kinetree.view.diagram.ties import with_curves

LETTERS: Mapping[type, str] = {Turn: "R", Shift: "T", Twist: "H", Ball: "S", Float: "F"}
"""Signs of motions: rotation, translation, helix, sphere, free."""
AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def _carriers(names: Sequence[str], rows: Sequence[DiagramJoint]) -> dict[str, str]:
    """Body -> the one that carries it: none for the ground, the first name.

    In a circle of joints, which is a mistake, one body stands alone.
    """
    parent = {row.child: row.parent for row in rows if row.child != names[0]}
    settled: set[str] = set()
    for name in names:
        way, at = set[str](), name
        while at in parent and at not in way and at not in settled:
            way.add(at)
            at = parent[at]
        if at in way:
            del parent[at]
        settled |= way
    return parent


def diagram_of(model: Mechanism) -> Diagram:
    """The diagram of a model; places are those of its layout, others are found."""
    joints = [joint for joint in model.joints.values() if isinstance(joint, Joint)]
    rows = tuple(_joint(joint, model) for joint in joints)
    ties = (*_closures(model), *_forces(model))
    points = {body.name: tuple(body.points) for body in (model.ground, *model.bodies.values())}
    sizes = {name: row.size(name) for name, row in sides_of(points, rows, {}).items()}
    parent = _carriers([*points], rows)
    given, outlines = _given_places(model.layout), _outlines(model.layout)
    origin = {row.child: row.points[0] for row in rows}
    found = arrange(
        _by_points([*points], rows), parent, _widths(rows), sizes, _hang(ties, rows), origin
    )
    places = found | {name: BodyPlace(*place) for name, place in given.items()}
    lanes = {name: place.y if place.lane is None else place.lane for name, place in places.items()}
    sides = sides_of(points, rows, lanes)
    used = _tied_points(points, ties)
    bodies = tuple(
        DiagramBody(
            name, places[name].x, places[name].y, name in given, outlines.get(name, OUTLINES[0]),
            own, *sizes[name], sides[name].anchors(used[name]),
        )
        for name, own in points.items()
    )  # fmt: skip
    joined = _beside(rows, places, found, set(given))
    return with_curves(Diagram(model.name, bodies, joined, ties, tuple(model.states)))


def _hang(ties: Sequence[DiagramTie], rows: Iterable[DiagramJoint]) -> dict[str, int]:
    """Units below bodies for names of efforts in their joints and for what hangs there."""
    child = {row.name: row.child for row in rows}
    efforts: dict[str, int] = {}
    for tie in ties:
        if tie.joint in child:
            efforts[child[tie.joint]] = efforts.get(child[tie.joint], 0) + 1
    stubs = {name: min(3, len(rows)) for name, rows in hanging(ties).items()}
    hang = {name: -(-(12 * count - 6) // 10) for name, count in efforts.items()}
    return hang | {name: max(hang.get(name, 0), 1 + count) for name, count in stubs.items()}


def _beside(
    rows: Sequence[DiagramJoint], places: Mapping[str, BodyPlace], found: Mapping[str, BodyPlace],
    given: set[str],
) -> tuple[DiagramJoint, ...]:  # fmt: skip
    """Joints with the room that those beside them take, and their lanes where nobody moved them.

    Args:
        rows: the joints.
        places: of the bodies.
        found: places that the arrangement has for all of them.
        given: bodies whose places the model file says.
    """
    room, kept = _longest(rows, places), _longest(rows, found)
    nearest: dict[str, int] = {}
    for row in rows:
        x = found[row.child].x
        if x > found[row.parent].x:
            nearest[row.parent] = min(nearest.get(row.parent, x), x)
    made = []
    for row in rows:
        lane = None if {row.parent, row.child} & given else found[row.child].lane
        near = nearest.get(row.parent, found[row.child].x)
        along = None if lane is None else (near - STEP * kept.get((row.parent, near), 1), lane)
        made.append(replace(row, room=room[row.parent, places[row.child].x], lane=along))
    return tuple(made)


def _longest(
    rows: Iterable[DiagramJoint], places: Mapping[str, BodyPlace]
) -> dict[tuple[str, int], int]:
    """Steps of the longest joint from a body into a column."""
    longest: dict[tuple[str, int], int] = {}
    for row in rows:
        column = (row.parent, places[row.child].x)
        longest[column] = max(longest.get(column, 1), len(row.steps))
    return longest


def _by_points(names: list[str], rows: Iterable[DiagramJoint]) -> list[str]:
    """Bodies in their order, those together that one point of a body carries."""
    at = {row.child: (row.parent, row.points[0]) for row in rows}
    first: dict[tuple[str, str], int] = {}
    for number, name in enumerate(names):
        first.setdefault(at.get(name, (name, "")), number)
    return sorted(names, key=lambda name: first[at.get(name, (name, ""))])


def _tied_points(names: Iterable[str], ties: Iterable[DiagramTie]) -> dict[str, set[str]]:
    """Points of bodies at which closures, forces and wrenches end."""
    used: dict[str, set[str]] = {name: set() for name in names}
    for tie in ties:
        for name, point in zip(tie.bodies, tie.points, strict=True):
            used[name].add(point)
    return used


def _joint(joint: Joint, model: Mechanism) -> DiagramJoint:
    steps = tuple(map(motion_sign, joint.motions))
    driven = any(name in model.drives for name in joint.coordinates)
    parent, child = joint.parent.body.name, joint.child.body.name
    points = (joint.parent.name, joint.child.name)
    names = tuple(joint.coordinates)
    return DiagramJoint(joint.name, joint.kind, parent, child, steps, driven, points, names)


def motion_sign(motion: Motion) -> str:
    """Letter of a motion, with the number of its axis."""
    letter = LETTERS[type(motion)]
    if isinstance(motion, Ball | Float):
        return letter
    size = [tuple(map(abs, axis)) for axis in (motion.axis,)]
    return letter + (str(AXES.index(size[0]) + 1) if size[0] in AXES else "")


def _widths(rows: tuple[DiagramJoint, ...]) -> dict[str, int]:
    """Room that the joint of a body needs, by the name of the body."""
    return {row.child: max(len(row.steps), 1) for row in rows}


def _given_places(layout: Any) -> dict[str, tuple[int, int]]:
    """Places of a model file; what is not a pair of numbers is passed over."""
    found = layout.get("diagram") if isinstance(layout, dict) else None
    rows = found.items() if isinstance(found, dict) else ()
    return {
        str(name): (int(place[0]), int(place[1]))
        for name, place in rows
        if isinstance(place, list) and len(place) >= 2 and all(map(_is_number, place[:2]))
    }


def _outlines(layout: Any) -> dict[str, str]:
    """Outlines of bodies that a model file chooses; others are boxes."""
    found = layout.get("diagram") if isinstance(layout, dict) else None
    rows = found.items() if isinstance(found, dict) else ()
    return {
        str(name): place[2]
        for name, place in rows
        if isinstance(place, list) and len(place) == 3 and place[2] in OUTLINES
    }


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _closures(model: Mechanism) -> list[DiagramTie]:
    return [
        DiagramTie("closures", row.name, row.kind, tuple(end.body.name for end in row.ends),
            label=str(len(row.conditions)), points=tuple(end.name for end in row.ends))
        for row in model.closures.values()
    ]  # fmt: skip


def _forces(model: Mechanism) -> list[DiagramTie]:
    """Forces with their places, or with the joint that they act at; wrenches from outside."""
    owners = {n: j.name for j in model.joints.values() for n in (j.name, *j.coordinates)}
    rows = []
    for force in model.forces.values():
        kind = FORCES[force.kind]
        named = [str(force.arguments[key]) for key in (*kind.coordinates, *kind.velocities)]
        joint = owners.get(named[0], "") if named else ""
        bodies = tuple(point.body.name for point in force.points)
        points = tuple(point.name for point in force.points)
        rows.append(DiagramTie("forces", force.name, force.kind, bodies, joint, points=points))
    outside = (
        DiagramTie("wrenches", row.name, "wrench", (row.point.body.name,), points=(row.point.name,))
        for row in model.wrenches.values()
    )
    return [*rows, *outside]
