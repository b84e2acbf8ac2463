"""Driven coordinates: q(t), qd(t) and qdd(t) of every coordinate that follows a law of the time.

Refs: Docquier2013 sec. 2.2
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kinetree.engine import ZERO, Node, derivative
from kinetree.formalism.loops.laws import fold_parameters
from kinetree.model import time_symbol
from kinetree.program import Assign, Note, Scheme

if TYPE_CHECKING:
    from kinetree.formalism.links.frames import Frames
    from kinetree.formalism.links.linkage import Linkage

DriveMotion = tuple[Node, Node, Node]
"""Value, rate and second rate of a coordinate."""


def drive_motions(system: Linkage) -> dict[str, DriveMotion]:
    """Coordinate -> (q, qd, qdd) as expressions of t, for the drives with a law, in model order."""
    t = time_symbol()
    found: dict[str, DriveMotion] = {}
    for name in system.model.coordinates:
        drive = system.model.drives.get(name)
        if drive is not None and drive.law is not None:
            q = fold_parameters(system, drive.law)
            qd = derivative(q, t)
            found[name] = (q, qd, derivative(qd, t))
    return found


def drive_rates(
    scheme: Scheme, system: Linkage, given: Sequence[Node]
) -> tuple[dict[int, Node], dict[int, Node]]:
    """Define the symbols qd_NAME of the driven velocities; their rates and second rates by number.

    Args:
        scheme: where the equations go.
        system: the links.
        given: accelerations of the driven velocities without a law.
    """
    model = system.model
    at = {name: k for k, name in enumerate(model.velocities)}
    laws = drive_motions(system)
    rates: dict[int, Node] = {}
    accelerations: dict[int, Node] = {}
    for name, (_, qd, qdd) in laws.items():
        k = at[name]
        scheme.define(Assign(system.qd[k], qd, Note(name, "driven velocity", section="drives")))
        rates[k] = system.qd[k] if qd is not ZERO else ZERO
        note = Note(name, "driven acceleration", section="drives")
        accelerations[k] = scheme.let(f"qdd_{name}", qdd, note)
    free = [name for name in model.velocities if name in model.drives and name not in laws]
    for name, qdd in zip(free, given, strict=True):
        rates[at[name]] = system.qd[at[name]]
        accelerations[at[name]] = qdd
    return rates, accelerations


def drives(frames: Frames, _: tuple[Node, ...] = ()) -> None:
    """Write the outputs q, qd, qdd of the driven coordinates that have a law, labelled by name."""
    motions = drive_motions(frames.system)
    for k, name in enumerate(("q", "qd", "qdd")):
        frames.scheme.output(name, [row[k] for row in motions.values()], None, list(motions))
