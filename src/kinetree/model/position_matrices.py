"""The position matrices of a tree of joints: the same mechanism as a `FrameModel`.

T of a body is T of the joint's point on the parent, times the motions of the joint, times the way
back from the joint's point on the body to its origin.  Lengths stay run-time parameters.

Refs: Verlinden2005 sec. II
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.algebra import Rotation, Transform, rotq
from kinetree.arguments import check_arguments
from kinetree.engine import Node, number
from kinetree.errors import UnsupportedError
from kinetree.model.frame_model import FrameModel
from kinetree.model.laws import coordinate_symbol
from kinetree.model.parameters import ParameterTable, parameter_table
from kinetree.model.parts import Ball, Float, Motion, Point, Shift, Turn, Twist
from kinetree.model.values import LETTER_AXES

if TYPE_CHECKING:
    from kinetree.model.mechanism import Mechanism
    from kinetree.model.model import Model
    from kinetree.model.topology import Tree

LETTERS = {axis: letter for letter, axis in LETTER_AXES.items()}


def as_frames(model: Mechanism) -> FrameModel:
    """The same mechanism given by position matrices.

    Bodies, coordinates, parameters, forces, states and wrenches are shared with the model.

    Raises:
        UnsupportedError: where loops or drives make coordinates depend on each other.
    """
    check_arguments(as_frames, locals())
    return model.as_frames()


def from_joints(model: Model) -> FrameModel:
    """A model of joints as one of position matrices; see `as_frames`."""
    if model.closures or model.drives:
        raise UnsupportedError(
            "it has closures or drives, so its coordinates are not independent",
            element=f"position matrices of model '{model.name}'",
            cure="solve the loops for independent coordinates, or use another formalism",
        )
    made = FrameModel(model.name, model.gravity)
    made.ground, made.bodies, made.joints = model.ground, dict(model.bodies), dict(model.joints)
    made.parameters, made.tables = dict(model.parameters), dict(model.tables)
    made.varied = model.varied
    made.studies, made.runs = dict(model.studies), dict(model.runs)
    made.forces, made.states = dict(model.forces), dict(model.states)
    made.events, made.outputs = dict(model.events), dict(model.outputs)
    made.clocks = dict(model.clocks)
    made.wrenches = dict(model.wrenches)
    made.matrices = position_matrices(model)
    return made


def position_matrices(model: Mechanism) -> dict[str, Transform]:
    """Body name -> T(q) of its frame in the ground frame."""
    check_arguments(position_matrices, locals())
    if model.by_matrices:
        return dict(model.as_frames().matrices)
    tree, table = model.tree(), parameter_table(model)
    names = model.coordinates
    q = [coordinate_symbol(name) for name in names]
    found = {model.ground.name: Transform()}
    for i in tree.outward():
        joint = tree.joints[i]
        T = found[joint.parent.body.name] @ _at(joint.parent, table)
        k = tree.q_start[i]
        for motion in joint.motions:
            size = len(motion.neutral)
            T = T @ _transform(motion, _values(tree, i, q[k : k + size]), table.nodes, joint.name)
            k += size
        found[joint.child.body.name] = T @ _at(joint.child, table).inverse
    del found[model.ground.name]
    return {name: found[name] for name in model.bodies}


def _at(point: Point, table: ParameterTable) -> Transform:
    """The frame of a point in that of its body."""
    return Transform(Rotation(point.rotation), table.position(point))


def _values(tree: Tree, i: int, q: list[Node]) -> list[Node]:
    """The coordinates of a joint; of a follower, what its leader makes of them."""
    if len(q) > 1:
        return q
    return [number(tree.ratio[i]) * x + number(tree.offset[i]) for x in q]


def _transform(motion: Motion, q: list[Node], nodes: dict[str, Node], joint: str) -> Transform:
    """The frame after an elementary motion, in that before it."""
    if isinstance(motion, Ball):
        return rotq(*q)
    if isinstance(motion, Float):
        return Transform(Rotation.quaternion(*q[:4]), q[4:])
    shift = (0.0, 0.0, 0.0)
    along = [a * q[0] for a in motion.axis]
    if isinstance(motion, Shift):
        return Transform(None, along)
    turn = Rotation.about(LETTERS.get(motion.axis, motion.axis), q[0])
    if isinstance(motion, Turn):
        return Transform(turn, shift)
    assert isinstance(motion, Twist)
    pitch = nodes[f"{joint}.pitch"]
    return Transform(turn, [pitch * x for x in along])
