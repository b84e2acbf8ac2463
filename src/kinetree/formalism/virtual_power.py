"""Virtual power: every link's inertial wrench, projected on every velocity that moves it.

The non-recursive formalism: for each link i and each velocity k between it and the ground the
partial velocities (Jw, Jv) = ∂(w_i, v_i)/∂qd_k are written down, and the principle of virtual power
sums over the links,

    tau_k = Σ_i Jw · n_i + Jv · f_i        M_kl = Σ_i Jw_k · L_l + Jv_k · P_l

with f, n the inertial wrench of the link about its origin, external wrenches subtracted, and P, L
its momentum and angular momentum when it moves with the partial velocity l alone.

| SaminFisette2003 | here | meaning |
|---|---|---|
| partial velocities | Jw, Jv | in the frame of link i, v that of its origin |
| | U = w~ w~ + wd~ | so that a + U p is the acceleration of a point p |

Refs: SaminFisette2003 (virtual power principle); Docquier2013 secs. 2.1.1, 2.1.2
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinetree.engine import ZERO, Node
from kinetree.formalism.forces.link_forces import AppliedForces, external
from kinetree.formalism.kinematics import named
from kinetree.formalism.links.rotors import accelerated, on_diagonal
from kinetree.formalism.links.vectors import (
    NULL,
    Vec,
    apply,
    apply_sym,
    cross,
    dot,
    minus,
    plus,
    times,
)
from kinetree.formalism.newton_euler import Motions, outward
from kinetree.program import Note

if TYPE_CHECKING:
    from kinetree.formalism.links.frames import Frames

Partials = list[dict[int, tuple[Vec, Vec]]]
"""Link -> velocity number -> partial angular velocity and velocity of the origin, link frame."""


def partial_velocities(frames: Frames) -> Partials:
    """∂(w, v)/∂qd_k of every link, for the velocities between it and the ground."""
    J: Partials = [{}]
    for i in frames.system.outward():
        link = frames.system.links[i]
        mine: dict[int, tuple[Vec, Vec]] = {}
        note = Note(link.name, "partial velocity", "SaminFisette2003", "", "link")
        for k, (w, v) in J[link.parent].items():
            at = named(frames, f"Jp{i}_{k}", plus(v, cross(w, frames.offset(i))), note)
            mine[k] = (
                named(frames, f"Jw{i}_{k}", frames.to_link(i, w, f"Jw{i}_{k}"), note),
                named(frames, f"Jv{i}_{k}", frames.to_link(i, at, f"Jv{i}_{k}"), note),
            )
        for k, w, v in frames.columns(i):
            w_k, v_k = mine.get(k, (NULL, NULL))  # a follower adds to what its leader moves
            mine[k] = (plus(w_k, w), plus(v_k, v))
        J.append(mine)
    return J


def mass_matrix(frames: Frames, J: Partials) -> list[list[Node]]:
    """M, both triangles; symmetric entries are the same Node."""
    n = frames.system.nv
    M: list[list[Node]] = [[ZERO] * n for _ in range(n)]
    for i in frames.system.outward():
        name = frames.system.links[i].name
        m, h, inertia = frames.properties[i]
        for b, (w, v) in J[i].items():
            note = Note(name, f"momentum of unit velocity {b + 1}", "SaminFisette2003", "", "link")
            P = named(frames, f"JP{i}_{b}", plus(times(m, v), cross(w, h)), note)
            L = named(frames, f"JL{i}_{b}", plus(apply_sym(inertia, w), cross(h, v)), note)
            for a, (w_a, v_a) in J[i].items():
                if a <= b:
                    note = Note(name, "mass matrix up to this link", "SaminFisette2003")
                    total = M[a][b] + dot(w_a, L) + dot(v_a, P)
                    M[a][b] = M[b][a] = frames.scheme.let(f"M{i}_{a + 1}_{b + 1}", total, note)
    return on_diagonal(frames.system, M)


def inertial_wrenches(
    frames: Frames, motion: Motions, outer: AppliedForces
) -> tuple[list[Vec], list[Vec]]:
    """Force and torque (about its origin) each link needs, beyond the external ones, link frame."""
    f: list[Vec] = [NULL]
    n: list[Vec] = [NULL]
    for i in frames.system.outward():
        link = frames.system.links[i]
        m, h, inertia = frames.properties[i]
        w, wd, a = motion.w[i], motion.wd[i], motion.a[i]
        note = Note(link.name, "angular momentum by rotation", "SaminFisette2003", "N.m.s", "link")
        L = named(frames, f"L{i}", apply_sym(inertia, w), note)
        F, T = outer.wrenches.get(i, (NULL, NULL))
        note = Note(link.name, "inertial force", "SaminFisette2003", "N", "link")
        force = plus(times(m, a), apply(motion.U[i], h))
        f.append(named(frames, f"f{i}", minus(force, F), note))
        note = Note(link.name, "inertial torque", "SaminFisette2003", "N.m", "link")
        torque = plus(apply_sym(inertia, wd), cross(w, L), cross(h, a))
        n.append(named(frames, f"n{i}", minus(torque, T), note))
    return f, n


def projected(
    frames: Frames, J: Partials, wrenches: tuple[list[Vec], list[Vec]], outer: AppliedForces
) -> list[Node]:
    """Σ over the links of Jw · n + Jv · f, less the efforts of force elements."""
    f, n = wrenches
    tau: list[Node] = [-outer.efforts.get(k, ZERO) for k in range(frames.system.nv)]
    for i in frames.system.outward():
        note = Note(frames.system.links[i].name, "virtual power", "SaminFisette2003")
        for k, (w, v) in J[i].items():
            total = tau[k] + dot(w, n[i]) + dot(v, f[i])
            tau[k] = frames.scheme.let(f"tau{i}_{k + 1}", total, note)
    return tau


def inverse(frames: Frames, qd: tuple[Node, ...], qdd: tuple[Node, ...]) -> list[Node]:
    """Generalised forces tau = M qdd + c for given motion."""
    outer = external(frames)
    wrenches = inertial_wrenches(frames, outward(frames, qd, qdd), outer)
    tau = projected(frames, partial_velocities(frames), wrenches, outer)
    return accelerated(frames.system, tau, qdd)


def mass_bias(frames: Frames, qd: tuple[Node, ...]) -> tuple[list[list[Node]], list[Node]]:
    """M, and c: the generalised forces at qdd = 0."""
    J, outer = partial_velocities(frames), external(frames)
    wrenches = inertial_wrenches(frames, outward(frames, qd, (ZERO,) * len(qd)), outer)
    return mass_matrix(frames, J), projected(frames, J, wrenches, outer)


__all__ = [
    "Partials", "inertial_wrenches", "inverse", "mass_bias", "mass_matrix", "partial_velocities",
    "projected",
]  # fmt: skip
