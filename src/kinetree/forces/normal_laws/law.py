"""What a law of the normal force is: its arguments, and F [N] of depth [m] and its rate [m/s]."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kinetree.engine import ZERO, Node, power
from kinetree.errors import ModelError
from kinetree.forces.branches import positive, select
from kinetree.forces.normal_force import raise_depth
from kinetree.model import Action, Force


@dataclass(frozen=True)
class NormalLaw:
    """One row of the table of laws.

    Attributes:
        name: after "plane_" in the name of a kind of contact.
        force: (action, element, depth, rate) -> F where the bodies touch; what it gives below
            zero, or where they do not touch, is not used.
        options: arguments with their defaults.
        scalars: those that stay run-time parameters.
        laws: those that are expressions of `depth` and `rate`.
        units: of the scalars.
        check: refuses arguments that make no sense.
    """

    name: str
    force: Callable[[Action, Force, Node, Node], Node]
    options: Mapping[str, Any]
    scalars: tuple[str, ...] = ()
    laws: tuple[str, ...] = ()
    units: Mapping[str, str] = field(default_factory=dict)
    check: Callable[[Mapping[str, Any], str], None] | None = None

    def load(self, act: Action, force: Force, depth: Node, rate: Node) -> Node:
        """F: never negative, zero where the depth is."""
        return select(depth, positive(self.force(act, force, depth, rate)), ZERO)


def depth_power(depth: Node, exponent: float) -> Node:
    """depth to an exponent, zero outside."""
    inside = positive(depth)
    return power(inside, 1) if exponent == 1 else raise_depth(inside, exponent)


def check_exponent(arguments: Mapping[str, Any], element: str) -> None:
    """Refuse an exponent below one, whose stiffness would be infinite at touching."""
    exponent = arguments["exponent"]
    if isinstance(exponent, bool) or not isinstance(exponent, int | float) or exponent < 1:
        raise ModelError(
            f"the exponent is {exponent!r}", element=element, cure="give a number, 1 or more"
        )
