"""First moments of velocity and of force, gathered over composite bodies.

A field x of vectors on the points r of a body, velocities times mass or forces, enters the
derivatives of inverse dynamics by two sums about the link origin, in the link frame:

    G = Σ x rᵀ        P = Σ x        acting on an angular motion by ω → ((tr G) ω - G ω, ω × P)

They are passed to the parent by G' = R G Rᵀ + P' rᵀ, P' = R P.

Refs: Singh2022 (the matrix B there; its form by G and P is an own derivation, see `derivatives`)
"""

from __future__ import annotations

from dataclasses import dataclass

from kinetree.engine import ZERO, Node
from kinetree.formalism.links.frames import Frames
from kinetree.formalism.links.linkage import wrench_poses
from kinetree.formalism.links.passage import ground_to_link, wrench_symbols
from kinetree.formalism.links.vectors import (
    NULL,
    NULL_MATRIX,
    Mat,
    Vec,
    apply,
    cross,
    mat3,
    matrix_plus,
    minus,
    outer,
    plus,
    skew,
    times,
    transpose,
    vec3,
)
from kinetree.program.notes import notes

NOTES = notes("""
    moments | moments of velocity or force | Singh2022 | | link
""")


@dataclass(frozen=True)
class Momentum:
    """The two sums of a link or of a composite body."""

    G: Mat = NULL_MATRIX
    P: Vec = NULL
    trace: Node = ZERO

    def times(self, x: Vec) -> tuple[Vec, Vec]:
        """Torque and force that go with an angular motion x: ((tr G) x - G x, x × P)."""
        return minus(times(self.trace, x), apply(self.G, x)), cross(x, self.P)

    def times_transposed(self, w: Vec, v: Vec) -> Vec:
        """The couple that goes with a motion (w, v): (tr G) w - Gᵀ w + P × v."""
        return plus(minus(times(self.trace, w), apply(transpose(self.G), w)), cross(self.P, v))


def of_links(frames: Frames, w: list[Vec], u2: list[Vec]) -> list[Momentum]:
    """Twice the moments of momentum of every link: G = 2(w~J + u hᵀ), P = 2(m u + w×h)."""
    found = []
    for i, (m, h, (xx, yy, zz, xy, xz, yz)) in enumerate(frames.properties):
        diagonal = (yy + zz - xx, xx + zz - yy, xx + yy - zz)
        x, y, z = (frames.scheme.let(f"J{i}_{a}", e) for a, e in zip("xyz", diagonal, strict=True))
        J2: Mat = (  # twice the pseudo-inertia
            (x, -2 * xy, -2 * xz),
            (-2 * xy, y, -2 * yz),
            (-2 * xz, -2 * yz, z),
        )
        turning = transpose(mat3(cross(w[i], column) for column in J2))
        P = plus(times(m, u2[i]), cross(w[i], plus(h, h)))
        found.append(Momentum(matrix_plus(turning, outer(u2[i], h)), P))
    return found


def of_wrenches(frames: Frames) -> list[Momentum]:
    """Moments G = F pᵀ + T~, P = F of the wrenches that are given in the ground frame."""
    found = [Momentum() for _ in frames.system.links]
    for wrench, pose in wrench_poses(frames.system):
        if wrench.frame != "world" or pose.link == 0:
            continue
        symbols = wrench_symbols(wrench.name)
        T = ground_to_link(frames, pose.link, vec3(symbols[:3]))
        F = ground_to_link(frames, pose.link, vec3(symbols[3:]))
        old = found[pose.link]
        G = matrix_plus(old.G, matrix_plus(outer(F, pose.p), skew(T)))
        found[pose.link] = Momentum(G, plus(old.P, F))
    return found


def gather(frames: Frames, parts: list[Momentum], stem: str) -> list[Momentum]:
    """The moments of every composite body, from those of the links."""
    scheme, system = frames.scheme, frames.system
    found = list(parts)
    for i in system.inward():
        link = system.links[i]
        note = frames.naming(NOTES, link.index).note("moments")
        rows = zip("xyz", found[i].G, strict=True)
        G = mat3(scheme.vector(f"{stem}{i}_{a}", row, note) for a, row in rows)
        P = scheme.vector(f"{stem}P{i}", found[i].P, note)
        trace = scheme.let(f"{stem}t{i}", G[0][0] + G[1][1] + G[2][2], note)
        found[i] = Momentum(G, P, trace)
        if link.parent:
            P_p = scheme.vector(f"{stem}P{i}p", frames.to_parent(i, P, f"{stem}P{i}"), note)
            G_p = frames.tensor_to_parent(i, G, f"{stem}{i}")
            old, moved = found[link.parent], outer(P_p, frames.offset(i))
            G_sum = matrix_plus(old.G, matrix_plus(G_p, moved))
            found[link.parent] = Momentum(G_sum, plus(old.P, P_p))
    return found
