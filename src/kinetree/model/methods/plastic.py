"""The methods of a model that add what keeps a set: plastic springs, layers that are crushed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kinetree.arguments import check_arguments
from kinetree.engine import Node, as_node, maximum, minimum
from kinetree.errors import ModelError
from kinetree.model.forces import Force
from kinetree.model.laws import (
    LawLike,
    coordinate_symbol,
    find_coordinate,
    trace,
    variable,
    velocity_symbol,
)
from kinetree.model.methods.contacts import ContactMethods
from kinetree.model.new_element import new_element
from kinetree.model.values import Scalar, number, scalar

if TYPE_CHECKING:
    from kinetree.model.methods.joints import Where
    from kinetree.model.parts import Joint


class PlasticMethods(ContactMethods):
    """``model.plastic_spring(name, joint, …)`` and ``model.crushable(name, first, second, …)``."""

    def plastic_spring(
        self, name: str, joint: Joint | str, stiffness: Scalar, limit: Scalar, rest: float = 0.0
    ) -> Force:
        """An elastic-plastic spring in a joint: linear up to a limit, at which it flows.

        While a coordinate goes one way, its force depends on where it turned last, so the set is
        found anew there, by an event, and nowhere else: the path is exact in every method.

        Args:
            name: of the force; its set is the mode NAME_set, found anew by the event NAME_turn.
            joint: a joint with one coordinate, or the name of a coordinate.
            stiffness: [N.m/rad or N/m].
            limit: force at which it flows [N.m or N].
            rest: coordinate at which it is at rest at the start [rad or m].
        """
        element = new_element("force", name, self.forces)
        given = {"stiffness": scalar(stiffness, element), "limit": scalar(limit, element)}
        for word, value in given.items():
            if not isinstance(value, Node) and value <= 0:
                raise ModelError(f"its {word} is {value}", element=element, cure="give it above 0")
        coordinate = find_coordinate(self, joint, element)
        velocity = self.velocity_of(coordinate)
        q, k, most = coordinate_symbol(coordinate), as_node(stiffness), as_node(limit)
        rest_at = self.mode(f"{name}_set", float(number(rest, f"{element} rest")))
        pull = maximum(-most, minimum(most, k * (q - rest_at)))
        self.event(f"{name}_turn", velocity_symbol(velocity), {f"{name}_set": q - pull / k},
                   direction="both")  # fmt: skip
        return self.force("joint_law", name, (), {"joint": velocity, "law": -pull})

    def crushable(  # noqa: PLR0913  one argument per fact
        self,
        name: str,
        first: Where,
        second: Where,
        length: Scalar,
        envelope: LawLike,
        unloading: LawLike,
        *,
        axis: Any = None,
        located: bool = True,
    ) -> Force:
        """A layer between two points that is crushed: it pushes, never pulls, and keeps its set.

        Shortened further than ever before it pushes as its envelope says; otherwise its force
        falls from there along a straight line, and grows along the same line again.

        Args:
            name: of the force; the largest crush is the memory NAME_set.
            first: where it acts at one end.
            second: and at the other, oppositely.
            length: of the layer before it is crushed [m].
            envelope: force [N] as a function of `crush`, the shortening [m]; zero at zero.
            unloading: stiffness [N/m] of the line along which the force falls, a number or a
                function of `crush`, the largest so far; at least the slope of the envelope there.
            axis: direction in the frame of the first place along which it is crushed; by default
                that of the line of the two points.
            located: whether a step of a run ends where the layer turns, by the event NAME_turn, so
                that the path is exact in every method; else the set is what accepted steps see,
                which is cheaper where there are many layers.
        """
        check_arguments(PlasticMethods.crushable, {"located": located}, f"force '{name}'")
        laws = {"envelope": envelope, "unloading": unloading}
        crush = {"crush": variable("crush")}
        traced = {key: trace(law, crush, f"force '{name}' {key}") for key, law in laws.items()}
        given = {"length": length, "axis": axis, **traced}
        made = self.force("crushable", name, (first, second), given)
        if located:
            then = {f"{name}_set": as_node(self.states[f"{name}_set"].remembered)}
            self.event(f"{name}_turn", lambda outputs: outputs[f"{name}.rate"], then)
        return made
