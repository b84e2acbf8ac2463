"""Links in natural coordinates: every frame is made of points and directions, shared where it can.

| motion of a link | shared with its parent | made anew | equations |
|---|---|---|---|
| turns about an axis | origin, axis | up to two directions | unit, square |
| slides along an axis | directions | origin | origin on the axis |
| screws | axis | origin, up to two directions | both, and the pitch |
| turns freely, floats | origin, or nothing | three directions, origin | unit, square |
| driven by a law | all, by known functions of the time | nothing | none |

A direction is made when something asks for it: a thin bar that swings in a plane has one direction
of its own.  Where a law, a coupling or a screw speaks of an angle, the angle is a coordinate too,
tied to the directions by c sin q - s cos q = 0, which holds over any number of turns.

Refs: GarciaDeJalon1994; Cuadrado2003 sec. 2 (natural coordinates)
"""

from __future__ import annotations

from kinetree.arrays import Array
from kinetree.engine import ONE, ZERO, Node, cos, number, sin
from kinetree.formalism.links.linkage import Link, Linkage
from kinetree.formalism.links.motion import AxisMotion, FreeMotion
from kinetree.formalism.links.vectors import Vec
from kinetree.formalism.natural.angle_ties import tie_angle, tie_quaternion, tie_slide
from kinetree.formalism.natural.combinations import NOTHING, Jet, Sum, constant, one
from kinetree.formalism.natural.constraints import ProductConstraint, ZeroComponent
from kinetree.formalism.natural.coordinates import AXES, LINK, NaturalSpace

OWN = 6
"""Natural vectors beyond which the origin of a turning link becomes a point of its own."""
HALF = number(0.5)


class LinkFrame:
    """A link: origin and axes as combinations of natural vectors."""

    def __init__(self, space: NaturalSpace, link: Link) -> None:
        self.space, self.link, self.name = space, link, link.name
        self.label = f"{LINK}{link.name}"
        self.axes: list[Sum | None] = [None, None, None]
        self.parent: LinkFrame = space.frames[link.parent] if space.frames else self
        self.origin = self._origin()

    @property
    def grounded(self) -> bool:
        """Whether it is the ground."""
        return False

    def _origin(self) -> Sum:
        """The origin, shared with the parent."""
        return self.parent.point(self.link.r)

    def axis(self, k: int) -> Sum:
        """Direction of axis k, made where it is new."""
        found = self.axes[k]
        if found is None:
            found = self.axes[k] = self._axis(k)
        return found

    def _axis(self, k: int) -> Sum:
        """Shared with the parent."""
        return self.parent.direction(self.link.R0[:, k])

    def direction(self, components: Array) -> Sum:
        """A constant direction of the link."""
        total = NOTHING
        for k, x in enumerate(components.tolist()):
            if x:
                total = total.plus(self.axis(k).times(constant(number(x))))
        return total

    def point(self, p: Vec) -> Sum:
        """A point of the link, at p in its frame."""
        total = self.origin
        for k, x in enumerate(p):
            if x is not ZERO:
                total = total.plus(self.axis(k).times(constant(x)))
        return total

    def settle(self) -> None:
        """Make what the motion needs even where nothing asks for it."""

    def axes_for(self, k: int) -> tuple[int, ...]:
        """Axes that give axis k: itself where it is made, else the two it is the product of."""
        if self.axes[k] is None:
            i, j = (k + 1) % 3, (k + 2) % 3
            self.prepare()
            if self.axes[k] is None and self.axes[i] is not None and self.axes[j] is not None:
                return (i, j)
            self.axis(k)
        return (k,)

    def prepare(self) -> None:
        """Make those axes that cost no coordinates."""

    def new(self, k: int) -> Sum:
        """A new direction of unit length, square to those there are."""
        made = one(self.space.vector(self, k))
        self.space.tie(ProductConstraint(f"{self.label}.{AXES[k]}", made, made, ONE, HALF))
        for i, other in enumerate(self.axes):
            if other is not None and i != k:
                self.space.tie(ProductConstraint(f"{self.label}.{AXES[i]}{AXES[k]}", other, made))
        return made

    def shared_point(self, at: Sum) -> Sum:
        """A point of the parent; where it is made of many vectors, one of its own."""
        if len(at.moving) <= OWN:
            return at
        made = one(self.space.vector(self, 3))
        for k, a in enumerate(AXES):
            self.space.tie(ZeroComponent(f"{self.label}.at_{a}", made.minus(at), k))
        return made


class Ground(LinkFrame):
    """What does not move: its axes are numbers."""

    @property
    def grounded(self) -> bool:
        """Whether it is the ground."""
        return True

    def _origin(self) -> Sum:
        return NOTHING

    def _axis(self, k: int) -> Sum:
        return one(self.space.ground[k])

    def prepare(self) -> None:
        """All of them."""
        for k in range(3):
            self.axis(k)


class Turning(LinkFrame):
    """A link that turns about an axis, and slides along it where it screws."""

    def __init__(self, space: NaturalSpace, link: Link) -> None:
        super().__init__(space, link)
        assert isinstance(link.motion, AxisMotion)
        self.motion = link.motion
        self.k = link.motion.k
        self.i, self.j = (self.k + 1) % 3, (self.k + 2) % 3

    def _origin(self) -> Sum:
        at = self.parent.point(self.link.r)
        motion = self.link.motion
        assert isinstance(motion, AxisMotion)
        if motion.slide is ZERO:
            return self.shared_point(at)
        return on_axis(self, at, motion)

    def _axis(self, k: int) -> Sum:
        if k == self.k:
            return super()._axis(k)
        self.prepare()
        return self.new(k)

    def prepare(self) -> None:
        """The shared axis."""
        if self.axes[self.k] is None:
            self.axes[self.k] = super()._axis(self.k)

    def settle(self) -> None:
        """At least one direction turns; an angle that is spoken of is a coordinate."""
        if self.axes[self.i] is None and self.axes[self.j] is None:
            self.axis(self.i)
        follows = self.motion.q not in self.space.system.q
        names = self.space.system.model.velocities
        if self.motion.slide is not ZERO or follows or names[self.motion.dofs[0]] in (
            self.space.spoken
        ):  # fmt: skip
            tie_angle(self)

    def axis_pair(self) -> tuple[int, int]:
        """(a, b): an axis that is made, and the other one, square to it and to the axis."""
        return (self.i, self.j) if self.axes[self.i] is not None else (self.j, self.i)


class Sliding(LinkFrame):
    """A link that slides along an axis."""

    def _origin(self) -> Sum:
        motion = self.link.motion
        assert isinstance(motion, AxisMotion)
        return on_axis(self, self.parent.point(self.link.r), motion)

    def settle(self) -> None:
        """A link that follows another slides by its coordinate."""
        motion = self.link.motion
        assert isinstance(motion, AxisMotion)
        if motion.q not in self.space.system.q:
            tie_slide(self, motion)

    def prepare(self) -> None:
        """Those of the parent."""
        if not any(self.axes):
            self.parent.prepare()


class FreeLink(LinkFrame):
    """A link that turns freely, and floats or not."""

    def _origin(self) -> Sum:
        at = self.parent.point(self.link.r)
        motion = self.link.motion
        assert isinstance(motion, FreeMotion)
        if motion.floats:
            return one(self.space.vector(self, 3))
        return self.shared_point(at)

    def _axis(self, k: int) -> Sum:
        return self.new(k)

    def settle(self) -> None:
        """Two directions tell the orientation."""
        while sum(axis is not None for axis in self.axes) < 2:
            self.axis(self.axes.index(None))
        motion, model = self.link.motion, self.space.system.model
        assert isinstance(motion, FreeMotion)
        at = dict(zip(self.space.system.q, model.coordinates, strict=True))
        names = {*(at[e] for e in motion.e), *(model.velocities[k] for k in motion.dofs[:3])}
        if names & self.space.spoken:
            tie_quaternion(self, motion)


class Driven(LinkFrame):
    """A link whose motion is a known function of the time."""

    def __init__(self, space: NaturalSpace, link: Link, law: Jet) -> None:
        assert isinstance(link.motion, AxisMotion)
        self.motion, self.law = link.motion, law
        super().__init__(space, link)

    def _origin(self) -> Sum:
        at = self.parent.point(self.link.r)
        if self.motion.slide is ZERO:
            return self.shared_point(at)
        s = self.motion.slide
        by: Jet = (s * self.law[0], s * self.law[1], s * self.law[2])
        return self.space.name_coefficients(at.plus(super()._axis(self.motion.k).times(by)))

    def _axis(self, k: int) -> Sum:
        motion = self.motion
        if k == motion.k or motion.turn is ZERO:
            return super()._axis(k)
        i, j = (motion.k + 1) % 3, (motion.k + 2) % 3
        x, y = super()._axis(i), super()._axis(j)
        C, S = circle(motion.turn, self.law)
        if k == i:
            return self.space.name_coefficients(x.times(C).plus(y.times(S)))
        return self.space.name_coefficients(y.times(C).minus(x.times(S)))

    def prepare(self) -> None:
        """The axis it turns about."""
        self.axis(self.motion.k)


def circle(turn: Node, law: Jet) -> tuple[Jet, Jet]:
    """Cosine and sine of an angle that is a known function of the time."""
    a, first, second = (turn * x for x in law)
    C, S = cos(a), sin(a)
    return ((C, -S * first, -S * second - C * first**2), (S, C * first, C * second - S * first**2))


def on_axis(frame: LinkFrame, at: Sum, motion: AxisMotion) -> Sum:
    """A new point that stays on the axis of the motion through `at`."""
    made = one(frame.space.vector(frame, 3))
    for k in ((motion.k + 1) % 3, (motion.k + 2) % 3):
        across = frame.parent.direction(frame.link.R0[:, k])
        label = f"{frame.label}.on_{AXES[k]}"
        frame.space.tie(ProductConstraint(label, across, made.minus(at)))
    return made


def natural_space(system: Linkage, spoken: set[str]) -> NaturalSpace:
    """The natural coordinates of a linkage.

    Args:
        system: the links.
        spoken: coordinates of the model that laws speak of.
    """
    space = NaturalSpace(system, spoken)
    space.frames.append(Ground(space, system.links[0]))
    for link in system.links[1:]:
        space.frames.append(_frame(space, link))
    for frame in space.frames:
        frame.settle()
    return space


def _frame(space: NaturalSpace, link: Link) -> LinkFrame:
    motion = link.motion
    if isinstance(motion, FreeMotion):
        return FreeLink(space, link)
    jet = space.law(motion)
    if jet is not None:
        return Driven(space, link, jet)
    if motion.turn is ZERO:
        return Sliding(space, link)
    return Turning(space, link)
