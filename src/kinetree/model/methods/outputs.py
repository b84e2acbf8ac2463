"""Outputs of the user's own: expressions, and motions of points in frames of choice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kinetree.arguments import changed_arguments, check_arguments
from kinetree.errors import DuplicateNameError, ModelError, unknown
from kinetree.model.laws import LawLike, law_expressions
from kinetree.model.methods.studies import StudyMethods
from kinetree.model.new_element import find_place, new_element
from kinetree.model.outputs import (
    POINT_QUANTITIES,
    ModelOutput,
    Seen,
    asked_outputs,
    offers,
    output_names,
)
from kinetree.units import to_si

if TYPE_CHECKING:
    from kinetree.engine import Node
    from kinetree.model.methods.joints import Where

MOTION = ("quantity", "relative_to", "frame")
"""What is said of a motion of a point alone."""
FRAMELESS = ("rotation", "orientation")
"""Quantities of a point that have no components in a frame."""


class OutputMethods(StudyMethods):
    """``model.output(name, …)``."""

    def output(  # noqa: PLR0913  one keyword per fact
        self,
        name: str,
        what: LawLike | str | None = None,
        *,
        unit: str = "",
        point: Where | None = None,
        quantity: str = "position",
        relative_to: Where = "ground",
        frame: Where = "ground",
    ) -> ModelOutput:
        """Add an output of your own: a number of every run, of FMUs and of linear models.

        Args:
            name: unique among what the model offers (`kinetree.model.outputs`).
            what: an expression or function of q, qd, t, x, as laws have them, and of outputs, a
                mapping by name: lambda outputs: outputs["strut.force"] / 1000; or the name of an
                output alone.
            unit: of `what`, for people: its value is as the expression gives it.
            point: in place of `what`, the body or point whose motion is meant.
            quantity: of the point: "position", "velocity", "acceleration", "angular_velocity",
                "angular_acceleration", "rotation" (nine components), "orientation" (roll, pitch,
                yaw: R = Rz(yaw) Ry(pitch) Rx(roll)).
            relative_to: body or point from which the motion is seen: positions count from it, and
                what moves with its body is at rest.
            frame: body or point in whose frame the components are.
        """
        element, given = new_element("output", name, self.outputs), locals()
        check_arguments(OutputMethods.output, {"unit": unit, "quantity": quantity}, element)
        if (what is None) == (point is None):
            raise ModelError(
                "it is not said what it is" if what is None else "it is said twice what it is",
                element=element,
                cure="give an expression, or point=",
            )
        _refuse_idle(given, MOTION if point is None else ("unit",), element)
        if point is None:
            to_si(1.0, unit, f"{element} unit")
            found: Node | Seen = self._expression(what, element)
        else:
            found = self._motion(point, quantity, relative_to, frame, element)
        made = ModelOutput(name, found, unit)
        self._refuse_taken(made, element)
        self.outputs[name] = made
        return made

    def _expression(self, what: Any, element: str) -> Node:
        """The expression of an output."""
        if isinstance(what, str):
            rows = asked_outputs(self, [what], element)
            if len(rows) != 1:
                raise ModelError(
                    f"'{what}' has {len(rows)} components",
                    element=element,
                    cure=f"name one, such as '{rows[0].name}'",
                )
            return rows[0].symbol
        names = output_names(self, element)
        (found,) = law_expressions(self, what, names, element, 1)
        return found

    def _motion(
        self, point: Any, quantity: str, relative_to: Any, frame: Any, element: str
    ) -> Seen:
        """The motion of a point."""
        if quantity not in POINT_QUANTITIES:
            raise unknown("quantity of a point", quantity, POINT_QUANTITIES, element)
        places = (("point", point), ("relative_to", relative_to), ("frame", frame))
        at, seen_from, axes = (find_place(self, x, f"{element} {what}") for what, x in places)
        if quantity in FRAMELESS and axes is not self.ground.origin:
            raise ModelError(
                f"'{quantity}' has no components in a frame",
                element=f"{element} frame",
                cure="leave frame out, and give relative_to",
            )
        return Seen(at, quantity, seen_from, axes)

    def _refuse_taken(self, made: ModelOutput, element: str) -> None:
        """Refuse a name that the model offers already."""
        if made.name in offers(self):
            raise DuplicateNameError(
                "the model offers an output of this name",
                element=element,
                cure="choose another name",
            )


def _refuse_idle(given: Mapping[str, Any], names: tuple[str, ...], element: str) -> None:
    """Refuse what an output of this sort has no use for."""
    for name in changed_arguments(OutputMethods.output, given, names):
        what = "an expression" if names == MOTION else "a motion of a point"
        raise ModelError(
            f"{what} has no use for it", element=f"{element} {name}", cure="leave it out"
        )
