"""The methods of a model that add what keeps a set: plastic springs, layers that are crushed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.engine import (
    Node,
    as_node,
    derivative,
    evaluate,
    maximum,
    minimum,
    select,
    symbol,
    symbols,
)
from kinetree.errors import ModelError
from kinetree.model.forces import Force
from kinetree.model.laws import LawLike, coordinate_symbol, find_coordinate, trace, velocity_symbol
from kinetree.model.methods.contacts import ContactMethods
from kinetree.model.new_element import new_element
from kinetree.model.values import Scalar, number, scalar

if TYPE_CHECKING:
    from kinetree.model.methods.joints import Where
    from kinetree.model.parts import Joint

SAMPLES = 400
"""Crushes at which a layer is looked at for energy that it would make."""


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

    def crushable(
        self,
        name: str,
        first: Where,
        second: Where,
        length: float,
        envelope: LawLike,
        unloading: LawLike,
    ) -> Force:
        """A layer between two points that is crushed: it pushes, never pulls, and keeps its set.

        Shortened further than ever before it pushes as its envelope says; otherwise its force
        falls from there along a straight line, and grows along the same line again.  The largest
        crush is found by an event where the layer turns, so the path is exact in every method.

        Args:
            name: of the force; the largest crush is the mode NAME_set, found anew by the event
                NAME_turn.
            first: where it acts at one end.
            second: and at the other, oppositely.
            length: of the layer before it is crushed [m].
            envelope: force [N] as a function of `crush`, the shortening [m].
            unloading: stiffness [N/m] of the line along which the force falls, a number or a
                function of `crush`, the largest so far; at least the slope of the envelope there.
        """
        element = new_element("force", name, self.forces)
        L = number(length, f"{element} length")
        if not L > 0:
            raise ModelError(f"its length is {length}", element=element, cure="give it above 0")

        def force_at(crush: Node) -> Node:
            where = f"{element} envelope"
            return as_node(scalar(trace(envelope, {"crush": crush}, where), where))

        def line_at(crush: Node) -> Node:
            where = f"{element} unloading"
            return as_node(scalar(trace(unloading, {"crush": crush}, where), where))

        _refuse_gain(force_at, line_at, float(L), element)
        largest = self.mode(f"{name}_set")

        def tension(length: Node) -> Node:
            crush = maximum(L - length, 0)
            back = maximum(force_at(largest) - line_at(largest) * (largest - crush), 0)
            return -select(crush - largest, force_at(crush), back)

        made = self.force("link", name, (first, second), {"law": tension})
        self.event(
            f"{name}_turn",
            lambda outputs: outputs[f"{name}.rate"],
            {f"{name}_set": lambda outputs: maximum(largest, L - outputs[f"{name}.length"])},
        )
        return made


def _refuse_gain(envelope: Any, unloading: Any, length: float, element: str) -> None:
    """Refuse a line of unloading that is less steep than the envelope: a cycle makes energy."""
    crush = symbol("crush")
    slope, line = derivative(envelope(crush), crush), unloading(crush)
    if {*symbols([slope, line])} - {crush}:
        return  # parameters, whose values may change
    at = np.linspace(0.0, length, SAMPLES, endpoint=False)
    steep, stiff = (np.broadcast_to(x, at.shape) for x in evaluate([slope, line], {crush: at}))
    wrong = np.flatnonzero(stiff < steep * (1 - 1e-9))
    if wrong.size:
        k = int(wrong[0])
        raise ModelError(
            f"at a crush of {at[k]:.3g} m it unloads with {stiff[k]:.3g} N/m, less than the "
            f"{steep[k]:.3g} N/m of its envelope, and would create energy",
            element=element,
            cure="give a stiffer unloading",
        )
