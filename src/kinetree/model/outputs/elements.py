"""Outputs of the user's own as data: expressions, and motions of points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kinetree.engine import Node
from kinetree.model.forces import XYZ

if TYPE_CHECKING:
    from kinetree.model.parts import Point

NINE = tuple(f"{row}{column}" for row in XYZ for column in XYZ)
ANGLES = ("roll", "pitch", "yaw")


@dataclass(frozen=True, slots=True)
class PointQuantity:
    """What can be asked of a point: endings of the names of its components, and their unit."""

    parts: tuple[str, ...]
    unit: str


POINT_QUANTITIES: dict[str, PointQuantity] = {
    "position": PointQuantity(XYZ, "m"),
    "velocity": PointQuantity(XYZ, "m/s"),
    "acceleration": PointQuantity(XYZ, "m/s2"),
    "rotation": PointQuantity(NINE, "1"),
    "orientation": PointQuantity(ANGLES, "rad"),
    "angular_velocity": PointQuantity(XYZ, "rad/s"),
    "angular_acceleration": PointQuantity(XYZ, "rad/s2"),
}
"""What can be asked of a point.  Orientation: R = Rz(yaw) Ry(pitch) Rx(roll)."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A motion of a point, seen from a moving point and resolved in the frame of another.

    Attributes:
        point: that moves.
        quantity: a row of POINT_QUANTITIES.
        relative_to: the point from which it is seen: its motion is taken off.
        frame: the point in whose frame the components are.
    """

    point: Point
    quantity: str
    relative_to: Point
    frame: Point


@dataclass(frozen=True, eq=False)
class ModelOutput:
    """An output of the user's own.

    Attributes:
        name: unique among the names that the model offers.
        what: an expression of q, qd, t, x, parameters and other outputs, or a motion of a point.
        unit: of an expression.
    """

    name: str
    what: Node | Seen
    unit: str = ""

    def data(self, spell: Callable[[str, Node], Any]) -> dict[str, Any]:
        """The output as in files, without its name; what is the ground is left out.

        Args:
            spell: (name of a scalar, expression) -> its text.
        """
        if isinstance(self.what, Node):
            unit = {"unit": self.unit} if self.unit else {}
            return {"expression": spell(f"{self.name}.output", self.what), **unit}
        seen = self.what
        found = {"relative_to": seen.relative_to.path, "frame": seen.frame.path}
        moved = {key: path for key, path in found.items() if path != "ground"}
        return {"point": seen.point.path, "quantity": seen.quantity, **moved}
