"""The model of a mechanism and how it is built."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from kinetree.arguments import check_arguments, check_options
from kinetree.engine import Node, Rank, symbol
from kinetree.errors import DuplicateNameError, ModelError, unknown
from kinetree.model import check as checks
from kinetree.model import contents, topology
from kinetree.model.methods.closures import ClosureMethods
from kinetree.model.methods.forces import ForceMethods
from kinetree.model.methods.joints import JointData, JointMethods, joint_fields, start_values
from kinetree.model.parts import (
    REQUIRED,
    Body,
    Joint,
    Kind,
    Parameter,
    Point,
    Wrench,
    check_name,
    check_title,
)
from kinetree.model.values import (
    LOOP_TOLERANCE,
    Scalar,
    Scalar3,
    frozen,
    loop_gap,
    number,
    scalar,
    scalars,
)
from kinetree.units import to_si

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kinetree.arrays import Array
    from kinetree.model.check import Finding
    from kinetree.model.closures import Closure, Drive
    from kinetree.model.forces import Force, State
    from kinetree.model.methods.joints import Place
    from kinetree.model.topology import Tree
    from kinetree.tables import Table

KINDS: dict[str, Kind] = {}
"""The joint table: kind name -> row; the room `joints` fills it."""

RANK_OF_UNIT = {"kg": Rank.MASS, "kg.m2": Rank.MASS, "m": Rank.LENGTH, "m/rad": Rank.LENGTH}
PARAMETER_NAME = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*\Z")
RUN_TIME_INPUTS = ("q", "qd", "qdd", "tau", "p", "t", "x")
FRAMES = ("body", "world")


class Model(JointMethods, ClosureMethods, ForceMethods):
    """A mechanism: bodies, joints, wrenches and parameters in the order in which they were added.

    Attributes:
        name: of the mechanism.
        gravity: acceleration of gravity in the ground frame [m/s2].
        ground: the body that does not move.
        bodies: name -> Body, without the ground.
        joints: name -> Joint; their order numbers the coordinates.
        wrenches: name -> Wrench.
        closures: name -> Closure; their order numbers the constraints.
        drives: coordinate -> Drive.
        forces: name -> Force.
        states: name -> State; their order numbers x.
        tables: name -> Table, those that were added by name.
        parameters: name -> Parameter, the named ones.
        sources: path of a scalar -> the text it had in the model file.
        loop_tolerance: largest gap of a loop that counts as closed [m, m2 or 1], see `close.md`.
        shapes: free-form data for viewers, kept verbatim.
        layout: free-form data for diagram editors, kept verbatim.
    """

    def __init__(
        self,
        name: str,
        gravity: Sequence[Scalar] = (0, 0, -9.81),
        *,
        loop_tolerance: float = LOOP_TOLERANCE,
    ) -> None:
        check_arguments(Model, {"name": name}, "model")
        check_title(name)
        gx, gy, gz = scalars(gravity, "gravity", (3,))
        self.name = str(name)
        self.gravity: Scalar3 = (gx, gy, gz)
        self.loop_tolerance = loop_tolerance
        self.ground = Body("ground")
        self.bodies: dict[str, Body] = {}
        self.joints: dict[str, Joint] = {}
        self.wrenches: dict[str, Wrench] = {}
        self.closures: dict[str, Closure] = {}
        self.drives: dict[str, Drive] = {}
        self.forces: dict[str, Force] = {}
        self.states: dict[str, State] = {}
        self.tables: dict[str, Table] = {}
        self.parameters: dict[str, Parameter] = {}
        self.sources: dict[str, str] = {}
        self.shapes: Any = None
        self.layout: Any = None

    def __repr__(self) -> str:
        return f"Model('{self.name}', {len(self.bodies)} bodies, nq={self.nq}, nv={self.nv})"

    # --- building --------------------------------------------------------------------------------

    def parameter(self, name: str, value: float, unit: str = "") -> Node:
        """Add a named parameter; the Node returned may stand in any mass, length or inertia.

        Args:
            name: letters, digits, underscores and dots, as in expressions.
            value: default at run time, in `unit`; without one in SI units.
            unit: such as "kg", "mm", "kg.m2", "N.m/deg" (`kinetree.units`): the value is turned
                into SI units, in which values at run time are given.  Whether it fits the place
                where the parameter is used is not checked.
        """
        element = f"parameter '{name}'"
        check_arguments(Model.parameter, {"name": name, "unit": unit}, element)
        if not _is_text(name) or not PARAMETER_NAME.match(name):
            raise ModelError(
                f"{name!r} cannot be a name",
                element=element,
                cure="use letters, digits, underscores and dots, beginning with a letter",
            )
        _refuse_duplicate("parameter", name, self.parameters)
        given = float(number(value, element)), str(unit)
        si, own = to_si(*given, element)
        node = symbol(name, RANK_OF_UNIT.get(own, Rank.PARAMETER))
        written = None if own == given[1] else given
        self.parameters[name] = Parameter(name, si, own, node, written)
        return node

    def body(
        self,
        name: str,
        mass: Scalar = 0,
        com: Sequence[Scalar] = (0, 0, 0),
        inertia: Sequence[Scalar] = (0, 0, 0),
        *,
        physical: bool = True,
    ) -> Body:
        """Add a rigid body.

        Args:
            name: unique among the bodies.
            mass: [kg].
            com: centre of mass from the body's origin, in the body frame [m].
            inertia: about the centre of mass, in the body frame: xx, yy, zz or
                xx, yy, zz, xy, xz, yz, tensor elements [kg.m2].
            physical: False for an effective inertia that no real body has; it is then not checked.
        """
        element = f"body '{name}'"
        check_name(name, element)
        check_arguments(Model.body, {"physical": physical}, element)
        if name == self.ground.name:
            raise DuplicateNameError(
                "the name is taken by the ground", element=element, cure="choose another name"
            )
        _refuse_duplicate("body", name, self.bodies)
        x, y, z = scalars(com, f"{element} com", (3,))
        values = scalars(inertia, f"{element} inertia", (3, 6))
        made = Body(
            name,
            scalar(mass, f"{element} mass"),
            (x, y, z),
            values if len(values) == 6 else (*values, 0, 0, 0),
            physical,
        )
        self.bodies[name] = made
        return made

    def joint(
        self,
        kind: str,
        name: str,
        parent: Place,
        child: Place,
        arguments: Mapping[str, Any] | None = None,
        **data: Unpack[JointData],
    ) -> Joint:
        """Add a joint of the kind called `kind`.

        Args:
            kind: a name in the joint table.
            name: unique among the joints.
            parent: inner body (its origin) or point, by object or by path "body.point".
            child: outer body, whose frame lands on the parent's at q = 0; or a point of it.
            arguments: what the kind takes: axis, pitch, ...
            **data: limits, mimic, initial, coordinates, damping, friction, armature.
        """
        element = f"joint '{name}'"
        check_name(name, element)
        check_arguments(Model.joint, {"kind": kind, "arguments": arguments}, element)
        check_options(element, data, JointData.__annotations__)
        _refuse_duplicate("joint", name, self.joints)
        if kind not in KINDS:
            raise unknown("joint kind", kind, KINDS, element)
        row = KINDS[kind]
        given = _options(row, arguments or {}, element)
        motions = row.motions(given, element)
        nq = sum(len(motion.neutral) for motion in motions)
        q_names, v_names = _names(row, name, nq, data.get("coordinates"))
        made = Joint(
            name,
            kind,
            self._place(parent, f"{element} parent"),
            self._place(child, f"{element} child"),
            motions,
            q_names,
            v_names,
            given,
            **joint_fields(data, motions, element),
        )
        self.joints[name] = made
        for k, text in enumerate(start_values(data.get("initial")) or ()):
            if isinstance(text, str):
                self.sources[f"{name}.initial_{k + 1}"] = text
        return made

    def wrench(self, name: str, place: Place, frame: str = "body") -> Wrench:
        """Add an external wrench: a run-time input of six values [torque; force] [N.m, N].

        Args:
            name: of the input; a Python identifier, none of q, qd, qdd, tau, p, t, x.
            place: body (its origin) or point at which the force acts, about which the torque is.
            frame: "body" for components in the frame of the place, "world" for the ground's.
        """
        element = f"wrench '{name}'"
        check_arguments(Model.wrench, {"name": name, "frame": frame}, element)
        if not (_is_text(name) and name.isidentifier()) or name in RUN_TIME_INPUTS:
            raise ModelError(
                f"{name!r} cannot name a run-time input",
                element=element,
                cure=f"use letters, digits, underscores, and none of {', '.join(RUN_TIME_INPUTS)}",
            )
        _refuse_duplicate("wrench", name, self.wrenches)
        if frame not in FRAMES:
            raise unknown("frame", frame, FRAMES, element)
        made = Wrench(name, self._place(place, element), frame)
        self.wrenches[name] = made
        return made

    @property
    def loop_tolerance(self) -> float:
        """Largest gap of a loop that counts as closed [m, m2 or 1].

        Raise it above the rounding of the data where loops hold more equations than they need: by
        that much these contradict each other.  Whatever closes, sorts or checks loops obeys it.
        """
        return self._loop_tolerance

    @loop_tolerance.setter
    def loop_tolerance(self, value: float) -> None:
        """Set it, from 1e-11 to below 0.01."""
        self._loop_tolerance = loop_gap(value, "loop_tolerance")

    # --- asking ----------------------------------------------------------------------------------

    def point(self, path: str) -> Point:
        """The point at "body.point", or the origin of "body"; "ground" is a body too."""
        check_arguments(Model.point, {"path": path})
        return self._place(path, f"point '{path}'")

    def _place(self, place: Any, element: str) -> Point:
        """The Point meant by a body, a point or a path; refused when it is not of this model."""
        if isinstance(place, str):
            return self._find(place, element)
        at = place.origin if isinstance(place, Body) else place
        if not isinstance(at, Point):
            raise ModelError(
                f"{place!r} is not a valid place",
                element=element,
                cure="give a body, a point, or a path such as 'body.point'",
            )
        owner = self.ground if at.body is self.ground else self.bodies.get(at.body.name)
        if owner is not at.body:
            raise ModelError(
                f"body '{at.body.name}' belongs to another model",
                element=element,
                cure=f"add the body to model '{self.name}'",
            )
        return at

    def _find(self, path: str, element: str) -> Point:
        """The Point at a path, with the nearest name proposed when there is none."""
        body_name, dot, point_name = path.partition(".")
        body = self.ground if body_name == self.ground.name else self.bodies.get(body_name)
        if body is None:
            raise unknown("body", body_name, (self.ground.name, *self.bodies), element)
        if not dot:
            return body.origin
        if point_name not in body.points:
            known = [f"{body_name}.{name}" for name in body.points]
            raise unknown("point", path, known, element)
        return body.points[point_name]

    @property
    def leaders(self) -> list[Joint]:
        """The joints with coordinates of their own: all that follow no other, in order."""
        return [joint for joint in self.joints.values() if not joint.follows]

    @property
    def coordinates(self) -> list[str]:
        """Names of all q, in order."""
        return [name for joint in self.leaders for name in joint.coordinates]

    @property
    def velocities(self) -> list[str]:
        """Names of all qd (and tau), in order."""
        return [name for joint in self.leaders for name in joint.velocities]

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return sum(joint.nq for joint in self.leaders)

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return sum(joint.nv for joint in self.leaders)

    def neutral(self) -> Array:
        """Coordinates at which all joint frames coincide: zeros, quaternions 1 0 0 0."""
        return np.array([v for joint in self.leaders for v in joint.neutral], dtype=float)

    def initial(self) -> Array:
        """Coordinates to start from: the joints' `initial`, neutral where none is given."""
        values = (joint.initial or joint.neutral for joint in self.leaders)
        return np.array([value for start in values for value in start], dtype=float)

    def tree(self) -> Tree:
        """The topology, ground first, parents before children; an error when it is no tree."""
        return topology.tree(self)

    def findings(self) -> tuple[Finding, ...]:
        """Every problem of the model, all at once: errors, warnings, notes."""
        return checks.findings(self)

    def check(self, *, invertible: bool = True, inertia: str = "warn") -> tuple[Finding, ...]:
        """Raise for errors, warn for what is doubtful; see `kinetree.model.check.check`."""
        check_arguments(Model.check, {"invertible": invertible, "inertia": inertia})
        return checks.check(self, invertible=invertible, inertia=inertia)

    def content_hash(self) -> str:
        """SHA-256 of the mechanics (names, numbers, topology), equal for equal models."""
        return contents.content_hash(self)


def _is_text(name: Any) -> bool:
    return isinstance(name, str)


def _refuse_duplicate(what: str, name: str, taken: Iterable[str]) -> None:
    if name in taken:
        raise DuplicateNameError(
            f"there is a {what} of this name already",
            element=f"{what} '{name}'",
            cure=f"give every {what} a name of its own",
        )


def _options(row: Kind, given: Mapping[str, Any], element: str) -> dict[str, Any]:
    """The arguments of a kind, defaults filled in; unknown and missing ones refused."""
    for name in given:
        if name not in row.options:
            raise unknown(f"argument of a {row.name} joint", name, row.options, element)
    complete = {**row.options, **{name: frozen(value) for name, value in given.items()}}
    for name, value in complete.items():
        if value is REQUIRED:
            raise ModelError(
                f"a {row.name} joint needs its '{name}'", element=element, cure=f"give {name}"
            )
    return complete


def _names(
    row: Kind, name: str, nq: int, coordinates: Sequence[str] | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the coordinates and velocities of a joint."""
    element = f"joint '{name}' coordinates"
    numbered = (name,) if nq == 1 else tuple(f"{name}_{k + 1}" for k in range(nq))
    q_names = tuple(f"{name}_{end}" for end in row.q_suffixes) if row.q_suffixes else numbered
    if coordinates is not None:
        check_arguments(_names, {"coordinates": coordinates}, f"joint '{name}'")
        q_names = tuple(coordinates)
        for entry in q_names:
            check_name(entry, element)
        if len(q_names) != nq:
            raise ModelError(f"has {len(q_names)} names", element=element, cure=f"give {nq} names")
    v_names = tuple(f"{name}_{end}" for end in row.v_suffixes) if row.v_suffixes else q_names
    return q_names, v_names
