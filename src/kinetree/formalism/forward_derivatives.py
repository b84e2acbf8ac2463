"""Derivatives of forward dynamics, through those of inverse dynamics.

With ∂tau at the accelerations that belong to tau, all from one factorisation of M:

    M [qdd  ∂qdd/∂qd  ∂qdd/∂tau] = [tau - c  -∂tau/∂qd  1]        M ∂qdd/∂q = -∂tau/∂q

A mechanism that hangs on one floating link alone falls as a whole and drifts as a whole.  With the
acceleration of its origin counted from free fall, and by components that do not turn,

    qdd = x - (0, w×u - Rᵀg, 0)        w, u: velocity of the floating link, R its orientation

neither gravity nor u has any part in x: they are left out of the equations and enter at the end.
Force elements may see the ground, and a rotor inertia on u counts its rate alone, so with them this
is not done.

Refs: Carpentier2018 (dFD = -M⁻¹ dID); Singh2022; the second part is an own derivation
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from kinetree.engine import ONE, ZERO, Node
from kinetree.formalism.derivatives import (
    bias,
    position_slopes,
    subtract,
    sweep,
    velocity_slopes,
    write,
)
from kinetree.formalism.force_derivatives import force_slopes
from kinetree.formalism.links.frames import Frames
from kinetree.formalism.links.motion import FreeMotion, unit
from kinetree.formalism.links.rotors import rotors
from kinetree.formalism.links.vectors import NULL, Matrix, Vec, cross, minus, vec3
from kinetree.model import refuse_holding
from kinetree.program import Note


def forward_derivatives(frames: Frames, tau: tuple[Node, ...]) -> None:
    """Outputs qdd, dqdd_dq, dqdd_dqd, dqdd_dtau (the inverse of the mass matrix)."""
    refuse_holding(
        frames.system.model, "forward_derivatives", "derive 'forward' and differentiate its Program"
    )
    n, fall = frames.system.nv, free_fall(frames)
    made = sweep(fall.frames if fall else frames, -1)
    slopes = velocity_slopes(made)
    for k in fall.along if fall else ():
        for row in slopes.by_qd:
            row[k] = ZERO
    b = [t - x for t, x in zip(tau, bias(made, slopes.by_qd), strict=True)]
    forces = force_slopes(frames)
    if forces:
        b = [x + Q for x, Q in zip(b, forces.Q, strict=True)]
        subtract(slopes.by_qd, made.sign, forces.by_qd)
    unit = [[ONE if i == j else ZERO for j in range(n)] for i in range(n)]
    B = [[x, *row, *e] for x, row, e in zip(b, slopes.by_qd, unit, strict=True)]
    X = solve(frames, "M [qdd, ∂qdd/∂qd, ∂qdd/∂tau] = [tau - c, -∂tau/∂qd, 1]", slopes.M, B)
    qdd = [row[0] for row in X]
    _, down = position_slopes(made, slopes, tuple(qdd))
    if forces:
        subtract(down, made.sign, forces.by_q)
    by_q = solve(frames, "M ∂qdd/∂q = -∂tau/∂q", slopes.M, down)
    by_qd = [row[1 : n + 1] for row in X]
    if fall:
        fall.restore(qdd, by_q, by_qd)
    frames.scheme.output("qdd", qdd, None, frames.system.model.velocities)
    write(frames, "qdd", {"q": by_q, "qd": by_qd, "tau": [row[n + 1 :] for row in X]})


def solve(frames: Frames, step: str, A: Matrix, B: Matrix) -> Matrix:
    """X with A X = B; columns that are nothing but zeros are left out of the system."""
    full = [[ZERO] * len(B[0]) for _ in B]
    moving = [k for k in range(len(B[0])) if any(row[k] is not ZERO for row in B)]
    if moving:
        columns = [[row[k] for k in moving] for row in B]
        X = frames.scheme.solve("X", A, columns, note=Note(step=step, eq="Carpentier2018"))
        for row, found in zip(full, X, strict=True):
            for k, x in zip(moving, found, strict=True):
                row[k] = x
    return full


@dataclass(frozen=True)
class FreeFall:
    """The floating link that carries everything.

    Attributes:
        frames: the same mechanism without gravity and without the link's linear velocity.
        turns, along: numbers of its angular and of its linear velocities.
        w, u: its velocities, in its frame.
        g: gravity, in its frame.
    """

    frames: Frames
    turns: tuple[int, ...]
    along: tuple[int, ...]
    w: Vec
    u: Vec
    g: Vec

    def restore(self, qdd: list[Node], by_q: Matrix, by_qd: Matrix) -> None:
        """Subtract w×u - Rᵀg from the linear accelerations, and its derivatives likewise."""
        lost = minus(cross(self.w, self.u), self.g)
        for i, k in enumerate(self.along):
            qdd[k] = qdd[k] - lost[i]
        for a, (turn, along) in enumerate(zip(self.turns, self.along, strict=True)):
            e = unit(a)
            falling, turning, drifting = cross(self.g, e), cross(self.u, e), cross(e, self.w)
            for i, k in enumerate(self.along):
                by_q[k][turn] = by_q[k][turn] + falling[i]
                by_qd[k][turn] = by_qd[k][turn] + turning[i]
                by_qd[k][along] = drifting[i]


def free_fall(frames: Frames) -> FreeFall | None:
    """The one floating link on the ground, if there is one and nothing else stands there."""
    system = frames.system
    if system.model.forces:
        return None
    roots = [link for link in system.links[1:] if link.parent == 0]
    if len(roots) != 1 or not isinstance(roots[0].motion, FreeMotion) or not roots[0].motion.floats:
        return None
    (root,) = roots
    turns, along = root.motion.dofs[:3], root.motion.dofs[3:]
    if rotors(system).keys() & {*along}:
        return None
    qd = tuple(ZERO if k in along else x for k, x in enumerate(system.qd))
    lighter = replace(system, gravity=NULL, qd=qd)
    w, u = (vec3(system.qd[k] for k in part) for part in (turns, along))
    note = Note(root.name, "gravity", "", "m/s2", "link")
    g = frames.scheme.vector("g", frames.to_link(root.index, system.gravity, "g"), note)
    return FreeFall(Frames(frames.scheme, lighter), turns, along, w, u, g)
