"""Joints with dry friction that are pressed against their own stops.

Friction and stop act along the same velocity, so what each of them bears is not determined.  Here
the friction bears what it does when the joint slides towards the stop, and the stop bears the rest;
where that would pull, the stop lets go and friction alone holds the joint.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kinetree.engine import ONE, ZERO, Node, add, call, select
from kinetree.formalism.forces.rubbing import AGAIN
from kinetree.formalism.stops.contact_modes import HELD
from kinetree.model import FORCES, Mechanism, state_symbol
from kinetree.program.complementarity import HALF

WAYS = {"lower": -1, "upper": 1}
"""Side of a stop -> the way towards it."""


@dataclass(frozen=True)
class Pinned:
    """A joint with dry friction and stops.

    Attributes:
        mode: name of the mode of its friction.
        velocity: its name.
        ways: name of the mode of each of its stops -> the way towards it, 1 or -1.
    """

    mode: str
    velocity: str
    ways: Mapping[str, int]

    @property
    def sticks(self) -> Node:
        """1 where the friction holds the joint, else 0."""
        size = call("abs", state_symbol(self.mode))
        return select(HALF - size, ONE, select(size - (AGAIN - HALF), ONE, ZERO))

    @property
    def way(self) -> Node:
        """The way towards the stop that the joint is in contact with; 0 where there is none."""
        return add(*[
            way * select(HALF - call("abs", state_symbol(stop) - HELD), ONE, ZERO)
            for stop, way in self.ways.items()
        ])  # fmt: skip


def pinned_joints(model: Mechanism) -> list[Pinned]:
    """The joints of a model with dry friction and stops."""
    ways: dict[str, dict[str, int]] = {}
    for force in model.forces.values():
        modes = FORCES[force.kind].modes
        if force.kind == "joint_stop" and modes is not None:
            velocity = model.velocity_of(force.arguments["joint"])
            sides = [way for side, way in WAYS.items() if side in force.laws]
            own = zip(modes(force.name, force.arguments), sides, strict=True)
            ways.setdefault(velocity, {}).update(own)
    return [
        Pinned(force.arguments["mode"], force.arguments["joint"], ways[force.arguments["joint"]])
        for force in model.forces.values()
        if force.kind == "dry_friction" and force.arguments.get("joint") in ways
    ]
