"""The force table: what each kind takes, writes, offers and brings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from kinetree.door import Registry
from kinetree.engine import Node
from kinetree.model.forces.elements import ENERGY, XYZ, Force, Offer, Work
from kinetree.model.kinds import ANY, ElementKind

if TYPE_CHECKING:
    from kinetree.model.forces.action import Action


class OwnState(NamedTuple):
    """A state that an element brings: its name, the value to start from, its unit."""

    name: str
    initial: float
    unit: str


@dataclass(frozen=True)
class Belongings:
    """States and ports that elements of a kind bring, and what they join.

    Attributes:
        states: (name of the element, complete arguments) -> states that it brings.
        ports: endings of the names of its ports, where flows meet.
        joins: arguments that name ports of elements before it.
        positive: scalars that must be above zero.
        lasts: output below which a run ends, by the event NAME_end; empty where there is none.
        memories: what it keeps, name of the force -> by name of the memory what that becomes.
        pace: output that steps of controlled error must not be longer than, so that none passes
            over what the element does [s]; empty where nothing is so brief.
    """

    states: Callable[[str, Mapping[str, Any]], tuple[OwnState, ...]] | None = None
    ports: tuple[str, ...] = ()
    joins: tuple[str, ...] = ()
    positive: tuple[str, ...] = ()
    lasts: str = ""
    memories: Callable[[str], Mapping[str, Node]] | None = None
    pace: str = ""


NOTHING = Belongings()


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
        belongings: states and ports that it brings, and what it joins.
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
    belongings: Belongings = NOTHING

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
