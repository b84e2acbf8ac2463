"""Rates of coordinates: N(q) with der(q) = N(q) qd.

One-axis motions have N = 1.  A unit quaternion e changes by der(e) = ½ e ∘ (0, w), with the angular
velocity w of the link relative to the joint, in the link frame; the position of a floating link by
R v, with v in the link frame.

Refs: Featherstone2008 sec. 4.5
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.engine import ONE, ZERO, Node
from kinetree.formalism.links.motion import FreeMotion, quaternion_matrix

if TYPE_CHECKING:
    from kinetree.formalism.view import MechanismView

RateRows = tuple[tuple[Node, ...], ...]


def rate_matrix(system: MechanismView) -> RateRows:
    """N(q), nq rows of nv elements; empty where it is the unit matrix."""
    motions = system.motions
    if not any(isinstance(motion, FreeMotion) for motion in motions):
        return ()
    place = {q: k for k, q in enumerate(system.q)}
    N = [[ZERO] * system.nv for _ in system.q]
    for motion in motions:
        if isinstance(motion, FreeMotion):
            symbols = (*motion.e, *motion.p) if motion.floats else motion.e
            for symbol, row in zip(symbols, _free_rows(motion), strict=True):
                N[place[symbol]][motion.dofs[0] : motion.dofs[-1] + 1] = row
        elif motion.q in place:
            N[place[motion.q]][motion.dofs[0]] = ONE
    return tuple(tuple(row) for row in N)


def _free_rows(motion: FreeMotion) -> list[list[Node]]:
    """Rows for e, then for p where the origin moves."""
    w, x, y, z = (0.5 * e for e in motion.e)
    turning = [[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]]
    if not motion.floats:
        return turning
    still = [ZERO] * 3
    R = quaternion_matrix(motion.e)
    return [row + still for row in turning] + [still + list(row) for row in R]
