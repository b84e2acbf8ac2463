"""Forces and states as data, and what they see and tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from kinetree.engine import Node, Rank, sqrt, symbol
from kinetree.errors import ModelError
from kinetree.model.unchanged import fix_mappings
from kinetree.model.values import Scalar
from kinetree.model.vectors import Mat, Vec, dot, is_null

if TYPE_CHECKING:
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

    def __post_init__(self) -> None:
        fix_mappings(self, f"force '{self.name}'", "arguments", "scalars", "laws")

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
        owner: name of the force element that brings it and writes its rate; empty otherwise.
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
    owner: str = ""


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

    def symbol(self, force: str) -> Node:
        """What stands for a scalar of this force in expressions of outputs."""
        return symbol(f"{force}.{self.name}", Rank.FORCE)


class Work(NamedTuple):
    """A force and the rate at which it works: power = sign · force · rate, summed over parts."""

    force: str = "force"
    rate: str = "rate"
    sign: int = 1


ENERGY = "energy"
"""The argument of kinds whose force may be given by its energy."""
Frame = Literal["ground", "point"] | Between
"""Whose components a vector has."""
