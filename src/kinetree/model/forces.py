"""Forces of a mechanism: what they are as data, and what a force kind may ask when it is written.

A force is a row of data; its kind writes it down by asking an `Action` for motions and by pushing
on points or joints.  All vectors are triples of Nodes in a frame that is said; the equations of
motion are M qdd + c = tau, where c holds minus the generalised forces of all force elements.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Protocol

from kinetree.door import Registry
from kinetree.engine import Node, sqrt
from kinetree.errors import ModelError, UnsupportedError
from kinetree.model.kinds import ANY, ElementKind
from kinetree.model.values import Scalar
from kinetree.model.vectors import NULL, Mat, Vec, dot, is_null

if TYPE_CHECKING:
    from kinetree.model.mechanism import Mechanism
    from kinetree.model.outputs.names import Offered
    from kinetree.model.parts import Point


@dataclass(frozen=True, eq=False)
class Force:
    """A force element.

    Attributes:
        name: unique among the forces.
        kind: name of the row in the force table.
        points: where it acts, with their frames.
        labels: name of each point in laws: "at", "first", "second", or the user's.
        arguments: all arguments of the kind, complete; laws as tuples of expressions.
        scalars: name -> value of what stays a run-time parameter, called "force.name".
        laws: argument -> its expressions; of a law per point, "argument.label" -> expressions.
        hears: outputs of elements and points before it that its laws use.
    """

    name: str
    kind: str
    points: tuple[Point, ...] = ()
    labels: tuple[str, ...] = ()
    arguments: Mapping[str, Any] = field(default_factory=dict)
    scalars: Mapping[str, Scalar] = field(default_factory=dict)
    laws: Mapping[str, tuple[Node, ...]] = field(default_factory=dict)
    hears: tuple[Offered, ...] = ()

    def __repr__(self) -> str:
        places = " - ".join(f"'{point.path}'" for point in self.points)
        return f"Force('{self.name}', {self.kind}{', ' if places else ''}{places})"


@dataclass(frozen=True, eq=False)
class State:
    """A state that the user adds to those of the mechanism: der(x) = rate.

    Attributes:
        name: unique among the states; x_NAME in laws and equations.
        initial: value to start from, in SI units; NaN of a mode that has none.
        rate: expression of q, qd, t, x and parameters; None where a force element writes it.
        unit: of the SI; empty where none was given.
        written: initial value and unit as they were given, where that was not in SI units.
        held: whether events alone change it; its rate is zero.
        clock: name of the clock at whose ticks it is found anew; empty where there is none.
        sampled: what it is found from there; None until that is given.
        remembered: what a memory becomes at every accepted step; None where it is not one.
        hears: outputs of elements and points that its rate uses.
    """

    name: str
    initial: float = 0.0
    rate: Node | None = None
    unit: str = ""
    written: tuple[float, str] | None = None
    held: bool = False
    clock: str = ""
    sampled: Node | None = None
    remembered: Node | None = None
    hears: tuple[Offered, ...] = ()


class Place(NamedTuple):
    """A point seen from the ground, in ground components.

    Attributes:
        R: rotation from the point's frame to the ground's.
        p: position of the point from the ground's origin [m].
        v: velocity of the point [m/s].
        w: angular velocity of its body [rad/s].
    """

    R: Mat
    p: Vec
    v: Vec
    w: Vec


@dataclass(frozen=True)
class Between:
    """Two points seen from the last link that carries both, in the frame of that link.

    Attributes:
        first, second: the points.
        d: from the first to the second [m].
        rate: velocity of the second minus that of the first, by the components of d [m/s].
        R_first, R_second: from the frame of each point to this frame.
        w_first, w_second: angular velocity of each body relative to the link [rad/s].
        base: number of the link.
        let: names a value, (stem, expression) -> name.
    """

    first: Point
    second: Point
    d: Vec
    rate: Vec
    R_first: Mat
    R_second: Mat
    w_first: Vec
    w_second: Vec
    base: int
    let: Callable[[str, Node], Node]

    @cached_property
    def length(self) -> Node:
        """|d| [m]."""
        return sqrt(self.let("dd", dot(self.d, self.d)))

    @cached_property
    def speed(self) -> Node:
        """Rate of the length [m/s]; undefined where the length is zero."""
        if is_null(self.d):
            raise ModelError(
                f"the points '{self.first.path}' and '{self.second.path}' never part",
                element="force between two points",
                cure="give points that move apart, or use another kind of force",
            )
        return self.let("speed", dot(self.d, self.rate) / self.length)


Told = Node | Vec
"""What a force element tells of itself: a scalar, or three components."""
XYZ = ("x", "y", "z")


class Offer(NamedTuple):
    """One output that the elements of a kind offer.

    Attributes:
        name: after the dot: "force" of "strut.force".
        unit: "{q}" and "{effort}" stand for those of the joint.
        parts: endings of its components; empty for a scalar.
    """

    name: str
    unit: str
    parts: tuple[str, ...] = ()


class Work(NamedTuple):
    """A force and the rate at which it works: power = sign · force · rate, summed over parts."""

    force: str = "force"
    rate: str = "rate"
    sign: int = 1


ENERGY = "energy"
"""The argument of kinds whose force may be given by its energy."""
Frame = Literal["ground", "point"] | Between
"""Whose components a vector has."""


class Action(Protocol):
    """What a force kind may ask and do while its equations are written."""

    t: Node
    """The time [s]; a kind that uses it without a law says so in its row."""

    @property
    def velocities(self) -> list[str]:
        """Names of all velocities of the model."""

    def value(self, name: str) -> Node:
        """A scalar argument of this force."""

    def vector(self, name: str) -> Vec:
        """An argument of this force that is three scalars."""

    def q(self, coordinate: str) -> Node:
        """The coordinate of that name [rad, m]."""

    def qd(self, velocity: str) -> Node:
        """The velocity of that name [rad/s, m/s]."""

    def velocity_of(self, coordinate: str) -> str:
        """The name of the velocity that is the rate of a coordinate."""

    def state(self, name: str) -> Node:
        """The user state of that name."""

    def flow(self, name: str, rate: Node) -> None:
        """Give the rate of a user state that has no law of its own."""

    def law(self, name: str, **values: Node) -> Node:
        """A law argument, its own variables (length, rate, …) bound to values; 0 where absent."""

    def laws(self, name: str, **values: Node) -> tuple[Node, ...]:
        """All expressions of a law argument, likewise; empty where absent."""

    def slope(self, name: str, by: Node, **values: Node) -> Node:
        """Derivative of a law argument by one of the symbols that it uses; 0 where absent."""

    def profile(self, name: str, **values: Node) -> Node:
        """A law argument as an expression that the kind itself differentiates and substitutes."""

    def between(self, first: Point, second: Point) -> Between:
        """Relative motion of two points."""

    def place(self, point: Point) -> Place:
        """Motion of a point relative to the ground."""

    def let(self, stem: str, node: Node) -> Node:
        """A name for a value that is used more than once."""

    def push(self, point: Point, force: Vec, torque: Vec = NULL, frame: Frame = "ground") -> None:
        """A force [N] through the point and a torque [N.m], both on the body of the point."""

    def pull(self, between: Between, tension: Node) -> None:
        """Opposite forces along the line of two points; a positive tension [N] draws them in."""

    def effort(self, velocity: str, value: Node) -> None:
        """A generalised force on a joint [N.m, N], positive along its velocity."""

    def lock(self, velocity: str, condition: Node) -> None:
        """Hold a velocity still where the condition is positive, with whatever force it takes."""

    def rub(
        self, velocity: str, mode: str, coulomb: Node, breakaway: Node, *, loose: bool = False
    ) -> None:
        """Dry friction [N.m, N] of a velocity whose mode is a user state: it sticks or slides.

        Forces that are zero for a while are `loose`.
        """

    def grip(self, mode: str, speed: Node, coulomb: Node, breakaway: Node) -> Node:
        """Dry friction along a speed, linear in the velocities, whose mode is a user state.

        Returns:
            Its force where it slides, positive along the speed, for the kind to apply; where it
            sticks, its force acts by itself.
        """

    def gripping_force(self, mode: str) -> Node:
        """The force of friction along a speed [N.m, N], positive along it; for `tell`."""

    def holding_force(self, velocity: str) -> Node:
        """The force of what holds or rubs a velocity [N.m, N], positive along it; for `tell`."""

    def tell(self, values: Callable[[], Mapping[str, Told]]) -> None:
        """Give the outputs that the kind offers, by name; asked for only where one is wanted."""

    def stop(self, mode: str, gap: Node, restitution: Node, shortest: Node) -> None:
        """Keep a gap [m, rad] from becoming negative; its mode is a user state.

        Bounces shorter than `shortest` [s] end in contact.
        """


@dataclass(frozen=True)
class ForceKind(ElementKind):
    """One row of the force table.

    Attributes:
        write: writes the equations of one force.
        variables: names that laws may use besides q, qd, t, x and points.
        units: argument -> unit; "{q}" and "{effort}" stand for those of the joint.
        time: whether it uses the time without a law.
        check: refuses arguments that make no sense: (complete arguments, element path).
        potential: the energy [J] from which its conservative part derives.
        holds: whether it may hold its joint still.
        grips: whether it holds a speed that is not a velocity of the model.
        outputs: what `write` tells of every element, or of every point that the user names.
        work: the outputs whose products are its power.
        modes: names of the modes of its gaps, (name of the force, complete arguments) -> names.
        states: its own states, whose rates it gives, likewise -> unit by name.
    """

    noun: ClassVar[str] = "force"
    law_size: ClassVar[int] = 1
    write: Callable[[Action, Force], None]
    variables: tuple[str, ...] = ()
    units: Mapping[str, str] = field(default_factory=dict)
    time: bool = False
    check: Callable[[Mapping[str, Any], str], None] | None = None
    potential: Callable[[Action, Force], Node] | None = None
    holds: bool = False
    grips: bool = False
    outputs: tuple[Offer, ...] = ()
    work: tuple[Work, ...] = (Work(),)
    modes: Callable[[str, Mapping[str, Any]], tuple[str, ...]] | None = None
    states: Callable[[str, Mapping[str, Any]], Mapping[str, str]] | None = None

    def stores(self, force: Force) -> bool:
        """Whether an element has a potential energy: by its springs, or by a law of it."""
        springs = bool(self.scalars or self.vectors)
        return self.potential is not None and (springs or bool(force.laws.get(ENERGY)))

    def offers(self, labels: tuple[str, ...]) -> tuple[Offer, ...]:
        """The outputs of an element whose points have these labels."""
        if self.places != ANY:
            return self.outputs
        return tuple(row._replace(name=f"{at}.{row.name}") for at in labels for row in self.outputs)

    def works(self, labels: tuple[str, ...]) -> tuple[Work, ...]:
        """The products that are the power of such an element."""
        if self.places != ANY:
            return self.work
        return tuple(
            Work(f"{at}.{row.force}", f"{at}.{row.rate}", row.sign)
            for at in labels
            for row in self.work
        )


IN_JOINT = (Offer("force", "{effort}"), Offer("rate", "{q}/s"))
"""What every element in a joint tells: its effort, positive along the velocity, and this."""
AT_POINT = (
    Offer("force", "N", XYZ),
    Offer("torque", "N.m", XYZ),
    Offer("rate", "m/s", XYZ),
    Offer("angular_rate", "rad/s", XYZ),
)
"""What every element on a point tells: its wrench, velocity and angular velocity of the point."""
AT_POINT_WORK = (Work(), Work("torque", "angular_rate"))
FORCES = Registry[ForceKind]("kinetree.forces")
"""The force table: kind name -> row; the room `forces` fills it."""


def stop_modes(force: Force) -> tuple[str, ...]:
    """Names of the modes of a stop, one per gap; empty of other forces."""
    row = FORCES[force.kind]
    return row.modes(force.name, force.arguments) if row.modes else ()


def holding(model: Mechanism) -> list[str]:
    """Names of the forces that may hold joints still, by which forward dynamics has modes."""
    return [force.name for force in model.forces.values() if FORCES[force.kind].holds]


def stopping(model: Mechanism) -> list[str]:
    """Names of the forces that are stops, by which forward dynamics has contacts."""
    return [force.name for force in model.forces.values() if FORCES[force.kind].modes]


def refuse_pushes(model: Mechanism, element: str) -> None:
    """Refuse stops and frictions between points where their forces are not known."""
    for force in model.forces.values():
        row = FORCES[force.kind]
        if (row.modes or row.grips) and force.points:
            raise UnsupportedError(
                f"force '{force.name}' may push its points, which is not known there",
                element=element,
                cure="take it out, and give the forces of a run as external wrenches",
            )


def gripping(model: Mechanism) -> list[Force]:
    """The forces that may hold speeds which are not velocities of the model."""
    return [force for force in model.forces.values() if FORCES[force.kind].grips]


def refuse_holding(model: Mechanism, element: str, cure: str) -> None:
    """Refuse locks, dry friction and stops where nothing can be held still."""
    said = dict.fromkeys(holding(model), "may hold its joint still")
    said |= dict.fromkeys(stopping(model), "may come into contact")
    for name, does in said.items():
        raise UnsupportedError(
            f"force '{name}' {does}, which is not known there", element=element, cure=cure
        )


__all__ = [
    "AT_POINT", "AT_POINT_WORK", "FORCES", "IN_JOINT", "NULL", "XYZ", "Action", "Between", "Force",
    "ForceKind", "Frame", "Mat", "Offer", "Place", "State", "Told", "Vec", "Work",
    "gripping", "holding", "refuse_holding", "refuse_pushes", "stopping",
]  # fmt: skip
