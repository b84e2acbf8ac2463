"""The closure methods of a model, one per kind.

The methods only name the kind; its row in the closure table says which conditions it is made of.
A law takes any of the arguments `q`, `qd`, `t`, `x`, `y`, `z`, by these names; the last three are
the place of the first end in the frame of the second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kinetree.arguments import check_arguments
from kinetree.engine import SWITCH
from kinetree.errors import DuplicateNameError
from kinetree.model.closures import CLOSURES, Closure, Drive
from kinetree.model.laws import (
    LawLike,
    closure_law_names,
    find_coordinate,
    law_expressions,
    refuse_words,
    time_symbol,
)
from kinetree.model.methods.forces import ForceMethods
from kinetree.model.new_element import complete, find_kind, find_places, new_element, scalar_values
from kinetree.model.values import Scalar

if TYPE_CHECKING:
    from kinetree.model.methods.joints import Axis, Where
    from kinetree.model.parts import Joint


class ClosureMethods(ForceMethods):
    """``model.close_KIND(name, first, second, …)`` for every closure kind, laws and drives."""

    closures: dict[str, Closure]
    drives: dict[str, Drive]

    def closure(
        self,
        kind: str,
        name: str,
        ends: Sequence[Where] = (),
        arguments: Mapping[str, Any] | None = None,
    ) -> Closure:
        """Add a closure of the kind called `kind`; the methods below spell the known kinds."""
        element = new_element("closure", name, self.closures)
        given = {"kind": kind, "ends": ends, "arguments": arguments}
        check_arguments(ClosureMethods.closure, given, element)
        row = find_kind(CLOSURES, "closure", kind, element)
        _, points = find_places(self, row, ends, element)
        full = complete(self, row, arguments, closure_law_names(self, row, element), element)
        conditions, values = row.conditions(full, element), scalar_values(row, full)
        self.closures[name] = Closure(name, kind, points, conditions, full, values)
        return self.closures[name]

    def close_ball(self, name: str, first: Where, second: Where) -> Closure:
        """Keep the two ends at one place: up to three equations [m]."""
        return self.closure("ball", name, (first, second))

    def close_rod(self, name: str, first: Where, second: Where, length: Scalar) -> Closure:
        """Keep the distance of the two ends equal to `length` [m]: one equation, (d² - L²)/2."""
        return self.closure("rod", name, (first, second), {"length": length})

    def close_solid(self, name: str, first: Where, second: Where) -> Closure:
        """Keep the frames of the two ends together: six equations."""
        return self.closure("solid", name, (first, second))

    def close_revolute(self, name: str, first: Where, second: Where, axis: Axis = "z") -> Closure:
        """Join the ends by a hinge about `axis`, the same in both frames: five equations."""
        return self.closure("revolute", name, (first, second), {"axis": axis})

    def close_universal(
        self, name: str, first: Where, second: Where, axes: Sequence[Axis] = ("x", "y")
    ) -> Closure:
        """Join the ends by crossed hinges, axes[0] of the first frame, axes[1] of the second."""
        return self.closure("universal", name, (first, second), {"axes": axes})

    def close_cylindrical(
        self, name: str, first: Where, second: Where, axis: Axis = "z"
    ) -> Closure:
        """Let the ends slide along and turn about one `axis` of both frames: four equations."""
        return self.closure("cylindrical", name, (first, second), {"axis": axis})

    def close_prismatic(self, name: str, first: Where, second: Where, axis: Axis = "x") -> Closure:
        """Let the ends slide along `axis`, the same in both frames: five equations."""
        return self.closure("prismatic", name, (first, second), {"axis": axis})

    def close_planar(self, name: str, first: Where, second: Where, normal: Axis = "z") -> Closure:
        """Let the ends slide in the plane of `normal` and turn about it: three equations."""
        return self.closure("planar", name, (first, second), {"normal": normal})

    def close_line(self, name: str, point: Where, place: Where, axis: Axis = "x") -> Closure:
        """Keep a point on the line through `place` along `axis` of its frame: two equations [m]."""
        return self.closure("line", name, (point, place), {"axis": axis})

    def close_curve(self, name: str, point: Where, place: Where, law: LawLike) -> Closure:
        """Keep a point on a curve, two expressions of x, y, z in the frame of `place` [m]."""
        return self.closure("curve", name, (point, place), {"law": law})

    def close_surface(self, name: str, point: Where, place: Where, law: LawLike) -> Closure:
        """Keep a point on a surface, one expression of x, y, z in the frame of `place` [m]."""
        return self.closure("surface", name, (point, place), {"law": law})

    def couple(
        self, name: str, first: Joint | str, second: Joint | str, ratio: Scalar, offset: Scalar = 0
    ) -> Closure:
        """Keep q(first) = ratio·q(second) + offset: a gear, a belt, a rack; one equation."""
        given = {"first": first, "second": second, "ratio": ratio, "offset": offset}
        return self.closure("coupling", name, (), given)

    def constrain(self, name: str, law: LawLike) -> Closure:
        """Keep h(q, t) = 0, such as ``lambda q, t: q["a"] - 2*t``: one equation per value."""
        return self.closure("law", name, (), {"law": law})

    def constrain_rates(self, name: str, law: LawLike) -> Closure:
        """Keep a law linear in velocities at zero: ``lambda q, qd: qd["a"] - r*qd["b"]``."""
        return self.closure("rate", name, (), {"law": law})

    def roll(  # noqa: PLR0913  a wheel has that many dimensions
        self,
        name: str,
        wheel: Where,
        plane: Where,
        radius: Scalar,
        *,
        axis: Axis | None = None,
        normal: Axis = "z",
        crown: Scalar = 0,
    ) -> Closure:
        """Let a wheel, or without `axis` a sphere, roll on a plane without slipping.

        Args:
            name: of the closure.
            wheel: centre of the wheel; a point of the body that turns.
            plane: a place in the plane.
            radius: of the circle about `axis`, or of the sphere [m].
            axis: of the wheel, in the frame of `wheel`.
            normal: of the plane, in the frame of `plane`, on the wheel's side.
            crown: radius of the sphere that is swept along the circle [m].
        """
        given = {"radius": radius, "axis": axis, "normal": normal, "crown": crown}
        return self.closure("roll", name, (wheel, plane), given)

    def drive(self, joint: Joint | str, law: LawLike | None = None) -> Drive:
        """Give the motion of a coordinate.

        Args:
            joint: a joint with one coordinate, or the name of a coordinate.
            law: q(t), such as ``lambda t: 2*t``; without it q, qd, qdd are given at run time.
        """
        check_arguments(ClosureMethods.drive, {"joint": joint}, "drive")
        name = find_coordinate(self, joint, "drive")
        element = f"drive '{name}'"
        if name in self.drives:
            raise DuplicateNameError(
                "its motion is given already", element=element, cure="drive a coordinate once"
            )
        expr = None
        if law is not None:
            (expr,) = law_expressions(self, law, {"t": time_symbol()}, f"{element} law", 1)
            refuse_words((expr,), (SWITCH,), f"{element} law")
        self.drives[name] = Drive(name, expr)
        return self.drives[name]
