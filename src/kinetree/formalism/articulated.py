"""Articulated inertias: how a link resists together with all that it carries.

The articulated inertia is kept as its three 3×3 blocks, in the link frame, about the link origin:

    [ n ]   [ A   H ] [ wd ]
    [ f ] = [ Hᵀ  B ] [ a  ] + bias

Refs: Otter1996 sec. 6, eqs. 14, 19; Featherstone2008 sec. 7.2
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kinetree.engine import ZERO, add
from kinetree.formalism.forces.link_forces import AppliedForces
from kinetree.formalism.links.frames import Frames
from kinetree.formalism.links.vectors import (
    SYM_PAIRS,
    Mat,
    Sym,
    Vec,
    apply,
    cross,
    full,
    mat3,
    matrix_plus,
    minus,
    plus,
    skew,
    sym6,
    times,
    transpose,
    vec3,
)
from kinetree.formalism.newton_euler import Motions, inertia_torque
from kinetree.program.notes import notes

NOTES = notes("""
    A H B  | articulated inertia  | Otter1996 eq. (14) | | link
    pn pf  | articulated bias     | Otter1996 eq. (14) | | link
    parent | seen from the parent | Otter1996 eq. (19) | | parent
""")


MANY = 16
"""Bodies on one from which they are summed at once."""


@dataclass(frozen=True)
class Articulated:
    """Articulated inertia of a link and its bias: A, B symmetric, H general; pn, pf bias."""

    A: Sym
    H: Mat
    B: Sym
    pn: Vec
    pf: Vec


def rigid_bodies(frames: Frames, still: Motions, outer: AppliedForces) -> list[Articulated]:
    """Every link alone; its bias is the whole inertial force of the motion at hand."""
    bodies = []
    for i, (m, h, inertia) in enumerate(frames.properties):
        a, U = still.a[i], still.U[i]
        f = plus(times(m, a), apply(U, h))
        n = plus(inertia_torque(inertia, still.wd[i], still.ww[i], U), cross(h, a))
        if i in outer.wrenches:
            force, torque = outer.wrenches[i]
            f, n = minus(f, force), minus(n, torque)
        bodies.append(Articulated(inertia, skew(h), (m, m, m, ZERO, ZERO, ZERO), n, f))
    return bodies


def name_elements(frames: Frames, i: int, body: Articulated, mark: str) -> Articulated:
    """Names for every element."""
    let = frames.naming(NOTES, i)
    return Articulated(
        let("A", body.A, mark), let("H", body.H, mark), let("B", body.B, mark),
        let("pn", body.pn, mark), let("pf", body.pf, mark),
    )  # fmt: skip


def move_to_parent(frames: Frames, i: int, body: Articulated) -> Articulated:
    """The inertia of link i seen from its parent: turned, and referred to the parent's origin.

    With r from the parent origin to the link origin: H' = H + r~ B, A' = A + r~ H'ᵀ + (r~ Hᵀ)ᵀ.
    """
    let, r = frames.naming(NOTES, i), frames.offset(i)
    A = frames.sym_to_parent(i, body.A, f"A{i}t")
    B = let("B", frames.sym_to_parent(i, body.B, f"B{i}t"), "p", row="parent")
    H = let("H", frames.tensor_to_parent(i, body.H, f"H{i}t"), "p", row="parent")
    pf = let("pf", frames.to_parent(i, body.pf, f"pf{i}t"), "p", row="parent")
    pn = frames.to_parent(i, body.pn, f"pn{i}t")
    shifted = transpose(mat3(cross(r, column) for column in full(B)))
    H_p = let("H", matrix_plus(H, shifted), "q", row="parent")
    P = [cross(r, row) for row in H_p]  # column j of r~ H'ᵀ is r × (row j of H')
    Q = [cross(r, row) for row in H]
    A_p = sym6(a + P[k][j] + Q[j][k] for a, (j, k) in zip(A, SYM_PAIRS, strict=True))
    return Articulated(A_p, H_p, B, plus(pn, cross(r, pf)), pf)


def join(a: Articulated, *others: Articulated) -> Articulated:
    """Inertias about one point, in one frame, that move together.

    A few meet one after the other, so that sines and cosines of two neighbours may; many are summed
    at once, so that a body that carries hundreds costs no more for each.
    """
    if len(others) > MANY:
        return _sum((a, *others))
    for b in others:
        a = _sum((a, b))
    return a


def _sum(bodies: Sequence[Articulated]) -> Articulated:
    """Element by element."""
    return Articulated(
        sym6(add(*x) for x in zip(*(body.A for body in bodies), strict=True)),
        mat3(
            (add(*x) for x in zip(*rows, strict=True))
            for rows in zip(*(body.H for body in bodies), strict=True)
        ),
        sym6(add(*x) for x in zip(*(body.B for body in bodies), strict=True)),
        vec3(add(*x) for x in zip(*(body.pn for body in bodies), strict=True)),
        vec3(add(*x) for x in zip(*(body.pf for body in bodies), strict=True)),
    )
