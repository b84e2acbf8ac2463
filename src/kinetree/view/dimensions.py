"""Numbers of a model that a drawing needs: places, sizes, masses, and the room they take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from kinetree.arrays import Array
from kinetree.model import INERTIA, Body, Closure, Force, Joint, Mechanism, Point, parameter_table
from kinetree.view.quaternions import matrices

THIN, THICK = 0.004, 0.018
SLENDER = 0.06
NEAR = 1e-9


@dataclass(frozen=True)
class Measures:
    """A model with its default numbers.

    Attributes:
        model: the mechanism.
        values: name of a scalar -> its value in SI units.
        up: direction against gravity in the ground frame, unit; z where there is no gravity.
        size: extent of the mechanism at its first frame [m].
        radius: half the thickness of a rod [m], in proportion to the mechanism.
        first: poses of the bodies at the first frame, bodies × 7.
        attached: body name -> where something is attached to it, in its frame [m], without
            repetitions, its inner joint first.
    """

    model: Mechanism
    values: dict[str, float]
    up: Array
    size: float
    radius: float
    first: Array
    attached: Mapping[str, list[Array]]

    def place(self, point: Point) -> Array:
        """Position of a point in its body's frame [m]."""
        return _place(self.values, point)

    def mass(self, body: Body) -> tuple[float, Array, Array]:
        """Mass [kg], centre of mass [m] and inertia about it [kg.m2], in the body frame."""
        stem = body.name
        com = np.array([self.values[f"{stem}.com_{k}"] for k in "xyz"])
        xx, yy, zz, xy, xz, yz = (self.values[f"{stem}.inertia_{k}"] for k in INERTIA)
        return (
            self.values[f"{stem}.mass"],
            com,
            np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]),
        )

    def scalar(self, owner: Closure | Force, name: str) -> float | None:
        """A run-time scalar of a closure or force; none where it has none of this name."""
        return self.values.get(f"{owner.name}.{name}")

    def places(self, body: Body) -> list[Array]:
        """Where something is attached to a body, without repetitions, its inner joint first."""
        return self.attached[body.name]

    def inner(self, body: Body) -> Joint | None:
        """The joint that carries a body."""
        joints = self.model.body_joints
        return next((joint for joint in joints if joint.child.body is body), None)


def measures(
    model: Mechanism, first: Array, knees: Mapping[str, list[Array]] | None = None
) -> Measures:
    """Measures of a model whose bodies have the poses `first` (bodies × 7).

    Args:
        model: the mechanism.
        first: poses of its bodies at the first frame.
        knees: body name -> further places where something is attached, in the body frame [m].
    """
    values = parameter_table(model).values
    g = np.array([values[f"gravity_{k}"] for k in "xyz"])
    strength = float(np.linalg.norm(g))
    up = -g / strength if strength > 0 else np.array([0.0, 0.0, 1.0])
    attached = _attachment_places(model, values, knees or {})
    draft = Measures(model, values, up, 1.0, 1.0, first, attached)
    size = _extent(draft)
    spans = [
        float(np.linalg.norm(at - places[0]))
        for body in model.bodies.values()
        if (places := draft.places(body))
        for at in places[1:]
    ]
    spans = [span for span in spans if span > THIN * size]
    radius = SLENDER * float(np.median(spans)) if spans else THICK * size
    thickness = float(np.clip(radius, THIN * size, THICK * size))
    return Measures(model, values, up, size, thickness, first, attached)


def ground_places(poses: Array, body: int, at: Array) -> Array:
    """Places `at` (n × 3) of a body over all frames, in the ground frame: frames × n × 3."""
    if body == 0:
        return np.broadcast_to(at, (len(poses), *at.shape))
    R = matrices(poses[:, body - 1, :4])
    return np.asarray(np.einsum("fij,nj->fni", R, at) + poses[:, None, body - 1, 4:])


def _extent(draft: Measures) -> float:
    """Diagonal of the box around all attachments and centres of mass [m].

    Where all of them are at one place, the reach of the inertias; 1 where there is none.
    """
    model = draft.model
    spots, reaches = [], [0.0]
    for k, body in enumerate((model.ground, *model.bodies.values())):
        at = draft.places(body)
        if k > 0:
            mass, com, inertia = draft.mass(body)
            at = [*at, com]
            if mass > 0:
                reaches.append(float(np.sqrt(max(0.0, float(np.trace(inertia))) / mass)))
        if at:
            spots.append(ground_places(draft.first[None], k, np.array(at))[0])
    cloud = np.concatenate(spots) if spots else np.zeros((1, 3))
    extent = float(np.linalg.norm(cloud.max(axis=0) - cloud.min(axis=0)))
    return next((size for size in (extent, 3 * max(reaches)) if size > NEAR), 1.0)


def _place(values: dict[str, float], point: Point) -> Array:
    if not point.name:
        return np.zeros(3)
    return np.array([values[f"{point.path}_{k}"] for k in "xyz"])


def _attachment_places(
    model: Mechanism, values: dict[str, float], knees: Mapping[str, list[Array]]
) -> dict[str, list[Array]]:
    """Where something is attached to each body and the ground; see `Measures`."""
    bodies = (model.ground, *model.bodies.values())
    ends: dict[str, list[Point]] = {body.name: [] for body in bodies}
    for point in _attachments(model):
        ends[point.body.name].append(point)
    found: dict[str, list[Array]] = {body.name: [] for body in bodies}
    for joint in model.body_joints:
        if not found[joint.child.body.name]:
            found[joint.child.body.name].append(_place(values, joint.child))
    for body in bodies:
        points = [*ends[body.name], *body.points.values()]
        _add_apart(found[body.name], knees.get(body.name, ()))
        _add_apart(found[body.name], [_place(values, point) for point in points])
    return found


def _add_apart(found: list[Array], more: Iterable[Array]) -> None:
    """Add places that are apart from those that are there."""
    for at in more:
        if not found or np.sqrt(((np.array(found) - at) ** 2).sum(axis=1)).min() > NEAR:
            found.append(at)


def _attachments(model: Mechanism) -> list[Point]:
    """Every point that carries a joint, a closure or a force."""
    joints = [joint.parent for joint in model.body_joints if joint.motions]
    ends = [end for closure in model.closures.values() for end in closure.ends]
    pushed = [point for force in model.forces.values() for point in force.points]
    return [*joints, *ends, *pushed]
