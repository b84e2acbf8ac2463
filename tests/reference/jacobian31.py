"""The Jacobian element J(3,1) of Docquier2013, eq. 47: a chain of nine joints.

Joints R1 R2 R3 R1 R2 R3 R2 T3, offsets D13 to D19 along the local x axis; the end point is the
place of the ninth joint. J(3,1) is the change of its height with the first angle.
"""

from __future__ import annotations

from typing import Any

import kinetree as kt
from kinetree.program.restrict import restrict

STEPS = ("R1", "R2", "R3", "R1", "R2", "R3", "R2", "T3")
OFFSETS = {3: "D13", 4: "D14", 5: "D15", 6: "D16", 7: "D17", 8: "D18", 9: "D19"}
PAPER, CLASSICAL, LEAST = 62, 220, 44
"""Operations printed for the recursion, for the expansion; least for this element alone."""


def chain() -> kt.Model:
    """The chain; every offset is a named parameter."""
    model = kt.Model("docquier_eq47")
    place: Any = model.ground
    for i, step in enumerate(STEPS, start=1):
        body = model.body(f"b{i}", mass=1.0)
        model.sequence(f"q{i}", place, body, step)
        place = body
        if i + 1 in OFFSETS:
            length = model.parameter(OFFSETS[i + 1], 0.1 * (i + 1), "m")
            place = body.point("end", (length, 0, 0))
    return model


def element() -> kt.Program:
    """The Program of J(3,1) alone."""
    whole = kt.derive(chain(), "kinematics", points=["b8.end"])
    return restrict(whole, "b8.end.jacobian", [(5, 0)])


def count() -> kt.OperationCount:
    """Operations of J(3,1) alone."""
    return element().count()
