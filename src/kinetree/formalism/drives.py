"""Driven coordinates: q(t), qd(t) and qdd(t) of every coordinate that follows a law of the time.

Refs: Docquier2013 sec. 2.2
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.engine import Node, derivative
from kinetree.formalism.laws import folded
from kinetree.model.closing import time_symbol

if TYPE_CHECKING:
    from kinetree.formalism.frames import Frames
    from kinetree.formalism.linkage import Linkage

Motion = tuple[Node, Node, Node]
"""Value, rate and second rate of a coordinate."""


def driven(system: Linkage) -> dict[str, Motion]:
    """Coordinate -> (q, qd, qdd) as expressions of t, for the drives with a law, in model order."""
    t = time_symbol()
    found: dict[str, Motion] = {}
    for name in system.model.coordinates:
        drive = system.model.drives.get(name)
        if drive is not None and drive.law is not None:
            q = folded(system, drive.law)
            qd = derivative(q, t)
            found[name] = (q, qd, derivative(qd, t))
    return found


def drives(frames: Frames, _: tuple[Node, ...] = ()) -> None:
    """Write the outputs q, qd, qdd of the driven coordinates that have a law, labelled by name."""
    motions = driven(frames.system)
    for k, name in enumerate(("q", "qd", "qdd")):
        frames.scheme.output(name, [row[k] for row in motions.values()], None, list(motions))


__all__ = ["driven", "drives"]
