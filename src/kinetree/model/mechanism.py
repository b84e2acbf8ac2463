"""What every mechanism has, whatever says how its bodies move: joints, or position matrices."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from kinetree.arguments import check_arguments, is_row, show
from kinetree.engine import Node, Rank, symbol
from kinetree.errors import DuplicateNameError, ModelError, unknown
from kinetree.model import check as checks
from kinetree.model import contents
from kinetree.model.events import Clock, Event
from kinetree.model.forces import FORCES, Force, State, admit
from kinetree.model.laws import LawLike, force_law_names, law_expressions, state_names, state_symbol
from kinetree.model.methods.summary import Summary
from kinetree.model.new_element import (
    complete,
    find_kind,
    find_place,
    find_places,
    law_values,
    new_element,
    refuse_duplicate,
    scalar_values,
)
from kinetree.model.outputs import heard_outputs, with_outputs
from kinetree.model.parameters import folded_scalars, open_scalars
from kinetree.model.parts import Body, CoordinateGroup, Joint, Parameter, Point, Wrench, check_title
from kinetree.model.values import LOOP_TOLERANCE, Scalar, Scalar3, number, scalar, scalars
from kinetree.tables import Table
from kinetree.units import to_si

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from kinetree.arrays import Array
    from kinetree.model.check import Finding
    from kinetree.model.closures import Closure, Drive
    from kinetree.model.frame_model import FrameModel
    from kinetree.model.methods.joints import Where
    from kinetree.model.methods.studies import StudyPlan
    from kinetree.model.outputs import ModelOutput, SortedEquations
    from kinetree.model.topology import Tree

RANK_OF_UNIT = {"kg": Rank.MASS, "kg.m2": Rank.MASS, "m": Rank.LENGTH, "m/rad": Rank.LENGTH}
PARAMETER_NAME = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*\Z")
RUN_TIME_INPUTS = ("q", "qd", "qdd", "tau", "p", "t", "x")
FRAMES = ("body", "world")


class Mechanism(Summary):
    """Bodies, coordinates, wrenches, forces, states and parameters in the order of addition.

    Attributes:
        by_matrices: whether position matrices, not joints, say how the bodies move.
        equations: in place of those that formalisms derive; none of a mechanism by itself.
        name: of the mechanism; gravity: its acceleration in the ground frame [m/s2].
        ground, bodies: the body that does not move, and name -> Body of all others.
        joints: name -> CoordinateGroup; their order numbers the coordinates.
        wrenches, closures: name -> Wrench, Closure; the order of these numbers the constraints.
        drives, forces: coordinate -> Drive, name -> Force.
        states: name -> State; their order numbers x.
        events, clocks, outputs: name -> Event, Clock, ModelOutput (see `kinetree.model.outputs`).
        tables, parameters: name -> Table, name -> Parameter, those that have a name.
        varied: names of scalars that stay parameters where they are 0 or 1, see `vary`.
        sources: path of a scalar -> the text it had in the model file.
        loop_tolerance: largest gap of a loop that counts as closed [m, m2 or 1], see `close.md`.
        studies, runs: name -> StudyPlan, settings of an analysis; no equation uses them.
        shapes, layout: free-form data for viewers and diagram editors, kept verbatim.
        switched_off: section of the model file -> name -> data of elements that are left out.
        file_text: text of the model file that it came from; empty where there is none.
    """

    by_matrices: ClassVar[bool] = False
    equations: SortedEquations | None = None
    joints: Mapping[str, CoordinateGroup]
    closures: Mapping[str, Closure] = MappingProxyType({})
    drives: Mapping[str, Drive] = MappingProxyType({})
    loop_tolerance: float = LOOP_TOLERANCE

    def __init__(self, name: str, gravity: Sequence[Scalar] = (0, 0, -9.81)) -> None:
        check_arguments(Mechanism, {"name": name}, "model")
        check_title(name)
        gx, gy, gz = scalars(gravity, "gravity", (3,))
        self.name = str(name)
        self.gravity: Scalar3 = (gx, gy, gz)
        self.ground = Body("ground")
        self.bodies: dict[str, Body] = {}
        self.wrenches: dict[str, Wrench] = {}
        self.forces: dict[str, Force] = {}
        self.states: dict[str, State] = {}
        self.events: dict[str, Event] = {}
        self.outputs: dict[str, ModelOutput] = {}
        self.clocks: dict[str, Clock] = {}
        self.tables: dict[str, Table] = {}
        self.parameters: dict[str, Parameter] = {}
        self.varied: tuple[str, ...] = ()
        self.sources: dict[str, tuple[str, Scalar]] = {}  # text of a scalar, what it meant
        self.studies: dict[str, StudyPlan] = {}
        self.shapes: Any = None
        self.layout: Any = None
        self.runs: dict[str, dict[str, Any]] = {}
        self.switched_off: dict[str, dict[str, Any]] = {}
        self.file_text = ""

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
        check_arguments(Mechanism.parameter, {"name": name, "unit": unit}, element)
        if not PARAMETER_NAME.match(name):
            raise ModelError(
                f"{name!r} cannot be a name",
                element=element,
                cure="use letters, digits, underscores and dots, beginning with a letter",
            )
        refuse_duplicate("parameter", name, self.parameters)
        given = float(number(value, element)), str(unit)
        si, own = to_si(*given, element)
        node = symbol(name, RANK_OF_UNIT.get(own, Rank.PARAMETER))
        written = None if own == given[1] else given
        self.parameters[name] = Parameter(name, si, own, node, written)
        return node

    def vary(self, *names: str) -> None:
        """Keep scalars as parameters at run time whatever their values are.

        Masses, lengths, stiffnesses, … are parameters anyway, unless they are 0 or 1: these are
        folded into the equations, which become shorter.

        Args:
            *names: such as "crank.mass", "crank.com_y", "gravity_x", "strut.damping".
        """
        check_arguments(Mechanism.vary, {"names": names}, "vary")
        self.varied = (*self.varied, *folded_scalars(self, names))

    def with_varied(self, names: Iterable[str], element: str = "") -> Self:
        """The same mechanism in which these scalars are parameters; itself where they are.

        Args:
            names: of the scalars.
            element: named where there is none of a name; by default the model.
        """
        return open_scalars(self, tuple(names), element) or self

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
        element = new_element("body", name, self.bodies)
        check_arguments(Mechanism.body, {"physical": physical}, element)
        if name == self.ground.name:
            raise DuplicateNameError(
                "the name is taken by the ground", element=element, cure="choose another name"
            )
        x, y, z = scalars(com, f"{element} com", (3,))
        values = scalars(inertia, f"{element} inertia", (3, 6))
        moments = values if len(values) == 6 else (*values, 0, 0, 0)
        made = Body(name, scalar(mass, f"{element} mass"), (x, y, z), moments, physical)
        self.bodies[name] = made
        return made

    def wrench(self, name: str, place: Where, frame: str = "body") -> Wrench:
        """Add an external wrench: a run-time input of six values [torque; force] [N.m, N].

        Args:
            name: of the input; a Python identifier, none of q, qd, qdd, tau, p, t, x.
            place: body (its origin) or point at which the force acts, about which the torque is.
            frame: "body" for components in the frame of the place, "world" for the ground's.
        """
        element = f"wrench '{name}'"
        check_arguments(Mechanism.wrench, {"name": name, "frame": frame}, element)
        if not name.isidentifier() or name in RUN_TIME_INPUTS:
            raise ModelError(
                f"{name!r} cannot name a run-time input",
                element=element,
                cure=f"use letters, digits, underscores, and none of {', '.join(RUN_TIME_INPUTS)}",
            )
        refuse_duplicate("wrench", name, self.wrenches)
        if frame not in FRAMES:
            raise unknown("frame", frame, FRAMES, element)
        made = Wrench(name, find_place(self, place, element), frame)
        self.wrenches[name] = made
        return made

    def table(
        self, name: str, knots: ArrayLike, values: ArrayLike, slopes: ArrayLike | None = None
    ) -> Table:
        """Add a table under a name; laws look it up by ``functions.table(x, table)``.

        Args:
            name: table_NAME(x) in the expressions of files.
            knots: at least two arguments, increasing.
            values: one per knot.
            slopes: derivative at each knot; by default such that the table rises where its values
                rise and falls where they fall.
        """
        check_arguments(Mechanism.table, {"name": name}, "table")
        refuse_duplicate("table", name, self.tables)
        made = Table.monotone(knots, values, str(name))
        if slopes is not None:
            if not is_row(slopes):
                raise ModelError(
                    f"they are {show(slopes)}",
                    element=f"table '{name}' slopes",
                    cure="give one number per knot",
                )
            given = tuple(np.asarray(slopes, dtype=float).tolist())
            made = Table(made.knots, made.values, given, str(name))
        self.tables[name] = made
        return made

    def force(
        self,
        kind: str,
        name: str,
        places: Sequence[Any] | Mapping[str, Any] = (),
        arguments: Mapping[str, Any] | None = None,
    ) -> Force:
        """Add a force of the kind called `kind`; other methods spell the known kinds.

        Args:
            kind: a name in the force table.
            name: unique among the forces; its scalars are the parameters "name.argument".
            places: bodies, points or paths; a mapping by label for a kind with any number.
            arguments: what the kind takes.
        """
        element = new_element("force", name, self.forces)
        given = {"kind": kind, "places": places, "arguments": arguments}
        check_arguments(Mechanism.force, given, element)
        row = find_kind(FORCES, "force", kind, element)
        labels, points = find_places(self, row, places, element)
        names = force_law_names(self, row, labels, element)
        full = complete(self, row, arguments, names, element)
        if row.check is not None:
            row.check(full, element)
        values, laws = scalar_values(row, full), dict(law_values(row, full))
        hears = heard_outputs(self, [x for law in laws.values() for x in law], names, element)
        admit(self, row, name, full, element)
        self.forces[name] = Force(name, kind, points, labels, full, values, laws, hears)
        return self.forces[name]

    def state(
        self, name: str, initial: float = 0.0, rate: LawLike | None = None, unit: str = ""
    ) -> Node:
        """Add a state with der(x) = rate; the Node returned may stand in laws.

        Args:
            name: unique among the states; x_NAME in laws and equations.
            initial: value to start from, in `unit`; without one in SI units.
            rate: expression or function of q, qd, t, x and outputs, in SI units: motions of
                points up to velocities and what force elements tell, outputs["strut.length"]; it
                may use this state and earlier ones.  Without it, give it later by `state_rate`.
            unit: such as "bar", see `parameter`: `initial` is turned into SI units.
        """
        element = new_element("state", name, self.states)
        check_arguments(Mechanism.state, {"unit": unit}, element)
        given = float(number(initial, f"{element} initial")), str(unit)
        si, own = to_si(*given, element)
        written = None if own == given[1] else given
        self.states[name] = State(name, si, None, own, written)
        if rate is not None:
            try:
                self.state_rate(name, rate)
            except Exception:
                del self.states[name]
                raise
        return state_symbol(name)

    def state_rate(self, name: str, rate: LawLike) -> State:
        """Give der(x) of a state, where it speaks of states that are added after it."""
        check_arguments(Mechanism.state_rate, {"name": name}, "state")
        if name not in self.states:
            raise unknown("state", name, self.states, "state rate")
        element = f"state '{name}' rate"
        own = state_names(self, element)
        (expr,) = law_expressions(self, rate, with_outputs(self, rate, own, element), element, 1)
        hears = heard_outputs(self, (expr,), own, element)
        self.states[name] = replace(self.states[name], rate=expr, hears=hears)
        return self.states[name]

    # --- asking ----------------------------------------------------------------------------------

    def point(self, path: str) -> Point:
        """The point at "body.point", or the origin of "body"; "ground" is a body too."""
        check_arguments(Mechanism.point, {"path": path})
        return find_place(self, path, f"point '{path}'")

    @property
    def leaders(self) -> list[CoordinateGroup]:
        """The joints with coordinates of their own: all that follow no other, in order."""
        return [joint for joint in self.joints.values() if not joint.follows]

    @property
    def body_joints(self) -> list[Joint]:
        """The joints that join bodies, in order; coordinates of position matrices join none."""
        return [joint for joint in self.joints.values() if isinstance(joint, Joint)]

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

    def velocity_of(self, coordinate: str) -> str:
        """The name of the velocity that is the rate of a coordinate."""
        check_arguments(Mechanism.velocity_of, {"coordinate": coordinate})
        for joint in self.joints.values():
            if coordinate in joint.coordinates:
                return joint.velocities[joint.coordinates.index(coordinate)]
        raise unknown("coordinate", coordinate, self.coordinates, "velocity")

    def turns(self, velocity: str) -> bool:
        """Whether a velocity is a rate of turning [rad/s], not of sliding [m/s]."""
        check_arguments(Mechanism.turns, {"velocity": velocity})
        if velocity not in self.velocities:
            raise unknown("velocity", str(velocity), self.velocities, "turns")
        rows = (zip(j.velocities, j.v_units, strict=True) for j in self.joints.values())
        return "rad/s" in [unit for row in rows for name, unit in row if name == velocity]

    def check(self, *, invertible: bool = True, inertia: str = "warn") -> tuple[Finding, ...]:
        """Raise for errors, warn for what is doubtful; see `kinetree.model.check.check`."""
        check_arguments(Mechanism.check, {"invertible": invertible, "inertia": inertia})
        return checks.check(self, invertible=invertible, inertia=inertia)

    def content_hash(self) -> str:
        """SHA-256 of the mechanics (names, numbers, how bodies move), equal for equal models."""
        return contents.content_hash(self)

    @abstractmethod
    def findings(self) -> tuple[Finding, ...]:
        """Every problem of the model, all at once: errors, warnings, notes."""

    @abstractmethod
    def tree(self) -> Tree:
        """The topology, ground first, parents before children; an error when it is no tree."""

    @abstractmethod
    def as_frames(self) -> FrameModel:
        """The same mechanism given by position matrices; an error where loops keep it from it."""
