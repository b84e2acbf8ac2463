"""The closure methods of a model, one per kind.

The methods only name the kind; its row in the closure table says which conditions it is made of.
A law takes any of the arguments `q`, `qd`, `t`, `x`, `y`, `z`, by these names; the last three are
the place of the first end in the frame of the second.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from kinetree.arguments import check_arguments
from kinetree.engine import Node, Rank, symbol, symbols
from kinetree.errors import DuplicateNameError, ModelError, unknown
from kinetree.model.closures import Closure, ClosureKind, Drive, RateLaw
from kinetree.model.closures import Law as LawCondition
from kinetree.model.laws import (
    LawMethods,
    Named,
    coordinate_symbol,
    spelled,
    time_symbol,
    traced,
    velocity_symbol,
)
from kinetree.model.methods.elements import force_laws
from kinetree.model.parts import REQUIRED, Joint, check_name
from kinetree.model.values import Scalar, frozen, scalar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kinetree.model.laws import Law
    from kinetree.model.methods.joints import Axis, Place
    from kinetree.model.model import Model
    from kinetree.model.parts import Point

CLOSURES: dict[str, ClosureKind] = {}
"""The closure table: kind name -> row; the room `constraints` fills it."""
PLACE_LETTERS = ("x", "y", "z")


def place_symbols() -> tuple[Node, Node, Node]:
    """x, y, z [m] in laws of a closure with ends: the first end in the frame of the second."""
    x, y, z = (symbol(letter, Rank.COORDINATE) for letter in PLACE_LETTERS)
    return x, y, z


class ClosureMethods(LawMethods):
    """``model.close_KIND(name, first, second, …)`` for every closure kind, laws and drives."""

    closures: dict[str, Closure]
    drives: dict[str, Drive]

    @abstractmethod
    def _place(self, place: Any, element: str) -> Point:
        """The Point meant by a body, a point or a path."""

    def closure(
        self,
        kind: str,
        name: str,
        ends: Sequence[Place] = (),
        arguments: Mapping[str, Any] | None = None,
    ) -> Closure:
        """Add a closure of the kind called `kind`; the methods below spell the known kinds."""
        element = f"closure '{name}'"
        check_name(name, element)
        given_ones = {"kind": kind, "ends": ends, "arguments": arguments}
        check_arguments(ClosureMethods.closure, given_ones, element)
        if name in self.closures:
            raise DuplicateNameError(
                "there is a closure of this name already",
                element=element,
                cure="give every closure a name of its own",
            )
        if kind not in CLOSURES:
            raise unknown("closure kind", kind, CLOSURES, element)
        row = CLOSURES[kind]
        places = self._ends(row, ends, element)
        given = self._closure_arguments(row, arguments or {}, element)
        values: dict[str, Scalar] = {key: given[key] for key in row.scalars}
        made = Closure(name, kind, places, row.conditions(given, element), given, values)
        self.closures[name] = made
        return made

    def close_ball(self, name: str, first: Place, second: Place) -> Closure:
        """Keep the two ends at one place: up to three equations [m]."""
        return self.closure("ball", name, (first, second))

    def close_rod(self, name: str, first: Place, second: Place, length: Scalar) -> Closure:
        """Keep the distance of the two ends equal to `length` [m]: one equation, (d² - L²)/2."""
        return self.closure("rod", name, (first, second), {"length": length})

    def close_solid(self, name: str, first: Place, second: Place) -> Closure:
        """Keep the frames of the two ends together: six equations."""
        return self.closure("solid", name, (first, second))

    def close_revolute(self, name: str, first: Place, second: Place, axis: Axis = "z") -> Closure:
        """Join the ends by a hinge about `axis`, the same in both frames: five equations."""
        return self.closure("revolute", name, (first, second), {"axis": axis})

    def close_universal(
        self, name: str, first: Place, second: Place, axes: Sequence[Axis] = ("x", "y")
    ) -> Closure:
        """Join the ends by crossed hinges, axes[0] of the first frame, axes[1] of the second."""
        return self.closure("universal", name, (first, second), {"axes": axes})

    def close_cylindrical(
        self, name: str, first: Place, second: Place, axis: Axis = "z"
    ) -> Closure:
        """Let the ends slide along and turn about one `axis` of both frames: four equations."""
        return self.closure("cylindrical", name, (first, second), {"axis": axis})

    def close_prismatic(self, name: str, first: Place, second: Place, axis: Axis = "x") -> Closure:
        """Let the ends slide along `axis`, the same in both frames: five equations."""
        return self.closure("prismatic", name, (first, second), {"axis": axis})

    def close_planar(self, name: str, first: Place, second: Place, normal: Axis = "z") -> Closure:
        """Let the ends slide in the plane of `normal` and turn about it: three equations."""
        return self.closure("planar", name, (first, second), {"normal": normal})

    def close_line(self, name: str, point: Place, place: Place, axis: Axis = "x") -> Closure:
        """Keep a point on the line through `place` along `axis` of its frame: two equations [m]."""
        return self.closure("line", name, (point, place), {"axis": axis})

    def close_curve(self, name: str, point: Place, place: Place, law: Law) -> Closure:
        """Keep a point on a curve, two expressions of x, y, z in the frame of `place` [m]."""
        return self.closure("curve", name, (point, place), {"law": law})

    def close_surface(self, name: str, point: Place, place: Place, law: Law) -> Closure:
        """Keep a point on a surface, one expression of x, y, z in the frame of `place` [m]."""
        return self.closure("surface", name, (point, place), {"law": law})

    def couple(
        self,
        name: str,
        first: Joint | str,
        second: Joint | str,
        ratio: Scalar,
        offset: Scalar = 0,
    ) -> Closure:
        """Keep q(first) = ratio·q(second) + offset: a gear, a belt, a rack; one equation."""
        given = {"first": first, "second": second, "ratio": ratio, "offset": offset}
        return self.closure("coupling", name, (), given)

    def constrain(self, name: str, law: Law) -> Closure:
        """Keep h(q, t) = 0, such as ``lambda q, t: q["a"] - 2*t``: one equation per value."""
        return self.closure("law", name, (), {"law": law})

    def constrain_rates(self, name: str, law: Law) -> Closure:
        """Keep a law linear in velocities at zero: ``lambda q, qd: qd["a"] - r*qd["b"]``."""
        return self.closure("rate", name, (), {"law": law})

    def roll(  # noqa: PLR0913  a wheel has that many dimensions
        self,
        name: str,
        wheel: Place,
        plane: Place,
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

    def drive(self, joint: Joint | str, law: Law | None = None) -> Drive:
        """Give the motion of a coordinate.

        Args:
            joint: a joint with one coordinate, or the name of a coordinate.
            law: q(t), such as ``lambda t: 2*t``; without it q, qd, qdd are given at run time.
        """
        check_arguments(ClosureMethods.drive, {"joint": joint}, "drive")
        name = self._coordinate(joint, "drive")
        element = f"drive '{name}'"
        if name in self.drives:
            raise DuplicateNameError(
                "its motion is given already", element=element, cure="drive a coordinate once"
            )
        expr = None
        if law is not None:
            (expr,) = self._laws(law, {"t": time_symbol()}, element)
        self.drives[name] = Drive(name, expr)
        return self.drives[name]

    # --- what the methods share ------------------------------------------------------------------

    def _ends(self, row: ClosureKind, ends: Sequence[Place], element: str) -> tuple[Point, ...]:
        """The places of a closure, on two different bodies."""
        if len(ends) != row.ends:
            raise ModelError(f"has {len(ends)} ends", element=element, cure=f"give {row.ends} ends")
        titles = (f"{element} first end", f"{element} second end")
        places = tuple(self._place(end, title) for end, title in zip(ends, titles, strict=False))
        if places and places[0].body is places[1].body:
            raise ModelError(
                f"both its ends are on the body '{places[0].body.name}'",
                element=element,
                cure="give places on two different bodies",
            )
        return places

    def _closure_arguments(
        self, row: ClosureKind, given: Mapping[str, Any], element: str
    ) -> dict[str, Any]:
        """The arguments of a kind, complete and checked: scalars, laws, coordinates."""
        for key in given:
            if key not in row.options:
                raise unknown(f"argument of a {row.name} closure", key, row.options, element)
        full = {**row.options, **given}
        for key, value in full.items():
            if value is REQUIRED:
                raise ModelError(
                    f"a {row.name} closure needs its '{key}'", element=element, cure=f"give {key}"
                )
            if key in row.scalars:
                full[key] = scalar(value, f"{element} {key}")
            elif key in row.laws:
                full[key] = self._laws(value, self.law_names(row.name, element), element)
            elif row.ends == 0:
                full[key] = self._coordinate(value, element)
            else:
                full[key] = frozen(value)
        return full

    def law_names(self, kind: str, element: str = "") -> dict[str, Any]:
        """What the laws of a closure may use, under the names of a function's arguments."""
        row = CLOSURES[kind]
        q = {name: coordinate_symbol(name) for name in self.coordinates}
        names: dict[str, Any] = {"q": Named("coordinate", q, element), "t": time_symbol()}
        if row.rates:
            qd = {name: velocity_symbol(name) for name in self.velocities}
            names["qd"] = Named("velocity", qd, element)
        if row.ends:
            names |= dict(zip(PLACE_LETTERS, place_symbols(), strict=True))
        return names


def uses_time(model: Model) -> bool:
    """Whether a law of a drive, closure, force or state depends on the time t."""
    laws = [drive.law for drive in model.drives.values() if drive.law is not None]
    for closure in model.closures.values():
        laws += [c.expr for c in closure.conditions if isinstance(c, LawCondition | RateLaw)]
    return time_symbol() in symbols([*laws, *force_laws(model)])


__all__ = [
    "CLOSURES", "ClosureMethods", "Named", "coordinate_symbol", "place_symbols", "spelled",
    "time_symbol", "traced", "uses_time", "velocity_symbol",
]  # fmt: skip
