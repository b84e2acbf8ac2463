"""Mass matrix by composite bodies.

The links beyond a joint, frozen together, form one composite body; the force that accelerates it by
one unit of the joint's motion, passed inward and projected on every ancestor's motion, is a column
of M.

| WalkerOrin1982 | here | meaning |
|---|---|---|
| M_i, c_i, E_i | mC, hC, IC | mass, first moment and inertia of the composite body, link frame |

Refs: WalkerOrin1982 (method 3); Featherstone2008 sec. 6.2
"""

from __future__ import annotations

from kinetree.engine import ZERO, Node
from kinetree.formalism.links.frames import Frames
from kinetree.formalism.links.rotors import on_diagonal
from kinetree.formalism.links.vectors import (
    Sym,
    Vec,
    apply_sym,
    cross,
    dot,
    plus,
    steiner,
    tensor_plus,
    times,
)
from kinetree.program.notes import notes

NOTES = notes("""
    mC hC IC hp | composite body             | WalkerOrin1982 method 3 | | link
    F N         | force of unit acceleration {} | WalkerOrin1982
    M           | mass matrix                | WalkerOrin1982
""")


def composites(frames: Frames) -> tuple[list[Node], list[Vec], list[Sym]]:
    """Mass, first moment and inertia of every composite body, about its link origin."""
    system = frames.system
    m, h, inertia = (list(part) for part in zip(*frames.properties, strict=True))
    for i in system.inward():
        let, p = frames.naming(NOTES, i), system.links[i].parent
        m[i], h[i], inertia[i] = let("mC", m[i]), let("hC", h[i]), let("IC", inertia[i])
        if p == 0:
            continue
        r = frames.offset(i)
        h_p = let("hp", frames.to_parent(i, h[i], f"h{i}"))
        I_p = frames.sym_to_parent(i, inertia[i], f"I{i}")
        m[p] = m[p] + m[i]
        h[p] = plus(h[p], h_p, times(m[i], r))
        inertia[p] = tensor_plus(inertia[p], tensor_plus(I_p, steiner(m[i], h_p, r)))
    return m, h, inertia


def mass_matrix(frames: Frames) -> list[list[Node]]:
    """M, both triangles; symmetric entries are the same Node."""
    system = frames.system
    m, h, inertia = composites(frames)
    M: list[list[Node]] = [[ZERO] * system.nv for _ in range(system.nv)]
    for i in system.outward():
        path = system.path(i)[::-1]
        for k, w, v in frames.columns(i):
            let = frames.naming(NOTES, i, k + 1)
            # momentum of the composite body moving with (w, v): force and torque about its origin
            f = plus(times(m[i], v), cross(w, h[i]))
            n = plus(apply_sym(inertia[i], w), cross(h[i], v))
            for j in path:
                for l, w_j, v_j in frames.columns(j):
                    if j != i or l <= k:
                        # a follower meets its own leader: both m_ij and m_ji belong to M_kk
                        twice = 2 if l == k and j != i else 1
                        M[k][l] = M[l][k] = M[k][l] + twice * (dot(w_j, n) + dot(v_j, f))
                if j == path[-1]:
                    break
                f = let("F", frames.to_parent(j, f, f"F{k}_{j}"), at=f"{k}_{j}")
                n = plus(frames.to_parent(j, n, f"N{k}_{j}"), cross(frames.offset(j), f))
                n = let("N", n, at=f"{k}_{j}")
    on_diagonal(system, M)
    for k in range(system.nv):
        for l in range(k + 1):
            M[k][l] = M[l][k] = frames.scheme.let(f"M_{l + 1}_{k + 1}", M[k][l], NOTES["M"])
    return M
