"""What closes the loops of a mechanism: what a formalism may ask of a closure, a law, a drive.

A closure is a tuple of elementary *conditions*, each one scalar equation, so a formalism treats a
handful of conditions and never a closure kind.  Conditions that no position can satisfy or violate
(rolling) are equations between velocities; the others hold for positions, h = 0.

The two ends of a closure are points with frames.  `d` is the vector from the second end to the
first.

Refs: Docquier2013 sec. 2.2
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from kinetree.door import Registry
from kinetree.model.kinds import ElementKind
from kinetree.model.unchanged import fix_mappings
from kinetree.model.values import Scalar, Vector3

if TYPE_CHECKING:
    from kinetree.engine import Node
    from kinetree.model.parts import Point


@dataclass(frozen=True, slots=True)
class Coincide:
    """h = d·e_k [m]: both ends at one place, seen along axis k of the last link they share."""

    label: str
    k: int
    holonomic: ClassVar[bool] = True
    unit: ClassVar[str] = "m"


@dataclass(frozen=True, slots=True)
class Along:
    """h = d·axis [m]: the first end has no distance along an axis fixed in the second's frame."""

    label: str
    axis: Vector3
    holonomic: ClassVar[bool] = True
    unit: ClassVar[str] = "m"


@dataclass(frozen=True, slots=True)
class Angle:
    """h = a·b - cosine [1]: a is fixed in the first frame, b in the second, both of unit length.

    `guarded` says that the directions `a` of both frames are meant to be parallel, not opposite.
    """

    label: str
    a: Vector3
    b: Vector3
    cosine: float = 0
    guarded: bool = True
    holonomic: ClassVar[bool] = True
    unit: ClassVar[str] = "1"


@dataclass(frozen=True, slots=True)
class Distance:
    """h = (d·d - length²)/2 [m2], with the closure's scalar `length`."""

    label: str
    holonomic: ClassVar[bool] = True
    unit: ClassVar[str] = "m2"


@dataclass(frozen=True, slots=True)
class Coupled:
    """h = q(first) - ratio·q(second) - offset, with the closure's scalars `ratio` and `offset`."""

    label: str
    first: str
    second: str
    holonomic: ClassVar[bool] = True
    unit: ClassVar[str] = ""


@dataclass(frozen=True, slots=True)
class Law:
    """h = expr, of coordinates q_NAME, the time t and named parameters.

    With ends, of x, y, z too: the place of the first end in the second's frame [m].
    """

    label: str
    expr: Node
    holonomic: ClassVar[bool] = True
    unit: ClassVar[str] = ""


@dataclass(frozen=True, slots=True)
class RateLaw:
    """0 = expr, linear in velocities qd_NAME, of coordinates, the time and named parameters too."""

    label: str
    expr: Node
    holonomic: ClassVar[bool] = False
    unit: ClassVar[str] = ""


@dataclass(frozen=True, slots=True)
class Touch:
    """h = height of the wheel's lowest point above the plane [m].

    The wheel is a circle about `axis` through the first end (scalar `radius`), swept by a small
    sphere (scalar `crown`); without an axis it is the sphere alone.  The plane contains the second
    end; `normal` is fixed in its frame and points to the side of the wheel.
    """

    label: str
    axis: Vector3 | None
    normal: Vector3
    holonomic: ClassVar[bool] = True
    unit: ClassVar[str] = "m"


@dataclass(frozen=True, slots=True)
class Roll:
    """0 = velocity of the touching material point along `direction`, fixed in the plane [m/s].

    Wheel and plane are those of `Touch`.
    """

    label: str
    axis: Vector3 | None
    normal: Vector3
    direction: Vector3
    holonomic: ClassVar[bool] = False
    unit: ClassVar[str] = "m/s"


Condition = Coincide | Along | Angle | Distance | Coupled | Law | RateLaw | Touch | Roll


@dataclass(frozen=True, eq=False)
class Closure:
    """A closed loop, a coupling of coordinates or a user's constraint.

    Attributes:
        name: unique among the closures.
        kind: name of the row in the closure table, for files and pictures.
        ends: the two points with their frames; empty for what only speaks of coordinates.
        conditions: one per equation, before trivial ones are dropped.
        arguments: what the user gave to the kind, for files.
        scalars: name -> value of the lengths and ratios that stay run-time parameters, called
            "closure.name" in the parameter list.
    """

    name: str
    kind: str
    ends: tuple[Point, ...]
    conditions: tuple[Condition, ...]
    arguments: Mapping[str, Any] = field(default_factory=dict)
    scalars: Mapping[str, Scalar] = field(default_factory=dict)

    def __post_init__(self) -> None:
        fix_mappings(self, f"closure '{self.name}'", "arguments", "scalars")

    def __repr__(self) -> str:
        between = " - ".join(f"'{end.path}'" for end in self.ends)
        return f"Closure('{self.name}', {self.kind}{', ' if between else ''}{between})"


@dataclass(frozen=True, eq=False)
class Drive:
    """A coordinate whose motion is given.

    Attributes:
        coordinate: its name.
        law: q(t) as an expression of the time t and named parameters; its rates follow by
            differentiation.  None where q, qd and qdd are given at run time.
    """

    coordinate: str
    law: Node | None = None


@dataclass(frozen=True)
class ClosureKind(ElementKind):
    """One row of the closure table.

    Attributes:
        conditions: from the arguments of the kind and the element path (for errors) to conditions.
        rates: whether its laws may use velocities.
    """

    noun: ClassVar[str] = "closure"
    conditions: Callable[[Mapping[str, Any], str], tuple[Condition, ...]]
    rates: bool = False


CLOSURES = Registry[ClosureKind]("kinetree.constraints")
"""The closure table: kind name -> row; the room `constraints` fills it."""
