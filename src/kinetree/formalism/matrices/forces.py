"""Force elements on bodies given by position matrices: everything is seen from the ground.

| here | meaning |
|---|---|
| forces | body -> force |
| torques | body -> torque about the centre of mass |

Both in body components.

Refs: Verlinden2005 secs. III, V.C (resultant and moment at the centre of mass)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from kinetree.engine import ZERO, Node, as_node
from kinetree.forces import FORCES
from kinetree.formalism.forces.force_writer import (
    ExternalInputs,
    ForceWriter,
)
from kinetree.formalism.forces.heard import state_rate_expressions, write_elements, write_told
from kinetree.formalism.forces.told import declare_holds
from kinetree.formalism.links.passage import wrench_symbols
from kinetree.formalism.links.vectors import (
    NULL,
    Mat,
    Vec,
    apply,
    apply_transposed,
    cross,
    is_null,
    mat3,
    matmul,
    minus,
    plus,
    vec3,
)
from kinetree.model import Between, Force, Frame, Place, Point
from kinetree.program import Note
from kinetree.program.notes import about, notes

if TYPE_CHECKING:
    from kinetree.formalism.matrices.kinematics import BodyMotions

NOTES = notes("""
    d  | from the first point to the second | | m   | ground
    dd | rate of that vector                | | m/s | ground
    F  | effort on the body                 | |     | body
    p   | position of the point | | m   | ground
    vb  | velocity of the point | | m/s | body
    v w | velocity of the point | | m/s | ground
""")


@dataclass
class Efforts(ExternalInputs):
    """What acts on the bodies and along the velocities; see the module's table."""

    forces: dict[str, Vec] = field(default_factory=dict)
    torques: dict[str, Vec] = field(default_factory=dict)

    def push(self, name: str, force: Vec, torque: Vec) -> None:
        """Add a force at the centre of mass and a torque."""
        self.forces[name] = plus(self.forces.get(name, NULL), force)
        self.torques[name] = plus(self.torques.get(name, NULL), torque)


def applied_efforts(motion: BodyMotions) -> Efforts:
    """Force elements and run-time wrenches, all summed."""
    total = Efforts()
    model = motion.system.model
    write_elements(model, lambda force: PlacedWriter(motion, force, total), total)
    for wrench in model.wrenches.values():
        six = wrench_symbols(wrench.name)
        frame: Frame = "ground" if wrench.frame == "world" else "point"
        _push(motion, total, wrench.point, (vec3(six[3:]), vec3(six[:3])), frame)
    return total


def elastic(motion: BodyMotions) -> Node:
    """Potential energy [J] of the force elements that know theirs."""
    total = ZERO
    for force in motion.system.model.forces.values():
        row = FORCES[force.kind]
        if row.potential is not None and row.stores(force):
            total = total + row.potential(PlacedWriter(motion, force, Efforts()), force)
    return total


def write_outputs(motion: BodyMotions) -> None:
    """Write what every force element tells of itself."""
    model, total = motion.system.model, Efforts()
    declare_holds(motion.scheme, model)
    write_told(motion.scheme, model, lambda force: PlacedWriter(motion, force, total))


def write_state_rates(motion: BodyMotions, efforts: Efforts) -> None:
    """Write the output xd, the rates of the user states, where there are any."""
    rows = state_rate_expressions(motion.system, efforts, partial(point_place, motion))
    if rows:
        note = Note(step="rates of the states")
        found = motion.values.name_all("xd", [rate for _, rate in rows], note)
        motion.scheme.output("xd", found, None, [name for name, _ in rows])


def point_place(motion: BodyMotions, point: Point) -> Place:
    """A point seen from the ground; v and w with the motion of its body."""
    name, title = point.body.name, point.path
    R, body = motion.rotation(name), motion.body(name)
    arm = minus(motion.system.table.position(point), body.com)
    let = about(motion.scheme, NOTES, title, section="points")
    p = let("p", plus(motion.centre(name), apply(R, arm)))
    w_b, v_b = motion.velocity(name)
    v_b = let("vb", plus(v_b, cross(w_b, arm)))
    v, w = let("v", apply(R, v_b)), let("w", apply(R, w_b))
    return Place(matmul(R, _rotation(point)), p, v, w)


class PlacedWriter(ForceWriter):
    """One force element being written; see `Action` for what each method means."""

    def __init__(self, motion: BodyMotions, force: Force, total: Efforts) -> None:
        note = Note(force.name, f"{force.kind} force", section="forces")
        # what laws share with the matrices has its name already
        express = partial(motion.values.name_all, note=note)
        super().__init__(motion.scheme, motion.system, force, total, express)
        self.motion, self.total = motion, total

    def between(self, first: Point, second: Point) -> Between:
        """Two points seen from the ground."""
        a, b = self.place(first), self.place(second)
        let = about(self.scheme, NOTES, self.force.name, section="forces")
        d, rate = let("d", minus(b.p, a.p)), let("dd", minus(b.v, a.v))
        return Between(first, second, d, rate, a.R, b.R, a.w, b.w, 0, self.let)

    def place(self, point: Point) -> Place:
        """A point seen from the ground."""
        return point_place(self.motion, point)

    def push(self, point: Point, force: Vec, torque: Vec = NULL, frame: Frame = "ground") -> None:
        """Add a wrench to the body of the point."""
        where: Frame = "point" if frame == "point" else "ground"
        _push(self.motion, self.total, point, (force, torque), where)


def _push(
    motion: BodyMotions, total: Efforts, point: Point, wrench: tuple[Vec, Vec], frame: Frame
) -> None:
    """Refer a force and a torque at a point to the centre of mass of its body."""
    name = point.body.name
    if name == motion.system.model.ground.name:
        return
    force, torque = (_in_body(motion, point, v, frame) for v in wrench)
    arm = minus(motion.system.table.position(point), motion.body(name).com)
    total.push(name, force, plus(torque, cross(arm, force)))


def _in_body(motion: BodyMotions, point: Point, v: Vec, frame: Frame) -> Vec:
    """Components in the frame of the body that carries a point, named."""
    if is_null(v):
        return NULL
    if frame == "point":
        return apply(_rotation(point), v)
    name = point.body.name
    return about(motion.scheme, NOTES, name)("F", apply_transposed(motion.rotation(name), v))


def _rotation(point: Point) -> Mat:
    """Rotation from the point's frame to that of its body."""
    return mat3((as_node(x) for x in row) for row in point.rotation)
