"""What a force kind may ask and do while its equations are written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol

from kinetree.engine import Node
from kinetree.model.forces.elements import Between, Frame, Place, Told
from kinetree.model.vectors import NULL, Vec

if TYPE_CHECKING:
    from kinetree.model.forces.ports import FlowPort
    from kinetree.model.parts import Point


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

    def give_rate(self, state: str, rate: Node) -> None:
        """Give the rate of a state that the element brings."""

    def value_of(self, element: str, name: str) -> Node:
        """A scalar argument of another element."""

    def word_of(self, element: str, name: str) -> str:
        """An argument of another element that is a word."""

    def open_port(self, name: str, port: FlowPort) -> None:
        """Open a port of this element, at which flows meet."""

    def port(self, name: str) -> FlowPort:
        """A port of an element before this one."""

    def supply(self, port: str, flow: Node) -> None:
        """A flow into a port [m3/s]; the rate of its state follows from the sum of all."""

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
