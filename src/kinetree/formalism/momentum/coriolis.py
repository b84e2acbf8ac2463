"""The Coriolis matrix C(q, qd): C qd are the centrifugal and Coriolis forces, Ṁ - 2C is skew.

With the columns Φ of all links as seen from the ground and the spatial inertias of the links,

    C = Σ Φᵀ (I Φ̇ + B Φ),      B = ½ (v ×* I - I v× + (I v) ×̄*) = [[D, 0], [-P~, 0]].

Of columns k and l on one path only the composite body beyond the outer one counts, as in M.  In
coordinates whose rates are the velocities, C is that of Christoffel's symbols.

Refs: Echeandia2021; WalkerOrin1982 (composite bodies)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.engine import ZERO, Node
from kinetree.formalism.links.vectors import (
    NULL,
    Matrix,
    Vec,
    apply,
    apply_transposed,
    cross,
    dot,
    plus,
)
from kinetree.formalism.momentum.composites import MovingComposites, axis_rates, moving_composites
from kinetree.program.notes import notes

if TYPE_CHECKING:
    from kinetree.formalism.links.frames import Frames

NOTES = notes("""
    fC nC | force of column {} of C            | Echeandia2021  |        | link
    FC NC | momentum of unit velocity {}       | WalkerOrin1982 |        | link
    BC    | what turning makes of unit velocity {} | Echeandia2021 |     | link
""")


def coriolis(frames: Frames, _: tuple[Node, ...] = ()) -> None:
    """Write the output "C", nv × nv; the rows are forces."""
    system = frames.system
    bodies = moving_composites(frames)
    C: Matrix = [[ZERO] * system.nv for _ in range(system.nv)]
    for i in system.outward():
        for k, w, v in frames.columns(i):
            _column(frames, bodies, C, (i, k, w, v))
    frames.scheme.output("C", [x for row in C for x in row], (system.nv, system.nv))


def _column(
    frames: Frames, bodies: MovingComposites, C: Matrix, at: tuple[int, int, Vec, Vec]
) -> None:
    """Add what velocity k of link i makes on its ancestors, and they on it."""
    i, k, w, v = at
    turning, moving = axis_rates(frames, i, bodies.motion, k, w, v)
    n, f = bodies.momentum(i, turning, moving)  # I Φ̇
    f, n = plus(f, cross(w, bodies.P[i])), plus(n, apply(bodies.D[i], w))  # + B Φ
    N, F = bodies.momentum(i, w, v)  # I Φ
    b = plus(apply_transposed(bodies.D[i], w), cross(bodies.P[i], v))  # Bᵀ Φ, a torque
    let = frames.naming(NOTES, i, k + 1)
    path = frames.system.path(i)[::-1]
    for j in path:
        for l, w_j, v_j in frames.columns(j):
            C[l][k] = C[l][k] + dot(w_j, n) + dot(v_j, f)
            if j != i:
                w_l, v_l = axis_rates(frames, j, bodies.motion, l, w_j, v_j)
                C[k][l] = C[k][l] + dot(w_l, N) + dot(v_l, F) + dot(w_j, b)
        if j == path[-1]:
            return
        name, r = f"{k}_{j}", frames.offset(j)
        f, F = (
            let(stem, frames.to_parent(j, x, f"{stem}{name}"), at=name)
            for stem, x in (("fC", f), ("FC", F))
        )
        n, N, b = (
            let(stem, plus(frames.to_parent(j, x, f"{stem}{name}"), arm), at=name)
            for stem, x, arm in (("nC", n, cross(r, f)), ("NC", N, cross(r, F)), ("BC", b, NULL))
        )
