"""Composite bodies in motion: the links beyond a joint, with their momentum.

Spatial velocities are [w; v] at the link origin.  The spatial inertia of a composite body is
[[I, h~], [-h~, m]]; seen from the ground it changes by [[D + Dᵀ, P~], [-P~, 0]], where

    P = ∫ ṙ dm         momentum,
    D = -∫ r~ ṙ~ dm    with Dᵀ - D = L~, the angular momentum about the origin.

A composite body of one link has P = m v + w × h and D = tr(K) 1 - K with K = w~ S + v hᵀ, where
S = ½ tr(I) 1 - I is ∫ r rᵀ dm.  Beyond a joint at r from the parent's origin, D grows by -r~ P~.

Refs: WalkerOrin1982 (composite bodies); Echeandia2021 (P and D are the blocks of B there)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kinetree.engine import Node
from kinetree.formalism.composite_bodies import composites
from kinetree.formalism.energy import LinkVelocities, link_velocities
from kinetree.formalism.links.vectors import (
    NULL,
    Mat,
    Pair,
    Sym,
    Vec,
    apply_sym,
    cross,
    full,
    mat3,
    matmul,
    matrix_plus,
    outer,
    plus,
    skew,
    times,
)
from kinetree.program.notes import notes

if TYPE_CHECKING:
    from kinetree.formalism.links.frames import Frames

NOTES = notes("""
    Pl PC Pp | momentum of the composite body            | WalkerOrin1982 | kg.m/s  | link
    S        | second moments of mass                    |                | kg.m2   | link
    K DC     | how momentum and turning make a torque    | Echeandia2021  | kg.m2/s | link
    wj vj    | rate of the axis of velocity {}           | Echeandia2021  |         | link
""")


@dataclass(frozen=True)
class MovingComposites:
    """What the links beyond every joint are together, about its link's origin, in its frame.

    Attributes:
        motion: velocities of the links.
        m, h, I: mass, first moment and inertia.
        P: momentum.
        D: see the module's text.
    """

    motion: LinkVelocities
    m: list[Node]
    h: list[Vec]
    I: list[Sym]
    P: list[Vec]
    D: list[Mat]

    def momentum(self, i: int, w: Vec, v: Vec) -> Pair:
        """Momentum of composite body i moving with (w, v): angular about its origin, linear."""
        linear = plus(times(self.m[i], v), cross(w, self.h[i]))
        return plus(apply_sym(self.I[i], w), cross(self.h[i], v)), linear


def moving_composites(frames: Frames) -> MovingComposites:
    """The composite bodies at the velocities of the model."""
    system = frames.system
    motion = link_velocities(frames, system.qd)
    m, h, inertia = composites(frames)
    P, D = [NULL] * len(m), [(NULL, NULL, NULL)] * len(m)
    for i in system.inward():
        let, p = frames.naming(NOTES, i), system.links[i].parent
        own_P, own_D = _of_link(frames, i, motion)
        P[i] = let("PC", plus(P[i], own_P))
        D[i] = let("DC", matrix_plus(D[i], own_D))
        if p == 0:
            continue
        P_p = let("Pp", frames.to_parent(i, P[i], f"P{i}"))
        K_p = outer(P_p, frames.offset(i))  # -r~ P~ = (r·P) 1 - P rᵀ
        P[p] = plus(P[p], P_p)
        turned = frames.tensor_to_parent(i, D[i], f"D{i}")
        D[p] = matrix_plus(D[p], matrix_plus(turned, _less_trace(K_p)))
    return MovingComposites(motion, m, h, inertia, P, D)


def axis_rates(frames: Frames, i: int, motion: LinkVelocities, k: int, w: Vec, v: Vec) -> Pair:
    """Rate of column k of link i, seen from the ground: its spatial velocity × the column."""
    let, w_i = frames.naming(NOTES, i, k + 1), motion.w[i]
    turning = let("wj", cross(w_i, w), at=f"{k}_{i}")
    return turning, let("vj", plus(cross(w_i, v), cross(motion.v[i], w)), at=f"{k}_{i}")


def _of_link(frames: Frames, i: int, motion: LinkVelocities) -> tuple[Vec, Mat]:
    """P and D of one link alone."""
    let, w, v = frames.naming(NOTES, i), motion.w[i], motion.v[i]
    m, h, inertia = frames.properties[i]
    half = (inertia[0] + inertia[1] + inertia[2]) / 2
    x, y, z, xy, xz, yz = inertia
    S = let("S", (half - x, half - y, half - z, -xy, -xz, -yz))
    K = let("K", matrix_plus(matmul(skew(w), full(S)), outer(v, h)))
    return let("Pl", plus(times(m, v), cross(w, h))), _less_trace(K)


def _less_trace(K: Mat) -> Mat:
    """tr(K) 1 - K."""
    x, y, z = K[0][0], K[1][1], K[2][2]
    diagonal = (y + z, x + z, x + y)
    return mat3([diagonal[a] if a == b else -K[a][b] for b in range(3)] for a in range(3))
