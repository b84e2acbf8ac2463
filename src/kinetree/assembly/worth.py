"""Which coordinates keep their values where the loops leave a choice.

Users write down what they know: a start value that is given is worth more than one that is not, and
that of a joint on the ground, mostly the one that is driven, more than that of a joint farther out;
among equals the first one counts most.
"""

from __future__ import annotations

from kinetree.model import Mechanism


def worth(model: Mechanism) -> list[int]:
    """Of every velocity; the one of most worth is the last to follow from the loops."""
    grounded = {joint.name for joint in model.body_joints if joint.parent.body is model.ground}
    ranked = [
        (joint.initial is not None, joint.name in grounded)
        for joint in model.leaders
        for _ in joint.velocities
    ]
    order = sorted(range(len(ranked)), key=lambda k: (*ranked[k], -k))
    places = {k: place for place, k in enumerate(order)}
    return [places[k] for k in range(len(ranked))]
