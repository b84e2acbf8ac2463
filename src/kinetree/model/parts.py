"""The parts of a mechanism: what a formalism may ask of a body, a point, a joint, a wrench.

All are data. A joint is a tuple of elementary motions in order from parent to child, with massless
frames in between, so a formalism treats five motions and never a joint kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar

from kinetree.door import guard_methods
from kinetree.engine import Node
from kinetree.errors import DuplicateNameError, ModelError
from kinetree.model.unchanged import fix_mappings
from kinetree.model.values import IDENTITY, Matrix3, Scalar, Scalar3, Vector3, rotation, scalars

QUATERNION = (1.0, 0.0, 0.0, 0.0)
"""The quaternion w, x, y, z of no rotation."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Rotation about `axis` (unit, in the frame before the motion) by q [rad], right-handed."""

    axis: Vector3
    neutral: ClassVar[tuple[float, ...]] = (0.0,)
    nv: ClassVar[int] = 1
    q_units: ClassVar[tuple[str, ...]] = ("rad",)
    v_units: ClassVar[tuple[str, ...]] = ("rad/s",)


@dataclass(frozen=True, slots=True)
class Shift:
    """Translation along `axis` (unit, in the frame before the motion) by q [m]."""

    axis: Vector3
    neutral: ClassVar[tuple[float, ...]] = (0.0,)
    nv: ClassVar[int] = 1
    q_units: ClassVar[tuple[str, ...]] = ("m",)
    v_units: ClassVar[tuple[str, ...]] = ("m/s",)


@dataclass(frozen=True, slots=True)
class Twist:
    """Rotation about `axis` by q [rad] with a translation along it by `pitch`·q.

    `pitch` [m/rad] is a number or a Node; positive advances along `axis` for positive q.
    """

    axis: Vector3
    pitch: Scalar
    neutral: ClassVar[tuple[float, ...]] = (0.0,)
    nv: ClassVar[int] = 1
    q_units: ClassVar[tuple[str, ...]] = ("rad",)
    v_units: ClassVar[tuple[str, ...]] = ("rad/s",)


@dataclass(frozen=True, slots=True)
class Ball:
    """Free rotation: q = quaternion w, x, y, z of R from child to parent components.

    qd = angular velocity of the child relative to the parent, in the child frame [rad/s].
    """

    neutral: ClassVar[tuple[float, ...]] = QUATERNION
    nv: ClassVar[int] = 3
    q_units: ClassVar[tuple[str, ...]] = ("1",) * 4
    v_units: ClassVar[tuple[str, ...]] = ("rad/s",) * 3


@dataclass(frozen=True, slots=True)
class Float:
    """Free motion: q = quaternion w, x, y, z, then position of the child in the parent frame.

    qd = [angular; linear] velocity of the child relative to the parent, in the child frame.
    """

    neutral: ClassVar[tuple[float, ...]] = (*QUATERNION, 0.0, 0.0, 0.0)
    nv: ClassVar[int] = 6
    q_units: ClassVar[tuple[str, ...]] = ("1",) * 4 + ("m",) * 3
    v_units: ClassVar[tuple[str, ...]] = ("rad/s",) * 3 + ("m/s",) * 3


Motion = Turn | Shift | Twist | Ball | Float


@dataclass(frozen=True, eq=False)
class Point:
    """A point of a body with a frame of its own.

    Attributes:
        name: name within the body; empty for the body's origin.
        body: the body that carries it.
        position: from the body's origin, in the body frame [m].
        rotation: R from components in the point's frame to components in the body frame.
    """

    name: str
    body: Body
    position: Scalar3 = (0, 0, 0)
    rotation: Matrix3 = IDENTITY

    @property
    def path(self) -> str:
        """``body.point``, or the body's name alone for its origin."""
        return f"{self.body.name}.{self.name}" if self.name else self.body.name

    def __repr__(self) -> str:
        return f"Point('{self.path}')"


@guard_methods
@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body and its frame.

    Attributes:
        name: unique among the bodies of the model.
        mass: [kg], number or Node.
        com: centre of mass from the body's origin, in the body frame [m].
        inertia: about the centre of mass, in the body frame, tensor elements in the order
            xx, yy, zz, xy, xz, yz [kg.m2].
        physical: False says that the inertia is an effective one (only what its joint lets move),
            so it need not be that of a real body.
        points: named points in order of addition.
    """

    name: str
    mass: Scalar = 0
    com: Scalar3 = (0, 0, 0)
    inertia: tuple[Scalar, ...] = (0, 0, 0, 0, 0, 0)
    physical: bool = True
    points: dict[str, Point] = field(default_factory=dict, repr=False)
    origin: Point = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "origin", Point("", self))

    def point(
        self, name: str, position: Sequence[Scalar] = (0, 0, 0), rotation: Any = None
    ) -> Point:
        """Add a point.

        Args:
            name: unique among the points of this body.
            position: from the body's origin, in the body frame [m]; numbers or Nodes.
            rotation: 3×3 numbers, point frame to body frame; none means parallel frames.

        Returns:
            The point, to be used as the place of a joint or a wrench.
        """
        path = f"point '{self.name}.{name}'"
        check_name(name, path)
        if name in self.points:
            raise DuplicateNameError(
                f"body '{self.name}' has a point of this name already",
                element=path,
                cure="choose another name, or use the existing one through model.point",
            )
        x, y, z = scalars(position, f"{path} position", (3,))
        made = Point(name, self, (x, y, z), _rotation(rotation, f"{path} rotation"))
        self.points[name] = made
        return made


_rotation = rotation


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a joint, kept as data: no equation uses them.

    Attributes:
        lower: smallest q [rad or m], none when free.
        upper: largest q [rad or m], none when free.
        velocity: largest |qd| [rad/s or m/s].
        effort: largest |tau| [N.m or N].
    """

    lower: float | None = None
    upper: float | None = None
    velocity: float | None = None
    effort: float | None = None

    @property
    def is_bound(self) -> bool:
        """Whether q has a bound."""
        return self.lower is not None or self.upper is not None

    @property
    def is_empty(self) -> bool:
        """Whether no q lies between the limits."""
        return self.lower is not None and self.upper is not None and self.lower > self.upper


@dataclass(frozen=True, slots=True)
class Mimic:
    """q = ratio·q_of(joint) + offset: the joint has no coordinate of its own."""

    joint: str
    ratio: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, eq=False)
class CoordinateGroup:
    """Coordinates that belong together: those of a joint, or of a position matrix.

    Attributes:
        name: unique in the mechanism.
        motions: the elementary motions that they make, in order; empty for a fixed joint.
        coordinates: names of its q.
        velocities: names of its qd, which are those of its tau.
        limits: bounds, data only.
        mimic: the joint that is followed, if any; q is then not one of the model's.
        initial: q to start from, in place of the neutral one.
        damping: coefficient of viscous friction, data only [N.m.s/rad or N.s/m].
        friction: dry friction, data only [N.m or N].
        armature: inertia of the rotor behind every velocity, seen at the joint: it adds to the
            diagonal of M [kg.m2 for turning, kg for sliding]; numbers or Nodes, empty for none.
    """

    name: str
    motions: tuple[Motion, ...]
    coordinates: tuple[str, ...]
    velocities: tuple[str, ...]
    _: KW_ONLY
    limits: Limits | None = None
    mimic: Mimic | None = None
    initial: tuple[float, ...] | None = None
    damping: float = 0.0
    friction: float = 0.0
    armature: tuple[Scalar, ...] = ()

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return sum(len(motion.neutral) for motion in self.motions)

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return sum(motion.nv for motion in self.motions)

    @property
    def neutral(self) -> tuple[float, ...]:
        """Coordinates at which nothing is displaced: zeros, quaternions 1 0 0 0."""
        return tuple(value for motion in self.motions for value in motion.neutral)

    @property
    def follows(self) -> bool:
        """Whether its motion is that of another joint."""
        return self.mimic is not None and bool(self.motions)

    @property
    def q_units(self) -> tuple[str, ...]:
        """Unit of every coordinate."""
        return tuple(unit for motion in self.motions for unit in motion.q_units)

    @property
    def v_units(self) -> tuple[str, ...]:
        """Unit of every velocity."""
        return tuple(unit for motion in self.motions for unit in motion.v_units)

    @property
    def armatures(self) -> tuple[tuple[str, Scalar, str], ...]:
        """(name, value, unit) of every rotor inertia, numbered where there are several."""
        ends = ("",) if self.nv == 1 else tuple(f"_{k + 1}" for k in range(self.nv))
        units = ("kg.m2" if unit == "rad/s" else "kg" for unit in self.v_units)
        rows = zip(ends, self.armature, units, strict=False)
        return tuple((f"{self.name}.armature{end}", value, unit) for end, value, unit in rows)


@dataclass(frozen=True, eq=False)
class Joint(CoordinateGroup):
    """A joint: the motions that carry the child's frame from the parent's.

    At q = 0 (quaternions 1 0 0 0) the frame of `child` coincides with the frame of `parent`.

    Attributes:
        kind: name of the row in the joint table, for files and pictures.
        parent: point of the inner body, with its frame.
        child: point of the outer body, with its frame; mostly the body's origin.
        arguments: what the user gave to the kind (axis, pitch, ...), for files.
        renamed: whether the coordinate names were given instead of made from the joint's name.
    """

    kind: str
    parent: Point
    child: Point
    arguments: Mapping[str, Any] = field(default_factory=dict)
    renamed: bool = False

    def __post_init__(self) -> None:
        fix_mappings(self, f"joint '{self.name}'", "arguments")

    def __repr__(self) -> str:
        return f"Joint('{self.name}', {self.kind}, '{self.parent.path}' -> '{self.child.path}')"


@dataclass(frozen=True, eq=False)
class Wrench:
    """An external wrench, given at run time as six values [torque; force] [N.m, N].

    Attributes:
        name: name of the run-time input.
        point: where the force acts; the torque is about this point.
        frame: "body" for components in the frame of the point, "world" for those of the ground.
    """

    name: str
    point: Point
    frame: str = "body"


@dataclass(frozen=True, eq=False)
class Parameter:
    """A named scalar of the model that stays a run-time input.

    Attributes:
        name: in expressions.
        value: default at run time, in SI units.
        unit: of the SI; empty where none was given.
        symbol: in equations.
        written: value and unit as they were given, where that was not in SI units.
    """

    name: str
    value: float
    unit: str
    symbol: Node
    written: tuple[float, str] | None = None


def check_title(name: Any) -> None:
    """Refuse a name of a model that is blank or does not print on one line."""
    text = str(name)
    if not text.strip() or not text.isprintable():
        raise ModelError(
            f"{text!r} cannot be a name",
            element="model",
            cure="use letters, digits, blanks and signs that print, on one line",
        )


def check_name(name: Any, element: str) -> None:
    """Refuse a name that is empty, holds a dot or white space, or is no string."""
    fine = isinstance(name, str) and name and "." not in name and name.isprintable()
    if not fine or any(letter.isspace() for letter in name):
        raise ModelError(
            f"{name!r} cannot be a name",
            element=element,
            cure="use letters, digits and underscores, without dots and blanks",
        )
